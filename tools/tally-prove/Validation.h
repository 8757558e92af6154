//===- Validation.h - Answers confirmed by Z3 -------------------*- C++ -*-===//
//
// Checks each answer with a solver that shares none of the code that found it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYPROVE_VALIDATION_H
#define TALLY_TOOLS_TALLYPROVE_VALIDATION_H

#include "Session.h"

namespace tally::prove {

/// Confirms answers and counts what came of it.
class Validation {
public:
  Validation(Z3Solver &z3, unsigned milliseconds)
      : z3(z3), milliseconds(milliseconds) {}

  /// Asks for a counterexample to the answer of the last query; prints on
  /// standard error if there is one.
  void check(const Outcome &outcome, Session &session);
  void print(llvm::raw_ostream &os) const;

  bool hasRefuted() const { return numRefuted != 0; }

private:
  Z3Solver &z3;
  unsigned milliseconds;
  unsigned numConfirmed = 0, numRefuted = 0, numOpen = 0;
};

} // namespace tally::prove

#endif // TALLY_TOOLS_TALLYPROVE_VALIDATION_H
