//===- Loops.cpp - The induction variables of loops -----------------------===//

#include "Loops.h"

using namespace mlir;
using namespace tally;
using namespace tally::detail;

/// The lower and upper bounds of `count` induction variables; none if they are
/// not known.
static SmallVector<std::pair<LoopBound, LoopBound>>
getBounds(LoopLikeOpInterface loop, size_t count, SymbolicShapes &shapes) {
  SmallVector<std::pair<LoopBound, LoopBound>> bounds;
  auto lowers = loop.getLoopLowerBounds(), uppers = loop.getLoopUpperBounds();
  if (lowers && uppers) {
    if (lowers->size() == count && uppers->size() == count)
      for (auto [lower, upper] : llvm::zip_equal(*lowers, *uppers))
        bounds.push_back({{lower, {}}, {upper, {}}});
    return bounds;
  }
  auto model = dyn_cast<SymbolicShapeOpInterface>(loop.getOperation());
  SmallVector<LoopBounds> told =
      model ? model.getLoopBounds(shapes) : SmallVector<LoopBounds>();
  if (told.size() == count)
    for (const LoopBounds &bound : told)
      bounds.push_back({{{}, bound.lower}, {{}, bound.upper}});
  return bounds;
}

SmallVector<InductionVariable>
tally::detail::getInductionVariables(Operation *op, SymbolicShapes &shapes) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return {};
  auto variables = loop.getLoopInductionVars();
  auto steps = loop.getLoopSteps();
  if (!variables || !steps || variables->size() != steps->size())
    return {};
  auto bounds = getBounds(loop, variables->size(), shapes);
  if (bounds.size() != variables->size())
    return {};
  SmallVector<InductionVariable> result;
  for (auto [variable, bound, step] :
       llvm::zip_equal(*variables, bounds, *steps))
    result.push_back({variable, bound.first, bound.second, step});
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
