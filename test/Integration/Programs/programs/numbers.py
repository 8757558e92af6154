"""Numbers as parameters of operators: which types hold them."""

import torch
from torch.nn import functional as F

from recording.table import case, function, program
from recording.values import b1, f32, floats, i64, ints, lit

from .common import N

FAMILY = "dtypes"
NAN, INF = float("nan"), float("inf")


def numbers(make, right, wrong):
    """Calls with numbers that fit a type and with others that do not."""
    return [case(f"{k}, {n}", make(n), lit(k, dtype),
                 raises=None if k in right else "does not fit the type")
            for k, dtype in [*right.items(), *wrong.items()] for n in (3, 0)]


def typed(dtype, *values):
    return dict.fromkeys(values, dtype)


def to_int8(x, k):
    number = k.item()
    return (torch.full((x.shape[0],), number, dtype=torch.int8),
            x.masked_fill(x > 0, number), x.index_fill(0, x[:0].long(), number))


program(
    "number_to_int8",
    function(to_int8),
    FAMILY,
    dynamic=({0: N}, {}),
    example=(ints(torch.int8, 4), i64()),
    cases=numbers(lambda n: ints(torch.int8, n),
                  typed(torch.int64, 0, 127, -128),
                  typed(torch.int64, 128, -129, 2**62)),
)


# What is negative wraps.
program(
    "number_to_uint8",
    function(lambda x, k: (x.clamp(max=k.item()), torch.where(
        x > 3, x, k.item()), torch.add(x, x, alpha=k.item()))),
    FAMILY,
    dynamic=({0: N}, {}),
    example=(ints(torch.uint8, 4, lo=0), i64()),
    cases=numbers(lambda n: ints(torch.uint8, n, lo=0),
                  typed(torch.int64, 0, 255, -1, -255),
                  typed(torch.int64, 256, -256)),
)


def from_float(x, k):
    number = k.item()
    return (torch.full((x.shape[0],), number, dtype=torch.int16),
            torch.full((x.shape[0],), number, dtype=torch.uint8))


program(
    "number_from_float",
    function(from_float),
    FAMILY,
    dynamic=({0: N}, {}),
    example=(f32(4), lit(1.0, torch.float64)),
    cases=numbers(lambda n: f32(n), typed(torch.float64, 0.0, 2.75, 255.0),
                  typed(torch.float64, -0.5, 255.5, 1e30, NAN, INF)),
)


# An infinity is a number of every type of floats, and 1e39 is none of f32.
program(
    "number_to_floats",
    function(lambda x, h, k: (x.masked_fill(x > 0, k.item()),
                              torch.full((h.shape[0],), k.item() / 1e34,
                                         dtype=torch.float16))),
    FAMILY,
    dynamic=({0: N}, {0: N}, {}),
    example=(f32(4), floats(torch.float16, 4), lit(1.0, torch.float64)),
    cases=[case(str(k), f32(n), floats(torch.float16, n),
                lit(k, torch.float64),
                raises="does not fit the type" if abs(k) in (1e39, 1e38)
                else None)
           for k in (0.5, 6.5e38 / 2, INF, -INF, NAN, 1e39, -1e39)
           for n in (3,)],
)


# All but zero is true, a NaN as well.
program(
    "number_to_bool",
    function(lambda x: (
        F.pad(x, (1, 2), value=2), F.pad(x, (0, 1), value=0.5),
        torch.full_like(x, 0.5), torch.full_like(x, NAN),
        torch.full((3,), 2, dtype=torch.bool), x.masked_fill(x, 0.0),
        x.masked_fill(~x, 2), x.clone().fill_(-3), x.clone().fill_(0.25),
        x.new_full((2,), 256), torch.add(x, x, alpha=2))),
    FAMILY,
    dynamic=({0: N},),
    example=(b1(4),),
    cases=[case(str(n), b1(n)) for n in (5, 0, 1)],
)


# What no type holds is an error when the program runs, not before; the value of
# a padding that takes elements away is not looked at.
program(
    "number_never_fits",
    function(lambda x: (F.pad(x, (-1, 0), value=300), torch.full(
        (2,), 128, dtype=torch.int8))),
    FAMILY,
    dynamic=({0: torch.export.Dim.AUTO},),
    example=(ints(torch.uint8, 4, lo=0),),
    cases=[case(str(n), ints(torch.uint8, n, lo=0),
                raises="aten.full.default: the value does not fit the type "
                "int8") for n in (5, 32)],
)


# Tensors are converted element by element: what is too large wraps.
program(
    "number_as_tensor",
    function(lambda x, k: (x.clone().fill_(k), x + k, x == k,
                           torch.maximum(x, k))),
    FAMILY,
    dynamic=({0: N}, {}),
    example=(ints(torch.int8, 4), i64()),
    cases=[case(f"{k}, {n}", ints(torch.int8, n), lit(k))
           for k in (3, 300, -129) for n in (3, 0)],
)


def halves(h, i, d):
    """Everything but products and quotients rounds what is wider first."""
    return (h == i, h < i, h >= i, torch.isin(h, i), torch.where(h > 0, h, i),
            torch.maximum(h, i), h + i, h * i, h - i, torch.remainder(h, 0.3),
            torch.fmod(h, 0.3), h == 2049, h + d, h * d, h / d,
            torch.searchsorted(h[:1], i), torch.clamp(h, max=0.3))


for name, dtype, big in (("half", torch.float16, 2049),
                         ("bfloat", torch.bfloat16, 257)):
    program(
        f"number_{name}",
        function(halves),
        FAMILY,
        dynamic=({0: N}, {0: N}, {}),
        example=(floats(dtype, 4), i64(4), lit(0.3)),
        rtol=1e-3,
        atol=1e-3,
        cases=[
            case("near the limit of exactness",
                 lit([big - 1.0, big + 1.0, big - 1.0, 3.0], dtype),
                 lit([big, big, big - 1, 3]), lit(0.3)),
            case("0", floats(dtype, 0), i64(0), lit(0.3)),
            case("1", lit([0.3], dtype), lit([big - 1]), lit(0.3)),
        ],
    )


# A quotient of zero has the sign of the exact one.
program(
    "floor_division_zero",
    function(lambda x: (
        lambda a, b: (a, a.reciprocal(), b, b.reciprocal()))(
            torch.div(x, -4.0, rounding_mode="floor"),
            torch.div(x, INF, rounding_mode="floor"))),
    FAMILY,
    dynamic=({0: N},),
    example=(f32(4),),
    cases=[case("signs", lit([0.0, -0.0, 1e-3, -1e-3, 7.0, -7.0, NAN, INF])),
           case("0", f32(0))],
)


# Nothing is divided by a size of zero.
program(
    "division_of_nothing",
    function(lambda x, y: (x % x.shape[0], x // y, torch.fmod(x, y[:, None]))),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    oblivious=True,
    example=(i64(4), i64(4, lo=1)),
    cases=[case("4", i64(4), i64(4, lo=1)), case("0", i64(0), i64(0)),
           case("1", i64(1), i64(1, lo=1)),
           case("by zero", i64(2), lit([1, 0]), raises="division by zero")],
)


def beyond(x):
    """torch asserts that a size is at most 3 * (2**63 - 1)."""
    ones = (torch.unique(x).repeat(3) > 0).nonzero()
    return ones, torch.ones(2) * ones.shape[0]


program(
    "number_beyond_64_bits",
    function(beyond),
    FAMILY,
    dynamic=({0: N},),
    example=(f32(4),),
    cases=[case(str(n), f32(n)) for n in (4, 0, 1)],
)
