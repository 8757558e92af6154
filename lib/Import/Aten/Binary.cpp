//===- Binary.cpp - Arithmetic of two or three operands -------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

void lowerBinary(Lowering &op, Operand x, Operand y, BinaryFn fn, bool toFloat,
                 bool exceptScalars) {
  SmallVector<Operand> operands{x, y};
  Dtype compute = promote(operands, exceptScalars);
  Dtype type = getResultType(operands);
  if (toFloat) {
    compute = getFloatDtype(compute);
    type = getFloatDtype(type);
  }
  op.result(op.map(
      operands, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0], args[1]); },
      std::nullopt, op.resultDtype(0, type)));
}

template <BinaryFn fn>
static void lower(Lowering &op) {
  lowerBinary(op, op.operand("self"), op.operand("other"), fn);
}
/// An operator on bits.
template <BinaryFn fn>
static void lowerBits(Lowering &op) {
  Operand x = op.operand("self"), y = op.operand("other");
  if (isFloating(getResultType({x, y}))) {
    (void)op.error("the operands must be integers or booleans");
    return;
  }
  lowerBinary(op, x, y, fn);
}
/// x &= y and the like: their names do not end like those of other updates.
template <BinaryFn fn>
static void lowerBitsInPlace(Lowering &op) {
  op.updated = "self";
  lowerBits<fn>(op);
}
template <BinaryFn fn, bool exceptScalars = false>
static void lowerInFloat(Lowering &op) {
  lowerBinary(op, op.operand("self"), op.operand("other"), fn,
              /*toFloat=*/true, exceptScalars);
}

static Value buildAdd(Scalars &s, Value x, Value y) { return s.add(x, y); }
static Value buildSub(Scalars &s, Value x, Value y) { return s.sub(x, y); }
static Value buildMul(Scalars &s, Value x, Value y) { return s.mul(x, y); }
static Value buildDiv(Scalars &s, Value x, Value y) { return s.divFloat(x, y); }
static Value buildRemainder(Scalars &s, Value x, Value y) {
  return s.remainder(x, y);
}
static Value buildFmod(Scalars &s, Value x, Value y) { return s.fmod(x, y); }
static Value buildMax(Scalars &s, Value x, Value y) { return s.max(x, y); }
static Value buildMin(Scalars &s, Value x, Value y) { return s.min(x, y); }
static Value buildFmax(Scalars &s, Value x, Value y) {
  return s.isFloat() ? Value(arith::MaxNumFOp::create(s.b, s.loc, x, y))
                     : s.max(x, y);
}
static Value buildFmin(Scalars &s, Value x, Value y) {
  return s.isFloat() ? Value(arith::MinNumFOp::create(s.b, s.loc, x, y))
                     : s.min(x, y);
}
static Value buildPow(Scalars &s, Value x, Value y) { return s.pow(x, y); }
static Value buildSqrt(Scalars &s, Value x, Value) {
  return math::SqrtOp::create(s.b, s.loc, x);
}
static Value buildRsqrt(Scalars &s, Value x, Value) {
  return math::RsqrtOp::create(s.b, s.loc, x);
}
static Value buildAtan2(Scalars &s, Value x, Value y) {
  return math::Atan2Op::create(s.b, s.loc, x, y);
}
static Value buildCopySign(Scalars &s, Value x, Value y) {
  return math::CopySignOp::create(s.b, s.loc, x, y);
}
/// Squares of what is left when the larger one is a factor neither overflow nor
/// vanish. What is infinite wins over NaN.
Value buildHypot(Scalars &s, Value x, Value y) {
  x = s.abs(x);
  y = s.abs(y);
  Value large = s.max(x, y), small = s.min(x, y);
  Value ratio = s.divFloat(small, large);
  Value root =
      math::SqrtOp::create(s.b, s.loc, s.add(s.number(1), s.mul(ratio, ratio)));
  Value infinity = s.highest();
  Value isInfinite =
      arith::OrIOp::create(s.b, s.loc, s.compare(Compare::Eq, x, infinity),
                           s.compare(Compare::Eq, y, infinity));
  Value isZero = s.compare(Compare::Eq, large, s.number(0));
  Value result = s.select(isZero, large, s.mul(large, root));
  return s.select(isInfinite, infinity, result);
}
static Value buildBitAnd(Scalars &s, Value x, Value y) {
  return s.bitAnd(x, y);
}
static Value buildBitOr(Scalars &s, Value x, Value y) { return s.bitOr(x, y); }
static Value buildBitXor(Scalars &s, Value x, Value y) {
  return s.bitXor(x, y);
}
static Value buildShiftLeft(Scalars &s, Value x, Value y) {
  return s.shiftLeft(x, y);
}
static Value buildShiftRight(Scalars &s, Value x, Value y) {
  return s.shiftRight(x, y);
}

