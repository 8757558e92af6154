//===- Accumulators.cpp - What reductions of rows combine -----------------===//

#include "Accumulators.h"
#include "Kernels/ExponentialSums.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tally::codegen;

Operation *tally::codegen::getCombiner(linalg::GenericOp op, unsigned result) {
  Block *body = op.getBody();
  BlockArgument accumulator = body->getArgument(op.getNumDpsInputs() + result);
  Operation *combiner =
      body->getTerminator()->getOperand(result).getDefiningOp();
  if (!combiner || combiner->getBlock() != body ||
      combiner->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combiner ||
      !isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
           arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          combiner) ||
      !arith::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}

std::optional<Choice> tally::codegen::getPlacedChoice(linalg::GenericOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (reduced.size() != 1)
    return std::nullopt;
  std::optional<Choice> choice = matchChoiceAlong(op, reduced.front());
  return choice && choice->hasIndex ? choice : std::nullopt;
}

bool tally::codegen::canReduceInParts(linalg::GenericOp op) {
  return getPlacedChoice(op) ||
         llvm::all_of(llvm::seq(op->getNumResults()),
                      [&](unsigned result) { return getCombiner(op, result); });
}

SmallVector<Value> Accumulator::createStart(OpBuilder &builder, Location loc,
                                            unsigned lane) const {
  if (!combiner)
    return getInits(lane);
  TypedAttr neutral = *arith::getNeutralElement(combiner);
  SmallVector<Value> start = {arith::ConstantOp::create(builder, loc, neutral)};
  if (isExponentialSum())
    start.push_back(arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(neutral.getType())));
  return start;
}

SmallVector<Value> Accumulator::combine(OpBuilder &builder, Location loc,
                                        ValueRange a, ValueRange b) const {
  if (choice)
    return joinChoices(builder, loc, *choice, a, b);
  if (isExponentialSum()) {
    ExponentialSum joined = joinSums(builder, loc, {a[0], a[1]}, {b[0], b[1]});
    return {joined.maximum, joined.sum};
  }
  IRMapping map;
  map.map(combiner->getOperand(0), a.front());
  map.map(combiner->getOperand(1), b.front());
  return {builder.clone(*combiner, map)->getResult(0)};
}
