#!/usr/bin/env python3
"""Counts the asserts that remain in the checked form of exported programs, by kind.

    ../../../dev exec ./count_checks.py                  the recorded programs
    ../../../dev exec ./count_checks.py MODEL.pt2...     others
    ../../../dev exec ./count_checks.py --list           each assert, with its program

A kind is what an assert is about: `declared` is a range, divisor or shape that the signature declares, `index` says
that indices which are read from data are in bounds, `data` is another property of elements, and `size` is the rest, what
sizes and scalars decide. Asserts inside of loops run once an iteration and count once.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

KINDS = ["declared", "size", "index", "data"]
INDEX = re.compile(r"an index is out of|required_by\(\"(tensor\.(extract|insert|gather|scatter))\"\)")


def get_kind(line):
    if "declared_by(" in line:
        return "declared"
    if INDEX.search(line):
        return "index"
    # An assert of nothing but a boolean is about data that were reduced to it.
    return "size" if re.search(r"tally\.assert %[\w#]+, <", line) else "data"


def get_asserts(model):
    """The lines of the asserts of a program; None if it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        named = os.path.join(folder, "model.mlir")
        for command in (["tally-translate", "--import-pt2", model, "-o", named],
                        ["tally-opt", named, "--pass-pipeline=builtin.module(tally-check-pipeline)"]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                return None
    return [line.strip() for line in done.stdout.splitlines()
            if line.lstrip().startswith("tally.assert ") or " = tally.assert " in line]


def get_name(model):
    return os.path.basename(os.path.dirname(os.path.abspath(model)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for tool in ("tally-translate", "tally-opt"):
        if not shutil.which(tool):
            sys.exit(f"count_checks.py: there is no {tool} on PATH: run it through ./dev exec")
    recorded = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")
    models = options.models or sorted(
        os.path.join(recorded, name, "model.pt2") for name in os.listdir(recorded)
        if os.path.exists(os.path.join(recorded, name, "model.pt2")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(get_asserts, models))
    counts = collections.Counter()
    for model, lines in zip(models, found):
        for line in lines or []:
            counts[get_kind(line)] += 1
            if options.list:
                print(f"{get_name(model)}: {get_kind(line)}: {line}")
    refused = sum(lines is None for lines in found)
    print(f"{len(models) - refused} programs, {refused} refused: {sum(counts.values())} asserts, "
          + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS))


if __name__ == "__main__":
    main()
