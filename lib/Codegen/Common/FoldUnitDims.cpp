//===- FoldUnitDims.cpp - Loops of one iteration --------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "Fusion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FOLDUNITDIMS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-fold-unit-dims"

using namespace mlir;

/// The loops that no operand is accessed by together with another one.
static SmallVector<unsigned> findSeparateLoops(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
          return llvm::all_of(map.getResults(), [&](AffineExpr index) {
            return isa<AffineDimExpr>(index) || !index.isFunctionOfDim(loop);
          });
        }))
      loops.push_back(loop);
  return loops;
}

void tally::populateFoldUnitDimsPatterns(RewritePatternSet &patterns) {
  linalg::ControlDropUnitDims options;
  options.controlFn = [](Operation *op) -> SmallVector<unsigned> {
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if (!generic)
      return {};
    SmallVector<unsigned> loops = findSeparateLoops(generic);
    LDBG() << codegen::describeLastPart(generic) << ": " << loops.size()
           << " of " << generic.getNumLoops() << " loops may be folded";
    return loops;
  };
  linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
  linalg::populateMoveInitOperandsToInputPattern(patterns);
}

void tally::foldUnitDims(func::FuncOp function) {
  RewritePatternSet patterns(function->getContext());
  populateFoldUnitDimsPatterns(patterns);
  // An operation that is not folded after the last round stays as it is.
  (void)applyPatternsGreedily(function, std::move(patterns));
}

namespace {
struct FoldUnitDimsPass : tally::impl::FoldUnitDimsBase<FoldUnitDimsPass> {
  void runOnOperation() override { tally::foldUnitDims(getOperation()); }
};

} // namespace
