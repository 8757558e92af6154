//===- Quotients.cpp - Bounds of quotients and remainders -----------------===//
//
// Bounds of a quotient from facts about its dividend: from x <= e follows
// x floordiv d <= e floordiv d, which pays where the latter is a polynomial.
// And relations between quotients by the same divisor, or of the same dividend.
//
//===----------------------------------------------------------------------===//

#include "LinearAtoms.h"
#include "LinearSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::SmallVector;

/// Facts about a dividend, the terms of such a fact, and quotients that are
/// compared with each other.
static constexpr size_t kMaxFactsOfDividend = 8, kMaxTermsOfFact = 5,
                        kMaxComparedQuotients = 6;

static bool isDivision(Expr atom) {
  return atom.getKind() == ExprKind::FloorDiv ||
         atom.getKind() == ExprKind::Mod;
}

/// Puts the end of its range in the place of each quotient and remainder that
/// is left in a bound; null where it has no such end.
static Expr withoutDivisions(Facts::Impl &impl, Expr bound, bool isUpper,
                             FactSet &used) {
  ExprContext &context = impl.tables.context;
  SmallVector<Expr, 4> parts;
  for (const Term &term : getTerms(bound, context)) {
    bool divides = llvm::any_of(getFactors(term.monomial), [](Factor factor) {
      return isDivision(factor.atom);
    });
    if (!divides) {
      parts.push_back(context.scale(term.coefficient, term.monomial));
      continue;
    }
    Interval range = impl.values.valueSet(term.monomial, used).getInterval() *
                     Interval::point(term.coefficient);
    const Bound &end = isUpper ? range.getUpper() : range.getLower();
    if (!end || range.isEmpty())
      return Expr();
    parts.push_back(context.constant(*end));
  }
  return context.sum(parts);
}

/// The facts about a monomial, with factors that are never negative put to
/// those about a part of it.
static void forEachFactAbout(
    Facts::Impl &impl, Expr monomial,
    llvm::function_ref<void(Expr fact, bool isEquality, const FactSet &ids)>
        visit) {
  ExprContext &context = impl.tables.context;
  auto visitFactsOf = [&](Expr part, Expr rest, const FactSet &reasons) {
    for (unsigned position :
         impl.tables.linearOfMonomial.lookup(part).take_back(
             kMaxFactsOfDividend)) {
      Facts::LinearFact fact = impl.tables.linear[position];
      if (getTerms(fact.expr, context).size() > kMaxTermsOfFact)
        continue;
      mergeFacts(fact.ids, reasons);
      visit(context.mul(fact.expr, rest), fact.isEquality, fact.ids);
    }
  };
  visitFactsOf(monomial, context.one(), {});
  if (monomial.getKind() != ExprKind::Mul)
    return;
  for (Expr factor : monomial.getOperands()) {
    Expr rest = divideMonomial(context, monomial, factor);
    FactSet reasons;
    if (rest && impl.values.valueSet(rest, reasons).getInterval().isAtLeast(0))
      visitFactsOf(factor, rest, reasons);
  }
}

