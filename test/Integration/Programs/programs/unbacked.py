"""Sizes that come out of data."""

import torch
import torch.nn.functional as F
from torch import nn

from recording.table import case, function, program
from recording.values import ints, b1, chosen, f32, i64, lit

from .common import K, M, N

FAMILY = "unbacked"


def item_slice(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    return x[:u] * 2, x[:u].sum(0), u + 1


program("item_slice", function(item_slice), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(6, 3), lit(2)),
        cases=[case("2 of 6", f32(6, 3), lit(2)),
               case("0 of 6", f32(6, 3), lit(0)),
               case("1 of 6", f32(6, 3), lit(1)),
               case("6 of 6", f32(6, 3), lit(6)),
               case("0 of 0", f32(0, 3), lit(0)),
               case("32 of 32", f32(32, 3), lit(32)),
               case("7 of 6", f32(6, 3), lit(7), raises=""),
               case("-1 of 6", f32(6, 3), lit(-1), raises=""),
               case("33 rows", f32(33, 3), lit(1), raises="")])


def item_creates(k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= 64)
    return (torch.arange(u), torch.zeros(u, 2), torch.full((u,), u),
            torch.ones(2, u).sum(1), torch.arange(u) * u)


program("item_creates", function(item_creates), FAMILY,
        tags=("unbacked", "item"), example=(lit(3),),
        cases=[case(f"{u}", lit(u)) for u in (3, 0, 1, 2, 63, 64)] + [
            case("65", lit(65), raises=""), case("-1", lit(-1), raises=""),
            case("2**62", lit(2**62), raises="")])


def item_middle(x, k):
    """A window that starts and ends at data."""
    a, b = k[0].item(), k[1].item()
    torch._check(a >= 0)
    torch._check(b >= 0)
    torch._check(a + b <= x.shape[0])
    return x.narrow(0, a, b).sum(0), torch.narrow(x, 0, a, b)


program("item_middle", function(item_middle), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(9, 2), lit([2, 3])),
        cases=[case("3 from 2 of 9", f32(9, 2), lit([2, 3])),
               case("all", f32(9, 2), lit([0, 9])),
               case("none at the end", f32(9, 2), lit([9, 0])),
               case("the last", f32(9, 2), lit([8, 1])),
               case("none of none", f32(0, 2), lit([0, 0])),
               case("beyond", f32(9, 2), lit([7, 3]), raises=""),
               case("negative start", f32(9, 2), lit([-1, 3]), raises=""),
               case("negative length", f32(9, 2), lit([3, -1]), raises="")])


def item_selects(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u < x.shape[0])
    return x[u] * 2, x.select(0, u).sum()


program("item_selects", function(item_selects), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(6, 3), lit(2)), oblivious=True,
        cases=[case("2 of 6", f32(6, 3), lit(2)),
               case("the last", f32(6, 3), lit(5)),
               case("the only", f32(1, 3), lit(0)),
               case("6 of 6", f32(6, 3), lit(6), raises=""),
               case("0 of 0", f32(0, 3), lit(0), raises="")])


def item_sum_is_size(x, a, b):
    """u0 + u1 == x.size(0)."""
    u, v = a.item(), b.item()
    torch._check(u >= 0)
    torch._check(v >= 0)
    torch._check(u + v == x.shape[0])
    first, second = torch.split(x, [u, v])
    return first * 2, second.sum(0), torch.cat([second, first])


program("item_sum_is_size", function(item_sum_is_size), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None, None),
        example=(f32(7, 2), lit(3), lit(4)),
        cases=[case("3 and 4", f32(7, 2), lit(3), lit(4)),
               case("0 and 7", f32(7, 2), lit(0), lit(7)),
               case("7 and 0", f32(7, 2), lit(7), lit(0)),
               case("1 and 1", f32(2, 2), lit(1), lit(1)),
               case("3 and 3 of 7", f32(7, 2), lit(3), lit(3), raises=""),
               case("8 and -1", f32(7, 2), lit(8), lit(-1), raises="")])


