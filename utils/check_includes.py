#!/usr/bin/env python3
"""Finds includes that do not follow the order of the folders of the project.

A folder is one below lib/ or include/tally/ (lib/Codegen/Kernels and
include/tally/Codegen/Kernels are the same), include/tally-c, tools or a folder below
it, or test/lib; an arrow goes from the folder of a file to that of a file which it
includes. FOLDERS lists what each folder may include, those
that it may include before it, so that there is no circle. Prints each arrow that is
not allowed with the files that make it. Exit status: 0 if there is none, else 1.
`--print` prints all arrows.
"""

import collections
import pathlib
import posixpath
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# The table of docs/Contributing.md. A name stands for what that folder may include as
# well.
FOLDERS = {
    "Runtime": [],
    "Symbolic/Expr": [],
    "Symbolic/Facts": ["Symbolic/Expr"],
    "Symbolic/Proof": ["Symbolic/Facts"],
    "Symbolic/Text": ["Symbolic/Proof"],
    "Z3": ["Symbolic/Text"],
    "IR/Attributes": ["Symbolic/Text"],
    "Interfaces": ["IR/Attributes"],
    "IR": ["Interfaces", "Runtime"],
    "Analysis": ["IR"],
    "Analysis/Models": ["Analysis"],
    "Transforms": ["Analysis", "Z3"],
    "Codegen/Common": ["Analysis"],
    "Codegen/Kernels": ["Codegen/Common"],
    "Codegen/ScheduleCPU": ["Codegen/Kernels"],
    "Codegen/ScheduleGPU": ["Codegen/Kernels"],
    "Codegen/RuntimeCalls": ["Codegen/Common"],
    "Codegen/NVVM": ["Codegen/Common"],
    "Codegen/Entries": ["Codegen/Common"],
    "Codegen": ["Codegen/ScheduleCPU", "Codegen/ScheduleGPU", "Codegen/RuntimeCalls", "Codegen/NVVM",
                "Codegen/Entries"],
    "Pipelines": ["Transforms", "Analysis/Models", "Codegen"],
    "Import": ["IR"],
    "Import/Aten": ["Import"],
    "Interpreter": ["IR"],
    "Driver": ["Pipelines", "Import"],
    "tally-c": [],
    "CAPI": ["Driver", "tally-c"],
    "Python": ["Runtime"],
    # What several tools share; a tool knows none of the others, but that random programs
    # have inputs as tally-run takes them.
    "tools": ["Driver"],
    "tools/tally-compile": ["tools"],
    "tools/tally-lsp-server": ["tools"],
    "tools/tally-opt": ["tools"],
    "tools/tally-plugin": ["tools"],
    "tools/tally-prove": ["tools"],
    "tools/tally-run": ["tools", "Interpreter"],
    "tools/tally-fuzz": ["tools/tally-run"],
    "tools/tally-translate": ["tools"],
    "test/lib": ["tools"],
}


def folder_of(path):
    """The folder of the project that a file belongs to, or None."""
    parts = pathlib.PurePath(path).parent.parts
    if parts[:1] == ("lib",):
        return "/".join(parts[1:])
    if parts[:2] == ("include", "tally"):
        return "/".join(parts[2:])
    if parts[:2] in (("include", "tally-c"), ("test", "lib")):
        return "/".join(parts[1:]) if parts[0] == "include" else "test/lib"
    if parts[:1] == ("tools",):
        return "/".join(parts)
    return None


def resolve(file, included):
    """The file of the project that `file` includes, as a path from the root, or None."""
    if included.startswith(("tally/", "tally-c/")):
        return "include/" + included
    here = pathlib.PurePath(file).parent
    for base in (here, *here.parents):
        candidate = posixpath.normpath(base / included)
        if (ROOT / candidate).is_file():
            return candidate
    return None


def collect_arrows(names):
    """Returns the files that make each arrow: arrows[source][target]."""
    arrows = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in names:
        source = folder_of(name)
        if not source or not name.endswith((".cpp", ".h", ".c")):
            continue
        for included in INCLUDE.findall((ROOT / name).read_text()):
            target = folder_of(resolve(name, included) or "")
            if target and target != source:
                arrows[source][target].append(name)
    return arrows


def allowed():
    """Returns what each folder may include. Fails if one stands before what it may include."""
    result = {}
    for folder, direct in FOLDERS.items():
        result[folder] = set(direct).union(*(result[other] for other in direct))
    return result


def main():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "lib",
                            "include", "tools", "test/lib"], capture_output=True, text=True, check=True).stdout.split()
    arrows = collect_arrows(name for name in names if (ROOT / name).is_file())
    if "--print" in sys.argv:
        for source in sorted(arrows):
            print(source, "->", ", ".join(sorted(arrows[source])))
    may_include = allowed()
    status = 0
    for source in sorted(arrows):
        if source not in may_include:
            print(f"{source}: FOLDERS in utils/check_includes.py does not say what this folder may include")
            status = 1
            continue
        for target in sorted(set(arrows[source]) - may_include[source]):
            print(f"{source} may not include {target}:")
            for name in arrows[source][target]:
                print(f"  {name}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
