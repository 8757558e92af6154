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

/// True if what the first key stands for exists where the second one is made.
static bool isAvailableAt(ShapeKey known, ShapeKey later,
                          DominanceInfo &dominance) {
  Operation *op = later.first.getDefiningOp();
  return known == later || (op && dominance.properlyDominates(known.first, op));
}

/// True if a symbol can stand for a value: symbols have 64 bits.
static bool mayBeSymbol(ShapeKey key) {
  Type type = key.first.getType();
  return key.second >= 0 || type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
}

Expr SymbolicShapes::Impl::limitLength(ShapeKey key, Expr value) {
  if (value.getKind() != symbolic::ExprKind::Add ||
      value.getOperands().size() <= maxTerms || !mayBeSymbol(key))
    return value;
  auto [it, isNew] = longSums.try_emplace(value, key);
  if (!isNew) {
    if (!dominance)
      dominance = std::make_unique<DominanceInfo>(root);
    if (isAvailableAt(it->second, key, *dominance))
      return symbolOf(it->second);
  }
  Expr symbol = symbolOf(key);
  if (Operation *op = key.first.getDefiningOp();
      op && sumOfSymbol.try_emplace(symbol, value).second)
    sumsOfOperation[op].push_back(symbol);
  if (speculating != 0)
    return symbol;
  auto bound = [&](symbolic::Facts &into) {
    into.setRange(symbol, into.range(value), symbolic::Provenance::Proven);
  };
  bound(facts);
  if (declaredFacts)
    bound(*declaredFacts);
  return symbol;
}

void SymbolicShapes::Impl::forgetSum(Expr symbol) {
  auto found = sumOfSymbol.find(symbol);
  if (found == sumOfSymbol.end())
    return;
  auto named = longSums.find(found->second);
  if (named != longSums.end() && symbols.lookup(named->second) == symbol)
    longSums.erase(named);
  sumOfSymbol.erase(found);
}

void SymbolicShapes::establishSums(Operation *op) {
  auto found = impl->sumsOfOperation.find(op);
  if (found == impl->sumsOfOperation.end())
    return;
  symbolic::Facts &facts = getFacts();
  for (Expr symbol : found->second)
    if (Expr sum = impl->sumOfSymbol.lookup(symbol))
      facts.setRange(symbol, facts.range(sum), symbolic::Provenance::Proven);
}
