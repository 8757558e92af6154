//===- SplitTransposedConvolutions.cpp - Results by their remainders ------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "MatmulSums.h"
#include "TransposedConvolution.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"

#include "Common/Fusion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SPLITTRANSPOSEDCONVOLUTIONS
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-split-transposed-convolutions"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// Steps of more elements, and larger windows, are left alone: there would be
/// many small convolutions.
static constexpr int64_t kMostSteps = 4, kMostTaps = 64;

namespace {

/// The results that are `stride` apart along a dimension, from `first` on: a
/// convolution of the input as it is, padded, with each `stride`-th element of
/// the window.
struct Phase {
  int64_t first;
  /// The elements of the window: the first one, and how many.
  int64_t tap, numTaps;
  /// The first element of the input that is read; zeros are before it where it
  /// is negative.
  int64_t start;
  /// How many results there are, of the sizes d0 of the input and d1 of all
  /// results.
  AffineExpr count;

  /// How many elements are read.
  AffineExpr getRead() const { return count + (numTaps - 1); }
};

/// Splits one convolution.
class ConvolutionSplitter {
public:
  ConvolutionSplitter(linalg::LinalgOp op, Value weight, Value image,
                      const Convolution &convolution, PaddedImages &images)
      : op(op), builder(op), loc(op.getLoc()), images(images), weight(weight),
        image(image), convolution(convolution), init(op.getDpsInits().front()) {
  }

  /// Returns the result, or nothing where there is a single phase.
  Value split();

private:
  bool findPhases();
  Phase getPhase(size_t dim, int64_t first, std::optional<int64_t> difference);
  /// The ends of what phases read of an input with so many zeros in front, as
  /// far as one may be behind the others.
  SmallVector<AffineExpr> findEnds(ArrayRef<Phase> list, int64_t before);
  Value createPadded();
  /// Adds what a combination of phases gives to `into`.
  Value insertPhase(Value into, Value padded, ArrayRef<Phase> phase);
  Value createPart(Value source, Value part, Value target);

  int64_t getDim(size_t spatial) const {
    return spread.firstSpatial + int64_t(spatial);
  }
  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }
  /// The sizes of the input and of all results.
  SmallVector<OpFoldResult> getSizes(int64_t dim) {
    return {tensor::getMixedSize(builder, loc, spread.image.inner, dim),
            tensor::getMixedSize(builder, loc, init, dim)};
  }
  OpFoldResult getSize(AffineExpr size, int64_t dim) {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(2, 0, size), getSizes(dim));
  }

  linalg::LinalgOp op;
  OpBuilder builder;
  Location loc;
  PaddedImages &images;
  Value weight, image;
  const Convolution &convolution;
  Value init;
  SpreadConvolution spread;
  /// Of each spatial dimension.
  SmallVector<SmallVector<Phase>> phases;
  SmallVector<int64_t> low;
};

} // namespace

/// The window of result `first` + stride * m begins between elements of the
/// input: the first one that it has is m + start.
/// There are `difference` more results, if that is known, than `stride` times
/// the elements of the input.
Phase ConvolutionSplitter::getPhase(size_t dim, int64_t first,
                                    std::optional<int64_t> difference) {
  int64_t stride = spread.image.strides[getDim(dim)];
  int64_t behind = spread.image.padding[getDim(dim)] - first;
  int64_t tap = ((behind % stride) + stride) % stride;
  int64_t window = spread.window[dim];
  int64_t numTaps =
      window > tap ? llvm::divideCeilSigned(window - tap, stride) : 0;
  AffineExpr count =
      difference ? builder.getAffineDimExpr(0) +
                       llvm::divideCeilSigned(*difference - first, stride)
                 : (builder.getAffineDimExpr(1) - first).ceilDiv(stride);
  return {first, tap, numTaps, (tap - behind) / stride, count};
}

bool ConvolutionSplitter::findPhases() {
  bool isApart = false;
  for (size_t dim = 0; dim < spread.window.size(); ++dim) {
    int64_t stride = spread.image.strides[getDim(dim)];
    if (stride > kMostSteps || spread.window[dim] > kMostTaps ||
        spread.dilations[dim] != 1)
      return false;
    std::optional<int64_t> difference =
        images.getDifference(init, stride, spread.image.inner, getDim(dim));
    isApart |= stride > 1;
    SmallVector<Phase> &list = phases.emplace_back();
    for (int64_t first = 0; first < stride; ++first)
      list.push_back(getPhase(dim, first, difference));
  }
  return isApart;
}

SmallVector<AffineExpr> ConvolutionSplitter::findEnds(ArrayRef<Phase> list,
                                                      int64_t before) {
  AffineExpr input = builder.getAffineDimExpr(0);
  SmallVector<AffineExpr> ends;
  int64_t most = before;
  for (const Phase &phase : list) {
    if (phase.numTaps == 0)
      continue;
    AffineExpr end = phase.getRead() + (before + phase.start);
    if (auto more =
            dyn_cast<AffineConstantExpr>(simplifyAffineExpr(end - input, 2, 0)))
      most = std::max(most, more.getValue());
    else
      ends.push_back(end);
  }
  ends.push_back(input + most);
  return ends;
}

