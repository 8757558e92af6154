//===- HardenArith.cpp - Total arithmetic, strict rounding ----------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_HARDENARITH
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-harden-arith"

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
  LDBG() << tally::codegen::describeLastPart(op)
         << ": the divisor is not known to be harmless: asserted not to be 0"
         << (isSigned(op) ? ", replaced where it is -1" : "");
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = divisor.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) -> Value {
    APInt bits(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, bits));
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

/// Rounds a division of more than 64 bits down or up by its remainder; returns
/// the division that truncates. Upstream's expansion makes a -1 of them that
/// has 64 bits.
static Operation *expandWideDivision(Operation *op) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto isNegative = [&](Value value) -> Value {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value,
                                 zero);
  };
  Value quotient = arith::DivSIOp::create(builder, loc, dividend, divisor);
  Value product = arith::MulIOp::create(builder, loc, quotient, divisor);
  Value rest = arith::SubIOp::create(builder, loc, dividend, product);
  Value isInexact = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, product, dividend);
  bool isFloor = isa<arith::FloorDivSIOp>(op);
  Value isOff = arith::CmpIOp::create(builder, loc,
                                      isFloor ? arith::CmpIPredicate::ne
                                              : arith::CmpIPredicate::eq,
                                      isNegative(rest), isNegative(divisor));
  Value differs = arith::AndIOp::create(builder, loc, isInexact, isOff);
  Value step =
      isFloor
          ? arith::ExtSIOp::create(builder, loc, quotient.getType(), differs)
                .getResult()
          : arith::ExtUIOp::create(builder, loc, quotient.getType(), differs)
                .getResult();
  op->getResult(0).replaceAllUsesWith(
      arith::AddIOp::create(builder, loc, quotient, step));
  op->erase();
  return quotient.getDefiningOp();
}

/// Replaces a division of `index` by the one of `arith` that does the same.
template <typename IndexOp, typename ArithOp>
static void replaceDivision(Operation *&op) {
  auto division = dyn_cast<IndexOp>(op);
  if (!division)
    return;
  OpBuilder builder(op);
  auto replacement = ArithOp::create(builder, op->getLoc(), division.getLhs(),
                                     division.getRhs());
  op->replaceAllUsesWith(replacement);
  op->erase();
  op = replacement;
}

static void replaceIndexDivision(Operation *&op) {
  replaceDivision<index::DivSOp, arith::DivSIOp>(op);
  replaceDivision<index::DivUOp, arith::DivUIOp>(op);
  replaceDivision<index::CeilDivSOp, arith::CeilDivSIOp>(op);
  replaceDivision<index::CeilDivUOp, arith::CeilDivUIOp>(op);
  replaceDivision<index::FloorDivSOp, arith::FloorDivSIOp>(op);
  replaceDivision<index::RemSOp, arith::RemSIOp>(op);
  replaceDivision<index::RemUOp, arith::RemUIOp>(op);
}

/// Clears `contract` on a conversion between floats.
template <typename ConversionOp>
static void roundStrictly(ConversionOp op) {
  if (std::optional<arith::FastMathFlags> flags = op.getFastmath())
    op.setFastmath(arith::bitEnumClear(*flags, arith::FastMathFlags::contract));
}

void tally::hardenArith(Operation *root, bool divisions) {
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
            index::DivSOp, index::DivUOp, index::CeilDivSOp, index::CeilDivUOp,
            index::FloorDivSOp, index::RemSOp, index::RemUOp>(op))
      found.push_back(op);
    else if (auto extension = dyn_cast<arith::ExtFOp>(op))
      roundStrictly(extension);
    else if (auto truncation = dyn_cast<arith::TruncFOp>(op))
      roundStrictly(truncation);
  });
  if (!divisions)
    return;
  for (Operation *op : found) {
    replaceIndexDivision(op);
    bool isWide = op->getResult(0).getType().isInteger() &&
                  op->getResult(0).getType().getIntOrFloatBitWidth() > 64;
    if (isWide && isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      op = expandWideDivision(op);
    hardenDivision(op);
  }
}

namespace {
struct HardenArithPass : tally::impl::HardenArithBase<HardenArithPass> {
  using HardenArithBase::HardenArithBase;

  void runOnOperation() override {
    tally::hardenArith(getOperation(), divisions);
  }
};

} // namespace
