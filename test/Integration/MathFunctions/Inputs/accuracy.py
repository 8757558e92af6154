#!/usr/bin/env python3
"""Measures the math functions of a compiled library against wider arithmetic.

    accuracy.py libfunctions.so [--step N] [--table PAGE.md] [--halves libhalves.so]

Calls each function on every N-th float of all that there are (by default every 4999th; of f64, as many bit patterns),
densely where functions change, and next to quarters of a circle, and prints the largest error in units in the last place. Infinities, NaNs and signs of
zeros have to be NumPy's, and results may not depend on other arguments. Exit status: 1 if one does, if an error is larger than
2 or a special value differs, or, with --table, larger than the page says. The sine, cosine and tangent of a library of f16
are called on every number there is.
"""

import argparse
import itertools
import math
import pathlib
import re
import sys

import numpy as np

import tally

LIMIT = 2
EXPONENTS = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh")
INVERSES = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
            "atanh": np.arctanh}
SINGLE = {name: getattr(np, name) for name in (*EXPONENTS, "sin", "cos", "tan", "sinh", "cosh")} | INVERSES
SINGLE |= {name: np.vectorize(getattr(math, name), otypes=[float]) for name in ("erf", "erfc")}
ONE = np.longdouble(1)
SLOPE = 2 / np.sqrt(4 * np.arctan(ONE))


def compute_erfc(x):
    """erfc of numbers that are f64, as NumPy does not have it: by a series up to 1, and by a continued fraction above."""
    a = np.minimum(np.abs(x), 40)
    most = np.round(a * 2**24) / 2**24
    power = np.exp(-(most * most)) * np.exp((most - a) * (most + a))
    low, series, term = np.minimum(a, 1), 0 * a, np.minimum(a, 1)
    for n in range(60):
        series += term
        term = term * (2 * low * low) / (2 * n + 3)
    high = np.maximum(a, 1)
    fraction = high
    for n in range(250, 0, -1):
        fraction = high + ONE * n / 2 / fraction
    y = np.where(a < 1, 1 - SLOPE * power * series, SLOPE / 2 * power / fraction)
    return np.where(x < 0, 2 - y, y)


DOUBLE = {f"{name}_f64": getattr(np, name) for name in (*EXPONENTS, "sin", "cos", "tan", "sinh", "cosh")}
DOUBLE |= {f"{name}_f64": function for name, function in INVERSES.items()} | {"erfc_f64": compute_erfc}


class Format:
    """A type of floats, the wider one of its references, and its numbers."""

    def __init__(self, narrow, wide, bits):
        info = np.finfo(narrow)
        self.narrow, self.wide, self.bits, self.fraction = narrow, wide, bits, info.nmant
        self.largest, self.least = wide(info.max), info.minexp - info.nmant


F16, F32 = Format(np.float16, np.float64, np.uint16), Format(np.float32, np.float64, np.uint32)
F64 = Format(np.float64, np.longdouble, np.uint64)


def make_arguments(kind, step):
    count = 2**32 // step
    if kind is F32:
        bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    else:
        bits = np.linspace(0, 2**64 - 2**12, count, dtype=np.float64).astype(np.uint64) + np.arange(count, dtype=np.uint64)
        bits = bits.view(np.float64)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, np.ldexp(1.0, kind.least), -np.ldexp(1.0, kind.least), 1, -1,
                        88.7, 88.8, -103.9, -104.1, 709.7, 709.8, -745.1, -745.2, -746])
    small = np.exp(np.linspace(-30, 3, 20001))
    quarters = (np.arange(-700000, 700001, 7) * (np.longdouble(np.pi) / 2)).astype(kind.narrow)
    parts = [bits, special, quarters, np.linspace(-20, 20, 20001), np.linspace(-110, 110, 20001), np.linspace(-760, 720, 20001),
             small, -small, 1 + np.linspace(-0.5, 0.5, 20001)]
    return np.concatenate([part.astype(kind.narrow) for part in parts])


def make_all(kind, count):
    """Numbers that lie evenly among all that there are."""
    bits = np.linspace(0, 2.0 ** (8 * kind.bits(0).nbytes) * (1 - 2.0**-52), count, dtype=np.longdouble)
    return bits.astype(np.uint64).astype(kind.bits).view(kind.narrow)


def make_powers(kind, step):
    """Bases and exponents: any, such that results are numbers, bases near 1 with large exponents, and all pairs of special ones."""
    rng = np.random.default_rng(0)
    bases = np.abs(make_all(kind, 2**31 // step))
    with np.errstate(all="ignore"):
        size = np.abs(np.log2(bases.astype(kind.wide)))
        fitting = (rng.uniform(kind.least - 1, 2 - kind.least + kind.fraction, bases.size) / size).astype(kind.narrow)
    bits = kind.fraction + 1
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, 2.0**kind.least, 2.0**bits,
                        2.0 ** (bits + 1), 2.0**bits - 1, 2.0 ** (bits - 1) - 1, 2.0 ** (bits - 1) - 0.5, 2.0 ** (bits - 2) - 0.5,
                        float(kind.largest), -float(kind.largest), 1 - 2.0**-bits, -1 - 2.0 ** (1 - bits)], dtype=kind.narrow)
    left, right = (grid.reshape(-1) for grid in np.meshgrid(special, special))
    near = np.exp(rng.uniform(-0.5, 0.5, bases.size)).astype(kind.narrow)
    extreme = (rng.uniform(kind.least, kind.fraction - kind.least, bases.size) / np.log2(near)).astype(kind.narrow)
    integers = rng.integers(-40, 40, bases.size).astype(kind.narrow)
    negative = -rng.uniform(0, 10, bases.size).astype(kind.narrow)
    return np.concatenate([bases, near, negative, left]), np.concatenate([fitting, extreme, integers, right])


