"""Constraints on sizes: declared relations, checks, divisibility, chains."""

import torch
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, i64, lit

from .common import M, N

FAMILY = "guards"
FREE = Dim.DYNAMIC


def square(x):
    return x @ x, x + x.T


program("square", function(square), FAMILY, tags=("declared", "matmul"),
        rtol=1e-4, atol=1e-4, dynamic=({0: N, 1: N},), example=(f32(3, 3),),
        cases=[case(f"{n}", f32(n, n)) for n in (3, 0, 1, 2, 32)] + [
            case("3 by 4", f32(3, 4), raises=""),
            case("1 by 3", f32(1, 3), raises=""),
            case("33", f32(33, 33), raises="")])

_half = Dim("half", min=0, max=16)


def double(x, y):
    return x.repeat(2) + y, y.view(2, -1) * x, y[::2] - x


program("double", function(double), FAMILY, tags=("declared", "derived"),
        dynamic=({0: _half}, {0: 2 * _half}), example=(f32(3), f32(6)),
        oblivious=True,
        cases=[case(f"{n}", f32(n), f32(2 * n)) for n in (3, 0, 1, 16)] + [
            case("3 and 7", f32(3), f32(7), raises=""),
            case("3 and 5", f32(3), f32(5), raises=""),
            case("17", f32(17), f32(34), raises="")])


def one_longer(x, y):
    return x + y[1:], y[:-1] * x, torch.cat([x, y])


program("one_longer", function(one_longer), FAMILY,
        tags=("declared", "derived"), dynamic=({0: N}, {0: N + 1}),
        example=(f32(4), f32(5)), oblivious=True,
        cases=[case(f"{n}", f32(n), f32(n + 1)) for n in (4, 0, 1, 32)] + [
            case("4 and 4", f32(4), f32(4), raises=""),
            case("0 and 0", f32(0), f32(0), raises=""),
            case("33 and 34", f32(33), f32(34), raises="")])

_quarter = Dim("quarter", min=0, max=8)


def multiple_of_four(x):
    return x.view(-1, 4).sum(1), x.view(4, -1), x.reshape(x.shape[0] // 4, 4)


program("multiple_of_four", function(multiple_of_four), FAMILY,
        tags=("declared", "derived", "divisibility"),
        dynamic=({0: 4 * _quarter},), example=(f32(12),), oblivious=True,
        cases=[case(f"{n}", f32(n)) for n in (12, 4, 8, 32)] + [
            case("10", f32(10), raises=""), case("3", f32(3), raises=""),
            case("36", f32(36), raises="")])


def only_derived(x):
    """The declared size is 2 * half + 1; half itself is nobody's size."""
    return x[1:].view(2, -1).sum(1), x[0] + x


program("only_derived", function(only_derived), FAMILY,
        tags=("declared", "derived"), dynamic=({0: 2 * _half + 1},),
        example=(f32(7),), oblivious=True,
        cases=[case(f"{n}", f32(n)) for n in (7, 3, 33)] + [
            case("6", f32(6), raises=""), case("35", f32(35), raises="")])


def at_least_three(x):
    return x[2] + x[0], x[:3].sum()


program("at_least_three", function(at_least_three), FAMILY,
        tags=("declared",), dynamic=({0: Dim("n", min=3, max=9)},),
        example=(f32(5),),
        cases=[case(f"{n}", f32(n)) for n in (5, 3, 4, 9)] + [
            case("2", f32(2), raises=""), case("0", f32(0), raises=""),
            case("10", f32(10), raises="")])


def checked_order(x, y):
    torch._check(x.shape[0] <= y.shape[0])
    torch._check(y.shape[0] <= 2 * x.shape[0] + 1)
    return x + y[: x.shape[0]], y.sum()


program("checked_order", function(checked_order), FAMILY,
        tags=("checked",), dynamic=({0: FREE}, {0: FREE}), deferred=True,
        example=(f32(4), f32(6)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (4, 6), (4, 4), (4, 9), (2, 3), (40, 77))] + [
            case("4 and 10", f32(4), f32(10), raises=""),
            case("4 and 3", f32(4), f32(3), raises="")])


def chained_equalities(x, y, z):
    """Each addition makes two more sizes equal."""
    return x + y, y * z, x - z


program("chained_equalities", function(chained_equalities), FAMILY,
        tags=("guard",), dynamic=({0: FREE}, {0: FREE}, {0: FREE}),
        deferred=True, example=(f32(4), f32(4), f32(4)),
        cases=[case(f"{n}", f32(n), f32(n), f32(n)) for n in (4, 2, 9, 64)
               ] + [case("z differs", f32(4), f32(4), f32(5), raises=""),
                    case("y differs", f32(4), f32(3), f32(4), raises=""),
                    case("x differs", f32(5), f32(4), f32(4), raises="")])


