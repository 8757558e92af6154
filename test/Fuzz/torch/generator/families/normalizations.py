"""softmax, norms and losses."""

from ..data import FLOATS
from .table import template

FAMILY = "normalizations"
F = "torch.nn.functional"


@template(FAMILY, weight=1.5, keeps_sizes=True)
def softmax(b):
    x = b.tensor(FLOATS, low=1)
    d = b.signed(x, b.dim(x))
    b.emit(b.choice((f"torch.softmax({x}, {d})",
                     f"torch.log_softmax({x}, {d})",
                     f"{F}.softmin({x}, {d})",
                     f"torch.softmax({x}, {d}, dtype=torch.float32)",
                     f"{F}.normalize({x}, dim={d})")))


@template(FAMILY, keeps_sizes=True)
def layer_norm(b):
    x = b.tensor(FLOATS, low=1, where=lambda i: i.is_constant(i.rank - 1))
    info = b.info(x)
    n = info.constant(info.rank - 1)
    weight = b.parameter(info.dtype, n)
    b.emit(b.choice((f"{F}.layer_norm({x}, ({n},), {weight})",
                     f"{F}.layer_norm({x}, ({n},))",
                     f"{F}.rms_norm({x}, ({n},), {weight})")))


@template(FAMILY, keeps_sizes=True)
def layer_norm_dynamic(b):
    x = b.tensor(FLOATS, low=1)
    n = b.size(x, b.info(x).rank - 1)
    b.emit(f"{F}.layer_norm({x}, ({n},))")


@template(FAMILY, keeps_sizes=True)
def batch_norm(b):
    x = b.tensor(("f32", "f64"), low=2, where=lambda i: i.is_constant(1))
    info = b.info(x)
    n = info.constant(1)
    mean, scale = (b.parameter(info.dtype, n) for _ in range(2))
    b.emit(b.choice((
        f"{F}.batch_norm({x}, {mean}, {scale}.abs())",
        f"{F}.group_norm({x}, 1)", f"{F}.group_norm({x}, {n})",
        f"{F}.instance_norm({x})" if info.rank > 2 else
        f"{F}.group_norm({x}, 1, {scale})")))


@template(FAMILY)
def losses(b):
    x = b.tensor(("f32", "f64"), low=1)
    y = b.same_dims(x, (b.info(x).dtype,))
    reduction = b.choice(("mean", "sum", "none"))
    loss = b.choice(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
                     "soft_margin_loss"))
    b.emit(f"{F}.{loss}({x}, {y}, reduction='{reduction}')")


@template(FAMILY, weight=0.7)
def cross_entropy(b):
    x = b.tensor(("f32", "f64"), rank=2)
    classes = b.size(x, 1)
    rows = b.info(x).dims[0]
    y = b.tensor(rank=1, where=lambda i: i.dims[0] == rows)
    target = b.emit(f"{b.as_dtype(y, 'i64')}.remainder({classes})")
    reduction = b.choice(("mean", "sum", "none"))
    b.emit(f"{F}.cross_entropy({x}, {target}, reduction='{reduction}')")


@template(FAMILY, weight=0.5)
def similarity(b):
    x = b.tensor(("f32", "f64"), low=1)
    y = b.same_dims(x, (b.info(x).dtype,))
    b.emit(b.choice((f"{F}.cosine_similarity({x}, {y}, {b.dim(x)})",
                     f"{F}.pairwise_distance({x}, {y})")))
