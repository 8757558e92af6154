//===- CompleteAsserts.cpp - Assert what is not known any more ------------===//

#include "FunctionPass.h"
#include "PropagateShapes.h"
#include "UnmetPreconditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_COMPLETEASSERTS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-complete-asserts"

using namespace mlir;
using namespace tally;

LogicalResult tally::completeAsserts(FunctionOpInterface function) {
  bool isComplete = true;
  findUnmetPreconditions(
      function, [&](SymbolicShapes &shapes, ArrayRef<Precondition> unmet) {
        isComplete = false;
        for (const Precondition &precondition : unmet)
          LDBG() << precondition.op->getName()
                 << describePlace(precondition.op->getLoc())
                 << ": not known to hold any more";
        statePreconditions(function, shapes, unmet);
      });
  if (isComplete)
    return success();
  RuntimeAssertOptions options;
  options.thorough = true;
  // A proof of it is none that tally-verify-form would find.
  options.elide = false;
  if (failed(insertRuntimeAsserts(function, options)))
    return failure();
  // A subgraph may speak of sizes that were no arguments of it.
  return liftFreeSymbols(function);
}

namespace {
struct CompleteAssertsPass
    : tally::impl::CompleteAssertsBase<CompleteAssertsPass> {
  void runOnOperation() override {
    // tally-verify-form need not look again.
    if (getAnalysis<MetPreconditions>().areMet)
      return markAllAnalysesPreserved();
    if (failed(forEachFunction(getOperation(), completeAsserts)))
      signalPassFailure();
  }
};
} // namespace
