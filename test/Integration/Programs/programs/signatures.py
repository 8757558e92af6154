"""Inputs and outputs of every kind."""

import torch
from torch import nn

from recording.table import case, function, program
from recording.values import f32, lit

from .common import M, N, ROWS

FAMILY = "signatures"


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)] + [
    case("33", f32(33), raises="")
]


def out_named(x):
    return (
        x + 1,
        {
            "a": [x * 2, (x.sum(), None)],
            "b": 3,
            "c": "text",
            "d": 1.5,
            "e": True,
        },
    )


program(
    "outputs_tree",
    function(out_named),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def out_views(x):
    return (
        x.view(-1, 1),
        x[:2],
        x.t() if x.dim() == 2 else x.unsqueeze(0),
        x.detach(),
        x,
    )


program(
    "outputs_view_inputs",
    function(out_views),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def out_sizes(x, y):
    return (x.shape, y.numel(), x.size(0) * y.size(0), x.dim(), y.stride())


program(
    "outputs_shape",
    function(out_sizes),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: M}),
    example=(f32(3, 4), f32(4)),
    cases=[
        case(f"{n},{m}", f32(n, m), f32(m))
        for n, m in ((3, 4), (0, 3), (1, 1), (32, 24))
    ],
)


def in_scalars(x, a, b, c, d):
    y = x * a + b
    if c:
        y = y + 1
    return y if d == "relu" else y.relu()


program(
    "inputs_scalar_kinds",
    function(in_scalars),
    FAMILY,
    dynamic=({0: N}, None, None, None, None),
    example=(f32(4), 3, 0.5, True, "relu"),
    cases=[case(str(n), f32(n), 3, 0.5, True, "relu") for n in (4, 0, 1)],
)


def in_none(x, y=None):
    return x + 1 if y is None else x + y


program(
    "inputs_none",
    function(in_none),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4), None),
    cases=[case(str(n), f32(n), None) for n in (4, 0, 1)],
)


def scalar_tensors(a, b, c):
    return (a + b, a * c, b / 3, a.item() + 1, c.to(torch.float32))


program(
    "inputs_zero_dim",
    function(scalar_tensors),
    FAMILY,
    example=(lit(3), lit(2.5), lit(True)),
    cases=[
        case("1", lit(3), lit(2.5), lit(True)),
        case("2", lit(-3), lit(0.0), lit(False)),
    ],
)


class Buffers(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.arange(6.0).view(2, 3))
        self.register_buffer("np", torch.ones(3), persistent=False)
        self.p = nn.Parameter(torch.randn(3))
        self.k = torch.tensor([1, 0])
        self.scale = 2

    def forward(self, x):
        return (
            (x @ self.b.t())[:, self.k] * self.scale
            + (self.p * self.np).sum()
            + torch.tensor(0.25)
        )


program(
    "module_state",
    Buffers,
    FAMILY,
    dynamic=ROWS,
    example=(f32(4, 3),),
    rtol=0.0001,
    atol=0.0001,
    cases=[case(str(n), f32(n, 3)) for n in (4, 0, 1)],
)


program(
    "empty_outputs",
    function(
        lambda x: (
            x[:0],
            x.new_zeros(0, 3),
            torch.zeros(2, 0).sum(1),
            x.sum() * 0,
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def no_tensor_out(x):
    return x.shape[0] + 1


program(
    "output_is_int",
    function(no_tensor_out),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)
