//===- ExprLoweringFloats.cpp - Arithmetic for float expressions ----------===//
//
// Floats are f64. What Python raises an error for counts as undefined.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tally/Transforms/ExprLowering.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::ExprKind;
using symbolic::FloatFunction;
using symbolic::Interval;
using symbolic::RoundingMode;

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value ExprLowering::floatConstant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF64FloatAttr(value));
}

Value ExprLowering::compareFloats(arith::CmpFPredicate predicate, Value a,
                                  Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

/// Whether |value| is less than a limit; false for NaN.
Value ExprLowering::isBelow(Value value, double limit) {
  return compareFloats(arith::CmpFPredicate::OLT,
                       math::AbsFOp::create(builder, loc, value),
                       floatConstant(limit));
}

/// Where Python has a result: finite operands give neither NaN nor infinity,
/// and nothing but NaN gives NaN.
Value ExprLowering::isOrdinary(Value result, ArrayRef<Value> operands) {
  Value isFinite, hasNaN;
  for (Value operand : operands) {
    isFinite = conjunction(
        isFinite, isBelow(operand, std::numeric_limits<double>::infinity()));
    Value isNaN = compareFloats(arith::CmpFPredicate::UNO, operand, operand);
    hasNaN = hasNaN ? arith::OrIOp::create(builder, loc, hasNaN, isNaN) : isNaN;
  }
  Value isNumber = arith::OrIOp::create(
      builder, loc, hasNaN,
      compareFloats(arith::CmpFPredicate::ORD, result, result));
  return conjunction(
      isNumber,
      implication(isFinite,
                  isBelow(result, std::numeric_limits<double>::infinity())));
}

/// The number as a float where that is exact, as comparisons and divisions
/// need it; undefined for other integers.
ExprLowering::Built ExprLowering::buildExactFloat(Expr expr) {
  Built result = buildFloat(expr);
  constexpr int64_t limit = int64_t(1) << 53;
  if (expr.isInt() && !isProvenIn(expr, Interval::of(-limit, limit)))
    result.defined = conjunction(
        result.defined, isBelow(result.value, static_cast<double>(limit)));
  return result;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A float that is rounded to an integer; what does not fit 64 bits counts as
/// undefined.
ExprLowering::Built ExprLowering::buildRounding(Expr expr, Type type) {
  Built a = buildFloat(expr.getOperand(0));
  Value rounded = a.value;
  if (expr.getRounding() == RoundingMode::Down)
    rounded = math::FloorOp::create(builder, loc, rounded);
  else if (expr.getRounding() == RoundingMode::Up)
    rounded = math::CeilOp::create(builder, loc, rounded);
  else if (expr.getRounding() == RoundingMode::NearestEven)
    rounded = math::RoundEvenOp::create(builder, loc, rounded);
  Value fits = isBelow(rounded, std::ldexp(1.0, 63));
  Value safe =
      arith::SelectOp::create(builder, loc, fits, rounded, floatConstant(0));
  Value integer =
      arith::FPToSIOp::create(builder, loc, builder.getI64Type(), safe);
  return {convert(integer, type), conjunction(a.defined, fits)};
}

ExprLowering::Built ExprLowering::buildFloatFunction(Expr expr) {
  Built a = buildFloat(expr.getOperand(0));
  auto create = [&](auto tag) -> Value {
    return decltype(tag)::create(builder, loc, a.value);
  };
  auto apply = [&]() -> Value {
    switch (expr.getFloatFunction()) {
    case FloatFunction::Abs:
      return create(math::AbsFOp());
    case FloatFunction::Sqrt:
      return create(math::SqrtOp());
    case FloatFunction::Exp:
      return create(math::ExpOp());
    case FloatFunction::Log:
      return create(math::LogOp());
    case FloatFunction::Log2:
      return create(math::Log2Op());
    case FloatFunction::Sin:
      return create(math::SinOp());
    case FloatFunction::Cos:
      return create(math::CosOp());
    case FloatFunction::Tan:
      return create(math::TanOp());
    case FloatFunction::Asin:
      return create(math::AsinOp());
    case FloatFunction::Acos:
      return create(math::AcosOp());
    case FloatFunction::Atan:
      return create(math::AtanOp());
    case FloatFunction::Sinh:
      return create(math::SinhOp());
    case FloatFunction::Cosh:
      return create(math::CoshOp());
    case FloatFunction::Tanh:
      return create(math::TanhOp());
    case FloatFunction::Asinh:
      return create(math::AsinhOp());
    }
    llvm_unreachable("unknown function");
  };
  Value result = apply();
  if (expr.getFloatFunction() == FloatFunction::Abs)
    return {result, a.defined};
  return {result, conjunction(a.defined, isOrdinary(result, a.value))};
}

/// Python's min or max: the first of those that none goes beyond.
ExprLowering::Built ExprLowering::buildFloatExtremum(Expr expr) {
  auto predicate = expr.getKind() == ExprKind::FloatMin
                       ? arith::CmpFPredicate::OLT
                       : arith::CmpFPredicate::OGT;
  Built result = buildFloat(expr.getOperand(0));
  for (Expr operand : expr.getOperands().drop_front()) {
    Built next = buildFloat(operand);
    Value isBetter = compareFloats(predicate, next.value, result.value);
    result.value = arith::SelectOp::create(builder, loc, isBetter, next.value,
                                           result.value);
    result.defined = conjunction(result.defined, next.defined);
  }
  return result;
}

ExprLowering::Built ExprLowering::buildFloatDivision(Expr expr) {
  bool areInts = expr.getOperand(0).isInt();
  auto build = [&](Expr operand) {
    return areInts ? buildExactFloat(operand) : buildFloat(operand);
  };
  Built a = build(expr.getOperand(0)), b = build(expr.getOperand(1));
  Value isNonzero =
      compareFloats(arith::CmpFPredicate::UNE, b.value, floatConstant(0));
  return {arith::DivFOp::create(builder, loc, a.value, b.value),
          conjunction(conjunction(a.defined, b.defined), isNonzero)};
}

/// An integer, rounded to the nearest float.
ExprLowering::Built ExprLowering::buildConversion(Expr expr) {
  Built a = buildInt(expr, getIntType({expr}));
  Value value = a.value;
  if (value.getType().isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  return {arith::SIToFPOp::create(builder, loc, builder.getF64Type(), value),
          a.defined};
}

ExprLowering::Built ExprLowering::buildFloat(Expr expr) {
  if (!expr.isFloat())
    return buildConversion(expr);
  auto key = std::make_pair(expr, Type(builder.getF64Type()));
  if (auto it = built.find(key); it != built.end())
    return it->second;
  Built result = buildFloatNode(expr);
  built[key] = result;
  return result;
}

ExprLowering::Built ExprLowering::buildFloatNode(Expr expr) {
  auto binary = [&](auto tag) -> Built {
    Built a = buildFloat(expr.getOperand(0)),
          b = buildFloat(expr.getOperand(1));
    return {decltype(tag)::create(builder, loc, a.value, b.value),
            conjunction(a.defined, b.defined)};
  };
  switch (expr.getKind()) {
  case ExprKind::FloatConstant:
    return {floatConstant(expr.getFloat()), {}};
  case ExprKind::Symbol: {
    Value value = valueOf(expr);
    if (!value.getType().isF64())
      value = arith::ExtFOp::create(builder, loc, builder.getF64Type(), value);
    return {value, {}};
  }
  case ExprKind::ToFloat:
    return buildConversion(expr.getOperand(0));
  case ExprKind::FloatAdd:
    return binary(arith::AddFOp());
  case ExprKind::FloatSub:
    return binary(arith::SubFOp());
  case ExprKind::FloatMul:
    return binary(arith::MulFOp());
  case ExprKind::FloatPow: {
    Built a = buildFloat(expr.getOperand(0)),
          b = buildFloat(expr.getOperand(1));
    Value power = math::PowFOp::create(builder, loc, a.value, b.value);
    return {power, conjunction(conjunction(a.defined, b.defined),
                               isOrdinary(power, {a.value, b.value}))};
  }
  case ExprKind::TrueDiv:
    return buildFloatDivision(expr);
  case ExprKind::FloatNeg: {
    Built a = buildFloat(expr.getOperand(0));
    return {arith::NegFOp::create(builder, loc, a.value), a.defined};
  }
  case ExprKind::FloatMin:
  case ExprKind::FloatMax:
    return buildFloatExtremum(expr);
  case ExprKind::FloatUnary:
    return buildFloatFunction(expr);
  case ExprKind::Select:
    return buildSelect(expr, builder.getF64Type());
  default:
    llvm_unreachable("not a float expression that findUnsupported lets pass");
  }
}
