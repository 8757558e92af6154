"""What random programs found about memory: strides, offsets, copies, updates."""

import torch
import torch.nn.functional as F
from torch.export import Dim

from recording.table import case, function, program
from recording.values import Value, f32, floats, i64, lit

from .common import N

FAMILY = "found"


def behind(value):
    """The value in memory that begins before it."""
    def make(rng):
        made = value.make(rng)
        longer = made.new_zeros(made.shape[0] + 1, *made.shape[1:])
        longer[1:] = made
        return longer[1:]
    return Value(make)


# Where an argument begins in memory has a name in the archive, and no meaning.
program(
    "views_of_an_offset",
    function(lambda x: (x.narrow(0, 0, 0), x[1:] * 2, x.select(0, 1) + 1)),
    FAMILY,
    dynamic=({1: Dim.AUTO},),
    example=(behind(f32(2, 4)),),
    cases=[case(f"{m}", behind(f32(2, m))) for m in (4, 0, 1, 24)],
)


class FlattensBeforeUpdate(torch.nn.Module):
    """Only the old value of `flat` counts, whether it shares memory or not."""

    def forward(self, x):
        y = (x * 1).transpose(0, 1)
        flat = y.flatten(1)
        total = flat.sum()
        y[1:] = 3
        return y, total, y.reshape(-1)


class FlattensAndUpdates(torch.nn.Module):
    """Sizes of 1 make a view of a copy."""

    def forward(self, x):
        y = (x * 1).transpose(0, 1)
        flat = y.flatten(1)
        y[1:] = 3
        return y, flat


FEW = ((4, 5, 3), (2, 3, 2), (7, 4, 5))
for name, model, cases in (
    ("flattens_before_update", FlattensBeforeUpdate, FEW),
    ("flattens_and_updates", FlattensAndUpdates,
     (*FEW, (1, 4, 3), (5, 1, 2), (3, 4, 1), (1, 1, 1), (0, 3, 2), (3, 0, 2))),
):
    program(
        name,
        model,
        FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO},),
        example=(f32(4, 5, 3),),
        cases=[case(",".join(map(str, shape)), f32(*shape)) for shape in cases],
    )


def reshapes_and_updates(x, y):
    """Views of some sizes, and copies of others, that are updated."""
    x, y = x.clone(), y.clone()
    turned = x.t().reshape(-1)
    turned.view(x.shape[1], -1)[:1] += y[:1, :1]
    x[:, ::2].mul_(3)
    turned.neg_()
    parts = x[:, 1:].reshape(-1)
    parts.add_(1)
    pairs = y.t().reshape(y.shape[1], 2, -1)
    pairs[:, 0] -= 1
    y.mul_(2)
    return x, turned, parts, y, pairs, pairs.contiguous().neg_()


program("reshapes_and_updates", function(reshapes_and_updates), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO},) * 2,
        example=(f32(4, 6), f32(4, 6)),
        cases=[case(f"{n}, {m}", f32(n, m), f32(n, m))
               for n, m in ((4, 6), (6, 3), (4, 3), (8, 5),
                            (64, 33))])


def windows_of_clones(x, k):
    """A dimension of unknown size counts as 1 at least in a stride."""
    rows = x.unsqueeze(0).expand(k.item(), -1)
    whole = (rows @ rows.T).clone(memory_format=torch.contiguous_format)
    return (whole.as_strided((1,), (0,)),
            rows.clone(memory_format=torch.contiguous_format)
            .as_strided((2,), (1,)))


program("windows_of_clones", function(windows_of_clones), FAMILY,
        dynamic=({0: N}, None), example=(f32(4), lit(3)),
        cases=[case(f"{k} of {n}", f32(n), lit(k))
               for n, k in ((4, 3), (2, 1), (1, 2), (32, 9))] +
        [case("nothing", f32(4), lit(0), raises="")])


def found_strided(x):
    """Copies of a column are no columns."""
    column = x.select(1, 0)
    order = torch.arange(column.shape[0] - 1, -1, -1)
    turned = column.index_copy(0, order, column)
    return column.scatter(0, turned.argsort(stable=True), turned)


program("found_strided", function(found_strided), FAMILY, dynamic=({0: N},),
        example=(floats(torch.bfloat16, 5, 4),),
        cases=[case(f"{n}", floats(torch.bfloat16, n, 4))
               for n in (5, 1, 0, 32)])


