#!/usr/bin/env python3
"""Writes a program with every operation of arith and math on one element type, and inputs.

    operations.py TYPE FOLDER [INCLUDE]

makes FOLDER/TYPE.mlir, and FOLDER/cases.json with calls on no, one and many elements, which
hold zeros, ones, extrema, infinities, NaNs and subnormals in all pairs. Operands that an
operation leaves undefined are kept from it. With INCLUDE, the folder of MLIR's headers, an
operation that is defined there and stands nowhere below is an error.
"""

import itertools
import json
import pathlib
import re
import sys

import numpy

INTEGERS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
# bf16 is written as the upper half of an f32.
NUMPY = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16", "f32": "float32",
         "f64": "float64", "bf16": "float32"}  # fmt: skip

FLOAT_UNARY = """math.absf math.acos math.acosh math.asin math.asinh math.atan math.atanh math.cbrt math.ceil math.cos
    math.cosh math.erf math.erfc math.exp math.exp2 math.expm1 math.floor math.log math.log10 math.log1p math.log2
    math.round math.roundeven math.rsqrt math.sin math.sinh math.sqrt math.tan math.tanh math.trunc arith.negf""".split()
FLOAT_TESTS = "math.isfinite math.isinf math.isnan math.isnormal".split()
FLOAT_BINARY = """arith.addf arith.subf arith.mulf arith.divf arith.remf arith.maximumf arith.minimumf arith.maxnumf
    arith.minnumf math.atan2 math.copysign math.powf""".split()
INTEGER_UNARY = "math.absi math.ctlz math.cttz math.ctpop".split()
INTEGER_BINARY = """arith.addi arith.subi arith.muli arith.andi arith.ori arith.xori arith.maxsi arith.maxui arith.minsi
    arith.minui""".split()
SIGNED_DIVISIONS = "arith.divsi arith.remsi arith.ceildivsi arith.floordivsi".split()
UNSIGNED_DIVISIONS = "arith.divui arith.remui arith.ceildivui".split()
SHIFTS = "arith.shli arith.shrsi arith.shrui".split()
EXTENDED = {"arith.addui_extended": "i1", "arith.mulsi_extended": None, "arith.mului_extended": None}
FLOAT_COMPARISONS = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
INTEGER_COMPARISONS = "eq ne slt sle sgt sge ult ule ugt uge".split()
ELSEWHERE = {
    # Of floats of four and eight bits.
    "arith.scaling_extf", "arith.scaling_truncf",
}  # fmt: skip


# Factors whose product is between two numbers, and what is too small for all but an exact sum.
MIDPOINTS = {
    "bf16": [(1.5, 1 + 2.0**-7, 2.0**-100), (1.5, 1 + 2.0**-7, -(2.0**-100)), (-1.5, 1 + 2.0**-7, 2.0**-100)],
    "f16": [(1.5, 1 + 2.0**-10, 2.0**-24), (1.5, 1 + 2.0**-10, -(2.0**-24)), (-1.5, 1 + 2.0**-10, 2.0**-24)],
}


