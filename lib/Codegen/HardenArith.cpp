//===- HardenArith.cpp - Total arithmetic, strict rounding ----------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Passes.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tally {
#define GEN_PASS_DEF_HARDENARITH
#include "tally/Codegen/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Returns whether `op` divides with a sign.
static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp>(op);
}

/// Returns whether dividing by `divisor` cannot trap: it is a constant, or at
/// least 1 as it is computed.
static bool isHarmless(Value divisor) {
  APInt value;
  if (auto atLeast = divisor.getDefiningOp<arith::MaxSIOp>())
    return matchPattern(atLeast.getRhs(), m_ConstantInt(&value)) &&
           value.isStrictlyPositive();
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() &&
         !value.isAllOnes();
}

/// Asserts that the divisor is not 0 and takes -1 out of the division.
static void hardenDivision(Operation *op) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  if (!divisor.getType().isIntOrIndex() || isHarmless(divisor))
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = divisor.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  Value zero = constant(0);
  Value nonzero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        divisor, zero);
  tally::AssertOp::create(builder, loc, nonzero, "integer division by zero");
  if (!isSigned(op))
    return;
  // x / -1 is -x, x rem -1 is 0; the machine divides by 1 instead.
  Value isMinusOne = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, divisor, constant(-1));
  op->setOperand(1, arith::SelectOp::create(builder, loc, isMinusOne,
                                            constant(1), divisor));
  builder.setInsertionPointAfter(op);
  Value other = zero;
  if (!isa<arith::RemSIOp>(op))
    other = arith::SubIOp::create(builder, loc, zero, dividend);
  auto select = arith::SelectOp::create(builder, loc, isMinusOne, other,
                                        op->getResult(0));
  op->getResult(0).replaceAllUsesExcept(select, select);
}

/// Clears `contract` on a conversion between floats.
template <typename ConversionOp>
static void roundStrictly(ConversionOp op) {
  if (std::optional<arith::FastMathFlags> flags = op.getFastmath())
    op.setFastmath(arith::bitEnumClear(*flags, arith::FastMathFlags::contract));
}

namespace {

struct HardenArithPass : public tally::impl::HardenArithBase<HardenArithPass> {
  using HardenArithBase::HardenArithBase;

  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
        found.push_back(op);
      else if (auto extension = dyn_cast<arith::ExtFOp>(op))
        roundStrictly(extension);
      else if (auto truncation = dyn_cast<arith::TruncFOp>(op))
        roundStrictly(truncation);
    });
    if (!divisions)
      return;
    for (Operation *op : found)
      hardenDivision(op);
  }
};

} // namespace