@torch.compiler.nested_compile_region
def _first_of(x):
    return x.clone(memory_format=torch.contiguous_format).as_strided((1,), (1,))


def strided_in_regions(x):
    padded = F.pad(x, (2, 1), mode="reflect")
    return _first_of(padded), _first_of(padded * 2)


program("strided_in_regions", function(strided_in_regions), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO},), example=(f32(4, 4),),
        cases=[case(f"{n}", f32(n, n)) for n in (4, 3, 32)] +
        [case("too small", f32(2, 2), raises="")])


def every_second(*shape):
    """Elements with others between them."""
    return Value(lambda rng: torch.from_numpy(
        rng.standard_normal((*shape, 2))).float().select(-1, 0))


# Whether it is a copy depends on the strides of the argument: those of the
# example tell nothing, and those of these calls that it is none.
def copies_and_updates(x):
    y = x.contiguous()
    x.add_(1)
    return y + x


program("copies_and_updates", function(copies_and_updates), FAMILY,
        dynamic=({1: Dim.AUTO},), example=(every_second(1, 4),),
        cases=[case(f"{n}", f32(1, n)) for n in (4, 1, 0, 33)])


# One value for several elements that are one in memory leaves nothing open.
def updates_of_grids(x, y):
    x, y = x + 1, y.clone()
    rows, columns = torch.meshgrid(x, y, indexing="xy")
    rows[rows > 0] = -3
    columns.masked_fill_(columns < 0, 7)
    none = torch.zeros(0).unsqueeze(0).expand(x.shape[0], -1)
    none.mul_(0.5)
    return x, y, rows * 2, columns[:1], none.sum()


program("updates_of_grids", function(updates_of_grids), FAMILY,
        dynamic=({0: N}, {0: Dim.AUTO}), example=(f32(4), f32(3)),
        cases=[case(f"{n} by {m}", f32(n), f32(m))
               for n, m in ((4, 3), (1, 5), (0, 2), (32, 33))])


program("updates_a_grid_by_itself",
        function(lambda x: torch.meshgrid(x, x[:1], indexing="ij")[0].add_(1)), FAMILY,
        dynamic=({0: N},), example=(f32(4),),
        cases=[case(str(n), f32(n)) for n in (4, 1, 0)])


def ravels_before_an_update(x):
    """ravel copies elements that are apart, also where a view could have them."""
    column, flat, turned = x.select(1, 0).ravel(), x.ravel(), x.t().ravel()
    x.mul_(x.sum() + 2)
    return column, flat + 0, turned, x.flatten()


program("ravels_before_an_update", function(ravels_before_an_update), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO},), oblivious=True,
        example=(f32(3, 4),),
        cases=[case(f"{n} by {m}", f32(n, m))
               for n, m in ((3, 4), (2, 2), (4, 3), (33, 24))])


def attends_along_edges(x, from_nodes, to_nodes, weights, bias, others):
    """Sums of few columns, whose elements are stored for a loop that follows them in the same kernel."""
    picked = x[from_nodes]
    sums, scores = (picked * others).sum(2), (others * weights).sum(-1)
    first = torch.zeros_like(x).index_put((to_nodes,), picked * bias.unsqueeze(-1), accumulate=True)
    chosen = torch.where(scores + bias > 0, sums / (bias * bias + 1), bias).unsqueeze(-1) * weights
    return first + torch.zeros_like(x).index_put((from_nodes,), chosen, accumulate=True)


program("attends_along_edges", function(attends_along_edges), FAMILY,
        dynamic=({0: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO}, None, {0: Dim.AUTO}, {0: Dim.AUTO}),
        example=(f32(6, 2, 4), i64(14, lo=0, hi=5), i64(14, lo=0, hi=5), f32(2, 4), f32(14, 2), f32(14, 2, 4)),
        cases=[case(f"{n} nodes, {m} edges", f32(n, 2, 4), i64(m, lo=0, hi=n - 1), i64(m, lo=0, hi=n - 1),
                    f32(2, 4), f32(m, 2), f32(m, 2, 4))
               for n, m in ((6, 14), (1, 1), (3, 0), (33, 70), (64, 257))])
