//===- DataPreconditions.cpp - What operations require of data ------------===//

#include "DataPreconditions.h"

#include "DataChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tally;

/// Builds whether no element of a tensor of integers is negative.
static Value buildIsNatural(OpBuilder &builder, Location loc, Value tensor) {
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(getElementTypeOrSelf(tensor)));
  return buildForAll(builder, loc, tensor, [&](OpBuilder &body, Value element) {
    return arith::CmpIOp::create(body, loc, arith::CmpIPredicate::sge, element,
                                 zero);
  });
}

std::optional<Precondition>
tally::reduceOverData(Operation *op, ElementRanges &ranges, bool elide) {
  SymbolicShapes &shapes = ranges.getShapes();
  Value tensor;
  StringRef message;
  if (auto repeat = dyn_cast<RepeatInterleaveOp>(op)) {
    tensor = repeat.getCounts();
    message = "a negative number of repetitions";
  } else if (auto count = dyn_cast<BincountOp>(op)) {
    tensor = count.getValues();
    message = "a value is negative";
  }
  if (!tensor || shapes.getElements(tensor) ||
      (elide && ranges.isAtLeast(ranges.get(tensor), 0)))
    return std::nullopt;
  OpBuilder builder(op);
  Operation *above = op->getPrevNode();
  Value holds = buildIsNatural(builder, op->getLoc(), tensor);
  return Precondition{shapes.getValue(reuseComputation(holds, above, shapes)),
                      op,
                      message.str(),
                      {}};
}
