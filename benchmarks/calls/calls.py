#!/usr/bin/env python3
"""What the checks at the entry of a function cost.

Makes a program of 50 matrices, 100 sizes and 300 checks that none of the others
implies, compiles it with and without checks, and calls both from C at sizes that
fit. Prints nanoseconds of a call and, where there is valgrind, instructions.

    ./dev bench calls/calls.py [--tensors N] [--keep FOLDER]
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
SIZE = 48


def make_program(tensors):
    """A program, and how many checks it has."""
    count = 2 * tensors
    table = [f"s{i} : [1, {4096 + i}]" + " % 8" * (i % 2) for i in range(count)]
    arguments = ", ".join(
        f"%x{i}: tensor<?x?xf32> {{tally.shape = #tally.shape<s{2 * i}, s{2 * i + 1}>, "
        f'tally.name = "x{i}"}}'
        for i in range(tensors)
    )
    checks = []
    for i in range(count // 2):
        j, k = (i + 1) % count, (i + 2) % count
        checks.append(f"s{i} * s{i + count // 2} <= {1000000 + i}")
        if i % 2:
            checks.append(f"s{i} + 2 * s{j} <= s{k} + {5000 + i}")
    body = "".join(f"  tally.check <{check}>\n" for check in checks)
    text = (
        f"func.func @main({arguments}) -> index\n"
        f"    attributes {{tally.symbols = #tally.symbols<{', '.join(table)}>}} {{\n"
        f"{body}  %n = tally.size <s0 + s1> : index\n  return %n : index\n}}\n"
    )
    return text


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def count_asserts(path):
    text = run(
        "tally-opt", path, "--pass-pipeline=builtin.module(tally-check-pipeline)"
    )
    return text.count("tally.assert")


def build(folder, path, checks):
    """Compiles the program and what calls it; returns the caller."""
    library = folder / f"lib{checks}.so"
    run("tally-compile", path, "-o", library, f"--checks={checks}")
    caller = folder / checks
    run(
        os.environ.get("CC", "cc"), "-O2", HERE / "calls.c", f"-I{INCLUDE}",
        f"-L{folder}", f"-l{checks}", f"-Wl,-rpath,{folder}", "-o", caller,
    )  # fmt: skip
    return caller


def count_instructions(folder, caller, sizes, function):
    """Instructions of one call in a function and what it calls, with callgrind."""
    counts = []
    for rounds in (1, 2):  # of 20 batches
        out = folder / f"callgrind.{rounds}"
        run(
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
            f"--toggle-collect={function}", caller, str(rounds), *sizes,
        )  # fmt: skip
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)
        counts.append(int(found[1]))
    return (counts[1] - counts[0]) / 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensors", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--keep", type=pathlib.Path, help="keep the files here")
    options = parser.parse_args()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="tally-calls-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    path = folder / "program.mlir"
    path.write_text(make_program(options.tensors))
    asserts = count_asserts(path)
    print(f"{options.tensors} tensors, {2 * options.tensors} symbols, {asserts} asserts")
    sizes = [str(SIZE)] * (2 * options.tensors)
    rows = {}
    for checks in ("all", "none"):
        caller = build(folder, path, checks)
        row = rows[checks] = [float(run(caller, str(options.rounds), *sizes))]
        if shutil.which("valgrind"):
            row.append(count_instructions(folder, caller, sizes, "callOnce"))
    rows["difference"] = [a - b for a, b in zip(rows["all"], rows["none"])]
    print(f"{'checks':>12} {'ns a call':>10} {'instructions':>13}")
    for name, row in rows.items():
        instructions = f"{row[1]:13.0f}" if len(row) > 1 else f"{'-':>13}"
        print(f"{name:>12} {row[0]:10.1f} {instructions}")
    if not options.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
