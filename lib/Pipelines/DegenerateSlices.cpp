//===- DegenerateSlices.cpp - Slices of nothing and of one ----------------===//
//
// A tensor that has no elements is like every other of its shape. What makes
// one becomes a tensor.empty, and what reads one loses an operand.
//
//===----------------------------------------------------------------------===//

#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

/// Whether the type says that there are no elements.
static bool hasNoElements(Type type) {
  return llvm::is_contained(cast<ShapedType>(type).getShape(), 0);
}

/// Whether the slice begins or ends outside of a tensor of this type, as the
/// constants say. What its verifier refuses is no slice, or one of no elements:
/// the sizes of what may run have been checked before.
template <typename SliceOp>
static bool isOutside(SliceOp op, ShapedType type) {
  return !verifyInBoundsSlice(type.getShape(), op.getStaticOffsets(),
                              op.getStaticSizes(), op.getStaticStrides())
              .isValid;
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

/// Replaces `op`, a view of nothing, by one that is not computed from its
/// source's sizes.
static void replaceByView(PatternRewriter &rewriter, Operation *op,
                          ArrayRef<OpFoldResult> sizes) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto known = [&](int64_t number) -> OpFoldResult {
    return rewriter.getIndexAttr(ShapedType::isDynamic(number) ? 0 : number);
  };
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, type, op->getOperand(0), known(offset), sizes,
      llvm::map_to_vector(strides, known));
}

/// The sizes of a slice in the dimensions that it does not drop.
template <typename SliceOp>
static SmallVector<OpFoldResult> getKeptSizes(SliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim))
      sizes.push_back(size);
  return sizes;
}

namespace {

// %r = tensor.extract_slice %x[%o] [0] [1] -> tensor.empty
struct SliceOfNothing : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getType()) && !isOutside(op, op.getSourceType()))
      return failure();
    replaceByEmpty(rewriter, op, getKeptSizes(op));
    return success();
  }
};

// %r = tensor.insert_slice %nothing into %x -> %x
struct InsertNothing : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getSourceType()) && !isOutside(op, op.getDestType()))
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
    if (!hasNoElements(op.getSourceType()) && !isPaddingOnly(op))
      return failure();
    SmallVector<OpFoldResult> sizes = getPaddedSizes(op, rewriter);
    RankedTensorType type = op.getType();
    if (hasNoElements(type)) {
      replaceByEmpty(rewriter, op, sizes);
      return success();
    }
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dynamic.push_back(
            getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), sizes[dim]));
    auto generate =
        tensor::GenerateOp::create(rewriter, op.getLoc(), type, dynamic);
    rewriter.inlineRegionBefore(op.getRegion(), generate.getBody(),
                                generate.getBody().end());
    rewriter.replaceOp(op, generate);
    return success();
  }

private:
  /// Whether the padding alone is as large as the result.
  static bool isPaddingOnly(tensor::PadOp op) {
    for (auto [size, low] :
         llvm::zip_equal(op.getType().getShape(), op.getStaticLow()))
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(low) &&
          low >= size)
        return true;
    return false;
  }

  static SmallVector<OpFoldResult> getPaddedSizes(tensor::PadOp op,
                                                  PatternRewriter &rewriter) {
    auto add = [&](OpFoldResult lhs, OpFoldResult rhs) -> OpFoldResult {
      if (isZeroInteger(lhs))
        return rhs;
      if (isZeroInteger(rhs))
        return lhs;
      return rewriter.createOrFold<arith::AddIOp>(
          op.getLoc(),
          getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), lhs),
          getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), rhs));
    };
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op.getLoc(), op.getSource());
    for (auto [size, low, high] :
         llvm::zip_equal(sizes, op.getMixedLowPad(), op.getMixedHighPad()))
      size = add(add(size, low), high);
    return sizes;
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