//===----------------------------------------------------------------------===//
// Addition with a factor
//===----------------------------------------------------------------------===//

/// Returns true for the literal one, integer or float.
static bool isOne(Expr expr) {
  if (expr.isInt())
    return expr.isConstant(1);
  return expr.getKind() == symbolic::ExprKind::FloatConstant &&
         expr.getFloat() == 1;
}

/// The named linalg op does where both tensors are there as they are needed.
template <typename LinalgOp>
static bool lowerNamed(Lowering &op, const Operand &x, const Operand &y) {
  if (!x.tensor || !y.tensor || x.tensor->sizes != y.tensor->sizes ||
      x.dtype != y.dtype || x.dtype != op.resultDtype() || isHalf(x.dtype) ||
      x.dtype == Dtype::Bool || x.tensor->rank() == 0)
    return false;
  Value init = op.empty(x.tensor->sizes, x.dtype);
  Value value = LinalgOp::create(op.b, op.loc, TypeRange{init.getType()},
                                 ValueRange{x.tensor->value, y.tensor->value},
                                 ValueRange{init})
                    .getResult(0);
  op.result(op.make(value, x.dtype, x.tensor->sizes));
  return true;
}

/// x + alpha * y, or x - alpha * y.
static void lowerSum(Lowering &op, Operand x, Operand y, bool isSubtraction) {
  Expr alpha = op.number("alpha", 1);
  if (isOne(alpha)) {
    bool done = isSubtraction ? lowerNamed<linalg::SubOp>(op, x, y)
                              : lowerNamed<linalg::AddOp>(op, x, y);
    if (!done)
      lowerBinary(op, x, y, isSubtraction ? buildSub : buildAdd);
    return;
  }
  SmallVector<Operand> operands{x, y};
  Dtype compute = promote(operands), type = getResultType(operands);
  operands.emplace_back(op.parameter(alpha, type), type);
  op.result(op.map(
      operands, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value factor = isSubtraction ? s.neg(args[2]) : args[2];
        return s.fma(args[1], factor, args[0]);
      },
      std::nullopt, op.resultDtype(0, type)));
}

static void lowerAdd(Lowering &op) {
  lowerSum(op, op.operand("self"), op.operand("other"), false);
}
static void lowerSub(Lowering &op) {
  lowerSum(op, op.operand("self"), op.operand("other"), true);
}
static void lowerRsub(Lowering &op) {
  lowerSum(op, op.operand("other"), op.operand("self"), true);
}
static void lowerMul(Lowering &op) {
  Operand x = op.operand("self"), y = op.operand("other");
  if (!lowerNamed<linalg::MulOp>(op, x, y))
    lowerBinary(op, x, y, buildMul, /*toFloat=*/false, /*exceptScalars=*/true);
}

//===----------------------------------------------------------------------===//
// Division and powers
//===----------------------------------------------------------------------===//

/// Preconditions that no integer is divided by zero: PyTorch raises an error.
static void checkDivisor(Lowering &op, const Operand &x, const Operand &y) {
  if (isFloating(getResultType({x, y})))
    return;
  // Where the divisor is repeated it may be repeated for no elements.
  Sizes sizes = op.broadcastSizes({x, y});
  SmallVector<Expr> repeated;
  int64_t rank = y.tensor ? y.tensor->rank() : 0;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t dim = int64_t(i) - (int64_t(sizes.size()) - rank);
    if (dim < 0 || y.tensor->isOne(dim) || y.tensor->mayBeOne(dim))
      repeated.push_back(op.exprs.eq(size, op.literal(0)));
  }
  Expr isEmpty = op.exprs.logicalOr(repeated);
  std::string message = op.target.str() + ": division by zero";
  if (y.expr) {
    Expr isNonzero =
        y.expr.isBool() ? y.expr : op.exprs.ne(y.expr, op.literal(0));
    return op.check(op.exprs.logicalOr(isNonzero, isEmpty), message);
  }
  Value ok = op.all(*y.tensor, [](Scalars &s, ArrayRef<Value> args) {
    return s.compare(Compare::Ne, args[0], s.integer(0));
  });
  isEmpty = op.state.simplify(isEmpty);
  if (!isEmpty.isFalse())
    ok =
        arith::OrIOp::create(op.b, op.loc, ok, op.scalar(isEmpty, Dtype::Bool));
  op.checkData(ok, message);
}

