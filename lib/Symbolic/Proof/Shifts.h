//===- Shifts.h - Signs of polynomials by shifting atoms --------*- C++ -*-===//
//
// A polynomial is non-negative if it has no negative coefficient once every
// atom is written as a bound plus (or minus) something non-negative: with
// a <= b, b ** 3 - a ** 3 is 3 * a ** 2 * t + 3 * a * t ** 2 + t ** 3 for
// b == a + t. What Simplex sees of a product is its cuts; this sees products
// of any degree. Known from proofs of positivity over the Bernstein and the
// shifted monomial basis.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_SHIFTS_H
#define TALLY_LIB_SYMBOLIC_PROOF_SHIFTS_H

#include "ProofCache.h"

namespace tally::symbolic {

class ShiftProver {
public:
  explicit ShiftProver(Facts &facts)
      : facts(facts), impl(getImpl(facts)), context(facts.getContext()) {}

  /// Returns true if the polynomial is shown to be at least zero.
  bool isNonNegative(Expr polynomial);
  /// The facts that this took.
  const FactSet &getFacts() const { return ids; }

private:
  /// factor * atom == value, with the value's slack in it.
  struct Relation {
    DynamicAPInt factor;
    Expr value;
    FactSet ids;
  };

  bool search(Expr polynomial, unsigned depth);
  bool isPlainlyNonNegative(Expr polynomial);
  /// 1 if never negative, -1 if never positive, 0 if neither is known.
  int signOf(Expr monomial, FactSet &used);
  Expr shiftByBounds(Expr polynomial, FactSet &used);
  Expr apply(Expr polynomial, Expr atom, const Relation &relation);
  void collectRelations(Expr atom, bool lower, bool upper,
                        llvm::SmallVectorImpl<Relation> &relations);
  void addRelationsOfFacts(Expr atom, bool lower, bool upper,
                           llvm::SmallVectorImpl<Relation> &relations);
  void addRelationsOfAtom(Expr atom, bool lower, bool upper,
                          llvm::SmallVectorImpl<Relation> &relations);
  Expr makeSlack();
  bool isSlack(Expr atom) const;

  Facts &facts;
  Facts::Impl &impl;
  ExprContext &context;
  FactSet ids;
  unsigned numSlacks = 0, numSteps = 0;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_SHIFTS_H
