#!/usr/bin/env python3
"""Measures the math functions of a compiled library against f64.

    accuracy.py libfunctions.so [STEP]

Calls each function on every STEP-th float of all that there are (by default every 4999th), and densely where
functions change, and prints the largest error in units in the last place. Infinities, NaNs and signs of zeros have to
be NumPy's. Exit status: 1 if an error is larger than 2 or a special value differs.
"""

import math
import sys

import numpy as np

import tally

REFERENCES = {"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
              "log1p": np.log1p, "tanh": np.tanh, "erf": np.vectorize(math.erf, otypes=[float])}
LIMIT = 2


def make_arguments(step):
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 2.0**-149, -(2.0**-149), 1, -1, 88.7, 88.8, -103.9, -104.1],
                       dtype=np.float32)
    small = np.exp(np.linspace(-30, 3, 20001))
    parts = [bits, special, np.linspace(-20, 20, 20001), np.linspace(-110, 110, 20001), small, -small,
             1 + np.linspace(-0.5, 0.5, 20001)]
    return np.concatenate([part.astype(np.float32) for part in parts])


def compare(found, exact):
    """The largest error in ulp and its position, and how many special values differ."""
    rounded = exact.astype(np.float32)
    exponent = np.floor(np.log2(np.abs(np.where(exact == 0, 1e-300, exact))))
    ulp = np.maximum(np.exp2(exponent - 23), 2.0**-149)
    finite = np.isfinite(rounded) & np.isfinite(found)
    error = np.where(finite, np.abs(found.astype(np.float64) - exact) / ulp, 0)
    # A result that rounds to the largest float or to infinity may be either.
    border = np.abs(exact) > float(np.finfo(np.float32).max)
    special = (np.isnan(rounded) != np.isnan(found)) | ((np.isinf(rounded) != np.isinf(found)) & ~border)
    special |= np.isinf(rounded) & np.isinf(found) & (rounded != found)
    special |= (rounded == 0) & (found == 0) & (np.signbit(rounded) != np.signbit(found))
    worst = int(np.argmax(error))
    return error[worst], worst, int(special.sum())


def main():
    library = tally.load(sys.argv[1])
    x = make_arguments(int(sys.argv[2]) if len(sys.argv) > 2 else 4999)
    wrong = False
    for name, reference in REFERENCES.items():
        with np.errstate(all="ignore"):
            error, worst, special = compare(library[name](x), reference(x.astype(np.float64)))
        print(f"{name:6} {error:6.3f} ulp at {x[worst].item().hex()}, {special} special values differ")
        wrong |= not error <= LIMIT or special > 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
