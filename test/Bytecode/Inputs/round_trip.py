"""Writes every program of the tests as text and as bytecode, and reads it again.

    round_trip.py TALLY-OPT TALLY-TEST-OPT FOLDER

Programs that no tool reads as they stand are left out. Prints what differs.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

tools = sys.argv[1:3]
folder = pathlib.Path(sys.argv[3])


def read(tool, path, *options):
    command = [tool, path, "--split-input-file", "-o", os.devnull, *options]
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def check(path):
    """Whether the file was read, and what went wrong."""
    for tool in tools:
        process = read(tool, path, "--verify-roundtrip")
        if process.returncode == 0:
            return True, ""
        if process.returncode < 0:
            return True, f"{path}: signal {-process.returncode}"
        if read(tool, path).returncode == 0:
            return True, f"{path}: {process.stderr}"
    return False, ""


paths = [path for path in sorted(folder.rglob("*.mlir")) if "invalid" not in path.name]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(check, paths))
for _, problem in results:
    if problem:
        print(problem)
print(sum(was_read for was_read, _ in results), "files")
