//===- Extrema.cpp - The largest and the smallest float -------------------===//

#include "Extrema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::codegen;

Operation *tally::codegen::matchExtremum(linalg::GenericOp op) {
  Operation *yield = op.getBody()->getTerminator();
  if (yield->getNumOperands() != 1 || op.getNumReductionLoops() == 0)
    return nullptr;
  Operation *join = yield->getOperand(0).getDefiningOp();
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(join) ||
      join->getBlock() != op.getBody() || !accumulator.hasOneUse() ||
      !llvm::is_contained(join->getOperands(), accumulator))
    return nullptr;
  return join;
}

static Value getBits(OpBuilder &builder, Location loc, Value floats) {
  Type type = floats.getType();
  Type bits = builder.getIntegerType(
      getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  return arith::BitcastOp::create(builder, loc, bits, floats);
}

BitRange tally::codegen::createBitRange(OpBuilder &builder, Location loc,
                                        Value floats) {
  Value bits = getBits(builder, loc, floats);
  return {bits, bits, bits};
}

BitRange tally::codegen::extendBitRange(OpBuilder &builder, Location loc,
                                        const BitRange &range, Value floats) {
  Value bits = getBits(builder, loc, floats);
  return {arith::MaxSIOp::create(builder, loc, range.largest, bits),
          arith::MinSIOp::create(builder, loc, range.smallest, bits),
          arith::MaxUIOp::create(builder, loc, range.farthest, bits)};
}

BitRange tally::codegen::reduceBitRange(OpBuilder &builder, Location loc,
                                        const BitRange &lanes) {
  auto reduce = [&](vector::CombiningKind kind, Value vector) -> Value {
    return vector::ReductionOp::create(builder, loc, kind, vector);
  };
  return {reduce(vector::CombiningKind::MAXSI, lanes.largest),
          reduce(vector::CombiningKind::MINSI, lanes.smallest),
          reduce(vector::CombiningKind::MAXUI, lanes.farthest)};
}

Value tally::codegen::createExtremum(OpBuilder &builder, Location loc,
                                     const BitRange &range, FloatType type,
                                     Operation *join) {
  return createExtremum(builder, loc, range, type,
                        isa<arith::MaximumFOp>(join));
}

Value tally::codegen::createExtremum(OpBuilder &builder, Location loc,
                                     const BitRange &range, FloatType type,
                                     bool isMax) {
  using arith::CmpIPredicate;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto constant = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(range.largest.getType(),
                               value.bitcastToAPInt()));
  };
  auto compare = [&](CmpIPredicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  Value zero = constant(APFloat::getZero(semantics)), best;
  if (isMax)
    best = select(compare(CmpIPredicate::slt, range.largest, zero),
                  range.smallest, range.largest);
  else
    best = select(compare(CmpIPredicate::slt, range.smallest, zero),
                  range.farthest, range.smallest);
  // What is farther from zero than an infinity is NaN.
  Value isNaN = arith::OrIOp::create(
      builder, loc,
      compare(CmpIPredicate::sgt, range.largest,
              constant(APFloat::getInf(semantics))),
      compare(CmpIPredicate::ugt, range.farthest,
              constant(APFloat::getInf(semantics, /*Negative=*/true))));
  best = select(isNaN, constant(APFloat::getNaN(semantics)), best);
  return arith::BitcastOp::create(builder, loc, type, best);
}

//===----------------------------------------------------------------------===//
// Doubles
//===----------------------------------------------------------------------===//

DoubleRange tally::codegen::createDoubleRange(OpBuilder &builder, Location loc,
                                              int64_t lanes, Operation *join) {
  auto type = VectorType::get(lanes, builder.getF64Type());
  auto bits = VectorType::get(lanes, builder.getI64Type());
  bool isMax = isa<arith::MaximumFOp>(join);
  auto constant = [&](VectorType type, Attribute value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, value));
  };
  APFloat worst = APFloat::getInf(APFloat::IEEEdouble(), /*Negative=*/isMax);
  return {constant(type, builder.getF64FloatAttr(worst.convertToDouble())),
          constant(bits, builder.getI64IntegerAttr(isMax ? -1 : 0)),
          constant(type, builder.getF64FloatAttr(0))};
}

DoubleRange tally::codegen::extendDoubleRange(OpBuilder &builder, Location loc,
                                              const DoubleRange &range,
                                              Value floats, Operation *join) {
  bool isMax = isa<arith::MaximumFOp>(join);
  // One instruction, as opposed to an arith.maximumf.
  Value isBetter = arith::CmpFOp::create(builder, loc,
                                         isMax ? arith::CmpFPredicate::OGT
                                               : arith::CmpFPredicate::OLT,
                                         floats, range.best);
  Value best =
      arith::SelectOp::create(builder, loc, isBetter, floats, range.best);
  Value own = getBits(builder, loc, floats), bits;
  if (isMax)
    bits = arith::AndIOp::create(builder, loc, range.bits, own);
  else
    bits = arith::OrIOp::create(builder, loc, range.bits, own);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(floats.getType()));
  Value nothing = arith::MulFOp::create(builder, loc, floats, zero);
  return {best, bits,
          arith::AddFOp::create(builder, loc, range.special, nothing)};
}

std::pair<Value, Value> tally::codegen::createExtremum(OpBuilder &builder,
                                                       Location loc,
                                                       const DoubleRange &lanes,
                                                       Operation *join) {
  bool isMax = isa<arith::MaximumFOp>(join);
  auto reduce = [&](vector::CombiningKind kind, Value vector) -> Value {
    return vector::ReductionOp::create(builder, loc, kind, vector);
  };
  Value best = reduce(isMax ? vector::CombiningKind::MAXNUMF
                            : vector::CombiningKind::MINNUMF,
                      lanes.best);
  Value bits =
      reduce(isMax ? vector::CombiningKind::AND : vector::CombiningKind::OR,
             lanes.bits);
  Value special = reduce(vector::CombiningKind::ADD, lanes.special);
  Value sign = arith::ConstantOp::create(
      builder, loc,
      builder.getI64IntegerAttr(std::numeric_limits<int64_t>::min()));
  Value zero =
      arith::BitcastOp::create(builder, loc, best.getType(),
                               arith::AndIOp::create(builder, loc, bits, sign));
  Value isZero = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, best,
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0)));
  best = arith::SelectOp::create(builder, loc, isZero, zero, best);
  Value isKnown = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD,
                                        special, special);
  return {best, isKnown};
}
