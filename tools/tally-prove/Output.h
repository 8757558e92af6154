//===- Output.h - How answers are printed -----------------------*- C++ -*-===//
//
// Answers as text and as JSON, and a summary of all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYPROVE_OUTPUT_H
#define TALLY_TOOLS_TALLYPROVE_OUTPUT_H

#include "Session.h"

#include <map>
#include <vector>

namespace tally::prove {

/// Prints `error 3:7 unknown symbol 'x'`, on one line whatever it holds.
void printFailure(llvm::raw_ostream &os, llvm::StringRef kind, unsigned line,
                  const Failure &failure);

/// Prints the line of a query: its answer or its error. With `explain`, a TAB,
/// the rung, the reasons and the time follow; of what is not decided, why.
void printText(llvm::raw_ostream &os, const Outcome &outcome, bool explain);

/// Prints the line of a query as a JSON object.
void printJSON(llvm::raw_ostream &os, const Outcome &outcome);

/// Prints the script of a query, for a solver that reads one script after the
/// other: `unsat` confirms that a prove or equal is true, or what the answer to
/// another query says. What makes no script makes the solver print why.
void printSMT(llvm::raw_ostream &os, const Outcome &outcome, Session &session);

/// Counts answers and times.
class Summary {
public:
  void add(const Outcome &outcome);
  void print(llvm::raw_ostream &os);

private:
  std::map<std::string, unsigned> answers, rungs;
  std::vector<double> times;
};

} // namespace tally::prove

#endif // TALLY_TOOLS_TALLYPROVE_OUTPUT_H
