"""In-place updates: of inputs, through views, with out arguments."""

import torch
from torch.export import Dim

from recording.table import case, function, program
from recording.values import chosen, f32, i64, lit

from .common import K, M, N, ROWS, MATRIX

FAMILY = "mutation"


def in_mut(x, y):
    x.add_(y)
    x.mul_(2)
    return (x + 1, y)


program(
    "mutates_input",
    function(in_mut),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(4), f32(4)),
    cases=[case(str(n), f32(n), f32(n)) for n in (4, 0, 1, 32)]
    + [case("differ", f32(4), f32(3), raises="")],
)


def setitem(x, m, i):
    y = x.clone()
    y[m] = 0
    y[i] = y[i] * 2
    y[..., 0] = 7
    y[0, 1:] = torch.arange(2.0)
    y[None, 1] = y[0]
    return y


program(
    "assigns_items",
    function(setitem),
    FAMILY,
    dynamic=({0: N}, {0: N}, {0: M}),
    example=(f32(4, 3), chosen(4, 2), lit([0, -1])),
    cases=[
        case(str(n), f32(n, 3), chosen(n, n // 2), lit([0, -1]))
        for n in (4, 2, 32)
    ]
    + [
        case(
            "1",
            f32(1, 3),
            chosen(1, 1),
            lit([0]),
            raises="aten.select.int: the index is out of range",
        )
    ],
)


def index_put(x, i, v):
    y = x.clone()
    y.index_put_((i,), v, accumulate=True)
    z = x.index_put((i,), v[:1])
    w = x.clone()
    w.index_add_(0, i, v, alpha=2)
    q = x.index_copy(0, i[:1], v[:1])
    return (y, z, w, q)


program(
    "index_puts_repeated",
    function(index_put),
    FAMILY,
    dynamic=(None, {0: K}, {0: K}),
    example=(f32(4, 2), i64(3, lo=0, hi=3), f32(3, 2)),
    cases=[
        case(str(k), f32(4, 2), i64(k, lo=0, hi=3), f32(k, 2))
        for k in (5, 1, 16)
    ]
    + [
        case(
            "out",
            f32(4, 2),
            lit([4]),
            f32(1, 2),
            raises="aten.index_put_.default: an index is out of range",
        )
    ],
)


NM = [
    case(f"{n},{m}", f32(n, m))
    for n, m in ((3, 4), (0, 3), (3, 0), (1, 1), (32, 24))
]


def transposed_in_place(x):
    y = x.clone()
    y.t_()
    y.unsqueeze_(0)
    y.squeeze_(0)
    z = x.clone().transpose_(0, 1)
    return y + z


program(
    "in_place_views",
    function(transposed_in_place),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 4),),
    cases=NM,
)


def kv(cache, pos, k):
    i = pos.item()
    torch._check_is_size(i)
    torch._check(i < cache.shape[1])
    new = cache.clone()
    new.select(1, i).copy_(k)
    return (new, new[:, : i + 1].sum(1))


program(
    "cache_at_item",
    function(kv),
    FAMILY,
    dynamic=({1: N}, None, None),
    example=(f32(2, 5, 3), lit(2), f32(2, 3)),
    cases=[
        case(f"{i} of {n}", f32(2, n, 3), lit(i), f32(2, 3))
        for i, n in ((2, 5), (0, 1), (4, 5), (31, 32))
    ]
    + [
        case("5 of 5", f32(2, 5, 3), lit(5), f32(2, 3), raises=""),
        case("-1", f32(2, 5, 3), lit(-1), f32(2, 3), raises=""),
    ],
)


def scatter_forms(x, i, v):
    return (
        x.scatter(1, i, v),
        x.scatter(1, i, 2.5),
        x.scatter_add(1, i, v),
        x.scatter_reduce(1, i, v, "amax"),
        x.gather(1, i),
        x.scatter(1, i, v, reduce="multiply"),
        x.scatter_reduce(1, i, v, "mean", include_self=False),
    )


