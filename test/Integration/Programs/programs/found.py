"""What random programs found (test/Fuzz/torch)."""

import math

import torch
import torch.nn.functional as F
from torch._higher_order_ops.map import map as map_rows
from torch.export import Dim

from recording.table import case, function, program
from recording.values import Value, b1, f32, i64, lit

from .common import MATRIX, N, M, K

FAMILY = "found"


program(
    "quantile_of_nothing",
    function(lambda x: x.quantile(0.5, dim=1)),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 4),),
    # PyTorch wants elements, also where there are no rows to reduce.
    cases=[case("3,4", f32(3, 4)), case("1,1", f32(1, 1)),
           case("no rows", f32(0, 4), raises="the input must not be empty"),
           case("no columns", f32(3, 0), raises="the input must not be empty")],
)


program(
    "attention_dynamic_head",
    function(lambda q, k: (
        F.scaled_dot_product_attention(q, k, k),
        F.scaled_dot_product_attention(q, k, k, is_causal=True))),
    FAMILY,
    dynamic=({1: N, 2: M}, {1: K, 2: M}),
    example=(f32(2, 4, 5), f32(2, 3, 5)),
    rtol=1e-4,
    atol=1e-4,
    cases=[case(f"{n},{k},{m}", f32(2, n, m), f32(2, k, m))
           for n, k, m in ((4, 3, 5), (1, 1, 1), (3, 16, 24), (0, 3, 5),
                           (2, 3, 16))]
    + [case("another size", f32(2, 3, 4), f32(2, 3, 5), raises="")],
)


def attend_masked(q, k, v, seen, bias):
    """Keys of a group of heads, masks that leave rows without any key, and
    dimensions in another order."""
    rows = q.transpose(1, 2)
    grouped = F.scaled_dot_product_attention(rows, k, v, enable_gqa=True, is_causal=True)
    masked = F.scaled_dot_product_attention(rows[:, :2], k, v, seen)
    biased = F.scaled_dot_product_attention(rows[:, :2], k, v, bias, scale=0.25)
    return grouped.transpose(1, 2), masked, biased.flatten(2)


program(
    "attention_masked",
    function(attend_masked),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: N, 2: K}, {0: N, 2: K}, {0: N, 2: M, 3: K}, {0: M, 1: K}),
    example=(f32(2, 4, 6, 8), f32(2, 2, 3, 8), f32(2, 2, 3, 5), b1(2, 1, 4, 3), f32(4, 3)),
    rtol=1e-4,
    atol=1e-4,
    cases=[case(f"{n},{m},{k}", f32(n, m, 6, 8), f32(n, 2, k, 8), f32(n, 2, k, 5),
                b1(n, 1, m, k), f32(m, k))
           for n, m, k in ((2, 4, 3), (1, 1, 1), (2, 16, 15), (1, 0, 3), (0, 2, 3), (1, 3, 0), (1, 15, 2))],
)


program(
    "dstack_ranks",
    function(lambda x, y: (torch.dstack([x, x]), torch.dstack([y, y]),
                           torch.vstack([y, y]), torch.hstack([x, x]))),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: K}),
    example=(f32(3, 4), f32(5)),
    cases=[case(f"{n},{m},{k}", f32(n, m), f32(k))
           for n, m, k in ((3, 4, 5), (0, 2, 1), (1, 1, 0), (32, 24, 16))],
)


# Sizes that are 0 or 1, which torch records as 1.
program(
    "broadcast_of_first_rows",
    function(lambda x, y, z: (
        x[:1] + y[:1], x[:1] * z, z[:1] - z,
        torch.baddbmm(z[None, :1, :1], z[None], z.t()[None]))),
    FAMILY,
    dynamic=({0: N}, {0: M}, {0: K}),
    example=(f32(3, 2), f32(4, 2), f32(5, 2)),
    cases=[case(f"{n},{m},{k}", f32(n, 2), f32(m, 2), f32(k, 2))
           for n, m, k in ((3, 4, 5), (1, 1, 1), (1, 2, 0), (0, 1, 0),
                           (1, 0, 3), (0, 4, 0), (0, 0, 0))]
    + [case("no row for five", f32(0, 2), f32(4, 2), f32(5, 2), raises="")],
)


