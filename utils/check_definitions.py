#!/usr/bin/env python3
"""Finds functions that are not defined where a reader looks for them.

A function that a header declares is defined in a source file beside it that has the
header's name or begins with it (SymPy.h, SymPyPrinter.cpp), or in one that is named for
the function (`unifySizes` in UnifySizes.cpp, `collectLoopPreconditions` in
LoopPreconditions.cpp); where there is none of the header's name, in any. Looks at free
functions that are defined by their qualified names, below lib/, tools/ and include/, and prints each
other one. Exit status: 0 if there is none, else 1. `--count` prints how many were looked at.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# `tally::codegen::getUnits(`, but no method: namespaces begin with a small letter.
DEFINITION = re.compile(r"^(?:[^\s/#].*[\s&*])?((?:[a-z]\w*::)+)([a-z]\w*)\(", re.MULTILINE)
DECLARATION = re.compile(r"^(?:(?!return\b|static\b|inline\b|template\b)[^\s/#].*[\s&*])?([a-z]\w*)\(", re.MULTILINE)


def list_files(*patterns):
    command = ["git", "-C", ROOT, "ls-files", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [pathlib.PurePath(name) for name in names if (ROOT / name).is_file()]


def find_declarations():
    """The headers that declare each name outside of classes."""
    declared = collections.defaultdict(set)
    for header in list_files("include/tally/*.h", "lib/*.h", "tools/*.h"):
        for name in DECLARATION.findall((ROOT / header).read_text()):
            declared[name].add(header)
    return declared


def get_folder(path):
    """The folder of a file, the same for a public header and its source."""
    parts = path.parent.parts
    return parts[2:] if parts[:2] == ("include", "tally") else parts[1:]


def is_expected(name, source, header, sources):
    if source.stem.startswith(header.stem):
        return True
    title = name[0].upper() + name[1:]
    if source.stem in title or source.stem.startswith(title):
        return True
    folder = get_folder(header)
    return not any(other.stem == header.stem and folder[: len(get_folder(other))] == get_folder(other)
                   for other in sources)


def main():
    declared = find_declarations()
    sources = list_files("lib/*.cpp", "tools/*.cpp")
    count, wrong = 0, set()
    for source in sources:
        for scope, name in DEFINITION.findall((ROOT / source).read_text()):
            if not scope.startswith("tally::") or name not in declared:
                continue
            count += 1
            headers = declared[name]
            if not any(is_expected(name, source, header, sources) for header in headers):
                wrong.add(f"{source}: {name}: declared in {', '.join(map(str, sorted(headers)))}")
    print("\n".join(sorted(wrong)), end="\n" if wrong else "")
    if "--count" in sys.argv:
        print(f"{count} functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