class Writer:
    def __init__(self, dtype):
        self.dtype = dtype
        self.lines, self.results, self.used = [], [], set(ELSEWHERE)

    def generic(self, body, *types):
        """One structured operation; `body` yields %r, or %r0, %r1 of several types."""
        first = len(self.results)
        names = [f"%{first + i}" for i in range(len(types))]
        empties = []
        for name, dtype in zip(names, types):
            empties.append(f"%e{name[1:]}")
            self.lines.append(f"  {empties[-1]} = tensor.empty(%n) : tensor<?x{dtype}>")
        tensors = ", ".join(f"tensor<?x{t}>" for t in types)
        maps = ", ".join(["affine_map<(i) -> (i)>"] * (3 + len(types)))
        operands = ", ".join(f"%{name} : {self.dtype}" for name in ("x", "y", "z"))
        operands += "".join(f", %o{i} : {t}" for i, t in enumerate(types))
        yielded = "%r" if len(types) == 1 else ", ".join(f"%r{i}" for i in range(len(types)))
        self.lines.append(f"""  %g{first}{":" + str(len(types)) if len(types) > 1 else ""} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins(%a, %b, %c : {", ".join([f"tensor<?x{self.dtype}>"] * 3)}) outs({", ".join(empties)} : {tensors}) {{
  ^bb0({operands}):
    {body}
    linalg.yield {yielded} : {", ".join(types)}
  }} -> {tensors if len(types) == 1 else "(" + tensors + ")"}""")
        for i, dtype in enumerate(types):
            self.results.append((f"%g{first}" + (f"#{i}" if len(types) > 1 else ""), dtype))
        self.used |= set(re.findall(r"\b(?:arith|math)\.\w+", body))

    def constant(self, name, value):
        return f"{name} = arith.constant {value} : {self.dtype}\n    "

    def write_floats(self):
        t = self.dtype
        for op in FLOAT_UNARY:
            self.generic(f"%r = {op} %x : {t}", t)
        for op in FLOAT_TESTS:
            self.generic(f"%r = {op} %x : {t}", "i1")
        for op in FLOAT_BINARY:
            self.generic(f"%r = {op} %x, %y : {t}", t)
        for predicate in FLOAT_COMPARISONS:
            self.generic(f"%r = arith.cmpf {predicate}, %x, %y : {t}", "i1")
        self.generic(f"%r = math.fma %x, %y, %z : {t}", t)
        low, high = f"%l = arith.minnumf %y, %z : {t}\n    ", f"%h = arith.maxnumf %y, %z : {t}\n    "
        self.generic(f"{low}{high}%r = math.clampf %x to [%l, %h] : {t}", t)
        self.generic(f"%r0, %r1 = math.sincos %x : {t}", t, t)
        self.generic(f"%n3 = arith.constant -3 : i32\n    %r = math.fpowi %x, %n3 : {t}, i32", t)
        # What is small enough for every integer.
        small = self.constant("%low", "0.0") + self.constant("%high", "100.0")
        small += f"%small = math.clampf %x to [%low, %high] : {t}\n    "
        small += f"%nan = math.isnan %x : {t}\n    %s = arith.select %nan, %low, %small : {t}\n    "
        for integer in INTEGERS:
            self.generic(f"{small}%r = arith.fptoui %s : {t} to {integer}", integer)
            self.generic(f"{small}%m = arith.negf %s : {t}\n    %r = arith.fptosi %m : {t} to {integer}", integer)
        bits = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        self.generic(f"%r = arith.bitcast %x : {t} to i{bits[t]}", f"i{bits[t]}")
        for other in FLOATS:
            if bits[other] < bits[t]:
                self.generic(f"%r = arith.truncf %x : {t} to {other}", other)
            elif bits[other] > bits[t]:
                self.generic(f"%r = arith.extf %x : {t} to {other}", other)

    def write_integers(self):
        t, width = self.dtype, int(self.dtype[1:])
        one = self.constant("%one", 1)
        for op in INTEGER_UNARY:
            self.generic(f"%r = {op} %x : {t}", t)
        for op in INTEGER_BINARY:
            self.generic(f"%r = {op} %x, %y : {t}", t)
        divisor = f"{one}%d = arith.ori %y, %one : {t}\n    "
        for op in SIGNED_DIVISIONS:
            self.generic(f"{divisor}%half = arith.shrsi %x, %one : {t}\n    %r = {op} %half, %d : {t}", t)
        for op in UNSIGNED_DIVISIONS:
            self.generic(f"{divisor}%r = {op} %x, %d : {t}", t)
        for op in SHIFTS:
            amount = self.constant("%most", width - 1) + f"%s = arith.andi %y, %most : {t}\n    "
            self.generic(f"{amount}%r = {op} %x, %s : {t}", t)
        for op, second in EXTENDED.items():
            self.generic(f"%r0, %r1 = {op} %x, %y : {t}{', i1' if second else ''}", t, second or t)
        for predicate in INTEGER_COMPARISONS:
            self.generic(f"%r = arith.cmpi {predicate}, %x, %y : {t}", "i1")
        self.generic(f"{one}%odd = arith.ori %x, %one : {t}\n    %r = math.ipowi %odd, %y : {t}", t)
        for float_type in FLOATS:
            self.generic(f"%r = arith.sitofp %x : {t} to {float_type}", float_type)
            self.generic(f"%r = arith.uitofp %x : {t} to {float_type}", float_type)
        for other in INTEGERS:
            if int(other[1:]) < width:
                self.generic(f"%r = arith.trunci %x : {t} to {other}", other)
            elif int(other[1:]) > width:
                self.generic(f"%r = arith.extsi %x : {t} to {other}", other)
                self.generic(f"%r = arith.extui %x : {t} to {other}", other)
        for op in ("index_cast", "index_castui"):
            self.generic(f"%i = arith.{op} %x : {t} to index\n    %r = arith.index_cast %i : index to i64", "i64")

    def module(self):
        self.write_floats() if self.dtype in FLOATS else self.write_integers()
        arguments = ", ".join(f"%{name}: tensor<?x{self.dtype}>" for name in "abc")
        types = ", ".join(f"tensor<?x{dtype}>" for _, dtype in self.results)
        values = ", ".join(value for value, _ in self.results)
        lines = [f"func.func @main({arguments}) -> ({types}) {{", "  %c0 = arith.constant 0 : index",
                 f"  %n = tensor.dim %a, %c0 : tensor<?x{self.dtype}>", *self.lines,
                 f"  return {values} : {types}", "}"]  # fmt: skip
        return "\n".join(lines) + "\n"


