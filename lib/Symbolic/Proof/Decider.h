//===- Decider.h - The answer to one question -------------------*- C++ -*-===//
//
// The state of one walk up the ladder: what it may still spend, and the rung
// and the facts that it has needed so far.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_DECIDER_H
#define TALLY_LIB_SYMBOLIC_PROOF_DECIDER_H

#include "ProofCache.h"

#include "tally/Symbolic/Proof/Prover.h"

namespace tally::symbolic {

class LinearSystem;
enum class SystemScope : uint8_t;

/// The parts that may be missing from a linear system that does not decide a
/// question.
struct SystemState {
  bool isCrowded = false; ///< Limits of the budget were in the way.
  bool isWhole = false;   ///< A wider scope has nothing to add.
};

/// How deep logic is taken apart.
constexpr unsigned kMaxDepth = 12;

/// Answers one question.
class Decider {
public:
  Decider(Facts &facts, const ProverBudget &budget)
      : facts(facts), context(facts.getContext()), budget(budget),
        numStated(facts.getNumFacts()) {}

  Answer answer(Expr query);

private:
  Verdict decide(Expr expr, unsigned depth);
  Verdict decideSimplified(Expr expr, unsigned depth);
  Verdict decideLogical(Expr expr, unsigned depth);
  Verdict decideSelect(Expr expr, unsigned depth);
  Verdict decideEqualBools(Expr expr, unsigned depth);
  Verdict decideComparison(Expr expr, unsigned depth);
  Verdict decideLinear(Expr expr, Expr gap, SystemScope scope,
                       uint64_t &systemWork, SystemState &state);
  Verdict decideByRefutation(ExprKind kind, Expr gap);
  bool isRefuted(Expr condition, Expr gap);
  Verdict decideUnder(Expr assumption, Expr expr, unsigned depth);
  Verdict decideBySystem(LinearSystem &system, Expr expr, bool integers);

  /// Tells cases apart, in some of which `query` may be easier (Cases.cpp).
  Verdict decideByCases(Expr query, unsigned depth);

  // Comparisons that are not linear (Products.cpp).
  Verdict decideProducts(ExprKind kind, Expr gap, unsigned depth);
  Verdict decideSign(Expr gap);
  Verdict decideQuotientEquality(ExprKind kind, Expr gap, unsigned depth);
  Expr cancelFactors(ExprKind kind, Expr gap);
  Expr unfoldQuotient(Expr gap);

  bool isDefined(Expr expr, unsigned depth);
  bool isDefinedUnder(Expr assumption, Expr expr, unsigned depth);
  bool isNodeDefined(Expr expr, unsigned depth);

  void reach(Rung reached) { rung = std::max(rung, reached); }
  /// Takes facts over, but not those that were assumed on the way.
  void use(const FactSet &ids) {
    bool isStated = facts.getNumFacts() == numStated;
    mergeFacts(used, isStated ? ids : ids.getBelow(numStated));
  }
  Rung rungOfFacts() const;

  Facts &facts;
  ExprContext &context;
  const ProverBudget &budget;
  size_t numStated;
  unsigned numSystems = 0, numUnfolded = 0, numCases = 0;
  uint64_t work = 0;
  FactSet used;
  Rung rung = Rung::Canonical;
};

/// The answer to the opposite question.
Verdict negate(Verdict verdict);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_DECIDER_H