program(
    "reshape_of_nothing",
    function(lambda x: (
        x[:0].reshape(-1, x.shape[2]), x[:0].reshape(x.shape[2], 0),
        x[:0].flatten(), x[:, :0].reshape(0, x.shape[0], x.shape[2]))),
    FAMILY,
    dynamic=({0: N, 1: M, 2: K},),
    example=(f32(3, 4, 5),),
    cases=[case(f"{n},{m},{k}", f32(n, m, k))
           for n, m, k in ((3, 4, 5), (1, 1, 1), (0, 4, 5), (3, 0, 2))],
)


# The last rows of fewer: torch records two.
program(
    "map_of_last_rows",
    function(lambda x: (map_rows(lambda a: a[-2:].clone(), x),
                        map_rows(lambda a: a[:0].clone(), x),
                        torch.vmap(lambda a: a[-2:] * 2)(x))),
    FAMILY,
    dynamic=({0: Dim.AUTO, 1: Dim.AUTO},),
    example=(f32(3, 4, 2),),
    cases=[case(f"{n},{m}", f32(n, m, 2))
           for n, m in ((3, 4), (1, 1), (2, 0), (32, 24))],
)


program(
    "vmap_of_constant",
    function(lambda x, y: (
        torch.vmap(lambda a: y)(x),
        *torch.vmap(lambda a: (y, a * 2, torch.ones(2)))(x),
        torch.vmap(lambda a: a[:, :0])(x))),
    FAMILY,
    dynamic=({1: N, 2: M}, {0: K}),
    example=(f32(3, 4, 5), f32(2)),
    cases=[case(f"{n},{m},{k}", f32(3, n, m), f32(k))
           for n, m, k in ((4, 5, 2), (0, 1, 1), (1, 0, 0), (32, 24, 16))],
)


# Sorted by merging: rows of any dimension, with ties, in both orders.
NAN, INF = float("nan"), float("inf")
SORTED = (3.0, NAN, -0.0, 1.0, INF, 0.0, 3.0, -INF, 1.0, NAN, -2.0, 3.0)


class Sorts(torch.nn.Module):
    def forward(self, x, y, z):
        values, places = torch.sort(x, dim=0, stable=True)
        largest, where = torch.sort(x, dim=1, descending=True, stable=True)
        return (values, places, largest, where,
                torch.isin(x, y), torch.isin(y, x, invert=True),
                torch.isin(x.to(torch.float16), y),
                torch.isin(z, z * 2), torch.isin(z, 3), torch.isin(3, z))


def cycled(dtype, count, *shape):
    """The numbers again and again."""
    numbers = SORTED if dtype.is_floating_point else (3, 250, 0, 7, 3, 128, 127)
    return Value(lambda _: torch.tensor(
        [numbers[i * 5 % len(numbers)] for i in range(count)],
        dtype=dtype).reshape(shape or (count,)))


program(
    "sorts",
    Sorts,
    FAMILY,
    dynamic=({0: N, 1: M}, {0: K}, {0: Dim.AUTO}),
    example=(f32(4, 5), f32(3), cycled(torch.uint8, 4)),
    cases=[case(f"{n},{m},{k},{p}", cycled(torch.float32, n * m, n, m),
                cycled(torch.float32, k), cycled(torch.uint8, p))
           for n, m, k, p in ((4, 5, 3, 4), (0, 3, 0, 0), (1, 1, 1, 1),
                              (2, 0, 2, 2), (3, 1, 5, 3), (17, 9, 16, 17),
                              (5, 16, 8, 64))],
)


