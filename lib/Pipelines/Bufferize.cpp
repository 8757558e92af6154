//===- Bufferize.cpp - Tensors become buffers -----------------------------===//

#include "AliasChains.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/Kernels/BufferizableOps.h"
#include "tally/IR/Tally.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_BUFFERIZE
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-bufferize"

using namespace mlir;
using namespace mlir::bufferization;

/// Of so many loops in each other that carry tensors, one becomes a loop over
/// buffers before the others.
static constexpr unsigned kLevels = 6;

/// Finds each loop that as many loops as `kLevels`, or a multiple, are around,
/// and what ends its body.
static void findDeepLoops(Operation *op, unsigned level,
                          DenseSet<Operation *> &found) {
  auto carriesTensors = [](Operation *loop) {
    return isa<LoopLikeOpInterface>(loop) &&
           llvm::any_of(loop->getResultTypes(), llvm::IsaPred<TensorType>);
  };
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps()) {
      bool isLoop = carriesTensors(&nested);
      if (isLoop && level != 0 && level % kLevels == 0) {
        LDBG() << nested.getName() << tally::describePlace(nested.getLoc())
               << ": has " << level
               << " loops around it: bufferized before them";
        found.insert(&nested);
        for (Region &body : nested.getRegions())
          found.insert(body.front().getTerminator());
      }
      findDeepLoops(&nested, level + isLoop, found);
    }
}

/// A loop's buffers have the type of what it starts with and of what it yields.
/// Both ask for the types of the loop around, so the time doubles with a level,
/// but for a loop that knows.
static LogicalResult bufferizeDeepLoops(Operation *module,
                                        OneShotBufferizationOptions options,
                                        BufferizationState &state) {
  DenseSet<Operation *> loops;
  findDeepLoops(module, 0, loops);
  if (loops.empty())
    return success();
  options.opFilter.allowOperation(
      [&](Operation *op) { return loops.contains(op); });
  options.unknownTypeConverterFn = [](TensorType type, Attribute memorySpace,
                                      const BufferizationOptions &) {
    return getMemRefTypeWithStaticIdentityLayout(type, memorySpace);
  };
  return bufferizeOp(module, options, state);
}

LogicalResult tally::bufferizeModule(ModuleOp module) {
  OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(LayoutMapOption::IdentityLayoutMap);
  options.allowReturnAllocsFromLoops = true;
  // The body of a kernel stays on tensors.
  options.opFilter.denyOperation([](Operation *op) {
    return op->getParentOfType<tally::KernelOp>() != nullptr;
  });
  if (failed(tally::verifyIsBufferizable(module, options)))
    return failure();
  tally::AliasChains(options, /*mayInsert=*/false).cut(module);
  BufferizationState state;
  if (failed(insertTensorCopies(module, options, state)) ||
      failed(bufferizeDeepLoops(module, options, state)))
    return failure();
  return bufferizeModuleOp(module, options, state);
}

namespace {
struct BufferizePass : tally::impl::BufferizeBase<BufferizePass> {
  void runOnOperation() override {
    if (failed(tally::bufferizeModule(getOperation())))
      signalPassFailure();
  }
};
} // namespace
