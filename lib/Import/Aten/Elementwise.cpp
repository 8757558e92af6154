//===- Elementwise.cpp - Functions of one tensor, element by element ------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
using Unary = Value (*)(Scalars &s, Value x);
} // namespace

/// A function that stays in the type of its operand.
template <Unary fn>
static void lowerSame(Lowering &op) {
  Tensor in = op.tensor("self");
  op.result(op.map(
      {in}, getComputeDtype(in.dtype), getComputeDtype(in.dtype),
      [](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); },
      std::nullopt, op.resultDtype(0, in.dtype)));
}

/// A function of real numbers: integers become floats first.
template <Unary fn>
static void lowerFloat(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype type = getFloatDtype(in.dtype), compute = getComputeDtype(type);
  op.result(op.map(
      {in}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); },
      std::nullopt, op.resultDtype(0, type)));
}

/// A function of floats that leaves integers alone.
template <Unary fn>
static void lowerRounding(Lowering &op) {
  Tensor in = op.tensor("self");
  if (!isFloating(in.dtype))
    return op.result(in);
  lowerSame<fn>(op);
}

/// A question about each element.
template <Unary fn>
static void lowerPredicate(Lowering &op) {
  Tensor in = op.tensor("self");
  op.result(
      op.map({in}, getComputeDtype(in.dtype), Dtype::Bool,
             [](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); }));
}

/// Adapters from operations to functions.
template <typename Op>
static Value apply(Scalars &s, Value x) {
  return Op::create(s.b, s.loc, x);
}

//===----------------------------------------------------------------------===//
// Scalar functions
//===----------------------------------------------------------------------===//

static Value buildNeg(Scalars &s, Value x) { return s.neg(x); }
static Value buildAbs(Scalars &s, Value x) { return s.abs(x); }
static Value buildSquare(Scalars &s, Value x) { return s.mul(x, x); }
static Value buildReciprocal(Scalars &s, Value x) {
  return s.divFloat(s.number(1), x);
}
Value buildSigmoid(Scalars &s, Value x) {
  Value exp = math::ExpOp::create(s.b, s.loc, s.neg(x));
  return s.divFloat(s.number(1), s.add(s.number(1), exp));
}
static Value buildSilu(Scalars &s, Value x) {
  Value exp = math::ExpOp::create(s.b, s.loc, s.neg(x));
  return s.divFloat(x, s.add(s.number(1), exp));
}
static Value buildRelu(Scalars &s, Value x) {
  // NaN and -0 stay.
  return s.atLeast(x, s.integer(0));
}
static Value buildSoftplusOf(Scalars &s, Value x) {
  return math::Log1pOp::create(s.b, s.loc, math::ExpOp::create(s.b, s.loc, x));
}
static Value buildMish(Scalars &s, Value x) {
  Value large = s.compare(Compare::Gt, x, s.number(20));
  Value soft = s.select(large, x, buildSoftplusOf(s, x));
  return s.mul(x, math::TanhOp::create(s.b, s.loc, soft));
}
static Value buildHardsigmoid(Scalars &s, Value x) {
  Value six = s.number(6), zero = s.number(0);
  Value clamped = s.min(s.max(s.add(x, s.number(3)), zero), six);
  return s.divFloat(clamped, six);
}
static Value buildHardswish(Scalars &s, Value x) {
  return s.mul(x, buildHardsigmoid(s, x));
}
static Value buildRelu6(Scalars &s, Value x) {
  return s.atMost(s.atLeast(x, s.integer(0)), s.integer(6));
}
static Value buildLogSigmoid(Scalars &s, Value x) {
  // min(x, 0) - log1p(exp(-|x|))
  Value tail = buildSoftplusOf(s, s.neg(s.abs(x)));
  return s.sub(s.min(x, s.number(0)), tail);
}
static Value buildSign(Scalars &s, Value x) {
  if (s.dtype == Dtype::Bool)
    return x;
  Value zero = s.integer(0);
  Value above = s.select(s.compare(Compare::Gt, x, zero), s.integer(1), zero);
  if (s.dtype == Dtype::U8)
    return above;
  return s.select(s.compare(Compare::Lt, x, zero), s.integer(-1), above);
}
static Value buildFrac(Scalars &s, Value x) {
  return s.sub(x, math::TruncOp::create(s.b, s.loc, x));
}
static Value buildExp2(Scalars &s, Value x) {
  return math::Exp2Op::create(s.b, s.loc, x);
}
static Value buildLogicalNot(Scalars &s, Value x) {
  return s.compare(Compare::Eq, x, s.integer(0));
}
static Value buildBitNot(Scalars &s, Value x) { return s.bitNot(x); }

