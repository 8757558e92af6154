//===- Shifts.cpp - Signs of polynomials by shifting atoms ----------------===//
//
// A short search over what each atom can be written as.
//
//===----------------------------------------------------------------------===//

#include "Shifts.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Relations that are tried for one polynomial, and in a row.
static constexpr unsigned kMaxSteps = 40, kMaxShiftDepth = 4;
/// Terms and degree of a polynomial, and facts about an atom.
static constexpr size_t kMaxTerms = 32, kMaxFactsOfAtom = 12, kMaxFactTerms = 5;
static constexpr unsigned kMaxDegree = 6;

bool ShiftProver::isNonNegative(Expr polynomial) {
  numSteps = 0;
  numSlacks = 0;
  ids.clear();
  return search(polynomial, kMaxShiftDepth);
}

Expr ShiftProver::makeSlack() {
  llvm::SmallVector<Expr, 0> &pool = ProofCache::get(facts).slacks;
  if (numSlacks == pool.size())
    pool.push_back(context.anonymous("t"));
  return pool[numSlacks++];
}

bool ShiftProver::isSlack(Expr atom) const {
  return atom.isSymbol() && atom.isAnonymous() &&
         llvm::is_contained(ProofCache::get(facts).slacks, atom);
}

int ShiftProver::signOf(Expr monomial, FactSet &used) {
  int sign = 1;
  for (const Factor &factor : getFactors(monomial)) {
    if (factor.power % 2 == 0 || isSlack(factor.atom))
      continue;
    FactSet own;
    Interval range = impl.values.valueSet(factor.atom, own).getInterval();
    if (range.isEmpty() || (!range.isAtLeast(0) && !range.isAtMost(0)))
      return 0;
    mergeFacts(used, own);
    if (!range.isAtLeast(0))
      sign = -sign;
  }
  return sign;
}

/// Returns true if each term's least value is known and they add up to no less
/// than 0.
bool ShiftProver::isPlainlyNonNegative(Expr polynomial) {
  DynamicAPInt least(0);
  FactSet used;
  for (const Term &term : getTerms(polynomial, context)) {
    int wanted = term.coefficient > 0 ? 1 : -1;
    if (term.monomial.isConstant()) {
      least += term.coefficient;
      continue;
    }
    if (signOf(term.monomial, used) == wanted)
      continue;
    Interval range = impl.values.valueSet(term.monomial, used).getInterval() *
                     Interval::point(term.coefficient);
    if (range.isEmpty() || !range.getLower())
      return false;
    least += *range.getLower();
  }
  if (least < 0)
    return false;
  mergeFacts(ids, used);
  return true;
}

/// The atoms of a polynomial, and whether each occurs in terms that are not
/// known to shrink, or to grow, when it does.
namespace {
struct Occurrence {
  Expr atom;
  bool wantsLower = false, wantsUpper = false;
};
} // namespace

bool ShiftProver::search(Expr polynomial, unsigned depth) {
  TermList terms = getTerms(polynomial, context);
  if (terms.size() > kMaxTerms ||
      (!terms.empty() && terms.front().monomial.getNode()->degree > kMaxDegree))
    return false;
  if (isPlainlyNonNegative(polynomial))
    return true;
  FactSet bounds;
  Expr shifted = shiftByBounds(polynomial, bounds);
  if (shifted != polynomial && isPlainlyNonNegative(shifted)) {
    mergeFacts(ids, bounds);
    return true;
  }
  if (depth == 0)
    return false;
  SmallVector<Occurrence, 8> occurrences;
  for (const Term &term : terms)
    for (const Factor &factor : getFactors(term.monomial)) {
      if (isSlack(factor.atom))
        continue;
      auto *it = llvm::find_if(occurrences, [&](const Occurrence &other) {
        return other.atom == factor.atom;
      });
      if (it == occurrences.end())
        it = occurrences.insert(occurrences.end(), {factor.atom});
      FactSet own;
      int sign =
          signOf(divideMonomial(context, term.monomial, factor.atom), own);
      bool grows = (term.coefficient > 0) == (sign >= 0);
      it->wantsLower |= sign == 0 || grows;
      it->wantsUpper |= sign == 0 || !grows;
    }
  for (const Occurrence &occurrence : occurrences) {
    SmallVector<Relation, 8> relations;
    unsigned slacks = numSlacks;
    collectRelations(occurrence.atom, occurrence.wantsLower,
                     occurrence.wantsUpper, relations);
    for (const Relation &relation : relations) {
      if (numSteps++ >= kMaxSteps)
        return false;
      if (search(apply(polynomial, occurrence.atom, relation), depth - 1)) {
        mergeFacts(ids, relation.ids);
        return true;
      }
    }
    numSlacks = slacks;
  }
  return false;
}

/// Writes each atom as the end of its range plus or minus a slack.
Expr ShiftProver::shiftByBounds(Expr polynomial, FactSet &used) {
  SmallVector<Expr, 8> atoms;
  for (const Term &term : getTerms(polynomial, context))
    for (const Factor &factor : getFactors(term.monomial))
      if (!isSlack(factor.atom) && !llvm::is_contained(atoms, factor.atom))
        atoms.push_back(factor.atom);
  unsigned slacks = numSlacks;
  for (Expr atom : atoms) {
    FactSet own;
    Interval range = impl.values.valueSet(atom, own).getInterval();
    if (range.isEmpty() || range.getLower() == DynamicAPInt(0))
      continue;
    Expr value;
    if (range.getLower())
      value = context.add(context.constant(*range.getLower()), makeSlack());
    else if (range.getUpper())
      value = context.sub(context.constant(*range.getUpper()), makeSlack());
    else
      continue;
    mergeFacts(used, own);
    polynomial = apply(polynomial, atom, {DynamicAPInt(1), value, {}});
  }
  numSlacks = slacks;
  return polynomial;
}

