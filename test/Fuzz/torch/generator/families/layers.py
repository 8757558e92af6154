"""What models are made of: recurrent layers, resampling, bags, and idioms of
several operators."""

from ..data import FLOATS, INTS
from .table import template

FAMILY = "layers"
F = "torch.nn.functional"
KINDS = ("f32", "f64")


def _picture(b):
    """A tensor of rank 4; one of a lower rank becomes a part of one."""
    x = b.tensor(KINDS, low=2)
    missing = 4 - b.info(x).rank
    return b.emit(f"{x}[{', '.join(['None'] * missing)}]") if missing else x


def _sequence(b):
    """A tensor of rank 3 whose last size is known."""
    x = b.tensor(KINDS, low=2, high=3)
    if b.info(x).rank == 3 and b.info(x).is_constant(2):
        return x
    x = x if b.info(x).rank == 2 else b.emit(f"{x}.flatten(1)")
    return b.emit(f"torch.stack([{x}, {x} * 0.5], -1)")


@template(FAMILY, weight=0.7, keeps_sizes=True)
def special(b):
    x = b.tensor(KINDS)
    b.emit(b.choice((
        f"torch.lgamma({x}.abs() + 0.5)", f"torch.digamma({x}.abs() + 0.5)",
        f"torch.erfinv({x}.clamp(-0.9, 0.9))", f"torch.mvlgamma({x}.abs() + 3, 2)",
        f"torch.special.log_ndtr({x})",
        f"torch.special.expit({x})", f"torch.sinc({x})")))


@template(FAMILY, keeps_sizes=True)
def bits(b):
    x = b.tensor(INTS)
    y = b.broadcastable(x, INTS)
    b.emit(b.choice((f"{x} << {y}.clamp(0, 3)", f"{x} >> {y}.clamp(0, 3)",
                     f"{x} | {y}", f"{x} ^ {y}", f"~{x}", f"{x} // 3",
                     f"torch.gcd({x}, {y})", f"{x} % 5")))


@template(FAMILY)
def recurrent(b):
    x = _sequence(b)
    info = b.info(x)
    hidden, size = 2, info.constant(2)
    kind, gates = b.choice((("gru", 3), ("lstm", 4), ("rnn_tanh", 1),
                            ("rnn_relu", 1)))
    first = b.choice((True, False))
    directions = b.choice((1, 1, 2))
    weights = ", ".join(
        f"{b.parameter(info.dtype, gates * hidden, columns)}"
        for _ in range(directions) for columns in (size, hidden))
    state = f"{x}.new_zeros({directions}, {b.size(x, 0 if first else 1)}, {hidden})"
    start = f"({state}, {state})" if kind == "lstm" else state
    b.emit(f"torch.{kind}({x}, {start}, [{weights}], False, 1, 0.0, False, "
           f"{directions == 2}, {first})[{b.choice((0, 0, 1))}]")


@template(FAMILY)
def bag(b):
    index = b.tensor(INTS, rank=2)
    table = b.parameter("f32", 5, 3)
    index = b.emit(f"{b.as_dtype(index, 'i64')}.remainder(5)")
    b.emit(f"{F}.embedding_bag({index}, {table}, "
           f"mode='{b.choice(('sum', 'mean', 'max'))}')")


@template(FAMILY)
def pools(b):
    x = _picture(b)
    k = b.choice((1, 2))
    b.emit(b.choice((
        f"{F}.avg_pool3d({x}, {k}, ceil_mode={b.choice((True, False))})",
        f"{F}.max_pool3d({x}, {k}, padding={k // 2})",
        f"{F}.adaptive_avg_pool3d({x}, (1, 2, 3))",
        f"{F}.adaptive_max_pool3d({x}, (1, 2, 1))",
        f"{F}.adaptive_max_pool2d({x}, {b.choice((1, 2, 3))})",
        f"{F}.adaptive_max_pool2d({x}, 2, return_indices=True)[1]",
        f"{F}.max_pool2d({x}, 2, return_indices=True)[1]",
        f"{F}.avg_pool2d({x}, 2, divisor_override=3)",
        f"{F}.lp_pool2d({x}, 2.0, {k})")))