template <BinaryFn fn, bool exceptScalars = false>
static void lowerDivision(Lowering &op) {
  Operand x = op.operand("self"), y = op.operand("other");
  checkDivisor(op, x, y);
  lowerBinary(op, x, y, fn, /*toFloat=*/false, exceptScalars);
}

/// A quotient that is rounded to an integer. PyTorch rounds each step to a half
/// where the type is one, but not where it divides by one number.
template <Value (Scalars::*divide)(Value, Value, Dtype) const>
static void lowerRoundedDivision(Lowering &op) {
  Operand x = op.operand("self"), y = op.operand("other");
  checkDivisor(op, x, y);
  SmallVector<Operand> operands{x, y};
  Dtype compute = promote(operands, /*exceptScalars=*/true);
  Dtype type = getResultType(operands);
  Expr isScalar = op.exprs.trueExpr();
  if (isHalf(type) && y.tensor)
    isScalar =
        op.state.simplify(op.exprs.eq(op.numel(*y.tensor), op.literal(1)));
  Value isExact = isScalar.isTrue() || isScalar.isFalse()
                      ? Value()
                      : op.scalar(isScalar, Dtype::Bool);
  op.result(op.map(
      operands, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        auto divideIn = [&](Dtype step) {
          return (s.*divide)(args[0], args[1], step);
        };
        if (isExact)
          return s.select(isExact, divideIn(compute), divideIn(type));
        return divideIn(isScalar.isTrue() ? compute : type);
      },
      std::nullopt, op.resultDtype(0, type)));
}

static void lowerDivMode(Lowering &op) {
  StringRef mode = op.string("rounding_mode");
  if (mode == "floor")
    return lowerRoundedDivision<&Scalars::divFloor>(op);
  if (mode == "trunc")
    return lowerRoundedDivision<&Scalars::divTrunc>(op);
  lowerInFloat<buildDiv, /*exceptScalars=*/true>(op);
}

/// The number that an exponent is, if that is written out.
static std::optional<double> getExponent(Expr number) {
  if (number && number.getKind() == symbolic::ExprKind::FloatConstant)
    return number.getFloat();
  if (!number || !number.isInt() || !number.isConstant())
    return std::nullopt;
  std::optional<int64_t> integer = number.getInt64();
  return integer ? std::optional(double(*integer)) : std::nullopt;
}

static Value buildSquare(Scalars &s, Value x, Value) { return s.mul(x, x); }
static Value buildCube(Scalars &s, Value x, Value) {
  return s.mul(s.mul(x, x), x);
}
static Value buildReciprocal(Scalars &s, Value x, Value) {
  return s.divFloat(s.number(1), x);
}
static Value buildSquareReciprocal(Scalars &s, Value x, Value) {
  return s.divFloat(s.number(1), s.mul(x, x));
}

/// The operation that PyTorch computes in place of a power; null if there is
/// none. A root has no infinite value at minus infinity, and keeps the sign of
/// zero.
static BinaryFn findOtherThanPower(double exponent, Dtype type) {
  if (exponent == 2)
    return buildSquare;
  if (exponent == 3)
    return buildCube;
  if (!isFloating(type))
    return nullptr;
  if (exponent == -1)
    return buildReciprocal;
  if (exponent == -2)
    return buildSquareReciprocal;
  if (std::abs(exponent) == 0.5 && type != Dtype::F16)
    return exponent > 0 ? buildSqrt : buildRsqrt;
  return nullptr;
}