static void lowerBitNot(Lowering &op) {
  if (isFloating(op.tensor("self").dtype)) {
    (void)op.error("the operand must be integers or booleans");
    return;
  }
  lowerSame<buildBitNot>(op);
}

static Value buildIsNan(Scalars &s, Value x) { return s.isNan(x); }
static Value buildIsInf(Scalars &s, Value x) {
  if (!s.isFloat())
    return s.isNan(x);
  return s.compare(Compare::Eq, s.abs(x), s.highest());
}
static Value buildIsFinite(Scalars &s, Value x) {
  if (!s.isFloat())
    return arith::ConstantOp::create(s.b, s.loc, s.b.getBoolAttr(true));
  return s.compare(Compare::Lt, s.abs(x), s.highest());
}
static Value buildSignBit(Scalars &s, Value x) {
  if (!s.isFloat())
    return s.compare(Compare::Lt, x, s.integer(0));
  // The sign of -0.0 counts.
  Value one = math::CopySignOp::create(s.b, s.loc, s.number(1), x);
  return s.compare(Compare::Lt, one, s.number(0));
}

//===----------------------------------------------------------------------===//
// Activations with parameters
//===----------------------------------------------------------------------===//

/// Computes a function of one tensor and of numbers that are known.
static void lowerWith(Lowering &op, function_ref<Value(Scalars &, Value)> fn) {
  Tensor in = op.tensor("self");
  Dtype compute = getComputeDtype(in.dtype);
  op.result(op.map(
      {in}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); },
      std::nullopt, op.resultDtype()));
}

/// Preconditions that parameters fit the type of the computation.
static void checkParameters(Lowering &op, ArrayRef<StringRef> names) {
  Dtype compute = getComputeDtype(getFloatDtype(op.tensor("self").dtype));
  for (StringRef name : names)
    if (op.has(name))
      (void)op.parameter(op.number(name), compute);
}

static void lowerGelu(Lowering &op) {
  bool isTanh = op.string("approximate", "none") == "tanh";
  lowerWith(op, [&](Scalars &s, Value x) -> Value {
    Value half = s.mul(s.number(0.5), x);
    if (!isTanh) {
      Value erf =
          math::ErfOp::create(s.b, s.loc, s.mul(x, s.number(std::sqrt(0.5))));
      return s.mul(half, s.add(s.number(1), erf));
    }
    Value cube = s.mul(s.mul(x, x), x);
    Value inner = s.mul(s.number(std::sqrt(2.0 / M_PI)),
                        s.add(x, s.mul(s.number(0.044715), cube)));
    Value tanh = math::TanhOp::create(s.b, s.loc, inner);
    return s.mul(half, s.add(s.number(1), tanh));
  });
}

static void lowerLeakyRelu(Lowering &op) {
  checkParameters(op, {"negative_slope"});
  double slope = op.real("negative_slope", 0.01);
  lowerWith(op, [&](Scalars &s, Value x) {
    Value positive = s.compare(Compare::Gt, x, s.number(0));
    return s.select(positive, x, s.mul(x, s.number(slope)));
  });
}

static void lowerElu(Lowering &op) {
  checkParameters(op, {"alpha", "scale", "input_scale"});
  double alpha = op.real("alpha", 1), scale = op.real("scale", 1);
  double inputScale = op.real("input_scale", 1);
  lowerWith(op, [&](Scalars &s, Value x) {
    Value positive = s.compare(Compare::Gt, x, s.number(0));
    Value exp =
        math::ExpM1Op::create(s.b, s.loc, s.mul(x, s.number(inputScale)));
    return s.select(positive, s.mul(x, s.number(scale)),
                    s.mul(exp, s.number(alpha * scale)));
  });
}

static void lowerSelu(Lowering &op) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  lowerWith(op, [&](Scalars &s, Value x) {
    Value positive = s.compare(Compare::Gt, x, s.number(0));
    Value exp = math::ExpM1Op::create(s.b, s.loc, x);
    return s.select(positive, s.mul(x, s.number(scale)),
                    s.mul(exp, s.number(alpha * scale)));
  });
}

