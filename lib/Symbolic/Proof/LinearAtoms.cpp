//===- LinearAtoms.cpp - What atoms mean to a linear system ---------------===//
//
// The meaning of an atom is added as constraints when it first appears: a
// quotient by its two inequalities, a remainder by its definition, a maximum by
// its operands (and a choice between them), a product by the cuts that the
// ranges of its factors allow.
//
//===----------------------------------------------------------------------===//

#include "LinearAtoms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Products of facts with factors, and the terms of such a fact.
static constexpr size_t kMaxCuts = 24, kMaxCutTerms = 6;

void tally::symbolic::appendTerms(TermList &terms, Expr expr,
                                  const DynamicAPInt &factor,
                                  ExprContext &context) {
  for (Term &term : getTerms(expr, context))
    terms.push_back({term.coefficient * factor, term.monomial});
}

void LinearSystem::defineRange(Expr monomial) {
  ValueSet set = impl.values.valueSet(monomial, ids);
  const Interval &range = set.getInterval();
  if (range.isEmpty())
    return;
  if (range.getLower())
    addRow({{DynamicAPInt(1), monomial}, {-*range.getLower(), context.one()}});
  if (range.getUpper())
    addRow({{DynamicAPInt(-1), monomial}, {*range.getUpper(), context.one()}});
  const Congruence &classes = set.getCongruence();
  if (classes.getModulus() <= 1 || rows.size() >= budget.maxConstraints)
    return;
  // monomial == modulus * k + remainder for a fresh integer k.
  if (variables.size() >= budget.maxVariables)
    return;
  std::optional<Row> row = makeRow(
      {{DynamicAPInt(1), monomial}, {-classes.getRemainder(), context.one()}},
      /*isEquality=*/true);
  if (!row)
    return;
  row->coefficients.push_back(
      {static_cast<unsigned>(variables.size()), -classes.getModulus()});
  variables.push_back(Expr());
  rows.push_back(std::move(*row));
}

/// By a literal c > 0: 0 <= x - c * q <= c - 1, and r == x - c * q.
void LinearSystem::defineDivision(Expr atom) {
  Expr dividend = atom.getOperand(0), divisor = atom.getOperand(1);
  if (!divisor.isConstant())
    return defineDivisionByExpr(atom);
  const DynamicAPInt &literal = divisor.getConstant();
  if (literal <= 0)
    return;
  Expr quotient = context.floorDiv(dividend, divisor);
  TermList remainder;
  appendTerms(remainder, dividend, DynamicAPInt(1), context);
  appendTerms(remainder, quotient, -literal, context);
  if (atom.getKind() == ExprKind::Mod) {
    remainder.push_back({DynamicAPInt(-1), atom});
    addRow(remainder, /*isEquality=*/true);
    return;
  }
  TermList gap;
  for (const Term &term : remainder)
    gap.push_back({-term.coefficient, term.monomial});
  gap.push_back({literal - 1, context.one()});
  addRow(remainder);
  addRow(gap);
}

/// By a divisor that is positive: what follows without products.
void LinearSystem::defineDivisionByExpr(Expr atom) {
  Expr dividend = atom.getOperand(0), divisor = atom.getOperand(1);
  FactSet reasons;
  Interval range = impl.values.valueSet(divisor, reasons).getInterval();
  if (range.isEmpty() || !range.isAtLeast(1))
    return;
  Interval top = impl.values.valueSet(dividend, reasons).getInterval();
  mergeFacts(ids, reasons);
  bool isNatural = top.isAtLeast(0) && !top.isEmpty();
  if (atom.getKind() == ExprKind::Mod) {
    addExprRow(atom);
    addExprRow(context.sub(context.sub(divisor, context.one()), atom));
    if (isNatural)
      addExprRow(context.sub(dividend, atom));
    return;
  }
  if (getTerms(dividend, context).front().coefficient < 0) {
    // -x floordiv d == -((x - 1) floordiv d) - 1.
    Expr mirrored = context.floorDiv(
        context.sub(context.neg(dividend), context.one()), divisor);
    addExprRow(context.sum({atom, mirrored, context.one()}),
               /*isEquality=*/true);
  }
  if (top.isAtMost(0) && !top.isEmpty()) {
    // The quotient is nearer to zero than the dividend.
    addExprRow(context.sub(atom, dividend));
    addExprRow(context.neg(atom));
  }
  if (!isNatural)
    return;
  // divisor * q == dividend - remainder, q >= 0.
  addExprRow(atom);
  Expr rounded = context.sub(dividend, context.mod(dividend, divisor));
  addExprRow(context.sub(rounded, context.scale(*range.getLower(), atom)));
  if (range.getUpper())
    addExprRow(context.sub(context.scale(*range.getUpper(), atom), rounded));
}