program(
    "scatters_all",
    function(scatter_forms),
    FAMILY,
    dynamic=({0: N}, {0: N}, {0: N}),
    example=(f32(4, 5), i64(4, 3, lo=0, hi=4), f32(4, 3)),
    cases=[
        case(f"{n}", f32(n, 5), i64(n, 3, lo=0, hi=4), f32(n, 3))
        for n in (4, 0, 1)
    ]
    + [
        case(
            "out",
            f32(1, 5),
            lit([[0, 5, 1]]),
            f32(1, 3),
            raises="aten.scatter.src: an index is out of range",
        )
    ],
)


def masked_scatter(x, m, s):
    y = x.clone()
    y.masked_scatter_(m, s)
    y[m] += 1
    y[~m] = 0
    return (y, x.masked_fill(m, -1).sum(), torch.where(m, x, s[: x.shape[0]]))


program(
    "masked_updates",
    function(masked_scatter),
    FAMILY,
    dynamic=({0: N}, {0: N}, {0: N}),
    example=(f32(4), chosen(4, 2), f32(4)),
    cases=[
        case(f"{k} of {n}", f32(n), chosen(n, k), f32(n))
        for k, n in ((2, 4), (0, 4), (4, 4), (0, 0), (1, 1))
    ],
)


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)] + [
    case("33", f32(33), raises="")
]


def out_arg(x):
    o = torch.empty_like(x)
    torch.add(x, 1, out=o)
    torch.mul(o, 2, out=o)
    return o


program(
    "out_arguments",
    function(out_arg),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def fill_diag(x):
    y = x.clone()
    y.fill_diagonal_(5.0)
    y.diagonal().add_(1)
    y.diagonal(1).mul_(2)
    return (y, torch.diagonal_scatter(x, torch.zeros(3)), x.diagonal(-1))


program(
    "diagonal_updates",
    function(fill_diag),
    FAMILY,
    example=(f32(3, 3),),
    cases=[case("3", f32(3, 3))],
)


def unfolded(x, k):
    """Windows that do not overlap may be written."""
    y = x.clone()
    y.unfold(1, 2, 2).mul_(k)
    y.unfold(1, 2, 3)[:, :, 1].add_(1)
    return y


program(
    "unfolded_updates",
    function(unfolded),
    FAMILY,
    dynamic=({0: N}, {}),
    example=(f32(4, 6), lit(2.0)),
    cases=[case(str(n), f32(n, 6), lit(3.0)) for n in (4, 0, 1)],
)


def index_reduced(x, i):
    return [x.index_reduce(0, i, x - 3, mode, include_self=own)
            for mode in ("mean", "prod", "amax", "amin")
            for own in (True, False)]


program(
    "index_reduced",
    function(index_reduced),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: N}),
    example=(i64(4, 2), i64(4, lo=0, hi=3)),
    cases=[case(f"{n} by {m}", i64(n, m), i64(n, lo=0, hi=max(n - 1, 0)))
           for n, m in ((4, 2), (0, 2), (1, 1), (3, 0))]
    + [case("beyond", i64(2, 2), lit([0, 2]), raises=""),
       case("beyond without columns", i64(2, 0), lit([0, 2]), raises="")],
)


def updates_repeated(x, y, z):
    """Updates of tensors that repeat others, as far as PyTorch has them."""
    a, b = torch.broadcast_tensors(x, x)
    a.add_(b)
    x.unsqueeze(0).expand(y.shape[0], -1).fill_(2)
    x[1:2].expand(3).masked_fill_(torch.tensor([False, True, False]), 7.0)
    rows = y.expand(z.shape[0], -1, -1)
    rows[:1].copy_(rows[-1:] * 2)
    rows[0, 1] = 5
    z.unsqueeze(-1).expand(-1, 1).mul_(3)
    return a + 0, rows + 0


program(
    "updates_repeated",
    function(updates_repeated),
    FAMILY,
    dynamic=({0: N}, {0: K, 1: N}, {0: M}),
    example=(f32(4), f32(3, 4), f32(2)),
    cases=[case(f"{n}, {k}, {m}", f32(n), f32(k, n), f32(m))
           for n, k, m in ((4, 3, 2), (2, 2, 1), (9, 5, 3))],
)


def updates_repeats(x, count):
    """Where elements are one in memory, PyTorch updates none."""
    k = count.item()
    torch._check(k >= 0)
    torch._check(k <= 6)
    rows = x.unsqueeze(0).expand(k, -1)
    rows[1:] = rows[:-1].clone()
    return rows + 0


