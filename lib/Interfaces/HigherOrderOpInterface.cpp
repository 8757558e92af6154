//===- HigherOrderOpInterface.cpp - Who owns subgraphs --------------------===//

#include "tally/Interfaces/HigherOrderOpInterface.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include "tally/Interfaces/HigherOrderOpInterface.cpp.inc"

using namespace mlir;
using namespace tally;

std::optional<SmallVector<CarriedValue>>
tally::detail::getLoopLikeCarriedValues(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return std::nullopt;
  auto inits = loop.getInitsMutable();
  auto arguments = loop.getRegionIterArgs();
  auto yields = loop.getYieldedValues();
  if (inits.size() != op->getNumResults() || arguments.size() != inits.size() ||
      yields.size() != inits.size())
    return std::nullopt;
  SmallVector<CarriedValue> carried;
  for (auto [init, argument, yielded] :
       llvm::zip_equal(inits, arguments, yields))
    carried.push_back({init.getOperandNumber(), argument, yielded});
  return carried;
}

/// Returns true if the operand changes from one iteration to the next.
static bool isCarried(HigherOrderOpInterface op, unsigned operand) {
  if (op.getResultJoin() != ResultJoin::Loop)
    return false;
  std::optional<SmallVector<CarriedValue>> carried = op.getCarriedValues();
  return !carried || llvm::any_of(*carried, [&](const CarriedValue &value) {
    return value.operand == operand;
  });
}

Value tally::getPassedValue(BlockArgument argument) {
  Region *region = argument.getParentRegion();
  auto op = dyn_cast<HigherOrderOpInterface>(region->getParentOp());
  if (!op || !argument.getOwner()->isEntryBlock())
    return {};
  for (auto [index, subgraph] : llvm::enumerate(op.getSubgraphs())) {
    if (subgraph != region)
      continue;
    OperandRange operands = op.getSubgraphOperands(index);
    unsigned size = region->getNumArguments();
    unsigned fromEnd = size - argument.getArgNumber();
    if (operands.size() > size || fromEnd > operands.size())
      return {};
    unsigned position = operands.size() - fromEnd;
    if (isCarried(op, operands.getBeginOperandIndex() + position))
      return {};
    return operands[position];
  }
  return {};
}
