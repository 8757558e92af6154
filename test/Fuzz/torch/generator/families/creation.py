"""New tensors whose sizes come from others."""

from ..builder import DTYPES_TEXT
from ..data import ALL, FLOATS
from .table import template

FAMILY = "creation"


@template(FAMILY)
def like(b):
    x = b.tensor()
    dtype = DTYPES_TEXT[b.choice(ALL)]
    value = b.literal(b.info(x).dtype)
    b.emit(b.choice((f"torch.zeros_like({x})", f"torch.ones_like({x})",
                     f"torch.full_like({x}, {value})",
                     f"torch.ones_like({x}, dtype={dtype})",
                     f"{x}.new_full({x}.shape, {value})")))


@template(FAMILY, weight=1.5)
def arange(b):
    x = b.tensor(low=1)
    n = b.size(x, b.dim(x))
    b.emit(b.choice((f"torch.arange({n})", f"torch.arange(1, {n} + 1)",
                     f"torch.arange({n}, dtype=torch.float32)",
                     f"torch.arange(0, {n}, 2)", f"torch.arange({n}, 0, -1)",
                     f"torch.arange({n} - 1, -1, -1)",
                     f"torch.linspace(0, 1, {n})")))


@template(FAMILY)
def full(b):
    x = b.tensor(low=1)
    n = b.size(x, b.dim(x))
    dtype = b.choice(ALL)
    value = b.choice((b.literal(dtype), "1"))
    shape = b.choice((f"({n},)", f"({n}, 2)", f"(1, {n})"))
    b.emit(f"torch.full({shape}, {value}, dtype={DTYPES_TEXT[dtype]})")


@template(FAMILY, weight=0.7)
def eye(b):
    x = b.tensor(low=1)
    n = b.size(x, b.dim(x))
    b.emit(b.choice((f"torch.eye({n})", f"torch.eye({n}, 3)",
                     f"torch.tril_indices({n}, {n})",
                     f"torch.ones({n}, {n}).tril()")))


@template(FAMILY, weight=0.7)
def mask(b):
    """A causal mask."""
    x = b.tensor(FLOATS, low=2)
    n, m = b.size(x, -2 + b.info(x).rank), b.size(x, -1 + b.info(x).rank)
    rows = b.emit(f"torch.arange({n}).unsqueeze(1)")
    columns = b.emit(f"torch.arange({m}).unsqueeze(0)")
    causal = b.emit(f"{columns} <= {rows}")
    b.emit(f"{x}.masked_fill(~{causal}, float('-inf'))"
           if b.maybe(0.5) else f"torch.where({causal}, {x}, 0)")


@template(FAMILY, weight=0.7)
def constant(b):
    values = b.choice(("[1.0, -2.0, 0.5]", "[0, 1]", "2.5", "3", "True",
                       "[[1, 2], [3, 4]]"))
    b.emit(f"torch.tensor({values})")


@template(FAMILY, weight=0.7)
def one_hot(b):
    x = b.tensor(("i64",), rank=1)
    b.emit(f"torch.nn.functional.one_hot({x}.remainder(4), 4)")