def chained_products(x, y, z):
    """s0 * s1 == s2, then s2 == 2 * s3."""
    flat = x.reshape(-1) + y
    return flat.view(2, -1) * z, flat.sum()


program("chained_products", function(chained_products), FAMILY,
        tags=("guard", "divisibility"),
        dynamic=({0: FREE, 1: FREE}, {0: FREE}, {0: FREE}), deferred=True,
        example=(f32(4, 6), f32(24), f32(12)),
        cases=[case(f"{n} by {m}", f32(n, m), f32(n * m), f32(n * m // 2))
               for n, m in ((4, 6), (3, 4), (5, 2), (2, 2), (8, 9))] + [
            case("15 is odd", f32(3, 5), f32(15), f32(7), raises=""),
            case("y differs", f32(3, 4), f32(11), f32(6), raises=""),
            case("z differs", f32(3, 4), f32(12), f32(5), raises="")])


def product_divides(x):
    """Mod(s0 * s1, s0 - 1) == 0."""
    rows = x.reshape(x.shape[0] - 1, -1)
    return rows.sum(1), rows * 2


program("product_divides", function(product_divides), FAMILY,
        tags=("guard", "divisibility"), dynamic=({0: FREE, 1: FREE},),
        deferred=True, example=(f32(4, 6),),
        cases=[case(f"{n} by {m}", f32(n, m)) for n, m in (
            (4, 6), (3, 4), (5, 8), (3, 2), (9, 16))] + [
            case("5 by 6", f32(5, 6), raises=""),
            case("4 by 4", f32(4, 4), raises="")])


def divides(x, y):
    """s1 divides s0."""
    torch._check(x.shape[0] % y.shape[0] == 0)
    parts = x.view(-1, y.shape[0])
    return parts + y, parts.shape[0]


program("divides", function(divides), FAMILY,
        tags=("checked", "divisibility"), dynamic=({0: FREE}, {0: FREE}),
        deferred=True, example=(f32(12), f32(4)),
        cases=[case(f"{n} by {m}", f32(n), f32(m)) for n, m in (
            (12, 4), (12, 2), (9, 3), (40, 10), (15, 5))] + [
            case("12 by 5", f32(12), f32(5), raises=""),
            case("4 by 12", f32(4), f32(12), raises="")])


def difference(x, y):
    """The sizes differ by 3, the check says so with a product."""
    torch._check((x.shape[0] - y.shape[0]) * 2 == 6)
    return x[3:] + y, x.shape[0] - y.shape[0]


program("difference", function(difference), FAMILY, tags=("checked",),
        dynamic=({0: FREE}, {0: FREE}), deferred=True,
        example=(f32(8), f32(5)),
        cases=[case(f"{n}", f32(n + 3), f32(n)) for n in (5, 2, 9, 40)] + [
            case("by 2", f32(7), f32(5), raises=""),
            case("by -3", f32(5), f32(8), raises="")])


def many_terms(a, b, c, d):
    """s3 == s0 + 2 * s1 - s2."""
    joined = torch.cat([a, b, b])
    return joined[c.shape[0]:] + d, joined.shape[0]


program("many_terms", function(many_terms), FAMILY, tags=("guard",),
        dynamic=({0: FREE}, {0: FREE}, {0: FREE}, {0: FREE}), deferred=True,
        example=(f32(5), f32(4), f32(3), f32(10)),
        cases=[case(f"{a}, {b}, {c}", f32(a), f32(b), f32(c),
                    f32(a + 2 * b - c))
               for a, b, c in ((5, 4, 3), (2, 2, 2), (7, 9, 20), (30, 2, 3))
               ] + [case("one too many", f32(5), f32(4), f32(3), f32(11),
                         raises=""),
                    case("one too few", f32(5), f32(4), f32(3), f32(9),
                         raises="")])


def quadratic(x, y):
    """s1 == s0 * (s0 + 1) / 2: a triangle in a row."""
    n = x.shape[0]
    torch._check(n * (n + 1) == 2 * y.shape[0])
    i = torch.arange(n)
    starts = (i * (i + 1)) // 2
    return y[starts] + x, starts


program("quadratic", function(quadratic), FAMILY, tags=("checked",),
        dynamic=({0: FREE}, {0: FREE}), deferred=True,
        example=(f32(4), f32(10)),
        cases=[case(f"{n}", f32(n), f32(n * (n + 1) // 2))
               for n in (4, 3, 5, 12)] + [
            case("4 and 9", f32(4), f32(9), raises=""),
            case("5 and 10", f32(5), f32(10), raises="")])


def maximum_size(x, y):
    """Both are padded to the longer one."""
    n = torch.sym_max(x.shape[0], y.shape[0])
    a = torch.cat([x, torch.zeros(n - x.shape[0])])
    b = torch.cat([y, torch.zeros(n - y.shape[0])])
    return a + b


program("maximum_size", function(maximum_size), FAMILY, tags=("symint",),
        dynamic=({0: N}, {0: M}), example=(f32(5), f32(7)), oblivious=True,
        deferred=True,
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (5, 7), (7, 5), (4, 4), (0, 3), (3, 0), (1, 1), (32, 24))])


def either(x, y):
    """A check of and, or and not."""
    n, m = x.shape[0], y.shape[0]
    torch._check(torch.sym_not(n == 7))
    torch._check((n > m) | (m > 20))
    return x.sum() + y.sum(), n - m


program("either", function(either), FAMILY, tags=("checked",),
        dynamic=({0: FREE}, {0: FREE}), deferred=True,
        example=(f32(5), f32(3)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (5, 3), (3, 21), (30, 29), (8, 7))] + [
            case("7 and 3", f32(7), f32(3), raises=""),
            case("3 and 5", f32(3), f32(5), raises=""),
            case("5 and 5", f32(5), f32(5), raises="")])


def nested_inputs(pair, table):
    return pair[0] + pair[1], table["b"] * pair[0].shape[0], \
        table["a"].sum() + table["b"].sum()


program("nested_inputs", function(nested_inputs), FAMILY, tags=("pytree",),
        dynamic=([{0: N}, {0: N}], {"a": {0: M}, "b": {0: M}}),
        example=([f32(3), f32(3)], {"a": f32(5), "b": f32(5)}),
        cases=[case(f"{n} and {m}", [f32(n), f32(n)],
                    {"a": f32(m), "b": f32(m)})
               for n, m in ((3, 5), (0, 5), (5, 0), (1, 1))] + [
            case("pair differs", [f32(3), f32(4)],
                 {"a": f32(5), "b": f32(5)}, raises=""),
            case("table differs", [f32(3), f32(3)],
                 {"a": f32(5), "b": f32(4)}, raises="")])


def indexed_by_size(x, y):
    """A size as an index, checked against another size."""
    torch._check(x.shape[0] < y.shape[0])
    return y[x.shape[0]], x + y[: x.shape[0]]


program("indexed_by_size", function(indexed_by_size), FAMILY,
        tags=("checked",), dynamic=({0: FREE}, {0: FREE}), deferred=True,
        example=(f32(4), f32(6)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (4, 6), (4, 5), (2, 40))] + [
            case("4 and 4", f32(4), f32(4), raises=""),
            case("6 and 4", f32(6), f32(4), raises="")])


