//===- LowerSlices.cpp - tally.slice, tally.select and tally.split --------===//

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;

/// A position counted from the end of a dimension, for what is negative; of
/// anything else nobody asks for it, but it does not overflow.
static Value createFromEnd(LoopBuilder &loops, Value index, Value size) {
  return loops.add(loops.min(index, loops.index(-1)), size);
}

static Value createIsNegative(LoopBuilder &loops, Value index) {
  return loops.compare(arith::CmpIPredicate::slt, index, loops.index(0));
}

/// The elements offset, offset + stride, ... of a dimension; all of the others.
/// A type with fewer dimensions is without this one.
static Value createPart(LoopBuilder &loops, Value source, int64_t dim,
                        Value offset, OpFoldResult count, int64_t stride,
                        RankedTensorType type) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  SmallVector<OpFoldResult> offsets(rank, loops.b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, loops.b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(loops.b, loops.loc, source);
  offsets[dim] = offset;
  sizes[dim] = count;
  strides[dim] = loops.b.getIndexAttr(stride);
  if (!llvm::is_contained(type.getShape(), 0))
    return tensor::ExtractSliceOp::create(loops.b, loops.loc, type, source,
                                          offsets, sizes, strides);
  // Upstream has no slice of a static dimension without elements.
  if (type.getRank() < rank)
    sizes.erase(sizes.begin() + dim);
  Value empty =
      tensor::EmptyOp::create(loops.b, loops.loc, sizes, type.getElementType());
  if (empty.getType() == type)
    return empty;
  return tensor::CastOp::create(loops.b, loops.loc, type, empty);
}

namespace {
struct LowerSlice : public DataDependentPattern<SliceOp> {
  using DataDependentPattern::DataDependentPattern;

  /// A bound as a position in [0, size]. Each case is a position for every
  /// bound, so that this can be seen without looking at the condition.
  static Value createBound(LoopBuilder &loops, Value bound, Value size) {
    Value fromEnd =
        loops.max(createFromEnd(loops, bound, size), loops.index(0));
    return loops.select(createIsNegative(loops, bound), fromEnd,
                        loops.min(loops.max(bound, loops.index(0)), size));
  }

  Values lower(SliceOp op, LoopBuilder &loops) const override {
    int64_t step = op.getStep(), dim = op.getDim();
    Value size = loops.size(op.getSource(), dim);
    Value start = createBound(loops, op.getStart(), size);
    Value end = createBound(loops, op.getEnd(), size);
    Value count = loops.max(loops.sub(end, start), loops.index(0));
    if (step != 1)
      count = loops.create<arith::CeilDivSIOp>(count, loops.index(step));
    return {createPart(loops, op.getSource(), dim, start, count, step,
                       cast<RankedTensorType>(op.getType()))};
  }
};

struct LowerSelect : public DataDependentPattern<SelectOp> {
  using DataDependentPattern::DataDependentPattern;

  Values lower(SelectOp op, LoopBuilder &loops) const override {
    Value index = op.getIndex(), size = loops.size(op.getSource(), op.getDim());
    Value position = loops.select(createIsNegative(loops, index),
                                  createFromEnd(loops, index, size), index);
    return {createPart(loops, op.getSource(), op.getDim(), position,
                       loops.b.getIndexAttr(1), /*stride=*/1,
                       cast<RankedTensorType>(op.getType()))};
  }
};

struct LowerSplit : public DataDependentPattern<SplitOp> {
  using DataDependentPattern::DataDependentPattern;

  Values lower(SplitOp op, LoopBuilder &loops) const override {
    Values parts;
    Value offset = loops.index(0);
    for (auto [size, type] :
         llvm::zip_equal(op.getSizes(), op.getResultTypes())) {
      parts.push_back(createPart(loops, op.getSource(), op.getDim(), offset,
                                 size, /*stride=*/1,
                                 cast<RankedTensorType>(type)));
      offset = loops.add(offset, size);
    }
    return parts;
  }
};
} // namespace

void tally::populateLowerSlicesPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSlice, LowerSelect, LowerSplit>(patterns.getContext());
}
