"""Results that are as exact as PyTorch's, and infinite where those are."""

import math

import torch
import torch.nn.functional as F
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, floats, i64, lit

from .common import K, M, N

FAMILY = "exactness"

_INF = math.inf
_NAN = math.nan


def sums_of_many(x):
    """Equal values: roundings of one sum after the other add up as well."""
    many = x[:, None].expand(-1, 4096)
    share = many.sigmoid()
    return (many.sum(), many.mean(), many.var(),
            F.binary_cross_entropy(share, share, reduction="sum"),
            F.soft_margin_loss(many, many, reduction="sum"))


program("sums_of_many", function(sums_of_many), FAMILY, dynamic=({0: N},),
        example=(f32(4),),
        cases=[case(str(n), f32(n)) for n in (4, 1, 16, 32)] +
        [case("tenths", lit([0.1] * 16))])


def trapezoids(x, y):
    return (torch.trapezoid(x, dim=0), torch.trapezoid(x, dx=0.5, dim=1),
            torch.trapezoid(y), torch.trapezoid(y.to(torch.int32), dx=2.0),
            torch.trapz(y.half()))


program("trapezoids_of_extremes", function(trapezoids), FAMILY,
        dynamic=({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO}),
        example=(f32(4, 3), f32(5)),
        cases=[case(f"{n}, {m}", f32(n, m), f32(n or 1))
               for n, m in ((4, 3), (1, 1), (0, 3), (2, 0), (9, 8))] +
        [case("infinite", lit([[1.0, _INF, 2.0], [-_INF, 3.0, _INF],
                               [_INF, 4.0, 5.0]]), lit([1.0, 2.0])),
         case("too large for halves", lit([[3e38, 3e38], [3e38, -3e38]]),
              lit([65504.0, 65504.0, 1.0, -3.0]))])


def products(x, y):
    return (torch.einsum("ij,jk->", x, y), torch.einsum("ij,jk->j", x, y),
            torch.einsum("ij,kl->jk", x, y), torch.einsum("ii,jk->i", y, x))


program("einsums_that_sum_first", function(products), FAMILY,
        dynamic=({0: Dim.AUTO, 1: N}, {0: N, 1: N}),
        example=(f32(4, 3), f32(3, 3)),
        cases=[case(f"{n}, {m}", f32(n, m), f32(m, m))
               for n, m in ((4, 3), (1, 1), (0, 3), (3, 0), (8, 8))] +
        # The sum of all is 0 in any order.
        [case("overflow", lit([[3e38, 0.0], [-3e38, 0.0]]),
              lit([[3.0, 1.0], [2.0, 3e38]]))])


def roots(x, y):
    return (x ** 0.5, x ** -0.5, y ** 0.5, y ** -0.5, (x ** 0.5).signbit(),
            x.bfloat16() ** 0.5, x.half() ** 0.5, (x * 4).to(torch.int64) ** 0.5)


program("powers_that_are_roots", function(roots), FAMILY,
        dynamic=({0: N}, {0: Dim.AUTO}), example=(f32(4), floats(torch.float64, 3)),
        cases=[case(str(n), f32(n, lo=0.0, hi=3.0),
                    floats(torch.float64, n, lo=0.0, hi=3.0)) for n in (4, 1, 0)] +
        [case("special values", lit([1.0, 0.25, 0.0]),
              lit([-_INF, -0.0, 0.0, _INF, math.nan, -1.0], dtype=torch.float64))])


def products(x):
    return (x ** 3, x ** 3.0, x ** -1, x ** -2, x.double() ** -2.0, x.bfloat16() ** 3,
            x.half() ** -1, (x > 0) ** 3, (x.isfinite() * 5) ** 3, (x.isfinite() * 5 + 1) ** -2.0)


program("powers_that_are_products", function(products), FAMILY,
        dynamic=({0: N},), example=(f32(4),),
        cases=[case(str(n), f32(n)) for n in (4, 1, 0)] +
        [case("special values", lit([-_INF, -0.0, 0.0, _INF, math.nan, -1e20, 1e-30, 3e38]))])


def scattered_halves(x, index):
    zeros = torch.zeros(3, dtype=x.dtype)
    return zeros.scatter_add(0, index, x), x.scatter_add(0, index % 2, x)


program("scattered_halves", function(scattered_halves), FAMILY,
        dynamic=({0: N}, {0: N}),
        example=(floats(torch.float16, 4), i64(4, lo=0, hi=2)),
        rtol=2e-3, atol=2e-3,
        cases=[case(str(n), floats(torch.float16, n), i64(n, lo=0, hi=2))
               for n in (4, 2, 32)] +
        [case("one large", lit([2048.0] + [0.5] * 31, dtype=torch.float16),
              lit([0] * 32))])