def item_divides(x, k):
    """u is a divisor of the number of elements."""
    u = k.item()
    torch._check(u > 0)
    torch._check(x.shape[0] % u == 0)
    return x.view(u, x.shape[0] // u).sum(1), x.shape[0] // u


program("item_divides", function(item_divides), FAMILY,
        tags=("unbacked", "item", "divisibility"), dynamic=({0: N}, None),
        example=(f32(12), lit(3)),
        cases=[case("12 by 3", f32(12), lit(3)),
               case("12 by 1", f32(12), lit(1)),
               case("12 by 12", f32(12), lit(12)),
               case("0 by 5", f32(0), lit(5)),
               case("32 by 8", f32(32), lit(8)),
               case("12 by 5", f32(12), lit(5), raises=""),
               case("12 by 0", f32(12), lit(0), raises=""),
               case("12 by -3", f32(12), lit(-3), raises="")])


def item_multiple(k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= 40)
    torch._check(u % 4 == 0)
    x = torch.arange(u)
    return x.view(-1, 4).sum(1), x.view(4, -1)[1], u // 4


program("item_multiple", function(item_multiple), FAMILY,
        tags=("unbacked", "item", "divisibility"), example=(lit(8),),
        cases=[case(f"{u}", lit(u)) for u in (8, 4, 40, 0)] + [
            case("6", lit(6), raises=""), case("44", lit(44), raises=""),
            case("-4", lit(-4), raises="")])


def two_items_equal(x, y, a, b):
    """Two data-dependent sizes that a check makes equal."""
    u, v = a.item(), b.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    torch._check(v >= 0)
    torch._check(v <= y.shape[0])
    torch._check(u == v)
    return x[:u] + y[:v]


program("two_items_equal", function(two_items_equal), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, {0: M}, None, None),
        example=(f32(7), f32(6), lit(3), lit(3)),
        cases=[case(f"{u} and {u}", f32(7), f32(6), lit(u), lit(u))
               for u in (3, 0, 1, 6)] + [
            case("3 and 4", f32(7), f32(6), lit(3), lit(4), raises=""),
            case("1 and 3", f32(7), f32(6), lit(1), lit(3), raises=""),
            case("7 and 7", f32(7), f32(6), lit(7), lit(7), raises="")])


def item_matmul(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    part = x[:u]
    return part @ x.T, part.T @ part, torch.softmax(part, 0)


program("item_matmul", function(item_matmul), FAMILY,
        tags=("unbacked", "item", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N}, None), example=(f32(6, 3), lit(2)),
        cases=[case(f"{u} of 6", f32(6, 3), lit(u)) for u in (2, 0, 1, 6)
               ] + [case("7 of 6", f32(6, 3), lit(7), raises="")])


def item_float(x, k):
    s = k.item()
    return x * s + 1, x.sum() - s


program("item_float", function(item_float), FAMILY,
        tags=("unbacked", "item", "scalar"), dynamic=({0: N}, None),
        example=(f32(4), lit(0.5)),
        cases=[case(f"{n} elements", f32(n), lit(-1.25))
               for n in (5, 0, 1, 32)])


def item_arithmetic(k):
    u, v = k.tolist()
    torch._check(u > 0)
    torch._check(v > 0)
    return (u + v, u * v - 1, u // v, u % v, torch.sym_max(u, v),
            torch.sym_min(u, 2 * v), (u + 7) // 8, -u // 3)


program("item_arithmetic", function(item_arithmetic), FAMILY,
        tags=("unbacked", "item", "symint"), example=(lit([7, 3]),),
        cases=[case("7, 3", lit([7, 3])), case("1, 1", lit([1, 1])),
               case("3, 8", lit([3, 8])),
               case("large", lit([1000000007, 65537])),
               case("0, 3", lit([0, 3]), raises=""),
               case("3, -1", lit([3, -1]), raises="")])


def item_repeats(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= 16)
    return x.expand(u, -1), x.repeat(u, 1), torch.cat([x, torch.zeros(u, 3)])


program("item_repeats", function(item_repeats), FAMILY,
        tags=("unbacked", "item"), example=(f32(1, 3), lit(4)),
        cases=[case(f"{u}", f32(1, 3), lit(u)) for u in (4, 0, 1, 16)] + [
            case("17", f32(1, 3), lit(17), raises="")])


def item_of_sum(x, mask):
    """The size is computed from data."""
    u = mask.sum().item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    return x[:u].cumsum(0), torch.zeros(u), x[u:]


program("item_of_sum", function(item_of_sum), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, {0: N}),
        example=(f32(6), chosen(6, 2)),
        cases=[case(f"{k} of {n}", f32(n), chosen(n, k)) for n, k in (
            (6, 2), (6, 0), (6, 6), (0, 0), (1, 1), (32, 31))])


def nonzeros(x, mask):
    i = mask.nonzero()
    return i, x[i[:, 0], i[:, 1]] * 2, i.shape[0]


