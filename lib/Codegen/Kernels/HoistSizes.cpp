//===- HoistSizes.cpp - Sizes that bodies ask for -------------------------===//

#include "HoistSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tally;

/// A tensor of the same sizes that nothing has to be computed for: what the
/// result of an operation is written to.
static Value findOfSameSizes(Value tensor) {
  while (auto op = tensor.getDefiningOp<linalg::GenericOp>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  return tensor;
}

static void hoistSizesOf(linalg::GenericOp op) {
  OpBuilder builder(op);
  op.walk([&](tensor::DimOp dim) {
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!number || op.getRegion().isAncestor(dim.getSource().getParentRegion()))
      return;
    Value size = builder.createOrFold<tensor::DimOp>(
        dim.getLoc(), findOfSameSizes(dim.getSource()), *number);
    dim.replaceAllUsesWith(size);
    dim.erase();
  });
}

void tally::codegen::hoistSizes(func::FuncOp function) {
  function.walk([](linalg::GenericOp op) { hoistSizesOf(op); });
}
