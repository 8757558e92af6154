//===- Complex.cpp - Arithmetic of complex numbers ------------------------===//
//
//===----------------------------------------------------------------------===//

#include "FFT.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

bool isComplex(Lowering &op, StringRef name) {
  const Argument *argument = op.find(name);
  return argument && argument->isName() &&
         op.scope.graph.pairs.contains(argument->text);
}

Tensor getPart(Lowering &op, const Tensor &pairs, int64_t part) {
  int64_t last = pairs.rank() - 1;
  Tensor result;
  auto it = op.state.partsCache.find(pairs.value);
  if (it != op.state.partsCache.end() &&
      op.state.isVisible(it->second.first.value)) {
    result = part == 0 ? it->second.first : it->second.second;
  } else {
    Tensor both = op.withStaticSize(pairs, last, 2);
    result = op.squeeze(op.slice(both, last, op.literal(part), op.literal(1)),
                        {last});
  }
  result.recordedOne.clear();
  result.tracedOne.clear();
  for (int64_t dim = 0; dim < last; ++dim) {
    result.recordedOne.push_back(pairs.isOne(dim));
    result.tracedOne.push_back(pairs.mayBeOne(dim));
  }
  return result;
}

Parts getParts(Lowering &op, StringRef name) {
  Expr zero = op.exprs.floatConstant(0);
  if (isComplex(op, name)) {
    Tensor pairs = op.tensor(name, 1);
    return {getPart(op, pairs, 0), getPart(op, pairs, 1), true};
  }
  const Argument *argument = op.find(name);
  if (argument && argument->kind == Argument::Kind::Complex)
    return {op.exprs.floatConstant(argument->real),
            op.exprs.floatConstant(argument->imaginary), true};
  return {op.operand(name), zero, false};
}

Tensor buildPairs(Lowering &op, const Tensor &re, const Tensor &im) {
  int64_t rank = re.rank();
  Tensor pairs =
      op.concat({op.unsqueeze(re, rank), op.unsqueeze(im, rank)}, rank);
  op.state.partsCache[pairs.value] = {re, im};
  return pairs;
}

/// The type of the tensors among the operands.
static Dtype getOperandDtype(ArrayRef<Operand> operands) {
  Dtype dtype = Dtype::F32;
  for (const Operand &operand : operands)
    if (operand.tensor && isFloating(operand.dtype))
      dtype = promoteTypes(dtype, operand.dtype);
  return dtype;
}

Dtype getPartDtype(Lowering &op) {
  Dtype dtype = op.resultDtype();
  return isFloating(dtype) ? getComputeDtype(dtype) : Dtype::F32;
}

Tensor mapPairs(Lowering &op, ArrayRef<Operand> operands, ComplexFn body) {
  Dtype dtype = getPartDtype(op);
  Sizes sizes = op.broadcastSizes(operands);
  auto map = [&](bool isImaginary) {
    return op.map(
        operands, dtype, dtype,
        [&](Scalars &s, ArrayRef<Value> args) {
          Complex number = body(s, args);
          return isImaginary ? number.im : number.re;
        },
        sizes);
  };
  return buildPairs(op, map(false), map(true));
}

namespace {
using UnaryFn = Complex (*)(Scalars &s, Complex x);
using BinaryComplexFn = Complex (*)(Scalars &s, Complex x, Complex y);
using RealFn = Value (*)(Scalars &s, Complex x);
} // namespace

template <UnaryFn fn>
static void lowerUnary(Lowering &op) {
  Parts x = getParts(op, "self");
  op.result(mapPairs(op, {x.re, x.im}, [](Scalars &s, ArrayRef<Value> args) {
    return fn(s, {args[0], args[1]});
  }));
}

/// A float, or a boolean, of each number.
template <RealFn fn, bool isQuestion = false>
static void lowerReal(Lowering &op) {
  Parts x = getParts(op, "self");
  Dtype dtype = getOperandDtype({x.re, x.im});
  op.result(op.map({x.re, x.im}, dtype, isQuestion ? Dtype::Bool : dtype,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return fn(s, {args[0], args[1]});
                   }));
}

