"""What bench.py measures: PyTorch modules, the sizes that vary, and the sizes to time."""

import dataclasses
import typing

import torch
from torch import nn
from torch.nn import functional as F


@dataclasses.dataclass
class Workload:
    name: str
    module: nn.Module
    # Makes the arguments from a tuple of sizes.
    arguments: typing.Callable
    # Of each argument, the names of the dimensions that vary: {dim: name}.
    dynamic: tuple
    sizes: tuple
    # What a call reads of its arguments.
    read: typing.Callable = lambda *arguments: arguments


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def rand(*sizes):
    return torch.randn(*sizes)


def make_operations():
    matrix = ({0: "m", 1: "k"}, {0: "k", 1: "n"})
    rows = ({0: "m", 1: "n"},)
    matmuls = ((512, 512, 512), (511, 513, 515), (64, 768, 768), (64, 64, 64), (8, 8, 8))
    tables = ((2048, 1024), (1023, 1025), (64, 100), (2, 3))
    image = ({0: "b", 2: "h", 3: "w"},)
    attention = ({0: "b", 1: "h", 2: "s"},) * 3
    normal = nn.LayerNorm(1024, elementwise_affine=True)

    def operation(name, function, arguments, dynamic, sizes):
        return Workload(name, Function(function), arguments, dynamic, sizes)

    def one(*sizes):
        return (rand(*sizes),)

    def same(count):
        return lambda *sizes: tuple(rand(*sizes) for _ in range(count))

    yield operation("linear", F.linear, lambda m, k, n: (rand(m, k), rand(n, k)),
                    ({0: "m", 1: "k"}, {0: "n", 1: "k"}), matmuls)
    yield operation("matmul", torch.matmul, lambda m, k, n: (rand(m, k), rand(k, n)), matrix, matmuls)
    yield operation("bmm", torch.bmm, lambda b, m, k, n: (rand(b, m, k), rand(b, k, n)),
                    ({0: "b", 1: "m", 2: "k"}, {0: "b", 1: "k", 2: "n"}),
                    ((96, 128, 64, 128), (7, 33, 65, 17), (2, 2, 3, 2)))
    yield operation("matvec", torch.mv, lambda m, k: (rand(m, k), rand(k)), ({0: "m", 1: "k"}, {0: "k"}),
                    ((4096, 4096), (1023, 1025), (2, 3)))
    sequences = ((4, 12, 256), (1, 12, 1024), (1, 12, 77), (2, 2, 5))

    def heads(b, h, s):
        return tuple(rand(b, h, s, 64) for _ in range(3))

    def attend(**options):
        return lambda q, k, v, *mask: F.scaled_dot_product_attention(q, k, v, *mask, **options)

    yield operation("sdpa", F.scaled_dot_product_attention, heads, attention, sequences)
    yield operation("sdpa_causal", attend(is_causal=True), heads, attention, sequences)
    yield operation("sdpa_masked", attend(), lambda b, h, s: (*heads(b, h, s), rand(s, s) > 0),
                    (*attention, {0: "s", 1: "s"}), sequences)
    yield operation("sdpa_biased", attend(), lambda b, h, s: (*heads(b, h, s), rand(b, h, s, s)),
                    (*attention, {0: "b", 1: "h", 2: "s", 3: "s"}), sequences)
    yield operation("sdpa_grouped", attend(enable_gqa=True, is_causal=True),
                    lambda b, s: (rand(b, 16, s, 64), rand(b, 4, s, 64), rand(b, 4, s, 64)), ({0: "b", 2: "s"},) * 3,
                    ((2, 256), (1, 1024), (1, 77), (2, 5)))
    yield operation("sdpa_decode", attend(enable_gqa=True),
                    lambda b, s: (rand(b, 16, 1, 64), rand(b, 4, s, 64), rand(b, 4, s, 64)),
                    ({0: "b"}, {0: "b", 2: "s"}, {0: "b", 2: "s"}), ((4, 1024), (1, 333), (1, 17)))
    yield operation("softmax", lambda x: torch.softmax(x, -1), one, rows, tables)
    yield Workload("layernorm", normal, lambda m: (rand(m, 1024),), ({0: "m"},), ((2048,), (77,), (2,)))
    yield operation("gelu", F.gelu, one, rows, tables)
    yield operation("silu", F.silu, one, rows, tables)
    yield operation("chain", lambda x, y: torch.sigmoid(x) * y + x * 0.5 - y.abs(), same(2), rows * 2, tables)
    yield operation("add", torch.add, same(2), rows * 2, tables)
    yield operation("masked_fill", lambda x, m: x.masked_fill(m, 0.0), lambda m, n: (rand(m, n), rand(m, n) > 0),
                    rows * 2, tables)
    yield operation("compare", lambda x, y: (x > y) & (x < 1), same(2), rows * 2, tables)
    yield operation("exp", torch.exp, one, rows, tables)
    yield operation("tanh", torch.tanh, one, rows, tables)
    yield operation("transpose", lambda x: x.t().contiguous(), one, rows, tables)
    yield operation("row_sum", lambda x: x.sum(-1), one, rows, tables)
    yield operation("column_sum", lambda x: x.sum(0), one, rows, tables)
    yield operation("sum", torch.sum, one, rows, tables)
    yield operation("max", lambda x: x.amax(-1), one, rows, tables)
    yield operation("cumsum", lambda x: x.cumsum(-1), one, rows, tables)
    yield operation("sort", lambda x: torch.sort(x, dim=-1)[0], one, rows, tables)
    yield operation("topk", lambda x: torch.topk(x, 2)[0], one, rows, tables)
    yield operation("cat", lambda x, y: torch.cat([x, y], 1), same(2), rows * 2, tables)
    yield operation("embedding", lambda i, w: F.embedding(i, w),
                    lambda n, v: (torch.randint(0, v, (n,)), rand(v, 256)), ({0: "n"}, {0: "v"}),
                    ((4096, 30000), (77, 1000), (2, 3)))
    for name, layer, channels in (
            ("conv3x3", nn.Conv2d(64, 64, 3, padding=1), 64), ("conv1x1", nn.Conv2d(64, 256, 1), 64),
            ("depthwise", nn.Conv2d(64, 64, 3, padding=1, groups=64), 64), ("maxpool", nn.MaxPool2d(3, 2, 1), 64),
            ("batchnorm", nn.BatchNorm2d(64).eval(), 64)):
        yield Workload(name, layer, lambda b, h, w, channels=channels: (rand(b, channels, h, w),), image,
                       ((4, 56, 56), (1, 29, 31), (1, 5, 5)))


