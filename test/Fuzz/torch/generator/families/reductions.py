"""Reductions to scalars and along dimensions, and their way back."""

from ..data import ALL, FLOATS, INTS
from .table import template

FAMILY = "reductions"
NUMERIC = FLOATS + INTS

WHOLE = [
    (ALL, """{0}.sum()  {0}.any()  {0}.all()  {0}.count_nonzero()
        {0}.sum(dtype=torch.float32)"""),
    (NUMERIC, "{0}.amax()  {0}.amin()  {0}.max()  {0}.min()  {0}.prod()"),
    (FLOATS, """{0}.mean()  {0}.var()  {0}.std()  {0}.norm()  {0}.nansum()
        {0}.var(correction=0)  {0}.logsumexp(0)  torch.linalg.vector_norm({0})
        {0}.median()  {0}.nanmean()  {0}.norm(1)"""),
]

ALONG = [
    (ALL, """{0}.sum({d})  {0}.any({d})  {0}.all({d})  {0}.sum({d},True)
        {0}.sum({d},dtype=torch.float64)  {0}.count_nonzero({d})"""),
    (NUMERIC, """{0}.amax({d})  {0}.amin({d},True)  {0}.max({d})[0]
        {0}.min({d},True)[0]  {0}.argmax({d})  {0}.argmin({d},True)
        {0}.prod({d})  {0}.max({d})[1]  {0}.aminmax(dim={d})[0]"""),
    (FLOATS, """{0}.mean({d})  {0}.mean({d},True)  {0}.var({d})  {0}.std({d},keepdim=True)
        {0}.var({d},correction=0)  {0}.logsumexp({d})  {0}.norm(dim={d})
        torch.linalg.vector_norm({0},ord=1,dim={d})  {0}.nanmean({d})
        torch.var_mean({0},{d})[0]  torch.std_mean({0},{d},keepdim=True)[1]
        torch.linalg.vector_norm({0},float('inf'),{d})  {0}.nansum({d})
        {0}.median({d})[0]"""),
]

SCANS = [
    (ALL, "{0}.cumsum({d})"),
    (NUMERIC, "{0}.cummax({d})[0]  {0}.cummin({d})[0]  {0}.diff(dim={d})"),
    (FLOATS, """{0}.cumprod({d})  {0}.logcumsumexp({d})
        {0}.cumsum({d},dtype=torch.float64)"""),
]


def _codes(table, dtype):
    return [code for dtypes, text in table if dtype in dtypes
            for code in text.split()]


@template(FAMILY, weight=2.5)
def whole(b):
    x = b.tensor()
    b.emit(b.choice(_codes(WHOLE, b.info(x).dtype)).format(x))


@template(FAMILY, weight=3)
def along(b):
    x = b.tensor(low=1)
    d = b.signed(x, b.dim(x))
    b.emit(b.choice(_codes(ALONG, b.info(x).dtype)).format(x, d=d))


@template(FAMILY)
def along_several(b):
    x = b.tensor(FLOATS, low=2)
    rank = b.info(x).rank
    dims = tuple(sorted(b.rng.sample(range(rank), 2)))
    keep = b.choice((True, False))
    what = b.choice(("sum", "mean", "amax", "amin", "var", "logsumexp"))
    b.emit(f"{x}.{what}({dims}, keepdim={keep})")


@template(FAMILY, weight=1.5, keeps_sizes=True)
def back(b):
    """A reduction that is broadcast over what it reduced."""
    x = b.tensor(FLOATS, low=1)
    d = b.dim(x)
    what = b.choice(("sum", "mean", "amax", "var", "norm"))
    if b.maybe(0.5):
        r = b.emit(f"{x}.{what}()")
    else:
        argument = f"dim={d}, keepdim=True"
        r = b.emit(f"{x}.{what}({argument})")
    if b.maybe(0.3):
        r = b.emit(b.choice((f"{r}.sum()", f"{r} + 1", f"{r}.relu()")))
    b.emit(b.choice((f"{x} - {r}", f"{x} / ({r}.abs() + 1)", f"{x} * {r}",
                     f"({x} > {r}).float()")))


@template(FAMILY, weight=1.5, keeps_sizes=True)
def scan(b):
    x = b.tensor(low=1)
    d = b.signed(x, b.dim(x))
    b.emit(b.choice(_codes(SCANS, b.info(x).dtype)).format(x, d=d))


@template(FAMILY, weight=0.7)
def sum_of_sum(b):
    x = b.tensor(NUMERIC, low=2)
    b.emit(f"{x}.sum({b.dim(x)}).sum()")


@template(FAMILY, weight=0.5)
def quantile(b):
    x = b.tensor(("f32", "f64"), low=1)
    b.emit(f"{x}.quantile({b.choice((0.0, 0.25, 0.5, 1.0))}, dim={b.dim(x)})")