def counts_of_unique(x):
    """Import/misrecorded.test takes the recorded types of these away."""
    _, inverse, counts = torch.unique(x, return_inverse=True,
                                      return_counts=True)
    return (inverse, counts, counts * 2, counts + 0.5, -counts, counts.sum(),
            counts > 1, counts.to(torch.int32), counts.reshape(-1, 1),
            x[inverse] * 3, counts.sqrt())


program(
    "counts_of_unique",
    function(counts_of_unique),
    FAMILY,
    dynamic=({0: N},),
    example=(f32(4),),
    cases=[case(f"{n}", Value(lambda _, n=n: (torch.arange(n) * 7 % 5).float()))
           for n in (4, 0, 1, 9, 32)],
)


def sorted_positions(x):
    """The column of a result whose size is data, sorted."""
    rows = (x > 0).nonzero()[:, 0]
    return rows.sort(descending=True)[0], rows.topk(1, 0)[0]


program("sorted_positions", function(sorted_positions), FAMILY, dynamic=MATRIX,
        example=(f32(4, 3),),
        cases=[case(f"{n} by {m}", f32(n, m)) for n, m in ((4, 3), (9, 7))] +
        [case("no rows", f32(0, 3), raises=""), case("one", f32(8, 1))])


def parts_of_rows(x, k):
    """Import/layout.test asks where the parts are in memory."""
    u = k.item()
    torch._check(u >= 0)
    return x[-u - 1:], x[u:u + 2] * 2


program("parts_of_rows", function(parts_of_rows), FAMILY,
        dynamic=({0: N}, None), example=(f32(6, 3), lit(2)),
        cases=[case(f"{k} of {n}", f32(n, 3), lit(k))
               for n, k in ((6, 2), (0, 0), (1, 0), (2, 5), (32, 31))] +
        [case("beyond", f32(33, 3), lit(1), raises="")])


def parts_of_nothing(x, k, n):
    u, v = k.item(), n.item()
    torch._check(u >= 0)
    torch._check(v >= 0)
    torch._check(u + v <= x.shape[0])
    first, second = x.narrow(0, 0, u), x.narrow(0, u, v)
    changed = x * 2
    changed.narrow(0, 0, v).zero_()
    return first, second, changed


program("parts_of_nothing", function(parts_of_nothing), FAMILY,
        dynamic=({1: N}, None, None), example=(f32(0, 4), lit(0), lit(0)),
        cases=[case(f"{n}", f32(0, n), lit(0), lit(0)) for n in (4, 0, 1, 32)] +
        [case("one", f32(0, 4), lit(1), lit(0), raises=""),
         case("another", f32(0, 4), lit(0), lit(1), raises="")])


program("prelu_without_dims", function(
            lambda x, y: (F.prelu(x, y), F.prelu(x, x.reshape(-1)[:1]))),
        FAMILY, example=(lit(-2.0), f32(1)),
        cases=[case(f"{x}", lit(x), f32(1)) for x in (-2.0, 0.0, 3.5, math.nan)])


@torch.compiler.nested_compile_region
def _in_itself(x):
    return torch.isin(x, x)


def found_in_others(x, k, y, z):
    """One more element than there are is a size that must be known to fit."""
    return (torch.isin(x, torch.repeat_interleave(x, k)),
            torch.isin(y, z), _in_itself(z), _in_itself(z + 1))


program("found_in_others", function(found_in_others), FAMILY,
        dynamic=({0: N}, {0: N}, {1: M}, {1: K}),
        example=(f32(4), lit([1, 0, 2, 1]), f32(0, 3), f32(2, 5)),
        cases=[case(f"{n}, {m}, {k}", f32(n),
                    Value(lambda _, n=n: torch.arange(n) % 2), f32(0, m),
                    f32(2, k))
               for n, m, k in ((4, 3, 5), (0, 0, 2), (1, 1, 16), (32, 24, 7))])


program("chunks_of_nothing", function(
            lambda x: (*x.chunk(2, 1), *x[:, :0].chunk(2, 1))),
        FAMILY, dynamic=({0: N},), example=(f32(6, 4),),
        cases=[case(f"{n}", f32(n, 4)) for n in (6, 1, 0, 32)])


