"""What programs state about sizes and items; declared ranges and relations."""

import torch
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, lit

from .common import M, N

FAMILY = "guards"


def check_forms(x, k):
    a, b = k.tolist()
    torch._check(a > 0, lambda: "a must be positive")
    torch._check(a <= 10, lambda: "a is large")
    torch._check(b != 3, lambda: "b is three")
    torch._check(b >= -5)
    torch._check(b < 6)
    torch._check((a + b) % 2 == 0, lambda: "odd sum")
    return x * a + b


program(
    "check_all_forms",
    function(check_forms),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(3), lit([3, 1])),
    cases=[
        case(str(k), f32(3), lit(k))
        for k in ([3, 1], [10, 0], [1, 5], [1, -5])
    ]
    + [
        case("a=0", f32(3), lit([0, 2]), raises=""),
        case("a=11", f32(3), lit([11, 1]), raises=""),
        case("b=3", f32(3), lit([3, 3]), raises=""),
        case("b=6", f32(3), lit([2, 6]), raises=""),
        case("odd", f32(3), lit([2, 1]), raises=""),
        case("b=-6", f32(3), lit([2, -6]), raises=""),
    ],
)


def check_sizes(x, y):
    torch._check(x.shape[0] >= 2 * y.shape[0])
    torch._check(x.shape[0] % 2 == 0, lambda: "x must be even")
    return x[: 2 * y.shape[0]].view(-1, 2) + y[:, None]


program(
    "check_size_relation",
    function(check_sizes),
    FAMILY,
    dynamic=({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}),
    deferred=True,
    oblivious=True,
    example=(f32(6), f32(2)),
    cases=[
        case(f"{a},{b}", f32(a), f32(b))
        for a, b in ((6, 2), (4, 2), (10, 5), (2, 0), (2, 1), (32, 3))
    ]
    + [
        case("odd", f32(7), f32(2), raises=""),
        case("short", f32(4), f32(3), raises=""),
    ],
)


def assert_size(x, y):
    assert x.shape[0] > 2
    assert x.shape[0] != 7
    assert x.shape[1] == y.shape[0]
    return x @ y


program(
    "assert_statement",
    function(assert_size),
    FAMILY,
    dynamic=({0: Dim("n", min=3, max=20), 1: M}, {0: M}),
    example=(f32(5, 4), f32(4)),
    deferred=True,
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{n},{m}", f32(n, m), f32(m))
        for n, m in ((5, 4), (3, 1), (20, 24), (3, 0))
    ]
    + [
        case("7", f32(7, 2), f32(2), raises=""),
        case("2", f32(2, 3), f32(3), raises=""),
        case("21", f32(21, 3), f32(3), raises=""),
        case("differ", f32(3, 3), f32(2), raises=""),
    ],
)


def sym_minmax(x, y):
    n = torch.sym_max(x.shape[0], y.shape[0])
    m = torch.sym_min(x.shape[0], y.shape[0])
    return (torch.zeros(n), x[:m] + y[:m], n * 2 - m, torch.sym_max(n, 3))


program(
    "sym_min_max_sizes",
    function(sym_minmax),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(f32(5), f32(3)),
    cases=[
        case(f"{a},{b}", f32(a), f32(b))
        for a, b in ((5, 3), (3, 5), (0, 4), (1, 1), (32, 24), (0, 0))
    ],
)


d = Dim("d", min=0, max=20)


def derived(x, y, z):
    return (x[:-1] + z, y[::2] + z, x.sum() + y.sum())


program(
    "dims_derived",
    function(derived),
    FAMILY,
    dynamic=({0: d + 1}, {0: 2 * d}, {0: d}),
    example=(f32(6), f32(10), f32(5)),
    cases=[case(f"{n}", f32(n + 1), f32(2 * n), f32(n)) for n in (5, 2, 3, 20)]
    + [
        case("x short", f32(5), f32(10), f32(5), raises=""),
        case("y long", f32(6), f32(11), f32(5), raises=""),
        case("21", f32(22), f32(42), f32(21), raises=""),
    ],
)


e = Dim("e", min=1, max=8)


program(
    "dims_derived_affine",
    function(lambda x, y: (x.view(-1, 4), x.sum() + y, y * 2)),
    FAMILY,
    dynamic=({0: 4 * e}, {0: e}),
    example=(f32(8), f32(2)),
    cases=[case(f"{n}", f32(4 * n), f32(n)) for n in (2, 8)]
    + [case("1", f32(4), f32(1), quirk="torch assumes that the size is not 1")]
    + [
        case("not 4", f32(9), f32(2), raises=""),
        case("9", f32(36), f32(9), raises=""),
        case("0", f32(0), f32(0), raises=""),
    ],
)


def auto_special(x, y):
    return x.view(-1, 2) @ y


