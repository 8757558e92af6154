//===- ArithFloats.cpp - Floats of arith ----------------------------------===//
//
// Every result is the exact one, rounded once to the type of the operation:
// fast-math flags allow more and are not used.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

using Scalars = ArrayRef<Scalar>;
using Computed = FailureOr<Scalar>;

static constexpr APFloat::roundingMode kNearest = APFloat::rmNearestTiesToEven;

/// An operand as a float of its type.
static APFloat getOperand(Operation *op, Scalars s, unsigned index) {
  return s[index].getFloat(
      getElementTypeOrSelf(op->getOperand(index).getType()));
}

static mlir::Type getResultType(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType());
}

template <APFloat::opStatus (APFloat::*compute)(const APFloat &,
                                                APFloat::roundingMode)>
static Computed roundOnce(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  (result.*compute)(getOperand(op, s, 1), kNearest);
  return Scalar(result);
}

static Computed remainder(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  result.mod(getOperand(op, s, 1));
  return Scalar(result);
}

static Computed negate(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  result.changeSign();
  return Scalar(result);
}

template <APFloat (*choose)(const APFloat &, const APFloat &)>
static Computed chooseF(Operation *op, Scalars s, Execution &) {
  return Scalar(choose(getOperand(op, s, 0), getOperand(op, s, 1)));
}

/// maxnum and minnum: the other operand where one is NaN.
template <APFloat (*choose)(const APFloat &, const APFloat &)>
static Computed chooseNumber(Operation *op, Scalars s, Execution &) {
  APFloat a = getOperand(op, s, 0), b = getOperand(op, s, 1);
  if (a.isNaN() || b.isNaN())
    return Scalar(a.isNaN() ? b : a);
  return Scalar(choose(a, b));
}

static Computed compareF(Operation *op, Scalars s, Execution &) {
  return Scalar::ofBool(
      arith::applyCmpPredicate(cast<arith::CmpFOp>(op).getPredicate(),
                               getOperand(op, s, 0), getOperand(op, s, 1)));
}

