//===- SMTLib.h - Questions in SMT-LIB 2 ------------------------*- C++ -*-===//
//
// Says in SMT-LIB what the Prover is asked, for a solver to answer or to
// confirm. Division and modulo have Python's meaning; what is undefined is
// neither true nor false.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_TEXT_SMTLIB_H
#define TALLY_SYMBOLIC_TEXT_SMTLIB_H

#include "tally/Symbolic/Proof/Prover.h"

namespace tally::symbolic {

/// A script that is complete in itself but for `(check-sat)`.
struct SMTScript {
  std::string text;
  /// The part that has no counterpart: of a query, then there is no script, or
  /// of an assumption, which is left out. Without one, `unsat` means the same
  /// but `sat` does not.
  std::string unsupported;
  bool hasQuery = true;

  bool isComplete() const { return unsupported.empty(); }
};

/// The claim about a query that a script is to confirm, at every assignment
/// that fits the assumptions.
enum class SMTClaim : uint8_t {
  True,             ///< It is true, and so defined.
  False,            ///< It is false, and so defined.
  TrueWhereDefined, ///< It is not false.
  SameValue,        ///< An equality: one side is what the other is, undefined
                    ///< where that is.
  Contradiction,    ///< There is no such assignment; the query may be null.
};

/// Makes a script that is unsatisfiable exactly if the claim is right.
/// Assumptions are true, and so defined. Expressions may be canonical or as
/// written (parseAsWritten).
SMTScript makeSMTScript(llvm::ArrayRef<Expr> assumptions, Expr query,
                        SMTClaim claim);

/// The facts as they were stated, to be assumptions.
llvm::SmallVector<Expr, 8> getStatedFacts(const Facts &facts);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_TEXT_SMTLIB_H
