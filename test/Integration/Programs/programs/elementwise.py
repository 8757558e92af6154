"""Elementwise arithmetic, comparisons, activations, casts."""

import torch
import torch.nn.functional as F

from recording.table import case, function, program
from recording.values import b1, f32, floats, i64, ints, lit

from .common import M, MATRIX, N, ROWS, matrix, rows

FAMILY = "elementwise"


def add_broadcast(x, y, z):
    return x + y * z


program("add_broadcast", function(add_broadcast), FAMILY,
        dynamic=({0: N, 1: M}, {0: M}, {0: N}),
        example=(f32(3, 5), f32(5), f32(3, 1)),
        cases=[
            case("3 by 5", f32(3, 5), f32(5), f32(3, 1)),
            case("1 by 1", f32(1, 1), f32(1), f32(1, 1)),
            case("1 by 4", f32(1, 4), f32(4), f32(1, 1)),
            case("0 by 4", f32(0, 4), f32(4), f32(0, 1)),
            case("4 by 0", f32(4, 0), f32(0), f32(4, 1)),
            case("the bounds", f32(32, 24), f32(24), f32(32, 1)),
            case("m differs", f32(3, 5), f32(4), f32(3, 1), raises=""),
            case("n differs", f32(3, 5), f32(5), f32(4, 1), raises=""),
            case("m is 1 in y only", f32(3, 5), f32(1), f32(3, 1), raises=""),
        ])


def outer_broadcast(x, y):
    return x[:, None] * y[None, :] + x[:, None, None, None] - y


program("outer_broadcast", function(outer_broadcast), FAMILY,
        dynamic=({0: N}, {0: M}), example=(f32(3), f32(5)),
        cases=[
            case("3 and 5", f32(3), f32(5)), case("1 and 1", f32(1), f32(1)),
            case("0 and 5", f32(0), f32(5)), case("5 and 0", f32(5), f32(0)),
            case("7 and 2", f32(7), f32(2)),
            case("m too large", f32(3), f32(25), raises=""),
        ])


def scalar_arithmetic(x):
    return x * 2.5 - 1, 3 - x, x / 3, 1 / (x + 4), x ** 2, 2 ** x, -x


program("scalar_arithmetic", function(scalar_arithmetic), FAMILY,
        dynamic=MATRIX, example=(f32(3, 5),), cases=matrix())


def integer_arithmetic(a, b):
    return (a + b, a * b - 3, a // b, a % b, -a, abs(a),
            torch.div(a, b, rounding_mode="trunc"), a / b)


_NUMBERS = lit([7, -7, 7, -7, 0, 6, -6])
_DIVISORS = lit([3, 3, -3, -3, 5, 2, 2])
program("integer_arithmetic", function(integer_arithmetic), FAMILY,
        tags=("integer",), dynamic=({0: N}, {0: N}),
        example=(_NUMBERS, _DIVISORS),
        cases=[
            case("every sign", _NUMBERS, _DIVISORS),
            case("one", lit([-9]), lit([4])),
            case("none", i64(0), i64(0)),
            case("32, the bound", i64(32), i64(32, lo=1, hi=7)),
            case("sizes differ", i64(3), lit([1, 2]), raises=""),
            case("33", i64(33), i64(33, lo=1, hi=7), raises=""),
        ])


def small_integers(a, b, c):
    return a + b, a * a, b - 1, c + c, c * 3, a.to(torch.int32) * b, c > 100


program("small_integers", function(small_integers), FAMILY,
        tags=("integer",), dynamic=({0: N}, {0: N}, {0: N}),
        example=(ints(torch.int8, 4), ints(torch.int16, 4),
                 ints(torch.uint8, 4, lo=0, hi=255)),
        cases=[
            case(f"{n} elements", ints(torch.int8, n, lo=-128, hi=127),
                 ints(torch.int16, n, lo=-32768, hi=32767),
                 ints(torch.uint8, n, lo=0, hi=255))
            for n in (7, 0, 1, 32)] + [
            case("33", ints(torch.int8, 33), ints(torch.int16, 33),
                 ints(torch.uint8, 33, lo=0), raises="")])


