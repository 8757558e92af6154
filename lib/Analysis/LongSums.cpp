//===- LongSums.cpp - Sums that grow term by term -------------------------===//

#include "LongSums.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

/// Sums of up to so many terms are written out.
static constexpr size_t kMaxTerms = 32;

bool tally::isLong(Expr expr) {
  return expr.getKind() == symbolic::ExprKind::Add &&
         expr.getOperands().size() > kMaxTerms;
}

/// Returns true if a symbol can stand for a value: symbols have 64 bits.
static bool mayBeSymbol(ShapeKey key) {
  Type type = key.first.getType();
  return key.second >= 0 || type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
}

Expr tally::replacePart(Expr sum, Expr part, Expr symbol,
                        symbolic::ExprContext &context) {
  symbolic::Term first = symbolic::getTerm(part.getOperand(0), context);
  for (Expr operand : sum.getOperands()) {
    symbolic::Term term = symbolic::getTerm(operand, context);
    if (term.monomial != first.monomial ||
        symbolic::pythonMod(term.coefficient, first.coefficient) != 0)
      continue;
    symbolic::DynamicAPInt factor = term.coefficient / first.coefficient;
    Expr rest = context.sub(sum, context.scale(factor, part));
    Expr result = context.add(rest, context.scale(factor, symbol));
    return result.getOperands().size() < sum.getOperands().size() ? result
                                                                  : Expr();
  }
  return {};
}

Expr LongSums::shorten(Expr expr, Operation *op) {
  if (longSymbols.empty())
    return expr;
  if (!isLong(expr)) {
    SmallVector<Expr, 4> operands;
    if (expr.isBool())
      for (Expr operand : expr.getOperands())
        operands.push_back(shorten(operand, op));
    return ArrayRef(operands) == expr.getOperands() || !expr.isBool()
               ? expr
               : context.rebuild(expr, operands);
  }
  for (Expr symbol : longSymbols) {
    Expr sum = sumOfSymbol.lookup(symbol);
    std::optional<ShapeKey> origin = symbols.getOrigin(symbol);
    if (!isLong(expr) || !sum || !origin ||
        !symbols.isAvailable(origin->first, op))
      continue;
    if (Expr shorter = replacePart(expr, sum, symbol, context))
      expr = shorter;
  }
  return expr;
}

Expr LongSums::limitLength(ShapeKey key, Expr value) {
  Operation *op = key.first.getDefiningOp();
  if (!isLong(value) || !op)
    return value;
  value = shorten(value, op);
  if (!isLong(value) || !mayBeSymbol(key))
    return value;
  auto [it, isNew] = keyOfSum.try_emplace(value, key);
  if (!isNew && it->second != key && symbols.isAvailable(it->second.first, op))
    return symbols.get(it->second);
  Expr symbol = symbols.get(key);
  if (sumOfSymbol.try_emplace(symbol, value).second) {
    symbolsOfOperation[op].push_back(symbol);
    longSymbols.push_back(symbol);
  }
  // Among the facts it is stated where they are in scope: by establishResults.
  facts.copyRange(symbol, value);
  return symbol;
}

void LongSums::forget(Operation *op) {
  auto found = symbolsOfOperation.find(op);
  if (found == symbolsOfOperation.end())
    return;
  for (Expr symbol : found->second)
    forgetSymbol(symbol);
  symbolsOfOperation.erase(found);
}

void LongSums::forgetSymbol(Expr symbol) {
  auto found = sumOfSymbol.find(symbol);
  if (found == sumOfSymbol.end())
    return;
  auto named = keyOfSum.find(found->second);
  if (named != keyOfSum.end() && symbols.lookup(named->second) == symbol)
    keyOfSum.erase(named);
  sumOfSymbol.erase(found);
  llvm::erase(longSymbols, symbol);
}

void LongSums::establish(Operation *op, symbolic::Facts &into) const {
  auto found = symbolsOfOperation.find(op);
  if (found == symbolsOfOperation.end())
    return;
  for (Expr symbol : found->second)
    if (Expr sum = sumOfSymbol.lookup(symbol))
      into.setRange(symbol, into.range(sum), symbolic::Provenance::Proven);
}
