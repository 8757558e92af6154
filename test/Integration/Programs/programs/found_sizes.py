"""What random programs found about sizes that only a call tells."""

import math

import torch
import torch.nn.functional as F
from torch.export import Dim

from recording.table import case, function, program
from recording.values import b1, f32, i64, lit

FAMILY = "found"
AUTO = {0: Dim.AUTO, 1: Dim.AUTO}


# torch.export does not compare the sizes: no result has them.
program("selects_of_what_broadcasts",
        function(lambda x, mask: (torch.masked_select(x, mask),
                                  torch.masked_select(x[0], mask))),
        FAMILY, dynamic=(AUTO, AUTO), example=(f32(3, 4), b1(3, 4)),
        cases=[case(f"{a} and {b}", f32(*a), b1(*b)) for a, b in (
            ((3, 4), (3, 4)), ((1, 4), (3, 4)), ((3, 4), (1, 4)),
            ((3, 1), (3, 4)), ((3, 4), (3, 1)), ((1, 4), (3, 1)),
            ((1, 0), (3, 1)), ((1, 1), (1, 1)), ((1, 4), (0, 4)))] +
        [case("2 and 3", f32(2, 4), b1(3, 4), raises=""),
         case("4 and 0", f32(2, 4), b1(2, 0), raises="")])


program("selects_of_nothing",
        function(lambda x, mask: torch.masked_select(x[:0], mask)),
        FAMILY, dynamic=({0: Dim.AUTO}, {0: Dim.AUTO}), oblivious=True,
        example=(f32(2), lit([], torch.bool)),
        cases=[case("none", f32(2), lit([], torch.bool)),
               case("one", f32(2), lit([True], torch.bool)),
               case("two", f32(2), b1(2), raises="the size must be 1")])


def resized(x):
    """A factor that leaves a size as it is leaves the elements so."""
    return (F.interpolate(x, scale_factor=1.1, mode="bilinear"),
            F.interpolate(x, scale_factor=(1.1, 2.0), mode="bilinear",
                          antialias=True),
            F.interpolate(x, size=(4, x.shape[3]), mode="bicubic",
                          antialias=True),
            F.interpolate(x[0], scale_factor=1.25, mode="linear"),
            F.interpolate(x, size=(9, 5), mode="bilinear", antialias=True,
                          align_corners=True))


program("resized_to_the_same", function(resized), FAMILY,
        dynamic=({2: Dim("h", min=1, max=32), 3: Dim("w", min=1, max=32)},),
        example=(f32(1, 2, 5, 7),), rtol=1e-4,
        cases=[case(f"{h} by {w}", f32(1, 2, h, w)) for h, w in (
            (5, 7), (4, 10), (32, 32), (9, 5), (3, 31))])


# What has no weight is not read: 0 times infinity is not 0.
program("resized_infinities", function(
            lambda x: (F.interpolate(x, size=(x.shape[2], 3), mode="bilinear"),
                       F.interpolate(x, size=(x.shape[2], 3), mode="bilinear",
                                     antialias=True),
                       F.interpolate(x, size=(x.shape[2], 9), mode="bicubic",
                                     antialias=True))),
        FAMILY, dynamic=({2: Dim.AUTO},), example=(f32(1, 1, 4, 6),),
        cases=[case("some", lit([[[[1., 2, 3, math.inf, 4, 5], [6, 7, 8, 9, 1, 2],
                                   [math.nan, 1, 2, 3, 4, -math.inf],
                                   [0, 1, 2, 3, 4, 5]]]], torch.float32))])


# Only the number of elements has to fit the indices.
program("gradient_of_an_embedding",
        function(lambda grad, index: torch.ops.aten.embedding_dense_backward(
            grad, index, 7, 2, False)),
        FAMILY, dynamic=(AUTO, AUTO), example=(f32(6, 4), i64(2, 3, lo=0, hi=6)),
        cases=[case("6 of 2 by 3", f32(6, 4), i64(2, 3, lo=0, hi=6)),
               case("without columns", f32(5, 0), i64(2, 3, lo=0, hi=6)),
               case("nothing", f32(0, 0), i64(2, 0)),
               case("5 of 2 by 3", f32(5, 4), i64(2, 3, lo=0, hi=6), raises="")])


# min(n, 2) is 2 for torch.export, to which no size is 1; where it is, it
# broadcasts.
program("columns_of_at_most_two",
        function(lambda x, y: (torch.ops.aten.silu_backward(y, y[:, :min(2, x.shape[0])]),
                               y * y[:, :min(2, x.shape[0])])),
        FAMILY, dynamic=({0: Dim.AUTO}, {}), example=(f32(4), f32(3, 2)),
        cases=[case(str(n), f32(n), f32(3, 2)) for n in (4, 2, 1)])


def shape_of_nothing(x, count):
    """Where there are no elements, any shape without elements will do."""
    start = count.item()
    torch._check(start >= 0)
    rows = x[start:start + 2]
    return F.glu(rows, 1).reshape_as(rows)


program("shape_of_nothing", function(shape_of_nothing), FAMILY,
        dynamic=({0: Dim.AUTO, 2: Dim.AUTO}, {}), example=(f32(3, 4, 6), lit(3, torch.int64)),
        cases=[case("behind the end", f32(3, 4, 6), lit(13, torch.int64)),
               case("nothing in a row", f32(3, 4, 0), lit(1, torch.int64)),
               case("two rows", f32(3, 4, 6), lit(1, torch.int64), raises="")])


# What fails is told in the words of the view: its shape, and what it is for.
program("views_of_pairs",
        function(lambda x: x.view(x.shape[0] // 2, 2, -1) * 2),
        FAMILY, dynamic=(AUTO,), example=(f32(4, 6),),
        cases=[case(f"{n}, {m}", f32(n, m))
               for n, m in ((4, 6), (6, 7), (64, 3), (6, 1))] +
        [case(f"{n}, {m}", f32(n, m),
              raises="floordiv 2, 2, -1] is invalid for s") for n, m in
         ((5, 3), (5, 7))])


def ratio_of_sizes(x):
    """As optimizers scale a step by the shape of a matrix."""
    rows, columns = x.shape
    return x * torch.sym_max(1, rows / columns) ** 0.5, x + torch.sym_min(rows / 2, columns / 3)


program("ratio_of_sizes", function(ratio_of_sizes), FAMILY,
        dynamic=(AUTO,), oblivious=True, example=(f32(4, 3),),
        cases=[case(f"{n} by {m}", f32(n, m)) for n, m in ((4, 3), (3, 4), (1, 1), (9, 2), (0, 5))])


def repeated_with_a_size(x, counts):
    """The caller tells how many there are."""
    places = torch.repeat_interleave(counts, output_size=x.shape[0])
    return places, counts.new_ones(counts.shape)[places] + x, counts.repeat_interleave(counts, output_size=x.shape[0])


program("repeated_with_a_size", function(repeated_with_a_size), FAMILY,
        dynamic=({0: Dim.AUTO}, {0: Dim.AUTO}), oblivious=True, example=(f32(6), lit([1, 0, 3, 2])),
        cases=[case(f"{sum(counts)} of {len(counts)}", f32(sum(counts)), lit(counts, torch.int64))
               for counts in ([1, 0, 3, 2], [1], [0], [], [4, 4, 1])])
