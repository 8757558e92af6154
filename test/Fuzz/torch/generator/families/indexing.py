"""gather, scatter, index and their relatives."""

from ..data import FLOATS
from .table import template

FAMILY = "indexing"


def index_for(b, size, rank=1):
    """A tensor of indices that lie in [0, size), where size is not 0."""
    x = b.tensor(("i64", "i32", "u8", "f32", "i16"), rank=rank)
    whole = b.as_dtype(x, "i64")
    return b.emit(b.choice((f"{whole}.remainder({size})",
                            f"{whole}.abs() % {size}",
                            f"{whole}.clamp(0, {size} - 1)",
                            f"{whole}.clamp(-{size}, {size} - 1)")))


def wrapped_to_positive(b, index, size):
    """For operators that take no negative indices."""
    return b.emit(f"{index} % {size}")


@template(FAMILY, weight=1.5)
def index_select(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    n = b.size(x, d)
    index = wrapped_to_positive(b, index_for(b, n), n)
    b.emit(f"{x}.index_select({d}, {index})")


@template(FAMILY, weight=2)
def index(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    i = index_for(b, b.size(x, d), rank=b.choice((0, 1, 1, 2)))
    b.emit(f"{x}[{':, ' * d}{i}]")


@template(FAMILY)
def index_two(b):
    """Two indices, together or apart, that broadcast."""
    x = b.tensor(low=2)
    i = index_for(b, b.size(x, 0))
    last = b.info(x).rank - 1
    j = index_for(b, b.size(x, last))
    middle = ":, " * (last - 1)
    b.emit(b.choice((f"{x}[{i}[:, None], {middle}{j}]",
                     f"{x}[{i}][..., {j}]",
                     f"{x}[{i}.unsqueeze(0), {middle}{j}.unsqueeze(1)]")))


@template(FAMILY, weight=1.5)
def gather(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    n = b.size(x, d)
    i = b.emit(b.choice((f"{x}.argsort(dim={d}, stable=True)",
                         f"{x}.argmax({d}, True)",
                         f"torch.zeros_like({x}, dtype=torch.int64)",
                         f"({x}.isnan().cumsum({d}) % {n})")))
    b.emit(b.choice((f"{x}.gather({d}, {i})",
                     f"torch.take_along_dim({x}, {i}, {d})")))


@template(FAMILY, weight=1.5)
def scatter(b):
    """Into distinct places, or adding up."""
    x = b.tensor(low=1, where=lambda i: i.dtype != "i1")
    d = b.dim(x)
    info = b.info(x)
    n = b.size(x, d)
    y = b.same_dims(x)
    source = b.as_dtype(y, info.dtype)
    distinct = b.emit(f"{y}.argsort(dim={d}, stable=True)")
    some = b.emit(f"{distinct} // 2")
    value = b.literal(info.dtype)
    reduce = b.choice(("sum", "amax", "amin", "prod", "mean"))
    b.emit(b.choice((
        f"{x}.scatter({d}, {distinct}, {source})",
        f"{x}.scatter({d}, {some}, {value})",
        f"{x}.scatter_add({d}, {some}, {source})",
        f"{x}.scatter_reduce({d}, {some}, {source}, '{reduce}')",
        f"torch.zeros({n}, dtype={x}.dtype).scatter_add(0, "
        f"{some}.reshape(-1), {source}.reshape(-1))")))


@template(FAMILY, weight=1.5)
def index_put(b):
    x = b.tensor(low=1, where=lambda i: i.dtype != "i1")
    d = 0
    i = index_for(b, b.size(x, d))
    value = b.literal(b.info(x).dtype)
    rows = b.emit(f"{x}[{i}] * 2" if b.maybe(0.5) else f"{x}[{i}]")
    rows = b.as_dtype(rows, b.info(x).dtype)
    # Equal indices write equal rows, or add up.
    b.emit(b.choice((
        f"{x}.index_put(({i},), {rows})",
        f"{x}.index_put(({i},), {rows}, accumulate=True)",
        f"{x}.index_put(({i},), torch.tensor({value}, dtype={x}.dtype))",
        f"{x}.index_add(0, {i} % {b.size(x, 0)}, {rows})",
        f"{x}.index_fill(0, {i} % {b.size(x, 0)}, {value})")))


@template(FAMILY)
def mask_put(b):
    x = b.tensor(low=1)
    mask = b.emit(f"{b.same_dims(x)} > 0")
    value = b.literal(b.info(x).dtype)
    b.emit(f"{x}.index_put(({mask},), torch.tensor({value}, dtype={x}.dtype))")


@template(FAMILY)
def embedding(b):
    rows, width = b.choice((3, 5, 8)), b.choice((2, 4))
    table = b.parameter(b.choice(("f32", "f16")), rows, width)
    i = index_for(b, rows, rank=b.choice((0, 1, 2)))
    b.emit(f"torch.nn.functional.embedding({i} % {rows}, {table})")


@template(FAMILY, weight=0.7)
def embedding_in(b):
    """Rows of a tensor with a dynamic number of rows."""
    x = b.tensor(FLOATS, rank=2)
    n = b.size(x, 0)
    i = wrapped_to_positive(b, index_for(b, n), n)
    b.emit(f"torch.nn.functional.embedding({i}, {x})")


@template(FAMILY, weight=0.7)
def take(b):
    x = b.tensor(low=1)
    i = index_for(b, f"{x}.numel()", rank=b.choice((1, 2)))
    b.emit(f"{x}.take({i})")


@template(FAMILY, weight=0.7)
def scatter_slice(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    part = b.as_dtype(b.emit(f"{x}.select({d}, 0)"), b.info(x).dtype)
    other = b.emit(b.choice((f"-{part}", f"{part} * 2", f"{part}.clone()"))
                   if b.info(x).dtype != "i1" else f"~{part}")
    b.emit(b.choice((f"{x}.select_scatter({other}, {d}, -1)",
                     f"{x}.slice_scatter({other}.unsqueeze({d}), {d}, 0, 1)")))


@template(FAMILY, weight=0.7)
def index_copy(b):
    x = b.tensor(low=1)
    n = b.size(x, 0)
    i = b.emit(f"torch.arange({n} - 1, -1, -1)")
    y = b.as_dtype(b.same_dims(x), b.info(x).dtype)
    b.emit(f"{x}.index_copy(0, {i}, {y})")


@template(FAMILY, weight=0.5)
def masked_scatter(b):
    x = b.tensor(low=1)
    mask = b.emit(f"{b.same_dims(x)} > 0")
    y = b.as_dtype(b.same_dims(x), b.info(x).dtype)
    b.emit(f"{x}.masked_scatter({mask}, {y})")


@template(FAMILY, weight=0.7)
def index_by_input(b):
    """An integer input as it is: calls out of range are refused."""
    x = b.tensor(low=1)
    i = b.tensor(("i64",), rank=1, where=lambda info: True)
    b.emit(b.choice((f"{x}[{i}]", f"{x}.index_select(0, {i})")))


