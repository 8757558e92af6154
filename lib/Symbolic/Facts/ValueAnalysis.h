//===- ValueAnalysis.h - Value sets and truth under facts -------*- C++ -*-===//
//
// Which values an expression can have, from what the tables say about its
// parts. A boolean is an integer in [0, 1].
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_VALUEANALYSIS_H
#define TALLY_LIB_SYMBOLIC_FACTS_VALUEANALYSIS_H

#include "FactTables.h"

namespace tally::symbolic {

/// An answer and when it was found.
template <typename T>
struct Stamped {
  T answer;
  uint64_t time;
};

class ValueAnalysis {
public:
  explicit ValueAnalysis(const FactTables &tables)
      : tables(tables), context(tables.context) {}

  ValueSet valueSet(Expr expr, FactSet &used);
  /// As valueSet, valid until the next change or question.
  const KnownValues &getKnownValues(Expr expr);
  /// The values of an atom, or a sum, as its operands alone tell.
  ValueSet valueOfAtom(Expr expr, FactSet &used);
  /// The truth of a boolean expression as it stands, if known (Truth.cpp).
  std::optional<bool> truthOf(Expr expr, FactSet &used);

private:
  /// A sum that another one differs from by a multiple.
  struct RoundedSum {
    Expr whole;
    Congruence multiples;
  };

  KnownValues computeValueSet(Expr expr);
  KnownValues computeAtom(Expr expr);
  KnownValues computeSum(Expr expr);
  std::optional<KnownValues> computeShortNumbers(llvm::ArrayRef<Expr> operands);
  llvm::SmallVector<RoundedSum, 1> getRoundedSums(Expr expr);
  void meetRounded(Expr expr, KnownValues &result);
  ValueSet enumerateRemainders(Expr expr, FactSet &used);
  void meetKnown(Expr expr, KnownValues &result);

  const FactTables &tables;
  ExprContext &context;
  llvm::DenseMap<Expr, Stamped<KnownValues>> valueCache;
  /// Sums of many symbols from the values of the symbols alone.
  llvm::DenseMap<Expr, Stamped<KnownValues>> longSums;
  /// They follow from a sum alone.
  llvm::DenseMap<Expr, llvm::SmallVector<RoundedSum, 1>> roundedSums;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_VALUEANALYSIS_H
