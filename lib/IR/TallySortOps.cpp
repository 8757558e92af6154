//===- TallySortOps.cpp - Orders of elements ------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

MutableOperandRange SortOp::getDpsInitsMutable() {
  // The source is the first operand; what is there of the others follows.
  unsigned count = (getValues() ? 1 : 0) + (getIndices() ? 1 : 0);
  return MutableOperandRange(*this, 1, count);
}

Value SortOp::getValuesResult() {
  bool isThere = getValues() && isa<TensorType>(getValues().getType());
  return isThere ? getResult(0) : Value();
}

Value SortOp::getIndicesResult() {
  bool isThere = getIndices() && isa<TensorType>(getIndices().getType());
  return isThere ? getResults().back() : Value();
}

/// Verifies that a destination has the sizes of the source, but where a part of
/// the order is asked for.
static LogicalResult verifyOutput(SortOp op, Value output) {
  auto source = cast<ShapedType>(op.getSource().getType());
  auto type = cast<ShapedType>(output.getType());
  bool fits = type.getRank() == source.getRank();
  for (int64_t dim = 0; fits && dim < source.getRank(); ++dim) {
    int64_t size = source.getDimSize(dim), wanted = type.getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(wanted))
      continue;
    bool isPart = op.getFirst() && dim == int64_t(op.getDim());
    fits = isPart ? wanted <= size : wanted == size;
  }
  if (!fits)
    return op.emitOpError("cannot order ") << source << " into " << type;
  return success();
}

LogicalResult SortOp::verify() {
  auto source = cast<ShapedType>(getSource().getType());
  Type element = source.getElementType();
  if (!isa<IndexType, FloatType>(element) && !element.isSignlessInteger())
    return emitOpError() << "cannot sort elements of type " << element;
  if (getIsUnsigned() && !isa<IntegerType>(element))
    return emitOpError() << "has no unsigned elements, but " << element;
  if (int64_t(getDim()) >= source.getRank())
    return emitOpError() << "sorts along dimension " << getDim() << " of "
                         << source;
  SmallVector<Value> outputs;
  if (Value values = getValues()) {
    if (getElementTypeOrSelf(values) != element)
      return emitOpError() << "has values of another type than " << element;
    outputs.push_back(values);
  }
  if (Value indices = getIndices()) {
    if (!getElementTypeOrSelf(indices).isInteger(64))
      return emitOpError("has indices of another type than i64");
    outputs.push_back(indices);
  }
  if (outputs.empty())
    return emitOpError("has neither values nor indices");
  for (Value output : outputs)
    if (failed(verifyOutput(*this, output)))
      return failure();
  if (failed(verifyCompatibleShapes(ValueRange(outputs).getTypes())))
    return emitOpError("has values and indices of different sizes");
  SmallVector<Type> expected;
  for (Value output : outputs)
    if (isa<RankedTensorType>(output.getType()))
      expected.push_back(output.getType());
  if ((!expected.empty() && expected.size() != outputs.size()) ||
      TypeRange(expected) != getResultTypes())
    return emitOpError("needs one result for each destination that is a "
                       "tensor, of its type");
  return success();
}

void SortOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto add = [&](MemoryEffects::Effect *effect, OpOperand &operand) {
    if (isa<BaseMemRefType>(operand.get().getType()))
      effects.emplace_back(effect, &operand,
                           SideEffects::DefaultResource::get());
  };
  add(MemoryEffects::Read::get(), getSourceMutable());
  for (OpOperand &output : getDpsInitsMutable())
    add(MemoryEffects::Write::get(), output);
}

namespace {
/// Leaves out the destination whose result nobody asks for.
struct DropUnusedOutput : public OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    Value values = op.getValuesResult(), indices = op.getIndicesResult();
    if (!values || !indices || values.use_empty() == indices.use_empty())
      return rewriter.notifyMatchFailure(op, "all that it makes is used");
    bool keepsValues = indices.use_empty();
    Value kept = keepsValues ? values : indices;
    auto made = SortOp::create(
        rewriter, op.getLoc(), kept.getType(), op.getSource(),
        keepsValues ? op.getValues() : Value(),
        keepsValues ? Value() : op.getIndices(), op.getFirst(), op.getDimAttr(),
        op.getDescendingAttr(), op.getIsUnsignedAttr());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceAllUsesWith(kept, made.getResult(0));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void SortOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropUnusedOutput>(context);
}
