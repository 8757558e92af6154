//===- Prover.cpp - Deciding questions about symbols ----------------------===//
//
// The ladder: canonical form, value sets, facts, rational Simplex, integers.
// Logic is taken apart on the way; an operand may use that those before it
// hold, as evaluation does.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Prover.h"

#include "Decider.h"
#include "LinearSystem.h"
#include "Samples.h"
#include "SolvedForm.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::StringRef;

StringRef tally::symbolic::toString(Verdict verdict) {
  switch (verdict) {
  case Verdict::Yes:
    return "yes";
  case Verdict::No:
    return "no";
  case Verdict::Unknown:
    return "unknown";
  case Verdict::Contradiction:
    return "contradiction";
  }
  return "";
}

StringRef tally::symbolic::toString(Rung rung) {
  switch (rung) {
  case Rung::None:
    return "none";
  case Rung::Canonical:
    return "canonical";
  case Rung::Ranges:
    return "ranges";
  case Rung::Facts:
    return "facts";
  case Rung::Linear:
    return "linear";
  case Rung::Integer:
    return "integer";
  case Rung::Z3:
    return "z3";
  }
  return "";
}

StringRef tally::symbolic::toString(Doubt doubt) {
  switch (doubt) {
  case Doubt::None:
    return "no proof found";
  case Doubt::Undefined:
    return "may have no value";
  case Doubt::Disagreement:
    return "two assignments disagree";
  }
  llvm_unreachable("unknown doubt");
}

/// A system of fewer facts may do this part of the work of one question.
static constexpr uint64_t kShareOfPart = 4;
/// Questions with more nodes end on the rung of facts.
static constexpr unsigned kMaxSize = 256;
/// Facts that are looked at to tell whether they are ranges alone.
static constexpr unsigned kMaxRangeFacts = 64;
/// Facts about a symbol that a refutation takes in.
static constexpr size_t kMaxRefuting = 8;
/// Depth of what is refuted.
static constexpr unsigned kMaxRefutedDepth = 24;
/// Operands of a logical operation that are assumed for those after them.
static constexpr size_t kMaxAssumedOperands = 8;

Verdict tally::symbolic::negate(Verdict verdict) {
  if (verdict == Verdict::Yes)
    return Verdict::No;
  return verdict == Verdict::No ? Verdict::Yes : verdict;
}

/// Returns true for `3 <= n`, `n mod 8 == 0` and conjunctions of such.
static bool isRangeFact(Expr fact) {
  if (fact.getKind() == ExprKind::And)
    return llvm::all_of(fact.getOperands(), isRangeFact);
  return fact.isComparison() && llvm::all_of(fact.getOperands(), [](Expr side) {
           if (side.getKind() == ExprKind::Mod)
             side = side.getOperand(0);
           return side.isSymbol() || side.isConstant();
         });
}

/// Facts that only bound single symbols are ranges, if they are few.
Rung Decider::rungOfFacts() const {
  unsigned numLeft = kMaxRangeFacts;
  bool onlyRanges = used.allOf([&](FactId id) {
    return numLeft-- != 0 && isRangeFact(facts.getFact(id).expr);
  });
  return onlyRanges ? Rung::Ranges : Rung::Facts;
}

Answer Decider::answer(Expr query) {
  Answer result;
  if (facts.isContradictory()) {
    result.verdict = Verdict::Contradiction;
    result.rung = Rung::Facts;
    result.facts = facts.getContradiction();
    return result;
  }
  if (query.getKind() == ExprKind::BoolConstant) {
    result.verdict = query.isTrue() ? Verdict::Yes : Verdict::No;
    result.rung = Rung::Canonical;
    return result;
  }
  if (budget.strongest < Rung::Ranges)
    return result;
  if (!isDefined(query, 0)) {
    result.doubt = Doubt::Undefined;
    return result;
  }
  Verdict verdict = decide(query, 0);
  if (verdict == Verdict::Unknown && budget.strongest >= Rung::Integer)
    verdict = decideByCases(query, 0);
  if (verdict == Verdict::Unknown)
    return result;
  reach(rungOfFacts());
  result.verdict = verdict;
  result.rung = rung;
  result.facts = used;
  return result;
}

//===----------------------------------------------------------------------===//
// Definedness
//===----------------------------------------------------------------------===//

bool Decider::isNodeDefined(Expr expr, unsigned depth) {
  FactSet ids;
  if (facts.isNodeDefined(expr, &ids)) {
    use(ids);
    return true;
  }
  if (expr.getKind() != ExprKind::FloorDiv && expr.getKind() != ExprKind::Mod)
    return false;
  Expr isNonZero = context.ne(expr.getOperand(1), context.zero());
  return decide(isNonZero, depth + 1) == Verdict::Yes;
}

