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

/// A tensor in one of zeros, or in a part of that.
std::optional<PaddedImage> PaddedImages::findInserted(Value image) {
  Value whole = image;
  auto part = image.getDefiningOp<tensor::ExtractSliceOp>();
  if (part && part.getSourceType().getRank() == part.getType().getRank() &&
      hasUnitStrides(part))
    whole = part.getSource();
  else
    part = nullptr;
  auto insert = whole.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !hasUnitStrides(insert) || !isZeroFill(insert.getDest()) ||
      insert.getSourceType().getRank() != insert.getType().getRank())
    return std::nullopt;
  PaddedImage found{insert.getSource(), {}};
  SmallVector<OpFoldResult> offsets = insert.getMixedOffsets();
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    std::optional<int64_t> zeros = getConstantIntValue(offset);
    std::optional<int64_t> first =
        part ? getConstantIntValue(part.getMixedOffsets()[dim]) : 0;
    if (!zeros || !first || *zeros < *first)
      return std::nullopt;
    found.padding.push_back(*zeros - *first);
  }
  // As many zeros at the other end.
  for (auto [dim, zeros] : llvm::enumerate(found.padding)) {
    Expr more = getShapes().getContext().sub(
        getShapes().getDim(image, unsigned(dim)),
        getShapes().getDim(found.inner, unsigned(dim)));
    if (!more.isConstant(2 * zeros))
      return std::nullopt;
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

std::optional<PaddedImage> PaddedImages::find(OpBuilder &builder, Value image) {
  auto split = image.getDefiningOp<tensor::ExpandShapeOp>();
  std::optional<PaddedImage> found =
      findInserted(split ? split.getSrc() : image);
  if (!found || !split)
    return found;
  // What is inside is split as the padded tensor is, whose split dimensions are
  // not padded.
  Value inner = found->inner;
  auto from = cast<RankedTensorType>(inner.getType());
  SmallVector<OpFoldResult> sizes = getMixedValues(
      split.getStaticOutputShape(), split.getOutputShape(), builder);
  auto type = cast<RankedTensorType>(split.getType());
  SmallVector<int64_t> shape(type.getShape());
  PaddedImage result;
  result.padding.assign(type.getRank(), 0);
  for (auto [dim, group] : llvm::enumerate(split.getReassociationIndices())) {
    std::optional<int64_t> whole = findWhole(type, group);
    if (!whole && found->padding[dim] != 0)
      return std::nullopt;
    if (!whole)
      continue;
    result.padding[*whole] = found->padding[dim];
    sizes[*whole] =
        tensor::getMixedSize(builder, split.getLoc(), inner, int64_t(dim));
    shape[*whole] = from.getDimSize(int64_t(dim));
  }
  result.inner = tensor::ExpandShapeOp::create(
      builder, split.getLoc(), from.clone(shape), inner,
      split.getReassociationIndices(), sizes);
  return result;
}
