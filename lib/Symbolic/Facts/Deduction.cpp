//===- Deduction.cpp - Taking facts apart ---------------------------------===//
//
// Turns a stated fact into value sets, linear facts, replacements and open
// facts, and derives what follows at once.
//
//===----------------------------------------------------------------------===//

#include "Deduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Bounds are derived from facts of at most this many terms.
static constexpr size_t kMaxPropagatedTerms = 8;
/// Facts of at most this many terms are looked at again, and how many, when
/// bounds of one of their terms change.
static constexpr size_t kMaxRevisitedTerms = 8, kMaxRevisitedFacts = 64;
/// Congruences are derived from equations of at most this many terms.
static constexpr size_t kMaxCongruenceTerms = 8;
/// Facts about a symbol that are stated again when something is learned of it.
static constexpr size_t kMaxRestated = 8;

//===----------------------------------------------------------------------===//
// Taking facts apart
//===----------------------------------------------------------------------===//

/// `expr` is evaluated, so nothing in it divides by zero.
void Deduction::assumeDefined(Expr expr, const FactSet &ids) {
  if (expr.isTotal())
    return;
  ArrayRef<Expr> operands = expr.getOperands();
  switch (expr.getKind()) {
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Select:
    return assumeDefined(operands[0], ids);
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::ExactDiv:
    assumeNonZero(operands[1], ids);
    if (expr.getKind() == ExprKind::ExactDiv)
      assumeZero(context.mod(operands[0], operands[1]), ids);
    break;
  case ExprKind::TrueDiv:
    if (operands[1].isInt())
      assumeNonZero(operands[1], ids);
    break;
  case ExprKind::SymbolicPow:
    assumeNonNegative(operands[1], ids);
    break;
  default:
    break;
  }
  // Not all of what this takes is a fact about integers.
  if (!tables.definedNodes.count(expr))
    tables.setDefined(expr, ids);
  for (Expr operand : operands)
    assumeDefined(operand, ids);
}

void Deduction::assume(Expr stated, const FactSet &statedIds) {
  // The difference of such sides is simplified, no need to do so twice.
  if (isLinearComparison(stated))
    return assumeComparison(stated, statedIds);
  FactSet ids = statedIds;
  Expr fact = simplifier.simplify(stated, ids);
  ArrayRef<Expr> operands = fact.getOperands();
  switch (fact.getKind()) {
  case ExprKind::BoolConstant:
    if (fact.isFalse())
      tables.contradict(ids);
    return;
  case ExprKind::And:
    // Parts that make a choice come last: the others may decide it.
    for (bool choice : {false, true})
      for (Expr operand : operands)
        if (operand.getNode()->choice == choice) {
          assumeDefined(operand, ids);
          assume(operand, ids);
        }
    return;
  case ExprKind::Symbol:
    return addReplacement(fact, context.trueExpr(), ids);
  case ExprKind::Not:
    if (operands[0].isSymbol())
      return addReplacement(operands[0], context.falseExpr(), ids);
    return tables.addTruth(fact, ids);
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Le:
  case ExprKind::Lt:
    return assumeComparison(fact, ids);
  default:
    return tables.addOpen(fact, ids);
  }
}

