//===- Contradictions.cpp - Facts that no assignment fits -----------------===//
//
// A fact is checked against those before it when it is stated, by value
// sets alone. Before an answer is given, facts that no tried assignment fits
// are looked at once more, as a linear system over the integers.
//
//===----------------------------------------------------------------------===//

#include "Decider.h"
#include "LinearSystem.h"
#include "Samples.h"
#include "SolvedForm.h"

using namespace tally::symbolic;

/// Returns true if the linear facts exclude each other.
static bool excludeEachOther(Facts &facts, const ProverBudget &budget,
                             FactSet &reasons) {
  if (facts.isContradictory()) {
    reasons = facts.getContradiction();
    return true;
  }
  llvm::SmallVector<Expr, 16> linear;
  for (const Facts::LinearFact &fact : facts.getLinearFacts())
    linear.push_back(fact.expr);
  uint64_t work = 0;
  LinearSystem system(facts, budget, work);
  Expr zero = facts.getContext().zero();
  if (!system.build(linear) ||
      !system.isInfeasible(zero, /*isEquality=*/true, /*integers=*/true))
    return false;
  reasons = system.getFacts();
  return true;
}

const FactSet *tally::symbolic::findContradiction(Facts &facts,
                                                  const ProverBudget &budget) {
  ProofCache &cache = ProofCache::get(facts);
  std::optional<FactSet> &found = cache.contradiction;
  if (cache.searchedVersion == getImpl(facts).version)
    return found ? &*found : nullptr;
  cache.searchedVersion = getImpl(facts).version;
  found.reset();
  Expr always = facts.getContext().trueExpr();
  if (!canSample(facts, always) || sampleQuestion(facts, always).canHold)
    return nullptr;
  FactSet reasons;
  SolvedForm *solved = SolvedForm::get(facts);
  if (!solved) {
    if (excludeEachOther(facts, budget, reasons))
      found = reasons;
  } else if (!sampleQuestion(solved->getFacts(), always).canHold &&
             excludeEachOther(solved->getFacts(), budget, reasons)) {
    found = solved->getReasons(always, reasons);
  }
  return found ? &*found : nullptr;
}
