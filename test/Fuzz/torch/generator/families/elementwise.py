"""Elementwise operators, with broadcasting and type promotion."""

from ..builder import DTYPES_TEXT
from ..data import ALL, FLOATS, INTS, SIGNED
from .table import template

FAMILY = "elementwise"

NUMERIC = FLOATS + INTS
WITH_BOOL = INTS + ("i1",)

# Code of one operand, by the dtypes that it takes.
UNARY = [
    (NUMERIC, """{0}.abs()  -{0}  {0}.sign()  {0}.square()  {0}.sgn()
        torch.relu({0})  {0}.clamp(-1,2)  {0}.positive()"""),
    (NUMERIC, """{0}.clamp(min=0)  {0}.clamp(max=1)
        torch.nn.functional.relu6({0})"""),
    (ALL, """torch.exp({0})  torch.tanh({0})  torch.sigmoid({0})
        torch.sin({0})  torch.cos({0})  torch.erf({0})  torch.atan({0})
        torch.expm1({0})  {0}.logical_not()  {0}.isnan()  {0}.isfinite()
        torch.sqrt({0}.abs())  torch.log1p({0}.abs())  torch.rsqrt({0}.abs()+1)
        {0}.signbit()  {0}.isinf()  torch.asinh({0})  torch.exp2({0})
        torch.log({0}.abs()+1)  {0}.bool()  {0}.clone()  torch.sinc({0})
        {0}.reciprocal()  torch.erfc({0})  torch.rad2deg({0})"""),
    (FLOATS, """{0}.floor()  {0}.ceil()  {0}.round()  {0}.trunc()  {0}.frac()
        torch.nn.functional.gelu({0})  torch.nn.functional.silu({0})
        torch.nn.functional.softplus({0})  torch.nn.functional.elu({0})
        torch.nn.functional.leaky_relu({0},0.1)  torch.nn.functional.mish({0})
        torch.nn.functional.hardtanh({0})  torch.nn.functional.hardswish({0})
        torch.nn.functional.gelu({0},approximate='tanh')  {0}.nan_to_num()
        torch.nn.functional.hardsigmoid({0})  torch.nn.functional.celu({0})
        torch.nn.functional.softshrink({0})  {0}.round(decimals=1)
        torch.nn.functional.logsigmoid({0})  torch.nn.functional.selu({0})
        torch.nn.functional.dropout({0},0.5,training=False)"""),
    (WITH_BOOL, "~{0}"),
]

BINARY = [
    (ALL, """torch.add({0},{1})  torch.mul({0},{1})  torch.eq({0},{1})
        torch.lt({0},{1})  torch.ge({0},{1})  torch.maximum({0},{1})
        torch.minimum({0},{1})  torch.logical_and({0},{1})  {0}!={1}
        torch.logical_xor({0},{1})  torch.true_divide({0},{1})  {0}>{1}
        {0}<={1}  torch.logical_or({0},{1})"""),
    (NUMERIC, """torch.sub({0},{1})  torch.sub({0},{1},alpha=2)
        torch.add({0},{1},alpha=3)  torch.fmod({0},{1}.abs()+1)
        torch.fmax({0},{1})  torch.fmin({0},{1})
        torch.heaviside({0}.float(),{1}.float())  torch.copysign({0},{1})
        torch.remainder({0},{1}.abs()+1)"""),
    (FLOATS, """torch.div({0},{1},rounding_mode='floor')  {0}//{1}  {0}%{1}
        torch.div({0},{1},rounding_mode='trunc')  torch.fmod({0},{1})
        torch.remainder({0},{1})  torch.atan2({0},{1})  torch.hypot({0},{1})
        torch.pow({0}.abs()+0.5,{1})  torch.xlogy({0},{1}.abs()+1)
        torch.logaddexp({0},{1})  torch.lerp({0},{1}.to({0}.dtype),0.25)
        torch.isclose({0},{1}.to({0}.dtype))"""),
    (INTS, """{0}//({1}.clamp(1,3))  torch.bitwise_left_shift({0},{1}.clamp(0,3))
        torch.bitwise_right_shift({0},{1}.clamp(0,3))
        torch.gcd({0},{1})  torch.div({0},{1}.clamp(1,3),rounding_mode='trunc')
        torch.remainder({0},{1}.clamp(1,5))  torch.pow({0},{1}.clamp(0,2))"""),
    (WITH_BOOL, "{0}&{1}  {0}|{1}  {0}^{1}"),
]

