"""Where a fact holds and where it does not, and what a program declares of itself."""

import numpy
from programs import program, require


@program(x="f32[a]", y="f32[4]")
def cast_to_static(x, y):
    require(len(x) == 4)
    return x + y


@program(n="i64 in -3..5", m="i64 in -3..5")
def empty_of_any_size(n, m):
    return numpy.ones((n, m), "f4")


@program(x="f32[a, b]", y="f32[c]")
def splat_of_product(x, y):
    return numpy.ones(x.size - 2 * len(y), "f4")


@program(n="i64 in -2..3", x="f32[a]")
def leak_from_loop(n, x):
    require(n <= 0 or len(x) <= 3)
    require(len(x) >= 3)
    require(len(x) == 3)
    return x


@program(p="i1", x="f32[a]")
def leak_from_branch(p, x):
    require(len(x) == 3 or not p or len(x) <= 3)
    require(len(x) >= 2)
    require(len(x) == 3)
    return x


@program(p="i1", x="f32[a]", y="f32[b]")
def both_branches(p, x, y):
    if p:
        require(len(x) <= 6, "six at most")
        require(len(x) == len(y), "s0 == s1")
        return x + y + x
    require(len(x) == len(y), "s0 == s1")
    require(len(y) >= 2, "two at least")
    return x * y + x


@program(n="i64 in -4..12", x="f32[a]")
def while_checks_before(n, x):
    total = numpy.float32(0)
    while True:
        # The size is checked once, before the loop.
        require(n >= -2)
        total += x[3]
        if n >= len(x):
            return n, total
        n = n + 3


@program(**{"from": "i64 in -2..9"}, to="i64 in -2..10", step="i64 in -1..4", x="f32[9]")
def loop_by_steps(start, to, step, x):
    total = numpy.float32(0)
    for i in range(start, to, step) if step > 0 else ():
        require(i >= 0)
        total += x[i]
    return total


@program(n="i64 in -2..6", x="f32[a]", ids="i64[k] in -1..7", _sizes={"k": range(6)})
def loop_in_parallel(n, x, ids):
    require(0 <= n <= len(ids))
    require((ids[:n] >= 0).all())
    return x[ids[:n]]


@program(x="f32[a]", k="i64 in -2..10")
def result_declared(x, k):
    require(len(x) >= 2)
    require(0 <= k <= len(x))
    require(k == len(x) - 1)
    return x[k - 1]


@program(x="f32[a]", k="i64 in -2..20")
def result_of_main_declared(x, k):
    require(k == 2 * len(x))
    return numpy.ones(k, "f4")


@program(x="f32[a]", y="f32[b]", _sizes={"b": range(20)})
def same_names_inside(x, y):
    require(len(x) >= 2, "outside")
    require(len(y) >= 1)
    require(len(y) == 2 * len(x), "inside")
    both = numpy.concatenate([x, x])
    return numpy.concatenate([both + y, both])


@program(x="f32[a, b]")
def solve_difference(x):
    s0 = 8 - x.shape[0]
    require(s0 >= 0)
    require((x.shape[1] - s0) % 2 == 0)
    require(x.shape[1] >= s0)
    return s0, (x.shape[1] - s0) // 2


@program(x="f32[a]", y="f32[b]")
def solve_by_product(x, y):
    require(len(y) >= 1)
    require(len(x) % len(y) == 0)
    return len(x) // len(y)


@program(x="f32[a]", y="f32[b]", z="f32[c]", _sizes={"c": range(4)})
def shape_of_maximum(x, y, z):
    require(len(x) == max(len(y), 4))
    require(len(z) == len(y) % 3)
    return len(x) - len(y)


@program(t="i64[a] in -1..3", x="f32[b]", _sizes={"a": range(5)})
def reduced_lengths(t, x):
    require(0 <= t.sum() <= len(x))
    return x[:t.sum()]


@program(x="i1[a, b]", y="f32[c, d]", _sizes={name: range(6) for name in "abcd"})
def nonzero_of_matrix(x, y):
    require(numpy.count_nonzero(x) <= 2 * x.shape[1], "not too many")
    rows, columns = numpy.nonzero(x)
    return y[rows, columns]


@program(p="i1", q="i1", x="f32[a]", y="f32[b]")
def cond_of_conds(p, q, x, y):
    if p:
        require(q or len(y) >= 1, "one of y")
        parts = [x, x] if q else [y, y]
    else:
        parts = [x, y]
    whole = numpy.concatenate(parts)
    require(len(whole) <= 11, "eleven at most")
    half = len(whole) // 2
    return whole[half:2 * half]


@program(t="i1[]", n="i64[] in -3..11", x="f32[a]")
def cond_by_item(t, n, x):
    if t:
        require(0 <= n <= len(x), "a prefix")
        return x[:n]
    require(-1 <= n < len(x), "a suffix")
    return x[n + 1:]


@program(x="f32[a]", y="f32[b]", t="i64[] in -2..9")
def invoke_with_definitions(x, y, t):
    for vector in (x, y):
        require(t <= len(vector), "no more than there are")
        require(t >= 0)
    require(2 * t <= 9, "nine together")
    return x[:t] + y[:t]


@program(n="i64 in -1..6", x="f32[a, b]", y="f32[c]", _sizes={"a": range(5), "b": range(5), "c": range(6)})
def insert_into_rows(n, x, y):
    result = x.copy()
    for i in range(n):
        require(i < len(x) and len(y) <= x.shape[1])
        result[i, :len(y)] = y
    return result
