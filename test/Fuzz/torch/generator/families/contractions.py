"""Matmuls, einsums, linear layers and attention."""

from ..data import FLOATS
from .table import template

FAMILY = "contractions"
KINDS = FLOATS + ("i64", "i32")


def _partner(b, x, dim, other, rank=2):
    """A tensor of the same dtype whose dim `other` is x's dim `dim`."""
    info = b.info(x)
    wanted = info.dims[dim]
    return b.tensor((info.dtype,), rank=rank,
                    where=lambda i: i.dims[other] == wanted)


@template(FAMILY, weight=1.5)
def matmul(b):
    x = b.tensor(KINDS, low=1, high=3)
    rank = b.choice((1, 2))
    y = _partner(b, x, -1, 0, rank)
    b.emit(b.choice((f"{x} @ {y}", f"torch.matmul({x}, {y})")))


@template(FAMILY)
def matmul_transposed(b):
    x = b.tensor(KINDS, rank=2)
    y = _partner(b, x, -1, -1)
    z = _partner(b, x, 0, 0)
    b.emit(b.choice((f"{x} @ {y}.t()", f"torch.mm({z}.t(), {x})",
                     f"torch.addmm(torch.ones((), dtype={x}.dtype), {x}, "
                     f"{y}.T)")))


@template(FAMILY)
def byte_matmul(b):
    x = b.tensor(("i8",), rank=2)
    y = _partner(b, x, 1, 0)
    same = b.same_dims(x, ("i8",))
    b.emit(b.choice((f"torch._int_mm({x}, {y})",
                     f"torch._int_mm({x}, {same}.t())")))


@template(FAMILY)
def halves_linear(b):
    """A sum of f32 that gets a bias before it is rounded, and one that does not."""
    x = b.tensor(("f16", "bf16"), rank=2)
    y = _partner(b, x, 1, 1)
    b.emit(f"torch.nn.functional.linear({x}, {y}, "
           f"{y}.sum(1) if {b.choice((True, False))} else None)")


@template(FAMILY)
def bmm(b):
    x = b.tensor(KINDS, rank=3)
    y = _partner(b, x, 0, 0, rank=3)
    same = b.info(x).dims[2] == b.info(y).dims[2]
    b.emit(f"torch.bmm({x}, {y}.transpose(1, 2))" if same
           else f"torch.bmm({x}.transpose(1, 2), {x})")


@template(FAMILY)
def linear(b):
    x = b.tensor(FLOATS, low=1, where=lambda i: i.is_constant(i.rank - 1))
    info = b.info(x)
    width = b.choice((1, 2, 4))
    weight = b.parameter(info.dtype, width, info.constant(info.rank - 1))
    bias = b.parameter(info.dtype, width) if b.maybe(0.5) else "None"
    b.emit(f"torch.nn.functional.linear({x}, {weight}, {bias})")


@template(FAMILY)
def tied(b):
    """A weight that is multiplied in several ways by many rows, as an embedding
    is by the last layer; it may be kept in bytes, with a scale for each row."""
    x = b.tensor(FLOATS, low=1, where=lambda i: i.is_constant(i.rank - 1))
    info = b.info(x)
    last = info.constant(info.rank - 1)
    across = b.choice((1, 5))  # Narrow matrices are not packed.
    columns = across * last
    width = b.choice((columns, columns, 1, 3, 17))
    weight = b.parameter(info.dtype, width, columns)
    if b.maybe(0.4):
        weight = b.emit(f"{b.parameter('i8', width, columns)}.to({x}.dtype) * "
                        f"{b.parameter(info.dtype, width, 1)}")
    rows = b.emit(f"{x}.reshape(-1, {last}).repeat({b.choice((1, 2, 6))}, {across})")
    there = b.choice((f"{rows} @ {weight}.T",
                      f"torch.nn.functional.linear({rows}, {weight})",
                      f"torch.einsum('ij,kj->ik', {rows}, {weight})"))
    y = b.emit(there)
    b.emit(b.choice((f"{y} @ {weight}", f"{y}.relu() @ {weight}",
                     f"torch.mm({y}, {weight}[:, :2])",
                     f"({weight} @ {rows}.T).T + {y}",
                     f"{rows} @ {weight}.flip(0).T - {y}",
                     f"{y} @ {weight} @ {weight}.mT")))


@template(FAMILY, weight=1.5)
def einsum(b):
    x = b.tensor(FLOATS, rank=2)
    y = _partner(b, x, 1, 0)
    same = b.same_dims(x, (b.info(x).dtype,))
    b.emit(b.choice((
        f"torch.einsum('ij,jk->ik', {x}, {y})",
        f"torch.einsum('ij,jk->', {x}, {y})",
        f"torch.einsum('ij,ij->i', {x}, {same})",
        f"torch.einsum('ij,ij->', {x}, {same})",
        f"torch.einsum('ij->ji', {x})", f"torch.einsum('ij->', {x})",
        f"torch.einsum('ij,ik->jk', {x}, {same})",
        f"torch.einsum('ij,kj->ik', {x}, {same})")))


@template(FAMILY)
def outer(b):
    x = b.tensor(KINDS, rank=1)
    dims = b.info(x).dims
    y = b.tensor((b.info(x).dtype,), rank=1)
    z = b.tensor((b.info(x).dtype,), rank=1, where=lambda i: i.dims == dims)
    b.emit(b.choice((f"torch.outer({x}, {y})", f"torch.dot({x}, {z})",
                     f"torch.inner({x}, {z})", f"torch.vdot({x}, {z})")))


@template(FAMILY)
def attention(b):
    x = b.tensor(("f32", "f64"), low=3, high=4)
    causal = b.choice((True, False))
    dims = b.info(x).dims
    y = b.tensor((b.info(x).dtype,), where=lambda i: i.rank == len(dims)
                 and i.dims[:-2] == dims[:-2] and i.dims[-1] == dims[-1])
    # Kernels differ in what a NaN does to rows that do not look at it.
    q, k = (b.emit(f"{v}.nan_to_num(0, 1, -1).clamp(-3, 3)") for v in (x, y))
    b.emit("torch.nn.functional.scaled_dot_product_attention("
           f"{q}, {k}, {k}, is_causal={causal})")


@template(FAMILY)
def scores(b):
    """Attention written out."""
    x = b.tensor(("f32", "f64"), rank=2)
    y = _partner(b, x, -1, -1)
    s = b.emit(f"{x} @ {y}.T / {b.info(x).constant(1) or 2}")
    b.emit(f"torch.softmax({s}, -1) @ {y}")


@template(FAMILY, weight=0.5)
def tensordot(b):
    x = b.tensor(FLOATS, low=2, high=3)
    y = b.same_dims(x, (b.info(x).dtype,))
    b.emit(b.choice((f"torch.tensordot({x}, {y}, ([0], [0]))",
                     f"torch.trace({x}.flatten(1))")))
