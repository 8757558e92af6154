"""Recurrent layers over batches of any size."""

import torch
from torch import nn

from recording.table import case, program
from recording.values import f32

from .common import N

FAMILY = "recurrent"


class Layers(nn.Module):
    """A layer, and what it gives: all outputs and the last states."""

    def __init__(self, kind, **options):
        super().__init__()
        torch.manual_seed(0)
        self.layer = kind(3, 4, **options)

    def forward(self, x):
        outputs, states = self.layer(x)
        return (outputs, *states) if isinstance(states, tuple) else (
            outputs, states)


def layers(name, kind, steps=5, batch_first=False, **options):
    """PyTorch knows the number of steps when it exports a layer."""
    def x(n):
        return f32(*((n, steps) if batch_first else (steps, n)), 3)

    program(
        f"recurrent_{name}",
        lambda: Layers(kind, batch_first=batch_first, **options),
        FAMILY,
        dynamic=({0 if batch_first else 1: N},),
        example=(x(2),),
        cases=[case(f"{n} sequences", x(n)) for n in (2, 1, 0, 32)]
        + [case("33 sequences", x(33), raises="")],
    )


layers("lstm", nn.LSTM)
layers("lstm_wide", nn.LSTM, 7, True, num_layers=2, bidirectional=True)
layers("lstm_narrow", nn.LSTM, proj_size=2, bias=False)
layers("gru", nn.GRU, num_layers=2)
layers("gru_both", nn.GRU, 1, True, bidirectional=True, bias=False)
layers("tanh", nn.RNN, bidirectional=True)
layers("relu", nn.RNN, nonlinearity="relu", num_layers=2)


class Cells(nn.Module):
    """One step of each kind of cell."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.lstm = nn.LSTMCell(3, 4)
        self.gru = nn.GRUCell(3, 4, bias=False)
        self.tanh = nn.RNNCell(3, 4)
        self.relu = nn.RNNCell(3, 4, nonlinearity="relu")

    def forward(self, x, h):
        return *self.lstm(x, (h, h * 2)), self.gru(x, h), self.tanh(x, h), \
            self.relu(x, h)


program(
    "recurrent_cells", Cells, FAMILY, dynamic=({0: N}, {0: N}),
    example=(f32(5, 3), f32(5, 4)),
    cases=[case(f"{n}", f32(n, 3), f32(n, 4)) for n in (5, 1, 0, 32)]
    + [case("33, beyond", f32(33, 3), f32(33, 4), raises="")],
)
