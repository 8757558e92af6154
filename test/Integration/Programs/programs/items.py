"""Sizes that are items or counts: every way to make, cut or check with them."""

import torch
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, i64, lit

from .common import M, N

FAMILY = "unbacked"


def item_arange_forms(k):
    u = k.item()
    torch._check_is_size(u)
    torch._check(u <= 40)
    return (
        torch.arange(u),
        torch.arange(1, u + 1),
        torch.arange(0, u, 2),
        torch.arange(u, dtype=torch.float32) / 2,
        torch.arange(-u, u),
        torch.arange(u, 0, -1),
    )


program(
    "item_arange_forms",
    function(item_arange_forms),
    FAMILY,
    example=(lit(4),),
    cases=[case(str(u), lit(u)) for u in (4, 0, 1, 40)]
    + [case("-1", lit(-1), raises=""), case("41", lit(41), raises="")],
)


def item_full_ones(x):
    u, v = x.tolist()
    torch._check_is_size(u)
    torch._check_is_size(v)
    torch._check(u < 10)
    torch._check(v < 10)
    return (
        torch.full((u, v), 3),
        torch.full([v], 0.5),
        torch.ones(u, v, dtype=torch.int32).sum(0),
        torch.zeros(u * v),
        torch.empty(u, v).fill_(2.0),
        torch.eye(u),
    )


program(
    "item_tolist",
    function(item_full_ones),
    FAMILY,
    example=(lit([2, 3]),),
    cases=[
        case(f"{a},{b}", lit([a, b]))
        for a, b in ((2, 3), (0, 3), (3, 0), (1, 1), (9, 9))
    ]
    + [
        case("10", lit([10, 1]), raises=""),
        case("-1", lit([3, -1]), raises=""),
    ],
)


def item_narrow(x, k):
    a, b = k.tolist()
    torch._check(a >= 0)
    torch._check(b >= 0)
    torch._check(a + b <= x.shape[0])
    return (x.narrow(0, a, b), torch.narrow(x, 0, a, b).sum(0))


program(
    "item_narrow_two",
    function(item_narrow),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(6, 2), lit([1, 3])),
    cases=[
        case(f"{a},{b} of {n}", f32(n, 2), lit([a, b]))
        for a, b, n in (
            (1, 3, 6),
            (0, 0, 0),
            (6, 0, 6),
            (0, 6, 6),
            (5, 1, 6),
            (31, 1, 32),
        )
    ]
    + [
        case("too long", f32(6, 2), lit([4, 3]), raises=""),
        case("negative", f32(6, 2), lit([-1, 3]), raises=""),
        case("33", f32(33, 2), lit([0, 1]), raises=""),
    ],
)


def item_view_rows(x, k):
    u = k.item()
    torch._check(u > 0)
    torch._check(x.shape[0] % u == 0)
    return x.view(u, x.shape[0] // u).sum(1)


program(
    "item_view_rows",
    function(item_view_rows),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(12), lit(3)),
    cases=[
        case(f"{u} of {n}", f32(n), lit(u))
        for u, n in ((3, 12), (1, 12), (12, 12), (5, 0), (1, 1), (4, 32))
    ]
    + [
        case("5 of 12", f32(12), lit(5), raises=""),
        case("0 of 12", f32(12), lit(0), raises=""),
        case("0 of 0", f32(0), lit(0), raises=""),
        case("24 of 12", f32(12), lit(24), raises=""),
    ],
)


def item_split_sizes(x):
    y, k = x
    a, b, c = k.tolist()
    for s in (a, b, c):
        torch._check_is_size(s)
    p, q, r = torch.split(y, [a, b, c])
    return (p * 2, q + 1, r.sum(0))


program(
    "item_split_sizes",
    function(lambda y, k: item_split_sizes((y, k))),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(6, 2), lit([1, 2, 3])),
    cases=[
        case(f"{k}", f32(sum(k), 2), lit(k))
        for k in ([1, 2, 3], [0, 0, 0], [0, 5, 0], [32, 0, 0], [1, 1, 1])
    ]
    + [
        case("too many", f32(6, 2), lit([3, 3, 3]), raises=""),
        case("too few", f32(6, 2), lit([1, 1, 1]), raises=""),
        case("negative", f32(6, 2), lit([-1, 4, 3]), raises=""),
    ],
)


def item_index(x, k):
    u = k.item()
    torch._check(u >= -x.shape[0])
    torch._check(u < x.shape[0])
    return (x[u], x.select(0, u) * 2)


program(
    "item_index_signed",
    function(item_index),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(5, 2), lit(2)),
    deferred=True,
    cases=[
        case(f"{u} of {n}", f32(n, 2), lit(u))
        for u, n in (
            (2, 5),
            (0, 5),
            (4, 5),
            (-1, 5),
            (-5, 5),
            (0, 1),
            (-1, 1),
            (31, 32),
        )
    ]
    + [
        case("5 of 5", f32(5, 2), lit(5), raises=""),
        case("-6 of 5", f32(5, 2), lit(-6), raises=""),
        case("none", f32(0, 2), lit(0), raises=""),
    ],
)


def item_slice_bounds(x, k):
    a, b = k.tolist()
    torch._check(a >= 0)
    torch._check(a <= b)
    torch._check(b <= x.shape[0])
    y = x[a:b]
    return (y, y.shape[0] * 2, y.sum(), x[a:].sum(0))


