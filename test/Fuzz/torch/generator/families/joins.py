"""cat, stack, split and pads."""

from ..data import ALL, FLOATS
from .table import template

FAMILY = "joins"


def _differ_only(dims, d):
    def fits(info):
        return info.rank == len(dims) and all(
            i == d or info.dims[i] == dims[i] for i in range(len(dims)))
    return fits


@template(FAMILY, weight=2)
def cat(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    fits = _differ_only(b.info(x).dims, d)
    parts = [x] + [b.tensor(where=fits) for _ in range(b.choice((1, 1, 2)))]
    b.rng.shuffle(parts)
    b.emit(f"torch.cat([{', '.join(parts)}], {b.signed(x, d)})")


@template(FAMILY, weight=1.5)
def stack(b):
    x = b.tensor(high=3)
    parts = [x, b.same_dims(x)]
    if b.maybe(0.3):
        parts.append(x)
    d = b.rng.randrange(-1, b.info(x).rank + 1)
    b.emit(f"torch.stack([{', '.join(parts)}], {d})")


@template(FAMILY)
def split(b):
    x = b.tensor(low=1)
    d = b.dim(x)
    n = b.size(x, d)
    b.emit(b.choice((
        f"{x}.split([1, {n} - 1], {d})", f"{x}.chunk(2, {d})",
        f"{x}.split([{n} // 2, {n} - {n} // 2], {d})",
        f"{x}.tensor_split(2, {d})", f"{x}.tensor_split([1], {d})")), count=2)


@template(FAMILY, weight=0.7)
def unbind(b):
    x = b.tensor(low=1, where=lambda i: any(i.is_constant(d)
                                            for d in range(i.rank)))
    d = b.dim(x, b.info(x).is_constant)
    count = b.info(x).constant(d)
    if count > 1:
        b.emit(f"{x}.unbind({d})", count=count)


@template(FAMILY, weight=2)
def pad(b):
    x = b.tensor(low=1)
    rank = b.info(x).rank
    amounts = []
    for _ in range(b.rng.randrange(1, min(rank, 2) + 1)):
        amounts += [b.choice((0, 1, 2, -1)), b.choice((0, 1, 3, -1))]
    value = b.choice((b.literal(b.info(x).dtype), "0", "0.5", "2"))
    b.emit(f"torch.nn.functional.pad({x}, {tuple(amounts)}, value={value})")


@template(FAMILY)
def pad_by_size(b):
    x = b.tensor(low=1)
    y = b.tensor(low=1)
    n = b.size(y, b.dim(y))
    b.emit(b.choice((
        f"torch.nn.functional.pad({x}, (0, {n}))",
        f"torch.nn.functional.pad({x}, ({n}, 1), value=1)",
        f"torch.nn.functional.pad({x}, (0, {n} // 2))")))


@template(FAMILY)
def pad_mode(b):
    x = b.tensor(FLOATS, low=2, high=3)
    mode = b.choice(("reflect", "replicate", "circular"))
    b.emit(f"torch.nn.functional.pad({x}, ({b.choice((0, 1, 2))}, "
           f"{b.choice((1, 2))}), mode='{mode}')")


@template(FAMILY, weight=0.7)
def cat_literal(b):
    """A tensor joined with a constant of one element."""
    x = b.tensor(ALL, rank=1)
    one = b.emit(f"{x}.new_{b.choice(('zeros', 'ones'))}(1)")
    b.emit(f"torch.cat([{one}, {x}])")


@template(FAMILY, weight=0.7)
def grids(b):
    x, y = b.tensor(rank=1), b.tensor(rank=1)
    b.emit(f"torch.meshgrid({x}, {b.as_dtype(y, b.info(x).dtype)}, "
           "indexing='ij')", count=2)


@template(FAMILY, weight=0.5)
def block(b):
    x, y = b.tensor(rank=2), b.tensor(rank=2)
    b.emit(b.choice((f"torch.block_diag({x}, {y})",
                     f"torch.kron({x}, {y})")))


@template(FAMILY, weight=0.4)
def recurrence(b):
    """A loop that is unrolled, each step of which reads a part of one tensor."""
    x = b.tensor(("f32", "f64"), rank=2)
    d, steps = b.choice((0, 1)), b.choice((3, 34, 40))
    scales = f"torch.linspace(-1, 1, {steps})[:, None{', None' * (1 - d)}]"
    parts = b.emit(f"({x}.unsqueeze({d}) * {scales}).softmax({d})")
    square = b.emit(f"{x}.mT.softmax(0) @ {x}.softmax(0)")
    step = b.choice((f"({{v}} * part) @ {square}", "torch.tanh(part - {v}.amax(0))",
                     "torch.tanh({v} * part).cumsum(-1) - part"))
    b.emit(f"{parts}.select({d}, 0)", then=f"for part in {parts}.unbind({d})"
           f"[1:]:\n    {{v}} = {step}")