void LinearSystem::addNearest(ArrayRef<Expr> gaps) {
  Choice choice;
  for (Expr gap : gaps) {
    if (!addExprRow(gap))
      return;
    std::optional<Row> row = makeRow(getTerms(gap, context), true);
    if (!row)
      return;
    choice.alternatives.push_back({std::move(*row)});
  }
  choices.push_back(std::move(choice));
}

void LinearSystem::defineExtremum(Expr atom) {
  bool isMax = atom.getKind() == ExprKind::Max;
  addNearest(llvm::map_to_vector(atom.getOperands(), [&](Expr operand) {
    return isMax ? context.sub(atom, operand) : context.sub(operand, atom);
  }));
}

void LinearSystem::defineAbs(Expr atom) {
  Expr operand = atom.getOperand(0);
  addNearest({context.sub(atom, operand), context.add(atom, operand)});
}

void LinearSystem::defineSelect(Expr atom) {
  Choice choice;
  for (bool holds : {true, false}) {
    Expr value = atom.getOperand(holds ? 1 : 2);
    std::optional<Row> row =
        makeRow(getTerms(context.sub(atom, value), context), true);
    if (!row)
      return;
    SmallVector<Row, 1> alternative{std::move(*row)};
    if (auto condition = makeCondition(atom.getOperand(0), holds))
      llvm::append_range(alternative, *condition);
    choice.alternatives.push_back(std::move(alternative));
  }
  choices.push_back(std::move(choice));
}

/// |x| <= x ** k for an even k, and x <= x ** k for a natural x.
void LinearSystem::definePower(Expr power) {
  Expr base = power.getOperand(0);
  bool isEven = power.getExponent() % 2 == 0;
  FactSet reasons;
  if (!isEven &&
      !impl.values.valueSet(base, reasons).getInterval().isAtLeast(0))
    return;
  mergeFacts(ids, reasons);
  addExprRow(context.sub(power, base));
  if (isEven)
    addExprRow(context.add(power, base));
  if (power.getExponent() == 2) {
    addProductCuts(power, base, base);
    addFactCuts(power, base);
  }
}

/// For x in [a, b] and y in [c, d]: (x - a) * (y - c) >= 0 and so on.
void LinearSystem::addProductCuts(Expr product, Expr left, Expr right) {
  FactSet reasons;
  Interval x = impl.values.valueSet(left, reasons).getInterval();
  Interval y = impl.values.valueSet(right, reasons).getInterval();
  if (x.isEmpty() || y.isEmpty())
    return;
  auto addCut = [&](const Bound &a, const Bound &b, int64_t sign) {
    if (!a || !b || !fitsBits(*a, 32) || !fitsBits(*b, 32))
      return;
    // sign * (x - a) * (y - b) >= 0.
    DynamicAPInt s(sign);
    Expr cut = context.sum(
        {context.scale(s, product), context.scale(-s * *b, left),
         context.scale(-s * *a, right), context.constant(s * *a * *b)});
    if (addExprRow(cut))
      mergeFacts(ids, reasons);
  };
  addCut(x.getLower(), y.getLower(), 1);
  addCut(x.getUpper(), y.getUpper(), 1);
  addCut(x.getLower(), y.getUpper(), -1);
  addCut(x.getUpper(), y.getLower(), -1);
}

