#!/usr/bin/env python3
"""Times tally-check-pipeline and, where torch is installed, torch.export on the same program.

    compare.py                       N = 125 to 2000; torch.export for N = 10 to 80
    compare.py --export 20 40 160    other sizes for torch.export, which takes long
    compare.py --sums=written        prefix sums by name, N * N / 2 terms in all
    compare.py --passes              what each pass takes
    compare.py FILE.mlir ...         other programs, Tally alone

Needs tally-pipeline-benchmark on the PATH (./dev bench pipeline/compare.py).
benchmarks/pipeline/README.md says what the columns mean.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

from generate import write_program

try:
    from program import time_export
except ImportError:
    time_export = None


def run_tally(files, arguments):
    """What tally-pipeline-benchmark prints for each file."""
    command = ["tally-pipeline-benchmark", f"--runs={arguments.runs}",
               f"--verify-each={str(arguments.verify_each).lower()}", *map(str, files)]
    output = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in output.stdout.splitlines()]


def measure_tally(sizes, arguments):
    """Figures by the number of symbols."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, f"{size}.mlir") for size in sizes]
        for size, file in zip(sizes, files):
            file.write_text(write_program(size, arguments.sums, arguments.elementwise))
        return dict(zip(sizes, run_tally(files, arguments)))


def fit_exponent(figures):
    """The slope of a line through the logarithms, by least squares."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in figures.items()]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return (sum((x - mean_x) * (y - mean_y) for x, y in points)
            / sum((x - mean_x) ** 2 for x, _ in points))


def print_figures(label, figures, arguments):
    print(f"| {label} | operations | ms | ms on the clock |\n|---|---|---|---|")
    for key, row in figures.items():
        print(f"| {key} | {row['operations']} | {row['processor'] * 1e3:.1f} | {row['wall'] * 1e3:.1f} |")
        if arguments.passes:
            for name, seconds in sorted(row["passes"].items(), key=lambda item: -item[1]):
                print(f"| | {name} | {seconds * 1e3:.1f} | |")
    if len(figures) > 1 and all(isinstance(key, int) for key in figures):
        exponent = fit_exponent({key: row["processor"] for key, row in figures.items()})
        print(f"\nexponent {exponent:.2f}")


def compare_export(arguments):
    """The same sizes through both, one after the other."""
    figures = measure_tally(arguments.export, arguments)
    time_export(2)  # what PyTorch loads with the first program
    print("\n| N | torch.export ms | nodes | tally-check-pipeline ms | ratio |\n|---|---|---|---|---|")
    exports = {}
    for size in arguments.export:
        seconds, operations = time_export(size)
        exports[size] = seconds
        tally = figures[size]["processor"]
        print(f"| {size} | {seconds * 1e3:.0f} | {operations} | {tally * 1e3:.2f} | {seconds / tally:.0f} x |",
              flush=True)
    if len(exports) > 1:
        print(f"\nexponent of torch.export {fit_exponent(exports):.2f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[125, 250, 500, 1000, 2000])
    parser.add_argument("--export", type=int, nargs="*", default=[10, 20, 40, 80])
    parser.add_argument("--sums", choices=("running", "written"), default="running")
    parser.add_argument("--elementwise", choices=("arith", "linalg"), default="arith")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--verify-each", action="store_true", help="verify the IR after each pass")
    parser.add_argument("--passes", action="store_true")
    arguments = parser.parse_args()
    if arguments.files:
        rows = run_tally(arguments.files, arguments)
        return print_figures("program", {pathlib.Path(row["file"]).name: row for row in rows}, arguments)
    print_figures("N", measure_tally(arguments.sizes, arguments), arguments)
    if time_export and arguments.export:
        compare_export(arguments)


if __name__ == "__main__":
    main()