static void lowerPow(Lowering &op) {
  Operand base = op.operand("self"), exponent = op.operand("exponent");
  Expr number = exponent.expr;
  Dtype type = getResultType({base, exponent});
  if (std::optional<double> written = getExponent(number))
    if (BinaryFn fn = findOtherThanPower(*written, type))
      return lowerBinary(op, base, exponent, fn);
  if (number && number.isInt() && !isFloating(type))
    op.check(op.exprs.ge(number, op.literal(0)),
             Twine(op.target) + ": integers to negative integer powers are not "
                                "allowed");
  if (number && (!isFloating(type) || isHalf(type)))
    exponent = Operand(op.parameter(exponent, type), type);
  lowerBinary(op, base, exponent, buildPow);
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

/// Limits that are numbers are converted to the type of the computation, which
/// is that of the result type of all operands if none is given.
static void lowerClampWith(Lowering &op, std::optional<Operand> low,
                           std::optional<Operand> high,
                           Dtype type = Dtype::Undefined) {
  Tensor in = op.tensor("self");
  SmallVector<Operand> operands{in};
  if (low)
    operands.push_back(*low);
  if (high)
    operands.push_back(*high);
  if (type == Dtype::Undefined)
    type = getResultType(operands);
  // A zero is the limit's where that is a tensor, as in PyTorch's vectors.
  bool hasTensors = (low && low->tensor) || (high && high->tensor);
  for (Operand &operand : operands)
    if (!operand.tensor)
      operand = Operand(op.parameter(operand, type), type);
  roundTo(type, operands);
  Dtype compute = getComputeDtype(type);
  op.result(op.map(
      operands, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value x = args[0];
        if (low)
          x = s.atLeast(x, args[1], hasTensors);
        if (high)
          x = s.atMost(x, args[low ? 2 : 1], hasTensors);
        return x;
      },
      std::nullopt, op.resultDtype(0, type)));
}

static void lowerClamp(Lowering &op) {
  std::optional<Operand> low, high;
  if (op.has("min"))
    low = op.operand("min");
  if (op.has("max"))
    high = op.operand("max");
  lowerClampWith(op, low, high);
}
static void lowerClampMin(Lowering &op) {
  lowerClampWith(op, op.operand("min"), std::nullopt);
}
static void lowerClampMax(Lowering &op) {
  lowerClampWith(op, std::nullopt, op.operand("max"));
}
/// Stays in the type of the tensor, whatever the limits are.
static void lowerHardtanh(Lowering &op) {
  Expr low = op.number("min_val", -1), high = op.number("max_val", 1);
  Dtype type = op.tensor("self").dtype;
  if (type == Dtype::U8)
    for (Expr limit : {low, high})
      op.check(limit.isFloat() ? op.exprs.ge(limit, op.exprs.floatConstant(0))
                               : op.exprs.ge(limit, op.literal(0)),
               Twine(op.target) + ": an unsigned type has no negative limits");
  lowerClampWith(op, Operand(low), Operand(high), type);
}

/// self + value * a * b, or a / b.
static void lowerAddc(Lowering &op, bool isDivision) {
  SmallVector<Operand> operands{op.tensor("self"), op.tensor("tensor1"),
                                op.tensor("tensor2")};
  Dtype compute = promote(operands);
  if (isDivision)
    compute = getFloatDtype(compute);
  // The factor is a parameter in the type of the computation, never a half.
  operands.emplace_back(op.parameter(op.number("value", 1), compute), compute);
  op.result(op.map(
      operands, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value scaled = s.mul(args[3], args[1]);
        return isDivision ? s.add(args[0], s.divFloat(scaled, args[2]))
                          : s.fma(scaled, args[2], args[0]);
      },
      std::nullopt, op.resultDtype()));
}
static void lowerAddcmul(Lowering &op) { lowerAddc(op, false); }
static void lowerAddcdiv(Lowering &op) { lowerAddc(op, true); }

/// a * b + c, rounded once: what PyTorch traces the steps of optimizers in.
static void lowerFma(Lowering &op) {
  SmallVector<Operand> operands{op.operand("a"), op.operand("b"),
                                op.operand("c")};
  Dtype compute = getComputeDtype(getResultType(operands));
  for (Operand &operand : operands)
    if (!operand.tensor)
      operand = Operand(op.parameter(operand, compute), compute);
  op.result(op.map(
      operands, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.fma(args[0], args[1], args[2]);
      },
      std::nullopt, op.resultDtype()));
}

