"""Values of random expressions of PyTorch, for SymPyValuesTest.cpp.

  sympy_values.py make SEED COUNT   writes such a file
  sympy_values.py check FILE        compares its values with those of PyTorch here

A line is an expression as srepr, and after TABs its values at the points: what
Python computes from it by PyTorch's own reference, or `undefined` where Python
raises an error. Operands of And, Or and Where are defined everywhere, because
the reference evaluates all of them.
"""

import logging
import math
import random
import sys

import sympy
from torch.utils._sympy import functions as torch_functions
from torch.utils._sympy.interp import sympy_interp
from torch.utils._sympy.reference import PythonReferenceAnalysis

# The reference warns of each error that Python raises.
logging.disable(logging.WARNING)

# Values of x and y (any integers), m (positive) and n (a small natural).
POINTS = [(0, 0, 1, 0), (7, -7, 3, 2), (-1, 5, 2, 1), (-12, 3, 4, 0), (9, -8, 5, 3), (-3, -2, 1, 4)]
SYMBOLS = [
    sympy.Symbol("x", integer=True),
    sympy.Symbol("y", integer=True),
    sympy.Symbol("m", integer=True, positive=True),
    sympy.Symbol("n", integer=True, nonnegative=True),
]
X, Y, M, N = SYMBOLS
F = torch_functions


class Reference(PythonReferenceAnalysis):
    """PyTorch's reference, and the functions that it lacks or leaves to SymPy."""

    int_truediv = truediv = staticmethod(lambda a, b: a / b)
    modular_indexing = staticmethod(lambda a, b, c: a // b % c)
    where = staticmethod(lambda c, a, b: a if c else b)
    identity = staticmethod(lambda a: a)
    trunc = staticmethod(lambda a: float(math.trunc(a)))
    trunc_to_int = staticmethod(lambda a, dtype=None: math.trunc(a))
    floor_to_int = staticmethod(lambda a, dtype=None: math.floor(a))
    ceil_to_int = staticmethod(lambda a, dtype=None: math.ceil(a))
    round_to_int = staticmethod(lambda a, dtype=None: round(a))
    round_decimal = staticmethod(lambda a, digits: round(a, int(digits)))


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def natural(self, depth):
        rng = self.rng
        kind = rng.randrange(6) if depth else rng.randrange(3)
        if kind < 3:
            return [M, N, sympy.Integer(rng.randint(0, 9))][kind]
        if kind == 3:
            return self.natural(depth - 1) * self.natural(depth - 1)
        if kind == 4:
            return F.Max(self.integer(depth - 1), 0)
        return F.Mod(self.natural(depth - 1), self.positive(depth - 1))

    def positive(self, depth):
        return self.natural(depth) + self.rng.randint(1, 3)

    def integer(self, depth, total=True):
        rng = self.rng
        if depth == 0:
            return rng.choice([X, Y, M, N, sympy.Integer(rng.randint(-9, 9))])
        a, b = (self.integer(depth - 1, total) for _ in range(2))
        divisor = self.positive(depth - 1) if total else self.integer(depth - 1)
        makers = [
            lambda: a + b,
            lambda: a - b,
            lambda: a * b,
            lambda: F.FloorDiv(a, divisor),
            lambda: F.FloorDiv(a, sympy.Integer(rng.choice([-4, -3, 2, 5]))),
            lambda: F.PythonMod(a, divisor),
            lambda: F.PythonMod(a, sympy.Integer(rng.choice([-5, -2, 4, 6]))),
            lambda: F.Mod(self.natural(depth - 1), self.positive(depth - 1)),
            lambda: F.CeilDiv(a, self.positive(depth - 1)),
            lambda: F.CleanDiv(a * M, M),
            lambda: F.ModularIndexing(a, self.positive(depth - 1), self.positive(0)),
            lambda: F.LShift(a, N),
            lambda: F.RShift(a, N),
            lambda: F.PowByNatural(rng.choice([X, Y, M]), N),
            lambda: rng.choice([X, Y]) ** rng.randint(2, 3),
            lambda: F.Max(a, b),
            lambda: F.Min(a, b),
            lambda: sympy.Abs(a),
            lambda: F.BitwiseFn_bitwise_and(a, b),
            lambda: F.BitwiseFn_bitwise_or(a, b),
            lambda: F.BitwiseFn_bitwise_xor(a, b),
            lambda: F.Where(self.boolean(depth - 1), self.integer(depth - 1), self.integer(depth - 1)),
            lambda: F.Identity(a),
            lambda: self.rounding()(self.float(depth - 1, total)),
        ]
        return rng.choice(makers)()

    def rounding(self):
        return self.rng.choice([F.TruncToInt, F.FloorToInt, F.CeilToInt, F.RoundToInt])

    def float(self, depth, total=True):
        rng = self.rng
        divisor = self.positive(0) if total else self.integer(0)
        if depth == 0:
            return F.IntTrueDiv(self.integer(0), divisor)
        makers = [
            lambda: F.IntTrueDiv(self.integer(depth - 1, total), divisor),
            lambda: F.ToFloat(self.integer(depth - 1, total)),
            lambda: F.FloatTrueDiv(self.float(depth - 1, total), F.ToFloat(divisor)),
            lambda: F.TruncToFloat(self.float(depth - 1, total)),
            lambda: F.RoundDecimal(self.float(depth - 1, total), sympy.Integer(rng.randint(0, 2))),
            lambda: F.OpaqueUnaryFn_sqrt(F.ToFloat(self.natural(depth - 1))),
            lambda: F.FloatPow(F.ToFloat(self.integer(0)), sympy.Float(2.0)),
        ]
        return rng.choice(makers)()

    def boolean(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.5:
            relation = rng.choice([sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge])
            return relation(self.integer(max(depth - 1, 0)), self.integer(0))
        if rng.random() < 0.2:
            return sympy.Not(self.boolean(depth - 1))
        connective = rng.choice([sympy.And, sympy.Or])
        return connective(self.boolean(depth - 1), self.boolean(depth - 1))

    def expression(self):
        depth = self.rng.randint(1, 3)
        kind = self.rng.random()
        if kind < 0.6:
            return self.integer(depth, total=False)
        return self.boolean(depth) if kind < 0.85 else self.float(depth, total=False)


def value(expression, point):
    try:
        result = sympy_interp(Reference, dict(zip(SYMBOLS, point)), expression)
    except (ZeroDivisionError, OverflowError, ValueError):
        return "undefined"
    if isinstance(result, (bool, sympy.logic.boolalg.BooleanAtom)):
        return str(bool(result))
    if isinstance(result, (int, sympy.Integer)):
        return str(int(result))
    return repr(float(result))


def line(expression, text):
    return "\t".join([text] + [value(expression, point) for point in POINTS])


def make(seed, count):
    maker = Maker(seed)
    lines = []
    while len(lines) < count:
        try:
            expression = maker.expression()
        except (ZeroDivisionError, ValueError):
            continue
        text = sympy.srepr(expression)
        if expression.free_symbols and len(text) < 400:
            lines.append(line(expression, text))
    print("\n".join(lines))


def check(path):
    names = {**vars(sympy), **vars(torch_functions)}
    lines = open(path).read().splitlines()
    for recorded in lines:
        text = recorded.split("\t")[0]
        # The text is code of the repository.
        now = line(eval(text, dict(names)), text)
        if now != recorded:
            sys.exit(f"recorded: {recorded}\nnow:      {now}")
    print(f"{len(lines)} expressions have the recorded values")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]))
    else:
        check(sys.argv[2])
