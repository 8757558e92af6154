"""What scripts that make pages of figures share: their arguments, and what bounds rows that miss their aim.

The latter is `bounds.json` beside a script, a list of rows: names or patterns of fnmatch, a sentence, and behind it the
machines that it holds for, if it does not hold for all.
"""

import argparse
import fnmatch
import json
import pathlib


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


def print_page(make_page, description):
    """Prints the lines that are made of the contents of the files of the command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FIGURES.json")
    print("\n".join(make_page([json.loads(path.read_text()) for path in parser.parse_args().files])))
