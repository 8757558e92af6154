//===- LaneRanges.cpp - Functions that are short in a range ---------------===//

#include "LaneRanges.h"

#include "../Common/FloatBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

bool tally::codegen::hasFastRange(Operation *op) {
  bool isSine = isa<math::SinOp, math::CosOp>(op);
  if (!isSine && !isa<math::TanOp, arith::RemFOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  return type.isF32() || (isSine && type.isF64());
}

namespace {
/// Whether a lane is in the range, and what computes it there.
struct FastRange {
  Value contains;
  std::function<Value()> compute;
};
} // namespace

static FastRange findAngleRange(FloatBuilder &b, Operation *op, Value angle) {
  Value isSmall = b.compare(CmpFPredicate::OLT, b.abs(angle), kSmallAngle);
  return {isSmall, [&b, op, angle] {
            if (isa<math::TanOp>(op))
              return expandSmallTan(b, angle);
            return isa<math::SinOp>(op) ? expandSmallSin(b, angle)
                                        : expandSmallCos(b, angle);
          }};
}

/// In f64 the product of a quotient below 2^29 and the divisor is exact, and so
/// is the remainder. The quotient may be rounded to the next integer.
static FastRange findRemainderRange(FloatBuilder &single, Value dividend,
                                    Value divisor) {
  FloatBuilder b = single.withDoubles();
  Value x = single.widen(dividend), y = single.widen(divisor);
  Value quotient = b.div(x, y);
  Value isSmall = b.compare(CmpFPredicate::OLT, b.abs(quotient), 0x1p29);
  return {isSmall, [&single, b, x, y, quotient]() mutable {
            Value rest = b.sub(x, b.mul(b.trunc(quotient), y));
            Value isBeyond = b.compare(CmpFPredicate::OLT, b.mul(rest, x), 0);
            Value corrected = b.add(rest, b.copySign(b.abs(y), x));
            rest = b.select(isBeyond, corrected, rest);
            return single.narrow(b.copySign(rest, x));
          }};
}

Value tally::codegen::createByRange(OpBuilder &builder, Operation *op,
                                    ValueRange operands) {
  Location loc = op->getLoc();
  Type type = operands.front().getType();
  FloatBuilder floats(builder, loc, type);
  FastRange range = isa<arith::RemFOp>(op)
                        ? findRemainderRange(floats, operands[0], operands[1])
                        : findAngleRange(floats, op, operands[0]);
  Value containsAll = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::AND, range.contains);
  auto choice = scf::IfOp::create(builder, loc, type, containsAll,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, range.compute());
  builder.setInsertionPointToStart(choice.elseBlock());
  OperationState state(loc, op->getName(), operands, type, op->getAttrs());
  scf::YieldOp::create(builder, loc, builder.create(state)->getResults());
  return choice.getResult(0);
}
