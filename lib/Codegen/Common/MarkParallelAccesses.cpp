//===- MarkParallelAccesses.cpp - Loops with independent iterations -------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_MARKPARALLELACCESSES
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-mark-parallel-accesses"

using namespace mlir;

/// Takes the marks off the branches of a function and returns those branches
/// and their marks.
static SmallVector<std::pair<Operation *, LLVM::LoopAnnotationAttr>>
takeMarks(LLVM::LLVMFuncOp function) {
  SmallVector<std::pair<Operation *, LLVM::LoopAnnotationAttr>> branches;
  function.walk([&](Operation *op) {
    // The verifier knows that it is one.
    if (Attribute mark =
            op->removeDiscardableAttr(tally::attr_names::kIndependent))
      branches.push_back({op, cast<LLVM::LoopAnnotationAttr>(mark)});
  });
  return branches;
}

/// Returns whether iterations may share memory on the stack.
static bool usesStack(LLVM::LLVMFuncOp function) {
  return function.walk([](LLVM::AllocaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void tally::markParallelAccesses(LLVM::LLVMFuncOp function,
                                 LLVM::AccessGroupAttr group) {
  auto branches = takeMarks(function);
  if (branches.empty())
    return;
  if (usesStack(function)) {
    LDBG() << function.getName() << ": iterations share memory on its stack";
    return;
  }
  LDBG() << function.getName() << ": " << branches.size()
         << " loops have independent iterations";
  MLIRContext *context = function.getContext();
  for (auto [op, mark] : branches) {
    auto loop = LLVM::LoopAnnotationAttr::get(
        context, nullptr, mark.getVectorize(), nullptr, mark.getUnroll(),
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
        nullptr, nullptr, {group});
    if (auto branch = dyn_cast<LLVM::BrOp>(op))
      branch.setLoopAnnotationAttr(loop);
    else if (auto conditional = dyn_cast<LLVM::CondBrOp>(op))
      conditional.setLoopAnnotationAttr(loop);
  }
  auto groups = ArrayAttr::get(context, {group});
  function.walk([&](LLVM::AccessGroupOpInterface access) {
    access.setAccessGroups(groups);
  });
}

namespace {
struct MarkParallelAccessesPass
    : tally::impl::MarkParallelAccessesBase<MarkParallelAccessesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    group = LLVM::AccessGroupAttr::get(context);
    return success();
  }

  void runOnOperation() override {
    tally::markParallelAccesses(getOperation(), group);
  }

  /// The copies of the pass that run in parallel share it.
  LLVM::AccessGroupAttr group;
};

} // namespace
