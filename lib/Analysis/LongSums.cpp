//===- LongSums.cpp - Sums that grow term by term -------------------------===//
//
// Where pieces are packed one behind the other, each starts at the sum of all
// sizes before: written out, N such sums have N * N / 2 terms. A sum of many
// terms is a number of its own instead, which the sums after it start from. Of
// how it came about its range is kept, so that less can be proven about it.
//
//===----------------------------------------------------------------------===//

#include "ShapesImpl.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

/// Sums of up to so many terms are written out.
static constexpr size_t maxTerms = 32;

bool tally::isLong(Expr expr) {
  return expr.getKind() == symbolic::ExprKind::Add &&
         expr.getOperands().size() > maxTerms;
}

/// True if a symbol can stand for a value: symbols have 64 bits.
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

bool SymbolicShapes::Impl::isAvailableAt(ShapeKey key, Operation *op) {
  if (!dominance)
    dominance = std::make_unique<DominanceInfo>(root);
  return op && dominance->properlyDominates(key.first, op);
}

Expr SymbolicShapes::Impl::shorten(Expr expr, Operation *op) {
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
    if (!isLong(expr) || !sum || !isAvailableAt(origins.lookup(symbol), op))
      continue;
    if (Expr shorter = replacePart(expr, sum, symbol, context))
      expr = shorter;
  }
  return expr;
}

Expr SymbolicShapes::Impl::limitLength(ShapeKey key, Expr value) {
  Operation *op = key.first.getDefiningOp();
  if (!isLong(value) || !op)
    return value;
  value = shorten(value, op);
  if (!isLong(value) || !mayBeSymbol(key))
    return value;
  auto [it, isNew] = longSums.try_emplace(value, key);
  if (!isNew && it->second != key && isAvailableAt(it->second, op))
    return symbolOf(it->second);
  Expr symbol = symbolOf(key);
  if (sumOfSymbol.try_emplace(symbol, value).second) {
    sumsOfOperation[op].push_back(symbol);
    longSymbols.push_back(symbol);
  }
  // Among the facts it is stated where they are in scope: by establishResults.
  if (declaredFacts && statementScopes != 0)
    declaredFacts->setRange(symbol, declaredFacts->range(value),
                            symbolic::Provenance::Proven);
  return symbol;
}

/// An operation is visited (again).
void SymbolicShapes::Impl::forgetSums(Operation *op) {
  auto found = sumsOfOperation.find(op);
  if (found == sumsOfOperation.end())
    return;
  for (Expr symbol : found->second)
    forgetSum(symbol);
  sumsOfOperation.erase(found);
}

void SymbolicShapes::Impl::forgetSum(Expr symbol) {
  auto found = sumOfSymbol.find(symbol);
  if (found == sumOfSymbol.end())
    return;
  auto named = longSums.find(found->second);
  if (named != longSums.end() && symbols.lookup(named->second) == symbol)
    longSums.erase(named);
  sumOfSymbol.erase(found);
  llvm::erase(longSymbols, symbol);
}

void SymbolicShapes::establishResults(Operation *op) {
  for (Expr fact : impl->alternativesOf.lookup(op))
    getFacts().add(fact, symbolic::Provenance::Proven,
                   "the branch that was taken");
  for (Expr fact : impl->agreements.lookup(op))
    getFacts().add(fact, symbolic::Provenance::Proven,
                   "arithmetic that does not wrap around");
  auto found = impl->sumsOfOperation.find(op);
  if (found == impl->sumsOfOperation.end())
    return;
  symbolic::Facts &facts = getFacts();
  for (Expr symbol : found->second)
    if (Expr sum = impl->sumOfSymbol.lookup(symbol))
      facts.setRange(symbol, facts.range(sum), symbolic::Provenance::Proven);
}