def comparisons(x, y):
    return x > y, x <= y, x == y, x != 0.5, x < 0, y >= 1


program("comparisons", function(comparisons), FAMILY, tags=("boolean",),
        dynamic=({0: N}, {0: N}), example=(f32(4), f32(4)),
        cases=[case("with equal ones", lit([1.0, 2.0, 0.5, -1.0]),
                    lit([1.0, 1.5, 2.0, -1.0])),
               case("nan and inf", lit([float("nan"), float("inf"), 0.0]),
                    lit([1.0, float("inf"), float("nan")])),
               case("none", f32(0), f32(0)), case("one", f32(1), f32(1)),
               case("32", f32(32), f32(32)),
               case("33", f32(33), f32(33), raises=""),
               case("sizes differ", f32(4), f32(3), raises="")])


def logic(a, b, x):
    both = torch.logical_and(a, b) | (x > 0)
    return both, a ^ b, ~a, torch.logical_not(x), a & (x != 0), a + b, a * x


program("logic", function(logic), FAMILY, tags=("boolean",),
        dynamic=({0: N}, {0: N}, {0: N}), example=(b1(4), b1(4), i64(4)),
        cases=[case(f"{n} elements", b1(n), b1(n), i64(n, lo=-1, hi=1))
               for n in (8, 0, 1, 31, 32)] + [
            case("33", b1(33), b1(33), i64(33), raises="")])


def bits(a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1, a & 12


program("bits", function(bits), FAMILY, tags=("integer",),
        dynamic=({0: N}, {0: N}), example=(i64(4), i64(4)),
        cases=[case(f"{n} elements", i64(n, lo=-99, hi=99),
                    i64(n, lo=-99, hi=99)) for n in (5, 0, 1, 32)] + [
            case("sizes differ", i64(5), i64(4), raises="")])


def promotion(i, f, h, b, d):
    """Two types in one op, 0-d tensors, Python scalars."""
    return (i + f, b + i, h + f, i * 1.5, i + d, f * d, b * 2, b / 2,
            h * 2.0, i.to(torch.int32) + b, torch.add(i, b, alpha=3))


program("promotion", function(promotion), FAMILY, tags=("dtypes",),
        dynamic=({0: N}, {0: N}, {0: N}, {0: N}, None),
        example=(i64(4), f32(4), floats(torch.float16, 4), b1(4),
                 lit(2.25, torch.float64)),
        cases=[case(f"{n} elements", i64(n), f32(n), floats(torch.float16, n),
                    b1(n), lit(-1.5, torch.float64)) for n in (5, 0, 1, 32)])


def activations(x):
    return (F.relu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x),
            torch.sigmoid(x), torch.tanh(x), F.leaky_relu(x, 0.1), F.elu(x),
            F.softplus(x), F.hardtanh(x))


program("activations", function(activations), FAMILY, dynamic=ROWS,
        example=(f32(4, 3),), cases=rows(3, lo=-4.0, hi=4.0))


def math_functions(x):
    return (torch.exp(x), torch.log(x), torch.sqrt(x), torch.rsqrt(x),
            torch.erf(x), torch.sin(x), torch.cos(x), torch.log1p(x),
            torch.expm1(x), torch.log2(x), torch.reciprocal(x))


program("math_functions", function(math_functions), FAMILY, dynamic=ROWS,
        example=(f32(4, 3, lo=0.1, hi=3.0),), cases=rows(3, lo=0.1, hi=3.0))


def rounding(x):
    return (torch.floor(x), torch.ceil(x), torch.round(x), torch.trunc(x),
            torch.sign(x), torch.abs(x), torch.frac(x), x // 1.5, x % 1.5,
            torch.fmod(x, 1.5))