// %r = memref.collapse_shape %nothing -> memref.reinterpret_cast. Where another
// size of the group is not known, upstream refuses a result of the size 0.
struct CollapseBufferOfNothing
    : public OpRewritePattern<memref::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    MemRefType type = op.getResultType();
    if (!hasNoElements(op.getSrcType()) || !hasNoElements(type) ||
        !type.hasStaticShape())
      return failure();
    replaceByView(rewriter, op,
                  getAsIndexOpFoldResult(op.getContext(), type.getShape()));
    return success();
  }
};

// %r = memref.subview %x[%o] [0] [1], behind the end -> memref.reinterpret_cast
struct ViewOfNothing : public OpRewritePattern<memref::SubViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::SubViewOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutside(op, op.getSourceType()))
      return failure();
    replaceByView(rewriter, op, getKeptSizes(op));
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

/// The type of a tensor of one element that has this rank.
static RankedTensorType getTypeOfOne(RankedTensorType type) {
  SmallVector<int64_t> ones(type.getRank(), 1);
  return RankedTensorType::get(ones, type.getElementType(), type.getEncoding());
}

// %r = tensor.collapse_shape %x [], of unknown sizes -> of a cast to sizes of
// 1, as buffers have it.
struct CollapseToScalar : public OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getSrcType();
    if (op.getResultType().getRank() != 0 || type.hasStaticShape())
      return failure();
    Value one = tensor::CastOp::create(rewriter, op.getLoc(),
                                       getTypeOfOne(type), op.getSrc());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getResultType(), one, ArrayRef<ReassociationIndices>());
    return success();
  }
};

// %r = tensor.expand_shape %scalar [] to unknown sizes -> a cast of sizes of 1
struct ExpandScalar : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    if (op.getSrcType().getRank() != 0 || type.hasStaticShape())
      return failure();
    Value one = tensor::ExpandShapeOp::create(rewriter, op.getLoc(),
                                              getTypeOfOne(type), op.getSrc(),
                                              ArrayRef<ReassociationIndices>());
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, type, one);
    return success();
  }
};

// %r = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] into tensor<?x4xf32>
//   -> output_shape [%c2, 4]
// Upstream composes such operations, and then looks for an operand for each
// dynamic size of the type (ConvertToStaticExpandShape).
struct ExpandToDynamicSizes : public OpRewritePattern<tensor::ExpandShapeOp> {
  ExpandToDynamicSizes(MLIRContext *context) : OpRewritePattern(context, 2) {}

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    bool changed = false;
    for (auto [size, declared] :
         llvm::zip_equal(sizes, op.getResultType().getShape())) {
      if (!ShapedType::isDynamic(declared) || isa<Value>(size))
        continue;
      size = getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size);
      changed = true;
    }
    if (!changed)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, op.getResultType(), op.getSrc(), op.getReassociationIndices(),
        sizes);
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

/// Of a slice that drops dimensions and keeps others of one element: how it
/// would drop them all.
struct UnitDims {
  /// The sizes, constants as attributes.
  SmallVector<OpFoldResult> sizes;
  /// The sizes that the slice keeps, and their types.
  SmallVector<OpFoldResult> keptSizes;
  SmallVector<int64_t> keptShape;
  /// The sizes that are not 1, and how kept ones are grouped around them.
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
};

