//===- TallyDataDependentOps.cpp - Operations that make symbols -----------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// ItemOp
//===----------------------------------------------------------------------===//

Speculation::Speculatability ItemOp::getSpeculatability() {
  return cast<RankedTensorType>(getSource().getType()).hasStaticShape()
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

LogicalResult ItemOp::verify() {
  auto type = cast<RankedTensorType>(getSource().getType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) && size != 1)
      return emitOpError() << "needs a tensor of one element, not " << type;
  return success();
}

OpFoldResult ItemOp::fold(FoldAdaptor adaptor) {
  if (getBindingsAttr())
    return {};
  if (auto elements =
          dyn_cast_if_present<DenseElementsAttr>(adaptor.getSource()))
    if (elements.getNumElements() == 1)
      return elements.getValues<Attribute>()[0];
  if (auto from = getSource().getDefiningOp<tensor::FromElementsOp>())
    return from.getElements().front();
  if (auto splat = getSource().getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// NonzeroOp
//===----------------------------------------------------------------------===//

LogicalResult NonzeroOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  Type element = source.getElementType();
  if (!isa<IndexType, FloatType>(element) && !element.isSignlessInteger())
    return emitOpError() << "cannot compare elements of type " << element
                         << " with zero";
  if (!result.isDynamicDim(0))
    return emitOpError("has a number of rows that no type can know");
  if (result.getDimSize(1) != source.getRank())
    return emitOpError() << "needs a column for each of the "
                         << source.getRank() << " dimensions of its source";
  return success();
}

//===----------------------------------------------------------------------===//
// MaskedSelectOp
//===----------------------------------------------------------------------===//

static RankedTensorType getVectorType(Type element) {
  return RankedTensorType::get({ShapedType::kDynamic}, element);
}

LogicalResult MaskedSelectOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               MaskedSelectOp::Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(getVectorType(getElementTypeOrSelf(op.getSource())));
  return success();
}

LogicalResult MaskedSelectOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto mask = cast<RankedTensorType>(getMask().getType());
  if (failed(verifyCompatibleShape(source, mask)))
    return emitOpError() << "needs a mask of the shape of its source, not "
                         << mask << " for " << source << "; broadcast them";
  return success();
}

//===----------------------------------------------------------------------===//
// UniqueOp
//===----------------------------------------------------------------------===//

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location>,
                                         UniqueOp::Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto number = IntegerType::get(context, 64);
  types.assign({getVectorType(source.getElementType()),
                RankedTensorType::get(source.getShape(), number),
                getVectorType(number)});
  return success();
}

LogicalResult UniqueOp::verify() {
  Type element = getElementTypeOrSelf(getSource());
  if (!isa<IndexType, FloatType>(element) && !element.isSignlessInteger())
    return emitOpError() << "cannot sort elements of type " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// RepeatInterleaveOp and BincountOp
//===----------------------------------------------------------------------===//

LogicalResult RepeatInterleaveOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location>, RepeatInterleaveOp::Adaptor,
    SmallVectorImpl<Type> &types) {
  types.push_back(getVectorType(IntegerType::get(context, 64)));
  return success();
}

LogicalResult BincountOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           BincountOp::Adaptor op,
                                           SmallVectorImpl<Type> &types) {
  Type element = IntegerType::get(context, 64);
  if (Value weights = op.getWeights())
    element = getElementTypeOrSelf(weights);
  types.push_back(getVectorType(element));
  return success();
}

LogicalResult BincountOp::verify() {
  if (!getWeights())
    return success();
  Type element = getElementTypeOrSelf(getWeights());
  if ((!isa<FloatType>(element) && !element.isSignlessInteger()) ||
      element.isInteger(1))
    return emitOpError() << "cannot add weights of type " << element;
  if (failed(
          verifyCompatibleShape(getWeights().getType(), getValues().getType())))
    return emitOpError() << "needs a weight for each value, not "
                         << getWeights().getType() << " for "
                         << getValues().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// SliceOp, SelectOp and SplitOp
//===----------------------------------------------------------------------===//

/// The type of a tensor of which a dimension has become unknown; null, with a
/// diagnostic, if it has no such dimension.
static RankedTensorType getPartType(std::optional<Location> loc, Value source,
                                    int64_t dim) {
  auto type = cast<RankedTensorType>(source.getType());
  if (dim < 0 || dim >= type.getRank()) {
    (void)emitOptionalError(loc, "there is no dimension ", dim, " in ", type);
    return {};
  }
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = ShapedType::kDynamic;
  return RankedTensorType::get(sizes, type.getElementType());
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        SliceOp::Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(getPartType(loc, op.getSource(), int64_t(op.getDim())));
  return success(types.back() != Type());
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         SelectOp::Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType part =
      getPartType(loc, op.getSource(), int64_t(op.getDim()));
  if (!part)
    return failure();
  SmallVector<int64_t> sizes(part.getShape());
  sizes.erase(sizes.begin() + int64_t(op.getDim()));
  types.push_back(RankedTensorType::get(sizes, part.getElementType()));
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        SplitOp::Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType part =
      getPartType(loc, op.getSource(), int64_t(op.getDim()));
  if (!part)
    return failure();
  types.assign(op.getSizes().size(), part);
  return success();
}