program("rounding", function(rounding), FAMILY, dynamic=({0: N},),
        example=(f32(4),),
        cases=[case("halves", lit([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.0])),
               case("none", f32(0)), case("one", f32(1)),
               case("9", f32(9, lo=-9.0, hi=9.0)), case("32", f32(32)),
               case("33", f32(33), raises="")])


def clamps(x, y):
    return (x.clamp(-0.5, 1), x.clamp(min=0.25), torch.clamp_max(x, 0),
            torch.clamp(x, y, y + 1), torch.minimum(x, y),
            torch.maximum(x, y))


program("clamps", function(clamps), FAMILY, dynamic=({0: N}, {0: N}),
        example=(f32(4), f32(4)),
        cases=[case("nan", lit([float("nan"), 1.0, -3.0]),
                    lit([0.0, float("nan"), 2.0])),
               case("none", f32(0), f32(0)), case("one", f32(1), f32(1)),
               case("7", f32(7), f32(7)), case("32", f32(32), f32(32)),
               case("sizes differ", f32(7), f32(6), raises="")])


def select_where(x, y, mask):
    picked = torch.where(mask, x, y)
    return (picked, torch.where(x > 0, x, 0.0), x.masked_fill(mask, -1.0),
            torch.where(mask, 1, 0))


program("select_where", function(select_where), FAMILY,
        dynamic=({0: N, 1: M}, {1: M}, {0: N}),
        example=(f32(3, 4), f32(1, 4), b1(3, 1)),
        cases=[case(f"{n} by {m}", f32(n, m), f32(1, m), b1(n, 1))
               for n, m in ((3, 4), (0, 4), (3, 0), (1, 1), (5, 1), (32, 3))
               ] + [case("rows differ", f32(3, 4), f32(1, 4), b1(2, 1),
                         raises="")])


def powers(x, y):
    return (x ** y, x ** 3, x ** 0.5, torch.pow(2.0, y), x.square(),
            torch.pow(x, -1))


program("powers", function(powers), FAMILY, dynamic=({0: N}, {0: N}),
        example=(f32(4, lo=0.2), f32(4)),
        cases=[case(f"{n} elements", f32(n, lo=0.2, hi=3.0), f32(n))
               for n in (5, 0, 1, 32)] + [
            case("sizes differ", f32(5), f32(6), raises="")])


def fused_arithmetic(x, a, b, w):
    return (torch.addcmul(x, a, b, value=0.5), torch.addcdiv(x, a, b),
            torch.lerp(x, a, w), torch.lerp(x, a, 0.25),
            torch.sub(x, a, alpha=2), torch.rsub(x, a))


program("fused_arithmetic", function(fused_arithmetic), FAMILY,
        dynamic=({0: N}, {0: N}, {0: N}, {0: N}),
        example=(f32(4), f32(4), f32(4, lo=1.0), f32(4, lo=0.0)),
        cases=[case(f"{n} elements", f32(n), f32(n), f32(n, lo=1.0),
                    f32(n, lo=0.0, hi=1.0)) for n in (5, 0, 1, 32)])


def tests_of_floats(x):
    return (torch.isnan(x), torch.isinf(x), torch.isfinite(x),
            torch.nan_to_num(x, 0.5, 9.0, -9.0), torch.signbit(x))


_ODD = lit([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0])
program("tests_of_floats", function(tests_of_floats), FAMILY,
        tags=("boolean",), dynamic=({0: N},), example=(f32(4),),
        cases=[case("odd ones", _ODD), case("none", f32(0)),
               case("one", f32(1)), case("33", f32(33), raises="")])


def casts_from_float(x):
    return tuple(x.to(t) for t in (
        torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int16,
        torch.int32, torch.int64, torch.bool)) + (
            x.abs().to(torch.uint8), x.int(), x.half().float() + 1)


