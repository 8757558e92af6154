"""Arithmetic of the machine: it wraps, has signs, and is not that of sizes."""

import numpy
from programs import program, require

LARGE = " ".join(str(value) for value in (
    -2**63, -2**62, -2**32, -5, -1, 0, 1, 2, 3, 2**31, 2**32, 2**32 + 3, 2**62, 2**62 + 2,
    2**63 - 2, 2**63 - 1))


def wrap(value, bits=64):
    """The signed number of so many bits."""
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


@program(n="i64 in " + LARGE, m="i64 in " + LARGE, x="f32[a]", _sizes={"a": range(3)})
def wrap_add(n, m, x):
    require(n >= 0 and m >= 0, "not negative")
    at = min(wrap(int(n) + int(m)), 0)
    require(at >= 0)
    return x[at]


@program(n="i64 in " + LARGE, x="f32[a]")
def wrap_multiply(n, x):
    require(wrap(4 * int(n)) == 8, "eight of them")
    require(len(x) >= 8)
    return x[:2]


@program(n="i64 in " + LARGE, x="f32[a]")
def wrap_truncate(n, x):
    low = wrap(int(n), 32)
    require(0 <= low <= len(x))
    require(n <= 9 or n > 1000, "small or large")
    return x[:low], n


@program(n="i64 in -3..11", x="f32[a]")
def unsigned_compare(n, x):
    if 0 <= n < len(x):
        return x[n]
    return numpy.float32(100) if n < len(x) else x[0]


@program(n="i64 in -3..11", x="f32[a]")
def unsigned_min(n, x):
    require(len(x) > 0)
    n = int(n) % 2**64
    return x[min(n, len(x) - 1)], x[n % len(x)]


@program(n="i64 in -9..9", m="i64 in -9..9", x="f32[4]")
def signed_remainder(n, m, x):
    require(n >= 0 or n % 4 == 0)
    return x[n % 4] + x[m % 4]


@program(p="i1", q="i1", x="f32[a]", _sizes={"a": range(4)})
def boolean_as_number(p, q, x):
    return x[1 + int(q) - int(p)]


@program(x="f32[a]", at="f32[] in -2 -1 -0.5 0 0.5 1 1.75 2 6 1e9 -1e9")
def float_to_index(x, at):
    at = int(at)
    require(at >= 0)
    return x[at]
