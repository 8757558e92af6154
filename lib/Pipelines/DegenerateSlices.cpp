//===- DegenerateSlices.cpp - Slices of nothing and of one ----------------===//
//
// A tensor that has no elements is like every other of its shape. What makes
// one becomes a tensor.empty, and what reads one loses an operand.
//
//===----------------------------------------------------------------------===//

#include "DegenerateSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// Whether the type says that there are no elements.
static bool hasNoElements(Type type) {
  return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0);
}

/// Replaces `op` by a tensor of these sizes without contents.
static void replaceByEmpty(PatternRewriter &rewriter, Operation *op,
                           ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value empty = tensor::EmptyOp::create(rewriter, op->getLoc(), sizes,
                                        type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(rewriter, op->getLoc(), type, empty);
  rewriter.replaceOp(op, empty);
}

namespace {

// %r = tensor.extract_slice %x[%o] [0] [1] -> tensor.empty
struct SliceOfNothing : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getType()))
      return failure();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped.test(dim))
        sizes.push_back(size);
    replaceByEmpty(rewriter, op, sizes);
    return success();
  }
};

// %r = tensor.insert_slice %nothing into %x -> %x
struct InsertNothing : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getSourceType()))
      return failure();
    rewriter.replaceOp(op, op.getDest());
    return success();
  }
};

// %r = tensor.pad %nothing -> tensor.generate with the values of the padding
struct PadNothing : public OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    // Of other sizes it is not known here that they are not negative.
    if (!hasNoElements(op.getSourceType()) || hasNoElements(op.getType()) ||
        !op.getType().hasStaticShape())
      return failure();
    auto generate = tensor::GenerateOp::create(rewriter, op.getLoc(),
                                               op.getType(), ValueRange());
    rewriter.inlineRegionBefore(op.getRegion(), generate.getBody(),
                                generate.getBody().end());
    rewriter.replaceOp(op, generate);
    return success();
  }
};

// Parts of a concatenation that have no elements go.
struct ConcatNothing : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value part : op.getInputs())
      if (cast<RankedTensorType>(part.getType())
              .getDimSize(static_cast<int64_t>(op.getDim())) != 0)
        parts.push_back(part);
    if (parts.empty() || parts.size() == op.getInputs().size())
      return failure();
    Value result =
        tensor::ConcatOp::create(rewriter, op.getLoc(), op.getDim(), parts);
    if (result.getType() != op.getType())
      result =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

// %r = tensor.collapse_shape %nothing -> tensor.empty
struct CollapseNothing : public OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getSrcType()))
      return failure();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op.getLoc(), op.getSrc());
    SmallVector<OpFoldResult> collapsed;
    for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
      OpFoldResult product = sizes[group.front()];
      for (int64_t dim : group.drop_front()) {
        if (isZeroInteger(product) || isZeroInteger(sizes[dim])) {
          product = rewriter.getIndexAttr(0);
          continue;
        }
        auto value = [&](OpFoldResult size) {
          return getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size);
        };
        product = arith::MulIOp::create(rewriter, op.getLoc(), value(product),
                                        value(sizes[dim]))
                      .getResult();
      }
      collapsed.push_back(product);
    }
    replaceByEmpty(rewriter, op, collapsed);
    return success();
  }
};

// %r = tensor.expand_shape %nothing -> tensor.empty
struct ExpandNothing : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getSrcType()))
      return failure();
    replaceByEmpty(rewriter, op, op.getMixedOutputShape());
    return success();
  }
};

// The step of a dimension of which one element is taken is 1: what is dropped
// from a shape is told by its strides (memref::SubViewOp::getDroppedDims).
template <typename SliceOp>
struct StepOfOne : public OpRewritePattern<SliceOp> {
  using OpRewritePattern<SliceOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> strides(op.getStaticStrides());
    bool changed = false;
    for (auto [stride, size] : llvm::zip_equal(strides, op.getStaticSizes())) {
      if (size != 1 || stride == 1 || ShapedType::isDynamic(stride))
        continue;
      stride = 1;
      changed = true;
    }
    if (!changed)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setStaticStrides(strides); });
    return success();
  }
};

} // namespace

void tally::populateDegenerateSlicePatterns(RewritePatternSet &patterns) {
  patterns
      .add<SliceOfNothing, InsertNothing, PadNothing, ConcatNothing,
           CollapseNothing, ExpandNothing, StepOfOne<tensor::ExtractSliceOp>,
           StepOfOne<tensor::InsertSliceOp>>(patterns.getContext());
}
