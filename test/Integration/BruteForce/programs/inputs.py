"""Sizes and numbers that come from outside, and what is declared of them."""

from programs import program, require, storage_offset


@program(x="f32[a, b]", _sizes={"b": range(14)})
def declared_range(x):
    require(2 <= x.shape[0], "s0")
    require(x.shape[0] <= 7, "s0")
    require(x.shape[1] <= 8, "s1 <= 8")
    require(x.shape[1] % 4 == 0, "s1 mod 4 == 0")
    return x.shape[0] * (x.shape[1] // 4)


@program(x="f32[a]")
def declared_assumed(x):
    require(len(x) != 5, "not five")
    return len(x) + 1


@program(x="f32[a, b]", y="f32[c, 4]")
def declared_twice(x, y):
    require(x.shape[0] == x.shape[1])
    require(x.shape[0] == y.shape[0])
    return len(x)


@program(x="f32[a, b]")
def solve_double(x):
    require(x.shape[0] % 2 == 0)
    half = x.shape[0] // 2
    require(x.shape[1] >= half)
    return half, x.shape[1] - half


@program(x="f32[a, b]", _sizes={"a": range(30)})
def solve_with_ranges(x):
    rows, columns = x.shape
    require(rows % 3 == 1)
    s0 = rows // 3
    require(1 <= s0 <= 9)
    s1 = columns + s0
    require(s1 <= 8 and s1 % 2 == 0)
    return s0, s1


@program(x="f32[a, b]")
def check_stated(x):
    a, b = x.shape
    require(a + b <= 12, "at most twelve")
    require(a * b % 3 == 0, "in threes")
    require(a <= b or a >= 2 * b, "either or")
    return a * b // 3


@program(x="f32[a, b]")
def solve_sum_and_difference(x):
    total, difference = x.shape
    require((total - difference) % 2 == 0)
    s1 = (total - difference) // 2
    require(0 <= s1 <= 3)
    return difference + s1, s1


@program(x="f32[a]", y="f32[b]", n="i64 in -2..9")
def solve_across_arguments(x, y, n):
    double = len(x) - len(y) + n
    require(double % 2 == 0)
    s0 = double // 2
    s1, s2 = len(x) - s0, n - s0
    require(s0 >= 0 and s1 >= 0 and s2 >= 0 and s1 % 2 == 0)
    return s0, s1, s2


@program(x="f32[a]")
def solve_quotient(x):
    require(4 <= 4 * len(x) <= 24)
    return 4 * len(x) - 1


@program(x="f32[a, b]")
def solve_factor(x):
    rows, columns = x.shape
    require(rows > 0)
    require(columns % rows == 0)
    return x.reshape(rows * rows, columns // rows)


@program(t="i64[] in -3..8", f="f32[] in 0 0.5 1", q="i1[]", x="f32[a]")
def value_of_tensors(t, f, q, x):
    require(-1 <= t <= 6)
    require(q or f > 0.5, "true or large")
    require(t <= len(x), "a prefix")
    return x[:max(t, 0)]


@program(t="i64[] in -6..12", p="i1")
def value_of_expression(t, p):
    require(t % 3 == 0)
    require(t >= 0)
    require(p == (t // 3 > 1))
    return t // 3


@program(x="f32[a, b] strided")
def stride_of_rows(x):
    pitch = x.strides[0] // x.itemsize
    require(pitch % 2 == 0)
    require(storage_offset(x) <= 16)
    require(storage_offset(x) <= pitch + 3, "begins early")
    return x + x, pitch // 2, storage_offset(x)


@program(x="f32[a, b] strided", y="f32[c]")
def compact_any_strides(x, y):
    require(x.size == len(y))
    return x.reshape(-1) + y
