"""Runs tally-propagate-shapes twice over every program of a folder."""

import pathlib
import subprocess
import sys


def run(tool, source, target):
    """Returns what went wrong, or nothing."""
    result = subprocess.run(
        [
            tool,
            "--allow-unregistered-dialect",
            "--tally-propagate-shapes",
            "--verify-roundtrip",
            str(source),
            "-o",
            str(target),
        ],
        capture_output=True,
        text=True,
    )
    if result.returncode:
        return f"status {result.returncode}: {result.stderr[:400]}"
    return ""


def main():
    tool, corpus, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    failed = 0
    programs = sorted(corpus.glob("*.mlir"))
    for program in programs:
        once, twice = out / program.name, out / ("twice-" + program.name)
        problem = run(tool, program, once) or run(tool, once, twice)
        if not problem and once.read_text() != twice.read_text():
            problem = "the second run is not the first"
        if problem:
            failed += 1
            print(f"{program.name}: {problem}")
    print(f"{len(programs)} programs, {failed} failed")


main()
