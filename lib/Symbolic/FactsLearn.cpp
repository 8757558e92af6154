//===- FactsLearn.cpp - What value sets imply -----------------------------===//
//
// Narrowing the value set of a shape, and what that says about the operands of
// atoms, about the factors of products and about the facts it is a term of.
//
//===----------------------------------------------------------------------===//

#include "FactsImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

void Facts::Impl::learn(Expr expr, const ValueSet &set, const FactSet &ids) {
  ShapeSplit split = splitShape(expr, context);
  if (split.factor == 0) {
    if (!set.contains(split.offset))
      contradict(ids);
    return;
  }
  ValueSet inner = set.preimage(split.factor, split.offset);
  auto it = known.find(split.shape);
  bool isNew = it == known.end();
  ValueSet before = isNew ? ValueSet() : it->second.set;
  ValueSet after = before.intersect(inner);
  if (after == before)
    return;
  FactSet reasons = ids;
  if (after != inner && it != known.end())
    mergeFacts(reasons, it->second.ids);
  setLogged(*this, known, split.shape, Known{after, reasons});
  if (after.isEmpty())
    return contradict(reasons);
  if (nesting >= maxNesting)
    return;
  ++nesting;
  llvm::scope_exit leave([this] { --nesting; });
  if (isNew && split.shape.getKind() == ExprKind::Mul)
    for (Expr factor : split.shape.getOperands()) {
      productsOfFactor[factor].push_back(split.shape);
      record([this, factor] { productsOfFactor[factor].pop_back(); });
    }
  learnInside(split.shape, after, reasons);
  propagateFrom(split.shape);
  // Bounds of a factor say more about the other factors.
  SmallVector<Expr, 2> products = productsOfFactor.lookup(split.shape);
  for (Expr product : products) {
    if (propagationBudget == 0 || contradictory)
      return;
    --propagationBudget;
    Known value = known.lookup(product);
    learnFactors(product, value.set, value.ids);
  }
}

/// What the value set of an atom says about its operands.
void Facts::Impl::learnInside(Expr atom, const ValueSet &set,
                              const FactSet &ids) {
  const Bound &lower = set.getInterval().getLower();
  const Bound &upper = set.getInterval().getUpper();
  ArrayRef<Expr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case ExprKind::Mod:
    if (std::optional<DynamicAPInt> value = set.getSingle())
      if (operands[1].isConstant())
        learn(operands[0],
              {Interval(), Congruence(operands[1].getConstant(), *value)}, ids);
    return;
  case ExprKind::FloorDiv: {
    if (!operands[1].isConstant() || operands[1].getConstant() <= 0)
      return;
    const DynamicAPInt &divisor = operands[1].getConstant();
    Bound low, high;
    if (lower)
      low = *lower * divisor;
    if (upper)
      high = *upper * divisor + divisor - 1;
    return learn(operands[0], Interval(low, high), ids);
  }
  case ExprKind::Max:
  case ExprKind::Min:
    for (Expr operand : operands)
      learn(operand,
            atom.getKind() == ExprKind::Max ? Interval({}, upper)
                                            : Interval(lower, {}),
            ids);
    return;
  case ExprKind::Abs:
    if (upper)
      learn(operands[0], Interval(-*upper, *upper), ids);
    return;
  case ExprKind::Mul:
    return learnFactors(atom, set, ids);
  default:
    return;
  }
}

/// Bounds of a product of non-negative factors bound the factors.
void Facts::Impl::learnFactors(Expr product, const ValueSet &set,
                               const FactSet &ids) {
  ArrayRef<Expr> factors = product.getOperands();
  FactSet reasons = ids;
  for (Expr factor : factors)
    if (!valueSet(factor, reasons).getInterval().isAtLeast(0))
      return;
  if (set.getInterval().isAtLeast(1))
    for (Expr factor : factors)
      learn(factor, Interval::atLeast(1), reasons);
  const Bound &upper = set.getInterval().getUpper();
  if (!upper)
    return;
  for (size_t i = 0; i != factors.size() && !contradictory; ++i) {
    DynamicAPInt others(1);
    for (size_t j = 0; j != factors.size(); ++j) {
      Interval range = valueSet(factors[j], reasons).getInterval();
      if (i != j)
        others *= range.getLower() ? *range.getLower() : DynamicAPInt(0);
    }
    if (others > 0)
      learn(factors[i], Interval::atMost(pythonFloorDiv(*upper, others)),
            reasons);
  }
}
