#!/usr/bin/env python3
"""Records the exported PyTorch programs of this folder (see README.md).

  generate.py [NAME...]          exports, evaluates and writes recorded/NAME
  generate.py --check [NAME...]  checks recorded/ against the installed torch
  generate.py --targets          prints how often each op target occurs
  generate.py --list             prints the programs
  generate.py --tests            writes the lit tests, with refused.txt
"""

import argparse
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import programs  # noqa: E402,F401  (fills the table)
from recording import check, lit, record  # noqa: E402
from recording.table import PROGRAMS  # noqa: E402

ROOT = HERE / "recorded"


def chosen(names):
    unknown = [n for n in names if n not in PROGRAMS]
    if unknown:
        sys.exit(f"no such program: {', '.join(unknown)}")
    return [PROGRAMS[n] for n in names] if names else list(PROGRAMS.values())


def write_index(rows):
    lines = ",\n".join(f' "{name}": {json.dumps(rows[name])}'
                       for name in sorted(rows))
    (ROOT / "index.json").write_text("{\n" + lines + "\n}\n")


def record_all(names, keep_going):
    index = ROOT / "index.json"
    rows = json.loads(index.read_text()) if index.exists() else {}
    faults = 0
    for program in chosen(names):
        try:
            rows[program.name] = record.record(program, ROOT)
            print(f"recorded {program.name}: {len(program.cases)} cases",
                  flush=True)
        except Exception as error:
            if not keep_going:
                raise
            faults += 1
            shutil.rmtree(ROOT / program.name, ignore_errors=True)
            rows.pop(program.name, None)
            print(f"FAILED {program.name}: {str(error)[:600]}", flush=True)
    if not names:
        for folder in ROOT.iterdir():
            if folder.is_dir() and folder.name not in PROGRAMS:
                shutil.rmtree(folder)
                rows.pop(folder.name, None)
    write_index(rows)
    return 1 if faults or write_tests() else 0


def check_all(names):
    faults = []
    for program in chosen(names):
        faults += check.check(program, ROOT)
    if not names:
        faults += [f"{p.name}: recorded, but not in the table"
                   for p in ROOT.iterdir()
                   if p.is_dir() and p.name not in PROGRAMS]
    for fault in faults:
        print(fault)
    print(f"{len(chosen(names))} programs checked, {len(faults)} faults")
    return 1 if faults else 0


def write_tests():
    unknown = lit.write_tests(PROGRAMS.values(), ROOT,
                              lit.read_refused(HERE / "refused.txt"))
    if unknown:
        print(f"refused.txt: no such program: {', '.join(unknown)}")
    return 1 if unknown else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--targets", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--keep-going", action="store_true",
                        help="report a program that fails and go on")
    options = parser.parse_args()
    if options.list:
        for program in PROGRAMS.values():
            print(program.name, program.family, *program.tags)
        return 0
    if options.targets:
        total = check.histogram(ROOT)
        for name, (uses, count) in sorted(
                total.items(), key=lambda item: (-item[1][1], item[0])):
            print(f"{count:4} programs {uses:5} uses  {name}")
        return 0
    if options.tests:
        return write_tests()
    if options.check:
        return check_all(options.names)
    ROOT.mkdir(exist_ok=True)
    return record_all(options.names, options.keep_going)


if __name__ == "__main__":
    sys.exit(main())