class Encoder(nn.Module):
    """Two layers of BERT's shape."""

    def __init__(self, width=768, heads=12, layers=2):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x)


class Llama(nn.Module):
    """A layer with RMSNorm, rotary positions, grouped queries and SwiGLU."""

    def __init__(self, width=512, heads=8, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * groups * self.size, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, 1408, bias=False), nn.Linear(width, 1408, bias=False)
        self.down = nn.Linear(1408, width, bias=False)
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)

    def rotate(self, x):
        positions = torch.arange(x.shape[2], dtype=torch.float32)
        frequencies = 10000.0 ** (-torch.arange(0, self.size, 2, dtype=torch.float32) / self.size)
        angles = positions[:, None] * frequencies[None, :]
        first, second = x.chunk(2, -1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

    def forward(self, x):
        b, s, _ = x.shape
        y = self.norm1(x)
        q = self.rotate(self.q(y).view(b, s, self.heads, self.size).transpose(1, 2))
        k, v = self.kv(y).view(b, s, 2 * self.groups, self.size).transpose(1, 2).chunk(2, 1)
        k = self.rotate(k).repeat_interleave(self.heads // self.groups, 1)
        v = v.repeat_interleave(self.heads // self.groups, 1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, s, -1))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def make_layers():
    tokens = ({0: "b", 1: "s"},)
    sizes = ((4, 128), (1, 77), (1, 1), (2, 33))
    yield Workload("encoder", Encoder().eval(), lambda b, s: (rand(b, s, 768),), tokens, sizes)
    yield Workload("llama_layer", Llama().eval(), lambda b, s: (rand(b, s, 512),), tokens, sizes)
