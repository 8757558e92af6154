"""Small models."""

import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

from recording.table import case, function, program
from recording.values import b1, f32, floats, i64, lit

FAMILY = "models"
CLOSE = dict(rtol=1e-4, atol=1e-4)
B = Dim("batch", min=0, max=8)
T = Dim("length", min=0, max=24)
S = Dim("keys", min=0, max=16)
QUERIES = Dim("queries", min=0, max=72)
KEYS = Dim("others", min=0, max=24)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.5), nn.LayerNorm(16),
            nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3))

    def forward(self, x):
        scores = self.layers(x)
        return F.log_softmax(scores, -1), scores.argmax(-1)


program("mlp_classifier", Mlp, FAMILY, tags=("matmul",), **CLOSE,
        dynamic=({0: B},), example=(f32(3, 6),),
        cases=[case(f"{n} rows", f32(n, 6)) for n in (3, 0, 1, 8)] + [
            case("9 rows", f32(9, 6), raises="")])


def _rotate(x, places):
    """Rotary position embedding."""
    half = x.shape[-1] // 2
    speeds = 100.0 ** (-torch.arange(half, dtype=torch.float32) / half)
    angles = places[:, None].float() * speeds
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Decoder(nn.Module):
    """A causal layer as in today's language models: RMS norm, rotary
    embedding, grouped heads, a gated MLP."""

    def __init__(self, width=16, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.words = nn.Embedding(20, width)
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * groups * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.norms = nn.ParameterList(
            nn.Parameter(torch.rand(width) + 0.5) for _ in range(3))
        self.gate = nn.Linear(width, 24, bias=False)
        self.up = nn.Linear(width, 24, bias=False)
        self.down = nn.Linear(24, width, bias=False)

    def attend(self, x):
        batch, length, width = x.shape
        places = torch.arange(length)
        q = self.q(x).view(batch, length, self.heads, self.size)
        kv = self.kv(x).view(batch, length, 2 * self.groups, self.size)
        k, v = kv.transpose(1, 2).chunk(2, 1)
        q = _rotate(q.transpose(1, 2), places)
        k = _rotate(k, places)
        repeat = self.heads // self.groups
        k = k.repeat_interleave(repeat, 1)
        v = v.repeat_interleave(repeat, 1)
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        scores = (q @ k.transpose(-2, -1)) * self.size ** -0.5
        scores = scores.masked_fill(~mask, float("-inf"))
        y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def forward(self, tokens):
        x = self.words(tokens)
        first, second, last = self.norms
        x = x + self.attend(F.rms_norm(x, (16,), first, 1e-6))
        y = F.rms_norm(x, (16,), second, 1e-6)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return F.rms_norm(x, (16,), last, 1e-6) @ self.words.weight.T


def _words(b, t):
    return i64(b, t, lo=0, hi=19)


program("decoder_layer", Decoder, FAMILY, tags=("matmul",), **CLOSE,
        dynamic=({0: B, 1: T},), example=(_words(2, 5),),
        cases=[case(f"{b} by {t}", _words(b, t)) for b, t in (
            (2, 5), (1, 1), (1, 7), (3, 1), (0, 4), (2, 0), (8, 3), (1, 24))
        ] + [case("25 long", _words(1, 25), raises=""),
             case("no word", lit([[3, 20]]), raises="")])


class Attention(nn.Module):
    def forward(self, q, k, v, mask):
        return (F.scaled_dot_product_attention(q, k, v),
                F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
                F.scaled_dot_product_attention(q, q, q, is_causal=True),
                F.scaled_dot_product_attention(q, k, v, scale=0.5))


program("attention", Attention, FAMILY, tags=("matmul", "sdpa"), **CLOSE,
        dynamic=({0: B, 2: T}, {0: B, 2: S}, {0: B, 2: S}, {0: T, 1: S}),
        example=(f32(2, 2, 3, 4), f32(2, 2, 5, 4), f32(2, 2, 5, 4),
                 f32(3, 5)),
        cases=[case(f"{b}, {t}, {s}", f32(b, 2, t, 4), f32(b, 2, s, 4),
                    f32(b, 2, s, 4), f32(t, s))
               for b, t, s in ((2, 3, 5), (1, 1, 1), (1, 2, 7), (3, 7, 2))
               ] + [case("keys differ", f32(2, 2, 3, 4), f32(2, 2, 5, 4),
                         f32(2, 2, 4, 4), f32(3, 5), raises="")])


def attend_halves(q, k, v, mask):
    """So many queries that keys are padded for tensor cores."""
    return (F.scaled_dot_product_attention(q, k, v),
            F.scaled_dot_product_attention(q, k, v, attn_mask=mask).float().sum(-2),
            F.scaled_dot_product_attention(q.half(), k.half(), v.half(), is_causal=True))


program("attention_halves", function(attend_halves), FAMILY, tags=("matmul", "sdpa"), rtol=3e-2, atol=3e-2,
        dynamic=({1: QUERIES}, {1: KEYS}, {1: KEYS}, {0: QUERIES, 1: KEYS}),
        example=(floats(torch.bfloat16, 2, 65, 4), floats(torch.bfloat16, 2, 13, 4), floats(torch.bfloat16, 2, 13, 3), floats(torch.bfloat16, 65, 13)),
        cases=[case(f"{t}, {s}", floats(torch.bfloat16, 2, t, 4), floats(torch.bfloat16, 2, s, 4), floats(torch.bfloat16, 2, s, 3),
                    floats(torch.bfloat16, t, s))
               for t, s in ((65, 13), (64, 1), (63, 9), (64, 8), (66, 0), (0, 5), (1, 3), (72, 23))])


class Pooling(nn.Module):
    """The mean over the true positions, and the last of them."""

    def forward(self, x, mask):
        weights = mask.to(x.dtype).unsqueeze(-1)
        count = weights.sum(1).clamp(min=1)
        lengths = mask.sum(1)
        last = (lengths - 1).clamp(min=0)
        ends = x.gather(1, last[:, None, None].expand(-1, 1, x.shape[2]))
        return (x * weights).sum(1) / count, ends.squeeze(1), lengths


program("masked_pooling", Pooling, FAMILY,
        dynamic=({0: B, 1: Dim("length", min=1, max=24)},
                 {0: B, 1: Dim("length", min=1, max=24)}),
        example=(f32(2, 5, 3), b1(2, 5)),
        cases=[case(f"{b} by {t}", f32(b, t, 3), b1(b, t)) for b, t in (
            (2, 5), (1, 1), (0, 4), (8, 3), (3, 24))] + [
            case("mask differs", f32(2, 5, 3), b1(2, 4), raises=""),
            case("25 long", f32(1, 25, 3), b1(1, 25), raises="")])


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(3, 4, 3, padding=1)
        self.second = nn.Conv1d(4, 2, 3)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


program("convolution", Convolution, FAMILY, tags=("conv", "rare"), **CLOSE, oblivious=True,
        dynamic=({0: B, 2: Dim("length", min=8, max=24)},),
        example=(f32(2, 3, 11),),
        cases=[case(f"{b} by {t}", f32(b, 3, t)) for b, t in (
            (2, 11), (1, 8), (3, 9), (1, 24))] + [
            case("7 long", f32(2, 3, 7), raises="")])


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        y = F.relu(self.norm(self.conv(x)))
        return F.adaptive_avg_pool2d(y, 1).flatten(1), y.mean((2, 3))


program("pictures", Pictures, FAMILY, tags=("conv", "rare"), **CLOSE,
        dynamic=({0: B, 2: Dim("height", min=2, max=12),
                  3: Dim("width", min=2, max=12)},),
        example=(f32(2, 1, 5, 6),),
        cases=[case(f"{b} by {h} by {w}", f32(b, 1, h, w)) for b, h, w in (
            (2, 5, 6), (1, 2, 2), (3, 12, 3))])


class Greedy(nn.Module):
    """Picks the best word until the end word comes, at most 8 times."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(5, 5)

    def forward(self, x):
        def going(i, state):
            return (i < 8) & (state.argmax() != 0)

        def step(i, state):
            return i + 1, torch.softmax(self.step(state), -1)

        return while_loop(going, step, (torch.tensor(0), x))


program("greedy_loop", Greedy, FAMILY, tags=("hop", "while_loop", "matmul"),
        **CLOSE, example=(f32(5),),
        cases=[case(f"{n}", f32(5)) for n in range(3)] + [
            case("at once", lit([5.0, 0.0, 0.0, 0.0, 0.0]))])
