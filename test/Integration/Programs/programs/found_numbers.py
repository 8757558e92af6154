"""What random programs found about types of numbers, and how they are rounded."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import Value, f32, floats, i64, lit

from .common import MATRIX, N, M

FAMILY = "found"


# The smallest numbers of the type show what is added to the mean of squares.
program(
    "rms_norm_halves",
    function(lambda x, y: (F.rms_norm(x, (3,)), F.rms_norm(y, (3,)))),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(floats(torch.float16, 4, 3), floats(torch.bfloat16, 4, 3)),
    rtol=2e-2,
    atol=2e-2,
    cases=[case(f"{n}, up to {high}",
                floats(torch.float16, n, 3, lo=-high, hi=high),
                floats(torch.bfloat16, n, 3, lo=-high, hi=high))
           for n, high in ((4, 0.01), (1, 0.1), (0, 1.0), (32, 2.0))],
)


class ToIntegers(torch.nn.Module):
    """Every kind of float to every integer."""

    def forward(self, x, y):
        return tuple(
            value.to(dtype)
            for value in (x, y, x.to(torch.float16), x.to(torch.bfloat16))
            for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32,
                          torch.int64))


NAN, INF = float("nan"), float("inf")
# What an integer cannot hold becomes what x86 makes of it.
NUMBERS = (NAN, INF, -INF, -0.0, 1.75, -1.75, 255.5, 300.0, -300.0, 4e4, -4e4,
           7e4, 2.0**31, -2.0**31, 2.0**32 - 1, 3e9, -3e9, 5e9 + 70, 2.0**63,
           -2.0**63, 9e18, 1e20, -1e20, 1e300)


def numbers(dtype, *places):
    """Some of the numbers."""
    return Value(lambda _: torch.tensor([NUMBERS[p] for p in places],
                                        dtype=torch.float64).to(dtype))


program(
    "floats_to_integers",
    ToIntegers,
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(4), floats(torch.float64, 4)),
    cases=[case("all", numbers(torch.float32, *range(len(NUMBERS))),
                numbers(torch.float64, *range(len(NUMBERS)))),
           case("none", f32(0), floats(torch.float64, 0))]
    + [case(f"{NUMBERS[p]:g}", numbers(torch.float32, p),
            numbers(torch.float64, p)) for p in (0, 1, 17)],
)


program(
    "weight_norms",
    function(lambda v, g, h: (
        torch._weight_norm(v, g, 0), torch._weight_norm(v, h, 2),
        torch._weight_norm(v, g[:1], -1),
        torch._weight_norm(h[0, 0], h[0, 0], 0),
        torch.nn.functional.group_norm(v[:, -3:-1], 1, h[0, 0, 1:]))),
    FAMILY,
    dynamic=({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO}, {}),
    example=(f32(4, 5, 3), f32(4, 1, 1), f32(1, 1, 3)),
    cases=[case(f"{n},{m}", f32(n, m, 3), f32(n, 1, 1), f32(1, 1, 3))
           for n, m in ((4, 5), (2, 7), (32, 3))]
    + [case("other", f32(4, 5, 3), f32(3, 1, 1), f32(1, 1, 3), raises="")],
)


def softmax_in_float32(x):
    """The input is converted first: what overflows is infinite."""
    return (F.softmax(x, 1, dtype=torch.float32),
            F.log_softmax(x, 1, dtype=torch.float32))


_LARGE = torch.tensor([[-1.78, 0.334, 1e150, 1.0], [0.5, 1.0, -2.0, 0.25]],
                      dtype=torch.float64)

program("softmax_in_float32", function(softmax_in_float32), FAMILY,
        dynamic=MATRIX, example=(floats(torch.float64, 3, 4),),
        cases=[case(f"{n} by {m}", floats(torch.float64, n, m))
               for n, m in ((3, 4), (1, 1), (0, 3), (32, 24))] +
        [case("too large for float32", Value(lambda _: _LARGE.clone()))])


program("heaviside_of_nan", function(lambda x, y: torch.heaviside(x, y)), FAMILY,
        dynamic=({0: N}, {0: N}), example=(f32(4), f32(4)),
        cases=[case("special values",
                    lit([math.nan, -0.0, 1e-42, -1e-42, -math.inf]),
                    lit([5.0, 6.0, 7.0, 8.0, 9.0])),
               case("none", f32(0), f32(0))])


def types_of_unique(x, y, w):
    """Import/misrecorded.test takes the recorded types of these away."""
    _, inverse, counts = torch.unique(x, return_inverse=True,
                                      return_counts=True)
    return (counts.clamp(0, y.shape[0] - 1), torch.cat([inverse, counts]),
            torch.where(counts > 1, counts, counts * 3),
            torch.inner(inverse, inverse), torch.vdot(inverse, inverse),
            torch.vstack([counts, counts]), counts.nan_to_num(),
            inverse.cumsum(0), counts.float_power(2), counts.xlogy(2),
            torch.cat([inverse, x]), inverse.to(w), counts.positive() * 2,
            y[counts.clamp(0, y.shape[0] - 1)],
            F.linear(torch.bincount(inverse % 2, x.abs(), 4)[:4], w))


program("types_of_unique", function(types_of_unique), FAMILY,
        dynamic=({0: N}, {0: M}, {}), example=(f32(4), f32(3), f32(2, 4)),
        cases=[case(f"{n}", Value(lambda _, n=n: (torch.arange(n) * 7 % 5).float()),
                    f32(3), f32(2, 4)) for n in (4, 1, 9, 32)])


def found_probabilities(x, y):
    return F.binary_cross_entropy(x, y), \
        F.binary_cross_entropy(x, y, reduction="none")


program("found_probabilities", function(found_probabilities), FAMILY,
        dynamic=({0: N}, {0: N}), example=(f32(5, lo=0), f32(5, lo=0)),
        cases=[case(f"{n}", f32(n, lo=0, hi=1), f32(n, lo=0, hi=1))
               for n in (5, 1, 0, 32)]
        + [case("the ends", lit([0.0, 1.0, 0.0]), lit([0.0, 0.0, 1.0])),
           case("a NaN", lit([0.5, math.nan]), lit([0.5, 0.5]),
                raises="all elements of the input must be between 0 and 1"),
           case("below", lit([-0.25]), lit([0.5]),
                raises="all elements of the input must be between 0 and 1"),
           case("above", lit([0.5]), lit([1.25]),
                raises="all elements of the target must be between 0 and 1"),
           case("no target", lit([0.5]), lit([math.nan]),
                raises="all elements of the target must be between 0 and 1")])


class TypesOfWords(nn.Module):
    """Rows of a table are found through a gather from a buffer of zeros, and
    normalized at once."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(10, 8)
        self.types = nn.Embedding(2, 8)
        self.norm = nn.LayerNorm(8)
        self.register_buffer("none", torch.zeros((1, 16), dtype=torch.int64))

    def forward(self, ids):
        mask = ids.ne(1).int()
        places = (torch.cumsum(mask, 1) * mask).long() + 1
        kinds = self.none.expand(places.shape[0], -1).gather(1, places)
        return self.norm(self.words(ids) + self.types(kinds))