void Deduction::assumeComparison(Expr fact, const FactSet &ids) {
  Expr lhs = fact.getOperand(0), rhs = fact.getOperand(1);
  ExprKind kind = fact.getKind();
  if (lhs.isFloat() || rhs.isFloat())
    return tables.addTruth(fact, ids);
  if (lhs.isBool()) {
    if (kind == ExprKind::Eq)
      for (auto [from, to] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
        if (from.isSymbol() && to.getLatestOrdinal() < from.getLatestOrdinal())
          return addReplacement(from, to, ids);
    return tables.addOpen(fact, ids);
  }
  switch (kind) {
  case ExprKind::Eq:
    return assumeZero(context.sub(lhs, rhs), ids);
  case ExprKind::Ne:
    return assumeNonZero(context.sub(lhs, rhs), ids);
  case ExprKind::Le:
    return assumeNonNegative(context.sub(rhs, lhs), ids);
  default:
    return assumeNonNegative(context.sub(context.sub(rhs, lhs), context.one()),
                             ids);
  }
}

void Deduction::assumeNonZero(Expr stated, const FactSet &statedIds) {
  FactSet ids = statedIds;
  Expr expr = simplifier.simplify(stated, ids);
  if (expr.isConstant()) {
    if (expr.isConstant(0))
      tables.contradict(ids);
    return;
  }
  Expr fact = context.ne(expr, context.zero());
  if (tables.truths.count(fact) || fact.isTrue())
    return;
  tables.addOpen(fact, ids);
  for (Expr product :
       SmallVector<Expr, 2>(tables.productsOfFactor.lookup(expr))) {
    KnownValues value = tables.known.lookup(product);
    if (value.set.getSingle() == DynamicAPInt(0))
      learnFactors(product, value.set, value.ids);
  }
  // An end of the range moves.
  PrimitiveSplit split = splitPrimitivePart(expr, context);
  if (pythonMod(split.offset, split.factor) != 0)
    return;
  DynamicAPInt excluded = -split.offset / split.factor;
  FactSet reasons = ids;
  Interval range = values.valueSet(split.part, reasons).getInterval();
  if (range.getLower() == excluded)
    learn(split.part, Interval::atLeast(excluded + 1), reasons);
  if (range.getUpper() == excluded)
    learn(split.part, Interval::atMost(excluded - 1), reasons);
}

/// In expr >= 0 a maximum with a negative coefficient stands for each of its
/// operands, and so do a minimum with a positive one and an absolute value.
void Deduction::splitExtrema(Expr expr, const FactSet &ids) {
  if (isLinear(expr))
    return;
  for (Expr summand : getTermOperands(expr)) {
    Term term = getTerm(summand, context);
    bool isPositive = term.coefficient > 0;
    ExprKind kind = term.monomial.getKind();
    SmallVector<Expr, 4> operands;
    if (kind == (isPositive ? ExprKind::Min : ExprKind::Max))
      operands.assign(term.monomial.getOperands().begin(),
                      term.monomial.getOperands().end());
    else if (kind == ExprKind::Abs && !isPositive)
      operands = {term.monomial.getOperand(0),
                  context.neg(term.monomial.getOperand(0))};
    if (operands.empty())
      continue;
    Expr rest =
        context.sub(expr, context.scale(term.coefficient, term.monomial));
    for (Expr operand : operands)
      assumeNonNegative(
          context.add(rest, context.scale(term.coefficient, operand)), ids);
    return;
  }
}

void Deduction::assumeIn(
    const Interval &allowed, Expr stated, const FactSet &statedIds,
    llvm::function_ref<void(Expr, const FactSet &)> deduce) {
  FactSet ids = statedIds;
  Expr expr = simplifier.simplify(stated, ids);
  if (expr.isConstant()) {
    if (!allowed.contains(expr.getConstant()))
      tables.contradict(ids);
    return;
  }
  if (nesting >= maxNesting)
    return;
  ++nesting;
  llvm::scope_exit leave([this] { --nesting; });
  deduce(expr, ids);
}

void Deduction::assumeNonNegative(Expr stated, const FactSet &statedIds) {
  Interval allowed = Interval::atLeast(0);
  assumeIn(allowed, stated, statedIds, [&](Expr expr, const FactSet &ids) {
    FactSet reasons;
    if (values.valueSet(expr, reasons).getInterval().isAtLeast(0))
      return;
    learn(expr, allowed, ids);
    if (!expr.isSymbol())
      tables.addLinear(expr, /*isEquality=*/false, ids);
    splitExtrema(expr, ids);
    propagate(expr, /*isEquality=*/false, ids);
  });
}

void Deduction::assumeZero(Expr stated, const FactSet &statedIds) {
  Interval allowed = Interval::point(0);
  assumeIn(allowed, stated, statedIds, [&](Expr expr, const FactSet &ids) {
    learn(expr, allowed, ids);
    tables.addLinear(expr, /*isEquality=*/true, ids);
    learnCongruences(expr, ids);
    propagate(expr, /*isEquality=*/true, ids);
    orient(expr, ids);
  });
}

//===----------------------------------------------------------------------===//
// Consequences
//===----------------------------------------------------------------------===//

namespace {

/// The values of a term, an interval.
struct TermRange {
  TermView term;
  bool hasLow, hasHigh;
  DynamicAPInt low, high;

  explicit TermRange(TermView view) : term(view) {}
  void set(const Interval &values) {
    bool isPositive = *term.coefficient > 0;
    const Bound &least = isPositive ? values.getLower() : values.getUpper();
    const Bound &most = isPositive ? values.getUpper() : values.getLower();
    hasLow = least.has_value();
    hasHigh = most.has_value();
    low = hasLow ? *least * *term.coefficient : DynamicAPInt(0);
    high = hasHigh ? *most * *term.coefficient : DynamicAPInt(0);
  }
};

} // namespace

/// Derives bounds of each term of `expr >= 0` from those of the others: what
/// all terms can reach together, less the term itself.
void Deduction::propagate(Expr expr, bool isEquality, const FactSet &ids) {
  ArrayRef<Expr> terms = getTermOperands(expr);
  if (terms.size() < 2 || terms.size() > kMaxPropagatedTerms)
    return;
  SmallVector<TermRange, kMaxPropagatedTerms> ranges;
  // Sums of the finite ends; at most one end may be infinite.
  DynamicAPInt low(0), high(0);
  unsigned numInfiniteLow = 0, numInfiniteHigh = 0;
  for (Expr operand : terms) {
    TermRange &range = ranges.emplace_back(viewTerm(operand));
    if (range.term.monomial)
      range.set(values.getKnownValues(range.term.monomial).set.getInterval());
    else
      range.set(Interval::point(1));
    low += range.low;
    high += range.high;
    numInfiniteLow += !range.hasLow;
    numInfiniteHigh += !range.hasHigh;
    if (numInfiniteHigh > 1 && (!isEquality || numInfiniteLow > 1))
      return;
  }
  for (const TermRange &range : ranges) {
    if (!range.term.monomial || propagationBudget == 0 || tables.contradictory)
      continue;
    // The term is at least, or exactly, what the others leave of zero.
    Bound newLow, newHigh;
    if (numInfiniteHigh == (range.hasHigh ? 0 : 1) &&
        (!range.hasLow || range.high - high > range.low))
      newLow = range.high - high;
    if (isEquality && numInfiniteLow == (range.hasLow ? 0 : 1) &&
        (!range.hasHigh || range.low - low < range.high))
      newHigh = range.low - low;
    if (!newLow && !newHigh)
      continue;
    FactSet reasons = ids;
    for (const TermRange &other : ranges)
      if (&other != &range && other.term.monomial)
        mergeFacts(reasons, values.getKnownValues(other.term.monomial).ids);
    --propagationBudget;
    Interval interval(newLow, newHigh);
    if (range.term.monomial.isSymbol())
      learnPart(
          range.term.monomial,
          ValueSet(interval).preimage(*range.term.coefficient, DynamicAPInt(0)),
          reasons);
    else
      learn(context.scale(*range.term.coefficient, range.term.monomial),
            interval, reasons);
  }
}

/// Returns true if a fact says more about its other terms now that ends of a
/// monomial's interval moved: `expr >= 0` bounds a term by the most that the
/// others are.
static bool saysMore(Expr fact, bool isEquality, Expr monomial,
                     Deduction::Moved moved) {
  if (isEquality)
    return true;
  for (Expr operand : getTermOperands(fact)) {
    TermView term = viewTerm(operand);
    if (term.monomial == monomial)
      return *term.coefficient > 0 ? moved.upper : moved.lower;
  }
  llvm_unreachable("facts are found by the monomials of their terms");
}

/// Bounds of a monomial changed: the facts that it is a term of may say more.
void Deduction::propagateFrom(Expr monomial, Moved moved) {
  if (!moved.lower && !moved.upper)
    return;
  // The latest ones; long sums are left to the question that needs them.
  SmallVector<unsigned, 4> positions(
      tables.linearOfMonomial.lookup(monomial).take_back(kMaxRevisitedFacts));
  for (unsigned position : positions) {
    if (propagationBudget == 0 || tables.contradictory)
      return;
    if (tables.linear[position].expr.getOperands().size() > kMaxRevisitedTerms)
      continue;
    if (!saysMore(tables.linear[position].expr,
                  tables.linear[position].isEquality, monomial, moved))
      continue;
    Facts::LinearFact fact = tables.linear[position];
    propagate(fact.expr, fact.isEquality, fact.ids);
  }
}

void Deduction::learnCongruences(Expr expr, const FactSet &ids) {
  TermList terms = getTerms(expr, context);
  if (terms.size() < 2 || terms.size() > kMaxCongruenceTerms)
    return;
  for (size_t i = 0; i != terms.size(); ++i) {
    if (terms[i].monomial.isConstant())
      continue;
    Congruence rest = Congruence::point(DynamicAPInt(0));
    FactSet reasons = ids;
    for (size_t j = 0; j != terms.size(); ++j)
      if (j != i)
        rest =
            rest + values.valueSet(terms[j].monomial, reasons).getCongruence() *
                       Congruence::point(terms[j].coefficient);
    learn(context.scale(terms[i].coefficient, terms[i].monomial),
          {Interval(), -rest}, reasons);
  }
}

/// Solves expr == 0 for the last-defined symbol, if it occurs in one term
/// alone.
bool Deduction::solveForLatest(Expr expr, const FactSet &ids) {
  Term solved;
  TermList rest;
  for (const Term &term : getTerms(expr, context)) {
    if (term.monomial.getLatestOrdinal() != expr.getLatestOrdinal()) {
      rest.push_back(term);
      continue;
    }
    if (solved.monomial || !term.monomial.isSymbol())
      return false;
    solved = term;
  }
  Expr others = makeSum(context, std::move(rest));
  if (solved.coefficient > 0)
    others = context.neg(others);
  Expr divisor = context.constant(abs(solved.coefficient));
  if (!divisor.isConstant(1))
    assumeZero(context.mod(others, divisor), ids);
  addReplacement(solved.monomial, context.floorDiv(others, divisor), ids);
  return true;
}

/// Turns expr == 0 into a replacement of what was defined last.
void Deduction::orient(Expr expr, const FactSet &ids) {
  if (expr.getLatestOrdinal() == 0 || solveForLatest(expr, ids))
    return;
  TermList terms = getTerms(expr, context);
  for (const Term &term : terms) {
    if (abs(term.coefficient) != 1 || term.monomial.isConstant() ||
        term.monomial.getNode()->zeroValued ||
        term.monomial.getLatestOrdinal() != expr.getLatestOrdinal())
      continue;
    Expr rest =
        context.sub(expr, context.scale(term.coefficient, term.monomial));
    if (rest.getLatestOrdinal() >= expr.getLatestOrdinal())
      continue;
    addReplacement(term.monomial,
                   term.coefficient > 0 ? context.neg(rest) : rest, ids);
    return;
  }
}

void Deduction::addReplacement(Expr from, Expr to, const FactSet &ids) {
  if (tables.replacements.count(from))
    return;
  tables.setReplacement(from, {to, ids});
  auto it = tables.known.find(from);
  if (it != tables.known.end()) {
    KnownValues value = it->second;
    mergeFacts(value.ids, ids);
    learn(to, value.set, value.ids);
  }
  // Facts that mention it are stated again in other terms.
  for (unsigned position : tables.getLinearFactsAbout(from)) {
    Facts::LinearFact fact = tables.linear[position];
    FactSet reasons = fact.ids;
    mergeFacts(reasons, ids);
    // Put in as it stands: a product that is replaced as a whole would take the
    // fact itself away.
    Expr restated = context.substitute(fact.expr, {{from, to}});
    restated = simplifier.simplify(restated, reasons);
    if (restated == fact.expr)
      continue;
    if (fact.isEquality)
      assumeZero(restated, reasons);
    else
      assumeNonNegative(restated, reasons);
  }
  SmallVector<unsigned, 4> positions(tables.openOfSymbol.lookup(from));
  for (unsigned position : positions) {
    Facts::OpenFact fact = tables.open[position];
    assume(fact.expr, fact.ids);
  }
}

//===----------------------------------------------------------------------===//
// Facts that a new one makes simpler
//===----------------------------------------------------------------------===//

/// An open fact is known to be true: what can get simpler is its operands.
Expr Deduction::restateOpen(Expr fact, FactSet &ids) {
  SmallVector<Expr, 4> operands;
  for (Expr operand : fact.getOperands())
    operands.push_back(simplifier.simplify(operand, ids));
  return context.rebuild(fact, operands);
}

/// States the latest facts about the symbols of a new fact again, where it
/// makes them simpler.
void Deduction::restateFactsAbout(Expr fact) {
  if (tables.numFoldable == 0 && tables.open.empty())
    return;
  for (Expr symbol : context.freeSymbols(fact)) {
    SmallVector<unsigned, 4> positions(tables.foldableOfSymbol.lookup(symbol));
    for (unsigned position :
         ArrayRef<unsigned>(positions).take_back(kMaxRestated)) {
      Facts::LinearFact known = tables.linear[position];
      Expr restated = simplifier.simplify(known.expr, known.ids);
      if (tables.contradictory || restated == tables.linear[position].expr)
        continue;
      if (known.isEquality)
        assumeZero(restated, known.ids);
      else
        assumeNonNegative(restated, known.ids);
    }
    positions = SmallVector<unsigned, 4>(tables.openOfSymbol.lookup(symbol));
    for (unsigned position :
         ArrayRef<unsigned>(positions).take_back(kMaxRestated)) {
      Facts::OpenFact known = tables.open[position];
      Expr restated = restateOpen(known.expr, known.ids);
      if (!tables.contradictory && restated != known.expr)
        assume(restated, known.ids);
    }
  }
}