program(
    "item_slice_bounds",
    function(item_slice_bounds),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(6, 3), lit([1, 4])),
    cases=[
        case(f"{a}:{b} of {n}", f32(n, 3), lit([a, b]))
        for a, b, n in (
            (1, 4, 6),
            (0, 0, 0),
            (0, 6, 6),
            (3, 3, 6),
            (6, 6, 6),
            (0, 1, 1),
        )
    ]
    + [
        case("4:1", f32(6, 3), lit([4, 1]), raises=""),
        case("0:7", f32(6, 3), lit([0, 7]), raises=""),
        case("-1:3", f32(6, 3), lit([-1, 3]), raises=""),
    ],
)


def items_equal_sum(x, y, k):
    u, v = k.tolist()
    torch._check_is_size(u)
    torch._check_is_size(v)
    torch._check(u + v == x.shape[0])
    a, b = (x[:u], x[u:])
    return (torch.cat([b, a]) + y, a.shape[0])


program(
    "items_sum_to_size",
    function(items_equal_sum),
    FAMILY,
    dynamic=({0: N}, {0: N}, None),
    example=(f32(5), f32(5), lit([2, 3])),
    cases=[
        case(f"{u}+{v}", f32(u + v), f32(u + v), lit([u, v]))
        for u, v in ((2, 3), (0, 0), (0, 1), (1, 0), (30, 2))
    ]
    + [case("2+2 of 5", f32(5), f32(5), lit([2, 2]), raises="")],
)


def item_mask_len(x, lengths):
    n = lengths.max().item()
    torch._check_is_size(n)
    torch._check(n <= x.shape[1])
    y = x[:, :n]
    mask = torch.arange(n)[None, :] < lengths[:, None]
    return ((y * mask).sum(1), mask)


program(
    "item_lengths_mask",
    function(item_mask_len),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: N}),
    example=(f32(3, 6), lit([2, 5, 0])),
    cases=[
        case(f"{n},{m}", f32(n, m), i64(n, lo=0, hi=m))
        for n, m in ((3, 6), (1, 1), (32, 24), (2, 0))
    ]
    + [
        case("too long", f32(2, 3), lit([1, 4]), raises=""),
        case(
            "nobody",
            f32(0, 3),
            i64(0),
            raises="the reduced dimension must not be empty",
        ),
    ],
)


def item_arith(k):
    u = k.item()
    torch._check(u >= 1)
    torch._check(u <= 20)
    return (
        torch.arange(u * 2),
        torch.zeros(u // 2),
        torch.ones(u % 3 + 1),
        torch.arange(u**2 // 3),
        torch.full((3,), u / 2),
        torch.zeros(u, u + 1),
        -u,
        u * 1.5,
    )


program(
    "item_size_arithmetic",
    function(item_arith),
    FAMILY,
    example=(lit(5),),
    cases=[case(str(u), lit(u)) for u in (5, 1, 20)]
    + [case("0", lit(0), raises=""), case("21", lit(21), raises="")],
)


def item_window(x, k):
    i = k.item()
    torch._check(i >= 0)
    torch._check(i + 3 <= x.shape[0])
    return (x[i : i + 3], torch.narrow(x, 0, i, 3).sum(), x[i], x[i + 2])


program(
    "item_window",
    function(item_window),
    FAMILY,
    dynamic=({0: Dim("n", min=3, max=32)}, None),
    example=(f32(6), lit(1)),
    cases=[
        case(f"{i} of {n}", f32(n), lit(i))
        for i, n in ((1, 6), (0, 3), (29, 32))
    ]
    + [
        case("4 of 6", f32(6), lit(4), raises=""),
        case("-1", f32(6), lit(-1), raises=""),
        case("2 rows", f32(2), lit(0), raises=""),
    ],
)


def cumsum_split(x, lengths):
    ends = lengths.cumsum(0)
    a = ends[0].item()
    b = ends[1].item()
    torch._check(a >= 0)
    torch._check(a <= b)
    torch._check(b <= x.shape[0])
    return (x[:a].sum(), x[a:b].sum(), x[b:].sum())


program(
    "segments_by_cumsum",
    function(cumsum_split),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(6), lit([2, 3])),
    cases=[
        case(f"{l}", f32(6), lit(l)) for l in ([2, 3], [0, 0], [6, 0], [0, 6])
    ]
    + [
        case("long", f32(6), lit([3, 4]), raises=""),
        case("negative", f32(6), lit([3, -1]), raises=""),
    ],
)


def item_one_hot(x, k):
    c = k.item()
    torch._check(c >= 1)
    torch._check(c <= 9)
    return (
        (x[:, None] == torch.arange(c)).long(),
        torch.zeros(x.shape[0], c).scatter(1, x[:, None], 1.0),
    )


program(
    "item_classes",
    function(item_one_hot),
    FAMILY,
    dynamic=({0: N}, None),
    example=(lit([0, 3, 1]), lit(4)),
    cases=[
        case("4", lit([0, 3, 1]), lit(4)),
        case("1", lit([0]), lit(1)),
        case("nobody", i64(0), lit(3)),
        case(
            "class",
            lit([4]),
            lit(4),
            raises="aten.scatter.value: an index is out of range",
        ),
        case("0", i64(0), lit(0), raises=""),
    ],
)
