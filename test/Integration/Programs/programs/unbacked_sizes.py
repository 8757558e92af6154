"""More programs on data-dependent sizes: views, reductions, mismatches."""

import torch
import torch.nn.functional as F

from recording.table import case, function, program
from recording.values import chosen, f32, i64, lit

from .common import K, M, N

FAMILY = "unbacked"


def unbacked_expand(x, y, k):
    """Broadcasting with data-dependent sizes."""
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= 12)
    z = torch.zeros(u, 1) + x
    return z * y[:, None, None], x.expand(u, 3), torch.ones(u, 3) - x


program("unbacked_expand", function(unbacked_expand), FAMILY,
        tags=("unbacked", "item"), dynamic=({}, {0: N}, None),
        example=(f32(1, 3), f32(4), lit(2)),
        cases=[case(f"{u} and {n}", f32(1, 3), f32(n), lit(u))
               for u, n in ((2, 4), (0, 4), (1, 1), (12, 2), (3, 0))] + [
            case("13", f32(1, 3), f32(2), lit(13), raises="")])


def unbacked_add_mismatch(x, k):
    """A sum that is right only if the item is the size."""
    u = k.item()
    torch._check(u >= 0)
    y = torch.ones(u)
    torch._check(y.shape[0] == x.shape[0])
    return x + y


program("unbacked_add_mismatch", function(unbacked_add_mismatch), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None), oblivious=True,
        example=(f32(4), lit(4)),
        cases=[case(f"{n}", f32(n), lit(n)) for n in (4, 0, 1, 32)] + [
            case("4 and 3", f32(4), lit(3), raises=""),
            case("4 and 1", f32(4), lit(1), raises=""),
            case("1 and 4", f32(1), lit(4), raises="")])


def view_of_slice(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    part = x[:u]
    return (part.reshape(-1), part.t(), part.unsqueeze(0).expand(2, u, 4),
            part.view(u, 2, 2).transpose(0, 1), part.flatten().sum())


program("view_of_slice", function(view_of_slice), FAMILY,
        tags=("unbacked", "item", "views"), dynamic=({0: N}, None),
        example=(f32(6, 4), lit(3)),
        cases=[case(f"{u} of {n}", f32(n, 4), lit(u)) for n, u in (
            (6, 3), (6, 0), (6, 6), (1, 1), (32, 2))] + [
            case("7 of 6", f32(6, 4), lit(7), raises="")])


def linear_combination(x, k):
    """Sizes that are sums and multiples of items."""
    u, v = k[0].item(), k[1].item()
    torch._check(u >= 0)
    torch._check(v >= 0)
    torch._check(u <= 9)
    torch._check(v <= 9)
    a, b = torch.ones(2 * u + v), torch.zeros(u + 3 * v)
    joined = torch.cat([a, b, x])
    return joined, joined.shape[0], a.sum() + b.shape[0]


program("linear_combination", function(linear_combination), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(3), lit([2, 4])),
        cases=[case(f"{u}, {v}, {n}", f32(n), lit([u, v])) for u, v, n in (
            (2, 4, 3), (0, 0, 0), (1, 0, 1), (9, 9, 32))] + [
            case("10, 0", f32(3), lit([10, 0]), raises="")])


def reductions_of_unbacked(x, mask):
    part = x[mask]
    return (part.sum(), part.mean(), part.sum(0), part.softmax(0),
            part.var(1), F.layer_norm(part, (3,)), part.argmax(1),
            (part > 0).any(1), part.cumsum(0))


program("reductions_of_unbacked", function(reductions_of_unbacked), FAMILY,
        tags=("unbacked", "masked_select"), dynamic=({0: N}, {0: N}),
        example=(f32(6, 3), chosen(6, 3)),
        cases=[case(f"{k} of {n}", f32(n, 3), chosen(n, k)) for n, k in (
            (6, 3), (6, 0), (6, 1), (6, 6), (0, 0), (32, 17))])


def extremum_of_unbacked(x):
    """The largest of the positive ones: an error where there is none."""
    return x[x > 0].max(), x[x > 0].amin()