def squeezed_slice(x):
    return x[x.shape[0] // 3:x.shape[0] // 2].squeeze(0) * 2


program("squeezed_slice", function(squeezed_slice), FAMILY,
        dynamic=({0: Dim.AUTO},), example=(f32(6),),
        cases=[case(f"{n}", f32(n)) for n in (6, 2, 4)] +
        [case("none", f32(0), raises=""), case("six", f32(32), raises="")])


program("normalized_nothing", function(lambda x: F.group_norm(x, 1)), FAMILY,
        example=(f32(0, 2),), cases=[case("nothing", f32(0, 2))])


def repeats_what_was_one(x, y, z):
    """A computed size that is 1 in the call that is traced."""
    one = x[x.shape[0] // 3:x.shape[0] // 2]
    none = one.to(torch.int64) * 0
    pairs = z.unsqueeze(0)[none, torch.arange(3)]
    rows = one.reshape(-1, 1, 1) @ z.reshape(3, 1, 1)
    return (torch.where(y > 0, y, one), one * z, one.expand(2, 3),
            torch.broadcast_tensors(one, z)[0] + 1, z.add_(one), pairs, rows)


program("repeats_what_was_one", function(repeats_what_was_one), FAMILY,
        dynamic=({0: Dim.AUTO}, {0: N}, None), example=(f32(6), f32(4, 3), f32(3)),
        cases=[case(f"{n}, {m}", f32(n), f32(m, 3), f32(3))
               for n, m in ((6, 4), (2, 1), (4, 0), (6, 32))] +
        [case("none", f32(0), f32(4, 3), f32(3), raises=""),
         case("six", f32(32), f32(4, 3), f32(3), raises="")])


def repeats_or_not(x, y):
    return torch.where(y > 0, y, x[x.shape[0] // 3:x.shape[0] // 2])


program("repeats_or_not", function(repeats_or_not), FAMILY,
        dynamic=({0: Dim.AUTO}, {0: N}), example=(f32(6), f32(4, 3)),
        cases=[case("one", f32(6), f32(4, 3)), case("no rows", f32(4), f32(0, 3)),
               case("three", f32(18), f32(4, 3), quirk="torch guards that it is 1"),
               case("none", f32(1), f32(4, 3), raises=""),
               case("two", f32(10), f32(1, 3), raises="")])


def first_of_each(x):
    return map_rows(lambda row: row[:2].clone(), x)


program("first_of_each", function(first_of_each), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO},), oblivious=True,
        example=(f32(4, 5, 3),),
        cases=[case(f"{n} of {m}", f32(n, m, 3))
               for n, m in ((4, 5), (1, 2), (3, 1), (2, 0), (7, 32))])


program("repeats_with_a_size", function(lambda x, y: (
            x.repeat_interleave(3, dim=0, output_size=x.shape[0] * 3),
            y.repeat_interleave(2, output_size=8))),
        FAMILY, dynamic=({0: N}, {0: Dim.AUTO}), example=(f32(4, 2), f32(4)),
        cases=[case(f"{n}", f32(n, 2), f32(4)) for n in (4, 0, 1, 32)])


def size_in_vmap(x, y):
    """A size that is computed inside of a vmap is used behind it."""
    padded = F.pad(x, (0, x.shape[0]))
    scaled = torch.vmap(lambda row: row * row.shape[0])(padded)
    return scaled, y.clamp(max=padded.shape[1])


program("size_in_vmap", function(size_in_vmap), FAMILY,
        dynamic=({0: N}, {0: M}), example=(f32(3, 2), i64(4)),
        cases=[case(f"{n}", f32(n, 2), i64(m)) for n, m in ((3, 4), (1, 1), (0, 0), (7, 9))])


def gradient_beside_its_input(mask, x):
    """What is padded for the pool is read behind it, from another buffer."""
    best = x.cummax(3)[0]
    values, places = torch.ops.aten.max_pool2d_with_indices(
        best, [3, 3], [3, 3], [1, 1], [1, 1], True)
    gradient = torch.ops.aten.max_pool2d_with_indices_backward(
        values.cos(), best, [3, 3], [3, 3], [1, 1], [1, 1], True, places)
    return torch.where(mask, best, gradient)


program("gradient_beside_its_input", function(gradient_beside_its_input),
        FAMILY, dynamic=({0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO},) * 2,
        example=(b1(2, 3, 4, 1), f32(2, 3, 4, 1)),
        cases=[case(f"{n} {c} {h}", b1(n, c, h, 1), f32(n, c, h, 1))
               for n, c, h in ((2, 3, 4), (2, 2, 9), (3, 5, 3))])


def rows_that_are_three(x):
    """A size that the program fixes: a symbol in shapes, a number in a range."""
    rolled = x.roll(-2, 0)
    return F.pad(rolled, (0, 1)), torch.tril_indices(3, rolled.shape[0], -1)


program("rows_that_are_three", function(rows_that_are_three), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO},), deferred=True,
        example=(f32(3, 2),),
        cases=[case(f"{n}", f32(3, n)) for n in (2, 7)])