program("types_of_words", TypesOfWords, FAMILY,
        dynamic=({0: N, 1: Dim("length", min=0, max=16)},),
        example=(i64(3, 5, lo=0),),
        cases=[case(f"{n} x {m}", i64(n, m, lo=0))
               for n, m in ((3, 5), (1, 1), (0, 4), (4, 0), (32, 7))])


def exact_sums(x):
    """Sums of many large numbers are as exact as PyTorch's."""
    y = x.unsqueeze(1) + torch.arange(8192) * 1e-4 + 1000
    z = torch.where(y > 1000.25, y, math.nan)
    return (y.nanmean(), z.nansum(), z.nanmean(0)[-5:], y.cumsum(1)[:, -1],
            y.flatten().cumsum(0)[-1:])


program("exact_sums", function(exact_sums), FAMILY, dynamic=({0: N},),
        example=(f32(4),),
        cases=[case(f"{n}", f32(n)) for n in (4, 1, 2, 12)])


program("mean_of_what_is_there", function(
            lambda x: F.avg_pool1d(x, 2, 2, ceil_mode=True,
                                   count_include_pad=False)),
        FAMILY, dynamic=({0: N},), example=(f32(4, 3),),
        cases=[case(f"{n}", f32(n, 3)) for n in (4, 1, 9)] +
        [case("none", f32(0, 3), raises="the input is empty")])


def sums_in_double(x):
    """All bits of a sum of f64 count, also where its terms are f32."""
    total = x.sum(dtype=torch.float64)
    return total, x.mean(dtype=torch.float64), (total - 1e3).float()


program("sums_in_double", function(sums_in_double), FAMILY,
        dynamic=({0: Dim.AUTO},), example=(f32(4),),
        rtol=1e-12, atol=1e-12,
        cases=[case(str(n), lit([0.1 + i / 7 for i in range(n)], torch.float32))
               for n in (4, 1, 0, 33, 600)])


# Means of integers are rounded towards zero; ranges of i64 are made of numbers that are, those of
# other integers are not.
program(
    "integer_pools_and_ranges",
    function(lambda x: (
        F.avg_pool2d(x, 2), F.avg_pool2d(x, 2, divisor_override=3),
        F.avg_pool1d(x[0], 3, 2, 1),
        torch.arange(2.1, -2.9, -1.0, dtype=torch.int64) + x.shape[1],
        torch.arange(2.1, -2.9, -1.0, dtype=torch.int32),
        torch.arange(0.9, 5.1, 1.7, dtype=torch.int64),
        torch.arange(0.9, 5.1, 1.7, dtype=torch.int32))),
    FAMILY,
    dynamic=({1: N, 2: Dim.AUTO},),
    oblivious=True,
    example=(i64(2, 4, 6),),
    cases=[case(f"{h} by {w}", i64(2, h, w)) for h, w in ((4, 6), (2, 2), (7, 3))],
)
