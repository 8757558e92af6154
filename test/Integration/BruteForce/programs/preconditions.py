"""What operations require of their operands."""

import numpy
from programs import program, require


@program(x="f32[a]", y="f32[b]")
def add_equal(x, y):
    require(x.shape == y.shape, "s0 == s1 does not hold")
    return x + y


@program(x="f32[a, b]", y="f32[c, d]", _sizes={"a": range(4), "b": range(4)})
def add_unannotated(x, y):
    require(x.shape == y.shape)
    return x + y + y


@program(x="f32[a, b]", y="f32[c]")
def broadcast_rows(x, y):
    require(x.shape[1] == y.shape[0])
    return x + y


@program(x="f32[a, b]", y="f32[c, d]")
def matmul(x, y):
    return x @ y


@program(x="f32[a, 3]", y="f32[b, c]", z="f32[d, e]", _sizes={name: range(2, 5) for name in "abcde"})
def matmul_into(x, y, z):
    require(x.shape[0] == z.shape[0] and y.shape[1] == z.shape[1])
    return x @ y + z


@program(x="f32[a, b]", y="f32[c]")
def reshape_add(x, y):
    require(x.size == y.size, "s0 * s1 == s2 does not hold")
    return x.reshape(-1) + y


@program(x="f32[a]")
def expand_by_two(x):
    return x.reshape(len(x) // 2, 2)


@program(x="f32[a]", rows="i64 in -3..9", columns="i64 in -3..9")
def expand_by_argument(x, rows, columns):
    require(rows >= 0 and columns >= 0)
    return x.reshape(rows, columns)


@program(x="f32[a]", rows="i64 in -3..9", columns="i64 in -3..9")
def reshape_by_tensor(x, rows, columns):
    require(rows >= 0 and columns >= 0)
    return x.reshape(rows, columns)


@program(x="f32[a, b]", y="f32[c, d]", _sizes={"b": range(4), "d": range(4)})
def concat_rows(x, y):
    return numpy.concatenate([x, y])


@program(x="f32[a]", y="f32[b]", z="f32[c]")
def concat_then_add(x, y, z):
    require(len(x) + len(y) == len(z))
    return numpy.concatenate([x, y]) + z + numpy.concatenate([y, x])


@program(x="f32[a]", at="i64 in -2..9", n="i64 in -2..6", step="i64 in -1..4")
def slice_by_arguments(x, at, n, step):
    require(at >= 0 and n >= 0 and step >= 1)
    # An empty slice may begin as far behind the end as a step goes.
    require(at + (n - 1) * step < len(x))
    return x[at:at + n * step:step][:n]


@program(x="f32[a]")
def slice_middle(x):
    require(len(x) >= 3)
    return x[2:-1]


@program(x="f32[a]", _always_runs=True)
def slice_even(x):
    return x[::2]


@program(x="f32[a]", y="f32[b]", at="i64 in -2..11")
def insert_by_argument(x, y, at):
    require(0 <= at and at + len(y) <= len(x))
    return numpy.concatenate([x[:at], y, x[at + len(y):]])


@program(x="f32[a]", front="i64 in -2..5", behind="i64 in -2..5")
def pad_by_arguments(x, front, behind):
    return numpy.pad(x, (front, behind), constant_values=numpy.float32(7))


@program(x="f32[a, b]", i="i64 in -1..9", j="i64 in -1..9")
def extract_element(x, i, j):
    require(i >= 0 and j >= 0)
    return x[i, j]


@program(x="f32[a]", i="i64 in -3..11", v="f32 in 5 6")
def insert_element(x, i, v):
    require(i >= 0)
    result = x.copy()
    result[i] = v
    return result


@program(x="f32[a]", ids="i64[k] in -1..9", _sizes={"k": range(5)})
def take(x, ids):
    require((ids >= 0).all())
    return x[ids]


@program(x="f32[a]", ids="i64[k] in 0..6", y="f32[b]", _sizes={"k": range(4), "b": range(4)})
def take_and_add(x, ids, y):
    require(len(ids) == len(y))
    return y + x[ids]


@program(x="f32[a]", at="i64[k] in -1..9", n="i64 in -2..6", _sizes={"k": range(6)})
def generate_by_table(x, at, n):
    require(0 <= n <= len(at) and (at[:n] >= 0).all())
    return x[at[:n]]


@program(x="f32[a, b]", at="i64[k, 1] in -1..9", _sizes={"k": range(4)})
def gather_columns(x, at):
    require(((at >= 0) & (at < x.shape[1])).all())
    # One row a coordinate, each a column of x.
    return x[:, at[:, 0]].T


@program(x="f32[a, 3]", at="i64[k, 2] in -1..3", _sizes={"k": range(4)})
def gather_pairs(x, at):
    require((at >= 0).all())
    return x[at[:, 0], at[:, 1]]


@program(x="f32[a, 2]", at="i64[k, 1] in -1..9", new="f32[l, 1, 2]", _sizes={"k": range(4), "l": range(4)})
def scatter_rows(x, at, new):
    require(len(at) == len(new) and (at >= 0).all())
    require((at < len(x)).all())
    result = x.copy()
    result[at[:, 0]] = new[:, 0]
    return result