program(
    "updates_repeats",
    function(updates_repeats),
    FAMILY,
    dynamic=({0: N}, {}),
    example=(f32(4), lit(2)),
    cases=[case(f"{n}, {k}", f32(n), lit(k))
           for n, k in ((4, 2), (1, 1), (4, 0), (0, 5))]
    + [case("repeated", f32(4), lit(3), raises="are one in memory")],
)


def updates_run(x):
    """Elements that follow one another in memory."""
    y = x.clone(memory_format=torch.contiguous_format)
    y.as_strided((2,), (1,), 1).add_(1)
    z = y.as_strided((1, 2), (2, 1))
    z.copy_(z * 2)
    return y


program("updates_run", function(updates_run), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),),
        cases=[case(f"{n}, {m}", f32(n, m)) for n, m in ((3, 4), (1, 3), (3, 1))] +
        [case("too few", f32(1, 2), raises="")])


def updates_strided(x):
    """Elements at distances in memory; where there is none, one repeats."""
    y = x.clone(memory_format=torch.contiguous_format)
    repeated = y.as_strided((2, 3), (0, 1))
    repeated[1:].abs_()
    y.as_strided((2, 2), (3, 1)).add_(repeated[:, :2] * 2)
    every_second = y.as_strided((x.shape[0] * 2,), (2,), 1)
    every_second.copy_(every_second.flip(0))
    y.as_strided((2,), (0,), 2).fill_(7)
    return y, repeated + 0, every_second


program("updates_strided", function(updates_strided), FAMILY, dynamic=({0: N},),
        example=(f32(3, 4),),
        cases=[case(f"{n}", f32(n, 4)) for n in (3, 2, 32)] +
        [case("too few", f32(1, 4), raises="the elements are out of bounds")])


def updates_windows(x, k):
    """Windows that overlap are read; those that do not are updated."""
    y = x * 2
    windows = y.as_strided((2, 3), (k.item(), 1))
    y[0] = 1
    sums = windows.sum(1)
    windows.mul_(3)
    return y, sums


program("updates_windows", function(updates_windows), FAMILY,
        dynamic=({0: Dim.AUTO}, None), example=(f32(8), lit(3)),
        cases=[case(f"{k} of {n}", f32(n), lit(k)) for n, k in
               ((8, 3), (8, 5), (6, 3), (32, 4))] +
        [case("too far", f32(8), lit(6), raises="the elements are out of bounds"),
         case("back", f32(8), lit(-1), raises="")])


def updates_einsum(x):
    """A result with the letters of the only operand is a view of it."""
    y = torch.einsum("ij->ji", x)
    x.sub_(x.sum())
    z = torch.einsum("...i->...i", y)
    z.mul_(2)
    return y, torch.einsum("ij->i", x)


program("updates_einsum", function(updates_einsum), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),),
        cases=[case(f"{n}, {m}", f32(n, m)) for n, m in ((3, 4), (1, 1), (0, 5), (5, 2))])


def updates_diagonal(x):
    """A letter that the only operand has twice stands for its diagonal."""
    y = x.clone(memory_format=torch.contiguous_format)
    torch.einsum("ii->i", y).mul_(2)
    z = x.clone(memory_format=torch.contiguous_format)
    z = z.unsqueeze(1).expand(-1, 2, -1).clone()
    turned = torch.einsum("iji->ji", z)
    z.sub_(z.sum())
    turned.add_(1)
    return y, z, turned, torch.einsum("ii->", x)


program("updates_diagonal", function(updates_diagonal), FAMILY,
        dynamic=({0: N, 1: N},), example=(f32(3, 3),),
        cases=[case(f"{n}", f32(n, n)) for n in (3, 1, 0, 5)])


def updates_contiguous(x):
    """What is contiguous already is itself, which depends on the sizes."""
    turned = x.t()
    y = turned.contiguous()
    y.add_(1)
    z = y[1:].transpose(0, 1).contiguous().view(-1)
    z.mul_(2)
    x.sub_(0.5)
    return y, z, turned + 0