# Code of an operand and a Python number.
SCALAR = [
    (ALL, """{0}+{n}  {0}*{n}  {n}+{0}  {0}=={n}  {0}<{n}  {0}>={n}
        torch.where({0}>{n},{0},{n})  torch.where({0}<{n},{n},{0})"""),
    (NUMERIC, """{0}-{n}  {n}-{0}  {0}/{n}  {0}.clamp({n})
        torch.remainder({0},3)  {0}**2  {0}//2  torch.fmod({0},2)
        {0}.remainder(-2)  torch.rsub({0},{n})  {n}/{0}"""),
    (FLOATS, """{0}%{n}  {n}%{0}  {n}//{0}  {0}**3  {0}**-1  {0}**0.5  2**{0}
        torch.div({0},{n},rounding_mode='floor')  torch.copysign({0},{n})"""),
]


def _codes(table, dtype):
    return [code for dtypes, text in table if dtype in dtypes
            for code in text.split()]


@template(FAMILY, weight=3, keeps_sizes=True)
def unary(b):
    x = b.tensor()
    b.emit(b.choice(_codes(UNARY, b.info(x).dtype)).format(x))


@template(FAMILY, weight=4, keeps_sizes=True)
def binary(b):
    x = b.tensor()
    y = b.broadcastable(x)
    dtypes = {b.info(x).dtype, b.info(y).dtype}
    codes = [c for c in _codes(BINARY, b.info(x).dtype)
             if all(c in _codes(BINARY, d) for d in dtypes)]
    b.emit(b.choice(codes).format(x, y))


@template(FAMILY, weight=2, keeps_sizes=True)
def with_number(b):
    x = b.tensor()
    dtype = b.info(x).dtype
    # A number of another kind promotes.
    number = b.literal(b.choice((dtype, dtype, "i64", "f32")))
    code = b.choice(_codes(SCALAR, dtype))
    b.emit(code.format(x, n=number))


@template(FAMILY, weight=1.5, keeps_sizes=True)
def convert(b):
    x = b.tensor()
    b.as_dtype(x, b.choice(ALL))


@template(FAMILY, weight=1.5, keeps_sizes=True)
def select(b):
    x = b.tensor()
    y = b.broadcastable(x)
    condition = b.emit(b.choice((f"{x} > {b.literal(b.info(x).dtype)}",
                                 f"{y} <= 0", f"({x} == {y})")))
    b.emit(f"torch.where({condition}, {x}, {y})")


@template(FAMILY, keeps_sizes=True)
def masked_fill(b):
    x = b.tensor()
    mask = b.emit(f"{b.broadcastable(x)} > 0")
    value = b.literal(b.info(x).dtype)
    b.emit(f"{x}.masked_fill({mask}, {value})")


@template(FAMILY, keeps_sizes=True)
def ternary(b):
    x = b.tensor(FLOATS)
    y = b.broadcastable(x, (b.info(x).dtype,))
    z = b.broadcastable(x, (b.info(x).dtype,))
    b.emit(b.choice((f"torch.addcmul({x}, {y}, {z}, value=0.5)",
                     f"torch.addcdiv({x}, {y}, {z}.abs() + 1)",
                     f"torch.lerp({x}, {y}, {z})",
                     f"{x}.clamp({y}, {z})")))


@template(FAMILY, keeps_sizes=True)
def with_size(b):
    """A size as a number of an elementwise operator."""
    x = b.tensor(NUMERIC)
    y = b.tensor(low=1)
    size = b.size(y, b.dim(y))
    b.emit(b.choice((f"{x} + {size}", f"{x} * {size}", f"{x} / ({size} + 1)",
                     f"{x} > {size}", f"{x}.float() / max({size}, 1)")))


@template(FAMILY, weight=0.5, keeps_sizes=True)
def view_dtype(b):
    x = b.tensor(("f32", "i32", "f16", "bf16", "i16", "i8", "u8"))
    pairs = {"f32": "i32", "i32": "f32", "f16": "i16", "bf16": "i16",
             "i16": "bf16", "i8": "u8", "u8": "i8"}
    b.emit(f"{x}.view({DTYPES_TEXT[pairs[b.info(x).dtype]]})")


@template(FAMILY, weight=0.4, keeps_sizes=True)
def shift_signed(b):
    x = b.tensor(SIGNED)
    b.emit(b.choice((f"{x} << 1", f"{x} >> 2", f"{x} // 3", f"{x} % 3",
                     f"{x} // -2", f"{x} % -4")))
