//===- Special.cpp - Rarer functions of elements --------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
using Unary = Value (*)(Scalars &s, Value x);
} // namespace

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// A function of real numbers with literal parameters.
static void lowerReal(Lowering &op, function_ref<Value(Scalars &, Value)> fn) {
  Tensor in = op.tensor("self");
  Dtype type = getFloatDtype(in.dtype), compute = getComputeDtype(type);
  op.result(op.map(
      {in}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); },
      std::nullopt, op.resultDtype(0, type)));
}

template <Unary fn>
static void lowerUnary(Lowering &op) {
  lowerReal(op, fn);
}

static Value buildLog(Scalars &s, Value x) {
  return math::LogOp::create(s.b, s.loc, x);
}
static Value buildSinc(Scalars &s, Value x) {
  Value angle = s.mul(x, s.number(M_PI));
  Value ratio = s.divFloat(math::SinOp::create(s.b, s.loc, angle), angle);
  return s.select(s.compare(Compare::Eq, x, s.number(0)), s.number(1), ratio);
}
static Value buildDegToRad(Scalars &s, Value x) {
  return s.mul(x, s.number(M_PI / 180));
}
static Value buildRadToDeg(Scalars &s, Value x) {
  return s.mul(x, s.number(180 / M_PI));
}
/// -x log(x), with its limit 0 at 0, and -inf for what is no probability.
static Value buildEntropy(Scalars &s, Value x) {
  Value zero = s.number(0);
  Value entropy = s.neg(s.mul(x, buildLog(s, x)));
  Value below = s.select(s.compare(Compare::Eq, x, zero), zero, s.lowest());
  Value isUsual = s.bitOr(s.compare(Compare::Gt, x, zero), s.isNan(x));
  return s.select(isUsual, entropy, below);
}
static Value buildAngle(Scalars &s, Value x) {
  Value zero = s.number(0);
  Value angle = s.select(s.compare(Compare::Lt, x, zero), s.number(M_PI), zero);
  return s.select(s.isNan(x), x, angle);
}

/// How probable it is that a normal variable is less than x. PyTorch rounds
/// each step.
static void lowerNormalCdf(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype type = getFloatDtype(in.dtype), compute = getComputeDtype(type);
  auto step = [&](const Tensor &x, ElementFn fn) {
    return op.map({x}, compute, compute, fn, std::nullopt, type);
  };
  Tensor scaled = step(in, [](Scalars &s, ArrayRef<Value> args) {
    return s.mul(args[0], s.number(M_SQRT1_2));
  });
  Tensor erf = step(scaled, [](Scalars &s, ArrayRef<Value> args) -> Value {
    return math::ErfOp::create(s.b, s.loc, args[0]);
  });
  Tensor sum = step(erf, [](Scalars &s, ArrayRef<Value> args) {
    return s.add(args[0], s.number(1));
  });
  op.result(step(sum, [](Scalars &s, ArrayRef<Value> args) {
    return s.mul(args[0], s.number(0.5));
  }));
}

static void lowerCelu(Lowering &op) {
  double alpha = op.real("alpha", 1);
  lowerReal(op, [&](Scalars &s, Value x) {
    Value exp =
        math::ExpM1Op::create(s.b, s.loc, s.divFloat(x, s.number(alpha)));
    Value positive = s.compare(Compare::Gt, x, s.number(0));
    return s.select(positive, x, s.mul(exp, s.number(alpha)));
  });
}

static void lowerHardShrink(Lowering &op) {
  double limit = op.real("lambd", 0.5);
  lowerReal(op, [&](Scalars &s, Value x) {
    Value isSmall = s.compare(Compare::Le, s.abs(x), s.number(limit));
    return s.select(isSmall, s.number(0), x);
  });
}

static void lowerSoftShrink(Lowering &op) {
  double limit = op.real("lambd", 0.5);
  lowerReal(op, [&](Scalars &s, Value x) {
    Value high = s.number(limit), low = s.number(-limit);
    // NaN stays.
    Value inner = s.mul(x, s.number(0));
    Value below =
        s.select(s.compare(Compare::Lt, x, low), s.add(x, high), inner);
    return s.select(s.compare(Compare::Gt, x, high), s.sub(x, high), below);
  });
}

