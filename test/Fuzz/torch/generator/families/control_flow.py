"""cond, while_loop, scan, map and regions that are compiled once."""

import torch

from ..builder import DTYPES_TEXT, NoMatch, Rejected
from ..data import ALL, FLOATS
from ..program import without_dead_code_of
from .table import TEMPLATES, template

FAMILY = "control flow"


def _grow(sub, most, keeps_sizes):
    """Adds up to `most` statements of templates that may stand in bodies."""
    usable = [t for t in TEMPLATES if t.in_bodies and t.family != FAMILY
              and (t.keeps_sizes or not keeps_sizes)]
    for _ in range(sub.rng.randrange(1, most + 1)):
        for _ in range(4):
            try:
                chosen = sub.rng.choices(usable, [t.weight for t in usable])[0]
                chosen.apply(sub)
                break
            except (NoMatch, Rejected):
                continue


def _as(sub, name, info):
    """The value in the dtype and sizes of another, as code of a new tensor."""
    have = sub.info(name)
    if have.dims == info.dims and have.dtype == info.dtype:
        return sub.emit(f"{name}.clone()")
    code = name
    if have.dims != info.dims:
        code = f"{code}.float().sum()"
    if have.is_float and not info.is_float or have.dims != info.dims:
        code = f"{code}.float().nan_to_num(0.0).clamp(0, 100)"
    return sub.emit(f"({code}).to({DTYPES_TEXT[info.dtype]})")


def _shaped(sub, like, info):
    """A value of the body in the type of `info`; `like` has its sizes."""
    name = _as(sub, sub.names[-1], info)
    if sub.info(name).dims == info.dims:
        return name
    zeros = sub.emit(f"torch.zeros_like({like}, "
                     f"dtype={DTYPES_TEXT[info.dtype]})")
    return sub.emit(f"torch.where(torch.ones_like({zeros}).bool(), {name}, "
                    f"{zeros})")


def _predicate(b):
    x = b.tensor()
    return b.emit(b.choice((f"{x}.sum() > 0", f"({x} > 0).any()",
                            f"({x} == {x}).all()")))


def _rows(b, dtypes=ALL):
    """A variable, and its first row in every trial."""
    x = b.tensor(dtypes, low=1, high=3, where=lambda i: all(i.dims[0]))
    return x, [value[0] for value in b.values(x)]


@template(FAMILY, weight=1.5, in_bodies=False)
def cond(b):
    operands = [b.tensor() for _ in range(b.choice((1, 2)))]
    predicate = _predicate(b)
    bindings = [b.values(o) for o in operands]
    kept = []

    def first(sub, _):
        _grow(sub, 3, keeps_sizes=False)
        kept.append(sub.info(sub.names[-1]))
        return sub.emit(f"{sub.names[-1]}.clone()")

    def second(sub, parameters):
        _grow(sub, 3, keeps_sizes=False)
        info = kept[0]
        have = sub.info(sub.names[-1])
        if (have.rank, have.dtype) == (info.rank, info.dtype):
            return sub.emit(f"{sub.names[-1]}.clone()")
        fitting = [p for p in parameters if sub.info(p).dims == info.dims]
        if not fitting:
            raise NoMatch
        return _shaped(sub, fitting[0], info)
    one, _ = b.body(bindings, first)
    two, _ = b.body(bindings, second)
    b.emit(f"cond({predicate}, {one.name}, {two.name}, "
           f"({', '.join(operands)},))", bodies=(one, two))


