//===- Calls.cpp - What a call says of sizes ------------------------------===//
//
// A callee's signature gives the sizes of the results; what a private function
// declares of its arguments, its callers owe.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "ShapesImpl.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Symbolic/Text/Parser.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
/// The signature of a callee, with the names of its table solved from what is
/// passed to it.
class CalleeSignature {
public:
  CalleeSignature(CallOpInterface call, FunctionOpInterface callee,
                  SymbolicShapes &shapes);

  /// An expression of the callee's signature as the caller sees it; null if it
  /// mentions a name that the arguments do not tell.
  Expr translate(ExprAttr expr);
  Expr lookup(StringRef name) const { return known.lookup(name); }

  /// Calls `use(declared, actual)` for every size and scalar of an argument of
  /// which something is declared.
  void forEachDeclared(function_ref<void(ExprAttr, Expr)> use);

private:
  Expr getActualValue(ExprAttr declared, Value operand);

  CallOpInterface call;
  FunctionOpInterface callee;
  SymbolicShapes &shapes;
  symbolic::ExprContext names;
  llvm::StringMap<Expr> known;
};
} // namespace

CalleeSignature::CalleeSignature(CallOpInterface call,
                                 FunctionOpInterface callee,
                                 SymbolicShapes &shapes)
    : call(call), callee(callee), shapes(shapes) {
  forEachDeclared([&](ExprAttr declared, Expr actual) {
    if (symbolic::isValidSymbolName(declared.getText()))
      known.try_emplace(declared.getText(), actual);
  });
}

/// The operand for a scalar, in the type of its declaration; null for
/// a tensor whose element is not known.
Expr CalleeSignature::getActualValue(ExprAttr declared, Value operand) {
  Expr actual;
  if (!getRankedType(operand))
    actual = shapes.getValue(operand);
  else if (std::optional<SmallVector<Expr>> elements =
               shapes.getElements(operand))
    actual = elements->front();
  SymbolsAttr table = SymbolsAttr::get(callee);
  SymbolDeclAttr symbol =
      table ? table.lookup(declared.getText()) : SymbolDeclAttr();
  symbolic::ExprContext &context = shapes.getContext();
  if (actual && actual.isBool() && symbol &&
      symbol.getType() == SymbolType::Int)
    return context.select(actual, context.one(), context.zero());
  return actual;
}

void CalleeSignature::forEachDeclared(function_ref<void(ExprAttr, Expr)> use) {
  OperandRange operands = call.getArgOperands();
  if (operands.size() != callee.getNumArguments())
    return;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (auto value =
            callee.getArgAttrOfType<ExprAttr>(index, attr_names::kValue))
      if (Expr actual = getActualValue(value, operand))
        use(value, actual);
    auto shape = callee.getArgAttrOfType<ShapeAttr>(index, attr_names::kShape);
    ShapedType type = getRankedType(operand);
    if (!shape || !type ||
        static_cast<size_t>(type.getRank()) != shape.getSizes().size())
      continue;
    for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
      use(size, shapes.getDim(operand, dim));
  }
}

Expr CalleeSignature::translate(ExprAttr expr) {
  bool isKnown = true;
  symbolic::ParseResult parsed = symbolic::parseExpr(
      expr.getText(), shapes.getContext(), [&](StringRef name) -> Expr {
        Expr value = known.lookup(name);
        if (value)
          return value;
        isKnown = false;
        return shapes.getContext().zero(); // thrown away
      });
  return parsed && isKnown ? parsed.expr : Expr();
}

void tally::detail::inferCall(CallOpInterface call, FunctionOpInterface callee,
                              SymbolicShapes &shapes) {
  if (call->getNumResults() != callee.getNumResults())
    return;
  CalleeSignature signature(call, callee, shapes);
  for (auto [index, result] : llvm::enumerate(call->getResults())) {
    auto shape =
        callee.getResultAttrOfType<ShapeAttr>(index, attr_names::kShape);
    ShapedType type = getRankedType(result);
    if (!shape || !type ||
        static_cast<size_t>(type.getRank()) != shape.getSizes().size())
      continue;
    for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
      if (Expr expr = signature.translate(size); expr && expr.isInt())
        shapes.setDim(result, dim, expr);
  }
}

void tally::detail::collectCallPreconditions(CallOpInterface call,
                                             FunctionOpInterface callee,
                                             SymbolicShapes &shapes,
                                             Preconditions &preconditions) {
  auto symbol = dyn_cast<SymbolOpInterface>(callee.getOperation());
  if (!symbol || symbol.isPublic())
    return; // asserts what it declares
  symbolic::ExprContext &context = shapes.getContext();
  CalleeSignature signature(call, callee, shapes);
  signature.forEachDeclared([&](ExprAttr declared, Expr actual) {
    Expr expr = signature.translate(declared);
    if (expr && expr.getType() == actual.getType())
      preconditions.addEqual(expr, actual);
  });
  SymbolsAttr table = SymbolsAttr::get(callee);
  if (!table)
    return;
  for (SymbolDeclAttr declaration : table.getSymbols()) {
    Expr value = signature.lookup(declaration.getName());
    if (!value || !value.isInt() || declaration.getAssumed())
      continue;
    if (declaration.getLower())
      preconditions.add(symbolic::Comparison::le(
          context.constant(*declaration.getLower()), value));
    if (declaration.getUpper())
      preconditions.add(symbolic::Comparison::le(
          value, context.constant(*declaration.getUpper())));
    if (declaration.getDivisor() != 1)
      preconditions.addEqual(
          context.mod(value, context.constant(declaration.getDivisor())),
          context.zero());
  }
}

FunctionOpInterface
tally::detail::resolveCallee(CallOpInterface call,
                             SymbolTableCollection &symbolTables) {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!name)
    return {};
  return symbolTables.lookupNearestSymbolFrom<FunctionOpInterface>(call, name);
}

void ShapeWalk::inferCallResults(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return;
  if (FunctionOpInterface callee = detail::resolveCallee(call, symbolTables))
    detail::inferCall(call, callee, shapes);
}
