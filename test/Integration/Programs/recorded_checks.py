#!/usr/bin/env python3
"""Says of recorded programs how many checks the check pipeline states, and how it proves others.

    ../../../dev exec ./recorded_checks.py            prints what recorded-checks.txt should be
    ../../../dev exec ./recorded_checks.py TABLE      compares with a table

A line has a program, the number of operations that are imported and how many conditions are
asserted, merged with others, or proven, by what proves them. It takes about an eighth of the
programs, so that a test can do so.
"""

import collections
import re
import subprocess
import sys

from recorded_table import compare_table, import_named


def describe(model):
    named = import_named(model)
    remarks = subprocess.run(["tally-opt", "--tally-check-pipeline=explain", "-o", "/dev/null"], input=named,
                             capture_output=True, text=True).stderr  # fmt: skip
    counts = collections.Counter()
    for line in remarks.splitlines():
        found = re.search(r"remark: .*: (proven \([^)]*\)|asserted|merged|\w+)", line)
        if found:
            counts[found.group(1)] += 1
    operations = len(re.findall(r"^ +(?:%\S+ = |\w+\.\w+)", named, re.MULTILINE))
    told = [f"{count} {kind}" for kind, count in sorted(counts.items())]
    return ", ".join([f"{operations} operations", *told])


if __name__ == "__main__":
    sys.exit(compare_table(describe, 8, 0))