program("casts_from_float", function(casts_from_float), FAMILY,
        tags=("dtypes",), dynamic=({0: N},), example=(f32(4),),
        cases=[case(f"{n} elements", f32(n, lo=-100.0, hi=100.0))
               for n in (7, 0, 1, 32)] + [case("33", f32(33), raises="")])


def casts_from_integer(i, u, b):
    return (i.float(), i.double(), i.to(torch.bfloat16), i.bool(), i.short(),
            i.to(torch.int8), i.to(torch.uint8), u.float(), u.long(),
            u.to(torch.int8), b.float(), b.long(), b.to(torch.uint8),
            i.half())


program("casts_from_integer", function(casts_from_integer), FAMILY,
        tags=("dtypes", "integer"), dynamic=({0: N}, {0: N}, {0: N}),
        example=(i64(4), ints(torch.uint8, 4, lo=0), b1(4)),
        cases=[case(f"{n} elements", i64(n, lo=-1000, hi=1000),
                    ints(torch.uint8, n, lo=0, hi=255), b1(n))
               for n in (7, 0, 1, 32)])


def half_arithmetic(h, b):
    return h * 2 + 1, torch.exp(h), b * b - 0.5, F.silu(b), h.float() + b, h > b


program("half_arithmetic", function(half_arithmetic), FAMILY,
        tags=("dtypes",), dynamic=({0: N}, {0: N}),
        example=(floats(torch.float16, 4), floats(torch.bfloat16, 4)),
        cases=[case(f"{n} elements", floats(torch.float16, n),
                    floats(torch.bfloat16, n)) for n in (5, 0, 1, 32)] + [
            case("sizes differ", floats(torch.float16, 5),
                 floats(torch.bfloat16, 4), raises="")])


def double_arithmetic(x):
    return torch.exp(x) / 3 + x * 1e-9, x.float() + x, x.sum(), x.mean(0)


program("double_arithmetic", function(double_arithmetic), FAMILY,
        tags=("dtypes",), dynamic=({0: N},),
        example=(floats(torch.float64, 4, 2),),
        cases=rows(2, dtype=torch.float64))


def scalar_tensor_math(x, scale, shift):
    """0-d tensors as operands."""
    return x * scale + shift, scale * shift, scale > shift, x.sum() * scale


program("scalar_tensor_math", function(scalar_tensor_math), FAMILY,
        dynamic=({0: N}, None, None),
        example=(f32(4), lit(2.0), lit(1.0)),
        cases=[case(f"{n} elements", f32(n), lit(2.0), lit(-1.0))
               for n in (5, 0, 1, 32)] + [
            case("33", f32(33), lit(1.0), lit(1.0), raises="")])


def results_of_shared_points(p, g, m, v, row):
    """A step of Adam, with what else reads the same elements."""
    first = m * 0.9 + g * 0.1
    second = v * 0.999 + g * g * 0.001
    step = first / (second.sqrt() + 1e-3)
    turned = (g + row).t() * 2
    scaled = step / (1 + step.abs().sum())
    return (p - step, first, second, g > row, turned, turned + 1, scaled,
            scaled * step.half(), g.to(torch.int8) * 2)


program("results_of_shared_points", function(results_of_shared_points), FAMILY,
        dynamic=({0: N, 1: M},) * 4 + ({0: M},),
        example=(f32(3, 5),) * 3 + (f32(3, 5, lo=0.0), f32(5)),
        cases=[
            case(f"{n} by {m}", f32(n, m), f32(n, m), f32(n, m),
                 f32(n, m, lo=0.0), f32(m))
            for n, m in ((3, 5), (1, 1), (0, 4), (4, 0), (1, 17), (32, 24))] + [
            case("n differs", f32(3, 5), f32(4, 5), f32(3, 5),
                 f32(3, 5, lo=0.0), f32(5), raises=""),
            case("33", f32(33, 5), f32(33, 5), f32(33, 5),
                 f32(33, 5, lo=0.0), f32(5), raises="")])