static void lowerLerp(Lowering &op) {
  Operand x = op.tensor("self"), y = op.tensor("end");
  Operand weight = op.operand("weight");
  Dtype type = getResultType({x, y}), compute = getComputeDtype(type);
  if (!weight.tensor)
    weight = Operand(op.parameter(weight, compute), compute);
  SmallVector<Operand> operands{x, y, weight};
  roundTo(type, operands, /*exceptScalars=*/!weight.tensor);
  op.result(op.map(
      operands, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        // Exact at both ends.
        Value span = s.sub(args[1], args[0]);
        Value low = s.fma(args[2], span, args[0]);
        Value rest = s.sub(args[2], s.number(1));
        Value high = s.fma(span, rest, args[1]);
        Value isLow = s.compare(Compare::Lt, s.abs(args[2]), s.number(0.5));
        return s.select(isLow, low, high);
      },
      std::nullopt, op.resultDtype()));
}

static void lowerWhere(Lowering &op) {
  Operand condition = op.convert(op.tensor("condition"), Dtype::Bool);
  condition.isRaw = true;
  Operand x = op.operand("self"), y = op.operand("other");
  // No arithmetic: elements keep their type.
  Dtype type = op.resultDtype(0, getResultType({x, y}));
  for (Operand *operand : {&x, &y})
    if (!operand->tensor && !isHalf(type))
      *operand = Operand(op.parameter(*operand, type), type);
  op.result(op.map({condition, x, y}, type, type,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.select(args[0], args[1], args[2]);
                   }));
}

static void lowerMaskedFill(Lowering &op) {
  Operand self = op.tensor("self");
  Operand mask = op.convert(op.tensor("mask"), Dtype::Bool);
  mask.isRaw = true;
  Dtype type = self.dtype;
  Operand value(op.parameter(op.operand("value"), type), type);
  op.result(op.map({mask, self, value}, type, type,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.select(args[0], args[2], args[1]);
                   }));
}

static void resultPrelu(Lowering &op, const Tensor &in, const Tensor &weight) {
  Dtype compute = getComputeDtype(in.dtype);
  op.result(op.map(
      {in, weight}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        Value positive = s.compare(Compare::Gt, args[0], s.number(0));
        return s.select(positive, args[0], s.mul(args[0], args[1]));
      },
      in.sizes, op.resultDtype()));
}

static void lowerPrelu(Lowering &op) {
  Tensor in = op.tensor("self"), weight = op.tensor("weight");
  Expr channels = in.rank() > 1 ? in.sizes[1] : op.literal(1);
  if (Expr count = op.numel(weight); !count.isConstant(1))
    op.check(op.exprs.logicalOr(op.exprs.eq(count, op.literal(1)),
                                op.exprs.eq(count, channels)),
             Twine(op.target) + ": one weight is needed, or one per channel");
  if (weight.rank() == 1 && in.rank() > 1 && !weight.sizes[0].isConstant(1)) {
    Sizes sizes(in.rank(), op.literal(1));
    sizes[1] = weight.sizes[0];
    weight = op.reshape(weight, sizes);
  }
  if (in.rank() == 0)
    weight = op.reshape(weight, {});
  resultPrelu(op, in, weight);
}

