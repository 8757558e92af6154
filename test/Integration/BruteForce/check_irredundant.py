"""Checks every program of some folders: no assert in its checked form follows from what is
known before it, as tally-test-opt recomputes it."""

import pathlib
import subprocess
import sys

PASSES = ["--split-input-file", "--allow-unregistered-dialect", "--tally-check-pipeline",
          "--test-irredundant-asserts", "-o", "/dev/null"]


def main():
    files = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).glob("*.mlir"))]
    num_wrong = 0
    for path in files:
        done = subprocess.run(["tally-test-opt", path, *PASSES], capture_output=True, text=True)
        if done.returncode:
            num_wrong += 1
            print(path, done.stderr, sep="\n")
    print(f"{len(files)} files, {num_wrong} with an assert that follows from others")


main()
