//===- Binary.cpp - Arithmetic of two or three operands -------------------===//
//
//===----------------------------------------------------------------------===//

#include "../Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
using Binary = Value (*)(Scalars &s, Value x, Value y);
} // namespace

/// Computes `fn` in the type that both operands are promoted to, or in floats.
static void lowerBinary(Lowering &op, Operand x, Operand y, Binary fn,
                        bool toFloat = false) {
  Dtype type = getResultType({x, y});
  if (toFloat)
    type = getFloatDtype(type);
  Dtype compute = getComputeDtype(type);
  op.result(op.map(
      {x, y}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0], args[1]); },
      std::nullopt, op.resultDtype()));
}

template <Binary fn>
static void lower(Lowering &op) {
  lowerBinary(op, op.operand("self"), op.operand("other"), fn);
}
/// x &= y and the like: their names do not end like those of other updates.
template <Binary fn>
static void lowerInPlace(Lowering &op) {
  op.updated = "self";
  lowerBinary(op, op.operand("self"), op.operand("other"), fn);
}
template <Binary fn>
static void lowerInFloat(Lowering &op) {
  lowerBinary(op, op.operand("self"), op.operand("other"), fn,
              /*toFloat=*/true);
}

static Value buildAdd(Scalars &s, Value x, Value y) { return s.add(x, y); }
static Value buildSub(Scalars &s, Value x, Value y) { return s.sub(x, y); }
static Value buildMul(Scalars &s, Value x, Value y) { return s.mul(x, y); }
static Value buildDiv(Scalars &s, Value x, Value y) { return s.divFloat(x, y); }
static Value buildDivFloor(Scalars &s, Value x, Value y) {
  return s.divFloor(x, y);
}
static Value buildDivTrunc(Scalars &s, Value x, Value y) {
  return s.divTrunc(x, y);
}
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
static Value buildAtan2(Scalars &s, Value x, Value y) {
  return math::Atan2Op::create(s.b, s.loc, x, y);
}
static Value buildCopySign(Scalars &s, Value x, Value y) {
  return math::CopySignOp::create(s.b, s.loc, x, y);
}
static Value buildHypot(Scalars &s, Value x, Value y) {
  return math::SqrtOp::create(s.b, s.loc, s.add(s.mul(x, x), s.mul(y, y)));
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

/// True for the literal one, integer or float.
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
  Dtype compute = getComputeDtype(getResultType({x, y}));
  op.result(op.map(
      {x, y, alpha}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value scaled = s.mul(args[1], args[2]);
        return isSubtraction ? s.sub(args[0], scaled) : s.add(args[0], scaled);
      },
      std::nullopt, op.resultDtype()));
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
    lowerBinary(op, x, y, buildMul);
}

//===----------------------------------------------------------------------===//
// Division and powers
//===----------------------------------------------------------------------===//

/// Demands that no integer divisor is zero: PyTorch raises an error.
static void checkDivisor(Lowering &op, const Operand &x, const Operand &y) {
  if (isFloating(getResultType({x, y})))
    return;
  if (y.number) {
    op.check(op.exprs.ne(y.number, op.literal(0)),
             Twine(op.target) + ": division by zero");
    return;
  }
  Value ok = op.all(*y.tensor, [](Scalars &s, ArrayRef<Value> args) {
    return s.compare(Compare::Ne, args[0], s.integer(0));
  });
  op.checkData(ok, Twine(op.target) + ": division by zero");
}

template <Binary fn>
static void lowerDivision(Lowering &op) {
  Operand x = op.operand("self"), y = op.operand("other");
  checkDivisor(op, x, y);
  lowerBinary(op, x, y, fn);
}

static void lowerDivMode(Lowering &op) {
  StringRef mode = op.string("rounding_mode");
  if (mode == "floor")
    return lowerDivision<buildDivFloor>(op);
  if (mode == "trunc")
    return lowerDivision<buildDivTrunc>(op);
  lowerInFloat<buildDiv>(op);
}