program("weights_per_channel", function(lambda x: (
    F.prelu(x, x.reshape(-1)[:1]), F.layer_norm(x[:2], (2,)))), FAMILY,
        dynamic=({0: Dim.AUTO},), example=(f32(4),),
        cases=[case("4", f32(4)), case("2", f32(2)),
               case("1", f32(1), raises="the normalized sizes differ"),
               case("none", f32(0), raises="")])


def norms(x, y):
    return (x.norm(dim=0), y.norm(p=3, dim=1), torch.linalg.vector_norm(x),
            F.pairwise_distance(y, y * 0, eps=0), torch.dist(x, x * 0),
            torch.cdist(y, y * 0), x.norm(p=0), y.norm(p=0.5, dim=(0, 1)))


program("norms_of_one_element", function(norms), FAMILY,
        dynamic=({0: M}, {0: M, 1: Dim.AUTO}), example=(f32(4), f32(4, 2)),
        cases=[case(f"{n}, {m}", f32(n), f32(n, m))
               for n, m in ((4, 2), (1, 1), (0, 3), (24, 1), (5, 0))] +
        [case("their squares vanish", lit([3e-30]), lit([[-3e-30]])),
         case("their squares are infinite", lit([-3e30]), lit([[2e38]]))])


def hypotenuses(x, y):
    return (torch.hypot(x, y), torch.hypot(x.double(), y.double() * 1e300),
            torch.hypot(x.bfloat16(), y.bfloat16()))


program("hypotenuses", function(hypotenuses), FAMILY, dynamic=({0: N}, {0: N}),
        example=(f32(4), f32(4)),
        cases=[case(str(n), f32(n), f32(n)) for n in (4, 1, 0, 32)] +
        [case("extremes", lit([3e38, 3e-40, 0.0, -0.0, 3e38, 1e-30]),
              lit([3e38, 4e-40, 0.0, 0.0, 1e-30, -1e-30])),
         case("infinite", lit([_INF, -_INF, math.nan, _INF, math.nan]),
              lit([_INF, math.nan, -_INF, 1.0, 1.0]))])


def divisors(x, y, z):
    return torch.gcd(x, y), torch.gcd(y, x), torch.gcd(z, z * 3), \
        torch.lcm(z, z + 5)


program("divisors_of_extremes", function(divisors), FAMILY,
        dynamic=({0: N}, {0: N}, {0: N}),
        example=(i64(4, dtype=torch.int32), i64(4, dtype=torch.int32),
                 i64(4, dtype=torch.int8)),
        cases=[case(str(n), i64(n, dtype=torch.int32), i64(n, dtype=torch.int32),
                    i64(n, dtype=torch.int8)) for n in (4, 1, 0, 32)] +
        [case("extremes", lit([-2 ** 31] * 5, dtype=torch.int32),
              lit([5, -6, 0, 2 ** 31 - 1, -2 ** 31], dtype=torch.int32),
              lit([-128, 100, 127, -127, 99], dtype=torch.int8))])


def loops_of_lanes(x, y):
    """Euclid's algorithm and powers take another number of steps for each element."""
    return (torch.gcd(x, y), torch.lcm(x, y), x ** (y.abs() % 9),
            torch.gcd(x.int(), y.int()), torch.gcd(x.short(), y.short()))


program("loops_of_lanes", function(loops_of_lanes), FAMILY,
        dynamic=({0: N}, {0: N}), example=(i64(4), i64(4)),
        cases=[case(str(n), i64(n, lo=-1000, hi=1000), i64(n, lo=-1000, hi=1000))
               for n in (4, 0, 1, 16, 25, 32)] +
        [case("one has many bits", i64(32, lo=-50, hi=50),
              lit([1 << 60] + [6] * 30 + [-3 << 55])),
         case("zeros", lit([0] * 20), lit([0, 7, -7, 1 << 40] * 5))])


def quotients(x, y):
    halves, others = x.bfloat16(), y.bfloat16() + 3.25
    one = others[:1].reshape(())
    return tuple(
        torch.div(a, b, rounding_mode=mode) for mode in ("floor", "trunc")
        for a, b in ((halves, others), (x.half(), y.half() + 3.25),
                     (halves, one), (one, others), (halves, others[:1]),
                     (halves, 0.3))) + (
        x.half() // (y.half() + 3.25), halves * y[0], y[0] * halves,
        y[0] / others)


program("quotients_of_halves", function(quotients), FAMILY,
        dynamic=({0: N}, {0: N}), rtol=0, atol=0,
        example=(f32(4, lo=-60, hi=60), f32(4)),
        cases=[case(str(n), f32(n, lo=-60, hi=60), f32(n))
               for n in (4, 1, 32, 31)] + [case("none", f32(0), f32(0),
                                                raises="")])


def sums(x, y):
    return (x.sum(dtype=torch.float32), x.mean(dtype=torch.float32),
            y.sum(dtype=torch.float32), x.sum(0, dtype=torch.float32))


