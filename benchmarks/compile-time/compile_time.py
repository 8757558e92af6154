#!/usr/bin/env python3
"""Times compilation for the CPU as programs grow, and fits an exponent to each.

    compile_time.py                        every program, up to 256 times its unit
    compile_time.py --largest 512 calls    one program, up to 512 times its unit
    compile_time.py --limit 1.1            exit status 1 if an exponent is larger
    compile_time.py --instructions         counts instructions with valgrind, which no other process disturbs

Needs tally-compile on the PATH (./dev bench compile-time/compile_time.py).
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from programs import PROGRAMS, UNITS


def count_instructions(file, library):
    """Billions of instructions that compiling a file takes, without the linker."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           "tally-compile", str(file), "-o", str(library)],
                          capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{file.name}: exit status {done.returncode}: {done.stderr[-300:]}")
    return int(found[1]) / 1e9


def measure(file, library):
    """Processor seconds and megabytes that compiling a file takes."""
    process = subprocess.Popen(["tally-compile", str(file), "-o", str(library)])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{file.name}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def fit_exponent(points):
    """The slope of a line through the logarithms, by least squares."""
    logs = [(math.log(size), math.log(max(value, 1e-4))) for size, value in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return (sum((x - mean_x) * (y - mean_y) for x, y in logs)
            / sum((x - mean_x) ** 2 for x, _ in logs))


def measure_program(name, sizes, runs, folder, instructions):
    """Least seconds (or instructions) and megabytes for each size; the first is what every program costs."""
    rows = []
    for size in [0] + sizes:
        file = folder / f"{name}-{size}.mlir"
        file.write_text(PROGRAMS[name](size * UNITS.get(name, 1) or 1))
        figures = [measure(file, folder / "lib.so") for _ in range(1 if instructions else runs)]
        cost = (count_instructions(file, folder / "lib.so") if instructions
                else min(f[0] for f in figures))
        rows.append((size, cost, min(f[1] for f in figures)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--largest", type=int, default=256)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--instructions", action="store_true")
    arguments = parser.parse_args()
    if unknown := set(arguments.programs) - PROGRAMS.keys():
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    sizes = [arguments.largest >> shift for shift in (3, 2, 1, 0)]
    exponents = []
    print("| program | " + " | ".join(f"{size} x" for size in sizes)
          + f" | exponent of {'instructions' if arguments.instructions else 'time'} | exponent of memory |\n|---" + "|---" * (len(sizes) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.programs or PROGRAMS:
            (_, seconds, megabytes), *rows = measure_program(name, sizes, arguments.runs, pathlib.Path(folder),
                                                               arguments.instructions)
            time = fit_exponent([(size, row - seconds) for size, row, _ in rows])
            memory = fit_exponent([(size, row - megabytes) for size, _, row in rows])
            exponents += [time, memory]
            unit = "G" if arguments.instructions else "s"
            cells = [f"{row:.2f} {unit}, {mb:.0f} MB" for _, row, mb in rows]
            print(f"| {name} | " + " | ".join(cells) + f" | {time:.2f} | {memory:.2f} |", flush=True)
    if arguments.limit and max(exponents) > arguments.limit:
        sys.exit(1)


if __name__ == "__main__":
    main()
