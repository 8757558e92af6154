"""Gathers, scatters, embeddings and their bounds."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import b1, f32, i64, ints, lit, permutation

from .common import K, M, N

FAMILY = "indexing"


def index_rows(x, i):
    return x[i], x[:, [2, 0]], x[i, 1]


program("index_rows", function(index_rows), FAMILY,
        dynamic=({0: N}, {0: K}), example=(f32(5, 3), i64(2, lo=0, hi=4)),
        cases=[case("some", f32(5, 3), lit([0, 4, 4, 2])),
               case("negative ones count from the end", f32(5, 3),
                    lit([-1, -5, 3])),
               case("none", f32(5, 3), i64(0)), case("one", f32(1, 3), lit([0])),
               case("none of none", f32(0, 3), i64(0)),
               case("16 of 32", f32(32, 3), i64(16, lo=0, hi=31)),
               case("one too large", f32(5, 3), lit([1, 5]), raises=""),
               case("one too small", f32(5, 3), lit([-6, 1]), raises=""),
               case("some of none", f32(0, 3), lit([0]), raises=""),
               case("17", f32(5, 3), i64(17, lo=0, hi=4), raises="")])


def index_pairs(x, i, j):
    return x[i, j], x[i[:, None], j[None, :]], x[:, j]


program("index_pairs", function(index_pairs), FAMILY,
        dynamic=({0: N, 1: M}, {0: K}, {0: K}),
        example=(f32(4, 5), lit([0, 1, 3]), lit([4, 0, 2])),
        cases=[case("three", f32(4, 5), lit([0, -1, 3]), lit([4, 0, -5])),
               case("none", f32(4, 5), i64(0), i64(0)),
               case("one", f32(1, 1), lit([0]), lit([0])),
               case("column too large", f32(4, 5), lit([0]), lit([5]),
                    raises=""),
               case("different numbers", f32(4, 5), lit([0, 1]), lit([0]),
                    raises="")])


def index_selects(x, i):
    return torch.index_select(x, 0, i), x.index_select(1, i)


program("index_selects", function(index_selects), FAMILY,
        dynamic=({0: N, 1: M}, {0: K}), example=(f32(4, 5), lit([0, 3])),
        cases=[case("three", f32(4, 5), lit([3, 0, 3])),
               case("none", f32(4, 5), i64(0)),
               case("one", f32(1, 1), lit([0])),
               case("too large", f32(4, 5), lit([4]), raises=""),
               case("negative", f32(4, 5), lit([-1]), raises="")])


def gathers(x, i):
    return torch.gather(x, 1, i), x.gather(1, i) * 2


program("gathers", function(gathers), FAMILY,
        dynamic=({0: N, 1: M}, {0: N, 1: K}),
        example=(f32(3, 5), i64(3, 2, lo=0, hi=4)),
        cases=[case("2 of 5", f32(3, 5), i64(3, 2, lo=0, hi=4)),
               case("none of 5", f32(3, 5), i64(3, 0)),
               case("no rows", f32(0, 5), i64(0, 2)),
               case("1 of 1", f32(1, 1), lit([[0]])),
               case("more than there are", f32(2, 3), i64(2, 7, lo=0, hi=2)),
               case("too large", f32(3, 5), lit([[1], [5], [0]]), raises=""),
               case("negative", f32(3, 5), lit([[1], [-6], [0]]),
                    raises="")])


def scatters(x, i, s):
    return (x.scatter(1, i, s), torch.scatter_add(x, 1, i, s),
            x.scatter(1, i, 0.5))


program("scatters", function(scatters), FAMILY,
        dynamic=({0: N, 1: M}, {0: N, 1: K}, {0: N, 1: K}),
        example=(f32(3, 5), i64(3, 2, lo=0, hi=4), f32(3, 2)),
        cases=[case("2 of 5", f32(3, 5), lit([[0, 4], [1, 2], [3, 0]]),
                    f32(3, 2)),
               case("none", f32(3, 5), i64(3, 0), f32(3, 0)),
               case("no rows", f32(0, 5), i64(0, 2), f32(0, 2)),
               case("1 of 1", f32(1, 1), lit([[0]]), f32(1, 1)),
               case("too large", f32(2, 3), lit([[3], [0]]), f32(2, 1),
                    raises=""),
               case("negative", f32(2, 3), lit([[-1], [0]]), f32(2, 1),
                    raises="")])


def scatter_add_repeated(x, i, s):
    return x.scatter_add(0, i, s), x.index_add(0, i[:, 0], s)


program("scatter_add_repeated", function(scatter_add_repeated), FAMILY,
        dynamic=({0: N}, {0: K}, {0: K}),
        example=(f32(4, 2), i64(3, 2, lo=0, hi=3), f32(3, 2)),
        cases=[case("repeated places", f32(4, 2),
                    lit([[0, 1], [0, 1], [3, 1], [0, 0]]), f32(4, 2)),
               case("none", f32(4, 2), i64(0, 2), f32(0, 2)),
               case("all to the first", f32(1, 2),
                    lit([[0, 0]] * 9), f32(9, 2)),
               case("too large", f32(4, 2), lit([[4, 0]]), f32(1, 2),
                    raises="")])


COLUMNS = Dim("columns", max=400)


def scatter_rows_expanded(x, i, s):
    each = i[:, None].expand_as(s)
    return x.scatter_add(0, each, s), x.scatter_reduce(0, each, s, "amax"), \
        x.scatter_reduce(0, each, s, "mean", include_self=False)


program("scatter_rows_expanded", function(scatter_rows_expanded), FAMILY,
        dynamic=({0: N, 1: COLUMNS}, {0: K},
                 {0: K, 1: COLUMNS}),
        example=(f32(4, 2), lit([0, 3, 0]), f32(3, 2)),
        cases=[case("repeated rows", f32(4, 3), lit([0, 3, 0]), f32(3, 3)),
               case("one column", f32(4, 1), lit([1, 1, 2]), f32(3, 1)),
               case("more than a block", f32(3, 300),
                    lit([2, 0, 2, 2]), f32(4, 300)),
               case("none", f32(4, 2), i64(0), f32(0, 2)),
               case("no columns, too large", f32(4, 0), lit([4, -1]),
                    f32(2, 0)),
               case("too large", f32(4, 2), lit([4]), f32(1, 2), raises=""),
               case("negative", f32(4, 2), lit([-1]), f32(1, 2),
                    raises="")])


def scatter_fewer_columns(x, i, s):
    """The source may have fewer columns than the tensor: behind them nothing is written."""
    each = i[:, None].expand_as(s)
    return [x.scatter_reduce(0, each, s, mode, include_self=own)
            for mode in ("sum", "mean", "amax") for own in (True, False)]


program("scatter_fewer_columns", function(scatter_fewer_columns), FAMILY,
        dynamic=({0: N, 1: COLUMNS}, {0: K}, {0: K, 1: M}),
        example=(f32(4, 5), lit([0, 3, 0]), f32(3, 2)),
        cases=[case("fewer", f32(4, 5), lit([0, 3, 0]), f32(3, 2)),
               case("as many", f32(4, 3), lit([1, 1, 2]), f32(3, 3)),
               case("none", f32(4, 3), lit([1, 1, 9]), f32(3, 0)),
               case("no rows", f32(4, 3), i64(0), f32(0, 2)),
               case("too large", f32(4, 3), lit([4]), f32(1, 2), raises=""),
               case("more", f32(4, 2), lit([1]), f32(1, 3), raises="")])


def sort_bytes(x, y, z):
    """Values alone, which are counted where there are many."""
    return [each.sort(descending=down)[0] for each in (x, y, z) for down in (False, True)]


program("sort_bytes", function(sort_bytes), FAMILY, dynamic=({0: COLUMNS},) * 3,
        example=(i64(7, lo=0, hi=255, dtype=torch.uint8), i64(7, lo=-128, hi=127, dtype=torch.int8), b1(7)),
        cases=[case(str(n), i64(n, lo=0, hi=255, dtype=torch.uint8),
                    i64(n, lo=-128, hi=127, dtype=torch.int8), b1(n))
               for n in (7, 0, 1, 255, 256, 259, 400)])


def index_puts(x, i, v):
    y = x.clone()
    y[i] = v
    z = x.index_put((i,), v, accumulate=True)
    w = x.clone()
    w[i, 0] = 7.0
    return y, z, w


program("index_puts", function(index_puts), FAMILY,
        dynamic=({0: N}, {0: K}, {0: K}),
        example=(f32(5, 3), lit([0, 2]), f32(2, 3)),
        cases=[case("distinct", f32(5, 3), lit([4, 0, -2]), f32(3, 3)),
               case("none", f32(5, 3), i64(0), f32(0, 3)),
               case("one", f32(1, 3), lit([0]), f32(1, 3)),
               case("a permutation", f32(16, 3), permutation(16), f32(16, 3)),
               case("too large", f32(5, 3), lit([5]), f32(1, 3), raises=""),
               case("numbers differ", f32(5, 3), lit([1, 2]), f32(3, 3),
                    raises="")])


def index_put_mask(x, mask):
    y = x.clone()
    y[mask] = 0.0
    z = x * 2
    z[:, 1] = x[:, 0]
    return y, z


program("index_put_mask", function(index_put_mask), FAMILY,
        dynamic=({0: N}, {0: N}), example=(f32(5, 3), b1(5)),
        cases=[case(f"{n} rows", f32(n, 3), b1(n)) for n in (5, 0, 1, 32)] + [
            case("sizes differ", f32(5, 3), b1(4), raises="")])


class Embeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4, padding_idx=0)

    def forward(self, i):
        return self.table(i), F.embedding(i + 1, self.table.weight)


program("embeddings", Embeddings, FAMILY, dynamic=({0: N, 1: K},),
        example=(i64(2, 3, lo=0, hi=8),),
        cases=[case(f"{n} by {k}", i64(n, k, lo=0, hi=8)) for n, k in (
            (2, 3), (0, 3), (3, 0), (1, 1), (32, 1))] + [
            case("the last word and one", lit([[9]]), raises=""),
            case("no word", lit([[10, 1]]), raises=""),
            case("negative", lit([[-1]]), raises=""),
            case("33", i64(33, 1, lo=0, hi=8), raises="")])


def one_hots(i):
    return F.one_hot(i, 6), torch.eye(6)[i]


program("one_hots", function(one_hots), FAMILY, tags=("rare",),
        dynamic=({0: N},), example=(lit([1, 0, 5]),),
        cases=[case("three", lit([5, 0, 3])), case("one", lit([2])),
               case("32", i64(32, lo=0, hi=5)),
               case("too large", lit([1, 6]), raises="")])


def ranks(x):
    """sort, topk and argsort."""
    values, places = torch.sort(x, dim=1, stable=True)
    best, which = x.topk(2, dim=1)
    return values, places, best, which, torch.argsort(
        x, dim=0, descending=True, stable=True)


program("ranks", function(ranks), FAMILY, tags=("sort",),
        dynamic=({0: N, 1: M},), example=(f32(3, 5),),
        cases=[case(f"{n} by {m}", f32(n, m)) for n, m in (
            (3, 5), (1, 2), (0, 5), (7, 9))] + [
            case("3 by 1", f32(3, 1), raises="")])


def reduce_into(x, i, s):
    return x.scatter_reduce(0, i, s, "amax"), \
        x.scatter_reduce(0, i, s, "sum", include_self=False)


program("scatter_reduces", function(reduce_into), FAMILY, tags=("rare",),
        dynamic=({0: N}, {0: K}, {0: K}),
        example=(f32(4), lit([0, 3]), f32(2)),
        cases=[case("repeated", f32(4), lit([0, 3, 0]), f32(3)),
               case("none", f32(4), i64(0), f32(0)),
               case("too large", f32(4), lit([4]), f32(1), raises="")])


def inserted_slices(x, y):
    return (torch.slice_scatter(x, y, 0, 1, 4),
            torch.select_scatter(x, y[0], 0, 0), x.index_fill(
                1, torch.tensor([0, 2]), -1.0))


program("inserted_slices", function(inserted_slices), FAMILY,
        dynamic=({0: N},  {}), example=(f32(6, 3), f32(3, 3)),
        cases=[case(f"{n} rows", f32(n, 3), f32(3, 3)) for n in (6, 5, 32)])


def integer_tables(t, i):
    """Indices of other integer types, tables of integers."""
    return t[i.long()], torch.index_select(t, 0, i), i[i.long()]


program("integer_tables", function(integer_tables), FAMILY,
        tags=("integer",), dynamic=({0: N}, {0: K}),
        example=(i64(5), lit([0, 1, 2], torch.int32)),
        cases=[case("three", i64(5), lit([2, 1, 0], torch.int32)),
               case("one", i64(5), lit([0], torch.int32)),
               case("none", i64(5), ints(torch.int32, 0)),
               case("i exceeds itself", i64(5), lit([3, 1], torch.int32),
                    raises="")])


class StoredPositions(nn.Module):
    """Tables whose indices the program knows: stored ones, and positions."""

    def __init__(self):
        super().__init__()
        self.register_buffer("relative", torch.arange(256).view(16, 16) % 49)
        self.register_buffer("positions", torch.arange(32).expand((1, -1)))
        self.bias = nn.Parameter(torch.randn(49, 3))
        self.table = nn.Embedding(32, 5)

    def forward(self, x, i):
        n = x.shape[0]
        y = x.clone()
        y[i] = x[i] + 1
        return (self.bias[self.relative.view(-1)],
                self.table(self.positions[:, :n]), self.table(torch.arange(n)),
                y)


program("stored_positions", StoredPositions, FAMILY, tags=("buffers",),
        dynamic=({0: N}, {0: K}),
        example=(f32(5, 4), lit([1, 2, 0])),
        cases=[case("some", f32(5, 4), lit([4, -5, 2])),
               case("one", f32(1, 4), lit([0, -1])),
               case("none", f32(0, 4), i64(0)),
               case("all 32", f32(32, 4), lit([31, -32])),
               case("33 rows", f32(33, 4), lit([0]), raises=""),
               case("one too large", f32(5, 4), lit([5]), raises=""),
               case("one too small", f32(5, 4), lit([-6]), raises="")])


class Bags(nn.Module):
    """Bags of all kinds."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.sums = nn.EmbeddingBag(7, 3, mode="sum", padding_idx=2)
        self.means = nn.EmbeddingBag(7, 3, mode="mean")
        self.most = nn.EmbeddingBag(7, 3, mode="max", padding_idx=-1,
                                    include_last_offset=True)

    def forward(self, index, start, factors, rows):
        return (self.sums(index, start), self.sums(
            index, start, per_sample_weights=factors), self.means(index, start),
            self.most(index, start), self.means(rows), self.most(rows[:, :2]))


