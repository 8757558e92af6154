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
#include <mutex>
#include <string>
#include <vector>

namespace tally {

enum class Satisfiability { Sat, Unsat, Unknown };

/// Z3's library, opened.
class Z3Solver {
public:
  /// Opens the library; null if there is none, and why.
  static std::unique_ptr<Z3Solver> open(std::string &error);
  ~Z3Solver();

  /// Checks a script of declarations and assertions in SMT-LIB 2, in a process
  /// that is ended at the time limit and otherwise waits for the next script.
  /// Unknown then, and if Z3 refuses the script, which sets `error`. Threads
  /// may call this at the same time.
  Satisfiability check(llvm::StringRef script, unsigned milliseconds,
                       std::string &error);

private:
  struct Library;
  /// A process that answers, and this end of the connection with it.
  struct Process {
    int id = -1;
    int socket = -1;
  };

  explicit Z3Solver(std::unique_ptr<Library> library);
  [[noreturn]] static void answerAll(const Library &library, int socket);
  static void end(const Process &process);
  /// A new process; its id is negative where there is none, and errno tells
  /// why.
  Process start() const;
  /// A process that waits for a script; its id is negative where none does.
  Process takeIdle();

  std::unique_ptr<Library> library;
  std::mutex mutex;
  std::vector<Process> idle;
};

} // namespace tally

#endif // TALLY_Z3_Z3_H
