//===- Products.cpp - Comparisons that are not linear ---------------------===//
//
// Rewrites a comparison before it is asked of a linear system: factors of known
// sign are canceled, a quotient by a positive symbol becomes a product
// (x floordiv d >= y exactly if x >= y * d, a Galois connection), and
// polynomials are tried for a sign of their own.
//
//===----------------------------------------------------------------------===//

#include "Decider.h"
#include "Shifts.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::SmallVector;

/// Comparisons of one question in which quotients are looked for.
static constexpr unsigned kMaxUnfolded = 4;

/// `gap kind 0` for Eq, Ne and for `gap >= 0` (Le).
static Expr compareGap(ExprContext &context, ExprKind kind, Expr gap) {
  if (kind == ExprKind::Le)
    return context.le(context.zero(), gap);
  return kind == ExprKind::Eq ? context.eq(gap, context.zero())
                              : context.ne(gap, context.zero());
}

/// Takes factors of known sign out of all terms; null if there are none.
Expr Decider::cancelFactors(ExprKind kind, Expr gap) {
  SmallVector<Expr, 4> parts = getProductParts(gap, context);
  if (parts.size() < 2)
    return Expr();
  SmallVector<Expr, 4> kept;
  bool isNegated = false;
  FactSet ids;
  for (Expr part : parts) {
    FactSet own;
    Interval range = getImpl(facts).values.valueSet(part, own).getInterval();
    if (range.isEmpty() || range.contains(0)) {
      kept.push_back(part);
      continue;
    }
    mergeFacts(ids, own);
    isNegated ^= range.isAtMost(0);
  }
  if (kept.empty() || kept.size() == parts.size())
    return Expr();
  use(ids);
  Expr rest = context.product(kept);
  return compareGap(context, kind, isNegated ? context.neg(rest) : rest);
}

/// Puts a product in the place of a quotient by a positive symbol that is alone
/// in its term; null if there is none.
Expr Decider::unfoldQuotient(Expr gap) {
  for (const Term &term : getTerms(gap, context)) {
    Expr atom = term.monomial;
    if (atom.getKind() != ExprKind::FloorDiv || abs(term.coefficient) != 1 ||
        atom.getOperand(1).isConstant())
      continue;
    Expr dividend = atom.getOperand(0), divisor = atom.getOperand(1);
    FactSet ids;
    Interval range = getImpl(facts).values.valueSet(divisor, ids).getInterval();
    if (range.isEmpty() || !range.isAtLeast(1))
      continue;
    use(ids);
    Expr rest = context.sub(gap, context.scale(term.coefficient, atom));
    if (term.coefficient > 0) // q >= -rest: dividend >= -rest * divisor.
      return context.add(dividend, context.mul(rest, divisor));
    // q <= rest: dividend < (rest + 1) * divisor.
    Expr limit = context.mul(context.add(rest, context.one()), divisor);
    return context.sub(context.sub(limit, dividend), context.one());
  }
  return Expr();
}

/// gap >= 0 by signs of polynomials: Yes, No or Unknown.
Verdict Decider::decideSign(Expr gap) {
  ShiftProver shifts(facts);
  Expr below = context.sub(context.neg(gap), context.one());
  for (auto [polynomial, verdict] :
       {std::pair(gap, Verdict::Yes), std::pair(below, Verdict::No)})
    if (shifts.isNonNegative(polynomial)) {
      use(shifts.getFacts());
      reach(Rung::Linear);
      return verdict;
    }
  return Verdict::Unknown;
}

/// Equations with a quotient by a symbol are two inequalities; a remainder is
/// `r` if r is in its range and the difference is a multiple.
Verdict Decider::decideQuotientEquality(ExprKind kind, Expr gap,
                                        unsigned depth) {
  if (numUnfolded >= kMaxUnfolded)
    return Verdict::Unknown;
  auto holds = [&](Expr claim) { return decide(claim, depth + 1); };
  Expr zero = context.zero();
  Verdict equal = Verdict::Unknown;
  for (const Term &term : getTerms(gap, context)) {
    Expr atom = term.monomial;
    if (abs(term.coefficient) != 1 ||
        (atom.getKind() != ExprKind::FloorDiv &&
         atom.getKind() != ExprKind::Mod) ||
        atom.getOperand(1).isConstant())
      continue;
    FactSet ids;
    Expr divisor = atom.getOperand(1);
    if (!getImpl(facts)
             .values.valueSet(divisor, ids)
             .getInterval()
             .isAtLeast(1))
      continue;
    use(ids);
    ++numUnfolded;
    if (atom.getKind() == ExprKind::FloorDiv) {
      Verdict least = holds(context.ge(gap, zero));
      Verdict most =
          least == Verdict::No ? least : holds(context.le(gap, zero));
      equal = least == Verdict::Yes ? most
              : most == Verdict::No ? most
                                    : Verdict::Unknown;
      break;
    }
    Expr rest = context.sub(atom, context.scale(term.coefficient, gap));
    Expr multiple = context.mod(context.sub(atom.getOperand(0), rest), divisor);
    Verdict divides = holds(context.eq(multiple, zero));
    if (divides == Verdict::Yes && holds(context.ge(rest, zero)) == divides &&
        holds(context.lt(rest, divisor)) == divides)
      equal = divides;
    else if (divides == Verdict::No)
      equal = divides;
    break;
  }
  return kind == ExprKind::Eq ? equal : negate(equal);
}

Verdict Decider::decideProducts(ExprKind kind, Expr gap, unsigned depth) {
  if (gap.isConstant() || depth > kMaxDepth)
    return Verdict::Unknown;
  if (Expr simpler = cancelFactors(kind, gap))
    return decide(simpler, depth + 1);
  if (kind != ExprKind::Le)
    if (Verdict verdict = decideQuotientEquality(kind, gap, depth);
        verdict != Verdict::Unknown)
      return verdict;
  if (kind == ExprKind::Le && numUnfolded++ < kMaxUnfolded)
    if (Expr unfolded = unfoldQuotient(gap))
      return decide(compareGap(context, kind, unfolded), depth + 1);
  if (getTerms(gap, context).front().monomial.getNode()->degree < 2)
    return Verdict::Unknown;
  if (kind == ExprKind::Le)
    return decideSign(gap);
  // Apart if one side is always larger.
  for (Expr side : {gap, context.neg(gap)})
    if (decideSign(context.sub(side, context.one())) == Verdict::Yes)
      return kind == ExprKind::Ne ? Verdict::Yes : Verdict::No;
  return Verdict::Unknown;
}