def special_values(dtype):
    if dtype in INTEGERS:
        limits = numpy.iinfo(NUMPY[dtype])
        return numpy.array([0, 1, -1, 2, -2, 3, 7, -100, 100, limits.min, limits.min + 1, limits.max], NUMPY[dtype])
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 3.1415927, -10.0, 88.0, numpy.inf, -numpy.inf, numpy.nan]
    if dtype == "bf16":
        words = numpy.array([1, 0x7F, 0x80, 0x7F7F], "uint16").astype("uint32") << 16
        values += list(words.view("float32")) + [0.3330078125, -7.84375]
        return (numpy.array(values, "float32").view("uint32") & 0xFFFF0000).view("float32")
    limits = numpy.finfo(NUMPY[dtype])
    return numpy.array(values + [limits.smallest_subnormal, limits.tiny, limits.max, 1 / 3, -7.84], NUMPY[dtype])


def write_inputs(dtype, folder):
    values = special_values(dtype)
    pairs = numpy.array(list(itertools.product(values, values)), values.dtype)
    third = numpy.random.default_rng(7).choice(values, len(pairs))
    triples = numpy.column_stack([pairs, third])
    if dtype in MIDPOINTS:
        triples = numpy.vstack([triples, numpy.array(MIDPOINTS[dtype], values.dtype)])
    cases = []
    for name, rows in (("none", slice(0, 0)), ("one", slice(5, 6)), ("all", slice(None))):
        files = []
        for number in range(3):
            column = numpy.ascontiguousarray(triples[rows, number])
            if dtype == "bf16":
                column = (column.view("uint32") >> 16).astype("uint16").view("V2")
            files.append(f"{name}-{number}.npy")
            numpy.save(folder / files[-1], column)
        cases.append({"name": name, "inputs": files})
    (folder / "cases.json").write_text(json.dumps(cases))


def defined_operations(include):
    for dialect, path in (("arith", "Arith/IR/ArithOps.td"), ("math", "Math/IR/MathOps.td")):
        text = (pathlib.Path(include) / "mlir/Dialect" / path).read_text()
        for name in re.findall(r'^def (?:Arith|Math)_\w+Op\b[^{;]*?"(\w+)"', text, re.MULTILINE | re.DOTALL):
            yield f"{dialect}.{name}"


def check_all_are_used(include):
    used = set()
    for dtype in FLOATS + INTEGERS:
        writer = Writer(dtype)
        writer.module()
        used |= writer.used
    used |= {"arith.constant"}
    missing = sorted(set(defined_operations(include)) - used)
    if missing:
        sys.exit("operations.py: not tried: " + " ".join(missing))


def main():
    dtype, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{dtype}.mlir").write_text(Writer(dtype).module())
    write_inputs(dtype, folder)
    if len(sys.argv) > 3:
        check_all_are_used(sys.argv[3])


if __name__ == "__main__":
    main()
