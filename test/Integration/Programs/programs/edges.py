"""Element types, promotion, and arithmetic at the edges."""

import math

import torch

from recording.table import case, function, program
from recording.values import b1, f32, floats, i64, ints, lit

from .common import N, ROWS

FAMILY = "dtypes"


def promo(i, f, b):
    return (
        i + f,
        i + 1.5,
        i / 2,
        b + 1,
        b * 2.5,
        i * b,
        f + True,
        i // 2,
        b.sum(),
        i.sum(),
        i.float().mean(),
        b + b,
        f**2,
        i**2,
        2**f,
        i - 0.5,
    )


program(
    "promote_scalars",
    function(promo),
    FAMILY,
    dynamic=({0: N}, {0: N}, {0: N}),
    example=(i64(4), f32(4), b1(4)),
    cases=[case(str(n), i64(n), f32(n), b1(n)) for n in (4, 0, 1)],
)


def mixed(a, b, c, d, e):
    return (
        a + b,
        b + c,
        c + d,
        d + e,
        a + e,
        a * c,
        b - e,
        torch.where(a > 3, a, b),
        torch.cat([a, b]),
        torch.stack([c, d]),
    )


program(
    "promote_integers",
    function(mixed),
    FAMILY,
    dynamic=({0: N},) * 5,
    example=tuple(
        [
            ints(torch.uint8, 4, lo=0),
            ints(torch.int8, 4),
            ints(torch.int16, 4),
            ints(torch.int32, 4),
            i64(4),
        ]
    ),
    cases=[
        case(
            str(n),
            ints(torch.uint8, n, lo=0, hi=200),
            ints(torch.int8, n),
            ints(torch.int16, n),
            ints(torch.int32, n),
            i64(n),
        )
        for n in (5, 0, 1)
    ],
)


program(
    "promote_floats",
    function(
        lambda a, b, c, d: (
            a + b,
            a + c,
            b + c,
            c + d,
            a * 2.5,
            b * 2,
            a + torch.tensor(1.5),
            b + torch.tensor(2.0, dtype=torch.float64),
            torch.where(c > 0, a, b),
        )
    ),
    FAMILY,
    dynamic=({0: N},) * 4,
    example=(
        floats(torch.float16, 4),
        floats(torch.bfloat16, 4),
        f32(4),
        floats(torch.float64, 4),
    ),
    rtol=0.01,
    atol=0.01,
    cases=[
        case(
            str(n),
            floats(torch.float16, n),
            floats(torch.bfloat16, n),
            f32(n),
            floats(torch.float64, n),
        )
        for n in (4, 0, 1)
    ],
)


inf, nan = (math.inf, math.nan)


def nans(x):
    return (
        x.max(),
        x.min(),
        x.argmax(),
        x.argmin(),
        x.sort().values,
        x.sort(descending=True).indices,
        x.clamp(-1, 1),
        x.relu(),
        torch.maximum(x, torch.zeros_like(x)),
        torch.fmax(x, torch.zeros_like(x)),
        x.isnan(),
        x.isinf(),
        torch.nan_to_num(x),
        x.cummax(0).values,
        x == x,
        x.sign(),
        x.topk(2).values,
        (x > 0).sum(),
        x.amax(0),
        x.nan_to_num(1.0, 2.0, 3.0),
    )


program(
    "not_numbers",
    function(nans),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    oblivious=True,
    cases=[
        case(str(i), lit(v))
        for i, v in enumerate(
            (
                [1.0, nan, -2.0],
                [inf, -inf, 0.0, 3.0],
                [nan, nan],
                [-0.0, 0.0, 1.0],
                [inf, nan, -inf, 1.0, nan],
            )
        )
    ],
)


def int_div(a, b):
    return (
        a // b,
        a % b,
        torch.div(a, b, rounding_mode="trunc"),
        torch.fmod(a, b),
        torch.remainder(a, b),
        a / b,
        torch.floor_divide(a, b),
    )


program(
    "integer_division",
    function(int_div),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(lit([7, -7, 5]), lit([3, 3, 2])),
    cases=[
        case("signs", lit([7, -7, 7, -7, 0]), lit([3, 3, -3, -3, 5])),
        case("one", lit([-9]), lit([-1])),
        case("none", i64(0), i64(0)),
        case("zero", lit([1, 2]), lit([1, 0]), raises="division by zero"),
    ],
)


program(
    "float_division",
    function(
        lambda a, b: (
            a // b,
            a % b,
            torch.div(a, b, rounding_mode="trunc"),
            torch.fmod(a, b),
            a / b,
            torch.div(a, b, rounding_mode="floor"),
        )
    ),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(4), f32(4)),
    cases=[
        case(
            "signs",
            lit([7.0, -7.0, 7.0, -7.0, 0.0, 5.5]),
            lit([3.0, 3.0, -3.0, -3.0, 5.0, 0.5]),
        ),
        case("zero", lit([1.0, 0.0, -1.0]), lit([0.0, 0.0, 0.0])),
        case("inf", lit([1.0, inf, -inf, 3.0]), lit([inf, 2.0, 3.0, -inf])),
    ],
)


def overflow(a):
    return (a + a, a * a, a - 1, -a, a.abs(), a << 1, a >> 1, a.sum())


program(
    "integer_overflow",
    function(overflow),
    FAMILY,
    dynamic=ROWS,
    example=(lit([1, 2, 3], torch.int32),),
    cases=[
        case("i32", lit([2**31 - 1, -(2**31), 65536, 3], torch.int32)),
        case("one", lit([-(2**31)], torch.int32)),
    ],
)


def shifts(a, b):
    return (
        a << b,
        a >> b,
        torch.bitwise_left_shift(a, 2),
        torch.bitwise_right_shift(a, b),
        a & 3,
        5 | a,
        1 << b,
    )


program(
    "integer_shifts",
    function(shifts),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(lit([1, 2, 3]), lit([1, 2, 3])),
    cases=[
        case("usual", lit([1, -5, 100]), lit([0, 3, 10])),
        case("one", lit([-1]), lit([62])),
    ],
)


program(
    "power_edges",
    function(
        lambda x, n: (
            x**0,
            x**2,
            x ** (-1),
            x**0.5,
            torch.pow(x, n),
            2.0**x,
            torch.pow(2, n),
            n**3,
            x**n,
            n**0,
        )
    ),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(4), i64(4, lo=0)),
    cases=[
        case("v", lit([0.0, -1.0, 2.5, inf]), lit([0, 3, 2, 1])),
        case("one", lit([nan]), lit([0])),
    ],
)
