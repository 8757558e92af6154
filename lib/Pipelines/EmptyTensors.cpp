//===- EmptyTensors.cpp - Tensors without contents and where they go ------===//

#include "EmptyTensors.h"

#include "AliasChains.h"
#include "tally/Codegen/BufferizableOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

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
struct SeparateEmptyTensors
    : PassWrapper<SeparateEmptyTensors, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeparateEmptyTensors)

  StringRef getArgument() const final { return "tally-separate-empty-tensors"; }
  StringRef getDescription() const final {
    return "Give each use of a tensor.empty one of its own";
  }

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
        OpBuilder builder(user);
        use.set(builder.clone(*empty)->getResult(0));
      }
    }
  }
};
} // namespace

namespace {
/// As upstream's pass of a similar name, less replacements that are wrong.
struct EliminateEmptyTensors
    : PassWrapper<EliminateEmptyTensors, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EliminateEmptyTensors)

  StringRef getArgument() const final {
    return "tally-eliminate-empty-tensors";
  }
  StringRef getDescription() const final {
    return "Compute in its place what is inserted into a tensor";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<bufferization::BufferizationDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    // The analysis takes long, and most programs insert nothing.
    WalkResult found = getOperation()->walk(
        [](SubsetInsertionOpInterface) { return WalkResult::interrupt(); });
    if (!found.wasInterrupted())
      return;
    tally::AliasChains chains(options, /*mayInsert=*/true);
    chains.cut(getOperation());
    bufferization::OneShotAnalysisState state(getOperation(), options);
    IRRewriter rewriter(&getContext());
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)) ||
        failed(bufferization::eliminateEmptyTensors(
            rewriter, getOperation(), state, tally::createPlaceInDestination)))
      return signalPassFailure();
    chains.join();
  }
};
} // namespace

std::unique_ptr<Pass> tally::createSeparateEmptyTensors() {
  return std::make_unique<SeparateEmptyTensors>();
}

std::unique_ptr<Pass> tally::createEliminateEmptyTensors() {
  return std::make_unique<EliminateEmptyTensors>();
}
