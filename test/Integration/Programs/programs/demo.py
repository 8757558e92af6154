"""The four programs that the demo and the tutorial use."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import b1, chosen, f32, lit

# (a) The reshape guard: s0 * s1 == s2.


def reshape_guard(x, y):
    return x.reshape(-1) + y


_rows, _columns = Dim("rows", min=0, max=64), Dim("columns", min=0, max=64)
_RESHAPE_CASES = [
    case("3 by 4", f32(3, 4), f32(12)),
    case("2 by 2", f32(2, 2), f32(4)),
    case("7 by 5", f32(7, 5), f32(35)),
    case("64 by 64, the bounds", f32(64, 64), f32(4096)),
    case("12 against 11", f32(3, 4), f32(11), raises=""),
    case("12 against 13", f32(3, 4), f32(13), raises=""),
    case("no broadcasting of 1", f32(3, 4), f32(1), raises=""),
]
_RESHAPE_SMALL = [
    case("1 by 1", f32(1, 1), f32(1)),
    case("1 by 9", f32(1, 9), f32(9)),
    case("0 by 4", f32(0, 4), f32(0)),
    case("4 by 0", f32(4, 0), f32(0)),
]

program(
    "reshape_guard", function(reshape_guard), "views",
    tags=("demo", "guard"),
    dynamic=({0: _rows, 1: _columns}, {0: Dim("flat", min=0, max=4096)}),
    example=(f32(3, 4), f32(12)),
    cases=_RESHAPE_CASES + _RESHAPE_SMALL + [
        case("65 rows", f32(65, 2), f32(130), raises=""),
        case("0 against 1", f32(0, 4), f32(1), raises=""),
    ])

# The same with the guard kept as an assert instead of a declared shape.
program(
    "reshape_guard_deferred", function(reshape_guard), "views",
    tags=("demo", "guard"), deferred=True,
    dynamic=({0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, {0: Dim.DYNAMIC}),
    example=(f32(3, 4), f32(12)),
    cases=list(_RESHAPE_CASES))

# (b) Rows chosen by a mask go through an MLP and back to their places.


class SelectRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, x, mask):
        rows = mask.nonzero().squeeze(1)
        hidden = F.gelu(self.up(x[rows]))
        out = x.clone()
        out[rows] = self.down(hidden)
        return out, rows.shape[0]


class SelectRowsScatter(nn.Module):
    """Puts the changed rows into a copy of x, with explicit gather and scatter ops."""

    def __init__(self):
        super().__init__()
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, x, mask):
        rows = torch.nonzero(mask)
        index = rows.expand(-1, x.shape[1])
        picked = torch.gather(x, 0, index)
        changed = self.down(torch.relu(self.up(picked)))
        return torch.scatter(x.clone(), 0, index, changed)


_SELECT_CASES = [
    case("3 of 7", f32(7, 16), chosen(7, 3)),
    case("none of 7", f32(7, 16), chosen(7, 0)),
    case("1 of 7", f32(7, 16), chosen(7, 1)),
    case("all of 7", f32(7, 16), chosen(7, 7)),
    case("the only row", f32(1, 16), chosen(1, 1)),
    case("not the only row", f32(1, 16), chosen(1, 0)),
    case("no rows at all", f32(0, 16), chosen(0, 0)),
    case("13 of 33", f32(33, 16), chosen(33, 13)),
    case("100 of 256, the bound", f32(256, 16), chosen(256, 100)),
    case("257 rows", f32(257, 16), chosen(257, 5), raises=""),
    case("mask longer than x", f32(7, 16), chosen(8, 2), raises=""),
]

_n = Dim("n", min=0, max=256)
for _name, _module in (("select_rows_mlp", SelectRows),
                       ("select_rows_mlp_scatter", SelectRowsScatter)):
    program(
        _name, _module, "data-dependent", tags=("demo", "unbacked", "matmul"),
        dynamic=({0: _n}, {0: _n}),
        example=(f32(6, 16), chosen(6, 2)), cases=list(_SELECT_CASES),
        rtol=1e-4, atol=1e-4)

# (c) Nested conds whose branches close over everything that has a size.


class NestedCond(nn.Module):
    """Branches use: a tensor of symbolic sizes (x), a size (x.shape[0]), an
    item() value (k) and a tensor of unbacked size (picked)."""

    def forward(self, x, mask, k):
        u = k.item()
        torch._check(u >= 0)
        torch._check(u <= 100)
        picked = x[mask.nonzero().squeeze(1)]
        rows, count = x.shape[0], picked.shape[0]

        def outer_true(a):
            def inner_true(b):
                return b + picked.sum() + u

            def inner_false(b):
                return b * rows - x.sum(0)

            return torch.cond(picked.sum() > 0, inner_true, inner_false, (a,))

        def outer_false(a):
            def inner_true(b):
                return b - count

            def inner_false(b):
                return b / (u + 1) + x.sum(0) * rows

            return torch.cond(u > 5, inner_true, inner_false, (a,))

        total = x.sum(0)
        return torch.cond(total.sum() > 0, outer_true, outer_false, (total,))


class CondReturnsUnbacked(nn.Module):
    """The result of each level has as many rows as were picked."""

    def forward(self, x, mask, k):
        u = k.item()
        torch._check(u >= 0)
        torch._check(u <= x.shape[0])
        picked = x[mask.nonzero().squeeze(1)]

        def outer_true(a):
            def inner_true(b):
                return b * u + x[:u].sum()

            def inner_false(b):
                return b - picked

            return torch.cond(u > 2, inner_true, inner_false, (a,))

        def outer_false(a):
            return a + x.shape[0]

        return torch.cond(k > 1, outer_true, outer_false, (picked + 1,))


def _nested_cases(limit):
    """Every path through the branches, and the sizes 0, 1, odd and bound."""
    up = dict(lo=0.1, hi=1.0)
    down = dict(lo=-1.0, hi=-0.1)
    return [
        case("sum > 0, picked > 0", f32(5, 4, **up), chosen(5, 2), lit(3)),
        case("sum > 0, none picked", f32(5, 4, **up), chosen(5, 0), lit(2)),
        case("sum < 0, k large", f32(5, 4, **down), chosen(5, 3),
             lit(limit(5))),
        case("sum < 0, k small", f32(5, 4, **down), chosen(5, 3), lit(1)),
        case("k is 0", f32(5, 4, **down), chosen(5, 5), lit(0)),
        case("1 row, picked", f32(1, 4, **up), chosen(1, 1), lit(1)),
        case("1 row, not picked", f32(1, 4, **up), chosen(1, 0), lit(1)),
        case("0 rows", f32(0, 4), chosen(0, 0), lit(0)),
        case("17 rows", f32(17, 4, **up), chosen(17, 1), lit(limit(17))),
        case("64 rows, the bound", f32(64, 4, **down), chosen(64, 40), lit(3)),
        case("65 rows", f32(65, 4, **up), chosen(65, 2), lit(3), raises=""),
        case("k is negative", f32(5, 4, **up), chosen(5, 2), lit(-1),
             raises=""),
        case("k too large", f32(5, 4, **up), chosen(5, 2), lit(101),
             raises=""),
    ]


_m = Dim("m", min=0, max=64)
for _name, _module, _limit in (("nested_cond", NestedCond, lambda n: 100),
                               ("nested_cond_unbacked", CondReturnsUnbacked,
                                lambda n: n)):
    program(
        _name, _module, "cond", tags=("demo", "hop", "unbacked"), strict=True,
        dynamic=({0: _m}, {0: _m}, None),
        example=(f32(6, 4), chosen(6, 2), lit(3)), cases=_nested_cases(_limit))

# (d) A transformer encoder of two layers; batch and sequence are dynamic.


class Encoder(nn.Module):
    """Embedding, positions, two pre-norm layers, a padding mask."""

    def __init__(self, width=16, heads=2, layers=2, words=32, longest=40):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(longest, width) * 0.1)
        self.layers = nn.ModuleList(
            EncoderLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens, padding):
        length = tokens.shape[1]
        x = self.words(tokens) + self.places[:length]
        mask = torch.zeros_like(padding, dtype=x.dtype).masked_fill(
            padding, -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


class EncoderLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.between = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def attend(self, x, mask):
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads,
                                 width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        weights = torch.softmax(scores + mask, dim=-1)
        joined = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        return self.out(joined)

    def forward(self, x, mask):
        x = x + self.attend(self.before(x), mask)
        return x + self.down(F.gelu(self.up(self.between(x))))


def torch_encoder():
    """The same shape of model as torch.nn ships it."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0,
                                       batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