/// Puts the relation in, for a polynomial that may be scaled by a positive
/// number on the way.
Expr ShiftProver::apply(Expr polynomial, Expr atom, const Relation &relation) {
  TermList terms = getTerms(polynomial, context);
  auto powerOf = [&](Expr monomial) {
    for (const Factor &factor : getFactors(monomial))
      if (factor.atom == atom)
        return factor.power;
    return 0u;
  };
  unsigned maxPower = 0;
  for (const Term &term : terms)
    maxPower = std::max(maxPower, powerOf(term.monomial));
  SmallVector<Expr, 8> parts;
  for (const Term &term : terms) {
    unsigned power = powerOf(term.monomial);
    DynamicAPInt scale = term.coefficient;
    for (unsigned i = power; i != maxPower; ++i)
      scale *= relation.factor;
    Expr rest = term.monomial;
    if (power != 0)
      rest = divideMonomial(context, rest, context.pow(atom, power));
    parts.push_back(context.scale(
        scale, context.mul(rest, context.pow(relation.value, power))));
  }
  return context.sum(parts);
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

void ShiftProver::collectRelations(Expr atom, bool lower, bool upper,
                                   llvm::SmallVectorImpl<Relation> &relations) {
  addRelationsOfFacts(atom, lower, upper, relations);
  addRelationsOfAtom(atom, lower, upper, relations);
  FactSet used;
  Interval range = impl.values.valueSet(atom, used).getInterval();
  if (upper && range.getUpper() && !range.isEmpty())
    relations.push_back(
        {DynamicAPInt(1),
         context.sub(context.constant(*range.getUpper()), makeSlack()), used});
}

void ShiftProver::addRelationsOfFacts(
    Expr atom, bool lower, bool upper,
    llvm::SmallVectorImpl<Relation> &relations) {
  for (unsigned position :
       impl.tables.linearOfMonomial.lookup(atom).take_back(kMaxFactsOfAtom)) {
    const Facts::LinearFact &fact = impl.tables.linear[position];
    TermList terms = getTerms(fact.expr, context);
    if (terms.size() > kMaxFactTerms)
      continue;
    DynamicAPInt factor(0);
    TermList rest;
    bool isAlone = true;
    for (Term &term : terms) {
      if (term.monomial == atom)
        factor = term.coefficient;
      else if (divideMonomial(context, term.monomial, atom))
        isAlone = false;
      else
        rest.push_back(std::move(term));
    }
    bool bounds = factor > 0 ? lower : upper;
    if (!isAlone || (!bounds && !fact.isEquality))
      continue;
    // factor * atom + rest == slack.
    Expr value = context.neg(makeSum(context, std::move(rest)));
    if (!fact.isEquality)
      value = context.add(value, makeSlack());
    if (factor < 0)
      value = context.neg(value);
    relations.push_back({abs(factor), value, fact.ids});
  }
}

/// Quotients by literals, remainders, extrema and magnitudes beside their
/// operands.
void ShiftProver::addRelationsOfAtom(
    Expr atom, bool lower, bool upper,
    llvm::SmallVectorImpl<Relation> &relations) {
  auto relate = [&](const DynamicAPInt &factor, Expr value, bool isLower,
                    FactSet used = {}) {
    if (isLower ? !lower : !upper)
      return;
    value = isLower ? context.add(value, makeSlack())
                    : context.sub(value, makeSlack());
    relations.push_back({factor, value, std::move(used)});
  };
  ArrayRef<Expr> operands = atom.getOperands();
  DynamicAPInt unit(1);
  bool isMod = atom.getKind() == ExprKind::Mod;
  if (isMod || atom.getKind() == ExprKind::FloorDiv)
    for (const auto &[bound, isUpper, used] :
         boundQuotient(facts, operands[0], operands[1])) {
      // A remainder is the dividend less a multiple of the divisor.
      Expr value =
          isMod ? context.sub(operands[0], context.mul(operands[1], bound))
                : bound;
      relate(unit, value, isMod == isUpper, used);
    }
  switch (atom.getKind()) {
  case ExprKind::FloorDiv: {
    if (!operands[1].isConstant() || operands[1].getConstant() <= 0)
      return;
    const DynamicAPInt &divisor = operands[1].getConstant();
    relate(divisor, operands[0], /*isLower=*/false);
    relate(divisor, context.sub(operands[0], context.constant(divisor - unit)),
           /*isLower=*/true);
    return;
  }
  case ExprKind::Mod: {
    FactSet used;
    if (!impl.values.valueSet(operands[1], used).getInterval().isAtLeast(1))
      return;
    relate(unit, context.sub(operands[1], context.one()), false, used);
    if (impl.values.valueSet(operands[0], used).getInterval().isAtLeast(0))
      relate(unit, operands[0], false, used);
    return;
  }
  case ExprKind::Min:
  case ExprKind::Max:
    for (Expr operand : operands)
      relate(unit, operand, atom.getKind() == ExprKind::Max);
    return;
  case ExprKind::Abs:
    relate(unit, operands[0], true);
    relate(unit, context.neg(operands[0]), true);
    return;
  default:
    return;
  }
}