/// The mean slope, which is what is used outside of training.
static void lowerRandomizedRelu(Lowering &op) {
  if (op.flag("training", false)) {
    (void)op.error("training is not supported: call eval() on the module "
                   "before the export");
    return;
  }
  double slope = (op.real("lower", 0.125) + op.real("upper", 1.0 / 3)) / 2;
  lowerReal(op, [&](Scalars &s, Value x) {
    Value positive = s.compare(Compare::Ge, x, s.number(0));
    return s.select(positive, x, s.mul(x, s.number(slope)));
  });
}

/// One half of a dimension, times the sigmoid of the other.
static void lowerGlu(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank(), -1);
  Expr size = in.sizes[dim], two = op.literal(2);
  op.checkEqual(op.exprs.mod(size, two), op.literal(0),
                Twine(op.target) + ": the halved dimension must be even");
  Expr half = op.state.simplify(op.exprs.floorDiv(size, two));
  Tensor values = op.slice(in, dim, op.literal(0), half);
  Tensor gates = op.slice(in, dim, half, half);
  Dtype compute = getComputeDtype(in.dtype);
  op.result(op.map(
      {values, gates}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        Value exp = math::ExpOp::create(s.b, s.loc, s.neg(args[1]));
        return s.divFloat(args[0], s.add(s.number(1), exp));
      },
      values.sizes, op.resultDtype()));
}

template <bool isPositive>
static void lowerIsInfinity(Lowering &op) {
  Tensor in = op.tensor("self");
  op.result(op.map({in}, in.dtype, Dtype::Bool,
                   [](Scalars &s, ArrayRef<Value> args) -> Value {
                     // No integer is infinite.
                     if (!s.isFloat())
                       return s.isNan(args[0]);
                     return s.compare(Compare::Eq, args[0],
                                      isPositive ? s.highest() : s.lowest());
                   }));
}

static void lowerIsReal(Lowering &op) {
  op.result(op.fill(op.tensor("self").sizes, Dtype::Bool, 1.0));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

template <BinaryFn fn>
static void lowerRealPair(Lowering &op) {
  lowerBinary(op, op.operand("self"), op.operand("other"), fn,
              /*toFloat=*/true);
}
template <BinaryFn fn>
static void lowerSamePair(Lowering &op) {
  lowerBinary(op, op.operand("self"), op.operand("other"), fn);
}

/// x times a logarithm, which 0 makes 0 but for a NaN in `y`.
static Value buildTimesLog(Scalars &s, Value x, Value y, Value log) {
  Value isZero = s.compare(Compare::Eq, x, s.number(0));
  Value product = s.select(isZero, s.number(0), s.mul(x, log));
  return s.select(s.isNan(y), y, product);
}
static Value buildXLogY(Scalars &s, Value x, Value y) {
  return buildTimesLog(s, x, y, buildLog(s, y));
}
static Value buildXLog1PY(Scalars &s, Value x, Value y) {
  return buildTimesLog(s, x, y, math::Log1pOp::create(s.b, s.loc, y));
}
static Value buildLogAddExp(Scalars &s, Value x, Value y) {
  Value gap = math::ExpOp::create(s.b, s.loc, s.neg(s.abs(s.sub(x, y))));
  Value sum = s.add(s.max(x, y), math::Log1pOp::create(s.b, s.loc, gap));
  // Equal infinities have no distance.
  Value isEqual = s.compare(Compare::Eq, x, y);
  return s.select(isEqual, s.add(x, s.number(M_LN2)), sum);
}
static Value buildLogAddExp2(Scalars &s, Value x, Value y) {
  Value gap = math::Exp2Op::create(s.b, s.loc, s.neg(s.abs(s.sub(x, y))));
  Value log = math::Log1pOp::create(s.b, s.loc, gap);
  Value sum = s.add(s.max(x, y), s.mul(log, s.number(M_LOG2E)));
  Value isEqual = s.compare(Compare::Eq, x, y);
  return s.select(isEqual, s.add(x, s.number(1)), sum);
}
static Value buildHeaviside(Scalars &s, Value x, Value y) {
  // Of NaN it is 0.
  Value zero = s.integer(0);
  Value step = s.select(s.compare(Compare::Gt, x, zero), s.integer(1), zero);
  return s.select(s.compare(Compare::Eq, x, zero), y, step);
}
static Value buildLdexp(Scalars &s, Value x, Value y) {
  return s.mul(x, s.pow(s.number(2), y));
}
static Value buildCopySign(Scalars &s, Value x, Value y) {
  return math::CopySignOp::create(s.b, s.loc, x, y);
}

/// Euclid's algorithm, on magnitudes, in PyTorch's order: with the smallest
/// integer, whose magnitude is itself, the order tells the sign.
static Value buildGcd(Scalars &s, Value x, Value y) {
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{x.getType(), x.getType()},
      ValueRange{s.abs(x), s.abs(y)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars inner(b, loc, s.dtype);
        Value go = inner.compare(Compare::Ne, args[0], inner.integer(0));
        scf::ConditionOp::create(b, loc, go, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value rest =
            s.dtype == Dtype::U8
                ? arith::RemUIOp::create(b, loc, args[1], args[0]).getResult()
                : arith::RemSIOp::create(b, loc, args[1], args[0]);
        scf::YieldOp::create(b, loc, ValueRange{rest, args[0]});
      });
  return loop.getResult(1);
}
static Value buildLcm(Scalars &s, Value x, Value y) {
  Value gcd = buildGcd(s, x, y);
  Value isZero = s.compare(Compare::Eq, gcd, s.integer(0));
  // C++ computes with what is narrower than an int as with ints.
  bool isNarrow =
      s.dtype == Dtype::I8 || s.dtype == Dtype::U8 || s.dtype == Dtype::I16;
  Scalars wide(s.b, s.loc, isNarrow ? Dtype::I32 : s.dtype);
  auto widen = [&](Value value) { return s.castTo(wide.dtype, value); };
  Value part = wide.divTrunc(widen(x), widen(gcd));
  Value product = wide.abs(wide.mul(part, widen(y)));
  return s.select(isZero, s.integer(0), wide.castTo(s.dtype, product));
}

static void lowerHeaviside(Lowering &op) {
  SmallVector<Operand> operands{op.tensor("self"), op.tensor("values")};
  Dtype compute = promote(operands);
  op.result(op.map(
      operands, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        return buildHeaviside(s, args[0], args[1]);
      },
      std::nullopt, op.resultDtype()));
}