@template(FAMILY, in_bodies=False)
def while_loop(b):
    x = b.tensor(FLOATS)
    info = b.info(x)
    count = b.choice(("3", "1", "0", "5"))
    if b.maybe(0.4):
        y = b.tensor(low=1)
        count = b.size(y, b.dim(y))
    start = b.emit("torch.zeros((), dtype=torch.int64)")
    bindings = [b.values(start), b.values(x)]
    test, _ = b.body(bindings, lambda _, p: f"{p[0]} < {count}")

    def step(sub, parameters):
        sub.names.remove(parameters[0])
        _grow(sub, 2, keeps_sizes=True)
        new = sub.emit(f"torch.tanh({_shaped(sub, parameters[1], info)})")
        return f"({parameters[0]} + 1, {new})"
    body, _ = b.body(bindings, step)
    b.emit(f"while_loop({test.name}, {body.name}, ({start}, {x}))", count=2,
           bodies=(test, body))


@template(FAMILY, in_bodies=False)
def scan(b):
    x, rows = _rows(b, FLOATS)
    start = b.emit(f"torch.zeros_like({x}[0])"
                   if b.maybe(0.5) else f"{x}.sum(0)")
    info = b.info(start)

    def step(sub, parameters):
        _grow(sub, 2, keeps_sizes=True)
        row = sub.names[-1]
        carry = sub.emit(f"torch.sin({_shaped(sub, parameters[0], info)})")
        return f"({carry}, {sub.emit(row + '.clone()')})"
    body, _ = b.body([b.values(start), rows], step)
    reverse = b.choice(("", ", reverse=True"))
    b.emit(f"scan({body.name}, {start}, {x}{reverse})", count=2,
           bodies=(body,))


@template(FAMILY, in_bodies=False)
def map_rows(b):
    x, rows = _rows(b)

    def row(sub, _):
        _grow(sub, 2, keeps_sizes=False)
        return sub.emit(f"{sub.names[-1]}.clone()")
    body, _ = b.body([rows], row)
    b.emit(f"map_rows({body.name}, {x})", bodies=(body,))


@template(FAMILY, in_bodies=False)
def region(b):
    """One region, called for two tensors of the same type.

    PyTorch gives both calls the body of the first, also where that is traced
    for a size of 1 and the other size is dynamic.
    """
    x = b.tensor()
    info = b.info(x)
    y = b.tensor((info.dtype,), where=lambda i: i.dims == info.dims
                 or i.rank == info.rank
                 and not any(1 in d for d in i.dims + info.dims))

    def make(sub, _):
        _grow(sub, 3, keeps_sizes=False)
        return sub.emit(f"{sub.names[-1]}.clone()")
    body, _ = b.body([b.values(x)], make, decorator="region")
    b.emit(f"({body.name}({x}), {body.name}({y}))", count=2, bodies=(body,))


@template(FAMILY, weight=0.5, in_bodies=False)
def vmap(b):
    x, rows = _rows(b)

    def row(sub, _):
        _grow(sub, 1, keeps_sizes=True)
        return sub.emit(f"{sub.names[-1]}.clone()")
    body, _ = b.body([rows], row)
    if not without_dead_code_of(body).uses() & set(body.parameters):
        raise NoMatch
    b.emit(f"vmap({body.name})({x})", bodies=(body,))


class Undefined(Exception):
    """PyTorch leaves open what an operator gives here."""


def eager_environment(plain):
    """What programs call control flow by, as plain Python."""
    # pylint: disable=protected-access
    def of_rows(run):
        """PyTorch says of no rows only what tracing them would give."""
        def checked(body, *arguments, **options):
            if not arguments[-1].shape[0]:
                raise Undefined("there are no rows")
            return run(body, *arguments, **options)
        return checked

    def vmap(body):
        def checked(rows):
            if not rows.shape[0]:
                raise Undefined("there are no rows")
            return torch.vmap(body)(rows)
        return checked
    def while_loop(*arguments):
        """No result is an operand, which an update of it would reach."""
        return tuple(value.clone() if isinstance(value, torch.Tensor) else value
                     for value in plain._while_loop(*arguments))
    return {"torch": torch, "vmap": vmap, "cond": plain._cond,
            "while_loop": while_loop, "scan": of_rows(plain._scan),
            "map_rows": of_rows(plain._map), "region": lambda body: body}