/// Returns how a slice would drop all dimensions of one element, unless it
/// drops none, or does so.
template <typename SliceOp>
static std::optional<UnitDims> getUnitDims(SliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  if (dropped.none())
    return std::nullopt;
  UnitDims dims;
  dims.sizes = op.getMixedSizes();
  bool keepsOne = false;
  for (auto [dim, size] : llvm::enumerate(dims.sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    // A negative size fails a check.
    if (constant && *constant < 0)
      constant.reset();
    if (constant)
      size = IntegerAttr::get(IndexType::get(op.getContext()), *constant);
    if (dropped.test(dim))
      continue;
    auto isOne = [](OpFoldResult kept) { return isOneInteger(kept); };
    if (!isOne(size)) {
      dims.shape.push_back(constant.value_or(ShapedType::kDynamic));
      // Dimensions in front of the first kept size belong to it.
      if (dims.groups.empty() || !llvm::all_of(dims.keptSizes, isOne))
        dims.groups.emplace_back();
    } else if (dims.groups.empty()) {
      dims.groups.emplace_back();
    }
    keepsOne |= isOne(size);
    dims.groups.back().push_back(static_cast<int64_t>(dims.keptSizes.size()));
    dims.keptSizes.push_back(size);
    dims.keptShape.push_back(constant.value_or(ShapedType::kDynamic));
  }
  if (!keepsOne)
    return std::nullopt;
  if (dims.shape.empty())
    dims.groups.clear();
  return dims;
}

// %r = tensor.extract_slice %x[%i, 0, %k] [1, %n, 1] [1, 1, 1] to tensor<1x?>
//   -> tensor.expand_shape of the slice that is a tensor<?>
// Which one of several dimensions of one element is kept, upstream finds out in
// several ways, and in the wrong order where a constant becomes static.
struct KeepNoUnitDims : public OpRewritePattern<tensor::ExtractSliceOp> {
  KeepNoUnitDims(MLIRContext *context) : OpRewritePattern(context, 2) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<UnitDims> dims = getUnitDims(op);
    if (!dims)
      return failure();
    Location loc = op.getLoc();
    Type element = op.getType().getElementType();
    auto slice = tensor::ExtractSliceOp::create(
        rewriter, loc, RankedTensorType::get(dims->shape, element),
        op.getSource(), op.getMixedOffsets(), dims->sizes,
        op.getMixedStrides());
    slice->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Value result = tensor::ExpandShapeOp::create(
        rewriter, loc, RankedTensorType::get(dims->keptShape, element), slice,
        dims->groups, dims->keptSizes);
    if (result.getType() != op.getType())
      result = tensor::CastOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

// The same of what is written to a slice, with a tensor.collapse_shape.
template <typename InsertOp>
struct InsertNoUnitDims : public OpRewritePattern<InsertOp> {
  InsertNoUnitDims(MLIRContext *context)
      : OpRewritePattern<InsertOp>(context, 2) {}

  LogicalResult matchAndRewrite(InsertOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<UnitDims> dims = getUnitDims(op);
    if (!dims)
      return failure();
    Location loc = op.getLoc();
    Type element = op.getSourceType().getElementType();
    Value source = op.getSource();
    {
      OpBuilder::InsertionGuard guard(rewriter);
      // The end of an scf.forall holds nothing but insertions.
      if (std::is_same_v<InsertOp, tensor::ParallelInsertSliceOp>)
        rewriter.setInsertionPoint(op->getParentOp());
      auto kept = RankedTensorType::get(dims->keptShape, element);
      if (source.getType() != kept)
        source = tensor::CastOp::create(rewriter, loc, kept, source);
      source = tensor::CollapseShapeOp::create(
          rewriter, loc, RankedTensorType::get(dims->shape, element), source,
          dims->groups);
    }
    auto attributes = op->getDiscardableAttrDictionary();
    auto inserted = rewriter.replaceOpWithNewOp<InsertOp>(
        op, source, op.getDest(), op.getMixedOffsets(), dims->sizes,
        op.getMixedStrides());
    inserted->setDiscardableAttrs(attributes);
    return success();
  }
};

} // namespace

void tally::populateDegenerateSlicePatterns(RewritePatternSet &patterns) {
  patterns
      .add<SliceOfNothing, InsertNothing, PadNothing, ConcatNothing,
           CollapseNothing, CollapseBufferOfNothing, ViewOfNothing,
           ExpandNothing, CollapseToScalar, ExpandScalar, ExpandToDynamicSizes,
           StepOfOne<tensor::ExtractSliceOp>, StepOfOne<tensor::InsertSliceOp>,
           KeepNoUnitDims, InsertNoUnitDims<tensor::InsertSliceOp>,
           InsertNoUnitDims<tensor::ParallelInsertSliceOp>>(
          patterns.getContext());
}
