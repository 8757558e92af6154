//===- LaneRanges.cpp - Functions that are short in a range ---------------===//

#include "LaneRanges.h"

#include "../Common/FloatBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

bool tally::codegen::hasFastRange(Operation *op) {
  if (!isa<math::SinOp, math::CosOp, math::TanOp, arith::RemFOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  return type.isF32() || type.isF64();
}

namespace {
/// Whether a lane is in the range, and what computes it there.
struct FastRange {
  Value contains;
  std::function<Value()> compute;
};
} // namespace

static FastRange findAngleRange(FloatBuilder &b, Value angle, float bound,
                                Value (*expand)(FloatBuilder &, Value)) {
  return {b.compare(CmpFPredicate::OLT, b.abs(angle), bound),
          [&b, angle, expand] { return expand(b, angle); }};
}

/// Whether a quotient is below a bound, and its divisor finite: the product of
/// no quotient and an infinite one is none.
static Value hasSmallQuotient(FloatBuilder &b, Value quotient, Value divisor,
                              double bound) {
  return b.combine<arith::AndIOp>(
      b.compare(CmpFPredicate::OLT, b.abs(quotient), bound),
      b.compare(CmpFPredicate::OLT, b.abs(divisor), FloatBuilder::kInfinity));
}

/// The divisor is cut into parts whose products with a quotient below 2^25 are
/// exact. As that is the nearest integer, so are the differences.
static FastRange findDoubleRemainderRange(FloatBuilder &b, Value x, Value y) {
  Value quotient = b.div(x, y);
  return {hasSmallQuotient(b, quotient, y, 0x1p25), [&b, x, y, quotient] {
            Value nearest = b.roundQuotient(quotient, 1).first;
            Value most = b.cut(y), less = b.sub(y, most);
            Value rest = b.sub(x, b.mul(nearest, most));
            rest = b.sub(rest, b.mul(nearest, less));
            Value directed = b.mul(rest, b.copySign(b.constant(1), x));
            Value isBeyond = b.compare(CmpFPredicate::OLT, directed, 0);
            Value corrected = b.add(directed, b.abs(y));
            return b.copySign(b.select(isBeyond, corrected, directed), x);
          }};
}

/// In f64 the product of a quotient below 2^29 and the divisor is exact, and so
/// is the remainder. The quotient may be rounded to the next integer.
static FastRange findRemainderRange(FloatBuilder &single, Value dividend,
                                    Value divisor) {
  if (single.hasDoubles())
    return findDoubleRemainderRange(single, dividend, divisor);
  FloatBuilder b = single.withDoubles();
  Value x = single.widen(dividend), y = single.widen(divisor);
  Value quotient = b.div(x, y);
  Value isSmall = hasSmallQuotient(b, quotient, y, 0x1p29);
  return {isSmall, [&single, b, x, y, quotient]() mutable {
            Value rest = b.sub(x, b.mul(b.trunc(quotient), y));
            Value isBeyond = b.compare(CmpFPredicate::OLT, b.mul(rest, x), 0);
            Value corrected = b.add(rest, b.copySign(b.abs(y), x));
            rest = b.select(isBeyond, corrected, rest);
            return single.narrow(b.copySign(rest, x));
          }};
}

/// The ranges of an operation, the shortest first.
static SmallVector<FastRange, 2> findRanges(FloatBuilder &b, Operation *op,
                                            ValueRange operands) {
  Value x = operands[0];
  if (isa<arith::RemFOp>(op))
    return {findRemainderRange(b, x, operands[1])};
  if (!isa<math::TanOp>(op) && isHalfAngle(x))
    return {};
  auto [near, small] =
      isa<math::TanOp>(op)   ? std::make_pair(expandNearTan, expandSmallTan)
      : isa<math::CosOp>(op) ? std::make_pair(expandNearCos, expandSmallCos)
                             : std::make_pair(expandNearSin, expandSmallSin);
  SmallVector<FastRange, 2> ranges;
  if (!b.hasDoubles())
    ranges.push_back(findAngleRange(b, x, kNearAngle, near));
  ranges.push_back(findAngleRange(b, x, kSmallAngle, small));
  return ranges;
}

Value tally::codegen::createByRange(OpBuilder &builder, Operation *op,
                                    ValueRange operands) {
  Location loc = op->getLoc();
  Type type = operands.front().getType();
  FloatBuilder floats(builder, loc, type);
  OpBuilder::InsertionGuard guard(builder);
  Value result;
  auto yield = [&](Value value) {
    if (result)
      scf::YieldOp::create(builder, loc, value);
    else
      result = value;
  };
  for (FastRange &range : findRanges(floats, op, operands)) {
    Value containsAll = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::AND, range.contains);
    auto choice = scf::IfOp::create(builder, loc, type, containsAll,
                                    /*withElseRegion=*/true);
    yield(choice.getResult(0));
    builder.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(builder, loc, range.compute());
    builder.setInsertionPointToStart(choice.elseBlock());
  }
  OperationState state(loc, op->getName(), operands, type, op->getAttrs());
  yield(builder.create(state)->getResult(0));
  return result;
}