_ONE = "torch keeps a guard that there is not one row"
program("embedding_bags", Bags, FAMILY,
        dynamic=({0: N}, {0: K}, {0: N}, {0: Dim.AUTO}), oblivious=True,
        example=(i64(8, lo=0, hi=6), lit([0, 3, 3, 8]), f32(8),
                 i64(4, 3, lo=0, hi=6)),
        cases=[case("4 bags", i64(8, lo=0, hi=6), lit([0, 3, 3, 8]), f32(8),
                    i64(4, 3, lo=0, hi=6)),
               case("one bag", i64(5, lo=0, hi=6), lit([0, 5]), f32(5),
                    i64(1, 3, lo=0, hi=6), quirk=_ONE),
               case("the bounds", i64(32, lo=0, hi=6),
                    lit([0, 1, 1, 2, 9, 14, 14, 14, 20, 21, 22, 23, 24, 25, 31,
                         32]), f32(32), i64(24, 3, lo=0, hi=6)),
               case("padding only", lit([2, 2, 6]), lit([0, 2, 3]), f32(3),
                    lit([[6, 6, 6]]), quirk=_ONE),
               case("no index", i64(0), lit([0, 0]), f32(0), i64(0, 3)),
               case("out of range", lit([1, 7]), lit([0, 2]), f32(2),
                    lit([[1, 2, 3]]), raises="an index is out of range"),
               case("a wrong start", lit([1, 2]), lit([1, 2]), f32(2),
                    lit([[1, 2, 3]]), raises="the offsets do not fit"),
               case("beyond the indices", lit([1, 2]), lit([0, 3]), f32(2),
                    lit([[1, 2, 3]]), raises="the offsets do not fit")])


