"""Views, reshapes and slices; sizes may come from tensors."""

from ..data import ALL
from .table import template

FAMILY = "views"


@template(FAMILY, weight=1.5)
def flatten(b):
    x = b.tensor(low=1)
    rank = b.info(x).rank
    first = b.rng.randrange(rank)
    last = b.rng.randrange(first, rank)
    b.emit(b.choice((f"{x}.flatten({first}, {last})", f"{x}.reshape(-1)",
                     f"{x}.contiguous().view(-1)", f"{x}.ravel()")))


@template(FAMILY)
def unflatten(b):
    """A literal part of a size, or all of it."""
    x = b.tensor(low=1)
    d = b.dim(x)
    info = b.info(x)
    parts = [p for p in (1, 2, 3) if all(s % p == 0 for s in info.dims[d])]
    part = b.choice(parts)
    shape = [b.size(x, i) for i in range(info.rank)]
    new = b.choice(([str(part), "-1"], ["-1", str(part)]))
    shape[d:d + 1] = new
    if info.is_constant(d) is False and shape.count("-1") > 1:
        return
    b.emit(f"{x}.reshape({', '.join(shape)})")


@template(FAMILY)
def truncate_and_split(b):
    """The largest part of a dimension that a number divides."""
    x = b.tensor(low=1)
    d = b.dim(x)
    k = b.choice((2, 3, 4))
    n = b.size(x, d)
    part = b.emit(f"{x}.narrow({d}, 0, {n} // {k} * {k})")
    b.emit(f"{part}.unflatten({d}, "
           + b.choice((f"({n} // {k}, {k})", f"({k}, -1)", f"(-1, {k})"))
           + ")")


@template(FAMILY)
def merge(b):
    """Neighbors merged by the product of their sizes."""
    x = b.tensor(low=2)
    rank = b.info(x).rank
    d = b.rng.randrange(rank - 1)
    shape = [b.size(x, i) for i in range(rank)]
    shape[d:d + 2] = [b.choice((f"{shape[d]} * {shape[d + 1]}", "-1"))]
    b.emit(f"{x}.reshape({', '.join(shape)})")


@template(FAMILY, weight=1.5)
def permute(b):
    x = b.tensor(low=2)
    rank = b.info(x).rank
    order = list(range(rank))
    b.rng.shuffle(order)
    b.emit(b.choice((f"{x}.permute({', '.join(map(str, order))})",
                     f"{x}.transpose({order[0]}, {order[1]})",
                     f"{x}.movedim({order[0]}, {order[1]})")))


@template(FAMILY, weight=1.5)
def unsqueeze(b):
    x = b.tensor(high=3)
    b.emit(f"{x}.unsqueeze({b.rng.randrange(-1, b.info(x).rank + 1)})")


@template(FAMILY, weight=0.7)
def squeeze(b):
    x = b.tensor(where=lambda i: any(i.constant(d) == 1
                                     for d in range(i.rank)))
    d = b.dim(x, lambda d: b.info(x).constant(d) == 1)
    b.emit(b.choice((f"{x}.squeeze({d})", f"{x}.select({d}, 0)")))


@template(FAMILY, weight=1.5)
def expand(b):
    """Ones are broadcast to a size of another tensor."""
    x = b.tensor(high=3)
    y = b.tensor(low=1)
    d = b.dim(y)
    n = b.size(y, d)
    rank = b.info(x).rank
    b.emit(b.choice((
        f"{x}.unsqueeze(0).expand({', '.join([n] + ['-1'] * rank)})",
        f"{x}.unsqueeze(-1).expand({', '.join(['-1'] * rank + [n])})",
        f"{x}.expand({', '.join(['2'] + ['-1'] * rank)})")))


@template(FAMILY, weight=2.5)
def slice_literal(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    what = b.choice(("1:", ":-1", ":2", "::2", "1::3", "-2:", "1:-1", ":3:2",
                     "2:4", "-3:-1", ":5", "0:0", "5:2"))
    b.emit(f"{x}[{':, ' * d}{what}]")


@template(FAMILY, weight=1.5)
def slice_by_size(b):
    """A slice up to or from another size, or a part of its own."""
    x = b.tensor(low=1)
    d = b.dim(x)
    y = b.tensor(low=1)
    n, m = b.size(x, d), b.size(y, b.dim(y))
    what = b.choice((f":{m}", f"{m}:", f":{n} // 2", f"{n} // 2:", f"-{m}:",
                     f":{n} - 1", f":min({n}, {m})", f"{n} // 3:{n} // 2",
                     f":{m} // 2", f"{m} - 1:"))
    b.emit(f"{x}[{':, ' * d}{what}]")


@template(FAMILY)
def select(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    b.emit(f"{x}.select({d}, {b.choice((0, -1, 1))})")


@template(FAMILY)
def narrow(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    n = b.size(x, d)
    b.emit(b.choice((f"{x}.narrow({d}, 0, 1)", f"{x}.narrow({d}, 1, {n} - 1)",
                     f"{x}.narrow({d}, {n} // 2, {n} - {n} // 2)")))


@template(FAMILY)
def diagonal(b):
    x = b.tensor(low=2)
    b.emit(b.choice((f"{x}.diagonal()", f"{x}.diagonal(1)",
                     f"{x}.diagonal(-1, 0, 1)", f"{x}.tril()", f"{x}.triu(1)",
                     f"{x}.tril(-1)")))


@template(FAMILY)
def flip(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    b.emit(b.choice((f"{x}.flip({d})", f"{x}.roll(1, {d})",
                     f"{x}.roll(-2, {d})", f"{x}.roll(3)")))


@template(FAMILY)
def unfold(b):
    x = b.tensor(low=1, high=3)
    d = b.dim(x)
    b.emit(f"{x}.unfold({d}, {b.choice((1, 2, 3))}, {b.choice((1, 2))})")


@template(FAMILY)
def repeat(b):
    x = b.tensor(low=1, high=3)
    rank = b.info(x).rank
    times = [str(b.choice((1, 2, 3, 1))) for _ in range(rank)]
    if b.maybe(0.3):
        times.insert(0, "2")
    b.emit(f"{x}.{b.choice(('repeat', 'tile'))}({', '.join(times)})")


@template(FAMILY)
def reshape_as(b):
    """The sizes of another tensor of as many elements."""
    x = b.tensor(low=1)
    shape = b.info(x).dims

    def total(info):
        return [_product(column) for column in zip(*info.dims)]
    wanted = total(b.info(x))
    y = b.tensor(ALL, low=1, where=lambda i: total(i) == wanted
                 and i.dims != shape)
    b.emit(b.choice((f"{x}.reshape_as({y})", f"{x}.reshape({y}.shape)")))


def _product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


@template(FAMILY, weight=0.7)
def as_strided(b):
    """Of a copy: what lies around a view is no part of a program's meaning."""
    x = b.tensor(low=1)
    copy = f"{x}.clone(memory_format=torch.contiguous_format)"
    b.emit(f"{copy}.as_strided(({b.choice((1, 2))},), ({b.choice((0, 1))},))")