bool Decider::isDefinedUnder(Expr assumption, Expr expr, unsigned depth) {
  if (expr.isTotal())
    return true;
  Facts::Scope scope(facts);
  facts.add(assumption, Provenance::Proven);
  return facts.isContradictory() || isDefined(expr, depth);
}

/// As Facts::isDefined, with the whole ladder for divisors.
bool Decider::isDefined(Expr expr, unsigned depth) {
  if (expr.isTotal())
    return true;
  if (depth > kMaxDepth)
    return false;
  ArrayRef<Expr> operands = expr.getOperands();
  switch (expr.getKind()) {
  case ExprKind::Select:
    return isDefined(operands[0], depth) &&
           isDefinedUnder(operands[0], operands[1], depth + 1) &&
           isDefinedUnder(context.logicalNot(operands[0]), operands[2],
                          depth + 1);
  case ExprKind::And:
    return isDefined(operands[0], depth) &&
           isDefinedUnder(operands[0],
                          context.logicalAnd(operands.drop_front()), depth + 1);
  case ExprKind::Or:
    return isDefined(operands[0], depth) &&
           isDefinedUnder(context.logicalNot(operands[0]),
                          context.logicalOr(operands.drop_front()), depth + 1);
  default:
    return llvm::all_of(
               operands,
               [&](Expr operand) { return isDefined(operand, depth); }) &&
           isNodeDefined(expr, depth);
  }
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

Verdict Decider::decide(Expr expr, unsigned depth) {
  FactSet ids;
  Expr simple = facts.simplify(expr, &ids);
  Verdict verdict = decideSimplified(simple, depth);
  if (verdict != Verdict::Unknown)
    use(ids);
  return verdict;
}

Verdict Decider::decideSimplified(Expr expr, unsigned depth) {
  if (depth > kMaxDepth)
    return Verdict::Unknown;
  switch (expr.getKind()) {
  case ExprKind::BoolConstant:
    return expr.isTrue() ? Verdict::Yes : Verdict::No;
  case ExprKind::And:
  case ExprKind::Or:
    return decideLogical(expr, depth);
  case ExprKind::Not:
    return negate(decide(expr.getOperand(0), depth + 1));
  case ExprKind::Select:
    return decideSelect(expr, depth);
  case ExprKind::Eq:
  case ExprKind::Ne:
    if (expr.getOperand(0).isBool())
      return decideEqualBools(expr, depth);
    [[fallthrough]];
  case ExprKind::Le:
  case ExprKind::Lt:
    if (expr.getOperand(0).isInt() && expr.getOperand(1).isInt() &&
        budget.strongest >= Rung::Linear)
      return decideComparison(expr, depth);
    return Verdict::Unknown;
  default:
    return Verdict::Unknown;
  }
}

/// Decides `expr` where `assumption` holds. What holds under an assumption that
/// cannot be is reported as Contradiction.
Verdict Decider::decideUnder(Expr assumption, Expr expr, unsigned depth) {
  Facts::Scope scope(facts);
  facts.add(assumption, Provenance::Proven);
  if (facts.isContradictory()) {
    use(facts.getContradiction());
    return Verdict::Contradiction;
  }
  return decide(expr, depth);
}

/// `and` is yes if all operands are, and no if one is no where those before it
/// hold; `or` is its mirror image.
Verdict Decider::decideLogical(Expr expr, unsigned depth) {
  bool isAnd = expr.getKind() == ExprKind::And;
  Verdict decisive = isAnd ? Verdict::No : Verdict::Yes;
  Verdict neutral = negate(decisive);
  bool allNeutral = true;
  for (Expr operand : expr.getOperands()) {
    Verdict verdict = decide(operand, depth + 1);
    if (verdict == decisive || verdict == Verdict::Contradiction)
      return verdict;
    allNeutral &= verdict == neutral;
  }
  if (allNeutral)
    return neutral;
  ArrayRef<Expr> operands = expr.getOperands();
  if (operands.size() > kMaxAssumedOperands)
    return Verdict::Unknown;
  reach(Rung::Facts);
  Expr first = operands.front();
  Expr rest = isAnd ? context.logicalAnd(operands.drop_front())
                    : context.logicalOr(operands.drop_front());
  Verdict verdict =
      decideUnder(isAnd ? first : context.logicalNot(first), rest, depth + 1);
  if (verdict == decisive || verdict == Verdict::Contradiction)
    return decisive;
  return Verdict::Unknown;
}

Verdict Decider::decideSelect(Expr expr, unsigned depth) {
  Expr condition = expr.getOperand(0);
  Verdict truth = decide(condition, depth + 1);
  if (truth == Verdict::Yes)
    return decide(expr.getOperand(1), depth + 1);
  if (truth == Verdict::No)
    return decide(expr.getOperand(2), depth + 1);
  reach(Rung::Facts);
  Verdict a = decideUnder(condition, expr.getOperand(1), depth + 1);
  Verdict b =
      decideUnder(context.logicalNot(condition), expr.getOperand(2), depth + 1);
  if (a == Verdict::Contradiction)
    return b;
  return a == b || b == Verdict::Contradiction ? a : Verdict::Unknown;
}

Verdict Decider::decideEqualBools(Expr expr, unsigned depth) {
  Expr left = expr.getOperand(0), right = expr.getOperand(1);
  reach(Rung::Facts);
  Verdict a = decideUnder(left, right, depth + 1);
  Verdict b = negate(decideUnder(context.logicalNot(left), right, depth + 1));
  if (a == Verdict::Contradiction)
    std::swap(a, b);
  if (a != b && b != Verdict::Contradiction)
    return Verdict::Unknown;
  return expr.getKind() == ExprKind::Eq ? a : negate(a);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Yes if the negation does not fit the system, no if the comparison does not.
Verdict Decider::decideBySystem(LinearSystem &system, Expr expr,
                                bool integers) {
  Expr gap = context.sub(expr.getOperand(1), expr.getOperand(0));
  Expr below = context.sub(context.neg(gap), context.one());
  switch (expr.getKind()) {
  case ExprKind::Lt:
    // lhs < rhs is gap - 1 >= 0.
    gap = context.sub(gap, context.one());
    below = context.sub(context.neg(gap), context.one());
    [[fallthrough]];
  case ExprKind::Le:
    if (system.isInfeasible(below, /*isEquality=*/false, integers))
      return Verdict::Yes;
    if (system.isInfeasible(gap, /*isEquality=*/false, integers))
      return Verdict::No;
    return Verdict::Unknown;
  default: {
    Verdict verdict = Verdict::Unknown;
    Expr above = context.sub(gap, context.one());
    if (system.isInfeasible(above, /*isEquality=*/false, integers) &&
        system.isInfeasible(below, /*isEquality=*/false, integers))
      verdict = Verdict::Yes;
    else if (system.isInfeasible(gap, /*isEquality=*/true, integers))
      verdict = Verdict::No;
    return expr.getKind() == ExprKind::Eq ? verdict : negate(verdict);
  }
  }
}

/// Decides a comparison with a linear system around it, of which `state` is
/// told.
Verdict Decider::decideLinear(Expr expr, Expr gap, SystemScope scope,
                              uint64_t &systemWork, SystemState &state) {
  LinearSystem system(facts, budget, systemWork, scope);
  if (!system.build(gap))
    return Verdict::Unknown;
  Rung reached = Rung::Linear;
  Verdict verdict = Verdict::Contradiction;
  if (!system.isContradictory()) {
    verdict = decideBySystem(system, expr, /*integers=*/false);
    if (verdict == Verdict::Unknown && budget.strongest >= Rung::Integer) {
      verdict = decideBySystem(system, expr, /*integers=*/true);
      reached = Rung::Integer;
    }
  }
  state = {system.isCrowded(), system.isWhole()};
  if (verdict != Verdict::Unknown) {
    use(system.getFacts());
    reach(reached);
  }
  return verdict;
}

Verdict Decider::decideComparison(Expr expr, unsigned depth) {
  if (numSystems++ >= budget.maxSystems)
    return Verdict::Unknown;
  Expr gap = context.sub(expr.getOperand(1), expr.getOperand(0));
  Expr least =
      expr.getKind() == ExprKind::Lt ? context.sub(gap, context.one()) : gap;
  ExprKind kind =
      expr.getKind() == ExprKind::Lt ? ExprKind::Le : expr.getKind();
  if (Verdict verdict = decideProducts(kind, least, depth);
      verdict != Verdict::Unknown)
    return verdict;
  uint64_t workOfPart = budget.maxWork - budget.maxWork / kShareOfPart;
  SystemState state;
  Verdict verdict =
      decideLinear(expr, gap, SystemScope::Linear, workOfPart, state);
  if (verdict == Verdict::Unknown && !state.isWhole)
    verdict = decideLinear(expr, gap, SystemScope::Related, work, state);
  // Facts that have nothing to do with the question may use up the budget.
  workOfPart = budget.maxWork - budget.maxWork / kShareOfPart;
  if (verdict == Verdict::Unknown && state.isCrowded)
    verdict = decideLinear(expr, gap, SystemScope::Core, workOfPart, state);
  if (verdict != Verdict::Unknown)
    return verdict;
  if (depth != 0 || budget.strongest < Rung::Integer ||
      gap.getDepth() > kMaxRefutedDepth)
    return Verdict::Unknown;
  return decideByRefutation(kind, least);
}

/// Returns true if nothing fits when the condition is taken for a fact: as one
/// it is multiplied with others.
bool Decider::isRefuted(Expr condition, Expr gap) {
  Facts::Scope scope(facts);
  facts.add(condition, Provenance::Proven);
  if (facts.isContradictory()) {
    use(facts.getContradiction());
    return true;
  }
  llvm::SmallVector<Expr, 16> exprs{facts.simplify(gap)};
  for (Expr symbol : context.freeSymbols(gap))
    for (unsigned position :
         getImpl(facts).tables.getLinearFactsAbout(symbol, kMaxRefuting))
      if (Expr fact = getImpl(facts).tables.linear[position].expr;
          !llvm::is_contained(exprs, fact))
        exprs.push_back(fact);
  LinearSystem system(facts, budget, work);
  if (!system.build(exprs) ||
      !system.isInfeasible(context.zero(), /*isEquality=*/true,
                           /*integers=*/true))
    return false;
  use(system.getFacts());
  return true;
}

Verdict Decider::decideByRefutation(ExprKind kind, Expr gap) {
  Expr zero = context.zero();
  reach(Rung::Integer);
  bool isNeverBelow = isRefuted(context.lt(gap, zero), gap);
  if (kind == ExprKind::Le) {
    if (isNeverBelow)
      return Verdict::Yes;
    return isRefuted(context.ge(gap, zero), gap) ? Verdict::No
                                                 : Verdict::Unknown;
  }
  Verdict equal = Verdict::Unknown;
  if (isNeverBelow && isRefuted(context.gt(gap, zero), gap))
    equal = Verdict::Yes;
  else if (isRefuted(context.eq(gap, zero), gap))
    equal = Verdict::No;
  return kind == ExprKind::Eq ? equal : negate(equal);
}

//===----------------------------------------------------------------------===//
// Prover
//===----------------------------------------------------------------------===//

Answer Prover::prove(Expr query) {
  assert(query.isBool() && "only booleans can be proven");
  Answer answer = climb(query);
  if (answer.verdict != Verdict::Yes && answer.verdict != Verdict::No)
    return answer;
  if (budget.strongest < Rung::Integer)
    return answer;
  if (const FactSet *reasons = findContradiction(facts, budget))
    return {Verdict::Contradiction, Rung::Integer, Doubt::None, *reasons};
  return answer;
}

Answer Prover::climb(Expr query) {
  ProverBudget cheap = budget;
  cheap.strongest = std::min(budget.strongest, Rung::Facts);
  Answer answer = Decider(facts, cheap).answer(query);
  if (answer.verdict != Verdict::Unknown || budget.strongest < Rung::Linear ||
      query.getSize() > kMaxSize)
    return answer;
  if (getImpl(facts).witness.isUndecided(query)) {
    answer.doubt = Doubt::Disagreement;
    return answer;
  }
  SolvedForm *solved = SolvedForm::get(facts);
  Facts &unknowns = solved ? solved->getFacts() : facts;
  Expr question = solved ? solved->translate(query) : query;
  Evidence evidence = sampleQuestion(unknowns, question);
  if (evidence.isConclusive()) {
    answer.doubt =
        evidence.canBeUndefined ? Doubt::Undefined : Doubt::Disagreement;
    return answer;
  }
  answer = Decider(unknowns, budget).answer(question);
  assert(!(answer.isYes() && evidence.canFail) && "proved what fails");
  assert(!(answer.isNo() && evidence.canHold) && "refuted what holds");
  if (!solved)
    return answer;
  if (answer.verdict == Verdict::Unknown) {
    ProverBudget linear = budget;
    linear.strongest = std::min(budget.strongest, Rung::Linear);
    return Decider(facts, linear).answer(query);
  }
  answer.rung = std::max(answer.rung, Rung::Facts);
  answer.facts = solved->getReasons(query, answer.facts);
  return answer;
}

bool Prover::isProvenEqual(Expr a, Expr b) {
  return isProven(facts.getContext().eq(a, b));
}

bool Prover::isProvenLe(Expr a, Expr b) {
  return isProven(facts.getContext().le(a, b));
}