static void lowerPow(Lowering &op) {
  Operand base = op.operand("self"), exponent = op.operand("exponent");
  Expr number = exponent.number;
  bool isSquare =
      number && ((number.isInt() && number.isConstant(2)) ||
                 (number.isFloat() &&
                  number.getKind() == symbolic::ExprKind::FloatConstant &&
                  number.getFloat() == 2));
  if (isSquare) {
    // What PyTorch does too, so that the result is the same to the last bit.
    lowerBinary(op, base, exponent,
                [](Scalars &s, Value x, Value) { return s.mul(x, x); });
    return;
  }
  if (number && number.isInt() && !isFloating(getResultType({base, exponent})))
    op.check(op.exprs.ge(number, op.literal(0)),
             Twine(op.target) + ": integers to negative integer powers are not "
                                "allowed");
  lowerBinary(op, base, exponent, buildPow);
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

static void lowerClampWith(Lowering &op, std::optional<Operand> low,
                           std::optional<Operand> high) {
  Tensor in = op.tensor("self");
  SmallVector<Operand> operands{in};
  if (low)
    operands.push_back(*low);
  if (high)
    operands.push_back(*high);
  Dtype compute = getComputeDtype(getResultType(operands));
  op.result(op.map(
      operands, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value x = args[0];
        if (low)
          x = s.max(x, args[1]);
        if (high)
          x = s.min(x, args[low ? 2 : 1]);
        return x;
      },
      std::nullopt, op.resultDtype()));
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
static void lowerHardtanh(Lowering &op) {
  lowerClampWith(op, Operand(op.number("min_val", -1)),
                 Operand(op.number("max_val", 1)));
}

/// self + value * a * b, or a / b.
static void lowerAddc(Lowering &op, bool isDivision) {
  Operand x = op.tensor("self"), a = op.tensor("tensor1");
  Operand c = op.tensor("tensor2");
  Expr value = op.number("value", 1);
  Dtype type = getResultType({x, a, c});
  if (isDivision)
    type = getFloatDtype(type);
  Dtype compute = getComputeDtype(type);
  op.result(op.map(
      {x, a, c, value}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value scaled = s.mul(args[3], args[1]);
        Value part =
            isDivision ? s.divFloat(scaled, args[2]) : s.mul(scaled, args[2]);
        return s.add(args[0], part);
      },
      std::nullopt, op.resultDtype()));
}
static void lowerAddcmul(Lowering &op) { lowerAddc(op, false); }
static void lowerAddcdiv(Lowering &op) { lowerAddc(op, true); }

static void lowerLerp(Lowering &op) {
  Operand x = op.tensor("self"), y = op.tensor("end");
  Operand weight = op.operand("weight");
  Dtype compute = getComputeDtype(getResultType({x, y}));
  op.result(op.map(
      {x, y, weight}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        // Exact at both ends.
        Value span = s.sub(args[1], args[0]);
        Value low = s.add(args[0], s.mul(args[2], span));
        Value rest = s.sub(s.number(1), args[2]);
        Value high = s.sub(args[1], s.mul(span, rest));
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
  Dtype type = op.resultDtype();
  op.result(op.map({condition, x, y}, type, type,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.select(args[0], args[1], args[2]);
                   }));
}

static void lowerMaskedFill(Lowering &op) {
  Operand self = op.tensor("self");
  Operand mask = op.convert(op.tensor("mask"), Dtype::Bool);
  mask.isRaw = true;
  Operand value = op.operand("value");
  Dtype type = self.dtype;
  op.result(op.map({mask, self, value}, type, type,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.select(args[0], args[2], args[1]);
                   }));
}

