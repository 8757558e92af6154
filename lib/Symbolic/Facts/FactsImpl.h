//===- FactsImpl.h - The parts of Facts -------------------------*- C++ -*-===//
//
// Statements are deduced into tables; values, truth and simple forms are read
// off them. Each part knows those before it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_FACTSIMPL_H
#define TALLY_LIB_SYMBOLIC_FACTS_FACTSIMPL_H

#include "Deduction.h"
#include "Witness.h"

namespace tally::symbolic {

struct Facts::Impl {
  explicit Impl(ExprContext &context) : tables(context) {}

  /// The facts as they were stated.
  llvm::SmallVector<Fact, 0> facts;
  FactTables tables;
  ValueAnalysis values{tables};
  Simplifier simplifier{tables, values};
  Deduction deduction{tables, values, simplifier};
  Witness witness{facts, tables};

  /// The start of a scope.
  struct Mark {
    size_t numFacts;
    uint64_t version;
  };
  llvm::SmallVector<Mark, 4> marks;
  /// Names the facts that are stated now: what was made of a version can be
  /// used again when a scope's end brings it back.
  uint64_t version = 1, lastVersion = 1;
  void startVersion() { version = ++lastVersion; }

  /// State that a prover keeps with the facts from one question to the next.
  std::shared_ptr<void> cache;
};

/// The parts of facts.
inline Facts::Impl &getImpl(const Facts &facts) {
  struct Access : Facts {
    static Impl &get(const Facts &facts) { return *(facts.*&Access::impl); }
  };
  return Access::get(facts);
}

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_FACTSIMPL_H