/// A fact about what is left of a product holds times the factor, if that is
/// never negative: n <= m gives n * k <= m * k.
void LinearSystem::addFactCuts(Expr product, Expr factor) {
  Expr rest = divideMonomial(context, product, factor);
  if (!rest)
    return;
  FactSet reasons;
  bool isNatural =
      impl.values.valueSet(factor, reasons).getInterval().isAtLeast(0);
  for (unsigned position : impl.tables.linearOfMonomial.lookup(rest)) {
    const Facts::LinearFact &fact = impl.tables.linear[position];
    if ((!isNatural && !fact.isEquality) || addedCuts.size() >= kMaxCuts ||
        !addedCuts.insert({position, factor}).second)
      continue;
    if (getTerms(fact.expr, context).size() > kMaxCutTerms)
      continue;
    if (addExprRow(context.mul(fact.expr, factor), fact.isEquality)) {
      mergeFacts(ids, fact.ids);
      mergeFacts(ids, reasons);
    }
  }
}

/// (x - y) ** 2 >= 0 and (x + y) ** 2 >= 0 beside x * y.
void LinearSystem::addSquareCuts(Expr product) {
  Expr x = product.getOperand(0), y = product.getOperand(1);
  Expr squares = context.add(context.pow(x, 2), context.pow(y, 2));
  for (const Term &term : getTerms(squares, context))
    if (!variableOf.count(term.monomial))
      return;
  addExprRow(context.add(squares, context.scale(DynamicAPInt(2), product)));
  addExprRow(context.add(squares, context.scale(DynamicAPInt(-2), product)));
}

/// 0 <= (x - c * (x floordiv c)) * rest <= (c - 1) * rest for a natural rest.
void LinearSystem::addDivisionCuts(Expr division, Expr rest) {
  Expr dividend = division.getOperand(0), divisor = division.getOperand(1);
  if (!divisor.isConstant() || divisor.getConstant() <= 0)
    return;
  FactSet reasons;
  bool isNatural =
      impl.values.valueSet(rest, reasons).getInterval().isAtLeast(0);
  Expr remainder =
      impl.simplifier.simplify(context.mod(dividend, divisor), reasons);
  if (!isNatural && !remainder.isConstant())
    return;
  mergeFacts(ids, reasons);
  // (x - c * q) * rest, not put together again as a remainder.
  TermList gap;
  appendTerms(gap, context.mul(dividend, rest), DynamicAPInt(1), context);
  gap.push_back({-divisor.getConstant(), context.mul(division, rest)});
  if (remainder.isConstant()) {
    appendTerms(gap, rest, -remainder.getConstant(), context);
    addRow(gap, /*isEquality=*/true);
    return;
  }
  addRow(gap);
  for (Term &term : gap)
    term.coefficient = -term.coefficient;
  appendTerms(gap, rest, divisor.getConstant() - 1, context);
  addRow(gap);
}

void LinearSystem::defineProduct(Expr product) {
  ArrayRef<Expr> factors = product.getOperands();
  if (factors.size() > 4)
    return;
  for (Expr factor : factors) {
    Expr rest = divideMonomial(context, product, factor);
    if (factors.size() > 2 || factor == factors[0])
      addProductCuts(product, factor, rest);
    addFactCuts(product, factor);
    if (factors.size() > 2)
      addFactCuts(product, rest);
    if (factor.getKind() == ExprKind::FloorDiv)
      addDivisionCuts(factor, rest);
  }
  if (factors.size() == 2)
    addSquareCuts(product);
}

void LinearSystem::define(unsigned variable) {
  Expr monomial = variables[variable];
  if (!monomial)
    return;
  defineRange(monomial);
  switch (monomial.getKind()) {
  case ExprKind::Symbol:
    addFactsInside(monomial);
    break;
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    defineDivision(monomial);
    addQuotientBounds(monomial);
    break;
  case ExprKind::Min:
  case ExprKind::Max:
    defineExtremum(monomial);
    break;
  case ExprKind::Abs:
    defineAbs(monomial);
    break;
  case ExprKind::Select:
    defineSelect(monomial);
    break;
  case ExprKind::Pow:
  case ExprKind::Mul:
    if (scope == SystemScope::Linear)
      leavesOut = true;
    else if (monomial.getKind() == ExprKind::Pow)
      definePower(monomial);
    else
      defineProduct(monomial);
    break;
  default:
    break;
  }
  addFactsAbout(monomial);
}
