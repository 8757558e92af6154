//===- FunctionPass.cpp - Passes that work function by function -----------===//

#include "FunctionPass.h"

#include "tally/IR/Tally.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tally;

static bool isDynamicTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

/// Returns true for what the dialect says, by an operation or an attribute.
static bool isAnnotated(Operation *op) {
  return isa_and_nonnull<TallyDialect>(op->getDialect()) ||
         llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
           return isa_and_nonnull<TallyDialect>(attribute.getNameDialect());
         });
}

void tally::warnWithoutSymbols(FunctionOpInterface function, StringRef pass) {
  if (function.isExternal())
    return;
  bool isDynamic = llvm::any_of(function.getArgumentTypes(), isDynamicTensor);
  WalkResult walk = function->walk([&](Operation *op) {
    isDynamic |= llvm::any_of(op->getResultTypes(), isDynamicTensor);
    return isAnnotated(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (isDynamic && !walk.wasInterrupted())
    function->emitWarning()
        << pass << " has nothing to do: no size has a symbol yet; run "
        << "tally-propagate-shapes first, or tally-check-pipeline";
}