program("extremum_of_unbacked", function(extremum_of_unbacked), FAMILY,
        tags=("unbacked", "masked_select"), dynamic=({0: N},),
        example=(lit([1.0, -1.0, 3.0]),),
        cases=[case("2 of 3", lit([1.0, -1.0, 3.0])),
               case("1 of 1", lit([0.5])),
               case("none of 2", lit([-0.5, -1.0]), raises=""),
               case("none of none", f32(0), raises="")])


def items_decide(x, flags):
    """A boolean item as a cond's predicate, an item as a value."""
    v = flags.sum().item()
    return torch.cond(flags[0].item(), lambda a: a + 1, lambda a: a * 2,
                      (x,)) * v


program("items_decide", function(items_decide), FAMILY,
        tags=("unbacked", "item", "hop", "cond"), dynamic=({0: N}, {0: M}),
        example=(f32(4), lit([True, False])), strict=True,
        cases=[case("true", f32(5), lit([True, False, True])),
               case("false", f32(5), lit([False, True])),
               case("one", f32(1), lit([True])),
               case("no x", f32(0), lit([False])),
               case("no flags", f32(2), lit([], torch.bool), raises="")])


def item_of_item(x, k):
    """An item chosen by an item."""
    u = k[0].item()
    torch._check(u >= 0)
    torch._check(u < k.shape[0])
    v = k[u].item()
    torch._check(v >= 0)
    torch._check(v <= x.shape[0])
    return x[v:], x[:v].sum(), u + v


program("item_of_item", function(item_of_item), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, {0: M}),
        example=(f32(6), lit([2, 9, 4])),
        cases=[case("2 leads to 4", f32(6), lit([2, 9, 4])),
               case("0 leads to itself", f32(6), lit([0, 9])),
               case("to 6 of 6", f32(6), lit([1, 6])),
               case("to 0 of 0", f32(0), lit([0])),
               case("3 of 3", f32(6), lit([3, 0, 0]), raises=""),
               case("to 7 of 6", f32(6), lit([1, 7]), raises="")])


def masked_scatters(x, mask, values):
    return x.masked_scatter(mask, values), torch.where(mask, x, 0).sum()


program("masked_scatters", function(masked_scatters), FAMILY,
        tags=("rare",), dynamic=({0: N}, {0: N}, {0: N}),
        example=(f32(5), chosen(5, 2), f32(5)),
        cases=[case(f"{k} of {n}", f32(n), chosen(n, k), f32(n))
               for n, k in ((5, 2), (5, 0), (5, 5), (0, 0), (1, 1))])


def selects_and_pads(x, mask):
    """The selected rows are padded back to a size that is known."""
    part = x[mask]
    n = x.shape[0]
    torch._check(part.shape[0] <= n)
    padded = F.pad(part, (0, 0, 0, n - part.shape[0]))
    return padded + x, n - part.shape[0]


program("selects_and_pads", function(selects_and_pads), FAMILY,
        tags=("unbacked", "masked_select"), dynamic=({0: N}, {0: N}),
        example=(f32(6, 2), chosen(6, 2)), oblivious=True,
        cases=[case(f"{k} of {n}", f32(n, 2), chosen(n, k)) for n, k in (
            (6, 2), (6, 0), (6, 6), (0, 0), (1, 0), (32, 31))])


def nonzero_table(x, t):
    """Looks up the places of nonzero elements in a table."""
    places = torch.nonzero(x).squeeze(1)
    torch._check(x.shape[0] <= t.shape[0])
    return t[places], torch.index_select(t, 0, places), \
        t.gather(0, places[:, None].expand(-1, 2))


program("nonzero_table", function(nonzero_table), FAMILY,
        tags=("unbacked", "nonzero"), dynamic=({0: N}, {0: N}),
        example=(lit([1, 0, 2]), f32(3, 2)),
        cases=[case("2 of 3", lit([1, 0, 2]), f32(3, 2)),
               case("none", lit([0, 0]), f32(2, 2)),
               case("no rows", i64(0), f32(0, 2)),
               case("32", i64(32, lo=0, hi=2), f32(32, 2)),
               case("sizes differ", lit([1, 0, 2]), f32(2, 2), raises="")])


