//===- EmptyTensors.cpp - A tensor without contents for each use ----------===//

#include "EmptyTensors.h"

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
} // namespace

std::unique_ptr<Pass> tally::createSeparateEmptyTensors() {
  return std::make_unique<SeparateEmptyTensors>();
}
