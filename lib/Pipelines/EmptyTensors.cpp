//===- EmptyTensors.cpp - Carried tensors of their own --------------------===//

#include "EmptyTensors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {
struct SeparateEmptyTensors
    : PassWrapper<SeparateEmptyTensors, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeparateEmptyTensors)

  StringRef getArgument() const final { return "tally-separate-empty-tensors"; }
  StringRef getDescription() const final {
    return "Gives each carried value a tensor.empty of its own";
  }

  void runOnOperation() override {
    getOperation()->walk([](tensor::EmptyOp empty) {
      if (empty->hasOneUse())
        return;
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        if (use.getOwner()->getNumRegions() == 0)
          continue;
        OpBuilder builder(use.getOwner());
        use.set(builder.clone(*empty)->getResult(0));
      }
    });
  }
};
} // namespace

std::unique_ptr<Pass> tally::createSeparateEmptyTensors() {
  return std::make_unique<SeparateEmptyTensors>();
}
