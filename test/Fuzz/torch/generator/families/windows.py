"""Convolutions, pools and resizing."""

from ..data import FLOATS
from .table import template

FAMILY = "windows"
F = "torch.nn.functional"
KINDS = ("f32", "f64")


@template(FAMILY)
def conv(b):
    x = b.tensor(KINDS, low=3, where=lambda i: i.is_constant(1))
    info = b.info(x)
    spatial = info.rank - 2
    k = b.choice((1, 2, 3))
    out = b.choice((1, 2))
    weight = b.parameter(info.dtype, out, info.constant(1), *[k] * spatial)
    bias = b.parameter(info.dtype, out) if b.maybe(0.5) else "None"
    stride, padding = b.choice((1, 2)), b.choice((0, 1, 2))
    dilation = b.choice((1, 1, 2))
    b.emit(f"{F}.conv{spatial}d({x}, {weight}, {bias}, stride={stride}, "
           f"padding={padding}, dilation={dilation})")


@template(FAMILY, weight=0.5)
def conv_depthwise(b):
    x = b.tensor(KINDS, rank=3, where=lambda i: i.is_constant(1))
    info = b.info(x)
    weight = b.parameter(info.dtype, info.constant(1), 1, 2)
    b.emit(f"{F}.conv1d({x}, {weight}, padding=1, "
           f"groups={info.constant(1)})")


@template(FAMILY, weight=0.5)
def conv_transpose(b):
    x = b.tensor(KINDS, rank=3, where=lambda i: i.is_constant(1))
    info = b.info(x)
    weight = b.parameter(info.dtype, info.constant(1), 2, 3)
    b.emit(f"{F}.conv_transpose1d({x}, {weight}, stride={b.choice((1, 2))}, "
           f"padding={b.choice((0, 1))})")


@template(FAMILY)
def pool(b):
    x = b.tensor(FLOATS, low=2, high=4)
    spatial = b.choice(s for s in (1, 2)
                       if b.info(x).rank in (s + 1, s + 2))
    k, stride = b.choice((1, 2, 3)), b.choice((1, 2))
    padding = b.choice((0, k // 2))
    ceil = b.choice((True, False))
    b.emit(b.choice((
        f"{F}.max_pool{spatial}d({x}, {k}, {stride}, {padding}, "
        f"ceil_mode={ceil})",
        f"{F}.avg_pool{spatial}d({x}, {k}, {stride}, {padding}, "
        f"ceil_mode={ceil}, count_include_pad={b.choice((True, False))})",
        f"{F}.adaptive_avg_pool{spatial}d({x}, {b.choice((1, 2, 3))})")))


@template(FAMILY, weight=0.7)
def interpolate(b):
    x = b.tensor(KINDS, low=3, high=4)
    b.emit(b.choice((
        f"{F}.interpolate({x}, scale_factor=2)",
        f"{F}.interpolate({x}, size={(5,) * (b.info(x).rank - 2)})",
        f"{F}.interpolate({x}, scale_factor=2, mode='linear')"
        if b.info(x).rank == 3 else
        f"{F}.interpolate({x}, scale_factor=2, mode='bilinear')")))


@template(FAMILY, weight=0.4)
def shuffle(b):
    x = b.tensor(rank=4, where=lambda i: i.is_constant(1)
                 and i.constant(1) % 4 == 0)
    b.emit(f"{F}.pixel_shuffle({x}, 2)")


@template(FAMILY, weight=0.5)
def im2col(b):
    x = b.tensor(KINDS, rank=4)
    b.emit(f"{F}.unfold({x}, 2, padding={b.choice((0, 1))})")