/// The form that decompositions leave: the weight broadcasts.
static void lowerPreluKernel(Lowering &op) {
  resultPrelu(op, op.tensor("self"), op.tensor("weight"));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void addDivisions(LoweringTable &table) {
  for (StringRef overload : {"Tensor", "Scalar"}) {
    auto add = [&](StringRef name, LowerFn fn) {
      table.add(("aten." + name + "." + overload).str(), fn);
    };
    add("div", lowerInFloat<buildDiv, true>);
    add("divide", lowerInFloat<buildDiv, true>);
    add("true_divide", lowerInFloat<buildDiv, true>);
    add("floor_divide", lowerRoundedDivision<&Scalars::divFloor>);
    add("remainder", lowerDivision<buildRemainder>);
    add("fmod", lowerDivision<buildFmod>);
  }
  table.add("aten.floor_divide.default",
            lowerRoundedDivision<&Scalars::divFloor>);
  table.add("aten.div.Tensor_mode", lowerDivMode);
  table.add("aten.div.Scalar_mode", lowerDivMode);
  table.add("aten.remainder.Scalar_Tensor", lowerDivision<buildRemainder>);
  for (StringRef overload : {"Tensor_Tensor", "Tensor_Scalar", "Scalar"})
    table.add(("aten.pow." + overload).str(), lowerPow);
}

static void addBitwise(LoweringTable &table) {
  for (StringRef overload : {"Tensor", "Scalar"}) {
    auto add = [&](StringRef name, LowerFn fn) {
      table.add(("aten." + name + "." + overload).str(), fn);
    };
    add("bitwise_and", lowerBits<buildBitAnd>);
    add("bitwise_or", lowerBits<buildBitOr>);
    add("bitwise_xor", lowerBits<buildBitXor>);
    add("__and__", lowerBits<buildBitAnd>);
    add("__or__", lowerBits<buildBitOr>);
    add("__xor__", lowerBits<buildBitXor>);
    add("__lshift__", lowerBits<buildShiftLeft>);
    add("__rshift__", lowerBits<buildShiftRight>);
    add("__iand__", lowerBitsInPlace<buildBitAnd>);
    add("__ior__", lowerBitsInPlace<buildBitOr>);
    add("__ixor__", lowerBitsInPlace<buildBitXor>);
    add("__ilshift__", lowerBitsInPlace<buildShiftLeft>);
    add("__irshift__", lowerBitsInPlace<buildShiftRight>);
  }
  table.add("aten.bitwise_and.Scalar_Tensor", lowerBits<buildBitAnd>);
  table.add("aten.bitwise_or.Scalar_Tensor", lowerBits<buildBitOr>);
  table.add("aten.bitwise_xor.Scalar_Tensor", lowerBits<buildBitXor>);
  for (StringRef overload : {"Tensor", "Tensor_Scalar", "Scalar_Tensor"}) {
    table.add(("aten.bitwise_left_shift." + overload).str(),
              lowerBits<buildShiftLeft>);
    table.add(("aten.bitwise_right_shift." + overload).str(),
              lowerBits<buildShiftRight>);
  }
}

/// Operators that keep values within limits, or take one of two.
static void addChoices(LoweringTable &table) {
  table.add("aten.clamp.default", lowerClamp);
  table.add("aten.clamp.Tensor", lowerClamp);
  table.add("aten.clip.default", lowerClamp);
  table.add("aten.clamp_min.default", lowerClampMin);
  table.add("aten.clamp_min.Tensor", lowerClampMin);
  table.add("aten.clamp_max.default", lowerClampMax);
  table.add("aten.clamp_max.Tensor", lowerClampMax);
  table.add("aten.hardtanh.default", lowerHardtanh);
  table.add("aten.where.self", lowerWhere);
  table.add("aten.where.ScalarSelf", lowerWhere);
  table.add("aten.where.ScalarOther", lowerWhere);
  table.add("aten.where.Scalar", lowerWhere);
  table.add("aten.masked_fill.Scalar", lowerMaskedFill);
  table.add("aten.masked_fill.Tensor", lowerMaskedFill);
}

void addBinary(LoweringTable &table) {
  addDivisions(table);
  addBitwise(table);
  addChoices(table);
  for (StringRef overload : {"Tensor", "Scalar"}) {
    auto add = [&](StringRef name, LowerFn fn) {
      table.add(("aten." + name + "." + overload).str(), fn);
    };
    add("add", lowerAdd);
    add("sub", lowerSub);
    add("subtract", lowerSub);
    add("rsub", lowerRsub);
    add("mul", lowerMul);
    add("multiply", lowerMul);
  }
  table.add("aten.maximum.default", lower<buildMax>);
  table.add("aten.minimum.default", lower<buildMin>);
  table.add("aten.max.other", lower<buildMax>);
  table.add("aten.min.other", lower<buildMin>);
  table.add("aten.fmax.default", lower<buildFmax>);
  table.add("aten.fmin.default", lower<buildFmin>);
  table.add("aten.atan2.default", lowerInFloat<buildAtan2>);
  table.add("aten.copysign.Tensor", lowerInFloat<buildCopySign>);
  table.add("aten.hypot.default", lower<buildHypot>);
  table.add("aten.addcmul.default", lowerAddcmul);
  table.add("aten.addcdiv.default", lowerAddcdiv);
  table.add("prims.fma.default", lowerFma);
  table.add("aten.lerp.Scalar", lowerLerp);
  table.add("aten.lerp.Tensor", lowerLerp);
  table.add("aten.prelu.default", lowerPrelu);
  table.add("aten._prelu_kernel.default", lowerPreluKernel);
}

} // namespace tally::import_pt2
