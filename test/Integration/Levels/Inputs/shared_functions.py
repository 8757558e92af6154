#!/usr/bin/env python3
"""Looks for instructions of AVX in functions that several files define, one of which the
linker keeps: shared_functions.py ARCHIVE [OBJDUMP].

Only files for levels of processors (FFTV3.cpp, MatmulQuads.cpp) may have such
instructions, and only in functions of their own."""

import pathlib
import re
import subprocess
import sys
import tempfile

LEVEL = re.compile(r"(V3|V4|Pairs|Quads|Squares)\.cpp\.o$")
TOOLS = pathlib.Path("/usr/lib/llvm-22/bin")


def run(*command, folder):
    return subprocess.run(command, cwd=folder, text=True, capture_output=True, check=True).stdout


def get_shared(path, folder):
    """The weak functions of a file, without those whose names have that of the level."""
    level = path.name.split(".")[0].lower()
    names = run(TOOLS / "llvm-nm", path.name, folder=folder).split("\n")
    weak = [line.split()[-1] for line in names if re.search(r" [WVu] ", line)]
    return [name for name in weak if level not in name.lower()]


def find_vectors(path, function, folder):
    text = run(TOOLS / "llvm-objdump", "-d", "--no-show-raw-insn", f"--disassemble-symbols={function}",
               path.name, folder=folder)
    return re.findall(r"^\s*[0-9a-f]+:\s+(v\w+|\w+.*%[yz]mm.*)", text, re.MULTILINE)


failures = files = 0
with tempfile.TemporaryDirectory() as folder:
    run("ar", "x", pathlib.Path(sys.argv[1]).resolve(), folder=folder)
    for path in sorted(pathlib.Path(folder).iterdir()):
        if not LEVEL.search(path.name):
            continue
        files += 1
        for function in get_shared(path, folder):
            found = find_vectors(path, function, folder)
            if found:
                failures += 1
                print(f"FAIL {path.name}: {function} has {found[0]}")
print(f"{files} files for levels, {failures} failures")
