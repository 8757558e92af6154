#!/usr/bin/env python3
"""Makes one file of figures of several runs of `bench.py --json`: the medians of each row.

    median.py FIRST.json SECOND.json THIRD.json > FIGURES.json

Rows that wait for memory differ from run to run, by the pages that operands and results happen to have.
"""

import json
import pathlib
import statistics
import sys


def merge(runs):
    """The last run, with the medians of all that have a row in its place."""
    last = runs[-1]
    for section in last["sections"]:
        same = [other for run in runs for other in run["sections"]
                if (other["title"], other["threads"]) == (section["title"], section["threads"])]
        of_label = {}
        for other in same:
            for label, *numbers in other["rows"]:
                of_label.setdefault(label, []).append(numbers)
        section["rows"] = [[label, *map(statistics.median, zip(*of_label[label]))] for label, *_ in section["rows"]]
        section["moved"] = {label: [count, statistics.median(other["moved"][label][1] for other in same
                                                             if label in other["moved"])]
                            for label, (count, _) in section["moved"].items()}
    return {**last, "runs": len(runs)}


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    print(json.dumps(merge([json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:]])))