program("nonzeros", function(nonzeros), FAMILY,
        tags=("unbacked", "nonzero"), dynamic=({0: N, 1: M}, {0: N, 1: M}),
        example=(f32(3, 4), b1(3, 4)),
        cases=[case(f"{n} by {m}", f32(n, m), b1(n, m)) for n, m in (
            (3, 4), (0, 4), (1, 1), (32, 2), (2, 24))] + [
            case("none", f32(3, 4), lit([[False] * 4] * 3)),
            case("all", f32(3, 4), lit([[True] * 4] * 3)),
            case("sizes differ", f32(3, 4), b1(4, 3), raises="")])


def nonzero_numbers(x):
    """nonzero of floats and of integers, as_tuple."""
    rows, columns = torch.nonzero(x, as_tuple=True)
    return rows, columns, (x * 0 + 1)[rows, columns].sum(), \
        torch.nonzero(x.long().sum(0))


program("nonzero_numbers", function(nonzero_numbers), FAMILY,
        tags=("unbacked", "nonzero"), dynamic=({0: N},),
        example=(lit([[0.0, 1.5], [2.0, 0.0]]),),
        cases=[case("2 of 4", lit([[0.0, 1.5], [2.0, 0.0]])),
               case("none", lit([[0.0, -0.0]])),
               case("no rows", f32(0, 2)), case("9 rows", f32(9, 2)),
               case("nan counts", lit([[float("nan"), 0.0]]))])


def mask_selects(x, y):
    big = x > 0
    return x[big], torch.masked_select(y, big), x[big].sum(), \
        y[big] + x[big]


program("mask_selects", function(mask_selects), FAMILY,
        tags=("unbacked", "masked_select"), dynamic=({0: N}, {0: N}),
        example=(f32(6), f32(6)),
        cases=[case(f"{n} elements", f32(n), f32(n)) for n in (6, 0, 1, 32)
               ] + [case("none", lit([-1.0, -2.0]), f32(2)),
                    case("all", lit([1.0, 2.0]), f32(2)),
                    case("sizes differ", f32(3), f32(4), raises="")])


def mask_rows(x, mask, w):
    part = x[mask]
    return part, part.mean(0), part @ w, torch.cat([part, x]), \
        part.amax(1)


program("mask_rows", function(mask_rows), FAMILY,
        tags=("unbacked", "masked_select", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N}, {0: N}, {1: K}),
        example=(f32(6, 3), chosen(6, 2), f32(3, 4)),
        cases=[case(f"{k} of {n}", f32(n, 3), chosen(n, k), f32(3, 4))
               for n, k in ((6, 2), (6, 0), (6, 6), (1, 1), (0, 0), (32, 9))
               ] + [case("mask too long", f32(6, 3), chosen(7, 2),
                         f32(3, 4), raises="")])


def two_nonzeros(x, a, b):
    """Two definitions of the same kind have different sizes."""
    i, j = a.nonzero().squeeze(1), b.nonzero().squeeze(1)
    return torch.cat([x[i], x[j]]), x[i][:, None] * x[j][None, :], \
        i.shape[0] * j.shape[0]


program("two_nonzeros", function(two_nonzeros), FAMILY,
        tags=("unbacked", "nonzero"), dynamic=({0: N}, {0: N}, {0: N}),
        example=(f32(6), chosen(6, 2), chosen(6, 3)),
        cases=[case(f"{i} and {j} of {n}", f32(n), chosen(n, i), chosen(n, j))
               for n, i, j in ((6, 2, 3), (6, 0, 3), (6, 6, 0), (0, 0, 0),
                               (1, 1, 1), (32, 5, 7))])


def nonzero_equal(x, y):
    """The check makes the two counts equal; then they can be added."""
    a, b = x[x > 0], y[y > 0]
    torch._check(a.shape[0] == b.shape[0])
    return a + b, a * 2


program("nonzero_equal", function(nonzero_equal), FAMILY,
        tags=("unbacked", "nonzero"), dynamic=({0: N}, {0: M}),
        example=(lit([1.0, -1.0, 2.0]), lit([3.0, 4.0])),
        cases=[case("2 and 2", lit([1.0, -1.0, 2.0]), lit([3.0, 4.0])),
               case("0 and 0", lit([-1.0]), lit([-1.0, -2.0])),
               case("1 and 1", lit([-1.0, 5.0]), lit([0.5])),
               case("2 and 1", lit([1.0, 1.0]), lit([3.0, -4.0]), raises=""),
               case("1 and 2", lit([1.0]), lit([3.0, 4.0]), raises="")])


def repeat_rows(x, counts):
    y = torch.repeat_interleave(x, counts, dim=0)
    return y, y.sum(0)


