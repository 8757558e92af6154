"""Operations whose results are as long as data says, and parts by unknown bounds."""

import numpy
from programs import program, require


@program(x="f32[a]", m="i1[b]", y="f32[c]", _sizes={"a": range(6), "b": range(6), "c": range(4)})
def masked_select_adds(x, m, y):
    require(len(x) == len(m))
    require(m.any(), "one at least")
    require(m.sum() == len(y))
    return x[m] + y


@program(x="i64[a, b]", m="i1[c, d]", _sizes={name: range(5) for name in "abcd"})
def masked_select_of_matrix(x, m):
    require(x.shape == m.shape)
    require(m.sum() % 2 == 0)
    return x[m].reshape(2, m.sum() // 2)


@program(x="i64[a, b] in -3..3", _sizes={"a": range(6), "b": range(6)})
def unique_of_matrix(x):
    values, places, counts = numpy.unique(x, return_inverse=True, return_counts=True)
    require(len(values) <= 5, "five at most")
    return values, places.reshape(x.shape), counts


@program(x="f32[a] in -1..2", y="i64[b]", _sizes={"b": range(6)})
def unique_adds(x, y):
    values, counts = numpy.unique(x, return_counts=True)
    require(len(values) == len(y))
    return counts + y, x


@program(x="i64[a]")
def unique_first(x):
    require(len(x) >= 1, "an element")
    return x.min()


@program(x="f32[a]", counts="i64[b] in -1..4", _sizes={"b": range(6)})
def repeat_each(x, counts):
    require((counts >= 0).all())
    return x[numpy.repeat(numpy.arange(len(counts)), counts)]


@program(counts="i64[a] in 0..2", y="i64[b]", _sizes={"a": range(7)})
def repeat_to_size(counts, y):
    require(counts.sum() == len(y), "the counts are of y")
    return numpy.repeat(numpy.arange(len(counts)), counts) + y


@program(v="i64[a] in -1..20", least="i64 in -2..5")
def count_values(v, least):
    require((v >= 0).all())
    return numpy.bincount(v, minlength=least)


@program(v="i64[a] in 0..4", w="f32[b]", y="f32[4]", _sizes={"a": range(6), "b": range(6)})
def count_weights(v, w, y):
    require(len(v) == len(w))
    sums = numpy.bincount(v, w, minlength=3).astype("f4")
    require(len(sums) == 4)
    return sums + y


@program(x="f32[n]", a="i64 in -11..11", b="i64 in -11..11", _always_runs=True)
def slice_as_python(x, a, b):
    return x[a:b]


@program(x="f32[3, a]", t="i64[] in -11..11", y="f32[3, b]")
def slice_and_add(x, t, y):
    require(x[:, t:].shape == y.shape)
    return x[:, t:] + y


@program(x="f32[n]", a="i64 in -11..11", b="i64 in -11..11", _always_runs=True)
def slice_by_threes(x, a, b):
    return x[a:b:3], x[:a]


@program(x="f32[a, b]", i="i64 in -11..10")
def select_row(x, i):
    return x[i]


@program(p="i1", x="f32[2, a]", t="i64[] in -11..10")
def select_by_item(p, x, t):
    return x[:, t] if p else numpy.zeros(2, "f4")


@program(x="f32[a, 2]", t="i64[] in -2..9", u="i64[] in -2..9")
def split_by_items(x, t, u):
    require(t >= 0 and u >= 0)
    require(t + 1 + u == len(x))
    return x[:t], x[t:t + 1], x[t + 1:]


@program(n="i64 in -1..6", x="f32[a]")
def split_in_loop(n, x):
    for i in range(n):
        require(2 * i <= len(x))
        x = numpy.concatenate([x[2 * i:], x[:2 * i]])
    return x


@program(x="i1[a]", y="i64[b]")
def definitions_in_a_chain(x, y):
    again = numpy.flatnonzero(x)
    require(len(again) <= 6, "six at most")
    require(len(again) == len(y))
    return again + y
