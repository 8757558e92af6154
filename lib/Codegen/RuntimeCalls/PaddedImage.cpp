//===- PaddedImage.cpp - What a convolution pads itself -------------------===//
//
// An image is padded where it is inserted into zeros. Of that, a part may be
// taken, as gradients do, and channels may be split into groups.
//
//===----------------------------------------------------------------------===//

#include "PaddedImage.h"
#include "MatmulSums.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;
using symbolic::Expr;

SymbolicShapes &PaddedImages::getShapes() {
  if (!shapes)
    shapes = std::make_unique<SymbolicShapes>(function,
                                              SymbolicShapesOptions::bound());
  return *shapes;
}

static bool hasUnitStrides(OffsetSizeAndStrideOpInterface op) {
  return llvm::all_of(op.getMixedStrides(), [](OpFoldResult stride) {
    return isConstantIntValue(stride, 1);
  });
}

std::optional<int64_t> PaddedImages::getDifference(Value of, int64_t times,
                                                   Value other, int64_t dim) {
  symbolic::ExprContext &exprs = getShapes().getContext();
  Expr more = exprs.sub(getShapes().getDim(of, unsigned(dim)),
                        exprs.mul(exprs.constant(times),
                                  getShapes().getDim(other, unsigned(dim))));
  if (!more.isConstant())
    return std::nullopt;
  return int64_t(more.getConstant());
}

/// A tensor in one of zeros, or in a part of that.
std::optional<PaddedImage> PaddedImages::findInserted(Value image) {
  auto rank = cast<RankedTensorType>(image.getType()).getRank();
  Value whole = image;
  SmallVector<int64_t> first(rank, 0);
  while (auto part = whole.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (part.getSourceType().getRank() != rank || !hasUnitStrides(part))
      break;
    for (auto [sum, offset] : llvm::zip_equal(first, part.getMixedOffsets())) {
      std::optional<int64_t> start = getConstantIntValue(offset);
      if (!start)
        return std::nullopt;
      sum += *start;
    }
    whole = part.getSource();
  }
  auto insert = whole.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !isZeroFill(insert.getDest()) ||
      insert.getSourceType().getRank() != rank)
    return std::nullopt;
  PaddedImage found{insert.getSource(), {}, {}, {}};
  SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
  for (auto [dim, start, offset, step] : llvm::enumerate(
           first, insert.getMixedOffsets(), insert.getMixedStrides())) {
    std::optional<int64_t> zeros = getConstantIntValue(offset);
    std::optional<int64_t> stride = getConstantIntValue(step);
    if (!zeros || !stride)
      return std::nullopt;
    found.padding.push_back(*zeros - start);
    found.strides.push_back(*stride);
    // The size of the source may have another name.
    Expr more =
        getShapes().getContext().sub(getShapes().getDim(image, unsigned(dim)),
                                     getShapes().getValue(sizes[dim]));
    found.isWhole.push_back(*zeros == start && *stride == 1 &&
                            more.isConstant(0));
  }
  return found;
}

/// The one dimension of a group that has all elements; nothing where there are
/// several.
static std::optional<int64_t> findWhole(RankedTensorType type,
                                        ArrayRef<int64_t> group) {
  std::optional<int64_t> whole;
  for (int64_t dim : group) {
    if (group.size() > 1 && type.getDimSize(dim) == 1)
      continue;
    if (whole)
      return std::nullopt;
    whole = dim;
  }
  return whole;
}

/// What is inside is split as the padded tensor is, whose split dimensions are
/// not padded.
static std::optional<PaddedImage> splitInner(OpBuilder &builder,
                                             tensor::ExpandShapeOp split,
                                             const PaddedImage &found) {
  Value inner = found.inner;
  auto from = cast<RankedTensorType>(inner.getType());
  SmallVector<OpFoldResult> sizes = getMixedValues(
      split.getStaticOutputShape(), split.getOutputShape(), builder);
  auto type = cast<RankedTensorType>(split.getType());
  SmallVector<int64_t> shape(type.getShape());
  PaddedImage result;
  result.padding.assign(type.getRank(), 0);
  result.strides.assign(type.getRank(), 1);
  result.isWhole.assign(type.getRank(), true);
  for (auto [dim, group] : llvm::enumerate(split.getReassociationIndices())) {
    std::optional<int64_t> whole = findWhole(type, group);
    if (!whole && !found.isWhole[dim])
      return std::nullopt;
    if (!whole)
      continue;
    result.padding[*whole] = found.padding[dim];
    result.strides[*whole] = found.strides[dim];
    result.isWhole[*whole] = found.isWhole[dim];
    sizes[*whole] =
        tensor::getMixedSize(builder, split.getLoc(), inner, int64_t(dim));
    shape[*whole] = from.getDimSize(int64_t(dim));
  }
  result.inner = tensor::ExpandShapeOp::create(
      builder, split.getLoc(), from.clone(shape), inner,
      split.getReassociationIndices(), sizes);
  return result;
}

std::optional<PaddedImage> PaddedImages::findSpread(OpBuilder &builder,
                                                    Value image) {
  auto split = image.getDefiningOp<tensor::ExpandShapeOp>();
  std::optional<PaddedImage> found =
      findInserted(split ? split.getSrc() : image);
  return found && split ? splitInner(builder, split, *found) : found;
}

std::optional<PaddedImage> PaddedImages::find(OpBuilder &builder, Value image) {
  auto split = image.getDefiningOp<tensor::ExpandShapeOp>();
  Value padded = split ? split.getSrc() : image;
  std::optional<PaddedImage> found = findInserted(padded);
  if (!found)
    return std::nullopt;
  // As many zeros at the other end.
  for (auto [dim, zeros] : llvm::enumerate(found->padding))
    if (zeros < 0 || found->strides[dim] != 1 ||
        getDifference(padded, 1, found->inner, int64_t(dim)) != 2 * zeros)
      return std::nullopt;
  return split ? splitInner(builder, split, *found) : found;
}