program(
    "dims_auto_even",
    function(auto_special),
    FAMILY,
    dynamic=({0: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO}),
    example=(f32(6), f32(2, 5)),
    cases=[
        case(f"{n},{m}", f32(n), f32(2, m))
        for n, m in ((6, 5), (4, 2), (10, 7))
    ]
    + [
        case("odd", f32(7), f32(2, 2), raises="s77 mod 2 == 0 does not hold"),
        case("3 rows", f32(6), f32(3, 2), raises=""),
    ],
)


def min_max_range(x):
    return (x * 2, x.shape[0])


program(
    "dim_range",
    function(min_max_range),
    FAMILY,
    dynamic=({0: Dim("r", min=3, max=7)},),
    example=(f32(4),),
    cases=[case(str(n), f32(n)) for n in (3, 4, 7)]
    + [
        case("2", f32(2), raises=""),
        case("8", f32(8), raises=""),
        case("0", f32(0), raises=""),
    ],
)


s = Dim("s", min=1, max=16)


def int_input(x, n: int, s: float):
    return (x[:n] * s, n + 1, s * 2)


program(
    "ints_and_floats",
    function(int_input),
    FAMILY,
    dynamic=({0: N}, None, None),
    example=(f32(5), 2, 0.5),
    cases=[case(str(n), f32(n), 2, 0.5) for n in (5, 2, 32)]
    + [case("1", f32(1), 2, 0.5)]
    + [
        case("n=3", f32(5), 3, 0.5, raises="declared by n"),
        case("s=1", f32(5), 2, 1.0, raises="declared by s"),
    ],
)


def dynamic_int(x, n):
    return (x[:n], torch.arange(n), n * 3)


program(
    "dynamic_int_input",
    function(dynamic_int),
    FAMILY,
    dynamic=({0: Dim.DYNAMIC}, Dim.DYNAMIC),
    example=(f32(6), 3),
    deferred=True,
    cases=[case(f"{n} of {m}", f32(m), n) for n, m in ((3, 6), (2, 2), (6, 6))]
    + [case("9 of 6", f32(6), 9, raises="")],
)


def floor_div_guard(x, y):
    return x[: x.shape[0] // 2] + y


program(
    "half_equals",
    function(floor_div_guard),
    FAMILY,
    dynamic=({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}),
    deferred=True,
    example=(f32(7), f32(3)),
    cases=[
        case(f"{a},{b}", f32(a), f32(b))
        for a, b in ((7, 3), (6, 3), (8, 4), (4, 2))
    ]
    + [
        case("8,3", f32(8), f32(3), raises=""),
        case("5,3", f32(5), f32(3), raises=""),
    ],
)


def torch_assert(x):
    torch._assert(x.shape[0] % 2 == 0, "needs pairs")
    torch._assert_async((x > -3).all(), "too negative")
    return x.view(-1, 2).sum(1)


program(
    "torch_asserts",
    function(torch_assert),
    FAMILY,
    dynamic=({0: 2 * Dim("h", min=1, max=8)},),
    example=(f32(6),),
    strict=True,
    cases=[case(str(n), f32(n)) for n in (6, 2, 16)]
    + [
        case("odd", f32(5), raises=""),
        case("negative", lit([1.0, -4.0]), raises="too negative"),
        case("18", f32(18), raises=""),
    ],
)


def check_or(x, k):
    u = k.item()
    torch._check((u == 1) | (u > 4), lambda: "one or above four")
    torch._check(u != 7)
    return x * u


program(
    "check_or",
    function(check_or),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(3), lit(5)),
    cases=[case(str(k), f32(3), lit(k)) for k in (1, 5, 100)]
    + [
        case("3", f32(3), lit(3), raises=""),
        case("7", f32(3), lit(7), raises=""),
    ],
)


def check_between(x, y, k):
    a, b = k.tolist()
    torch._check(a + b == x.shape[0])
    torch._check(2 * a <= b)
    torch._check(a >= 0)
    return (x[:a], x[a:], y * (b - 2 * a))


program(
    "check_affine",
    function(check_between),
    FAMILY,
    dynamic=({0: N}, None, None),
    example=(f32(7), f32(2), lit([2, 5])),
    cases=[
        case(f"{k}", f32(sum(k)), f32(2), lit(k))
        for k in ([2, 5], [0, 0], [1, 2], [0, 7])
    ]
    + [
        case("2a > b", f32(5), f32(2), lit([2, 3]), raises=""),
        case("sum", f32(5), f32(2), lit([1, 3]), raises=""),
        case("negative", f32(5), f32(2), lit([-1, 6]), raises=""),
    ],
)


program(
    "dims_sum",
    function(lambda x, y, z: torch.cat([x, y]) * z),
    FAMILY,
    dynamic=({0: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO}),
    example=(f32(3), f32(4), f32(7)),
    deferred=True,
    cases=[
        case(f"{a},{b}", f32(a), f32(b), f32(a + b))
        for a, b in ((3, 4), (2, 2), (9, 5))
    ]
    + [case("no", f32(3), f32(4), f32(6), raises="")],
)
