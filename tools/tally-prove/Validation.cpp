//===- Validation.cpp - Answers confirmed by Z3 ---------------------------===//
//
// A script is satisfiable exactly if the answer is wrong.
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::prove;

void Validation::check(const Outcome &outcome, Session &session) {
  if (!outcome.claim || !outcome.claim->isAnswered)
    return;
  symbolic::SMTScript script = session.makeScript(*outcome.claim);
  std::string error;
  Satisfiability result = script.hasQuery
                              ? z3.check(script.text, milliseconds, error)
                              : Satisfiability::Unknown;
  if (!error.empty())
    llvm::errs() << "line " << outcome.line
                 << ": Z3 does not understand: " << error << '\n';
  if (result == Satisfiability::Unsat) {
    ++numConfirmed;
    return;
  }
  if (result == Satisfiability::Unknown || !script.isComplete()) {
    ++numOpen;
    return;
  }
  ++numRefuted;
  llvm::errs() << "line " << outcome.line << ": Z3 refutes '" << outcome.answer
               << "' (" << outcome.rung << ")\n";
}

void Validation::print(llvm::raw_ostream &os) const {
  os << "Z3: " << numConfirmed << " answers confirmed, " << numRefuted
     << " refuted, " << numOpen << " left open\n";
}
