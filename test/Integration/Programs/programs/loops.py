"""while_loop, scan, map and vmap."""

import torch
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from recording.table import case, function, program
from recording.values import f32, lit

from .common import M, N, ROWS

FAMILY = "control-flow"


class WhileLinear(nn.Module):

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        self.register_buffer("dec", torch.tensor(1))

    def forward(self, it, x):
        return while_loop(
            lambda i, x: i - self.dec > 0,
            lambda i, x: (i - 1, self.l(x)),
            (it, x),
        )


program(
    "while_module",
    WhileLinear,
    FAMILY,
    dynamic=(None, {0: N}),
    example=(lit(2), f32(3, 3)),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{n} {m}", lit(n), f32(m, 3))
        for n, m in ((3, 4), (0, 4), (1, 1), (4, 0))
    ],
)


def zero():
    return torch.zeros((), dtype=torch.int64)


def while_int_float_bool(x, flag):

    def cond(i, done, s, a):
        return torch.logical_and(i < 5, torch.logical_not(done))

    def body(i, done, s, a):
        a = a * 2
        return (i + 1, a.sum() > 4, s + a.mean(), a)

    return while_loop(cond, body, (zero(), flag, torch.zeros(()), x))


program(
    "while_four_carries",
    function(while_int_float_bool),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4), lit(False)),
    cases=[
        case("up", f32(3, lo=0.1, hi=0.3), lit(False)),
        case("done", f32(3), lit(True)),
        case("down", f32(2, lo=-1, hi=-0.1), lit(False)),
    ],
)


def while_unbacked_closure(x, k):
    u = k.item()
    torch._check_is_size(u)
    torch._check(u <= 6)
    z = torch.ones(u, 2)
    return while_loop(
        lambda i, a: i < u, lambda i, a: (i + 1, a + i), (zero(), z)
    )


program(
    "while_item_bound",
    function(while_unbacked_closure),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(3), lit(2)),
    strict=True,
    cases=[case(str(u), f32(3), lit(u)) for u in (3, 0, 1, 6)]
    + [case("7", f32(1), lit(7), raises="")],
)


def while_cond_inside(x, n):

    def body(i, a):
        return (
            i + 1,
            torch.cond(i % 2 == 0, lambda a: a + 1, lambda a: a * 2, (a,)),
        )

    return while_loop(lambda i, a: i < n, body, (zero(), x))


program(
    "while_cond_inside",
    function(while_cond_inside),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(3), lit(2)),
    cases=[
        case(f"{k} {n}", f32(n), lit(k))
        for n, k in ((3, 4), (3, 0), (0, 3), (1, 1))
    ],
)


def while_newton(x):

    def cond(i, y):
        return torch.logical_and(i < 20, ((y * y - x).abs() > 0.0001).any())

    return while_loop(
        cond,
        lambda i, y: (i + 1, (y + x / y) / 2),
        (zero(), torch.ones_like(x)),
    )[1]


program(
    "while_newton",
    function(while_newton),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4, lo=1, hi=9),),
    rtol=0.001,
    cases=[case(str(n), f32(n, lo=0.5, hi=9.0)) for n in (4, 0, 1, 32)],
)


def while_decode(x, w, n):

    def body(i, toks):
        logits = w.index_select(0, toks.index_select(0, i.view(1))).squeeze(0)
        nxt = logits.argmax()
        return (
            i + 1,
            torch.where(torch.arange(toks.shape[0]) == i + 1, nxt, toks),
        )

    return while_loop(lambda i, toks: i < n, body, (zero(), x))[1]


program(
    "while_decode",
    function(while_decode),
    FAMILY,
    dynamic=({0: N}, None, None),
    example=(lit([1, 0, 0, 0]), f32(4, 4), lit(2)),
    cases=[
        case(f"{n}", lit([1, 0, 0, 0, 0]), f32(4, 4), lit(n))
        for n in (3, 0, 5)
    ]
    + [
        case(
            "token",
            lit([4, 0, 0]),
            f32(4, 4),
            lit(1),
            raises="aten.index_select.default: an index is out of range",
        ),
        case(
            "past the end",
            lit([1, 0]),
            f32(4, 4),
            lit(3),
            raises="aten.index_select.default: an index is out of range",
        ),
    ],
)


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)] + [
    case("33", f32(33), raises="")
]


def while_mask_carry(x):
    y = x[x > 0]
    return while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * 2 + i), (zero(), y)
    )


program(
    "while_carries_mask_size",
    function(while_mask_carry),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def scan_rev_dim(init, xs):
    return scan(
        lambda c, x: (c + x, (c + x).sin()), init, xs, dim=2, reverse=True
    )


program(
    "scan_dim_two_reverse",
    function(scan_rev_dim),
    FAMILY,
    dynamic=(None, {2: N}),
    example=(f32(2, 3), f32(2, 3, 4)),
    cases=[case(f"{n}", f32(2, 3), f32(2, 3, n)) for n in (4, 1, 7)],
)


def scan_cond(init, xs):

    def f(c, x):
        y = torch.cond(
            x.sum() > 0, lambda c, x: c + x, lambda c, x: c - x, (c, x)
        )
        return (y, y * 2)

    return scan(f, init, xs)


program(
    "scan_cond_inside",
    function(scan_cond),
    FAMILY,
    dynamic=(None, {0: N}),
    example=(f32(3), f32(4, 3)),
    cases=[case(f"{n}", f32(3), f32(n, 3)) for n in (5, 1, 32)],
)


def scan_lstm(x, w, u):

    def step(c, xt):
        h, s = c
        g = xt @ w + h @ u
        i, f, o, z = g.chunk(4, -1)
        s = torch.sigmoid(f) * s + torch.sigmoid(i) * torch.tanh(z)
        h = torch.sigmoid(o) * torch.tanh(s)
        return ((h, s), h.clone())

    n = w.shape[1] // 4
    return scan(
        step, (x.new_zeros(x.shape[1], 2), x.new_zeros(x.shape[1], 2)), x
    )


program(
    "scan_lstm",
    function(scan_lstm),
    FAMILY,
    dynamic=({0: N}, None, None),
    example=(f32(4, 2, 3), f32(3, 8), f32(2, 8)),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{t},{b}", f32(t, b, 3), f32(3, 8), f32(2, 8))
        for t, b in ((4, 2), (1, 2), (9, 2))
    ],
)


program(
    "scan_mask_inside",
    function(
        lambda init, xs: scan(
            lambda c, x: (c + x[x > 0].sum(), c * 1), init, xs
        )
    ),
    FAMILY,
    dynamic=(None, {0: N}),
    example=(lit(0.0), f32(4, 3)),
    cases=[case(str(n), lit(0.0), f32(n, 3)) for n in (4, 1, 32)],
)


def map_tree(xs, y):

    def f(d, y):
        return [d["a"] * y, d["a"].sum(), (d["b"] > 0).sum()]

    return map_rows(f, {"a": xs, "b": xs + 1}, y)


program(
    "map_tree_outputs",
    function(map_tree),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4, 3), f32(3)),
    cases=[case(f"{n}", f32(n, 3), f32(3)) for n in (4, 1)],
)


program(
    "vmap_dot",
    function(
        lambda x, y: torch.vmap(lambda a, b: (a * b).sum() + b.max())(x, y)
    ),
    FAMILY,
    dynamic=({1: M}, {1: M}),
    example=(f32(3, 4), f32(3, 4)),
    cases=[case(f"{m}", f32(3, m), f32(3, m)) for m in (4, 1, 24)],
)
