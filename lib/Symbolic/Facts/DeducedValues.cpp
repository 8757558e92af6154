//===- DeducedValues.cpp - What value sets imply --------------------------===//
//
// Narrowing the value set of a primitive part, and what that says about the
// operands of atoms, about the factors of products and about the facts it is a
// term of.
//
//===----------------------------------------------------------------------===//

#include "Deduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

void Deduction::learn(Expr expr, const ValueSet &set, const FactSet &ids) {
  PrimitiveSplit split = splitPrimitivePart(expr, context);
  if (split.factor == 0) {
    if (!set.contains(split.offset))
      tables.contradict(ids);
    return;
  }
  learnPart(split.part, set.preimage(split.factor, split.offset), ids);
}

void Deduction::learnPart(Expr part, const ValueSet &inner,
                          const FactSet &ids) {
  auto it = tables.known.find(part);
  bool isNew = it == tables.known.end();
  ValueSet before = isNew ? ValueSet() : it->second.set;
  ValueSet after = before.intersect(inner);
  if (after == before)
    return;
  FactSet reasons = ids;
  if (after != inner && it != tables.known.end())
    mergeFacts(reasons, it->second.ids);
  tables.setKnown(part, {after, reasons});
  if (after.getSingle())
    tables.settle(part);
  if (after.isEmpty())
    return tables.contradict(reasons);
  if (nesting >= maxNesting)
    return;
  ++nesting;
  llvm::scope_exit leave([this] { --nesting; });
  if (isNew)
    tables.addProduct(part);
  learnInside(part, after, reasons);
  // Two inequalities that meet are an equation.
  std::optional<DynamicAPInt> single = after.getSingle();
  if (single && !before.getSingle() && part.getKind() == ExprKind::Add)
    assumeZero(context.sub(part, context.constant(*single)), reasons);
  const Interval &narrow = after.getInterval(), &wide = before.getInterval();
  propagateFrom(part, {narrow.getLower() != wide.getLower(),
                       narrow.getUpper() != wide.getUpper()});
  // Bounds of a factor say more about the other factors.
  SmallVector<Expr, 2> products = tables.productsOfFactor.lookup(part);
  for (Expr product : products) {
    if (propagationBudget == 0 || tables.contradictory)
      return;
    --propagationBudget;
    KnownValues value = tables.known.lookup(product);
    FactSet why = value.ids;
    ValueSet possible = values.valueOfAtom(product, why);
    if (possible.intersect(value.set).isEmpty())
      return tables.contradict(why);
    learnInside(product, value.set, value.ids);
  }
}

/// Factors of a product whose product with one left out is looked at.
static constexpr size_t kMaxCofactors = 4;

/// The largest number whose power is at most a natural number.
static DynamicAPInt rootBelow(const DynamicAPInt &power, unsigned exponent) {
  DynamicAPInt low(0), high(1);
  auto isBelow = [&](const DynamicAPInt &base) {
    DynamicAPInt value(1);
    for (unsigned i = 0; i != exponent && value <= power; ++i)
      value *= base;
    return value <= power;
  };
  while (isBelow(high))
    high *= 2;
  while (high - low > 1) {
    DynamicAPInt middle = (low + high) / 2;
    (isBelow(middle) ? low : high) = middle;
  }
  return low;
}

/// The bases in `range` whose powers are in a set.
static Interval rootsOf(const Interval &powers, unsigned exponent,
                        const Interval &range) {
  const Bound &upper = powers.getUpper(), &lower = powers.getLower();
  auto rootAbove = [&](const DynamicAPInt &power) {
    return power <= 0 ? DynamicAPInt(0) : rootBelow(power - 1, exponent) + 1;
  };
  Bound low, high;
  if (exponent % 2 != 0) {
    if (lower)
      low = *lower > 0 ? rootAbove(*lower) : -rootBelow(-*lower, exponent);
    if (upper)
      high = *upper < 0 ? -rootAbove(-*upper) : rootBelow(*upper, exponent);
    return {low, high};
  }
  if (upper && *upper < 0)
    return Interval();
  if (upper) {
    high = rootBelow(*upper, exponent);
    low = -*high;
  }
  if (lower && range.isAtLeast(0))
    low = rootAbove(*lower);
  if (lower && range.isAtMost(0))
    high = -rootAbove(*lower);
  return {low, high};
}