def places_in_bags(table, index, start):
    """What a gradient of bags would need."""
    return (*torch.embedding_bag(table, index, start, mode=1),
            *torch.embedding_bag(table, index, start, mode=2),
            *torch.embedding_bag(table, index, start, False, 2, False, None,
                                 False, 2)[1:])


program("places_in_bags", function(places_in_bags), FAMILY,
        dynamic=(None, {0: N}, {0: K}),
        example=(f32(7, 3), i64(8, lo=0, hi=6), lit([0, 3, 3, 6])),
        cases=[case("4 bags", f32(7, 3), i64(8, lo=0, hi=6), lit([0, 3, 3, 6])),
               case("empty ones", f32(7, 3), i64(5, lo=0, hi=6),
                    lit([0, 0, 4, 5, 5])),
               case("many", f32(7, 3), i64(32, lo=0, hi=6),
                    lit([0, 1, 1, 2, 9, 14, 14, 14, 20, 31])),
               case("one", f32(7, 3), lit([2]), lit([0])),
               case("out of range", f32(7, 3), lit([1, 7]), lit([0, 1]),
                    raises="an index is out of range")])


def bags_of_halves(table, rows):
    """Sums in f32 of rows whose columns are lanes, and what is left of them."""
    wide = torch.cat([table] * 4, dim=1)
    half, brain = wide.half(), wide.bfloat16()
    return (F.embedding_bag(rows, half, mode="sum"), F.embedding_bag(rows, brain, mode="mean"),
            half.cumsum(0), brain.cumsum(0))