//===----------------------------------------------------------------------===//
// Bits of floats
//===----------------------------------------------------------------------===//

static Value castBits(const Scalars &s, Dtype to, Value x) {
  Type type = getElementType(to, s.b.getContext());
  return arith::BitcastOp::create(s.b, s.loc, type, x);
}

/// The float next to x in the direction of y: numbers of one sign are in the
/// order of their bits.
static Value buildNextAfter(Scalars &s, Value x, Value y) {
  unsigned width = 8 * getByteWidth(s.dtype);
  Dtype integers = width == 64   ? Dtype::I64
                   : width == 32 ? Dtype::I32
                                 : Dtype::I16;
  Scalars bits(s.b, s.loc, integers);
  Scalars wide(s.b, s.loc, width == 64 ? Dtype::F64 : Dtype::F32);
  auto toBits = [&](Value value) { return castBits(s, integers, value); };
  Value a = s.castTo(wide.dtype, x), b = s.castTo(wide.dtype, y);
  Value zero = wide.number(0), one = bits.integer(1);
  Value isUp = wide.compare(Compare::Lt, a, b);
  Value grows = s.select(wide.compare(Compare::Gt, a, zero), isUp,
                         wide.compare(Compare::Gt, a, b));
  Value number = toBits(x);
  Value next = s.select(grows, bits.add(number, one), bits.sub(number, one));
  // From 0, the smallest number.
  Value least = s.select(isUp, one, bits.bitOr(bits.lowest(), one));
  next = s.select(wide.compare(Compare::Eq, a, zero), least, next);
  next = s.select(wide.compare(Compare::Eq, a, b), toBits(y), next);
  next = s.select(wide.isNan(a), number, next);
  return castBits(s, s.dtype, s.select(wide.isNan(b), toBits(y), next));
}

static void lowerNextAfter(Lowering &op) {
  SmallVector<Operand> operands{op.tensor("self"), op.tensor("other")};
  Dtype type = getResultType(operands);
  op.result(op.map(operands, type, type, [](Scalars &s, ArrayRef<Value> args) {
    return buildNextAfter(s, args[0], args[1]);
  }));
}

