//===- TallyDataDependentOps.cpp - Operations that make symbols -----------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

/// Verifies that a key path leads somewhere.
static LogicalResult verifyKeyPath(Operation *op, BindingAttr binding) {
  StringRef symbol = binding.getSymbol();
  if (binding.getResult() >= op->getNumResults())
    return op->emitOpError()
           << "binds '" << symbol << "' to result " << binding.getResult()
           << ", but has " << op->getNumResults() << " results";
  Type type = op->getResult(binding.getResult()).getType();
  if (binding.getKind() == KeyPathKind::Value) {
    if (!type.isIntOrIndexOrFloat())
      return op->emitOpError() << "binds '" << symbol << "' to the value of a "
                               << type << "; read one of its sizes";
    return success();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitOpError()
           << "binds '" << symbol << "' to the "
           << stringifyKeyPathKind(binding.getKind()) << " of a " << type;
  if (binding.getKind() != KeyPathKind::StorageOffset &&
      binding.getDim() >= tensor.getRank())
    return op->emitOpError()
           << "binds '" << symbol << "' to dimension " << binding.getDim()
           << " of a tensor of rank " << tensor.getRank();
  return success();
}

LogicalResult tally::detail::verifyBindings(Operation *op) {
  BindingsAttr bindings =
      cast<UnbackedBindingOpInterface>(op).getSymbolBindings();
  if (!bindings)
    return success();
  SymbolsAttr table = SymbolsAttr::getEnclosing(op);
  for (BindingAttr binding : bindings.getBindings()) {
    if (failed(verifyKeyPath(op, binding)))
      return failure();
    SymbolDeclAttr symbol =
        table ? table.lookup(binding.getSymbol()) : SymbolDeclAttr();
    if (!symbol)
      return op->emitOpError()
             << "binds '" << binding.getSymbol()
             << "', which the function's 'tally.symbols' does not declare";
    if (!symbol.getUnbacked())
      return op->emitOpError() << "binds '" << binding.getSymbol()
                               << "', which is not declared as 'unbacked'";
  }
  return success();
}

/// What makes symbols writes what names mean.
static void
getBindingEffects(BindingsAttr bindings,
                  SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (bindings)
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}

//===----------------------------------------------------------------------===//
// ItemOp
//===----------------------------------------------------------------------===//

void ItemOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getBindingEffects(getBindingsAttr(), effects);
}

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

void NonzeroOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getBindingEffects(getBindingsAttr(), effects);
}

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
