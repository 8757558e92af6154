//===- LowerDataDependent.cpp - Data-dependent operations to loops --------===//

#include "LowerDataDependent.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tally/IR/Bindings.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

namespace tally {
#define GEN_PASS_DEF_LOWERDATADEPENDENT
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// tally.item
//===----------------------------------------------------------------------===//

namespace {
struct LowerItem : public DataDependentPattern<ItemOp> {
  using DataDependentPattern::DataDependentPattern;

  LoopBuilder::Values lower(ItemOp op, LoopBuilder &loops) const override {
    SmallVector<Value> indices;
    if (int64_t rank = op.getSource().getType().getRank())
      indices.assign(rank, loops.index(0));
    return {loops.extract(op.getSource(), indices)};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void tally::populateLowerDataDependentPatterns(RewritePatternSet &patterns,
                                               SizeSearch search) {
  patterns.add<LowerItem>(patterns.getContext());
  populateLowerCompactionPatterns(patterns);
  populateLowerUniquePatterns(patterns);
  populateLowerCountsPatterns(patterns, search);
  populateLowerSlicesPatterns(patterns);
}

/// The operations that the patterns are about.
static bool isDataDependent(Operation *op) {
  return isa<ItemOp, NonzeroOp, MaskedSelectOp, UniqueOp, RepeatInterleaveOp,
             BincountOp, SliceOp, SelectOp, SplitOp>(op);
}

LogicalResult tally::lowerDataDependentOps(Operation *root, SizeSearch search) {
  WalkResult result = root->walk([](UnbackedBindingOpInterface op) {
    return isDataDependent(op) ? WalkResult(requireBound(op))
                               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  RewritePatternSet patterns(root->getContext());
  populateLowerDataDependentPatterns(patterns, search);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}

namespace {
struct LowerDataDependent
    : public tally::impl::LowerDataDependentBase<LowerDataDependent> {
  using LowerDataDependentBase::LowerDataDependentBase;

  void runOnOperation() override {
    if (failed(lowerDataDependentOps(
            getOperation(), reduce ? SizeSearch::Reduction : SizeSearch::Loop)))
      signalPassFailure();
  }
};
} // namespace
