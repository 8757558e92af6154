"""Regions that are compiled once and called often."""

import torch
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import chosen, f32, lit

from .common import M, N, ROWS, MATRIX

FAMILY = "control-flow"


region = torch.compiler.nested_compile_region


@region
def sized(x):
    return x.reshape(-1) * x.shape[0]


def region_sizes(x, y):
    return (sized(x), sized(y))


program(
    "region_two_shapes",
    function(region_sizes),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: M, 1: N}),
    example=(f32(3, 4), f32(4, 3)),
    cases=[
        case(f"{n},{m}", f32(n, m), f32(m, n))
        for n, m in ((3, 4), (0, 3), (1, 1), (32, 24))
    ]
    + [case("33", f32(33, 1), f32(1, 33), raises="")],
)


@region
def with_int(x, n):
    return x.narrow(0, 0, n) * n


def region_int(x, y):
    n = y.shape[0]
    torch._check(n <= x.shape[0])
    return (with_int(x, n), with_int(x + 1, n))


program(
    "region_takes_size",
    function(region_int),
    FAMILY,
    dynamic=({0: Dim("n", max=32)}, {0: M}),
    example=(f32(5), f32(3)),
    deferred=True,
    cases=[
        case(f"{n},{m}", f32(n), f32(m))
        for n, m in ((5, 3), (5, 5), (1, 0), (32, 1))
    ]
    + [case("3,5", f32(3), f32(5), raises="")],
)


class Block(nn.Module):

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.n = nn.LayerNorm(4)

    @region
    def forward(self, x):
        return x + self.l(self.n(x)).relu()


class Stack(nn.Module):

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block() for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.mean(0)


program(
    "region_blocks",
    Stack,
    FAMILY,
    dynamic=ROWS,
    example=(f32(3, 4),),
    rtol=0.0001,
    atol=0.0001,
    cases=[case(str(n), f32(n, 4)) for n in (4, 1, 32)],
)


@region
def inner(x):
    return x * 2 + 1


@region
def outer(x):
    return inner(inner(x)).sum(0) + inner(x)


def region_deep(x):
    return outer(x) - outer(x + 1)


program(
    "region_in_region",
    function(region_deep),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 4),),
    cases=[
        case(f"{n},{m}", f32(n, m))
        for n, m in ((3, 4), (0, 3), (1, 1), (32, 24))
    ],
)


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)] + [
    case("33", f32(33), raises="")
]


@region
def branchy(x):
    return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,))


def region_cond(x):
    return branchy(x) + branchy(-x)


program(
    "region_with_cond",
    function(region_cond),
    FAMILY,
    dynamic=ROWS,
    example=(f32(3),),
    cases=NS,
)


@region
def part(x, mask):
    return x[mask] * 2


def region_mask(x, m):
    return (part(x, m).sum(), part(x * 2, m))


program(
    "region_makes_mask",
    function(region_mask),
    FAMILY,
    dynamic=({0: N}, {0: N}),
    example=(f32(4), chosen(4, 2)),
    cases=[
        case(f"{k} of {n}", f32(n), chosen(n, k))
        for k, n in ((2, 4), (0, 4), (4, 4), (0, 0), (1, 1))
    ],
)


def region_unbacked(x, k):
    u = k.item()
    torch._check_is_size(u)
    torch._check(u <= x.shape[0])
    y = x[:u]
    return (inner(y), inner(x), inner(torch.cat([y, x])))


program(
    "region_of_slice",
    function(region_unbacked),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4), lit(2)),
    cases=[
        case(f"{u} of {n}", f32(n), lit(u))
        for u, n in ((2, 4), (0, 4), (4, 4), (0, 0), (1, 1))
    ]
    + [case("5 of 4", f32(4), lit(5), raises="")],
)