/// The input with as many zeros as any phase reads.
Value ConvolutionSplitter::createPadded() {
  Value inner = spread.image.inner;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, inner);
  SmallVector<OpFoldResult> given = sizes, offsets(sizes.size(), index(0)),
                            strides(sizes.size(), index(1));
  for (auto [i, list] : llvm::enumerate(phases)) {
    int64_t dim = getDim(i), before = 0;
    for (const Phase &phase : list)
      if (phase.numTaps > 0)
        before = std::max(before, -phase.start);
    low.push_back(before);
    offsets[dim] = index(before);
    sizes[dim] = affine::makeComposedFoldedAffineMax(
        builder, loc,
        AffineMap::get(2, 0, findEnds(list, before), op.getContext()),
        getSizes(dim));
  }
  if (sizes == given)
    return inner;
  Type type = getElementTypeOrSelf(inner);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, type);
  Value zeros = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return tensor::InsertSliceOp::create(builder, loc, inner, zeros, offsets,
                                       given, strides);
}

/// The same sums of products of parts of the operands.
Value ConvolutionSplitter::createPart(Value source, Value part, Value target) {
  SmallVector<Value> inputs;
  for (Value input : op.getDpsInputs())
    inputs.push_back(input == image ? source : part);
  IRMapping map;
  auto made = linalg::GenericOp::create(builder, loc, target.getType(), inputs,
                                        target, op.getIndexingMapsArray(),
                                        op.getIteratorTypesArray());
  Region &region = made.getRegion();
  op->getRegion(0).cloneInto(&region, map);
  return made.getResult(0);
}

Value ConvolutionSplitter::insertPhase(Value into, Value padded,
                                       ArrayRef<Phase> phase) {
  Value inner = spread.image.inner;
  SmallVector<OpFoldResult> read = tensor::getMixedSizes(builder, loc, inner),
                            taps = tensor::getMixedSizes(builder, loc, weight),
                            made = tensor::getMixedSizes(builder, loc, init);
  SmallVector<OpFoldResult> from(read.size(), index(0)),
      tap = from, to = from, ones(read.size(), index(1)), steps = ones,
      apart = ones;
  for (auto [i, along] : llvm::enumerate(phase)) {
    if (along.numTaps == 0)
      return into;
    int64_t dim = getDim(i), stride = spread.image.strides[dim];
    from[dim] = index(low[i] + along.start);
    made[dim] = getSize(along.count, dim);
    read[dim] = getSize(along.getRead(), dim);
    tap[dim] = index(along.tap);
    taps[dim] = index(along.numTaps);
    steps[dim] = index(stride);
    to[dim] = index(along.first);
  }
  Value source =
      tensor::ExtractSliceOp::create(builder, loc, padded, from, read, ones);
  Value part =
      tensor::ExtractSliceOp::create(builder, loc, weight, tap, taps, steps);
  Type type = getElementTypeOrSelf(init);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value empty = tensor::EmptyOp::create(builder, loc, made, type);
  Value zeros = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  Value sums = createPart(source, part, zeros);
  return tensor::InsertSliceOp::create(builder, loc, sums, into, to, made,
                                       steps);
}

Value ConvolutionSplitter::split() {
  std::optional<SpreadConvolution> found =
      findSpreadConvolution(builder, images, weight, image, convolution);
  if (!found)
    return Value();
  spread = *found;
  if (!findPhases())
    return Value();
  SmallVector<SmallVector<Phase>> combinations{{}};
  for (ArrayRef<Phase> list : phases) {
    SmallVector<SmallVector<Phase>> longer;
    for (ArrayRef<Phase> start : combinations)
      for (const Phase &phase : list) {
        SmallVector<Phase> next(start);
        next.push_back(phase);
        longer.push_back(next);
      }
    combinations = longer;
  }
  Value padded = createPadded(), result = init;
  for (ArrayRef<Phase> phase : combinations)
    result = insertPhase(result, padded, phase);
  return result;
}

/// The convolution that an operation computes, with the weight and the image.
static std::optional<Convolution> getConvolved(linalg::LinalgOp op,
                                               Value &weight, Value &image) {
  if (!isMultiplied(op) || !isZeroFill(op.getDpsInits().front()))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  weight = op.getDpsInputs()[0];
  image = op.getDpsInputs()[1];
  for (bool isSwapped : {false, true}) {
    std::optional<ContractLoops> loops = getContractLoops(maps);
    std::optional<Convolution> found;
    if (loops)
      found = getConvolution(*loops);
    if (found && !found->givesWeight && !found->givesImage)
      return found;
    if (!isSwapped) {
      std::swap(maps[0], maps[1]);
      std::swap(weight, image);
    }
  }
  return std::nullopt;
}

void tally::splitTransposedConvolutions(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) {
    Value weight, image;
    if (getConvolved(op, weight, image))
      ops.push_back(op);
  });
  PaddedImages images(function);
  for (linalg::LinalgOp op : ops) {
    Value weight, image;
    std::optional<Convolution> convolution = getConvolved(op, weight, image);
    Value result =
        ConvolutionSplitter(op, weight, image, *convolution, images).split();
    if (!result)
      continue;
    LDBG() << describeLastPart(op) << ": a convolution for each remainder";
    op->getResult(0).replaceAllUsesWith(result);
    images.forget(op);
    op->erase();
  }
}

namespace {
struct SplitTransposedConvolutionsPass
    : tally::impl::SplitTransposedConvolutionsBase<
          SplitTransposedConvolutionsPass> {
  void runOnOperation() override {
    tally::splitTransposedConvolutions(getOperation());
  }
};

} // namespace
