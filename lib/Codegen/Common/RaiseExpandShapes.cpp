//===- RaiseExpandShapes.cpp - Dimensions are divided early ---------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "EraseCopies.h"
#include "Fusion.h"
#include "tally/Codegen/Common/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_RAISEEXPANDSHAPES
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-raise-expand-shapes"

using namespace mlir;
using linalg::GenericOp;

/// Returns whether an operation computes each element of its one result, which
/// has one user, from elements at the same place, and nothing but elements.
static bool isElementwise(GenericOp op) {
  auto isNumbering = [](Operation &inner) {
    return isa<linalg::IndexOp>(inner);
  };
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op->hasOneUse() && op.getNumReductionLoops() == 0 &&
         op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity() &&
         llvm::all_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::none_of(*op.getBody(), isNumbering);
}

/// Returns whether nothing that an elementwise operation reads keeps it in a
/// kernel over its own dimensions: structured operations that stay.
static bool isFree(GenericOp op, unsigned depth = 0) {
  constexpr unsigned mostOps = 8;
  if (depth == mostOps || !isElementwise(op))
    return false;
  return llvm::all_of(op.getDpsInputs(), [&](Value input) {
    auto producer = input.getDefiningOp<GenericOp>();
    // A number for all elements stays out of any kernel.
    bool isFill = producer && producer.getNumDpsInputs() == 1 &&
                  !isa<ShapedType>(producer.getDpsInputs()[0].getType());
    return !producer || isFill || isFree(producer, depth + 1);
  });
}

namespace {
struct RaiseExpandShapesPass
    : public tally::impl::RaiseExpandShapesBase<RaiseExpandShapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto control = [](OpOperand *divided) {
      auto producer = divided->get().getDefiningOp<GenericOp>();
      bool raises = producer &&
                    isa<tensor::ExpandShapeOp>(divided->getOwner()) &&
                    isFree(producer);
      if (raises)
        LDBG() << "dimensions are divided before "
               << tally::codegen::describeLastPart(producer);
      return raises;
    };
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, control);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    // What is left of an operation that only divided or broadcast.
    tally::codegen::populateEraseCopyPatterns(patterns);
    // A size of a result that is divided would be one more use of the result.
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    FrozenRewritePatternSet frozen(
        std::move(patterns),
        {"(anonymous namespace)::FoldReshapeWithProducerPadOpByExpansion",
         "{anonymous}::FoldReshapeWithProducerPadOpByExpansion"});
    // What is not divided after the last round stays as it is.
    (void)applyPatternsGreedily(getOperation(), frozen);
  }
};
} // namespace
