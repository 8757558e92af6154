//===- SolvedForm.h - Facts with equations put in ---------------*- C++ -*-===//
//
// The same facts in other unknowns. Equations are solved for the symbol that
// occurs alone in them, whenever it was defined, and a symbol known modulo
// something becomes a multiple of a parameter: `hidden mod heads == 0` makes
// hidden == heads * t. What is left has fewer symbols and fewer divisions. An
// assignment fits these facts if and only if it comes from one that fits the
// original ones, so that answers carry over.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_SOLVEDFORM_H
#define TALLY_LIB_SYMBOLIC_PROOF_SOLVEDFORM_H

#include "ProofCache.h"

namespace tally::symbolic {

class SolvedForm {
public:
  /// The solved form of the facts as they are now, made when the facts have
  /// changed since it was last asked for; null if there is nothing to solve or
  /// there are too many facts.
  static SolvedForm *get(Facts &facts);

  explicit SolvedForm(Facts &original);

  Facts &getFacts() { return facts; }
  /// The expression in the new unknowns.
  Expr translate(Expr expr) const;
  /// The original facts behind an answer about a question that was translated.
  FactSet getReasons(Expr question, llvm::ArrayRef<FactId> used) const;

private:
  void solveCongruences();
  void solveModulo(Expr literal, FactId id);
  void solveEquation(Expr literal, FactId id);
  bool solveForSymbol(Expr sum, FactId id);
  bool solveForPair(Expr sum, FactId id);
  void define(Expr symbol, Expr value, FactSet ids);
  void addDefinitions(Expr expr, FactSet &ids) const;
  /// A fresh unknown.
  Expr makeParameter();

  Facts &original;
  ExprContext &context;
  Facts facts;
  Substitution values;
  llvm::DenseMap<Expr, FactSet> reasons;
  unsigned numParameters = 0;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_SOLVEDFORM_H
