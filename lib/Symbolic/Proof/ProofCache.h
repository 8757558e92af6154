//===- ProofCache.h - What proofs keep between questions --------*- C++ -*-===//
//
// Found for one version of the facts, and used again until they change.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_PROOFCACHE_H
#define TALLY_LIB_SYMBOLIC_PROOF_PROOFCACHE_H

#include "Facts/FactsImpl.h"

namespace tally::symbolic {

class SolvedForm;
struct ProverBudget;

struct ProofCache {
  static ProofCache &get(Facts &facts) {
    std::shared_ptr<void> &cache = getImpl(facts).cache;
    if (!cache)
      cache = std::make_shared<ProofCache>();
    return *static_cast<ProofCache *>(cache.get());
  }

  /// The same facts in other unknowns, when they were put so, and the unknowns;
  /// true if these facts are such ones themselves.
  std::shared_ptr<SolvedForm> solved;
  uint64_t solvedVersion = 0;
  llvm::SmallVector<Expr, 0> parameters;
  bool isSolved = false;
  /// Fresh non-negative unknowns for one question after another.
  llvm::SmallVector<Expr, 0> slacks;
  /// The search for a contradiction in a version, and what it found.
  uint64_t searchedVersion = 0;
  std::optional<FactSet> contradiction;
};

/// The facts that are found to exclude each other, or null
/// (Contradictions.cpp).
const FactSet *findContradiction(Facts &facts, const ProverBudget &budget);

/// A polynomial that a quotient is at most, or at least.
struct QuotientBound {
  Expr bound;
  bool isUpper;
  FactSet ids;
};
/// The bounds that facts about the dividend give for `dividend floordiv
/// divisor`, for a positive divisor (Quotients.cpp).
llvm::SmallVector<QuotientBound, 4> boundQuotient(Facts &facts, Expr dividend,
                                                  Expr divisor);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_PROOFCACHE_H