_batch, _length = Dim("batch", min=0, max=16), Dim("length", min=0, max=40)


def _tokens(batch, length):
    from recording.values import i64
    return i64(batch, length, lo=0, hi=31)


program(
    "transformer_encoder", Encoder, "models",
    tags=("demo", "matmul"), rtol=1e-4, atol=1e-4,
    dynamic=({0: _batch, 1: _length}, {0: _batch, 1: _length}),
    example=(_tokens(3, 7), b1(3, 7)),
    cases=[
        case("2 by 5", _tokens(2, 5), b1(2, 5)),
        case("1 by 1", _tokens(1, 1), lit([[False]])),
        case("1 by 9", _tokens(1, 9), b1(1, 9)),
        case("3 by 1", _tokens(3, 1), b1(3, 1)),
        case("4 by 13", _tokens(4, 13), b1(4, 13)),
        case("2 by 40, the bound", _tokens(2, 40), b1(2, 40)),
        case("16 by 3, the bound", _tokens(16, 3), b1(16, 3)),
        case("empty batch", _tokens(0, 5), b1(0, 5)),
        case("empty sequence", _tokens(2, 0), b1(2, 0)),
        case("sequence of 41", _tokens(2, 41), b1(2, 41), raises=""),
        case("batch of 17", _tokens(17, 2), b1(17, 2), raises=""),
        case("sizes disagree", _tokens(2, 5), b1(2, 6), raises=""),
        case("a token that is no word",
             lit([[1, 2, 32, 4]]), lit([[False] * 4]), raises=""),
    ])

program(
    "transformer_encoder_nn", torch_encoder, "models",
    tags=("demo", "matmul"), rtol=1e-4, atol=1e-4,
    dynamic=({0: _batch, 1: _length},),
    example=(f32(3, 7, 16),),
    cases=[
        case("2 by 5", f32(2, 5, 16)),
        case("1 by 1", f32(1, 1, 16)),
        case("4 by 13", f32(4, 13, 16)),
        case("16 by 2, the bound", f32(16, 2, 16)),
        case("1 by 40, the bound", f32(1, 40, 16)),
        case("sequence of 41", f32(1, 41, 16), raises=""),
        case("batch of 17", f32(17, 1, 16), raises=""),
    ])
