"""What follows from what: checks that decide others, or mean nothing somewhere."""

import numpy
from programs import program, require


@program(x="f32[a, b]")
def undefined_side(x):
    rows, columns = x.shape
    require(columns == 0 or rows % columns == 0, "none, or whole ones")
    return 0 if columns == 0 else rows // columns


@program(x="f32[a, b]")
def undefined_everywhere(x):
    rows, columns = x.shape
    require(columns != 0, "always, but by zero")
    return rows


@program(x="f32[a]", n="i64 in -4..6")
def undefined_in_branch(x, n):
    require(n != 0, "nobody divides by zero")
    require(len(x) % n == 0, "whole ones")
    return len(x) // n


@program(p="i1", x="f32[a]")
def never_right(p, x):
    require(not p, "never")
    return len(x)


@program(p="i1", x="f32[a]")
def contradiction(p, x):
    if p:
        require(len(x) <= 4, "small")
        require(len(x) >= 6, "large")
    return len(x)


@program(x="f32[a, b]")
def guarded_by_disjunction(x):
    rows, columns = x.shape
    require(rows in (3, 6), "three or six")
    require(rows == 3 or columns >= 4, "six needs four")
    require((rows, columns) != (6, 5), "not both")
    return rows * columns // 3


@program(x="f32[a, b]")
def strictly_between(x):
    rows, columns = x.shape
    require(rows > 2, "more than two")
    require(rows < columns, "fewer rows than columns")
    require(rows < 4, "less than four")
    return x


@program(_sizes={name: range(2, 5) for name in "pqrs"}, a="f32[p]", b="f32[q]", c="f32[r]", d="f32[s]")
def chain_of_equalities(a, b, c, d):
    require(len(a) == len(b) == len(c) == len(d))
    return ((a + b) + c * d) + ((b - c) + (a + d))


@program(x="f32[a, b]", k="i64 in -1..9")
def blocks_of_rows(x, k):
    require(k >= 1, "a block has rows")
    total = numpy.float32(0)
    for at in range(0, len(x), k):
        for j in range(min(k, len(x) - at)):
            total += x[at + j, j]
    return total


@program(x="f32[a]", t="i64[2] in -3..9")
def append_and_take(x, t):
    require(-3 <= t[1] <= 9)
    if 0 <= t[0] <= 5:
        require(t[1] <= len(x) + t[0], "no further than what is there")
        require(t[1] >= 0)
        return numpy.concatenate([numpy.zeros(t[0], "f4"), x])[:t[1]]
    require(t[1] == len(x), "as many as there are")
    return x
