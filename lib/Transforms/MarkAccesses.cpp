//===- MarkAccesses.cpp - Accesses that are in bounds by construction -----===//

#include "FunctionPass.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ElementRanges.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_MARKACCESSES
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-mark-accesses"

using namespace mlir;
using namespace tally;

/// Returns true if an operation tells a range of its elements that no loop
/// shows.
static bool tellsRanges(Operation *op) {
  return isa<NonzeroOp, MaskedSelectOp, UniqueOp, RepeatInterleaveOp,
             BincountOp>(op);
}

void tally::markAccesses(FunctionOpInterface function) {
  auto isFound = [](Operation *op) {
    return tellsRanges(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (!function->walk(isFound).wasInterrupted())
    return;
  SymbolicShapes shapes(function, SymbolicShapesOptions::bound());
  ElementRanges ranges(shapes);
  symbolic::Facts &facts = shapes.getFacts();
  symbolic::Prover prover(facts);
  ScopedFacts(shapes).walk(function, [&](Operation *op) {
    if (!isa<tensor::ExtractOp, tensor::InsertOp>(op))
      return true;
    Preconditions preconditions(shapes);
    shapes.collectPreconditions(op, preconditions);
    auto isProven = [&](const Precondition &precondition) {
      return prover.isProven(precondition.condition);
    };
    if (llvm::all_of(preconditions.getPreconditions(), isProven))
      return true;
    symbolic::Facts::Scope scope(facts);
    for (const Precondition &precondition : preconditions.getPreconditions())
      ranges.addFacts(op, precondition.condition, facts);
    bool isInBounds = llvm::all_of(preconditions.getPreconditions(), isProven);
    LDBG() << op->getName() << describePlace(op->getLoc())
           << (isInBounds ? ": what its index is made of keeps it in bounds"
                          : ": nothing here tells that it is in bounds");
    if (isInBounds)
      op->setAttr(attr_names::kChecked, UnitAttr::get(op->getContext()));
    return true;
  });
}

namespace {
struct MarkAccesses : public tally::impl::MarkAccessesBase<MarkAccesses> {
  using MarkAccessesBase::MarkAccessesBase;

  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [](FunctionOpInterface function) {
      if (!function.isExternal())
        markAccesses(function);
      return success();
    });
  }
};
} // namespace