SmallVector<QuotientBound, 4>
tally::symbolic::boundQuotient(Facts &facts, Expr dividend, Expr divisor) {
  Facts::Impl &impl = getImpl(facts);
  ExprContext &context = facts.getContext();
  SmallVector<QuotientBound, 4> bounds;
  FactSet positive;
  Interval range = impl.values.valueSet(divisor, positive).getInterval();
  if (range.isEmpty() || !range.isAtLeast(1))
    return bounds;
  auto addBound = [&](Expr end, bool isUpper, FactSet ids) {
    mergeFacts(ids, positive);
    Expr bound = impl.simplifier.simplify(context.floorDiv(end, divisor), ids);
    bound = withoutDivisions(impl, bound, isUpper, ids);
    if (bound && !context.mentions(bound, dividend))
      bounds.push_back({bound, isUpper, std::move(ids)});
  };
  for (const Term &term : getTerms(dividend, context)) {
    if (term.monomial.isConstant())
      continue;
    forEachFactAbout(impl, term.monomial,
                     [&](Expr fact, bool isEquality, const FactSet &ids) {
                       for (const Term &other : getTerms(fact, context)) {
                         if (other.monomial != term.monomial ||
                             abs(other.coefficient) != abs(term.coefficient))
                           continue;
                         bool isUpper = other.coefficient != term.coefficient;
                         // fact >= 0, so dividend <= dividend + fact, or >=
                         // dividend - fact.
                         Expr end = isUpper ? context.add(dividend, fact)
                                            : context.sub(dividend, fact);
                         addBound(end, isUpper, ids);
                         if (isEquality)
                           addBound(end, !isUpper, ids);
                       }
                     });
  }
  return bounds;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The bounds of a quotient, or of the multiple that a remainder leaves.
void LinearSystem::addQuotientBounds(Expr atom) {
  Expr dividend = atom.getOperand(0), divisor = atom.getOperand(1);
  bool isMod = atom.getKind() == ExprKind::Mod;
  for (const auto &[bound, isUpper, reasons] :
       boundQuotient(facts, dividend, divisor)) {
    Expr quotient = isMod ? context.sub(dividend, atom) : atom;
    Expr end = isMod ? context.mul(divisor, bound) : bound;
    if (addExprRow(isUpper ? context.sub(end, quotient)
                           : context.sub(quotient, end)))
      mergeFacts(ids, reasons);
  }
  if (!isMod || divisor.isConstant())
    return;
  FactSet reasons;
  Interval range =
      impl.values.valueSet(context.floorDiv(dividend, divisor), reasons)
          .getInterval();
  if (range.isEmpty() ||
      !impl.values.valueSet(divisor, reasons).getInterval().isAtLeast(1))
    return;
  Expr multiple = context.sub(dividend, atom);
  if (range.getLower())
    addExprRow(
        context.sub(multiple, context.scale(*range.getLower(), divisor)));
  if (range.getUpper())
    addExprRow(
        context.sub(context.scale(*range.getUpper(), divisor), multiple));
  mergeFacts(ids, reasons);
}

/// x floordiv (c * e) beside x floordiv e: dividing by c is left.
void LinearSystem::splitDivisor(Expr quotient) {
  Expr divisor = quotient.getOperand(1);
  if (divisor.isConstant() || divisor.getKind() == ExprKind::Add)
    return;
  Term term = getTerm(divisor, context);
  if (term.coefficient <= 1)
    return;
  FactSet reasons;
  if (!impl.values.valueSet(term.monomial, reasons).getInterval().isAtLeast(1))
    return;
  mergeFacts(ids, reasons);
  auto relate = [&](Expr inner, Expr divisor) {
    // divisor * quotient <= inner <= divisor * quotient + divisor - 1.
    Expr rest = context.sub(inner, context.mul(divisor, quotient));
    addExprRow(rest);
    addExprRow(context.sub(context.sub(divisor, context.one()), rest));
  };
  Expr dividend = quotient.getOperand(0);
  Expr literal = context.constant(term.coefficient);
  relate(context.floorDiv(dividend, term.monomial), literal);
  relate(context.floorDiv(dividend, literal), term.monomial);
}

/// Quotients a floordiv d and b floordiv d differ by (a - b) floordiv d, or one
/// more; a floordiv d is no less than a floordiv e for a natural and d <= e.
void LinearSystem::compareQuotients(Expr left, Expr right) {
  Expr a = left.getOperand(0), b = right.getOperand(0);
  Expr d = left.getOperand(1), e = right.getOperand(1);
  if (d == e) {
    bool isFlipped = (getTerms(a, context).front().coefficient > 0) !=
                     (getTerms(b, context).front().coefficient > 0);
    Expr gap = isFlipped ? context.add(a, b) : context.sub(a, b);
    if (getTerms(gap, context).size() >
        std::max(getTerms(a, context).size(), getTerms(b, context).size()))
      return;
    FactSet reasons;
    Expr step = impl.simplifier.simplify(context.floorDiv(gap, d), reasons);
    // left - right - step is 0 or 1, and so is step - left - right.
    DynamicAPInt sign(isFlipped ? -1 : 1), one(1);
    TermList excess, rest{{one, context.one()}};
    for (auto [terms, factor] :
         {std::pair(&excess, sign), std::pair(&rest, -sign)}) {
      appendTerms(*terms, left, factor, context);
      appendTerms(*terms, right, isFlipped ? factor : -factor, context);
      appendTerms(*terms, step, -factor, context);
      addRow(*terms);
    }
    return mergeFacts(ids, reasons);
  }
  if (a != b)
    return;
  FactSet reasons;
  if (!impl.values.valueSet(a, reasons).getInterval().isAtLeast(0))
    return;
  for (auto [small, large, quotient, other] :
       {std::tuple(d, e, left, right), std::tuple(e, d, right, left)}) {
    FactSet own = reasons;
    Expr gap = context.sub(large, small);
    bool isOrdered =
        impl.values.valueSet(small, own).getInterval().isAtLeast(1);
    Interval range = impl.values.valueSet(gap, own).getInterval();
    if (!isOrdered ||
        (!range.isAtLeast(0) && !ShiftProver(facts).isNonNegative(gap)))
      continue;
    mergeFacts(ids, own);
    addRow({{DynamicAPInt(1), quotient}, {DynamicAPInt(-1), other}});
  }
}

void LinearSystem::relateQuotients() {
  SmallVector<Expr, 8> quotients;
  for (Expr variable : variables)
    if (variable && variable.getKind() == ExprKind::FloorDiv &&
        !variable.getNode()->zeroValued)
      quotients.push_back(variable);
  if (quotients.size() > kMaxComparedQuotients)
    quotients.resize(kMaxComparedQuotients);
  for (size_t i = 0; i != quotients.size(); ++i) {
    splitDivisor(quotients[i]);
    for (size_t j = 0; j != i; ++j)
      compareQuotients(quotients[i], quotients[j]);
  }
}
