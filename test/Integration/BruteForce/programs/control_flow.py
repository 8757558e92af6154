"""Branches, loops, subgraphs and calls: a precondition counts where it is met."""

import numpy
from programs import program, require


@program(p="i1", x="f32[a]", y="f32[b]")
def if_by_argument(p, x, y):
    require(not p or len(x) == len(y))
    return x + y if p else y


@program(x="f32[a]", y="f32[b]")
def if_by_size(x, y):
    if len(x) == len(y):
        return x + y
    require(len(x) + len(y) <= 15, "both together at most fifteen")
    return numpy.concatenate([x, y])


@program(x="f32[a]", y="f32[b]", n="i64 in -4..10")
def if_nested(x, y, n):
    if n > 0:
        if n < len(x):
            require(n <= len(y), "not more than y")
            return len(x) + len(y) - n
        require(len(x) == len(y), "as many in both")
        return 2 * len(x)
    require(n >= -2, "not too negative")
    return len(y) - n


@program(n="i64 in -2..3", x="f32[a]", y="f32[b]")
def for_zero_iterations(n, x, y):
    for _ in range(n):
        require(len(x) == len(y))
        x = x + y
    return x


@program(n="i64 in -2..11", x="f32[a]")
def for_invariant_check(n, x):
    for i in range(n):
        require(len(x) % 3 == 1, "one more than threes")
        require(i <= len(x), "no iteration behind the end")
    return sum(range(n))


@program(n="i64 in -2..8", x="f32[a]")
def for_nested(n, x):
    total = numpy.float32(0)
    for i in range(n):
        for j in range(0, i, 2):
            total += x[i + j]
    return total


@program(n="i64 in -1..4", x="f32[a]", y="f32[b]")
def for_growing(n, x, y):
    grown = numpy.concatenate([x] * (1 + max(n, 0)))
    require(len(grown) == len(y))
    return grown + y


@program(n="i64 in -2..9", x="f32[a, 2]")
def for_prefixes(n, x):
    total = numpy.float32(0)
    for i in range(n):
        require(i <= len(x))
        total += x[:i].sum()
    return total


@program(n="i64 in -2..20", x="f32[a]")
def while_countdown(n, x):
    total = numpy.float32(0)
    while n > len(x):
        n = n - 2
        require(n >= 0)
        total += x[n]
    return n, total


@program(x="f32[a]", _sizes={"a": range(33)})
def while_halving(x):
    while len(x) > 3:
        require(len(x) % 2 == 0)
        x = x[:len(x) // 2] + x[len(x) // 2:]
    return x


@program(x="f32[a]", y="f32[b]")
def switch_by_size(x, y):
    if len(x) == 2:
        require(len(y) >= 2)
        return y[:2]
    if len(x) == 5:
        require(len(y) == 5)
        return x + y
    return x


@program(i="i64 in -1..3", x="f32[a]", _sizes={"a": range(12)})
def switch_untaken(i, x):
    require(len(x) <= 9, "s0 <= 9")
    if i == 0:
        require(len(x) <= 4, "small")
        return len(x)
    if i == 1:
        require(len(x) >= 5, "large")
        return 2 * len(x)
    require(len(x) == 7, "seven")
    return 3 * len(x)


@program(p="i1", x="f32[a]", y="f32[b]")
def cond_joins_sizes(p, x, y):
    joined = x if p else numpy.concatenate([x, x])
    require(len(joined) == len(y), "as many as y")
    return joined + y


@program(x="f32[a]", y="f32[b]")
def cond_untaken_check(x, y):
    if len(x) < len(y):
        require(len(x) + 2 <= len(y), "two less")
        return y[2:2 + len(x)]
    require(len(x) % 2 == 0, "even")
    return x[len(x) // 2:]


@program(n="i64 in -1..3", x="f32[a]", y="f32[b]")
def cond_in_loop(n, x, y):
    for i in range(n):
        if i % 2:
            require(len(x) == len(y))
            x = x + y
        else:
            x = x * x
    return x


@program(x="f32[a]", y="f32[b]")
def invoke_shared(x, y):
    for vector in (x, y):
        require(len(vector) % 2 == 0)
        require(len(vector) >= 2)
    require(len(x) == len(y))
    return x[len(x) // 2:] + y[len(y) // 2:]


@program(p="i1", x="f32[a]", k="i64 in -2..9")
def call_private(p, x, k):
    if not p:
        return x
    require(3 <= len(x) <= 8)
    require(0 <= k <= len(x) - 1)
    return x[1:1 + k]


@program(n="i64 in -2..9", x="f32[a]")
def call_in_loop(n, x):
    total = numpy.float32(0)
    for i in range(n):
        total += x[i:][0]
    return total
