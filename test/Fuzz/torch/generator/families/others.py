"""Operators that are rarer."""

from ..data import FLOATS, INTS
from .table import template

FAMILY = "others"
NUMERIC = FLOATS + INTS
F = "torch.nn.functional"


@template(FAMILY, keeps_sizes=True)
def unary(b):
    x = b.tensor(FLOATS)
    code = b.choice("""torch.tan({0}) torch.sinh({0}) torch.cosh({0})
        torch.asin({0}.clamp(-1,1)) torch.acos({0}.clamp(-1,1))
        torch.acosh({0}.abs()+1) torch.atanh({0}.clamp(-0.9,0.9))
        torch.log2({0}.abs()+1) torch.log10({0}.abs()+1) torch.deg2rad({0})
        torch.logit({0}.clamp(0.1,0.9)) torch.special.entr({0}) {0}.fix()
        torch.nn.functional.threshold({0},0.1,2.0) {0}.angle()
        torch.nn.functional.hardshrink({0}) torch.isposinf({0})
        torch.isneginf({0}) torch.log({0}) torch.sqrt({0}) torch.rsqrt({0})
        torch.log1p({0}) torch.acos({0})""".split())
    b.emit(code.format(x))


@template(FAMILY, keeps_sizes=True)
def binary(b):
    x = b.tensor(FLOATS)
    y = b.broadcastable(x, FLOATS)
    code = b.choice("""torch.logaddexp2({0},{1}) torch.float_power({0}.abs(),{1})
        torch.special.xlog1py({0},{1}.abs()) {0}.maximum({1}).minimum({0})
        torch.nn.functional.prelu({0},{1}.reshape(-1)[:1].to({0}.dtype))
        torch.pow({0},2.5) torch.pow({0},{1}) {0}.clamp_min({1}) {0}.clamp_max({1})
        torch.hypot({0},{1}) torch.fmod({0},{1})""".split())
    b.emit(code.format(x, y))


@template(FAMILY, weight=0.7, keeps_sizes=True)
def integers(b):
    x = b.tensor(INTS)
    y = b.broadcastable(x, INTS)
    b.emit(b.choice((f"torch.lcm({x}.clamp(0, 9), {y}.clamp(0, 9))",
                     f"torch.pow({x}, 3)", f"{x}.bitwise_and({y})",
                     f"{x}.bitwise_xor(1)", f"torch.ldexp({x}.float(), {y}.clamp(0, 9))",
                     f"{x}.div(2, rounding_mode='floor')", f"{x}.clip(1, 3)")))


@template(FAMILY)
def diagonals(b):
    x = b.tensor(low=1, high=2)
    b.emit(b.choice((f"torch.diag({x})", f"torch.diag({x}, 1)",
                     f"torch.diag_embed({x})", f"torch.diag_embed({x}, -1)",
                     f"torch.diagflat({x})")))


@template(FAMILY)
def stacks(b):
    x = b.tensor(high=3)
    y = b.same_dims(x)
    b.emit(f"torch.{b.choice(('hstack', 'vstack', 'dstack'))}([{x}, {y}])")


@template(FAMILY)
def shapes(b):
    x = b.tensor(low=2)
    b.emit(b.choice((f"{x}.rot90()", f"{x}.fliplr()", f"{x}.flipud()",
                     f"{x}.mT", f"torch.atleast_3d({x})", f"{x}.swapaxes(0, 1)",
                     f"torch.atleast_2d({x}.sum(0))")))


@template(FAMILY, weight=0.7)
def products(b):
    x = b.tensor(FLOATS, rank=1)
    info = b.info(x)
    y = b.tensor((info.dtype,), rank=1)
    m = b.tensor((info.dtype,), rank=2, where=lambda i: i.dims[1] == info.dims[0])
    b.emit(b.choice((f"{m}.mv({x})", f"torch.addmv({m}[:, 0], {m}, {x})",
                     f"torch.addr({m}[:1, :1], {x}, {y})",
                     f"torch.cartesian_prod({x}, {y})",
                     f"torch.ger({x}, {y})")))


@template(FAMILY, weight=0.7)
def batches(b):
    x = b.tensor(("f32", "f64"), rank=3)
    info = b.info(x)
    y = b.tensor((info.dtype,), rank=3, where=lambda i: i.dims[0] == info.dims[0]
                 and i.dims[2] == info.dims[2])
    t = f"{y}.transpose(1, 2)"
    b.emit(b.choice((f"torch.baddbmm({x}[:1, :1, :1], {x}, {t}, beta=0.5)",
                     f"torch.addbmm({x}[0, :1, :1], {x}, {t}, alpha=2)")))


@template(FAMILY, weight=0.7)
def power(b):
    x = b.tensor(("f32", "f64"), low=2, high=3,
                 where=lambda i: i.dims[-1] == i.dims[-2])
    b.emit(f"torch.matrix_power({x} / 4, {b.choice((0, 1, 2, 3))})")


