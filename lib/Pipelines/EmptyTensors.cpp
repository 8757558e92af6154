//===- EmptyTensors.cpp - Tensors without contents and where they go ------===//

#include "EmptyTensors.h"

#include "tally/Codegen/BufferizableOps.h"

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

/// As upstream's pass of a similar name, less replacements that are wrong.
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
            rewriter, getOperation(), state, tally::createPlaceInDestination)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> tally::createSeparateEmptyTensors() {
  return std::make_unique<SeparateEmptyTensors>();
}

std::unique_ptr<Pass> tally::createEliminateEmptyTensors() {
  return std::make_unique<EliminateEmptyTensors>();
}
