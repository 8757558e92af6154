//===- EmptyTensors.cpp - Tensors without contents and where they go ------===//

#include "EmptyTensors.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {
struct SeparateEmptyTensors
    : PassWrapper<SeparateEmptyTensors, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeparateEmptyTensors)

  StringRef getArgument() const final { return "tally-separate-empty-tensors"; }
  StringRef getDescription() const final {
    return "Gives each use of a tensor.empty one of its own";
  }

  void runOnOperation() override {
    getOperation()->walk([](tensor::EmptyOp empty) {
      if (empty->hasOneUse())
        return;
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        Operation *user = use.getOwner();
        // What a loop fills piece by piece is made before it.
        if (isa<tensor::DimOp>(user) || (user->getNumRegions() == 0 &&
                                         user->getBlock() != empty->getBlock()))
          continue;
        OpBuilder builder(user);
        use.set(builder.clone(*empty)->getResult(0));
      }
    });
  }
};

/// As upstream's pass of a similar name, less two replacements that it makes
/// and its verifier refuses.
struct EliminateEmptyTensors
    : PassWrapper<EliminateEmptyTensors, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EliminateEmptyTensors)

  StringRef getArgument() const final {
    return "tally-eliminate-empty-tensors";
  }
  StringRef getDescription() const final {
    return "Computes what is inserted into a tensor in its place there";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<bufferization::BufferizationDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    bufferization::OneShotAnalysisState state(getOperation(), options);
    IRRewriter rewriter(&getContext());
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)) ||
        failed(bufferization::eliminateEmptyTensors(
            rewriter, getOperation(), state, getPlaceInDestination)))
      signalPassFailure();
  }

private:
  /// Returns the part of the destination of `op` that `empty` is to stand for,
  /// if there is one.
  static Value getPlaceInDestination(RewriterBase &rewriter,
                                     SubsetInsertionOpInterface op,
                                     tensor::EmptyOp empty, Operation *user) {
    // The results of an operation do not exist in its regions.
    for (Value value : op.getValuesNeededToBuildSubsetExtraction())
      if (Operation *around = value.getDefiningOp())
        if (around->isAncestor(empty) || around->isAncestor(user))
          return {};
    Value part =
        bufferization::buildSubsetExtraction(rewriter, op, empty, user);
    // In a branch that is never taken sizes may differ.
    if (!part ||
        tensor::CastOp::areCastCompatible(part.getType(), empty.getType()))
      return part;
    rewriter.eraseOp(part.getDefiningOp());
    return {};
  }
};
} // namespace

std::unique_ptr<Pass> tally::createSeparateEmptyTensors() {
  return std::make_unique<SeparateEmptyTensors>();
}

std::unique_ptr<Pass> tally::createEliminateEmptyTensors() {
  return std::make_unique<EliminateEmptyTensors>();
}