program("updates_contiguous", function(updates_contiguous), FAMILY,
        dynamic=({0: torch.export.Dim.AUTO, 1: torch.export.Dim.AUTO},),
        oblivious=True, example=(f32(3, 4),),
        cases=[case(f"{n}, {m}", f32(n, m), quirk="torch guards that no size "
                    "is 1") for n, m in (
            (3, 4), (1, 3), (3, 1), (1, 1), (0, 2), (2, 2), (1, 2))])


def updates_from_part(x):
    """What is read may be what is written, but no other part of it."""
    y = x.clone()
    y.sub_(y[:1])
    return y


program("updates_from_part", function(updates_from_part), FAMILY,
        dynamic=({0: torch.export.Dim.AUTO},), example=(f32(5),),
        cases=[case(f"{n}", f32(n)) for n in (1, 0)] +
        [case(f"{n}", f32(n), raises="refer to a single memory location")
         for n in (2, 5)])


def updates_from_turned(x):
    """A matrix and its transpose are the same in memory, if in another order."""
    y = x.clone()
    y.add_(y.t())
    return y


program("updates_from_turned", function(updates_from_turned), FAMILY,
        dynamic=({0: N, 1: N},), example=(f32(3, 3),),
        cases=[case(f"{n}", f32(n, n)) for n in (1, 0)] +
        [case(f"{n}", f32(n, n), raises="refer to a single memory location")
         for n in (2, 3)])


def masks_from_part(x):
    y = x > 0
    y.masked_fill_(y, True)
    y.masked_fill_(y[:1], False)
    return y


program("masks_from_part", function(masks_from_part), FAMILY,
        dynamic=({0: torch.export.Dim.AUTO},), example=(f32(5),),
        cases=[case(f"{n}", f32(n)) for n in (1, 0)] +
        [case(f"{n}", f32(n), raises="refer to a single memory location")
         for n in (2, 5)])


def scatters_from_part(x, index):
    """What places are given for may not be read from what is written."""
    y, n = x.clone(), x.shape[0]
    y[:3].index_add_(0, index, y[n - 2:])
    y[:3].index_copy_(0, index, y[n - 2:])
    y[:3].index_put_((index,), y[n - 2:], accumulate=True)
    y[:3].scatter_(0, index, y[n - 2:])
    y[:3].scatter_add_(0, index, y[n - 2:])
    y[:3].scatter_reduce_(0, index, y[n - 2:], "amax")
    return y


program("scatters_from_part", function(scatters_from_part), FAMILY,
        dynamic=({0: torch.export.Dim.AUTO}, None), example=(f32(6), i64(2, lo=0, hi=2)),
        cases=[case(f"{n}", f32(n), i64(2, lo=0, hi=2)) for n in (5, 6, 9)] +
        [case(f"{n}", f32(n), i64(2, lo=0, hi=2),
              raises="refer to a single memory location") for n in (3, 4)])


def updates_beside(x):
    """Parts that are apart in memory, or that are all of it."""
    y, n = x.clone(), x.shape[0]
    y[:n // 2].sub_(y[n - n // 2:])
    y.mul_(y.view(n, 2))
    y[:, 0].copy_(y[:, 1])
    y.view(n, 2).add_(y, alpha=2)
    return y


program("updates_beside", function(updates_beside), FAMILY,
        dynamic=({0: torch.export.Dim.AUTO},), example=(f32(5, 2),),
        cases=[case(f"{n}", f32(n, 2), quirk="torch guards that no size is 1")
               for n in (5, 1, 0, 2, 3, 8)])


def updates_expanded(x, k):
    """What repeats rows is never contiguous, whatever its other sizes are."""
    n = k.item()
    torch._check(n >= 2)
    torch._check(n <= x.shape[0])
    y = x[:n].unsqueeze(1).expand(-1, 3, -1).contiguous()
    y.add_(1)
    return y, x + 0


program("updates_expanded", function(updates_expanded), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO}, None), example=(f32(5, 4), lit(3)),
        cases=[case(f"{k} of {n}, {m}", f32(n, m), lit(k))
               for n, m, k in ((5, 4, 3), (2, 1, 2), (3, 0, 2), (6, 2, 6))] +
        [case("too many", f32(3, 2), lit(4), raises=""),
         case("too few", f32(3, 2), lit(1), raises="")])