@template(FAMILY)
def resize(b):
    x = _picture(b)
    other = b.tensor(low=1)
    size = f"({b.size(other, b.dim(other))}, {b.choice((1, 3, 6))})"
    b.emit(b.choice((
        f"{F}.interpolate({x}, size={size}, mode='bicubic')",
        f"{F}.interpolate({x}, size={size}, mode='bicubic', align_corners=True)",
        f"{F}.interpolate({x}, size={size}, mode='nearest-exact')",
        f"{F}.interpolate({x}, size={size}, mode='bilinear')",
        f"{F}.interpolate({x}, size={size}, mode='bilinear', antialias=True)",
        f"{F}.interpolate({x}, size={size}, mode='area')",
        f"{F}.interpolate({x}, scale_factor=(1.5, 0.7), mode='nearest')",
        f"{F}.interpolate({x}[None], scale_factor=2, mode='trilinear')",
        f"{F}.interpolate({x}[None], size=({size[1:-1]}, 2))",
        f"{F}.interpolate({x}[0], size={b.choice((1, 4))}, mode='nearest-exact')")))


@template(FAMILY)
def grid(b):
    x = _picture(b)
    theta = b.parameter(b.info(x).dtype, 1, 2, 3)
    rows = b.size(x, 0)
    shape = f"({rows}, 1, {b.choice((2, 3))}, {b.size(x, 3)})"
    corners = b.choice((True, False))
    where = b.emit(f"{F}.affine_grid({theta}.expand({rows}, 2, 3), {shape}, "
                   f"align_corners={corners})")
    b.emit(f"{F}.grid_sample({x}, {where}, "
           f"mode='{b.choice(('bilinear', 'nearest', 'bicubic'))}', padding_mode="
           f"'{b.choice(('zeros', 'border', 'reflection'))}', "
           f"align_corners={corners})")


@template(FAMILY, weight=0.7)
def fold(b):
    x = _picture(b)
    p = b.choice((0, 1))
    b.emit(f"{F}.fold({F}.unfold({x}, 2, padding={p}), "
           f"({b.size(x, 2)}, {b.size(x, 3)}), 2, padding={p})")


@template(FAMILY, weight=0.7)
def borders(b):
    x = b.tensor(FLOATS, low=2, high=4)
    spatial = b.choice(s for s in (1, 2, 3) if b.info(x).rank in (s + 1, s + 2))
    width = ", ".join(["1, 0", "0, 2", "1, 1"][:spatial])
    b.emit(f"{F}.pad({x}, ({width}), "
           f"mode='{b.choice(('reflect', 'replicate', 'circular'))}')")


@template(FAMILY, weight=0.7)
def unshuffle(b):
    x = b.tensor(rank=4, where=lambda i: all(
        s % 2 == 0 for d in (2, 3) for s in i.dims[d]))
    b.emit(f"{F}.pixel_unshuffle({x}, 2)")


@template(FAMILY, weight=0.7)
def into_slices(b):
    x = b.tensor(low=2)
    row = b.emit(f"{x}[0] * 1")
    b.emit(b.choice((f"{x}.select_scatter({row}, 0, -1)",
                     f"{x}.slice_scatter({row}[None], 0, 0, 1)",
                     f"{x}.diagonal_scatter({x}.diagonal().flip(-1))",
                     f"torch.cat([{x}[1:], {row}[None]])")))


# -- idioms --


