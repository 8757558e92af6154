"""What bounds rows that miss their aim: `bounds.json` beside a script that makes a page of figures.

It is a list of rows: names or patterns of fnmatch, a sentence, and behind it the machines that it holds for, if it does
not hold for all.
"""

import fnmatch
import json


def read_bounds(path, machine):
    """Patterns and a sentence for each row of the file that holds for this machine."""
    rows = json.loads(path.read_text())
    return [(patterns, text) for patterns, text, *which in rows if not which or machine in which]


def find_bound(names, bounds):
    """What bounds a row that has one of these names; empty if nobody has said."""
    for patterns, text in bounds:
        if any(fnmatch.fnmatchcase(name, each) for each in patterns for name in names):
            return text
    return ""
