//===- SMTLib.h - Questions in SMT-LIB 2 ------------------------*- C++ -*-===//
//
// Says in SMT-LIB what the Prover is asked, for a solver to answer or to
// confirm. Division and modulo have Python's meaning; what is undefined is
// neither true nor false.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_SMTLIB_H
#define TALLY_SYMBOLIC_SMTLIB_H

#include "tally/Symbolic/Prover.h"

namespace tally::symbolic {

/// A script that is complete in itself but for `(check-sat)`.
struct SMTScript {
  std::string text;
  /// What has no counterpart: of a query, then there is no script, or of an
  /// assumption, which is left out. Without one, `unsat` means the same but
  /// `sat` does not.
  std::string unsupported;
  bool hasQuery = true;

  bool isComplete() const { return unsupported.empty(); }
};

/// Makes a script that is unsatisfiable exactly if the verdict is right:
///   Yes            the assumptions hold, and the query is not true or
///   undefined No             the assumptions hold, and it is not false or
///   undefined Contradiction  the assumptions hold (the query may be null)
/// Assumptions are true, and so defined. Expressions may be canonical or as
/// written (parseAsWritten).
SMTScript makeSMTScript(llvm::ArrayRef<Expr> assumptions, Expr query,
                        Verdict verdict);

/// The facts as they were stated, to be assumptions.
llvm::SmallVector<Expr, 8> getStatedFacts(const Facts &facts);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_SMTLIB_H
