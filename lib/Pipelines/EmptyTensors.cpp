//===- EmptyTensors.cpp - Tensors without contents and where they go ------===//

#include "AliasChains.h"
#include "tally/Codegen/Kernels/PlaceInDestination.h"
#include "tally/Pipelines/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SEPARATEEMPTYTENSORS
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORS
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-empty-tensors"

using namespace mlir;

/// Gives the insertion of a part that was computed in its place a tensor of its
/// own, together with that place:
///
///   %s = tensor.extract_slice %empty[%i] [%n] [1]
///   %p = linalg.exp ins(%x) outs(%s)
///   %r = tensor.insert_slice %p into %empty[%i] [%n] [1]
static void separatePart(tensor::EmptyOp empty,
                         tensor::InsertSliceOp insertion) {
  OpOperand *init = &insertion.getSourceMutable();
  while (auto op = init->get().getDefiningOp<DestinationStyleOpInterface>())
    init = op.getTiedOpOperand(cast<OpResult>(init->get()));
  auto place = init->get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!place || place.getSource() != empty.getResult() ||
      place->getBlock() != empty->getBlock() ||
      insertion->getBlock() != empty->getBlock() ||
      place.getMixedOffsets() != insertion.getMixedOffsets() ||
      place.getMixedSizes() != insertion.getMixedSizes() ||
      place.getMixedStrides() != insertion.getMixedStrides())
    return;
  OpBuilder builder(place);
  IRMapping mapping;
  Operation *own = builder.clone(*empty);
  mapping.map(empty.getResult(), own->getResult(0));
  init->set(builder.clone(*place, mapping)->getResult(0));
  insertion.getDestMutable().set(own->getResult(0));
  if (place->use_empty())
    place->erase();
}

namespace {
struct SeparateEmptyTensorsPass
    : tally::impl::SeparateEmptyTensorsBase<SeparateEmptyTensorsPass> {
  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> shared;
    getOperation()->walk([&](tensor::EmptyOp empty) {
      if (!empty->hasOneUse())
        shared.push_back(empty);
    });
    for (tensor::EmptyOp empty : shared) {
      for (Operation *user : llvm::to_vector(empty->getUsers()))
        if (auto insertion = dyn_cast<tensor::InsertSliceOp>(user))
          separatePart(empty, insertion);
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        Operation *user = use.getOwner();
        // What a loop fills piece by piece is made before it.
        if (isa<tensor::DimOp>(user) || (user->getNumRegions() == 0 &&
                                         user->getBlock() != empty->getBlock()))
          continue;
        LDBG() << user->getName() << tally::describePlace(user->getLoc())
               << ": gets an empty tensor of its own";
        OpBuilder builder(user);
        use.set(builder.clone(*empty)->getResult(0));
      }
    }
  }
};
} // namespace

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

namespace {
/// As upstream's pass of a similar name, less replacements that are wrong.
struct EliminateEmptyTensorsPass
    : tally::impl::EliminateEmptyTensorsBase<EliminateEmptyTensorsPass> {
  void runOnOperation() override {
    WalkResult found = getOperation()->walk(
        [](SubsetInsertionOpInterface) { return WalkResult::interrupt(); });
    if (!found.wasInterrupted())
      return;
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    if (failed(placeWithoutAnalysis(getOperation(), options)))
      return signalPassFailure();
    if (!mayPlaceMore(getOperation(), options))
      return;
    LDBG() << "loops or calls hand on tensors that may end up in a part: "
              "analyzed as a whole";
    if (failed(placeWithAnalysis(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
