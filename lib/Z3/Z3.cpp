//===- Z3.cpp - The solver above the ladder -------------------------------===//
//
// The few functions of Z3's C interface that are needed, looked up by name.
//
//===----------------------------------------------------------------------===//

#include "tally/Z3/Z3.h"

#include "llvm/Support/Errno.h"

#include <array>
#include <csignal>
#include <dlfcn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tally;

namespace {

// Declarations of the C interface, stable since Z3 4.8.
using Config = struct Z3ConfigOpaque *;
using Context = struct Z3ContextOpaque *;
using Solver = struct Z3SolverOpaque *;
using ErrorHandler = void (*)(Context, unsigned);

} // namespace

struct Z3Solver::Library {
  void *handle = nullptr;
  Config (*makeConfig)();
  Context (*makeContext)(Config);
  void (*setErrorHandler)(Context, ErrorHandler);
  unsigned (*getErrorCode)(Context);
  const char *(*getErrorMessage)(Context, unsigned);
  Solver (*makeSolver)(Context);
  void (*retainSolver)(Context, Solver);
  void (*readScript)(Context, Solver, const char *);
  int (*checkSolver)(Context, Solver);

  bool lookUp(std::string &error);
  std::string ask(const char *script) const;

private:
  template <typename Function>
  bool find(Function &function, const char *name, std::string &error) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function)
      error = std::string("Z3 has no function ") + name;
    return function != nullptr;
  }
};

bool Z3Solver::Library::lookUp(std::string &error) {
  return find(makeConfig, "Z3_mk_config", error) &&
         find(makeContext, "Z3_mk_context", error) &&
         find(setErrorHandler, "Z3_set_error_handler", error) &&
         find(getErrorCode, "Z3_get_error_code", error) &&
         find(getErrorMessage, "Z3_get_error_msg", error) &&
         find(makeSolver, "Z3_mk_solver", error) &&
         find(retainSolver, "Z3_solver_inc_ref", error) &&
         find(readScript, "Z3_solver_from_string", error) &&
         find(checkSolver, "Z3_solver_check", error);
}

Z3Solver::Z3Solver(std::unique_ptr<Library> library)
    : library(std::move(library)) {}
Z3Solver::~Z3Solver() = default;

std::unique_ptr<Z3Solver> Z3Solver::open(std::string &error) {
  auto library = std::make_unique<Library>();
  for (const char *name : {"libz3.so.4", "libz3.so"})
    if (!library->handle)
      library->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library->handle) {
    error = dlerror();
    return nullptr;
  }
  if (!library->lookUp(error))
    return nullptr;
  return std::unique_ptr<Z3Solver>(new Z3Solver(std::move(library)));
}

/// Errors are asked for.
static void ignoreError(Context, unsigned) {}

/// The answer as a letter, and a message behind it if something went wrong.
/// Frees nothing: the process ends with it.
std::string Z3Solver::Library::ask(const char *script) const {
  Context context = makeContext(makeConfig());
  setErrorHandler(context, ignoreError);
  Solver solver = makeSolver(context);
  retainSolver(context, solver);
  readScript(context, solver, script);
  int result = getErrorCode(context) ? 0 : checkSolver(context, solver);
  if (unsigned code = getErrorCode(context))
    return std::string("e") + getErrorMessage(context, code);
  return result == 0 ? "?" : result > 0 ? "s" : "u";
}

/// Ends this process after so much time.
static void limitTime(unsigned milliseconds) {
  std::signal(SIGALRM, SIG_DFL);
  itimerval limit{};
  limit.it_value.tv_sec = milliseconds / 1000;
  limit.it_value.tv_usec = milliseconds % 1000 * 1000;
  setitimer(ITIMER_REAL, &limit, nullptr);
}

/// Reads what the other end writes until it is closed.
static std::string readAll(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    ssize_t count = llvm::sys::RetryAfterSignal(-1, read, descriptor,
                                                buffer.data(), buffer.size());
    if (count <= 0)
      return text;
    text.append(buffer.data(), count);
  }
}

/// Z3 does not always keep a time limit, so it works in a process of its own,
/// which has one.
Satisfiability Z3Solver::check(llvm::StringRef script, unsigned milliseconds,
                               std::string &error) {
  std::array<int, 2> ends{-1, -1};
  std::string text = script.str();
  pid_t child = pipe(ends.data()) == 0 ? fork() : -1;
  if (child == 0) {
    limitTime(milliseconds);
    std::string answer = library->ask(text.c_str());
    ssize_t written = write(ends[1], answer.data(), answer.size());
    _exit(written < 0);
  }
  if (child < 0)
    error = llvm::sys::StrError();
  close(ends[1]);
  std::string answer = readAll(ends[0]);
  close(ends[0]);
  if (child > 0)
    llvm::sys::RetryAfterSignal(-1, waitpid, child, nullptr, 0);
  if (llvm::StringRef(answer).starts_with("e"))
    error = answer.substr(1);
  return answer == "s"   ? Satisfiability::Sat
         : answer == "u" ? Satisfiability::Unsat
                         : Satisfiability::Unknown;
}