program("repeat_rows", function(repeat_rows), FAMILY,
        tags=("unbacked", "rare"), dynamic=({0: N}, {0: N}),
        example=(f32(3, 2), lit([1, 0, 2])),
        cases=[case("3", f32(3, 2), lit([1, 0, 2])),
               case("nothing", f32(2, 2), lit([0, 0])),
               case("no rows", f32(0, 2), i64(0)),
               case("one", f32(1, 2), lit([5])),
               case("negative", f32(2, 2), lit([1, -1]), raises="")])


def counts(i):
    c = torch.bincount(i)
    return c, c.sum(), torch.bincount(i, minlength=5)


program("bincounts", function(counts), FAMILY, tags=("unbacked", "rare"),
        dynamic=({0: N},), example=(lit([1, 3, 3]),),
        cases=[case("some", lit([1, 3, 3, 0])), case("one", lit([7])),
               case("none", i64(0)),
               case("negative", lit([1, -1]), raises="")])


def uniques(i):
    values = torch.unique(i)
    return values, values.shape[0], torch.zeros(values.shape[0])


program("uniques", function(uniques), FAMILY,
        tags=("unbacked", "sort", "rare"), dynamic=({0: N},),
        example=(lit([3, 1, 3]),),
        cases=[case("some", lit([5, 1, 5, -2])), case("one", lit([7])),
               case("none", i64(0))])


def uniques_of_bytes(x):
    """Long runs, which are skipped by the block."""
    return (torch.unique(x), torch.unique(x > 100), torch.unique(x > -200),
            torch.unique(x.to(torch.uint8)), torch.unique(x % 3 == 1))


program("uniques_of_bytes", function(uniques_of_bytes), FAMILY,
        tags=("unbacked", "sort", "rare"), dynamic=({0: torch.export.Dim.AUTO},),
        example=(ints(torch.int8, 3, lo=-128, hi=127),),
        cases=[case(f"{n}", ints(torch.int8, n, lo=-hi - 1, hi=hi))
               for n, hi in ((1, 127), (0, 127), (255, 127), (256, 3), (257, 1), (1000, 127), (777, 0))])


def ragged(x, lengths):
    """Pieces whose lengths are data."""
    sizes = lengths.tolist()
    for size in sizes:
        torch._check(size >= 0)
        torch._check(size <= x.shape[0])
    torch._check(sum(sizes) == x.shape[0])
    return tuple(p.sum(0) for p in torch.split(x, sizes))


program("ragged", function(ragged), FAMILY, tags=("unbacked", "item"),
        dynamic=({0: N}, None), example=(f32(9, 2), lit([2, 3, 4])),
        cases=[case("2, 3, 4", f32(9, 2), lit([2, 3, 4])),
               case("0, 9, 0", f32(9, 2), lit([0, 9, 0])),
               case("all 0", f32(0, 2), lit([0, 0, 0])),
               case("32", f32(32, 2), lit([30, 1, 1])),
               case("too few", f32(9, 2), lit([2, 3, 3]), raises=""),
               case("negative", f32(9, 2), lit([-1, 5, 5]), raises="")])


def padded(x, k):
    """Data decides how much is padded."""
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= 8)
    return F.pad(x, (0, 0, 0, u)), F.pad(x, (u, 1), value=-1.0)


program("padded", function(padded), FAMILY, tags=("unbacked", "item"),
        dynamic=({0: N}, None), example=(f32(4, 2), lit(3)),
        cases=[case(f"{u} after {n}", f32(n, 2), lit(u)) for n, u in (
            (4, 3), (4, 0), (0, 2), (1, 1), (32, 8))] + [
            case("9", f32(4, 2), lit(9), raises="")])


class Experts(nn.Module):
    """Each row goes to one of two experts."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        choice = self.gate(x).argmax(-1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            places = (choice == number).nonzero().squeeze(-1)
            out = out.index_put((places,), expert(x[places]))
        return out


program("experts", Experts, FAMILY, tags=("unbacked", "nonzero", "matmul"),
        rtol=1e-4, atol=1e-4, dynamic=({0: N},), example=(f32(6, 4),),
        cases=[case(f"{n} rows", f32(n, 4)) for n in (6, 0, 1, 2, 32)] + [
            case("33 rows", f32(33, 4), raises="")])


def unused_item(x, k):
    """Nothing but a check reads the item."""
    u = k.item()
    torch._check(u * 2 == x.shape[0])
    return x + 1


program("unused_item", function(unused_item), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(6), lit(3)),
        cases=[case("3 and 6", f32(6), lit(3)),
               case("1 and 2", f32(2), lit(1)),
               case("0 and 0", f32(0), lit(0)),
               case("3 and 7", f32(7), lit(3), raises="")])
