//===- Solve.h - Solving equations for symbols ------------------*- C++ -*-===//
//
// Finds symbols from equations: `d0 == 2 * s0`, `d1 == s0 + s1` gives
// `s0 = d0 floordiv 2`, `s1 = d1 - s0`, together with what must hold for such a
// solution to exist.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_PROOF_SOLVE_H
#define TALLY_SYMBOLIC_PROOF_SOLVE_H

#include "tally/Symbolic/Proof/Prover.h"

namespace tally::symbolic {

/// An equation solved for a symbol.
struct Solution {
  /// The value of the symbol, an expression without it.
  Expr value;
  /// The condition for the solution to exist; the literal `true` if it always
  /// does. `2 * s0 == d` gives `d floordiv 2` requires `d mod 2 == 0`.
  Expr required;
};

/// Solves `lhs == rhs` for a symbol that occurs in it linearly with a constant
/// coefficient, or with one that the facts show to be non-zero. Nothing if it
/// does not. What is declared of the symbol itself is left to the caller.
std::optional<Solution> solveFor(Prover &prover, Expr symbol, Expr lhs,
                                 Expr rhs);

/// A system of equations solved for its unknowns.
struct SystemSolution {
  struct Binding {
    Expr symbol;
    /// It is in terms of known symbols and of unknowns that were asked for
    /// earlier, and may be undefined where `required` does not hold.
    Expr value;
  };
  /// The unknowns that could be solved, in the order that was asked for.
  llvm::SmallVector<Binding, 4> values;
  /// The conditions on the known symbols, and of the unknowns once they have
  /// their values: each is defined where those before it hold. Exactly where
  /// all hold, the values are the one solution that fits the facts; `x != 0` of
  /// something that was divided by may be required as well, since the unknown
  /// is not determined by that equation without it. Conditions that follow
  /// from those before them are left out where the prover sees that. `false`
  /// ends the list if there was seen to be no solution.
  llvm::SmallVector<Expr, 4> required;
  /// The unknowns that could not be solved, and the equations about them; where
  /// there is none, all equations. With any, `required` holds only what was
  /// found on the way.
  llvm::SmallVector<Expr, 4> unsolved, left;

  /// The facts that were relied on, also those that are required.
  FactSet facts;

  bool isSolved() const { return unsolved.empty(); }
  /// Returns true if there was seen to be no solution where what stands before
  /// the `false` in `required` holds.
  bool isImpossible() const {
    return !required.empty() && required.back().isFalse();
  }
  /// `s0 = d0 floordiv 2, s1 = d1 - s0 requires d0 mod 2 == 0, s0 <= d1`,
  /// `cannot solve s1 from d1 == s0 * s1` or `cannot solve s: no solution`.
  std::string str() const;
};

/// Finds the values of `symbols` from `equations`: boolean expressions that are
/// all to hold, equalities for the most part. Facts that mention no unknown are
/// taken as true; those that do (ranges, divisors, relations) must hold of the
/// solution, and are required where that is not certain.
///
/// Solves linear equations over the integers, in any number of unknowns,
/// without needless divisibility; equations that are linear once other unknowns
/// are known, products with a factor that is not zero among them; quotients
/// that the declarations show to be exact; and definitions of boolean symbols.
SystemSolution solveSystem(const Facts &facts, llvm::ArrayRef<Expr> symbols,
                           llvm::ArrayRef<Expr> equations,
                           const ProverBudget &budget = {});

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_PROOF_SOLVE_H