static void lowerPrelu(Lowering &op) {
  Tensor in = op.tensor("self"), weight = op.tensor("weight");
  if (weight.rank() == 1 && in.rank() > 1 && !weight.sizes[0].isConstant(1)) {
    Sizes sizes(in.rank(), op.literal(1));
    sizes[1] = weight.sizes[0];
    weight = op.reshape(weight, sizes);
  }
  Dtype compute = getComputeDtype(in.dtype);
  op.result(op.map(
      {in, weight}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) {
        Value positive = s.compare(Compare::Gt, args[0], s.number(0));
        return s.select(positive, args[0], s.mul(args[0], args[1]));
      },
      in.sizes, op.resultDtype()));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void addDivisions(LoweringTable &table) {
  for (StringRef overload : {"Tensor", "Scalar"}) {
    auto add = [&](StringRef name, LowerFn fn) {
      table.add(("aten." + name + "." + overload).str(), fn);
    };
    add("div", lowerInFloat<buildDiv>);
    add("divide", lowerInFloat<buildDiv>);
    add("true_divide", lowerInFloat<buildDiv>);
    add("floor_divide", lowerDivision<buildDivFloor>);
    add("remainder", lowerDivision<buildRemainder>);
    add("fmod", lowerDivision<buildFmod>);
  }
  table.add("aten.floor_divide.default", lowerDivision<buildDivFloor>);
  table.add("aten.div.Tensor_mode", lowerDivMode);
  table.add("aten.div.Scalar_mode", lowerDivMode);
  table.add("aten.remainder.Scalar_Tensor", lowerDivision<buildRemainder>);
  for (StringRef overload : {"Tensor_Tensor", "Tensor_Scalar", "Scalar"})
    table.add(("aten.pow." + overload).str(), lowerPow);
}

void addBinary(LoweringTable &table) {
  addDivisions(table);
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
    add("bitwise_and", lower<buildBitAnd>);
    add("bitwise_or", lower<buildBitOr>);
    add("bitwise_xor", lower<buildBitXor>);
    add("__and__", lower<buildBitAnd>);
    add("__or__", lower<buildBitOr>);
    add("__xor__", lower<buildBitXor>);
    add("__lshift__", lower<buildShiftLeft>);
    add("__rshift__", lower<buildShiftRight>);
    add("__iand__", lowerInPlace<buildBitAnd>);
    add("__ior__", lowerInPlace<buildBitOr>);
    add("__ixor__", lowerInPlace<buildBitXor>);
    add("__ilshift__", lowerInPlace<buildShiftLeft>);
    add("__irshift__", lowerInPlace<buildShiftRight>);
  }
  table.add("aten.bitwise_and.Scalar_Tensor", lower<buildBitAnd>);
  table.add("aten.bitwise_or.Scalar_Tensor", lower<buildBitOr>);
  table.add("aten.bitwise_xor.Scalar_Tensor", lower<buildBitXor>);
  for (StringRef overload : {"Tensor", "Tensor_Scalar", "Scalar_Tensor"}) {
    table.add(("aten.bitwise_left_shift." + overload).str(),
              lower<buildShiftLeft>);
    table.add(("aten.bitwise_right_shift." + overload).str(),
              lower<buildShiftRight>);
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

  table.add("aten.clamp.default", lowerClamp);
  table.add("aten.clamp.Tensor", lowerClamp);
  table.add("aten.clip.default", lowerClamp);
  table.add("aten.clamp_min.default", lowerClampMin);
  table.add("aten.clamp_min.Tensor", lowerClampMin);
  table.add("aten.clamp_max.default", lowerClampMax);
  table.add("aten.clamp_max.Tensor", lowerClampMax);
  table.add("aten.hardtanh.default", lowerHardtanh);
  table.add("aten.addcmul.default", lowerAddcmul);
  table.add("aten.addcdiv.default", lowerAddcdiv);
  table.add("aten.lerp.Scalar", lowerLerp);
  table.add("aten.lerp.Tensor", lowerLerp);
  table.add("aten.where.self", lowerWhere);
  table.add("aten.where.ScalarSelf", lowerWhere);
  table.add("aten.where.ScalarOther", lowerWhere);
  table.add("aten.where.Scalar", lowerWhere);
  table.add("aten.masked_fill.Scalar", lowerMaskedFill);
  table.add("aten.masked_fill.Tensor", lowerMaskedFill);
  table.add("aten.prelu.default", lowerPrelu);
}

} // namespace tally::import_pt2