def turned_twice(x):
    """Blocks of two rows and of half the columns, and back again."""
    n, half = x.shape[0] // 2, x.shape[1] // 2
    blocks = x.view(n, 2, half, 2, 1).permute(0, 2, 1, 3, 4).reshape(-1, 4, 1)
    return blocks.reshape(n, half, 2, 2, 1).permute(0, 2, 1, 3, 4).reshape(
        x.shape)[:4, :x.shape[1]]


program("turned_twice", function(turned_twice), FAMILY,
        dynamic=({1: Dim.AUTO},), deferred=True, example=(f32(4, 2, 1),),
        cases=[case("2", f32(4, 2, 1))])


def cut_circles(x):
    """Negative padding removes, and what goes around is what is left."""
    return (F.pad(x, (-1, 1, -2, 1), mode="circular"),
            F.pad(x, (2, -1, -1, -1), mode="circular"))


program("cut_circles", function(cut_circles), FAMILY,
        dynamic=({0: N},), oblivious=True, example=(f32(2, 3, 4, 5),),
        cases=[case(f"{n}", f32(n, 3, 4, 5)) for n in (2, 3, 9)])

# Indices of take_along_dim go around, where there is a dimension; zero differences are no
# differences, with nothing joined; what is multiplied by a literal 0 is not looked at.
program("corners_of_arguments",
        function(lambda x, i: (
            torch.take_along_dim(x, i, 1), torch.diff(x, n=0, dim=0, prepend=x, append=x),
            torch.addr(x * math.nan, x[:, 0], x[0], beta=0),
            torch.addmm(x * math.inf, x, x.T @ x, beta=0.0, alpha=0.5))),
        FAMILY, dynamic=(None, {1: N}), oblivious=True, example=(f32(3, 4), i64(3, 2)),
        cases=[case(f"{n}", f32(3, 4), i64(3, n)) for n in (2, 0, 1, 9)])

# The place of an element in all dimensions, of what is computed and of a view, with what is no number.
program("places_in_all",
        function(lambda x: (x.argmin(), x.argmax(keepdim=True), (x * x - 1).argmax(),
                            x.view(x.shape[0], -1).argmin(1), x.sqrt().argmax(), x.flatten(0, 1).argmin(0))),
        FAMILY, dynamic=({0: N, 1: M},), oblivious=True, example=(f32(3, 4, 5),),
        cases=[*(case(f"{n} by {m}", f32(n, m, 5)) for n, m in ((3, 4), (1, 1), (5, 1), (1, 7), (31, 17))),
               case("equal", lit([[[2.0] * 5] * 3] * 2)), case("none", f32(0, 3, 5), raises="")])