program("bags_of_halves", function(bags_of_halves), FAMILY,
        dynamic=({1: M}, {0: N}), example=(f32(7, 9), i64(4, 3, lo=0, hi=6)),
        cases=[case("36 columns", f32(7, 9), i64(4, 3, lo=0, hi=6)),
               case("96 columns", f32(7, 24), i64(5, 3, lo=0, hi=6)),
               case("4 columns", f32(7, 1), i64(2, 3, lo=0, hi=6)),
               case("88 columns", f32(7, 22), i64(24, 3, lo=0, hi=6))])


def bags_of_any_size(x, rows, table):
    """A bag for each row, whose length is a size, beside other columns."""
    return torch.cat([x, *(F.embedding_bag(rows, table, mode=mode) for mode in ("mean", "sum"))], 1)


program("bags_of_any_size", function(bags_of_any_size), FAMILY,
        dynamic=({0: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO}, None),
        example=(f32(4, 8), i64(4, 3, lo=0, hi=6), f32(7, 3)),
        cases=[case("4 bags of 3", f32(4, 8), i64(4, 3, lo=0, hi=6), f32(7, 3)),
               case("one of one", f32(1, 8), i64(1, 1, lo=0, hi=6), f32(7, 3), quirk=_ONE),
               case("32 of 16", f32(32, 8), i64(32, 16, lo=0, hi=6), f32(7, 3)),
               case("5 of 7", f32(5, 8), i64(5, 7, lo=0, hi=6), f32(7, 3))])
