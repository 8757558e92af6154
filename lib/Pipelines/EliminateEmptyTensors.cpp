//===- EliminateEmptyTensors.cpp - Tensors computed in their place --------===//

#include "AliasChains.h"
#include "tally/Codegen/Kernels/PlaceInDestination.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORS
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-eliminate-empty-tensors"

using namespace mlir;

/// Replaces the empty tensors that end up in a part, as far as `state` knows.
static LogicalResult place(ModuleOp module,
                           bufferization::OneShotAnalysisState &state) {
  IRRewriter rewriter(module->getContext());
  return bufferization::eliminateEmptyTensors(rewriter, module, state,
                                              tally::createPlaceInDestination);
}

/// The analysis takes long, and where no loop hands a tensor on it says no more
/// than the operations themselves: a part is read where it is.
static LogicalResult placeWithoutAnalysis(
    ModuleOp module,
    const bufferization::OneShotBufferizationOptions &options) {
  bufferization::OneShotAnalysisState state(module, options);
  module->walk([&](SubsetInsertionOpInterface insertion) {
    state.bufferizeInPlace(insertion.getSourceOperand());
  });
  return place(module, state);
}

static LogicalResult
placeWithAnalysis(ModuleOp module,
                  const bufferization::OneShotBufferizationOptions &options) {
  tally::AliasChains chains(options, /*mayInsert=*/true);
  chains.cut(module);
  bufferization::OneShotAnalysisState state(module, options);
  if (failed(bufferization::analyzeModuleOp(module, state)) ||
      failed(place(module, state)))
    return failure();
  chains.join();
  return success();
}

/// The operation that only the analysis knows to hand on a tensor or not.
static Operation *getOpaqueOp(Value value) {
  Operation *op = isa<BlockArgument>(value)
                      ? value.getParentBlock()->getParentOp()
                      : value.getDefiningOp();
  return isa<LoopLikeOpInterface, CallOpInterface>(op) ? op : nullptr;
}

/// Whether an empty tensor may end up in a part by way of a loop or a call.
static bool
mayPlaceMore(ModuleOp module,
             const bufferization::OneShotBufferizationOptions &options) {
  bufferization::AnalysisState state(options);
  bufferization::TraversalConfig config;
  config.followEquivalentOnly = true;
  config.alwaysIncludeLeaves = false;
  config.followSameTypeOrCastsOnly = true;
  SetVector<Operation *> opaque;
  // Returns whether a tensor is an empty one.
  auto follow = [&](OpOperand &tensor) {
    SetVector<Value> ends = state.findValueInReverseUseDefChain(
        &tensor,
        [](Value value) {
          return value.getDefiningOp<tensor::EmptyOp>() || getOpaqueOp(value);
        },
        config);
    bool isEmpty = false;
    for (Value end : ends)
      if (Operation *op = getOpaqueOp(end))
        opaque.insert(op);
      else
        isEmpty = true;
    return isEmpty;
  };
  module->walk([&](SubsetInsertionOpInterface insertion) {
    follow(insertion.getSourceOperand());
  });
  for (size_t i = 0; i < opaque.size(); ++i)
    for (OpOperand &operand : opaque[i]->getOpOperands())
      if (isa<TensorType>(operand.get().getType()) && follow(operand))
        return true;
  return false;
}

LogicalResult tally::eliminateEmptyTensors(ModuleOp module) {
  WalkResult found = module->walk(
      [](SubsetInsertionOpInterface) { return WalkResult::interrupt(); });
  if (!found.wasInterrupted())
    return success();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferizeFunctionBoundaries = true;
  if (failed(placeWithoutAnalysis(module, options)))
    return failure();
  if (!mayPlaceMore(module, options))
    return success();
  LDBG() << "loops or calls hand on tensors that may end up in a part: "
            "analyzed as a whole";
  return placeWithAnalysis(module, options);
}

namespace {
/// As upstream's pass of a similar name, less replacements that are wrong.
struct EliminateEmptyTensorsPass
    : tally::impl::EliminateEmptyTensorsBase<EliminateEmptyTensorsPass> {
  void runOnOperation() override {
    if (failed(tally::eliminateEmptyTensors(getOperation())))
      signalPassFailure();
  }
};
} // namespace
