"""Sizes and numbers that are read from data."""

import numpy
from programs import program, require


@program(x="f32[a]", t="i64[] in -3..11")
def item_slices(x, t):
    require(0 <= t <= len(x))
    return x[:t]


@program(x="f32[a]", t="i64[] in -3..11")
def item_with_range(x, t):
    require(4 <= len(x), "4 <= s0")
    require(t >= 0, "u0")
    require(t <= 6, "u0 <= 6")
    require(t % 2 == 0, "u0 mod 2 == 0")
    require(t <= len(x), "no more than there are")
    return x[t // 2:t]


@program(t="i64[1] in -9..12")
def item_divided(t):
    require(t[0] % 4 == 0)
    require(-1 <= t[0] // 4 <= 2)
    return t[0] // 4 * 3


@program(t="f64[] in -2.5 -1 -0.5 0 0.5 1 1.25 3.5 100", x="f32[a]")
def item_float(t, x):
    require(t * 2 < len(x), "less than half the size")
    require(t >= -1, "not below minus one")
    return t


@program(t="i1[]", x="f32[a]")
def item_bool(t, x):
    require(t <= len(x), "one needs an element")
    return len(x) - int(t)


@program(x="f32[a]", t="i64[] in -2..10", u="i64[] in -2..10")
def item_splits(x, t, u):
    require(t >= 0, "the first part")
    require(u >= 0, "the second part")
    require(t + u == len(x), "both parts are the whole")
    return x[:t], x[t:]


@program(x="f32[a] in 0..1", y="i64[b]")
def nonzero_adds(x, y):
    found = numpy.flatnonzero(x)
    require(len(found) == len(y))
    return found + y


@program(x="f32[a] in 0..1", y="f32[b]")
def nonzero_takes(x, y):
    return y[numpy.flatnonzero(x)]


@program(p="i1", x="i1[a]")
def nonzero_in_branch(p, x):
    if not p:
        return len(x)
    found = numpy.count_nonzero(x)
    require(2 * found <= len(x), "at most half of them")
    return found


@program(x="i1[a]")
def nonzero_twice(x):
    require(len(x) >= 1, "1 <= s0")
    return 2 * numpy.flatnonzero(x)
