//===- Reduction.cpp - Factors that cancel --------------------------------===//
//
// What a term becomes when one of its factors is a quotient of another one, or
// an absolute value that is squared; what two halves become, or a quotient with
// its remainder.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;

/// Takes `divisor` and `quotient` out of a term; null if it is no multiple of
/// their product.
static Expr cancel(ExprContext &context, const Term &term, Expr quotient,
                   Expr divisor) {
  if (divisor.getKind() == ExprKind::Add || divisor.isConstant(0))
    return Expr();
  Term unit = getTerm(divisor, context);
  if (pythonMod(term.coefficient, unit.coefficient) != 0)
    return Expr();
  Expr rest = divideMonomial(context, term.monomial, quotient);
  rest = rest ? divideMonomial(context, rest, unit.monomial) : rest;
  return rest ? makeTerm(context, term.coefficient / unit.coefficient, rest)
              : rest;
}

/// The term of which `factor` is one.
static Expr reduceFactor(ExprContext &context, const Term &term,
                         const Factor &factor) {
  Expr atom = factor.atom;
  llvm::ArrayRef<Expr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case ExprKind::FloorDiv: {
    if (atom.getNode()->zeroValued)
      return Expr();
    // d * (x floordiv d) is x - x mod d.
    Expr rest = cancel(context, term, atom, operands[1]);
    return rest ? context.mul(
                      rest, context.sub(operands[0],
                                        context.mod(operands[0], operands[1])))
                : rest;
  }
  case ExprKind::ExactDiv: {
    // d * exact_div(x, d) is x where that is defined.
    Expr rest = cancel(context, term, atom, operands[1]);
    return rest ? context.mul(rest,
                              context.add(operands[0], context.residue(atom)))
                : rest;
  }
  case ExprKind::Abs: {
    if (factor.power < 2)
      return Expr();
    Expr square = context.pow(atom.getOperand(0), 2);
    Expr rest = divideMonomial(context, term.monomial,
                               makeMonomial(context, {Factor{atom, 2}}));
    return context.mul(makeTerm(context, term.coefficient, rest), square);
  }
  default:
    return Expr();
  }
}

Expr tally::symbolic::reduceTerm(ExprContext &context, const Term &term) {
  for (const Factor &factor : getFactors(term.monomial))
    if (Expr reduced = reduceFactor(context, term, factor))
      return reduced;
  return Expr();
}

//===----------------------------------------------------------------------===//
// Roundings that make up a whole
//===----------------------------------------------------------------------===//

/// Adds a term to a list in which each monomial occurs once.
static void addTerm(TermList &terms, const Term &term) {
  Term *same = llvm::find_if(
      terms, [&](const Term &t) { return t.monomial == term.monomial; });
  if (same == terms.end())
    return terms.push_back(term);
  same->coefficient += term.coefficient;
  if (same->coefficient == 0)
    terms.erase(same);
}

/// Returns true if reduceTerm might take a term apart, or if it is a residue,
/// which does not cancel.
static bool mayReduce(const Term &term) {
  Expr atom = term.monomial;
  if (atom.getNode()->zeroValued)
    return true;
  if (atom.getKind() != ExprKind::FloorDiv || !atom.getOperand(1).isConstant())
    return atom.getNode()->isReducible;
  return pythonMod(term.coefficient, atom.getOperand(1).getConstant()) == 0;
}

/// Puts the sum of `parts`, each with a factor, in the place of a term, which
/// is that often a sum of them, if that leaves fewer terms.
static bool
replaceTerm(ExprContext &context, TermList &terms, const Term &replaced,
            std::initializer_list<std::pair<DynamicAPInt, Expr>> parts) {
  TermList change{{-replaced.coefficient, replaced.monomial}};
  for (const auto &[factor, part] : parts)
    for (const Term &term : getTerms(part, context)) {
      change.push_back(
          {replaced.coefficient * factor * term.coefficient, term.monomial});
      if (mayReduce(change.back()))
        return false;
    }
  TermList result = terms;
  for (const Term &term : change)
    addTerm(result, term);
  if (result.size() >= terms.size())
    return false;
  llvm::append_range(terms, change);
  return true;
}

