"""Sorts and searches, and operators whose results have sizes from data."""

from ..data import ALL, FLOATS, INTS
from .indexing import index_for
from .table import template

FAMILY = "searches"
NUMERIC = FLOATS + INTS


@template(FAMILY, weight=1.5)
def sort(b):
    x = b.tensor(low=1)
    d = b.signed(x, b.dim(x))
    descending = b.choice((True, False))
    b.emit(b.choice((
        f"{x}.sort({d}, {descending})[0]",
        f"torch.sort({x}, dim={d}, descending={descending}, stable=True)[1]",
        f"{x}.argsort(dim={d}, descending={descending}, stable=True)",
        f"torch.msort({x})")))


@template(FAMILY)
def topk(b):
    x = b.tensor(NUMERIC, low=1)
    d = b.dim(x)
    n = b.size(x, d)
    k = b.choice(("1", "2", f"min({n}, 3)", f"{n} // 2", n))
    largest = b.choice((True, False))
    b.emit(f"{x}.topk({k}, {d}, largest={largest})[0]")


@template(FAMILY, weight=0.7)
def kthvalue(b):
    x = b.tensor(NUMERIC, low=1)
    d = b.dim(x)
    b.emit(f"{x}.kthvalue({b.choice(('1', '2', b.size(x, d)))}, {d})[0]")


@template(FAMILY)
def searchsorted(b):
    x = b.tensor(FLOATS + ("i64", "i32"), rank=1)
    y = b.tensor((b.info(x).dtype,))
    sorted_ = b.emit(f"{x}.sort()[0]")
    right = b.choice((True, False))
    b.emit(b.choice((f"torch.searchsorted({sorted_}, {y}, right={right})",
                     f"torch.bucketize({y}, {sorted_}, right={right})")))


@template(FAMILY, weight=2, in_bodies=False)
def nonzero(b):
    x = b.tensor()
    y = b.emit(b.choice((f"{x}.nonzero()", f"({x} > 0).nonzero()",
                         f"torch.argwhere({x})")))
    if b.maybe(0.3):
        b.emit(f"{y}[:, 0]")


@template(FAMILY, weight=2, in_bodies=False)
def masked_select(b):
    x = b.tensor(low=1)
    mask = b.emit(f"{b.same_dims(x)} {b.choice(('>', '<=', '=='))} 0")
    b.emit(b.choice((f"{x}[{mask}]", f"torch.masked_select({x}, {mask})")))


@template(FAMILY, in_bodies=False)
def mask_rows(b):
    x = b.tensor(low=2)
    dims = b.info(x).dims
    y = b.tensor(where=lambda i: i.rank >= 1 and i.dims[0] == dims[0])
    over = tuple(range(1, b.info(y).rank))
    mask = b.emit(f"({y} > 0)" + (f".any({over[0]})" * len(over)
                                  if over else ""))
    b.emit(f"{x}[{mask}]")


@template(FAMILY, in_bodies=False)
def unique(b):
    x = b.tensor(INTS + ("i1", "f32"))
    which = b.choice(("unique", "unique_consecutive"))
    b.emit(b.choice((f"torch.{which}({x})",
                     f"torch.{which}({x}, return_counts=True)[1]",
                     f"torch.{which}({x}, return_inverse=True)[1]")))


@template(FAMILY, in_bodies=False)
def repeat_interleave(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    dims = b.info(x).dims
    if b.maybe(0.4):
        b.emit(f"{x}.repeat_interleave({b.choice((1, 2, 3))}, {d})")
        return
    y = b.tensor(NUMERIC, rank=1, where=lambda i: i.dims[0] == dims[d])
    counts = b.emit(f"{b.as_dtype(y, 'i64')}.abs() % 3")
    b.emit(f"torch.repeat_interleave({x}, {counts}, {d})")


@template(FAMILY, in_bodies=False)
def bincount(b):
    i = index_for(b, 5)
    i = b.emit(f"{i} % 5")
    dims = b.info(i).dims
    if b.maybe(0.3):
        w = b.tensor(("f32", "f64"), rank=1, where=lambda t: t.dims == dims)
        b.emit(f"torch.bincount({i}, {w})")
    else:
        b.emit(f"torch.bincount({i}"
               + b.choice(("", ", minlength=4", ", minlength=9")) + ")")


@template(FAMILY, weight=0.7)
def isin(b):
    x = b.tensor(INTS + ("f32",))
    y = b.tensor((b.info(x).dtype,), low=1)
    b.emit(f"torch.isin({x}, {y})")


@template(FAMILY, weight=0.7)
def cdist(b):
    x = b.tensor(("f32", "f64"), rank=2)
    dims = b.info(x).dims
    y = b.tensor((b.info(x).dtype,), rank=2,
                 where=lambda i: i.dims[1] == dims[1])
    b.emit(f"torch.cdist({x}, {y})")


@template(FAMILY, weight=0.5, in_bodies=False)
def nonzero_static(b):
    x = b.tensor(ALL, low=1)
    b.emit(f"torch.nonzero_static({x}, size={b.choice((0, 2, 4))})")