def blocks(x, k):
    """As many blocks of 4 as an item says."""
    u = k.item()
    torch._check(u >= 0)
    torch._check(4 * u <= x.shape[0])
    part = x[: 4 * u]
    return part.view(u, 4), part.view(-1, 2).sum(1), part.view(2, -1)


program("blocks", function(blocks), FAMILY,
        tags=("unbacked", "item", "divisibility"), dynamic=({0: N}, None),
        example=(f32(9), lit(2)),
        cases=[case(f"{u} of {n}", f32(n), lit(u)) for n, u in (
            (9, 2), (8, 2), (4, 1), (32, 8))] + [
            case("3 of 9", f32(9), lit(3), raises=""),
            case("-1 of 9", f32(9), lit(-1), raises="")])


def ceil_blocks(x, k):
    """Blocks of a data-dependent length, the last one padded."""
    size = k.item()
    torch._check(size >= 1)
    torch._check(size <= 16)
    n = x.shape[0]
    count = (n + size - 1) // size
    padded = F.pad(x, (0, count * size - n))
    return padded.view(count, size).sum(1), count


program("ceil_blocks", function(ceil_blocks), FAMILY,
        tags=("unbacked", "item", "symint"), dynamic=({0: N}, None),
        example=(f32(9), lit(4)), oblivious=True, deferred=True,
        cases=[case(f"{n} by {s}", f32(n), lit(s)) for n, s in (
            (9, 4), (8, 4), (1, 16), (32, 1), (7, 7))] + [
            case("9 by 0", f32(9), lit(0), raises=""),
            case("9 by 17", f32(9), lit(17), raises="")])


def same_item_twice(x, k):
    """Two reads of one element are one size; after a write, another."""
    u = k[0].item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    again = k[0].item()
    torch._check(again == u)
    j = k + 1
    v = j[0].item()
    torch._check(v >= 0)
    torch._check(v <= x.shape[0])
    return x[:u] + x[:again], x[:v]


program("same_item_twice", function(same_item_twice), FAMILY,
        tags=("unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(6), lit([2, 0])),
        cases=[case(f"{u} of {n}", f32(n), lit([u, 0])) for n, u in (
            (6, 2), (6, 0), (6, 5), (1, 0))] + [
            case("6 of 6: 7 is too many", f32(6), lit([6, 0]), raises="")])


def item_dtypes(i, b, f, h):
    """Items of other types."""
    n = i.item()
    torch._check(n >= 0)
    torch._check(n <= 8)
    m = b.item()
    return torch.zeros(n) + f.item(), torch.arange(4) * n, h * 2 + m


program("item_dtypes", function(item_dtypes), FAMILY,
        tags=("unbacked", "item", "dtypes"),
        example=(lit(3, torch.int32), lit(2, torch.uint8), lit(0.5),
                 f32(3)),
        cases=[case(f"{n}", lit(n, torch.int32), lit(200, torch.uint8),
                    lit(-1.5), f32(3)) for n in (3, 0, 1, 8)] + [
            case("9", lit(9, torch.int32), lit(1, torch.uint8), lit(0.0),
                 f32(3), raises="")])


def matrix_of_items(k, x):
    """Two data-dependent dims."""
    u, v = k[0].item(), k[1].item()
    torch._check(u >= 0)
    torch._check(u <= 8)
    torch._check(v >= 0)
    torch._check(v <= 8)
    a = torch.arange(u * v).view(u, v).float()
    return a, a.t() + 1, a.sum(0), torch.ones(u, v) @ torch.ones(v, 2), \
        torch.zeros(u, v).reshape(-1)


program("matrix_of_items", function(matrix_of_items), FAMILY,
        tags=("unbacked", "item", "matmul"), dynamic=(None, {0: K}),
        example=(lit([2, 3]), f32(2)),
        cases=[case(f"{u} by {v}", lit([u, v]), f32(2)) for u, v in (
            (2, 3), (0, 3), (3, 0), (1, 1), (8, 8))] + [
            case("9 by 1", lit([9, 1]), f32(2), raises="")])
