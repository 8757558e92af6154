#!/usr/bin/env python3
"""Compares RuntimeFunctions.def with tally_runtime_calls.h: compiled code calls what that header's
sections declare, and tally_rt_invoke. No other place of the compiler names one."""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
header = (root / "include/tally/Runtime/tally_runtime_calls.h").read_text()
sections = re.split(r"//===-+===//\n// (.+)\n//===-+===//\n", header)
declared = {"tally_rt_invoke"}
found = 0
for title, text in zip(sections[1::2], sections[2::2]):
    if title.startswith("Called by compiled"):
        found += 1
        declared |= set(re.findall(r"TALLY_RT_EXPORT [^;]*?(tally_rt_\w+)\(", text))
listed = re.findall(
    r"^TALLY_RUNTIME_FUNCTION\(\w+, (\w+)\)$",
    (root / "include/tally/Runtime/RuntimeFunctions.def").read_text(),
    re.MULTILINE,
)
failed = found != 2 or len(listed) != len(set(listed))
for name in sorted(declared ^ set(listed)):
    failed = True
    where = "tally_runtime_calls.h" if name in declared else "RuntimeFunctions.def"
    print(f"{name}: only in {where}")
for folder in ("lib/Codegen", "lib/Driver"):
    for path in sorted((root / folder).rglob("*.cpp")):
        for name in re.findall(r'"(tally_rt_\w+)"', path.read_text()):
            failed = True
            print(f"{path.relative_to(root)}: names {name}; use runtime_functions")
print(f"{len(listed)} functions")
sys.exit(failed)
