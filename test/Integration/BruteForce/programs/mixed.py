"""Several constructs together, and arithmetic at its edges."""

import numpy
from programs import program, require

LARGE = " ".join(str(value) for value in (
    -2**63, -2**63 + 1, -2**62, -2**32, -3, -1, 0, 1, 2, 2**31, 2**32, 2**62, 2**63 - 2, 2**63 - 1))


def fits(value):
    return -2**63 <= value < 2**63


@program(p="i1", x="f32[a, b]")
def size_quotient(p, x):
    rows, columns = x.shape
    return rows // columns + rows % columns if p else rows + columns


@program(n="i64 in " + LARGE, m="i64 in " + LARGE)
def size_overflow(n, m):
    n, m = int(n), int(m)
    if m <= 0:
        return n
    require(fits(n * m + 1))
    return n * m + 1


@program(n="i64 in " + LARGE, m="i64 in " + LARGE)
def check_overflow(n, m):
    require(int(n) <= int(m) + 5, "not much more")
    return n


@program(n="i64 in -4..9", b="i1", f="f64 in -9 -0.5 0 0.5 1 2.5 3 6 10 10.5")
def scalars_by_value(n, b, f):
    require(-2 <= n <= 6, "n")
    require(n % 2 == 0, "n mod 2 == 0")
    require(b or n <= f, "true, or small enough")
    require(f <= 10, "ten at most")
    return n + 2


@program(n="i64 in -3..9", m="i64 in -3..9")
def scalar_twice(n, m):
    require(n % 2 == 0)
    require(0 <= n // 2 <= 3)
    require(m == n // 2 + 1)
    return (n // 2) ** 2


@program(n="i64 in -3..11", x="f32[a]")
def join_bounded(n, x):
    require(n >= 0)
    return x[:n]


@program(p="i1", x="f32[a]", y="f32[b]")
def join_of_sizes(p, x, y):
    require(len(y) >= len(x))
    return x + (x if p else y[:len(x)])


@program(n="i64 in -1..5", x="f32[a] in -1..4")
def loop_carried_index(n, x):
    at = 0
    for _ in range(n):
        require(at >= 0)
        at += int(x[at])
    require(0 <= at <= len(x))
    return x[:at]


@program(n="i64 in -1..5", t="i64[a] in -1..5")
def item_in_loop(n, t):
    for i in range(n):
        require(i < len(t))
        require(0 <= t[i] < len(t), "an index")
        require(i + t[i] <= len(t) + 1, "not far behind")
    return int(sum(t[:max(n, 0)] + 1))


@program(p="i1", x="f32[a]", t="i64[] in -5..9")
def item_of_branches(p, x, t):
    if p:
        require(t >= 1, "one row at least")
    else:
        require(t <= 3 and t != 0, "three rows at most")
    rows = abs(int(t))
    return x.reshape(rows, len(x) // rows)


@program(t="i64[] in -1..6", u="i64[] in -5..6", w="i64[] in -4..8")
def item_first_bad(t, u, w):
    require(t >= 0, "u0")
    require(t <= 4, "first")
    require(t <= u, "second")
    require(w <= 5, "u2 <= 5")
    require(u <= w, "third")
    return w - t


@program(x="f32[a]", t="i64[3] in -1..4")
def prefix_sums(x, t):
    require((t >= 0).all() and t.sum() == len(x))
    first, second = t[0], t[0] + t[1]
    return numpy.concatenate([x[second:], x[first:second], x[:first]]) + x


@program(x="f32[a, b]")
def reshape_chain(x):
    return x.reshape(x.size // 2, 2).reshape(x.size // 4, 4)


@program(x="f32[a, b]", y="f32[c, d]", _sizes={name: range(5) for name in "abcd"})
def reshape_to_other(x, y):
    return x.reshape(y.shape) + y


@program(x="f32[a]", w="f32[b]")
def window_sum(x, w):
    require(len(x) - len(w) + 1 >= 0)
    return numpy.array([(x[i:i + len(w)] * w).sum() for i in range(len(x) - len(w) + 1)], "f4")


@program(x="f32[a, b]", y="f32[c, d]", _sizes={name: range(5) for name in "abcd"})
def transpose_add(x, y):
    require(x.T.shape == y.shape)
    return x.T + y


@program(x="f32[a, b]", d="i64 in -2..3", _sizes={"a": range(4), "b": range(4)})
def dim_by_argument(x, d):
    require(d >= 0)
    return x.shape[d]


@program(n="i64 in -1..3", x="f32[a]", ids="i64[k] in -1..6", _sizes={"k": range(5)})
def take_in_loop(n, x, ids):
    for _ in range(n):
        require((ids >= 0).all())
        x = x[ids]
    return x


@program(x="f32[a]", ids="i64[k] in -1..4", _sizes={"k": range(5)})
def take_twice(x, ids):
    require(((ids >= 0) & (ids < len(x))).all())
    require((ids < len(ids)).all())
    return x[ids][ids]


@program(x="f32[a]", ids="i64[k] in -2..6", _sizes={"k": range(5)})
def take_if_nonempty(x, ids):
    return numpy.array([x[i] if i >= 0 else 0 for i in ids], "f4")


@program(x="f32[a]", ids="i64[k] in -3..11", _sizes={"a": range(5), "k": range(5)})
def take_clamped(x, ids):
    return numpy.array([x[min(max(i, 0), len(x) - 1)] for i in ids], "f4")


@program(x="i64[a] in -5..5", y="i64[b] in -3..9", _sizes={"a": range(5), "b": range(5)})
def divide_elements(x, y):
    require(len(x) == len(y))
    require((y != 0).all())
    return x // y


@program(x="f32[a]", i="i64 in -1..9", t="i64[] in -1..9")
def written_back(x, i, t):
    require(0 <= i < len(x))
    require(0 <= t < len(x))
    x[i] = 9
    return x[t]


@program(x="f32[2, a]", y="f32[b, 2]")
def pad_then_matmul(x, y):
    columns = -(-x.shape[1] // 4) * 4
    require(len(y) % 4 == 0)
    require(len(y) == columns)
    return numpy.pad(x, ((0, 0), (0, columns - x.shape[1]))) @ y