program("sums_in_another_type", function(sums), FAMILY,
        dynamic=({0: N}, {0: N}),
        example=(floats(torch.float64, 4), i64(4)),
        cases=[case(str(n), floats(torch.float64, n), i64(n))
               for n in (4, 1, 32)] +
        [case("rounded before", lit([1e300, -1e300, 1.5], dtype=torch.float64),
              lit([16777217, -16777216, 0]))])


def added(x, y, index):
    return (x.index_add(0, index, y), y.index_add(0, index * 0, y))


program("added_to_halves", function(lambda x, y, index: added(
    x.bfloat16(), y.bfloat16(), index) + added(
        x[:, 0].half(), y[:, 0].half(), index)), FAMILY,
        dynamic=({0: N}, {0: K}, {0: K}), rtol=0, atol=0,
        example=(f32(3, 4), f32(5, 4), i64(5, lo=0, hi=2)),
        cases=[case(f"{n}, {k}", f32(n, 4, lo=-60, hi=60), f32(k, 4),
                    i64(k, lo=0, hi=n - 1))
               for n, k in ((3, 5), (1, 16), (32, 1), (2, 15))])


def limited(x, y, z):
    """Their signs of zero, as those of the infinities of their inverses."""
    return tuple(1 / r for r in (
        F.relu(x), F.relu6(x), F.hardtanh(x, 0.0, 1.0), x.clamp(0.0, 1.0),
        x.clamp(min=0.0), x.clamp(max=-0.0), x.clamp(-1.0, -0.0),
        x.clamp(3.0, 1.0), x.clamp(min=_NAN))) + (
            torch.clip(x, y, z), torch.clamp(x, min=y), torch.clamp(x, max=z))


_ZEROS = [0.0, -0.0, 1e-30, -1e-30, 1.0, -1.0, 7.0, _INF, -_INF, _NAN, -0.0]

program("limits_with_signs", function(lambda x, y, z: limited(x, y, z) + limited(
    x.double(), y.double(), z.double())), FAMILY,
        dynamic=({0: N}, {0: N}, {0: N}), rtol=0, atol=0,
        example=(f32(4), f32(4), f32(4)),
        cases=[case(str(n), f32(n), f32(n), f32(n))
               for n in (4, 1, 0, 32, 31)] +
        [case("zeros", lit(_ZEROS), lit([-2.0] * 11), lit([0.5] * 11)),
         case("limits", lit([0.5] * 5), lit([_NAN, 0.25, 1.0, 0.0, -_INF]),
              lit([1.0, _NAN, 0.75, 1.0, -1.0]))])


def rounded_once(x, y, z):
    return (torch.add(x, y, alpha=2), torch.add(x, y, alpha=1.1),
            torch.sub(x, y, alpha=-0.3), torch.rsub(x, y, alpha=2),
            torch.addcmul(x, y, z), torch.addcmul(x, y, z, value=-1.7),
            torch.lerp(x, y, 0.3), torch.lerp(x, y, 0.7), torch.lerp(x, y, z))


program("sums_rounded_once", function(
    lambda x, y, z: rounded_once(x, y, z) + rounded_once(
        x.double(), y.double() / 3, z.double() / 7)), FAMILY,
        dynamic=({0: N}, {0: N}, {0: N}), rtol=0, atol=0,
        example=(f32(4), f32(4), f32(4)),
        cases=[case(str(n), f32(n), f32(n), f32(n))
               for n in (4, 1, 0, 32, 31)] +
        [case("too large", lit([3e38, -3e38, _INF, 3e38, 0.0]),
              lit([-1.53e38, 2e38, 3e38, _INF, 1e38]),
              lit([2.86, 2.0, 1.0, 0.25, 4.0]))])


def logic_of_numbers(x, y, z):
    """The number is converted to the type of the elements, in which it may be 0."""
    number = y.sum()
    return (torch.logical_or(x, number), torch.logical_and(x, number), torch.logical_xor(x, number),
            torch.logical_or(z, z.double().sum() * 1e-300), torch.block_diag(x[None], y[None]))


program("logic_of_numbers", function(logic_of_numbers), FAMILY,
        dynamic=({0: N}, {0: N}, {0: N}),
        example=(lit([0, 1, 2], torch.uint8), lit([512, 0, 0], torch.int64), lit([0., 1., 0.])),
        cases=[case("a multiple of 256", lit([0, 1, 2], torch.uint8), lit([512, 0, -256], torch.int64), lit([0., 1., 0.])),
               case("another number", lit([0, 1], torch.uint8), lit([513, 0], torch.int64), lit([0., 0.])),
               case("nothing", lit([], torch.uint8), lit([], torch.int64), lit([]))])


def long_products(x):
    many = (x[:, None] * torch.ones(20000)).flatten() / 12
    return many @ many, many @ many.sin()


program("long_products", function(long_products), FAMILY, dynamic=({0: N},), example=(f32(4),), rtol=1e-4,
        cases=[case(str(n), lit([1.0 + i / 7 for i in range(n)])) for n in (4, 1, 2, 12)] + [case("0", f32(0))])
