//===- ExpandMemRefOps.cpp - Reshapes and copies of buffers ---------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_EXPANDMEMREFOPS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-expand-memref-ops"

using namespace mlir;

namespace {

/// Multiplies two sizes, folding constants.
OpFoldResult multiply(OpBuilder &builder, Location loc, OpFoldResult a,
                      OpFoldResult b) {
  auto constantA = getConstantIntValue(a), constantB = getConstantIntValue(b);
  if (constantA && constantB)
    return builder.getIndexAttr(*constantA * *constantB);
  return arith::MulIOp::create(builder, loc,
                               getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

/// Returns whether a type without strides is right for a buffer of these.
bool tellsStrides(MemRefType type, ArrayRef<OpFoldResult> strides) {
  SmallVector<int64_t> told;
  int64_t offset = 0;
  if (!type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(told, offset)))
    return false;
  return llvm::all_of(llvm::zip_equal(told, strides), [](auto pair) {
    auto [expected, stride] = pair;
    return ShapedType::isDynamic(expected) ||
           getConstantIntValue(stride) == expected;
  });
}

// %e = memref.expand_shape %m [[0, 1]] output_shape [%a, %b]
//   -> %e = memref.reinterpret_cast %base to sizes: [%a, %b], strides: [%b, 1]
struct ExpandShapePattern : public OpRewritePattern<memref::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto source =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    SmallVector<OpFoldResult> sourceStrides =
        source.getConstifiedMixedStrides();
    for (auto [group, dims] : llvm::enumerate(op.getReassociationIndices())) {
      OpFoldResult stride = sourceStrides[group];
      for (int64_t dim : llvm::reverse(dims)) {
        strides[dim] = stride;
        if (dim != dims.front())
          stride = multiply(rewriter, loc, stride, sizes[dim]);
      }
    }
    // A type without strides stays one: its copies are of one piece.
    if (tellsStrides(op.getResultType(), strides)) {
      rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
          op, op.getResultType(), source.getBaseBuffer(),
          rewriter.getIndexAttr(0), sizes, strides);
      return success();
    }
    auto cast = memref::ReinterpretCastOp::create(
        rewriter, loc, source.getBaseBuffer(),
        source.getConstifiedMixedOffset(), sizes, strides);
    // Constants may be static in one type and dynamic in the other.
    if (cast.getType() == op.getType())
      rewriter.replaceOp(op, cast);
    else
      rewriter.replaceOpWithNewOp<memref::CastOp>(op, op.getType(), cast);
    return success();
  }
};

// memref.copy %a, %b (one of them strided) -> linalg.generic that copies
// memref.copy %a, %b (of i1) -> the same, with `booleans`
struct StridedCopyPattern : public OpRewritePattern<memref::CopyOp> {
  StridedCopyPattern(MLIRContext *context, bool booleans)
      : OpRewritePattern(context), booleans(booleans) {}

  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<MemRefType>(op.getSource().getType());
    auto target = dyn_cast<MemRefType>(op.getTarget().getType());
    if (!source || !target)
      return rewriter.notifyMatchFailure(op, "is unranked");
    bool isBoolean = booleans && source.getElementType().isInteger(1);
    if (!isBoolean && source.getLayout().isIdentity() &&
        target.getLayout().isIdentity())
      return rewriter.notifyMatchFailure(op, "is contiguous");
    LDBG() << tally::codegen::describeLastPart(op) << ": becomes a loop, as "
           << (isBoolean ? "booleans may be any byte"
                         : "a buffer may have gaps");
    int64_t rank = source.getRank();
    AffineMap map = rewriter.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getSource(), op.getTarget(), ArrayRef<AffineMap>{map, map},
        iterators, [](OpBuilder &builder, Location loc, ValueRange elements) {
          linalg::YieldOp::create(builder, loc, elements.front());
        });
    return success();
  }

private:
  bool booleans;
};
} // namespace

void tally::populateExpandMemRefOpsPatterns(RewritePatternSet &patterns,
                                            bool booleans) {
  patterns.add<ExpandShapePattern>(patterns.getContext());
  patterns.add<StridedCopyPattern>(patterns.getContext(), booleans);
}

LogicalResult tally::expandMemRefOps(Operation *root, bool booleans) {
  RewritePatternSet patterns(root->getContext());
  populateExpandMemRefOpsPatterns(patterns, booleans);
  return applyPatternsGreedily(root, std::move(patterns));
}

namespace {
struct ExpandMemRefOpsPass
    : tally::impl::ExpandMemRefOpsBase<ExpandMemRefOpsPass> {
  using ExpandMemRefOpsBase::ExpandMemRefOpsBase;

  void runOnOperation() override {
    if (failed(tally::expandMemRefOps(getOperation(), booleans)))
      signalPassFailure();
  }
};

} // namespace
