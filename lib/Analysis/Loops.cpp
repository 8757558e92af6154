//===- Loops.cpp - The induction variables of loops -----------------------===//

#include "Loops.h"

using namespace mlir;
using namespace tally::detail;

SmallVector<InductionVariable>
tally::detail::getInductionVariables(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return {};
  auto variables = loop.getLoopInductionVars();
  auto lowers = loop.getLoopLowerBounds(), uppers = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!variables || !lowers || !uppers || !steps ||
      variables->size() != lowers->size() ||
      variables->size() != uppers->size() || variables->size() != steps->size())
    return {};
  SmallVector<InductionVariable> result;
  for (auto [variable, lower, upper, step] :
       llvm::zip_equal(*variables, *lowers, *uppers, *steps))
    result.push_back({variable, lower, upper, step});
  return result;
}

bool tally::detail::comparesUnsigned(Operation *loop) {
  return loop->hasAttr("unsignedCmp");
}

bool tally::detail::isInductionVariable(BlockArgument argument) {
  auto loop =
      dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  std::optional<SmallVector<Value>> variables;
  if (loop)
    variables = loop.getLoopInductionVars();
  return variables && llvm::is_contained(*variables, argument);
}
