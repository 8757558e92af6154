"""cond in many surroundings."""

import torch
from torch import nn
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, lit

from .common import M, N, ROWS

FAMILY = "control-flow"


UP = dict(lo=0.1, hi=1.0)


DOWN = dict(lo=-1.0, hi=-0.1)


UPDOWN = [
    case("up", f32(5, **UP)),
    case("down", f32(5, **DOWN)),
    case("one up", f32(1, **UP)),
    case("one down", f32(1, **DOWN)),
    case("none", f32(0)),
    case("33", f32(33), raises=""),
]


def cond_and_pred(x):
    p = torch.logical_and(x.sum() > 0, x.abs().sum() < 4)
    return torch.cond(
        p, lambda a: (a + 1, a.sum()), lambda a: (a - 1, a.mean()), (x,)
    )


program(
    "cond_and_predicate",
    function(cond_and_pred),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=UPDOWN[:4] + [case("long", f32(20, **UP))],
)


class WithParameters(nn.Module):

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.b = nn.Linear(4, 3)
        self.register_buffer("c", torch.arange(3.0))

    def forward(self, x):
        return torch.cond(
            x.sum() > 0,
            lambda z: self.a(z).relu() + self.c,
            lambda z: self.b(z).tanh() * self.c,
            (x,),
        )


program(
    "cond_parameters",
    WithParameters,
    FAMILY,
    dynamic=ROWS,
    example=(f32(3, 4),),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case("up", f32(5, 4, **UP)),
        case("down", f32(5, 4, **DOWN)),
        case("none", f32(0, 4)),
        case("one", f32(1, 4, **UP)),
    ],
)


def cond_closure_item(x, k):
    u = k.item()
    torch._check_is_size(u)
    torch._check(u <= 8)
    z = torch.arange(u).float()
    return torch.cond(
        u > 3, lambda a: a + z.sum() * u, lambda a: a - z.sum(), (x,)
    )


program(
    "cond_closes_over_item",
    function(cond_closure_item),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4), lit(2)),
    strict=True,
    cases=[
        case(f"{u} {n}", f32(n), lit(u))
        for u, n in ((4, 3), (3, 3), (0, 1), (8, 0))
    ]
    + [case("9", f32(1), lit(9), raises="")],
)


def cond_join_nonzero(x):
    y = torch.cond(
        x.sum() > 0, lambda a: a[a > 0.5], lambda a: a[a < 0].repeat(2), (x,)
    )
    return (y, y.numel(), y.sum())


program(
    "cond_join_masks",
    function(cond_join_nonzero),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=UPDOWN,
)


def cond_pytree_operands(d, flag):

    def a(d):
        return {"s": d["x"] + d["l"][0], "t": [d["l"][1] * 2]}

    def b(d):
        return {"s": d["x"] - d["l"][0], "t": [d["l"][1] + 2]}

    return torch.cond(flag, a, b, (d,))


program(
    "cond_dict_operands",
    function(cond_pytree_operands),
    FAMILY,
    dynamic=({"x": {0: N}, "l": [{0: N}, None]}, None),
    example=({"x": f32(4), "l": [f32(4), f32(2)]}, lit(True)),
    cases=[
        case(f"{f} {n}", {"x": f32(n), "l": [f32(n), f32(2)]}, lit(f))
        for f in (True, False)
        for n in (3, 0, 1)
    ],
)


def cond_gather(x, i):
    return torch.cond(
        i.max() < x.shape[0],
        lambda a, j: a[j],
        lambda a, j: a[j % a.shape[0]],
        (x, i),
    )


program(
    "cond_index_or_wrap",
    function(cond_gather),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(f32(4), lit([1, 2])),
    cases=[
        case("in", f32(4), lit([0, 3])),
        case("out", f32(4), lit([0, 9, 2])),
        case("one", f32(1), lit([0])),
    ],
)


program(
    "cond_slices_in",
    function(
        lambda p, a, b: torch.cond(
            p,
            lambda x, y: (x + y)[2:] * 1,
            lambda x, y: (x - y)[2:] * 1,
            [a[:-1], b[:-1]],
        )
    ),
    FAMILY,
    dynamic=(None, {0: Dim("n", min=5, max=32)}, {0: Dim("n", min=5, max=32)}),
    example=(lit(True), f32(7, 3), f32(7, 3)),
    cases=[
        case(f"{p} {n}", lit(p), f32(n, 3), f32(n, 3))
        for p in (True, False)
        for n in (6, 5, 32)
    ],
)


def cond_cat_shapes(p, a, b):
    c = torch.cat([a, b])
    return torch.cond(
        p,
        lambda x, y: torch.cat([x - 3, y * 3], 1),
        lambda x, y: torch.cat([x / 3, y - 3], 1),
        [c * 2, c / 2],
    )


program(
    "cond_sum_of_sizes",
    function(cond_cat_shapes),
    FAMILY,
    dynamic=(None, {0: N}, {0: M}),
    example=(lit(True), f32(2, 3), f32(4, 3)),
    cases=[
        case(f"{p} {n},{m}", lit(p), f32(n, 3), f32(m, 3))
        for p in (True, False)
        for n, m in ((2, 4), (0, 1), (1, 1), (32, 24))
    ],
)


class Experts(nn.Module):

    def __init__(self):
        super().__init__()
        self.e = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x, which):
        return torch.cond(
            which == 0,
            lambda a: self.e[0](a),
            lambda a: torch.cond(
                which == 1,
                lambda b: self.e[1](b),
                lambda b: self.e[2](b),
                (a,),
            ),
            (x,),
        )


program(
    "cond_experts",
    Experts,
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4, 3), lit(1)),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{k} {n}", f32(n, 3), lit(k))
        for k in (0, 1, 2)
        for n in (4, 0, 1)
    ],
)


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)] + [
    case("33", f32(33), raises="")
]


program(
    "cond_empty_operands",
    function(
        lambda x: torch.cond(
            x.sum() > 0, lambda: torch.ones(2), lambda: torch.zeros(2), ()
        )
        + x.sum()
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS[:-1],
)


program(
    "cond_bool_outputs",
    function(
        lambda x: torch.cond(
            x.sum() > 0,
            lambda a: (a > 0, a.any()),
            lambda a: (a < 0, (a > 5).any()),
            (x,),
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


program(
    "cond_closes_over_size",
    function(
        lambda x, y: (
            lambda n: torch.cond(
                y.sum() > 0,
                lambda a: a * n + torch.ones(n).sum(),
                lambda a: a - n,
                (x,),
            )
        )(y.shape[0])
    ),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(f32(3), f32(4)),
    strict=True,
    cases=[
        case(f"{n},{m}", f32(n), f32(m))
        for n, m in ((3, 4), (0, 2), (1, 1), (2, 0))
    ],
)


def zero():
    return torch.zeros((), dtype=torch.int64)


def while_in_cond(x, n):
    return torch.cond(
        x.sum() > 0,
        lambda a: while_loop(
            lambda i, b: i < n, lambda i, b: (i + 1, b + 1), (zero(), a)
        )[1],
        lambda a: a * 0,
        (x,),
    )


program(
    "cond_while_inside",
    function(while_in_cond),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(3), lit(2)),
    cases=[
        case(f"{k} {i}", f32(3, **s), lit(k))
        for k in (3, 0)
        for i, s in enumerate((UP, DOWN))
    ],
)
