"""Sizes that are counted in the data, and items as numbers of elements."""

import torch
import torch.nn.functional as F

from recording.table import case, function, program
from recording.values import chosen, f32, i64, lit

from .common import M, N, ROWS, MATRIX

FAMILY = "unbacked"


def item_of_reduction(x):
    n = (x > 0).sum().item()
    torch._check_is_size(n)
    torch._check(n <= x.numel())
    s, _ = x.sort(descending=True)
    return (s[:n], n, torch.arange(n).float().sum())


program(
    "item_of_reduction",
    function(item_of_reduction),
    FAMILY,
    dynamic=ROWS,
    example=(f32(7),),
    cases=[case(f"{n}", f32(n)) for n in (7, 0, 1, 32)]
    + [case("33", f32(33), raises="")],
)


def nonzero_split(x):
    i, j = torch.nonzero(x > 0, as_tuple=True)
    return (i + j, x[i, j], i.shape[0])


program(
    "nonzero_as_tuple",
    function(nonzero_split),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 4),),
    cases=[
        case(f"{n},{m}", f32(n, m))
        for n, m in ((3, 4), (0, 4), (3, 0), (1, 1), (32, 24))
    ]
    + [case("33", f32(33, 1), raises="")],
)


def masked_unsqueeze(x, mask):
    y = torch.masked_select(x, mask)
    return (
        y.unsqueeze(0).expand(2, -1) * 2,
        y.numel() + 1,
        y.view(-1, 1) * y,
        y[None, :, None].shape[1],
    )


program(
    "masked_select_views",
    function(masked_unsqueeze),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(6), chosen(6, 3)),
    cases=[
        case(f"{k} of {n}", f32(n), chosen(n, k))
        for k, n in ((3, 6), (0, 6), (1, 6), (6, 6), (0, 0), (1, 1))
    ]
    + [case("differ", f32(5), chosen(4, 2), raises="")],
)


def nonzero_static(x):
    return (
        torch.nonzero_static(x, size=4),
        torch.nonzero_static(x > 0, size=3, fill_value=-7),
    )


program(
    "nonzero_statics",
    function(nonzero_static),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 2),),
    cases=[
        case(f"{n},{m}", f32(n, m))
        for n, m in ((3, 2), (0, 2), (2, 0), (1, 1), (32, 24))
    ],
)


def unique_consecutive(x):
    v, c = torch.unique_consecutive(x, return_counts=True)
    return (v, c)


program(
    "unique_consecutive",
    function(unique_consecutive),
    FAMILY,
    dynamic=ROWS,
    example=(i64(7, lo=0, hi=2),),
    cases=[case(f"{n}", i64(n, lo=0, hi=2)) for n in (7, 0, 1, 32)],
)


def repeat_interleave(x, r):
    return (
        torch.repeat_interleave(x, r, dim=0),
        x.repeat_interleave(2, dim=1),
        r.repeat_interleave(r),
        torch.repeat_interleave(r),
    )


program(
    "repeat_interleave_forms",
    function(repeat_interleave),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(3, 2), lit([1, 0, 2])),
    cases=[case(f"{n}", f32(n, 2), i64(n, lo=0, hi=3)) for n in (3, 0, 1, 32)]
    + [
        case(
            "negative",
            f32(2, 2),
            lit([1, -1]),
            raises="a negative number of repetitions",
        ),
        case("differ", f32(3, 2), lit([1, 1]), raises=""),
    ],
)


def item_topk(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[1])
    v, i = torch.topk(x, u)
    return (v, i)


program(
    "item_topk",
    function(item_topk),
    FAMILY,
    dynamic=({0: N, 1: M}, None),
    example=(f32(3, 5), lit(2)),
    cases=[
        case(f"{u} of {n},{m}", f32(n, m), lit(u))
        for u, n, m in ((2, 3, 5), (0, 3, 5), (5, 3, 5), (1, 1, 1), (1, 0, 3))
    ]
    + [case("6 of 5", f32(3, 5), lit(6), raises="")],
)


def item_embedding(table, ids, k):
    u = k.item()
    torch._check_is_size(u)
    torch._check(u <= ids.shape[0])
    e = F.embedding(ids[:u], table)
    return (e.sum(0), e)