@template(FAMILY)
def rotary(b):
    """Rotates pairs of columns by an angle that grows with the row."""
    x = b.tensor(KINDS, low=2)
    x = b.emit(f"torch.cat([{x}, {x}.flip(-1)], -1)")
    half = b.emit(f"torch.arange({b.size(x, b.info(x).rank - 1)} // 2)")
    place = b.emit(f"torch.arange({b.size(x, b.info(x).rank - 2)})")
    angle = b.emit(f"({place}[:, None] * (0.1 ** {half})).to({x}.dtype)")
    low, high = b.emit(f"{x}.chunk(2, -1)", 2)
    b.emit(f"torch.cat([{low} * {angle}.cos() - {high} * {angle}.sin(), "
           f"{low} * {angle}.sin() + {high} * {angle}.cos()], -1)")


@template(FAMILY)
def causal(b):
    """A softmax of what is not masked: later rows, or other than a window."""
    x = b.tensor(KINDS, low=2)
    info = b.info(x)
    rows = b.emit(f"torch.arange({b.size(x, info.rank - 2)})")
    columns = b.emit(f"torch.arange({b.size(x, info.rank - 1)})")
    mask = b.emit(b.choice((
        f"{columns}[None, :] <= {rows}[:, None]",
        f"({columns}[None, :] - {rows}[:, None]).abs() < 2",
        f"torch.ones_like({x}, dtype=torch.bool).tril()")))
    fill = b.choice(("float('-inf')", "-1e9", f"torch.finfo({x}.dtype).min"))
    b.emit(f"{x}.masked_fill(~{mask}, {fill}).softmax(-1)")


@template(FAMILY)
def masked_mean(b):
    """The mean over what a mask keeps."""
    x = b.tensor(KINDS, low=2)
    d = b.dim(x)
    mask = b.emit(f"({x} > 0).to({x}.dtype)")
    b.emit(f"({x} * {mask}).sum({d}) / {mask}.sum({d}).clamp(min=1)")


@template(FAMILY)
def heads(b):
    """Attention of two heads over itself."""
    x = _sequence(b)
    info = b.info(x)
    width = info.constant(2)
    q, k, v = (b.emit(
        f"({x} @ {b.parameter(info.dtype, width, 4)}).unflatten(-1, (2, 2))"
        ".transpose(1, 2)") for _ in range(3))
    b.emit(f"{F}.scaled_dot_product_attention({q}, {k}, {v}, "
           f"is_causal={b.choice((True, False))}).transpose(1, 2).flatten(2)")


@template(FAMILY)
def partition(b):
    """Windows of a padded picture, and back."""
    x = b.tensor(KINDS, rank=3)
    h, w = b.size(x, 0), b.size(x, 1)
    padded = b.emit(f"{F}.pad({x}, (0, 0, 0, -{w} % 2, 0, -{h} % 2))")
    rows, columns = f"{padded}.shape[0] // 2", f"{padded}.shape[1] // 2"
    parts = b.emit(f"{padded}.view({rows}, 2, {columns}, 2, {padded}.shape[2])"
                   ".permute(0, 2, 1, 3, 4).reshape(-1, 4, "
                   f"{padded}.shape[2])")
    b.emit(f"{parts}.reshape({rows}, {columns}, 2, 2, {padded}.shape[2])"
           f".permute(0, 2, 1, 3, 4).reshape({padded}.shape)[:{h}, :{w}]")


@template(FAMILY)
def relative(b):
    """A table that is read at differences of places."""
    x = b.tensor(KINDS, low=2)
    info = b.info(x)
    table = b.parameter(info.dtype, 7)
    n = b.size(x, info.rank - 1)
    places = b.emit(f"(torch.arange({n})[None, :] - torch.arange({n})[:, None])"
                    ".clamp(-3, 3) + 3")
    b.emit(f"{x} @ {table}[{places}]")


@template(FAMILY)
def routed(b):
    """The best few of some experts, weighted."""
    x = b.emit(f"{_sequence(b)}.flatten(0, 1)")
    info = b.info(x)
    gate = b.parameter(info.dtype, info.constant(1), 4)
    value, index = b.emit(f"({x} @ {gate}).softmax(-1).topk(2)", 2)
    b.emit(f"torch.zeros_like({x} @ {gate}).scatter(1, {index}, "
           f"{value} / {value}.sum(-1, keepdim=True))")