/// Learns from the value set of an atom about its operands.
void Deduction::learnInside(Expr atom, const ValueSet &set,
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
  case ExprKind::Pow: {
    FactSet reasons = ids;
    Interval sign = values.valueSet(operands[0], reasons).getInterval();
    return learn(operands[0],
                 rootsOf(set.getInterval(), atom.getExponent(), sign), reasons);
  }
  case ExprKind::Mul:
  case ExprKind::Add:
    return learnFactors(atom, set, ids);
  default:
    return;
  }
}

/// The factors x with x * y in `product` for some y in `other`.
static Interval divideOut(Interval product, Interval other) {
  bool isNonZero = !product.contains(0);
  if (isNonZero && other.getLower() == DynamicAPInt(0))
    other = other.intersect(Interval::atLeast(1));
  if (isNonZero && other.getUpper() == DynamicAPInt(0))
    other = other.intersect(Interval::atMost(-1));
  if (other.isEmpty())
    return Interval();
  if (other.contains(0)) {
    // The other factor has at least magnitude 1.
    Interval magnitude = product.abs();
    if (!isNonZero || !magnitude.getUpper())
      return Interval();
    return {-*magnitude.getUpper(), *magnitude.getUpper()};
  }
  if (other.isAtMost(-1)) {
    product = -product;
    other = -other;
  }
  const DynamicAPInt &least = *other.getLower();
  // The ends nearest to zero come from the largest other factor.
  auto shrink = [&](const DynamicAPInt &end) {
    return other.getUpper() ? pythonFloorDiv(end, *other.getUpper())
                            : DynamicAPInt(end < 0 ? -1 : 0);
  };
  Bound lower, upper;
  if (const Bound &low = product.getLower())
    lower = *low > 0 ? -shrink(-*low) : -pythonFloorDiv(-*low, least);
  if (const Bound &high = product.getUpper())
    upper = *high < 0 ? shrink(*high) : pythonFloorDiv(*high, least);
  return {lower, upper};
}

/// Bounds of a product bound each factor, given those of the others.
void Deduction::learnFactors(Expr product, const ValueSet &set,
                             const FactSet &ids) {
  SmallVector<Expr, 4> factors = getProductParts(product, context);
  bool isNonZero = !set.contains(DynamicAPInt(0));
  if (factors.size() > 2 && factors.size() <= kMaxCofactors)
    for (size_t i = 0; i != factors.size() && !tables.contradictory; ++i) {
      FactSet reasons = ids;
      Interval factor = values.valueSet(factors[i], reasons).getInterval();
      Interval rest = divideOut(set.getInterval(), factor);
      if (rest.isAll())
        continue;
      SmallVector<Expr, 4> others(factors);
      others.erase(others.begin() + i);
      learn(context.product(others), rest, reasons);
    }
  for (size_t i = 0; i != factors.size() && !tables.contradictory; ++i) {
    FactSet reasons = ids;
    Interval others = Interval::point(1);
    bool areNonZero = true;
    for (size_t j = 0; j != factors.size(); ++j) {
      if (i == j)
        continue;
      others = others * values.valueSet(factors[j], reasons).getInterval();
      areNonZero &= values.truthOf(context.ne(factors[j], context.zero()),
                                   reasons) == true;
    }
    Interval range = divideOut(set.getInterval(), others);
    if (areNonZero && set.getSingle() == DynamicAPInt(0))
      range = Interval::point(0);
    if (isNonZero &&
        values.valueSet(factors[i], reasons).getInterval().contains(0))
      assumeNonZero(factors[i], reasons);
    if (std::optional<DynamicAPInt> value = range.getSingle())
      assumeZero(context.sub(factors[i], context.constant(*value)), reasons);
    else
      learn(factors[i], range, reasons);
  }
}