def make_pairs(kind, step):
    """Any two numbers, numbers that are near to each other, and all pairs of special ones."""
    rng = np.random.default_rng(1)
    left = make_all(kind, 2**31 // step)
    near = (left * rng.uniform(-2, 2, left.size)).astype(kind.narrow)
    least, largest = 2.0**kind.least, float(kind.largest)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, least, -least, largest, -largest], dtype=kind.narrow)
    first, second = (grid.reshape(-1) for grid in np.meshgrid(special, special))
    return np.concatenate([left, left, first]), np.concatenate([rng.permutation(left), near, second])


def compare(kind, found, exact):
    """The largest error in ulp and its position, and how many special values differ."""
    rounded = exact.astype(kind.narrow)
    exponent = np.floor(np.log2(np.abs(np.where(exact == 0, np.ldexp(kind.wide(1), kind.least), exact))))
    ulp = np.ldexp(kind.wide(1), np.maximum(np.where(np.isfinite(exponent), exponent, 0) - kind.fraction,
                                            kind.least).astype(np.int32))
    finite = np.isfinite(rounded) & np.isfinite(found)
    error = np.where(finite, np.abs(found.astype(kind.wide) - exact) / ulp, 0)
    # A result that rounds to the largest float or to infinity may be either.
    border = np.abs(exact) > kind.largest
    special = (np.isnan(rounded) != np.isnan(found)) | ((np.isinf(rounded) != np.isinf(found)) & ~border)
    special |= np.isinf(rounded) & np.isinf(found) & (rounded != found)
    special |= (rounded == 0) & (found == 0) & (np.signbit(rounded) != np.signbit(found))
    worst = int(np.argmax(error))
    return float(error[worst]), worst, int(special.sum())


def depends_on_others(kind, function, x):
    """Whether results are others where arguments stand in another order."""
    order = np.random.default_rng(2).permutation(x.size)
    return bool((function(x[order]).view(kind.bits) != function(x)[order].view(kind.bits)).any())


def measure(library, step):
    """Yields names, errors, where they are, and how many special values differ."""
    with np.errstate(all="ignore"):
        for kind, references in (F32, SINGLE), (F64, DOUBLE):
            x = make_arguments(kind, step)
            wide = x.astype(kind.wide)
            for name, reference in references.items():
                error, worst, special = compare(kind, library[name](x), reference(wide))
                if depends_on_others(kind, library[name], x):
                    print(f"{name} depends on other arguments")
                    error = math.inf
                yield name, error, float(x[worst]).hex(), special
        for name, make, function in ("pow", make_powers, np.power), ("atan2", make_pairs, np.arctan2):
            for kind, suffix in (F32, ""), (F64, "_f64"):
                x, y = make(kind, step)
                exact = function(x.astype(kind.wide), y.astype(kind.wide))
                error, worst, special = compare(kind, library[name + suffix](x, y), exact)
                yield name + suffix, error, f"{float(x[worst]).hex()}, {float(y[worst]).hex()}", special


def measure_halves(library):
    """The same for functions of f16, on all numbers."""
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        for name, found in zip(("sin", "cos", "tan"), library(x)):
            error, worst, special = compare(F16, found, getattr(np, name)(x.astype(np.float64)))
            yield f"{name}_f16", error, float(x[worst]).hex(), special


def read_table(page):
    """The errors that a page of the documentation promises: {name: ulp}."""
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+)? ?\|", pathlib.Path(page).read_text(), re.MULTILINE)
    return {name + kind: float(ulp) for name, single, double in rows
            for kind, ulp in (("", single), ("_f64", double)) if ulp}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--step", type=int, default=4999)
    parser.add_argument("--table", help="a page with the errors that are promised")
    parser.add_argument("--halves", metavar="LIBRARY", help="functions of f16")
    options = parser.parse_args()
    promised = read_table(options.table) if options.table else {}
    wrong = False
    halves = measure_halves(tally.load(options.halves).main) if options.halves else ()
    promised |= dict.fromkeys(("sin_f16", "cos_f16", "tan_f16"), 1)
    for name, error, where, special in itertools.chain(measure(tally.load(options.library), options.step), halves):
        print(f"{name:10} {error:6.3f} ulp at {where}, {special} special values differ")
        limit = promised[name] if options.table else promised.get(name, LIMIT)
        if not error <= limit:
            print(f"  the limit is {limit} ulp")
        wrong |= not error <= limit or special > 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
