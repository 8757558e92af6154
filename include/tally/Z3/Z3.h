//===- Z3.h - The solver above the ladder -----------------------*- C++ -*-===//
//
// Z3, for questions that every rung of Tally's own left open and for tests
// that confirm its answers. Its library is opened when it is first asked for,
// so that nothing needs it to build or to start.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_Z3_Z3_H
#define TALLY_Z3_Z3_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace tally {

enum class Satisfiability { Sat, Unsat, Unknown };

/// Z3's library, opened.
class Z3Solver {
public:
  /// Opens the library; null if there is none, and why.
  static std::unique_ptr<Z3Solver> open(std::string &error);
  ~Z3Solver();

  /// Checks a script of declarations and assertions in SMT-LIB 2, in a process
  /// that is ended at the time limit. Unknown then, and if Z3 refuses
  /// the script, which sets `error`.
  Satisfiability check(llvm::StringRef script, unsigned milliseconds,
                       std::string &error);

private:
  struct Library;
  explicit Z3Solver(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library;
};

} // namespace tally

#endif // TALLY_Z3_Z3_H
