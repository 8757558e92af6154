//===- ValueNumbering.cpp - The same question twice -----------------------===//
//
// An operation that makes symbols has the same results as one before it that
// does the same to the same values, and so does a second read of the element of
// a tensor. The one before it has to run on every way to it: a table with a
// scope for each block holds what does.
//
//===----------------------------------------------------------------------===//

#include "ShapesImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tally;

/// The tensor whose only element an operation reads, or null.
static Value getReadTensor(Operation *op) {
  if (auto item = dyn_cast<ItemOp>(op))
    return item.getSource();
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  return extract && extract.getIndices().empty() ? extract.getTensor()
                                                 : Value();
}

/// The attributes that tell what an operation does, without the names that it
/// gives.
static SmallVector<NamedAttribute> getMeaning(Operation *op) {
  SmallVector<NamedAttribute> attributes(op->getAttrDictionary().getValue());
  llvm::erase_if(attributes, [](NamedAttribute attribute) {
    return isa<BindingsAttr>(attribute.getValue());
  });
  return attributes;
}

unsigned SameValueNumber::getHashValue(const Operation *key) {
  auto *op = const_cast<Operation *>(key);
  if (Value tensor = getReadTensor(op))
    return DenseMapInfo<Value>::getHashValue(tensor);
  return llvm::hash_combine(
      op->getName(),
      llvm::hash_combine_range(op->operand_begin(), op->operand_end()));
}

bool SameValueNumber::isEqual(const Operation *a, const Operation *b) {
  if (a == b)
    return true;
  if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
      b == getTombstoneKey())
    return false;
  auto *first = const_cast<Operation *>(a);
  auto *second = const_cast<Operation *>(b);
  if (Value tensor = getReadTensor(first))
    return tensor == getReadTensor(second);
  return first->getName() == second->getName() &&
         first->getOperands() == second->getOperands() &&
         first->getResultTypes() == second->getResultTypes() &&
         getMeaning(first) == getMeaning(second);
}

/// Returns true if the results depend on nothing but what the operation is and
/// its operands, which do not change.
static bool isRepeatable(Operation *op) {
  if (getReadTensor(op))
    return true;
  if (!isa<UnbackedBindingOpInterface>(op) || op->getNumRegions() != 0 ||
      op->getNumOperands() == 0)
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  auto namesSymbols = [](const MemoryEffects::EffectInstance &effect) {
    return isa<SymbolResource>(effect.getResource());
  };
  auto isMemory = [](Type type) { return isa<BaseMemRefType>(type); };
  return effects && llvm::all_of(*effects, namesSymbols) &&
         llvm::none_of(op->getOperandTypes(), isMemory);
}

void ShapeWalk::inferFromTwin(Operation *op) {
  if (!valueNumbers.getCurScope() || lateDepth != 0 || !isRepeatable(op))
    return;
  Operation *twin = valueNumbers.lookup(op);
  if (!twin)
    return valueNumbers.insert(op, op);
  if (twin == op)
    return;
  for (auto [known, result] : llvm::zip(twin->getResults(), op->getResults())) {
    ShapedType type = getRankedType(result);
    if (!type) {
      shapes.setValue(result, shapes.getValue(known));
      continue;
    }
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      shapes.setDim(result, dim, shapes.getDim(known, dim));
  }
}
