#!/usr/bin/env python3
"""Runs the recorded PyTorch programs on a GPU and compares with what PyTorch gave.

    check_programs.py                              all of them
    check_programs.py --filter '^cond_'            those whose name matches
    check_programs.py --sanitizer memcheck softmaxes gathers
    check_programs.py --device interpreted         the GPU's kernels, without a GPU

Tolerances are those of the recording. Ends with status 1 where a program fails.
"""

import argparse
import functools
import json
import pathlib
import re
import sys

import running

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "Programs"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names of programs; all if there is none")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--device", choices=("cuda", "cpu", "interpreted"), default="cuda")
    parser.add_argument("--shard", default="0/1", metavar="I/N", help="every Nth program from I on")
    running.add_arguments(parser)
    return parser.parse_args()


#: Families of programs with an operation that runs on the CPU only.
ON_CPU = {"linear algebra": "tally.linear_algebra"}


def read_index():
    return json.loads((PROGRAMS / "recorded" / "index.json").read_text())


def read_refused(device):
    """What is not supported on any device, or on a GPU, and the text that says so."""
    lines = (PROGRAMS / "refused.txt").read_text().splitlines()
    refused = dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))
    for name, entry in read_index().items():
        if entry["family"] in ON_CPU and device != "cpu":
            refused[name] = f"'{ON_CPU[entry['family']]}' op runs on the CPU only"
    return refused


def choose(options, index):
    """The names that were asked for; ends the process where there are none."""
    unknown = set(options.programs) - set(index)
    if unknown:
        sys.exit(f"no such program: {', '.join(sorted(unknown))}")
    names = [name for name in options.programs or sorted(index)
             if re.search(options.filter, name)]
    if not names:
        sys.exit(f"no program's name matches '{options.filter}'")
    return names


def refusal_reason(text, status, errors):
    """Why this is no refusal with that text; None where it is one."""
    if status == 1 and any(text in line for line in errors):
        return None
    return f"status {status}, expected a refusal: {text}"


def check(options, command, index, refused, name):
    folder = PROGRAMS / "recorded" / name
    entry = index[name]
    device = "--interpret=gpu" if options.device == "interpreted" else f"--device={options.device}"
    arguments = [device, str(folder / "model.pt2"), "--cases", str(folder / "cases.json")]
    # Without them, what the data type allows.
    if (entry["rtol"], entry["atol"]) != (1e-5, 1e-5):
        arguments += ["--rtol", str(entry["rtol"]), "--atol", str(entry["atol"])]
    status, output, errors = running.run([*command, *arguments], options.timeout)
    if name not in refused:
        return running.first_reason(status, output, errors, options.timeout)
    return refusal_reason(refused[name], status, errors)


def main():
    options = parse_arguments()
    index = read_index()
    first, step = map(int, options.shard.split("/"))
    names = choose(options, index)[first::step]
    command = running.find_tools(options)
    checker = functools.partial(check, options, command, index, read_refused(options.device))
    return 1 if running.check_all(names, checker, options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
