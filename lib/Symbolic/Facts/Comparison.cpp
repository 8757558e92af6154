//===- Comparison.cpp - Conditions as they are told -----------------------===//

#include "tally/Symbolic/Facts/Comparison.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::StringRef;

Expr Comparison::getCondition(ExprContext &context) const {
  switch (relation) {
  case Relation::Eq:
    return context.eq(lhs, rhs);
  case Relation::Ne:
    return context.ne(lhs, rhs);
  case Relation::Le:
    return context.le(lhs, rhs);
  case Relation::Lt:
    return context.lt(lhs, rhs);
  }
  llvm_unreachable("unknown relation");
}

Expr tally::symbolic::getCondition(ArrayRef<Comparison> comparisons,
                                   ExprContext &context) {
  llvm::SmallVector<Expr> conditions;
  for (const Comparison &comparison : comparisons)
    conditions.push_back(comparison.getCondition(context));
  return context.logicalAnd(conditions);
}

llvm::SmallVector<Expr>
tally::symbolic::freeSymbols(ArrayRef<Comparison> comparisons,
                             const ExprContext &context) {
  llvm::SetVector<Expr> symbols;
  for (const Comparison &comparison : comparisons)
    for (Expr side : {comparison.lhs, comparison.rhs})
      symbols.insert_range(context.freeSymbols(side));
  llvm::SmallVector<Expr> ordered(symbols.getArrayRef());
  llvm::sort(ordered,
             [](Expr a, Expr b) { return a.getOrdinal() < b.getOrdinal(); });
  return ordered;
}

llvm::SmallVector<Comparison, 2>
tally::symbolic::mapSides(ArrayRef<Comparison> comparisons,
                          llvm::function_ref<Expr(Expr side)> change) {
  llvm::SmallVector<Comparison, 2> result(comparisons);
  for (Comparison &comparison : result) {
    comparison.lhs = change(comparison.lhs);
    comparison.rhs = change(comparison.rhs);
  }
  return result;
}

static StringRef getOperator(Comparison::Relation relation) {
  switch (relation) {
  case Comparison::Relation::Eq:
    return " == ";
  case Comparison::Relation::Ne:
    return " != ";
  case Comparison::Relation::Le:
    return " <= ";
  case Comparison::Relation::Lt:
    return " < ";
  }
  llvm_unreachable("unknown relation");
}

/// Comparisons of booleans do not nest without parentheses.
static std::string getSide(Expr side) {
  bool isPlain = !side.isBool() || side.isSymbol() || side.isConstant();
  return isPlain ? side.str() : "(" + side.str() + ")";
}

std::string tally::symbolic::toString(ArrayRef<Comparison> comparisons) {
  std::string text;
  const Comparison *previous = nullptr;
  for (const Comparison &comparison : comparisons) {
    bool isChain = previous && previous->rhs == comparison.lhs;
    if (!isChain)
      text += (previous ? " and " : "") + getSide(comparison.lhs);
    text += getOperator(comparison.relation);
    text += getSide(comparison.rhs);
    previous = &comparison;
  }
  return text;
}