static Computed fma(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  result.fusedMultiplyAdd(getOperand(op, s, 1), getOperand(op, s, 2), kNearest);
  return Scalar(result);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Computed convert(Operation *op, Scalars s, APFloat::roundingMode mode) {
  APFloat result = getOperand(op, s, 0);
  bool losesInfo = false;
  result.convert(cast<FloatType>(getResultType(op)).getFloatSemantics(), mode,
                 &losesInfo);
  return Scalar(result);
}

static Computed extendF(Operation *op, Scalars s, Execution &) {
  return convert(op, s, kNearest);
}

static Computed truncateF(Operation *op, Scalars s, Execution &execution) {
  std::optional<arith::RoundingMode> mode =
      cast<arith::TruncFOp>(op).getRoundingmode();
  if (!mode)
    return convert(op, s, kNearest);
  switch (*mode) {
  case arith::RoundingMode::to_nearest_even:
    return convert(op, s, kNearest);
  case arith::RoundingMode::downward:
    return convert(op, s, APFloat::rmTowardNegative);
  case arith::RoundingMode::upward:
    return convert(op, s, APFloat::rmTowardPositive);
  case arith::RoundingMode::toward_zero:
    return convert(op, s, APFloat::rmTowardZero);
  case arith::RoundingMode::to_nearest_away:
    return convert(op, s, APFloat::rmNearestTiesToAway);
  }
  llvm_unreachable("the verifier knows the rounding modes");
}

template <bool isSigned>
static Computed fromInteger(Operation *op, Scalars s, Execution &) {
  APFloat result(cast<FloatType>(getResultType(op)).getFloatSemantics());
  result.convertFromAPInt(s[0].getBits(), isSigned, kNearest);
  return Scalar(result);
}

template <bool isSigned>
static Computed toInteger(Operation *op, Scalars s, Execution &execution) {
  APSInt result(getResultType(op).getIntOrFloatBitWidth(), !isSigned);
  bool isExact = false;
  if (getOperand(op, s, 0).convertToInteger(result, APFloat::rmTowardZero,
                                            &isExact) == APFloat::opInvalidOp)
    return execution.makePoison(op, "the integer does not fit its type");
  return Scalar(APInt(result));
}

//===----------------------------------------------------------------------===//
// The exact functions of math
//===----------------------------------------------------------------------===//

template <RoundingMode mode>
static Computed roundF(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  result.roundToIntegral(mode);
  return Scalar(result);
}

static Computed absF(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  result.clearSign();
  return Scalar(result);
}

static Computed copySign(Operation *op, Scalars s, Execution &) {
  APFloat result = getOperand(op, s, 0);
  result.copySign(getOperand(op, s, 1));
  return Scalar(result);
}

template <bool (APFloat::*test)() const>
static Computed testF(Operation *op, Scalars s, Execution &) {
  return Scalar::ofBool((getOperand(op, s, 0).*test)());
}

/// max(min(x, upper), lower) of maxnum and minnum.
static Computed clampF(Operation *op, Scalars s, Execution &) {
  APFloat value = getOperand(op, s, 0), lower = getOperand(op, s, 1),
          upper = getOperand(op, s, 2);
  if (value < lower)
    return Scalar(lower);
  return Scalar(value > upper ? upper : value);
}

void tally::interpreter::registerArithFloats(HandlerTable &table) {
  addElementwise<arith::AddFOp>(table, roundOnce<&APFloat::add>);
  addElementwise<arith::SubFOp>(table, roundOnce<&APFloat::subtract>);
  addElementwise<arith::MulFOp>(table, roundOnce<&APFloat::multiply>);
  addElementwise<arith::DivFOp>(table, roundOnce<&APFloat::divide>);
  addElementwise<arith::RemFOp>(table, remainder);
  addElementwise<arith::NegFOp>(table, negate);
  addElementwise<arith::MaximumFOp>(table, chooseF<llvm::maximum>);
  addElementwise<arith::MinimumFOp>(table, chooseF<llvm::minimum>);
  addElementwise<arith::MaxNumFOp>(table, chooseNumber<llvm::maximum>);
  addElementwise<arith::MinNumFOp>(table, chooseNumber<llvm::minimum>);
  addElementwise<arith::CmpFOp>(table, compareF);
  addElementwise<arith::ExtFOp>(table, extendF);
  addElementwise<arith::TruncFOp>(table, truncateF);
  addElementwise<arith::SIToFPOp>(table, fromInteger<true>);
  addElementwise<arith::UIToFPOp>(table, fromInteger<false>);
  addElementwise<arith::FPToSIOp>(table, toInteger<true>);
  addElementwise<arith::FPToUIOp>(table, toInteger<false>);
  addElementwise<math::FmaOp>(table, fma);
  addElementwise<math::AbsFOp>(table, absF);
  addElementwise<math::CopySignOp>(table, copySign);
  addElementwise<math::CeilOp>(table, roundF<RoundingMode::TowardPositive>);
  addElementwise<math::FloorOp>(table, roundF<RoundingMode::TowardNegative>);
  addElementwise<math::TruncOp>(table, roundF<RoundingMode::TowardZero>);
  addElementwise<math::RoundOp>(table, roundF<RoundingMode::NearestTiesToAway>);
  addElementwise<math::RoundEvenOp>(table,
                                    roundF<RoundingMode::NearestTiesToEven>);
  addElementwise<math::ClampFOp>(table, clampF);
  addElementwise<math::IsFiniteOp>(table, testF<&APFloat::isFinite>);
  addElementwise<math::IsInfOp>(table, testF<&APFloat::isInfinity>);
  addElementwise<math::IsNaNOp>(table, testF<&APFloat::isNaN>);
  addElementwise<math::IsNormalOp>(table, testF<&APFloat::isNormal>);
}
