#!/usr/bin/env python3
"""Finds includes that go round in a circle between the folders of the project.

A folder is one below lib/ or include/tally/ (lib/Codegen/Kernels and
include/tally/Codegen/Kernels are the same); an arrow goes from the folder of a file to
that of a file which it includes. Prints each arrow of a circle with a file that makes
it. Exit status: 0 if there is no circle, else 1. `--print` prints all arrows.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def folder_of(path):
    """The folder of the project that a file belongs to, or None."""
    parts = pathlib.PurePath(path).parent.parts
    if parts[:1] == ("lib",):
        return "/".join(parts[1:])
    if parts[:2] == ("include", "tally"):
        return "/".join(parts[2:])
    return None


def resolve(file, included):
    """The file of the project that `file` includes, as a path from the root, or None."""
    if included.startswith("tally/"):
        return "include/" + included
    here = pathlib.PurePath(file).parent
    for base in (here, *here.parents):
        candidate = base / included
        if (ROOT / candidate).is_file():
            return str(candidate)
    return None


def collect_arrows():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "lib", "include"], capture_output=True, text=True,
                           check=True).stdout.split()
    arrows = collections.defaultdict(dict)
    for name in names:
        source = folder_of(name)
        if source is None or not name.endswith((".cpp", ".h")):
            continue
        for included in INCLUDE.findall((ROOT / name).read_text()):
            target = folder_of(resolve(name, included) or "")
            # A registration header at the top names what is below it.
            if target and target != source and not target.startswith(source + "/"):
                arrows[source].setdefault(target, name)
    return arrows


def find_circles(arrows):
    """Returns the sets of folders that reach each other (Tarjan's algorithm, by search)."""
    def reach(start):
        seen, stack = set(), [start]
        while stack:
            for target in arrows.get(stack.pop(), {}):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen

    reached = {folder: reach(folder) for folder in arrows}
    return {frozenset(other for other in reached if other in reached[folder] and folder in reached[other])
            for folder in reached if folder in reached[folder]}


def main():
    arrows = collect_arrows()
    if "--print" in sys.argv:
        for source in sorted(arrows):
            print(source, "->", ", ".join(sorted(arrows[source])))
    circles = find_circles(arrows)
    for circle in circles:
        print("these folders include each other:")
        for source in sorted(circle):
            for target in sorted(circle & set(arrows[source])):
                print(f"  {source} -> {target} ({arrows[source][target]})")
    return 1 if circles else 0


if __name__ == "__main__":
    sys.exit(main())
