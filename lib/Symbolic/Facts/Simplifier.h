//===- Simplifier.h - Simplification under facts ----------------*- C++ -*-===//
//
// Puts equalities in and folds what value sets decide, where the expression is
// known to have a value.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_SIMPLIFIER_H
#define TALLY_LIB_SYMBOLIC_FACTS_SIMPLIFIER_H

#include "ValueAnalysis.h"

namespace tally::symbolic {

class Simplifier {
public:
  Simplifier(const FactTables &tables, ValueAnalysis &values)
      : tables(tables), values(values), context(tables.context) {}

  Expr simplify(Expr expr, FactSet &used);

  // Definedness (Definedness.cpp).

  /// Returns true if a node has a value where its operands have one.
  bool isNodeDefined(Expr expr, FactSet &used);
  /// Returns true if everything in a node that has no lazy parts is known to
  /// have a value; lazy parts count as if they were evaluated.
  bool isDefined(Expr expr, FactSet &used);

private:
  /// A simplified expression and the facts that this took.
  struct Simplified {
    Expr expr;
    FactSet ids;
  };

  Simplified simplifyOnce(Expr expr);
  Expr foldNode(Expr expr, FactSet &used);
  Expr mirrorExact(Expr expr, FactSet &used);
  Expr foldDivision(Expr expr, FactSet &used);
  Expr foldSymbolicDivision(Expr expr, FactSet &used);
  Expr foldExtremum(Expr expr, FactSet &used);
  Expr foldComparison(Expr expr, FactSet &used);
  Expr replaceMonomials(Expr expr, FactSet &used);
  Expr replaceProduct(Expr monomial, FactSet &used);

  const FactTables &tables;
  ValueAnalysis &values;
  ExprContext &context;
  llvm::DenseMap<Expr, Stamped<Simplified>> simplifyCache;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_SIMPLIFIER_H
