"""The small programs of random_shapes.py: inputs of given sizes and what PyTorch's
functions of the same name return for them, computed with numpy in float64."""

import dataclasses
import functools
import math
import pathlib
from typing import Callable

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BENCHMARKS = HERE.parent.parent.parent / "benchmarks" / "gpu" / "programs"

EPSILON = float(np.finfo(np.float32).eps)


def signed_sum(terms):
    """What adding up so many normal numbers one after the other rounds off. A sum
    may come out near 0, so this is absolute."""
    return 0, 4 * EPSILON * terms


def positive_sum(terms):
    return EPSILON * math.sqrt(terms), 0


class Refused:
    """An outcome: a failed check whose message contains the text."""

    def __init__(self, text):
        self.text = text


@dataclasses.dataclass(frozen=True)
class Program:
    path: pathlib.Path
    # How many sizes are drawn.
    sizes: int
    # Takes a numpy generator and the sizes; returns inputs and what they give: a
    # list of arrays, or Refused.
    case: Callable
    # Relative to an element, and to the root mean square of all.
    tolerance: float = 1e-5
    # What rounding may add to that, relative and absolute, from the sizes.
    rounding: Callable = lambda *sizes: (0, 0)
    # The most elements of a tensor with these sizes, where it costs much time.
    elements: int = 1 << 30

    @property
    def name(self):
        return self.path.stem