program(
    "item_embedding",
    function(item_embedding),
    FAMILY,
    dynamic=({0: M}, {0: N}, None),
    example=(f32(9, 3), i64(5, lo=0, hi=8), lit(3)),
    cases=[
        case(f"{u} of {n}", f32(9, 3), i64(n, lo=0, hi=8), lit(u))
        for u, n in ((3, 5), (0, 5), (5, 5), (1, 1), (0, 0))
    ]
    + [
        case(
            "index",
            f32(2, 3),
            lit([0, 2]),
            lit(2),
            raises="aten.embedding.default: an index is out of range",
        ),
        case("index unused", f32(2, 3), lit([0, 2]), lit(1)),
        case("6 of 5", f32(9, 3), i64(5, lo=0, hi=8), lit(6), raises=""),
    ],
)


program(
    "nonzero_expands",
    function(
        lambda x, y: (
            torch.nonzero(x).expand(-1, 5),
            y.expand(-1, torch.nonzero(x).shape[0]),
        )
    ),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(6), f32(6, 1)),
    cases=[
        case(
            f"{n}",
            lit([float(i % 3) for i in range(n)] or [], torch.float32),
            f32(n, 1),
        )
        for n in (6, 1, 3)
    ]
    + [case("none", f32(0), f32(0, 1))],
)


program(
    "nonzero_matmul",
    function(
        lambda x, y: x.new_ones(torch.nonzero(x).shape[0], y.shape[0]) @ y
    ),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(f32(5), f32(4, 3)),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{n},{m}", f32(n), f32(m, 3))
        for n, m in ((5, 4), (0, 4), (1, 1), (5, 0))
    ],
)


def two_masks(x, y):
    a, b = (x[x > 0], y[y > 0])
    torch._check(a.shape[0] == b.shape[0])
    return (a + b, torch.stack([a, b]), torch.cat([a, b]).view(2, -1))


program(
    "masks_of_one_size",
    function(two_masks),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(lit([1.0, -1.0, 2.0]), lit([3.0, -1.0, -2.0, 4.0])),
    cases=[
        case("2 and 2", lit([1.0, -1.0, 2.0]), lit([3.0, -1.0, -2.0, 4.0])),
        case("none", lit([-1.0]), f32(0)),
        case("1", lit([1.0]), lit([2.0, -1.0])),
        case("2 and 1", lit([1.0, 2.0]), lit([1.0]), raises=""),
        case("1 and 2", lit([1.0]), lit([1.0, 2.0]), raises=""),
    ],
)


def mask_reshape(x):
    y = x[x > 0]
    torch._check(y.shape[0] % 2 == 0)
    return (y.view(-1, 2).sum(1), y.view(2, y.shape[0] // 2))


program(
    "mask_in_pairs",
    function(mask_reshape),
    FAMILY,
    dynamic=ROWS,
    example=(lit([1.0, 2.0, -3.0, 4.0, 5.0]),),
    cases=[
        case("4", lit([1.0, 2.0, -3.0, 4.0, 5.0])),
        case("0", lit([-1.0])),
        case("2", lit([1.0, 2.0])),
        case("odd", lit([1.0, 2.0, 3.0]), raises=""),
        case("one", lit([1.0]), raises=""),
    ],
)


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)] + [
    case("33", f32(33), raises="")
]


def sizes_out_of_where(x):
    (i,) = torch.where(x > 0)
    return (
        x[i],
        i.sum(),
        F.pad(i, (0, 1), value=-1),
        x.index_select(0, i),
        x.index_fill(0, i, 0.0),
        x.scatter(0, i, 1.0),
    )


program(
    "where_indices",
    function(sizes_out_of_where),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def filled_as_counts(x):
    counts = x.unique(return_counts=True)[1]
    return (counts.new_full((2,), 3), torch.zeros_like(counts),
            torch.full_like(counts, 4))


program("filled_as_counts", function(filled_as_counts), FAMILY,
        dynamic=({0: N},), example=(f32(4),),
        cases=[case(str(n), f32(n)) for n in (4, 1, 0)])