def shape_data(x):
    """Sizes become data and data becomes a size again."""
    n = torch.tensor(x.shape[0])
    u = (n * 2).item()
    torch._check(u >= 0)
    torch._check(u <= 64)
    return torch.ones(u), n


program("shape_data", function(shape_data), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N},), example=(f32(4),),
        cases=[case(f"{n}", f32(n)) for n in (4, 0, 1, 32)])


def values_checked(x, i):
    """Checks on data, not on sizes."""
    low, high = i.min().item(), i.max().item()
    torch._check(low >= 0)
    torch._check(high < x.shape[0])
    return x[i] * 2, high - low


program("values_checked", function(values_checked), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, {0: M}),
        example=(f32(6), lit([1, 3, 5])),
        cases=[case("3 of 6", f32(6), lit([1, 3, 5])),
               case("one", f32(1), lit([0])),
               case("24 of 32", f32(32), i64(24, lo=0, hi=31)),
               case("too large", f32(6), lit([6, 0]), raises=""),
               case("negative", f32(6), lit([-1, 0]), raises="")])


def asserted(x):
    """torch._assert_async on data."""
    torch._assert_async((x > 0).all(), "x must be positive")
    return torch.log(x)


program("asserted", function(asserted), FAMILY, tags=("data-check",),
        dynamic=({0: N},), example=(f32(4, lo=0.5),),
        cases=[case(f"{n}", f32(n, lo=0.5, hi=2.0)) for n in (4, 0, 1, 32)
               ] + [case("a zero", lit([1.0, 0.0]), raises=""),
                    case("33", f32(33, lo=0.5), raises="")])
