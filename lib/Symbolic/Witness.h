//===- Witness.h - An assignment that fits the facts ------------*- C++ -*-===//
//
// Keeps one assignment that fits all facts, repaired as facts are added. A
// comparison that holds under it, and fails after one symbol is changed so that
// the facts still fit, needs no further rung: nobody can know the answer.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_WITNESS_H
#define TALLY_LIB_SYMBOLIC_WITNESS_H

#include "ContextImpl.h"
#include "FactIndex.h"

#include "tally/Symbolic/Facts.h"

namespace tally::symbolic {

class Witness {
public:
  explicit Witness(const llvm::SmallVectorImpl<Fact> &facts) : facts(facts) {}

  /// True if a comparison of sums of symbols holds under one assignment that
  /// fits the facts and fails under another. False says nothing.
  bool isUndecided(Expr question);
  /// The facts from this one on are about to be forgotten.
  void forgetFrom(size_t numFacts);

private:
  bool update();
  bool repair(Expr fact);
  bool change(Expr question, const DynamicAPInt &gap, bool toHold);
  /// Sets a symbol; false, and no change, if a fact is against it.
  bool trySet(Expr symbol, const DynamicAPInt &value);
  bool holds(Expr fact) const;
  DynamicAPInt getGap(Expr comparison) const;

  const llvm::SmallVectorImpl<Fact> &facts;
  /// Symbols that are not 0.
  llvm::DenseMap<Expr, DynamicAPInt> values;
  FactIndex factsOfSymbol;
  /// Facts that are in the index, and that the assignment fits: one less where
  /// the last one could not be fitted.
  size_t numIndexed = 0, numFitted = 0;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_WITNESS_H
