#!/usr/bin/env python3
"""Says of recorded programs how many checks the check pipeline states, and how it proves others.

    ../../../dev exec ./recorded_checks.py            prints what recorded-checks.txt should be
    ../../../dev exec ./recorded_checks.py TABLE      compares with a table

A line has a program, the number of operations that are imported and how many conditions are
asserted, merged with others, or proven, by what proves them. It takes about a fourth of the
programs, so that a test can do so.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import zlib

RECORDED = pathlib.Path(__file__).parent / "recorded"


def describe(model):
    named = subprocess.run(["tally-translate", "--import-pt2", model], capture_output=True, text=True).stdout
    remarks = subprocess.run(["tally-opt", "--tally-check-pipeline=explain", "-o", "/dev/null"], input=named,
                             capture_output=True, text=True).stderr  # fmt: skip
    counts = collections.Counter()
    for line in remarks.splitlines():
        found = re.search(r"remark: .*: (proven \([^)]*\)|asserted|merged|\w+)", line)
        if found:
            counts[found.group(1)] += 1
    operations = len(re.findall(r"^ +(?:%\S+ = |\w+\.\w+)", named, re.MULTILINE))
    told = [f"{count} {kind}" for kind, count in sorted(counts.items())]
    return f"{model.parent.name}: {', '.join([f'{operations} operations', *told])}"


def main():
    # New programs change nothing of the others.
    models = [model for model in sorted(RECORDED.glob("*/model.pt2")) if zlib.crc32(model.parent.name.encode()) % 4 == 0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = list(pool.map(describe, models))
    if len(sys.argv) == 1:
        print("\n".join(lines))
        return 0
    known = pathlib.Path(sys.argv[1]).read_text().splitlines()
    changed = [(old, new) for old, new in zip(known, lines) if old != new]
    for old, new in changed:
        print(f"was {old}\nis  {new}")
    print(f"{len(known)} programs in the table, {len(lines)} here, {len(changed)} changed")
    return 1 if changed or len(known) != len(lines) else 0


if __name__ == "__main__":
    sys.exit(main())
