//===- Deduction.h - Taking facts apart -------------------------*- C++ -*-===//
//
// Turns a stated fact into value sets, linear facts, replacements and open
// facts, and writes down what follows from it at once.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_DEDUCTION_H
#define TALLY_LIB_SYMBOLIC_FACTS_DEDUCTION_H

#include "Simplifier.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tally::symbolic {

class Deduction {
public:
  Deduction(FactTables &tables, ValueAnalysis &values, Simplifier &simplifier)
      : tables(tables), values(values), simplifier(simplifier),
        context(tables.context) {}

  /// A new fact is about to be stated.
  void start() { propagationBudget = maxPropagations; }
  /// `expr` is evaluated, so nothing in it divides by zero.
  void assumeDefined(Expr expr, const FactSet &ids);
  /// A boolean expression is true.
  void assume(Expr fact, const FactSet &ids);
  /// The values of an integer expression are in a set.
  void learn(Expr expr, const ValueSet &set, const FactSet &ids);
  /// States the latest facts about the symbols of a new fact again, where it
  /// makes them simpler.
  void restateFactsAbout(Expr fact);

  /// Ends of an interval that moved.
  struct Moved {
    bool lower, upper;
  };

private:
  /// Bounds that one new fact may change.
  static constexpr unsigned maxPropagations = 48;
  /// How deep one fact may lead to another.
  static constexpr unsigned maxNesting = 24;

  void assumeComparison(Expr fact, const FactSet &ids);
  /// Simplifies an expression whose value is known to be among `allowed`, and
  /// has more deduced of it, if it is no number and one fact has not led too
  /// deep.
  void assumeIn(const Interval &allowed, Expr stated, const FactSet &statedIds,
                llvm::function_ref<void(Expr, const FactSet &)> deduce);
  void assumeZero(Expr expr, const FactSet &ids);
  void assumeNonNegative(Expr expr, const FactSet &ids);
  void assumeNonZero(Expr expr, const FactSet &ids);
  void splitExtrema(Expr expr, const FactSet &ids);
  void propagate(Expr expr, bool isEquality, const FactSet &ids);
  void propagateFrom(Expr monomial, Moved moved);
  void learnCongruences(Expr expr, const FactSet &ids);
  void orient(Expr expr, const FactSet &ids);
  bool solveForLatest(Expr expr, const FactSet &ids);
  void addReplacement(Expr from, Expr to, const FactSet &ids);
  Expr restateOpen(Expr fact, FactSet &ids);

  // Facts that value sets imply (DeducedValues.cpp).
  void learnPart(Expr part, const ValueSet &set, const FactSet &ids);
  void learnInside(Expr atom, const ValueSet &set, const FactSet &ids);
  void learnFactors(Expr product, const ValueSet &set, const FactSet &ids);

  FactTables &tables;
  ValueAnalysis &values;
  Simplifier &simplifier;
  ExprContext &context;
  /// Steps of bound propagation left for the fact that is being added.
  unsigned propagationBudget = 0;
  unsigned nesting = 0;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_DEDUCTION_H
