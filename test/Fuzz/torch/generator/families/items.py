"""Numbers read from tensors, and the sizes made of them."""

from ..data import INTS
from .table import template

FAMILY = "items"


def item(b, bound=None):
    """A number in [0, bound], with the checks that PyTorch wants."""
    x = b.tensor(INTS + ("i1",))
    code = b.choice((f"({x} > 0).sum()", f"{x}.sum().abs() % 5"
                     if b.info(x).dtype != "i1" else f"{x}.sum()",
                     f"{x}.count_nonzero()"))
    checks = "torch._check({v} >= 0)"
    if bound:
        code = f"({code}).clamp(max={bound})"
        checks += f"\ntorch._check({{v}} <= {bound})"
    return b.emit_number(f"({code}).item()", then=checks)


def item_of_input(b, bound):
    """A number as it stands in an argument: calls out of range are refused."""
    x = b.tensor(("i64", "i32"), rank=0)
    return b.emit_number(f"{x}.item()", then="torch._check({v} >= 0)\n"
                         f"torch._check({{v}} <= {bound})")


@template(FAMILY, weight=2, in_bodies=False)
def narrow(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    n = b.size(x, d)
    u = b.choice((item, item_of_input))(b, n)
    b.emit(b.choice((f"{x}.narrow({d}, 0, {u})", f"{x}[{':, ' * d}:{u}]",
                     f"{x}[{':, ' * d}{u}:]",
                     f"{x}.narrow({d}, {u}, {n} - {u})")))


@template(FAMILY, in_bodies=False)
def slice_two(b):
    x = b.tensor(low=1)
    u, v = item(b), item(b)
    b.emit(b.choice((f"{x}[{u}:{v}]", f"{x}[:{u} + {v}]", f"{x}[{u}:{u} + 2]",
                     f"{x}[-{u} - 1:]")))


@template(FAMILY, weight=1.5, in_bodies=False)
def create(b):
    u = item(b, b.choice((4, 8)))
    b.emit(b.choice((f"torch.zeros({u})", f"torch.arange({u})",
                     f"torch.ones({u}, 2)", f"torch.full(({u},), {u})",
                     f"torch.arange({u}).float() / ({u} + 1)",
                     f"torch.ones({u} + 1, dtype=torch.int64).cumsum(0)")))


@template(FAMILY, in_bodies=False)
def expand(b):
    x = b.tensor(high=2)
    u = item(b, 6)
    rank = b.info(x).rank
    b.emit(f"{x}.unsqueeze(0).expand({', '.join([u] + ['-1'] * rank)})")


@template(FAMILY, in_bodies=False)
def pad(b):
    x = b.tensor(low=1)
    u = item(b, 5)
    b.emit(b.choice((f"torch.nn.functional.pad({x}, (0, {u}))",
                     f"torch.nn.functional.pad({x}, ({u}, 1))")))


@template(FAMILY, in_bodies=False)
def arithmetic(b):
    """A number from a tensor as a scalar operand."""
    x = b.tensor(where=lambda i: i.dtype not in ("i1", "u8"))
    u = item(b)
    b.emit(b.choice((f"{x} + {u}", f"{x} * {u}", f"{x} > {u}",
                     f"{x} / ({u} + 1)")))


@template(FAMILY, in_bodies=False)
def select(b):
    x = b.tensor(low=1)
    n = b.size(x, 0)
    y = b.tensor(INTS)
    u = b.emit_number(f"({y}.sum().abs() % {n}).item()",
                      then=f"torch._check({{v}} >= 0)\n"
                      f"torch._check({{v}} < {n})")
    b.emit(b.choice((f"{x}[{u}]", f"{x}.select(0, {u})",
                     f"{x}.narrow(0, {u}, 1)")))


@template(FAMILY, in_bodies=False)
def split(b):
    x = b.tensor(low=1)
    n = b.size(x, 0)
    u = item(b, n)
    b.emit(f"{x}.split([{u}, {n} - {u}])", count=2)


@template(FAMILY, weight=0.7, in_bodies=False)
def float_item(b):
    x = b.tensor(("f32", "f64"), low=0)
    y = b.tensor(("f32", "f64"))
    u = b.emit_number(f"{x}.sum().item()")
    b.emit(b.choice((f"{y} + {u}", f"{y} * {u}", f"torch.where({y} > 0, {y}, {u})")))


@template(FAMILY, weight=0.7, in_bodies=False)
def reshape(b):
    x = b.tensor(rank=1)
    u = item(b, 4)
    whole = b.emit(f"{x}.unsqueeze(1).expand(-1, {u})")
    b.emit(f"{whole}.reshape(-1)")