@template(FAMILY, weight=0.7)
def cross(b):
    x = b.tensor(NUMERIC, low=1, where=lambda i: 3 in (
        i.constant(d) for d in range(i.rank)))
    d = b.dim(x, lambda d: b.info(x).constant(d) == 3)
    b.emit(f"torch.linalg.cross({x}, {x}.flip({d}), dim={d})")


@template(FAMILY)
def losses(b):
    x = b.tensor(("f32", "f64"), low=1)
    y = b.same_dims(x, (b.info(x).dtype,))
    reduction = b.choice(("mean", "sum", "none"))
    b.emit(b.choice((
        f"{F}.binary_cross_entropy({x}.sigmoid(), {y}.sigmoid(), "
        f"reduction='{reduction}')",
        f"{F}.binary_cross_entropy_with_logits({x}, {y}.sigmoid(), "
        f"reduction='{reduction}')",
        f"{F}.kl_div({x}, {y}.abs(), reduction='{reduction}')",
        f"{F}.margin_ranking_loss({x}, {y}, {x}.sign(), "
        f"reduction='{reduction}')", f"torch.dist({x}, {y})",
        f"{F}.hinge_embedding_loss({x}, {y}.sign(), reduction='{reduction}')")))


@template(FAMILY, weight=0.7)
def nll_loss(b):
    x = b.tensor(("f32", "f64"), rank=2)
    rows, classes = b.info(x).dims[0], b.size(x, 1)
    y = b.tensor(rank=1, where=lambda i: i.dims[0] == rows)
    target = b.emit(f"{b.as_dtype(y, 'i64')}.remainder({classes})")
    b.emit(f"{F}.nll_loss({x}, {target}, ignore_index={b.choice((-100, 0, 1))}, "
           f"reduction='{b.choice(('mean', 'sum', 'none'))}')")


@template(FAMILY, weight=0.7)
def along(b):
    x = b.tensor(("f32", "f64"), low=1)
    d = b.dim(x)
    b.emit(b.choice((f"torch.trapezoid({x}, dim={d})",
                     f"{x}.nanquantile(0.5, dim={d})", f"{x}.nanmedian({d})[0]",
                     f"{x}.renorm(2, {d}, 1.0)" if b.info(x).rank > 1
                     else f"{x}.diff()", f"{x}.norm(0, dim={d})",
                     f"torch.linalg.norm({x}, dim={d})")))


@template(FAMILY, weight=0.7)
def halves(b):
    x = b.tensor(FLOATS, low=1, where=lambda i: any(
        all(s % 2 == 0 for s in d) for d in i.dims))
    d = b.dim(x, lambda d: all(s % 2 == 0 for s in b.info(x).dims[d]))
    b.emit(f"{F}.glu({x}, {d})")


@template(FAMILY, weight=0.7)
def puts(b):
    x = b.tensor(FLOATS, low=1)
    info = b.info(x)
    y = b.same_dims(x, (info.dtype,))
    index = b.emit(f"torch.arange({b.size(x, 0)}) // 2")
    how = b.choice(("prod", "mean", "amax", "amin"))
    b.emit(b.choice((
        f"{x}.index_reduce(0, {index}, {y}, '{how}')",
        f"{x}.index_reduce(0, {index}, {y}, '{how}', include_self=False)",
        f"{x}.put({index}, {y}.reshape({b.size(y, 0)}, -1)[:, 0], True)",
        f"{x}.index_add(0, {index}, {y}, alpha=2)")))


@template(FAMILY, weight=0.7)
def windows(b):
    x = b.tensor(("f32", "f64"), rank=4, where=lambda i: i.is_constant(1))
    info = b.info(x)
    weight = b.parameter(info.dtype, info.constant(1), 2, 2, 2)
    b.emit(b.choice((
        f"{F}.conv_transpose2d({x}, {weight}, stride=2, output_padding=1)",
        f"{F}.max_pool2d({x}, (2, 1), (1, 2), ceil_mode=True)",
        f"{F}.channel_shuffle({x}, {info.constant(1)})",
        f"{F}.pad({x}, (1, 1, 1, 1), mode='reflect')",
        f"{F}.pad({x}, (1, 0, 2, 1), mode='replicate')",
        f"{F}.interpolate({x}, scale_factor=0.5)",
        f"{F}.interpolate({x}, size=(3, 5), mode='bilinear', "
        "align_corners=True)")))


@template(FAMILY, weight=0.7)
def histogram(b):
    x = b.tensor(("f32", "f64"))
    b.emit(f"torch.histc({x}, bins=4, min=-1, max=1)")


@template(FAMILY, weight=0.5, in_bodies=False)
def tril_indices(b):
    x = b.tensor(low=1)
    n = b.size(x, b.dim(x))
    b.emit(b.choice((f"torch.triu_indices({n}, 3)",
                     f"torch.tril_indices(3, {n}, -1)")))