template <BinaryComplexFn fn>
static void resultBinary(Lowering &op, const Parts &x, const Parts &y) {
  op.result(mapPairs(op, {x.re, x.im, y.re, y.im},
                     [](Scalars &s, ArrayRef<Value> args) {
                       return fn(s, {args[0], args[1]}, {args[2], args[3]});
                     }));
}

template <BinaryComplexFn fn>
static void lowerBinaryOf(Lowering &op) {
  resultBinary<fn>(op, getParts(op, "self"), getParts(op, "other"));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

template <typename Op>
static Value apply(Scalars &s, Value x) {
  return Op::create(s.b, s.loc, x);
}
static Value buildAngle(Scalars &s, Complex x) {
  return math::Atan2Op::create(s.b, s.loc, x.im, x.re);
}
static Value buildAbs(Scalars &s, Complex x) {
  return buildHypot(s, x.re, x.im);
}
static Complex scale(Scalars &s, Complex x, Value by) {
  return {s.mul(x.re, by), s.mul(x.im, by)};
}
static Complex select(Scalars &s, Value condition, Complex x, Complex y) {
  return {s.select(condition, x.re, y.re), s.select(condition, x.im, y.im)};
}
static Complex add(Scalars &s, Complex x, Complex y) {
  return {s.add(x.re, y.re), s.add(x.im, y.im)};
}
static Complex subtract(Scalars &s, Complex x, Complex y) {
  return {s.sub(x.re, y.re), s.sub(x.im, y.im)};
}
Complex multiply(Scalars &s, Complex x, Complex y) {
  return {s.sub(s.mul(x.re, y.re), s.mul(x.im, y.im)),
          s.add(s.mul(x.re, y.im), s.mul(x.im, y.re))};
}
static Value square(Scalars &s, Complex x) {
  return s.add(s.mul(x.re, x.re), s.mul(x.im, x.im));
}
static Complex conjugate(Scalars &s, Complex x) { return {x.re, s.neg(x.im)}; }

/// Both numbers are brought to the size of the divisor, so that its square
/// neither overflows nor vanishes.
static Complex divide(Scalars &s, Complex x, Complex y) {
  Value by = s.divFloat(s.number(1), s.max(s.abs(y.re), s.abs(y.im)));
  Complex a = scale(s, x, by), b = scale(s, y, by);
  Complex top = multiply(s, a, conjugate(s, b));
  Value bottom = square(s, b);
  return {s.divFloat(top.re, bottom), s.divFloat(top.im, bottom)};
}
static Complex reciprocal(Scalars &s, Complex x) {
  Value bottom = square(s, x);
  return {s.divFloat(x.re, bottom), s.divFloat(s.neg(x.im), bottom)};
}
static Complex buildSign(Scalars &s, Complex x) {
  Value size = buildAbs(s, x), zero = s.number(0);
  return select(s, s.compare(Compare::Eq, size, zero), {zero, zero},
                {s.divFloat(x.re, size), s.divFloat(x.im, size)});
}
static Complex buildPolar(Scalars &s, Value size, Value angle) {
  return {s.mul(size, apply<math::CosOp>(s, angle)),
          s.mul(size, apply<math::SinOp>(s, angle))};
}
static Complex buildExp(Scalars &s, Complex x) {
  return buildPolar(s, apply<math::ExpOp>(s, x.re), x.im);
}

/// Near the unit circle, the distance from it tells the logarithm of the
/// absolute value.
static Complex buildLog(Scalars &s, Complex x) {
  Value re = s.abs(x.re), im = s.abs(x.im), one = s.number(1);
  Value large = s.max(re, im), small = s.min(re, im);
  Value distance =
      s.add(s.mul(s.sub(large, one), s.add(large, one)), s.mul(small, small));
  Value isNear = s.compare(Compare::Lt, s.abs(distance), s.number(0.5));
  Value near = s.mul(s.number(0.5), apply<math::Log1pOp>(s, distance));
  Value far = apply<math::LogOp>(s, buildAbs(s, x));
  return {s.select(isNear, near, far), buildAngle(s, x)};
}

/// The logarithm to another base, whose own natural one is a number.
static Complex buildLogTo(Scalars &s, Complex x, double base) {
  Complex log = buildLog(s, x);
  Value factor = s.number(1 / base);
  return {s.mul(log.re, factor), s.mul(log.im, factor)};
}
static Complex buildLog2(Scalars &s, Complex x) {
  return buildLogTo(s, x, 0.693147180559945309417);
}
static Complex buildLog10(Scalars &s, Complex x) {
  return buildLogTo(s, x, 2.302585092994045684018);
}

static Complex buildSqrt(Scalars &s, Complex x) {
  Value half = s.number(0.5), zero = s.number(0);
  Value sum = s.add(s.mul(half, s.abs(x.re)), s.mul(half, buildAbs(s, x)));
  Value root = apply<math::SqrtOp>(s, sum);
  Value isZero = s.compare(Compare::Eq, root, zero);
  Value other =
      s.select(isZero, s.abs(x.im), s.divFloat(s.mul(half, s.abs(x.im)), root));
  Value isRight = s.compare(Compare::Ge, x.re, zero);
  Value im = s.select(isRight, other, root);
  return {s.select(isRight, root, other),
          math::CopySignOp::create(s.b, s.loc, im, x.im)};
}
static Complex buildRsqrt(Scalars &s, Complex x) {
  return reciprocal(s, buildSqrt(s, x));
}
static Complex buildSinh(Scalars &s, Complex x) {
  return {s.mul(apply<math::SinhOp>(s, x.re), apply<math::CosOp>(s, x.im)),
          s.mul(apply<math::CoshOp>(s, x.re), apply<math::SinOp>(s, x.im))};
}
static Complex buildCosh(Scalars &s, Complex x) {
  return {s.mul(apply<math::CoshOp>(s, x.re), apply<math::CosOp>(s, x.im)),
          s.mul(apply<math::SinhOp>(s, x.re), apply<math::SinOp>(s, x.im))};
}
/// With t = tan(im): (tanh(re) (1 + t^2) + i t / cosh(re)^2) /
/// (1 + tanh(re)^2 t^2).
static Complex buildTanh(Scalars &s, Complex x) {
  Value one = s.number(1), tanh = apply<math::TanhOp>(s, x.re);
  Value tan = apply<math::TanOp>(s, x.im), square = s.mul(tan, tan);
  Value inverse = s.divFloat(one, apply<math::CoshOp>(s, x.re));
  Value bottom = s.add(one, s.mul(s.mul(tanh, tanh), square));
  return {s.divFloat(s.mul(tanh, s.add(one, square)), bottom),
          s.divFloat(s.mul(tan, s.mul(inverse, inverse)), bottom)};
}

/// i x, and -i x.
static Complex turn(Scalars &s, Complex x) { return {s.neg(x.im), x.re}; }
static Complex turnBack(Scalars &s, Complex x) { return {x.im, s.neg(x.re)}; }

/// A function of the circle, from that of the hyperbola.
template <UnaryFn hyperbolic>
static Complex buildCircular(Scalars &s, Complex x) {
  return turnBack(s, hyperbolic(s, turn(s, x)));
}
static Complex buildCos(Scalars &s, Complex x) {
  return buildCosh(s, turn(s, x));
}
static Complex buildSquare(Scalars &s, Complex x) { return multiply(s, x, x); }
static Complex buildSigmoidOf(Scalars &s, Complex x) {
  Complex power = buildExp(s, {s.neg(x.re), s.neg(x.im)});
  return reciprocal(s, {s.add(s.number(1), power.re), power.im});
}

/// x^y, of which 0^0 is 1 and other powers of 0 are 0.
static Complex buildPower(Scalars &s, Complex x, Complex y) {
  Value zero = s.number(0), one = s.number(1);
  auto isZero = [&](Complex number) -> Value {
    return arith::AndIOp::create(s.b, s.loc,
                                 s.compare(Compare::Eq, number.re, zero),
                                 s.compare(Compare::Eq, number.im, zero));
  };
  Complex power = buildExp(s, multiply(s, y, buildLog(s, x)));
  power = select(s, isZero(x), {zero, zero}, power);
  return select(s, isZero(y), {one, zero}, power);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// self + alpha other, or other's difference; `rsub` has them the other way
/// around.
template <BinaryComplexFn fn, bool isReversed>
static void lowerSum(Lowering &op) {
  Parts x = getParts(op, "self"), y = getParts(op, "other");
  Parts &scaled = isReversed ? x : y;
  if (op.has("alpha")) {
    Parts alpha = getParts(op, "alpha");
    bool isOne = alpha.re.expr && alpha.re.expr.isConstant() &&
                 alpha.re.expr.isInt() && alpha.re.expr.isConstant(1);
    if (!isOne) {
      Tensor product =
          mapPairs(op, {scaled.re, scaled.im, alpha.re, alpha.im},
                   [](Scalars &s, ArrayRef<Value> args) {
                     return multiply(s, {args[0], args[1]}, {args[2], args[3]});
                   });
      scaled = {getPart(op, product, 0), getPart(op, product, 1), true};
    }
  }
  if (isReversed)
    std::swap(x, y);
  resultBinary<fn>(op, x, y);
}

static void lowerPower(Lowering &op) {
  Parts x = getParts(op, "self"), y = getParts(op, "exponent");
  const Argument *exponent = op.find("exponent");
  double number = NAN;
  if (exponent && exponent->kind == Argument::Kind::Int)
    number = double(int64_t(exponent->integer));
  else if (exponent && exponent->kind == Argument::Kind::Float)
    number = exponent->real;
  auto result = [&](UnaryFn fn) {
    op.result(mapPairs(op, {x.re, x.im}, [&](Scalars &s, ArrayRef<Value> args) {
      return fn(s, {args[0], args[1]});
    }));
  };
  if (number == 0.5)
    return result(buildSqrt);
  if (number == 1)
    return result([](Scalars &, Complex x) { return x; });
  if (number == 2)
    return result(buildSquare);
  if (number == 3)
    return result([](Scalars &s, Complex x) {
      return multiply(s, multiply(s, x, x), x);
    });
  if (number == -1)
    return result(reciprocal);
  if (number == -2)
    return result(
        [](Scalars &s, Complex x) { return reciprocal(s, multiply(s, x, x)); });
  resultBinary<buildPower>(op, x, y);
}

template <bool wantsEqual>
static void lowerEqual(Lowering &op) {
  Parts x = getParts(op, "self"), y = getParts(op, "other");
  Operand operands[] = {x.re, x.im, y.re, y.im};
  op.result(op.map(operands, getOperandDtype(operands), Dtype::Bool,
                   [](Scalars &s, ArrayRef<Value> args) -> Value {
                     Compare kind = wantsEqual ? Compare::Eq : Compare::Ne;
                     Value re = s.compare(kind, args[0], args[2]);
                     Value im = s.compare(kind, args[1], args[3]);
                     if (wantsEqual)
                       return arith::AndIOp::create(s.b, s.loc, re, im);
                     return arith::OrIOp::create(s.b, s.loc, re, im);
                   }));
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static Value either(Scalars &s, Value x, Value y) {
  return arith::OrIOp::create(s.b, s.loc, x, y);
}
static Value isNan(Scalars &s, Complex x) {
  return either(s, s.isNan(x.re), s.isNan(x.im));
}
static Value isInfinite(Scalars &s, Complex x) {
  Value infinity = s.highest();
  return either(s, s.compare(Compare::Eq, s.abs(x.re), infinity),
                s.compare(Compare::Eq, s.abs(x.im), infinity));
}
static Value isFinite(Scalars &s, Complex x) {
  Value infinity = s.highest();
  return arith::AndIOp::create(s.b, s.loc,
                               s.compare(Compare::Lt, s.abs(x.re), infinity),
                               s.compare(Compare::Lt, s.abs(x.im), infinity));
}
static Value isNotZero(Scalars &s, Complex x) {
  return either(s, s.compare(Compare::Ne, x.re, s.number(0)),
                s.compare(Compare::Ne, x.im, s.number(0)));
}
static Value isZero(Scalars &s, Complex x) {
  return s.compare(Compare::Eq, isNotZero(s, x),
                   Scalars(s.b, s.loc, Dtype::Bool).integer(0));
}
static Value isReal(Scalars &s, Complex x) {
  return s.compare(Compare::Eq, x.im, s.number(0));
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Adds the overloads of an operator of two operands.
static void addBinaryOf(LoweringTable &table, StringRef name, LowerFn lower) {
  for (StringRef overload : {"Tensor", "Scalar"})
    table.add(("aten." + name + "." + overload).str(), lower);
}

static void addUnary(LoweringTable &table) {
  auto add = [&](StringRef name, LowerFn lower) {
    table.add(("aten." + name + ".default").str(), lower);
  };
  add("reciprocal", lowerUnary<reciprocal>);
  add("sgn", lowerUnary<buildSign>);
  add("exp", lowerUnary<buildExp>);
  add("log", lowerUnary<buildLog>);
  add("log2", lowerUnary<buildLog2>);
  add("log10", lowerUnary<buildLog10>);
  add("sqrt", lowerUnary<buildSqrt>);
  add("rsqrt", lowerUnary<buildRsqrt>);
  add("square", lowerUnary<buildSquare>);
  add("sigmoid", lowerUnary<buildSigmoidOf>);
  add("sinh", lowerUnary<buildSinh>);
  add("cosh", lowerUnary<buildCosh>);
  add("tanh", lowerUnary<buildTanh>);
  add("sin", lowerUnary<buildCircular<buildSinh>>);
  add("cos", lowerUnary<buildCos>);
  add("tan", lowerUnary<buildCircular<buildTanh>>);
  add("conj_physical", lowerUnary<conjugate>);
  add("abs", lowerReal<buildAbs>);
  add("angle", lowerReal<buildAngle>);
  add("isnan", lowerReal<isNan, true>);
  add("isinf", lowerReal<isInfinite, true>);
  add("isfinite", lowerReal<isFinite, true>);
  add("isreal", lowerReal<isReal, true>);
  add("logical_not", lowerReal<isZero, true>);
}

void addComplex(LoweringTable &table) {
  addUnary(table);
  addFFT(table);
  addSTFT(table);
  addComplexMatmuls(table);
  addComplexMatrices(table);
  addBinaryOf(table, "add", lowerSum<add, false>);
  addBinaryOf(table, "sub", lowerSum<subtract, false>);
  addBinaryOf(table, "subtract", lowerSum<subtract, false>);
  addBinaryOf(table, "rsub", lowerSum<subtract, true>);
  addBinaryOf(table, "mul", lowerBinaryOf<multiply>);
  addBinaryOf(table, "multiply", lowerBinaryOf<multiply>);
  addBinaryOf(table, "div", lowerBinaryOf<divide>);
  addBinaryOf(table, "true_divide", lowerBinaryOf<divide>);
  addBinaryOf(table, "eq", lowerEqual<true>);
  addBinaryOf(table, "ne", lowerEqual<false>);
  for (StringRef overload : {"Tensor_Scalar", "Tensor_Tensor", "Scalar"})
    table.add(("aten.pow." + overload).str(), lowerPower);
}

} // namespace tally::import_pt2
