"""Indices that are computed: what their ranges prove has to be right for every input."""

import numpy
from programs import program, require


def take(x, at):
    """x[at] where no index is wrapped."""
    at = numpy.asarray(at)
    require(((at >= 0) & (at < len(x))).all())
    return x[at]


@program(x="f32[a]", n="i64 in 0..9", step="i64 in -2..3", start="i64 in -2..4")
def elements_arange(x, n, step, start):
    return take(x, start + step * numpy.arange(n))


@program(x="f32[a]", v="i64[b] in -12..12", low="i64 in -2..3", high="i64 in -2..9")
def elements_clamp(x, v, low, high):
    return take(x, numpy.minimum(numpy.maximum(v, low), high))


@program(x="f32[a]", v="i64[b] in -12..12")
def elements_clamp_to_size(x, v):
    require(len(x) > 0)
    return x[numpy.clip(v, 0, len(x) - 1)]


@program(x="f32[a]", v="i64[b] in -12..12", n="i64 in -4..6")
def elements_remainder(x, v, n):
    require(n != 0)
    return take(x, v % n)


@program(x="f32[a]", v="i64[b] in -12..12")
def elements_wrap(x, v):
    v = v % 5 - 3
    return take(x, numpy.where(v < 0, v + len(x), v))


@program(x="f32[a]", v="i64[b] in -130 -129 -128 -127 -2 -1 0 1 5 126 127 128 255 256 258 511 512")
def elements_truncated(x, v):
    """An i8 takes the low bits, and is read as signed and as unsigned."""
    low = v.astype(numpy.int8).astype(numpy.int64)
    return take(x, numpy.minimum(low & 255, 255) // 32), take(x, numpy.maximum(low, 0) // 16)


@program(x="f32[a]", v="i64[b] in -9223372036854775808..-9223372036854775800")
def elements_overflow(x, v):
    """Where a sum wraps around, its range is no sum."""
    return take(x, numpy.minimum(v + numpy.int64(-2**63), 3))


@program(x="f32[a, b]", y="f32[c]")
def elements_argmax(x, y):
    require(x.shape[1] > 0 or x.shape[0] == 0)
    if x.shape[0] == 0:
        return numpy.zeros(0, numpy.float32)
    return take(y, x.argmax(axis=1))


@program(x="f32[a, b] in 0..1", y="f32[c, b]")
def elements_nonzero(x, y):
    rows, columns = numpy.nonzero(x)
    require((rows < len(y)).all())
    return x[rows, columns] + y[rows, columns]


@program(x="i64[a]", y="f32[b]")
def elements_unique(x, y):
    values, inverse, counts = numpy.unique(x, return_inverse=True, return_counts=True)
    return values[inverse] + counts[inverse], take(y, inverse)


@program(x="f32[a]", v="i64[b] in 0..3", y="f32[c]")
def elements_repeated(x, v, y):
    at = numpy.repeat(numpy.arange(len(v)), v)
    return v[at].astype(numpy.float32) + take(x, at), take(y, at)


@program(x="f32[a]", at="i64[b] in -1..9", y="f32[c]")
def elements_checked_before(x, at, y):
    return take(x, at) + take(x, at), take(y, at)


@program(x="f32[a]", v="i64[b] in -2..4", w="i64[c] in -2..4")
def elements_moved(x, v, w):
    """Through concatenation, padding and slices."""
    v = numpy.maximum(v, 0)
    w = numpy.minimum(numpy.maximum(w, 0), 2)
    return take(x, numpy.concatenate([v % 3, w, [1]])[1:])


@program(x="i64[a]", q="i64[b]")
def elements_counted(x, q):
    """How many elements are less: from 0 to all of them."""
    counts = numpy.array([(x < value).sum() for value in q], numpy.int64)
    require((counts < len(x)).all())
    return x[counts]


@program(x="f32[a]", p="i1", v="i64[b] in -3..12", n="i64 in 0..9")
def elements_in_branch(x, p, v, n):
    require(n > 0)
    at = numpy.clip(v, 0, 3) if p else numpy.arange(len(v)) // n
    return take(x, at)


@program(x="f32[a]", n="i64 in 0..9")
def elements_in_loop(x, n):
    """Positions that a loop writes over zeros, and a number that it counts up."""
    at = numpy.zeros(len(x), numpy.int64)
    for i in range(n):
        require(i < len(x))
        at[i] = i // 2
    return x[at], take(x, [n // 2])


@program(x="f32[a]", v="f64[b] in -2.5 -0.5 0 0.5 1 1.5 2.75 1e300 -1e300")
def elements_of_floats(x, v):
    at = numpy.clip(numpy.trunc(v), -100, 100).astype(numpy.int64)
    return take(x, numpy.minimum(at, 2))