/// x = mantissa * 2^exponent, where the mantissa is in [1/2, 1), computed in
/// f64, where a smaller type has no subnormal numbers.
static void lowerMantissa(Lowering &op) {
  constexpr int64_t exponents = int64_t(0x7ff) << 52, half = int64_t(1022);
  Tensor in = op.tensor("self");
  // Another factor for what is subnormal, and what is no number of the kind.
  auto scale = [](Scalars &s, Value x) {
    Value isSmall = s.compare(Compare::Lt, s.abs(x), s.number(0x1p-1022));
    return std::pair(isSmall, s.select(isSmall, s.mul(x, s.number(0x1p54)), x));
  };
  auto hasNone = [](Scalars &s, Value x) {
    Value isOutside = s.bitOr(s.compare(Compare::Eq, x, s.number(0)),
                              s.compare(Compare::Eq, s.abs(x), s.highest()));
    return s.bitOr(isOutside, s.isNan(x));
  };
  op.result(op.map(
                {in}, Dtype::F64, Dtype::F64,
                [&](Scalars &s, ArrayRef<Value> args) {
                  Scalars bits(s.b, s.loc, Dtype::I64);
                  Value scaled = scale(s, args[0]).second;
                  Value rest = bits.bitAnd(castBits(s, Dtype::I64, scaled),
                                           bits.integer(~exponents));
                  Value found =
                      castBits(s, Dtype::F64,
                               bits.bitOr(rest, bits.integer(half << 52)));
                  return s.select(hasNone(s, args[0]), args[0], found);
                },
                std::nullopt, in.dtype),
            0);
  op.result(op.map(
                {in}, Dtype::F64, Dtype::I64,
                [&](Scalars &s, ArrayRef<Value> args) {
                  Scalars bits(s.b, s.loc, Dtype::I64);
                  auto [isSmall, scaled] = scale(s, args[0]);
                  Value field = bits.shiftRight(
                      bits.bitAnd(castBits(s, Dtype::I64, scaled),
                                  bits.integer(exponents)),
                      bits.integer(52));
                  Value bias = s.select(isSmall, bits.integer(half + 54),
                                        bits.integer(half));
                  return s.select(hasNone(s, args[0]), bits.integer(0),
                                  bits.sub(field, bias));
                },
                std::nullopt, Dtype::I32),
            1);
}

static void lowerFloatPower(Lowering &op) {
  Operand x = op.operand("self"), y = op.operand("exponent");
  op.result(op.map({x, y}, Dtype::F64, Dtype::F64,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.pow(args[0], args[1]);
                   }));
}

void addSpecial(LoweringTable &table) {
  table.add("aten.sinc.default", lowerUnary<buildSinc>);
  table.add("aten.deg2rad.default", lowerUnary<buildDegToRad>);
  table.add("aten.rad2deg.default", lowerUnary<buildRadToDeg>);
  table.add("aten.entr.default", lowerUnary<buildEntropy>);
  table.add("aten.angle.default", lowerUnary<buildAngle>);
  table.add("aten.special_ndtr.default", lowerNormalCdf);
  table.add("aten.celu.default", lowerCelu);
  table.add("aten.hardshrink.default", lowerHardShrink);
  table.add("aten.softshrink.default", lowerSoftShrink);
  table.add("aten.rrelu.default", lowerRandomizedRelu);
  table.add("aten.glu.default", lowerGlu);
  table.add("aten.isposinf.default", lowerIsInfinity<true>);
  table.add("aten.isneginf.default", lowerIsInfinity<false>);
  table.add("aten.isreal.default", lowerIsReal);
  for (StringRef overload : {"Tensor", "Scalar_Self", "Scalar_Other",
                             "self_scalar", "other_scalar", "default"}) {
    table.add(("aten.xlogy." + overload).str(), lowerRealPair<buildXLogY>);
    table.add(("aten.special_xlog1py." + overload).str(),
              lowerRealPair<buildXLog1PY>);
  }
  table.add("aten.logaddexp.default", lowerRealPair<buildLogAddExp>);
  table.add("aten.logaddexp2.default", lowerRealPair<buildLogAddExp2>);
  table.add("aten.ldexp.Tensor", lowerRealPair<buildLdexp>);
  table.add("aten.copysign.Scalar", lowerRealPair<buildCopySign>);
  table.add("aten.nextafter.default", lowerNextAfter);
  table.add("aten.frexp.Tensor", lowerMantissa);
  table.add("aten.gcd.default", lowerSamePair<buildGcd>);
  table.add("aten.lcm.default", lowerSamePair<buildLcm>);
  table.add("aten.heaviside.default", lowerHeaviside);
  for (StringRef overload : {"Tensor_Tensor", "Tensor_Scalar", "Scalar"})
    table.add(("aten.float_power." + overload).str(), lowerFloatPower);
}

} // namespace tally::import_pt2
