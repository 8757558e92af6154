"""In-place updates of arguments, values and views of them."""

from ..data import FLOATS
from .indexing import index_for
from .table import template

FAMILY = "mutation"


def _target(b, **kinds):
    """Something to write to: whole, or through a view."""
    x = b.tensor(**kinds)
    rank = b.info(x).rank
    if rank and b.maybe(0.4):
        x = b.emit(b.choice((f"{x}[1:]", f"{x}[::2]", f"{x}.t()"
                             if rank == 2 else f"{x}[:1]",
                             f"{x}.select(0, 0)", f"{x}[..., :2]")))
    elif b.maybe(0.4):
        x = b.emit(f"{x}.clone()")
    return x


@template(FAMILY, weight=1.5, in_bodies=False)
def binary_(b):
    x = _target(b, where=lambda i: i.dtype != "i1")
    y = b.broadcastable(x, (b.info(x).dtype,))
    what = b.choice(("add_", "mul_", "sub_", "copy_", "maximum"))
    if what == "maximum":
        b.emit_write(f"{x}.copy_({x}.maximum({y}))", x)
    else:
        b.emit_write(f"{x}.{what}({y})", x)


@template(FAMILY, weight=1.5, in_bodies=False)
def unary_(b):
    x = _target(b, dtypes=FLOATS)
    what = b.choice(("relu_()", "neg_()", "clamp_(-1, 1)", "zero_()",
                     "fill_(2)", "add_(1)", "mul_(0.5)", "abs_()", "tanh_()"))
    b.emit_write(f"{x}.{what}", x)


@template(FAMILY, in_bodies=False)
def reduced_(b):
    """A target updated by what was read from it."""
    x = _target(b, dtypes=FLOATS, low=1)
    r = b.choice((f"{x}.sum()", f"{x}.mean()", f"{x}.sum().sum()",
                  f"{x}.amax(0)", f"{x}.sum(0)"))
    b.emit_write(f"{x}.{b.choice(('add_', 'sub_', 'mul_'))}({r})", x)


@template(FAMILY, in_bodies=False)
def index_put_(b):
    x = _target(b, low=1, where=lambda i: i.dtype != "i1")
    i = index_for(b, b.size(x, 0))
    value = b.literal(b.info(x).dtype)
    b.emit_write(b.choice((
        f"{x}[{i}] = {value}", f"{x}[{x} > 0] = {value}",
        f"{x}.index_put_(({i},), torch.ones((), dtype={x}.dtype), "
        "accumulate=True)", f"{x}.index_fill_(0, {i} % {x}.shape[0], {value})",
        f"{x}[0] = {value}", f"{x}[-1:] = {value}",
        f"{x}.masked_fill_({x} < 1, {value})")), x)


@template(FAMILY, weight=0.7, in_bodies=False)
def copy_shifted(b):
    x = _target(b, low=1)
    b.emit_write(b.choice((f"{x}[1:] = {x}[:-1].clone()",
                           f"{x}[:-1].copy_({x}[1:].clone())",
                           f"{x}.copy_({x}.flip(0))")), x)
