"""Prints the operators of the tables in lib/Import whose names no recorded program and no test has.

    untested_operators.py SOURCES

Names that are put together when the tables are made are not seen. Of a name that other names
stand for, it is enough that these are tested.
"""

import json
import pathlib
import re
import sys

# PyTorch 2.13 writes others in their place, or cannot write them. check_integers.py has the functions of numbers.
NEVER_WRITTEN = {"tally.part", "tally.as_complex", "_operator.abs", "_operator.not_", "_operator.pos", "math.ceil", "math.floor", "torch.sym_int",
                 "torch.sym_sqrt", "torch.sym_sum", "torch._sym_log2", "torch._sym_sin", "torch._sym_cos", "torch._sym_tan",
                 "torch._sym_asin", "torch._sym_acos", "torch._sym_atan", "torch._sym_sinh", "torch._sym_cosh", "torch._sym_tanh"}  # fmt: skip

root = pathlib.Path(sys.argv[1])


def names(folder, ending, pattern):
    found = [re.findall(pattern, path.read_text()) for path in (root / folder).rglob("*" + ending)]
    return {name.removeprefix("torch.ops.") for names in found for name in names}


tested = names("test/Import", ".test", r"\w+\.[\w.]+") | names("test/Import", ".py", r"\w+\.[\w.]+")
recorded = root / "test/Integration/Programs/recorded"
programs = json.loads((recorded / "index.json").read_text())
for name in sorted({path.parent.name for path in recorded.glob("*/model.pt2")} ^ programs.keys()):
    print(f"{name} is in one of {recorded.name}/ and its index")
for program in programs.values():
    tested |= program["targets"].keys()
aliases = re.findall(r'{"(\w+)",\s*"(\w+)"}', (root / "lib/Import/Aten/Aliases.cpp").read_text())
for alias, meant in aliases:
    tested |= {f"aten.{meant}.{name.split('.')[2]}" for name in tested if name.startswith(f"aten.{alias}.")}
known = names("lib/Import/Aten", ".cpp", r'table\.add\(\s*"([\w.]+)"')
tested |= NEVER_WRITTEN
for name in sorted(known - tested):
    print(name)
print(f"{len(known - tested)} of {len(known)} are in no test")
