//===- VerifyBindings.cpp - What operations bind --------------------------===//

#include "tally/IR/Bindings.h"
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

/// Verifies that the symbol is of the type of what the key path reads: sizes
/// are integers, and a boolean may be the integer 0 or 1.
static LogicalResult verifySymbolType(Operation *op, BindingAttr binding,
                                      SymbolDeclAttr symbol) {
  Type type = op->getResult(binding.getResult()).getType();
  bool isValue = binding.getKind() == KeyPathKind::Value;
  bool fits = symbol.getType() == SymbolType::Float
                  ? isValue && isa<FloatType>(type)
              : symbol.getType() == SymbolType::Bool
                  ? isValue && type.isInteger(1)
                  : !isValue || !isa<FloatType>(type);
  if (!fits)
    return op->emitOpError()
           << "binds '" << binding.getSymbol() << "', which is declared as "
           << stringifySymbolType(symbol.getType()) << ", to "
           << (isValue ? "a value of type " : "the size of a ") << type;
  if (binding.getDivisor() != 1 && symbol.getType() != SymbolType::Int)
    return op->emitOpError() << "divides the value of '" << binding.getSymbol()
                             << "', which is no integer";
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
    if (failed(verifySymbolType(op, binding, symbol)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Behind the named form
//===----------------------------------------------------------------------===//

LogicalResult tally::requireBound(Operation *op) {
  auto binding = dyn_cast<UnbackedBindingOpInterface>(op);
  if (!binding || !binding.getSymbolBindings())
    return success();
  return op->emitOpError("makes symbols that are not bound; run "
                         "'tally-bind-symbols' first");
}