static void lowerSoftplus(Lowering &op) {
  checkParameters(op, {"beta", "threshold"});
  double beta = op.real("beta", 1), threshold = op.real("threshold", 20);
  lowerWith(op, [&](Scalars &s, Value x) {
    Value scaled = s.mul(x, s.number(beta));
    Value large = s.compare(Compare::Gt, scaled, s.number(threshold));
    Value soft = s.divFloat(buildSoftplusOf(s, scaled), s.number(beta));
    return s.select(large, x, soft);
  });
}

static void lowerThreshold(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype compute = getComputeDtype(in.dtype);
  Operand threshold(op.parameter(op.number("threshold"), compute), compute);
  Operand value(op.parameter(op.number("value"), in.dtype), in.dtype);
  op.result(op.map(
      {in, threshold, value}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        Value low = s.compare(Compare::Le, args[0], args[1]);
        return s.select(low, args[2], args[0]);
      },
      std::nullopt, op.resultDtype()));
}

static void lowerLogit(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype type = getFloatDtype(in.dtype), compute = getComputeDtype(type);
  bool hasEps = op.has("eps");
  double eps = op.real("eps", 0);
  auto build = [&](Scalars &s, ArrayRef<Value> args) -> Value {
    Value x = args[0];
    if (hasEps)
      x = s.min(s.max(x, s.number(eps)), s.number(1 - eps));
    Value odds = s.divFloat(x, s.sub(s.number(1), x));
    return math::LogOp::create(s.b, s.loc, odds);
  };
  op.result(op.map({in}, compute, compute, build, std::nullopt,
                   op.resultDtype(0, type)));
}

static void lowerNanToNum(Lowering &op) {
  Tensor in = op.tensor("self");
  if (!isFloating(in.dtype))
    return op.result(in);
  // The largest finite values are those of the tensor's own type.
  double largest = in.dtype == Dtype::F16    ? 65504.0
                   : in.dtype == Dtype::BF16 ? 3.3895313892515355e38
                   : in.dtype == Dtype::F32  ? 3.4028234663852886e38
                                             : 1.7976931348623157e308;
  double nan = op.real("nan", 0), high = op.real("posinf", largest);
  double low = op.real("neginf", -largest);
  lowerWith(op, [&](Scalars &s, Value x) {
    Value isHigh = s.compare(Compare::Eq, x, s.highest());
    Value isLow = s.compare(Compare::Eq, x, s.lowest());
    Value y = s.select(isHigh, s.number(high), x);
    y = s.select(isLow, s.number(low), y);
    return s.select(s.isNan(x), s.number(nan), y);
  });
}

/// Rounds half to even, to a number of decimals.
static void lowerRoundDecimals(Lowering &op) {
  int64_t decimals = op.integer("decimals", 0);
  double power = std::pow(10.0, double(std::abs(decimals)));
  lowerWith(op, [&](Scalars &s, Value x) -> Value {
    if (!s.isFloat())
      return x;
    Value factor = s.number(power);
    Value scaled = decimals >= 0 ? s.mul(x, factor) : s.divFloat(x, factor);
    Value rounded = math::RoundEvenOp::create(s.b, s.loc, scaled);
    return decimals >= 0 ? s.divFloat(rounded, factor) : s.mul(rounded, factor);
  });
}

/// The argument itself: nothing is random when a program is not training.
static void lowerDropout(Lowering &op) {
  if (op.flag("train", false) && op.real("p", 0.5) != 0) {
    (void)op.error("dropout is not supported: call eval() on the module before "
                   "the export");
    return;
  }
  op.resultAlias(op.has("input") ? "input" : "self");
}

/// The same with what is kept: all.
static void lowerNativeDropout(Lowering &op) {
  Tensor in = op.tensor("input");
  bool trains = !op.has("train") || op.flag("train", true);
  if (trains && op.real("p", 0.5) != 0) {
    (void)op.error("dropout is not supported: call eval() on the module before "
                   "the export");
    return;
  }
  op.result(in, 0);
  op.result(op.fill(in.sizes, Dtype::Bool, 1.0), 1);
}