/// How often the first term of an expression stands among the terms; 0 if it
/// does not, or not a whole number of times.
static DynamicAPInt countLead(ExprContext &context, const TermList &terms,
                              Expr expr) {
  Expr first = expr.getKind() == ExprKind::Add ? expr.getOperand(0) : expr;
  Term lead = getTerm(first, context);
  for (const Term &term : terms)
    if (term.monomial == lead.monomial &&
        pythonMod(term.coefficient, lead.coefficient) == 0)
      return term.coefficient / lead.coefficient;
  return DynamicAPInt(0);
}

/// Returns true for an atom `x floordiv d` with this literal d.
static bool isQuotientBy(Expr atom, const DynamicAPInt &divisor) {
  return atom.getKind() == ExprKind::FloorDiv &&
         atom.getOperand(1).isConstant() &&
         atom.getOperand(1).getConstant() == divisor;
}

/// With x for `y floordiv d`, `y floordiv (2 * d)` is x floordiv 2, and x is
/// that and (x + 1) floordiv 2.
static bool mergeHalves(ExprContext &context, TermList &terms,
                        const Term &half) {
  Expr dividend = half.monomial.getOperand(0);
  DynamicAPInt divisor = half.monomial.getOperand(1).getConstant();
  DynamicAPInt k = half.coefficient;
  bool mayMerge = llvm::any_of(terms, [&](const Term &term) {
    return (term.coefficient == k && term.monomial != half.monomial &&
            isQuotientBy(term.monomial, divisor)) ||
           (term.coefficient == -k && divisor > 2 &&
            isQuotientBy(term.monomial, divisor / 2));
  });
  if (!mayMerge && (divisor != 2 || countLead(context, terms, dividend) != -k))
    return false;
  Expr whole = context.floorDiv(dividend, context.constant(divisor / 2));
  Expr roundedUp =
      context.floorDiv(context.add(whole, context.one()), context.constant(2));
  return replaceTerm(context, terms, half,
                     {{DynamicAPInt(1), whole}, {DynamicAPInt(-1), roundedUp}});
}

/// x mod d is x - d * (x floordiv d), and x mod 2 is also
/// 2 * ((x + 1) floordiv 2) - x.
static bool mergeRemainder(ExprContext &context, TermList &terms,
                           const Term &term) {
  Expr atom = term.monomial;
  // Of what has no quotients, sums with remainders are the normal form.
  if (atom.getOperand(0).getNode()->plain && atom.getKind() == ExprKind::Mod)
    return false;
  std::optional<Remainder> remainder = viewRemainder(context, atom);
  if (!remainder)
    return false;
  auto [dividend, modulus] = *remainder;
  DynamicAPInt k = term.coefficient,
               count = countLead(context, terms, dividend);
  if (count == -k)
    return replaceTerm(
        context, terms, term,
        {{DynamicAPInt(1), dividend},
         {-modulus.getConstant(), context.floorDiv(dividend, modulus)}});
  if (count != k || !modulus.isConstant(2))
    return false;
  Expr roundedUp =
      context.floorDiv(context.add(dividend, context.one()), modulus);
  return replaceTerm(
      context, terms, term,
      {{DynamicAPInt(-1), dividend}, {DynamicAPInt(2), roundedUp}});
}

bool tally::symbolic::mergeRounded(ExprContext &context, TermList &terms) {
  if (terms.size() < 2)
    return false;
  for (size_t i = 0; i != terms.size(); ++i) {
    Expr atom = terms[i].monomial;
    bool isQuotient = atom.getKind() == ExprKind::FloorDiv;
    if ((!isQuotient && atom.getKind() != ExprKind::Mod) ||
        !atom.getOperand(1).isConstant() ||
        atom.getOperand(1).getConstant() <= 0)
      continue;
    Term term = terms[i];
    bool isHalf = isQuotient && pythonMod(atom.getOperand(1).getConstant(),
                                          DynamicAPInt(2)) == 0;
    if ((isHalf && mergeHalves(context, terms, term)) ||
        mergeRemainder(context, terms, term))
      return true;
  }
  return false;
}
