#!/usr/bin/env python3
"""Writes the page of operators that programs of PyTorch may hold.

    operators.py > docs/Operators.md     asks PyTorch for its operators, and tally-translate which it knows
    operators.py --check                 whether tally-translate knows what the page says (without PyTorch)

tally-translate is the one on PATH.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/Operators.md"
TEXT = """# Operators of PyTorch

`utils/operators.py` made this page: it asked PyTorch {torch} for its operators, and `tally-translate --list-supported` for
those that it knows. `./dev exec tally-translate --list-supported FILE` tells the same of the operators in a file, one a
line. An operator stands here once, with its overloads; forms that write to an argument (`add_`) or to an output (`out=`)
are left out where the other form is there.

An operator may refuse an element type or an argument; the import then tells which. Operators of your own, and those
that are missing, become functions of yours ([Extending](Extending.md)). Results are compared with eager PyTorch's for
the programs of `test/Integration/Programs`, for random ones (`test/Fuzz/torch`), and on the samples of PyTorch's own
tests ([Operators on PyTorch's samples](OperatorSamples.md)).

## Core ATen

{known} of {total} overloads of PyTorch's core are known. Not known are:

{missing}

Known are:

{core}

## Other operators

Programs that `torch.export` gives hold them before `run_decompositions()`:

{others}
"""


def ask(names):
    """Which of some operators tally-translate knows."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(names) + "\n")
        file.flush()
        lines = subprocess.run(["tally-translate", "--list-supported", file.name],
                               check=True, capture_output=True, text=True).stdout.splitlines()
    return {line[4:] for line in lines if line.startswith("yes")}


def find_operators():
    """The overloads that PyTorch has, and those of its core."""
    import torch
    names, core = [], set()
    for space in ("aten", "prims"):
        package = getattr(torch.ops, space)
        for operator in sorted(dir(package)):
            packet = getattr(package, operator)
            for overload in packet.overloads() if hasattr(packet, "overloads") else ():
                name = f"{space}.{operator}.{overload}"
                names.append(name)
                if torch.Tag.core in getattr(packet, overload).tags:
                    core.add(name)
    return names, core, torch.__version__.split("+")[0]


def is_variant(name, names):
    """Whether an overload is a form of another one that writes somewhere else."""
    space, operator, overload = name.split(".", 2)
    if overload.split("_")[-1] == "out" or overload.endswith("out"):
        return True
    return operator.endswith("_") and f"{space}.{operator[:-1]}.{overload}" in names


def write_list(names):
    """A line for each operator, with its overloads."""
    operators = {}
    for name in sorted(names):
        space, operator, overload = name.split(".", 2)
        operators.setdefault(f"{space}.{operator}", []).append(overload)
    return "\n".join(f"- `{operator}`: {', '.join(f'`{o}`' for o in overloads)}"
                     for operator, overloads in operators.items())


def make_page():
    names, core, version = find_operators()
    known = ask(names)
    everything = set(names)
    others = {name for name in known - core if not is_variant(name, everything)}
    return TEXT.format(torch=version, known=len(known & core), total=len(core),
                       missing=write_list(core - known), core=write_list(core & known),
                       others=write_list(others))


def check():
    """What the page says that is not so."""
    text = PAGE.read_text()
    missing, rest = text.split("Not known are:")[1].split("Known are:")

    def read(part):
        for operator, overloads in re.findall(r"^- `([^`]+)`: (.*)$", part, re.M):
            for overload in re.findall(r"`([^`]+)`", overloads):
                yield f"{operator}.{overload}"
    absent, present = set(read(missing)), set(read(rest))
    known = ask(absent | present)
    return [f"{name} is known, and the page says that it is not" for name in sorted(absent & known)] + \
        [f"{name} is not known, and the page says that it is" for name in sorted(present - known)]


def main():
    if sys.argv[1:] == ["--check"]:
        faults = check()
        print("\n".join(faults) or f"{PAGE.name} is right")
        return bool(faults)
    if sys.argv[1:]:
        print(__doc__)
        return 1
    print(make_page(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