def to_bf16(values):
    """Rounds to bf16, as float32."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & 0xFFFF0000).astype(np.uint32).view(np.float32)


def as_bf16(values):
    """The two bytes of each, as tally-run reads them."""
    return (values.view(np.uint32) >> 16).astype(np.uint16).view("V2")


def normal(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


def silu(x):
    return x / (1 + np.exp(-x))


def softmax(x):
    if x.size == 0:
        return x
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def pointwise_f32(rng, m, n):
    x, y = normal(rng, m, n), normal(rng, m, n)
    wide = x.astype(float)
    return [x, y], [silu(wide) * y + wide]


def pointwise_bf16(rng, m, n):
    # Small enough that rounding each operation, or only the last, is within what
    # is allowed where the summands cancel.
    x, y = (to_bf16(rng.uniform(-1, 1, (m, n))) for _ in range(2))
    product = to_bf16(to_bf16(silu(x.astype(float))) * y)
    return [as_bf16(x), as_bf16(y)], [to_bf16(product + x)]


def pointwise_f16(rng, n):
    x, y = normal(rng, n).astype(np.float16), normal(rng, n).astype(np.float16)
    return [x, y], [(x + y) * x]


def integers(rng, m, n):
    x, y = (rng.integers(-2**62, 2**62, (m, n)) for _ in range(2))
    # Wraps around, as torch does.
    return [x, y], [x * 3 - y, x < y]


def row_softmax(rng, m, n):
    x = normal(rng, m, n) * rng.choice([1, 30])
    x = x.astype(np.float32)
    return [x], [softmax(x.astype(float))]


def rmsnorm_residual(rng, m, n):
    x, residual, weight = normal(rng, m, n), normal(rng, m, n), normal(rng, n)
    h = x.astype(float) + residual
    if n:
        scale = 1 / np.sqrt(np.square(h).mean(-1, keepdims=True) + 1e-6)
        return [x, residual, weight], [h * scale * weight, h]
    return [x, residual, weight], [h, h]


def sum_over(*axes):
    def case(rng, *sizes):
        x = normal(rng, *sizes)
        return [x], [x.astype(float).sum(axes)]
    return case


def largest(rng, m, n):
    x = normal(rng, m, n)
    return [x], [x.max(initial=-np.inf)]


def transpose(rng, m, n):
    x = normal(rng, m, n)
    return [x], [x.T]


def permute_bf16(rng, a, b, c):
    x = to_bf16(normal(rng, a, b, c))
    return [as_bf16(x)], [x.transpose(1, 2, 0)]


def concat(rng, m, n, k):
    x, y = normal(rng, m, n), normal(rng, k, n)
    return [x, y], [np.concatenate([x, y]), np.concatenate([x, x], 1)]


def broadcast_add(rng, m, n):
    x, row, column = normal(rng, m, n), normal(rng, n), normal(rng, m)
    return [x, row, column], [(x.astype(float) + row) * column[:, None]]


def matmul(rng, m, k, n):
    x, y = normal(rng, m, k), normal(rng, k, n)
    return [x, y], [x.astype(float) @ y]


def indices(rng, width, shape):
    """Places in `width` elements; now and then one is outside, or where there are
    none, all."""
    values = rng.integers(0, max(width, 1), shape)
    if values.size and rng.random() < 0.1:
        values.flat[rng.integers(values.size)] = rng.choice([-1, width, 2**40])
    return values, bool(((values < 0) | (values >= width)).any())


OUT_OF_RANGE = Refused("an index is out of range")


def gather(rng, m, n, k):
    x = normal(rng, m, n)
    index, outside = indices(rng, n, (m, k))
    return [x, index], OUT_OF_RANGE if outside else [np.take_along_axis(x, index, 1)]


def scatter_add(rng, m, n, k):
    x, y = normal(rng, m, n), normal(rng, m, k)
    index, outside = indices(rng, n, (m, k))
    if outside:
        return [x, index, y], OUT_OF_RANGE
    sums = x.astype(float)
    np.add.at(sums, (np.arange(m)[:, None], index), y)
    return [x, index, y], [sums]


def nonzero_gather(rng, m, n):
    x = normal(rng, m, n)
    mask = rng.random(m) < rng.choice([0, 0.01, 0.5, 1])
    return [mask, x], [x[mask]]


def slice_by_item(rng, m, n):
    x = normal(rng, m, n)
    count = int(rng.integers(0, m + 1))
    if rng.random() < 0.1:
        count = int(rng.choice([-1, m + 1, 2**40]))
    return [x, np.array([count])], [x[:count]] if 0 <= count <= m else Refused("")


def order(descending, count=None):
    """Elements of rows in order and their places; many elements are equal."""
    def case(rng, m, n):
        x = np.round(normal(rng, m, n) * rng.choice([4, 1000])).astype(np.float32)
        if count and n < count:
            return [x], Refused("")
        places = np.argsort(-x if descending else x, axis=1, kind="stable")[:, :count]
        return [x], [np.take_along_axis(x, places, 1), places]
    return case


def cond_by_data(rng, n):
    x = normal(rng, n)
    flag = np.array(rng.random() < 0.5)
    return [flag, x], [x + x if flag else x * x]


@functools.cache
def encoder_weights():
    rng = np.random.default_rng(0)

    def matrix(rows, columns):
        return normal(rng, rows, columns) / np.float32(math.sqrt(rows))

    def vector(size, middle=0):
        return normal(rng, size) * np.float32(0.1) + np.float32(middle)

    return [matrix(512, 1536), vector(1536), matrix(512, 512), vector(512),
            vector(512, 1), vector(512), matrix(512, 2048), vector(2048),
            matrix(2048, 512), vector(512), vector(512, 1), vector(512)]


def layer_norm(x, weight, bias):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt(np.square(centered).mean(-1, keepdims=True) + 1e-5) * weight + bias


def encoder(rng, batch, length):
    weights = encoder_weights()
    in_weight, in_bias, out_weight, out_bias, *rest = weights
    norm1_weight, norm1_bias, up_weight, up_bias, down_weight, down_bias, *norm2 = rest
    x = normal(rng, batch, length, 512)
    wide = x.astype(float)
    qkv = (wide @ in_weight + in_bias).reshape(batch, length, 3, 8, 64)
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)
    attended = softmax(q @ k.transpose(0, 1, 3, 2) / 8) @ v
    joined = attended.transpose(0, 2, 1, 3).reshape(batch, length, 512)
    y = layer_norm(joined @ out_weight + out_bias + wide, norm1_weight, norm1_bias)
    inner = np.maximum(y @ up_weight + up_bias, 0)
    return [x, *weights], [layer_norm(inner @ down_weight + down_bias + y, *norm2)]


def own(name):
    return HERE / "Inputs" / f"{name}.mlir"


def benchmark(name):
    return BENCHMARKS / f"{name}.mlir"


# A bf16 or f16 result may differ by the rounding of the operations before.
BF16, F16 = 1.6e-2, 2e-3

PROGRAMS = [
    Program(benchmark("pointwise_f32"), 2, pointwise_f32),
    Program(benchmark("pointwise_bf16"), 2, pointwise_bf16, tolerance=BF16),
    Program(benchmark("softmax"), 2, row_softmax, rounding=lambda m, n: positive_sum(n)),
    Program(benchmark("rmsnorm_residual"), 2, rmsnorm_residual,
            rounding=lambda m, n: positive_sum(n)),
    Program(benchmark("column_sum"), 2, sum_over(0), rounding=lambda m, n: signed_sum(m)),
    Program(benchmark("nonzero_gather"), 2, nonzero_gather, tolerance=0),
    Program(benchmark("encoder"), 2, encoder, tolerance=1e-4, elements=32),
    Program(own("pointwise_f16"), 1, pointwise_f16, tolerance=F16),
    Program(own("integers"), 2, integers, tolerance=0),
    Program(own("row_sum"), 2, sum_over(1), rounding=lambda m, n: signed_sum(n)),
    Program(own("middle_sum"), 3, sum_over(1), rounding=lambda m, n, k: signed_sum(n)),
    Program(own("total"), 2, sum_over(0, 1), rounding=lambda m, n: signed_sum(m * n)),
    Program(own("largest"), 2, largest, tolerance=0),
    Program(own("transpose"), 2, transpose, tolerance=0),
    Program(own("permute_bf16"), 3, permute_bf16, tolerance=0),
    Program(own("concat"), 3, concat, tolerance=0),
    Program(own("broadcast_add"), 2, broadcast_add),
    Program(own("matmul"), 3, matmul, rounding=lambda m, k, n: signed_sum(k), elements=1 << 14),
    Program(own("gather"), 3, gather, tolerance=0),
    Program(own("scatter_add"), 3, scatter_add, rounding=lambda m, n, k: signed_sum(k),
            elements=1 << 14),
    Program(benchmark("sort"), 2, order(descending=False), tolerance=0),
    Program(benchmark("topk_10"), 2, order(descending=True, count=10), tolerance=0),
    Program(own("slice_by_item"), 2, slice_by_item, tolerance=0),
    Program(own("cond_by_data"), 1, cond_by_data),
]