static void addMathFunctions(LoweringTable &table) {
  table.add("aten.native_dropout.default", lowerNativeDropout);
  table.add("aten.exp.default", lowerFloat<apply<math::ExpOp>>);
  table.add("aten.exp2.default", lowerFloat<buildExp2>);
  table.add("aten.expm1.default", lowerFloat<apply<math::ExpM1Op>>);
  table.add("aten.log.default", lowerFloat<apply<math::LogOp>>);
  table.add("aten.log2.default", lowerFloat<apply<math::Log2Op>>);
  table.add("aten.log10.default", lowerFloat<apply<math::Log10Op>>);
  table.add("aten.log1p.default", lowerFloat<apply<math::Log1pOp>>);
  table.add("aten.sqrt.default", lowerFloat<apply<math::SqrtOp>>);
  table.add("aten.rsqrt.default", lowerFloat<apply<math::RsqrtOp>>);
  table.add("aten.sin.default", lowerFloat<apply<math::SinOp>>);
  table.add("aten.cos.default", lowerFloat<apply<math::CosOp>>);
  table.add("aten.tan.default", lowerFloat<apply<math::TanOp>>);
  table.add("aten.asin.default", lowerFloat<apply<math::AsinOp>>);
  table.add("aten.acos.default", lowerFloat<apply<math::AcosOp>>);
  table.add("aten.atan.default", lowerFloat<apply<math::AtanOp>>);
  table.add("aten.sinh.default", lowerFloat<apply<math::SinhOp>>);
  table.add("aten.cosh.default", lowerFloat<apply<math::CoshOp>>);
  table.add("aten.tanh.default", lowerFloat<apply<math::TanhOp>>);
  table.add("aten.asinh.default", lowerFloat<apply<math::AsinhOp>>);
  table.add("aten.acosh.default", lowerFloat<apply<math::AcoshOp>>);
  table.add("aten.atanh.default", lowerFloat<apply<math::AtanhOp>>);
  table.add("aten.erf.default", lowerFloat<apply<math::ErfOp>>);
  table.add("aten.erfc.default", lowerFloat<apply<math::ErfcOp>>);
  table.add("aten.sigmoid.default", lowerFloat<buildSigmoid>);
  table.add("aten.reciprocal.default", lowerFloat<buildReciprocal>);
}

void addElementwise(LoweringTable &table) {
  addMathFunctions(table);
  table.add("aten.neg.default", lowerSame<buildNeg>);
  table.add("aten.negative.default", lowerSame<buildNeg>);
  table.add("aten.abs.default", lowerSame<buildAbs>);
  table.add("aten.absolute.default", lowerSame<buildAbs>);
  table.add("aten.square.default", lowerSame<buildSquare>);
  table.add("aten.sign.default", lowerSame<buildSign>);
  table.add("aten.sgn.default", lowerSame<buildSign>);
  table.add("aten.frac.default", lowerSame<buildFrac>);
  table.add("aten.floor.default", lowerRounding<apply<math::FloorOp>>);
  table.add("aten.ceil.default", lowerRounding<apply<math::CeilOp>>);
  table.add("aten.trunc.default", lowerRounding<apply<math::TruncOp>>);
  table.add("aten.fix.default", lowerRounding<apply<math::TruncOp>>);
  table.add("aten.round.default", lowerRounding<apply<math::RoundEvenOp>>);
  table.add("aten.round.decimals", lowerRoundDecimals);

  table.add("aten.relu.default", lowerSame<buildRelu>);
  table.add("aten.relu6.default", lowerSame<buildRelu6>);
  table.add("aten.silu.default", lowerSame<buildSilu>);
  table.add("aten.mish.default", lowerSame<buildMish>);
  table.add("aten.hardsigmoid.default", lowerSame<buildHardsigmoid>);
  table.add("aten.hardswish.default", lowerSame<buildHardswish>);
  table.add("aten.log_sigmoid.default", lowerSame<buildLogSigmoid>);
  table.add("aten.gelu.default", lowerGelu);
  table.add("aten.leaky_relu.default", lowerLeakyRelu);
  table.add("aten.elu.default", lowerElu);
  table.add("aten.selu.default", lowerSelu);
  table.add("aten.softplus.default", lowerSoftplus);
  table.add("aten.threshold.default", lowerThreshold);
  table.add("aten.logit.default", lowerLogit);
  table.add("aten.nan_to_num.default", lowerNanToNum);
  for (StringRef name :
       {"dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"})
    table.add(("aten." + name + ".default").str(), lowerDropout);

  table.add("aten.logical_not.default", lowerPredicate<buildLogicalNot>);
  table.add("aten.bitwise_not.default", lowerBitNot);
  table.add("aten.isnan.default", lowerPredicate<buildIsNan>);
  table.add("aten.isinf.default", lowerPredicate<buildIsInf>);
  table.add("aten.isfinite.default", lowerPredicate<buildIsFinite>);
  table.add("aten.signbit.default", lowerPredicate<buildSignBit>);
}

} // namespace tally::import_pt2
