//===- Z3.cpp - The solver above the ladder -------------------------------===//
//
// The few functions of Z3's C interface that are needed, looked up by name.
//
//===----------------------------------------------------------------------===//

#include "tally/Z3/Z3.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tally;

namespace {

// Declarations of the C interface, stable since Z3 4.8.
using Config = struct Z3ConfigOpaque *;
using Context = struct Z3ContextOpaque *;
using Solver = struct Z3SolverOpaque *;
using ErrorHandler = void (*)(Context, unsigned);

/// What Z3 gets beyond its own limit.
constexpr std::chrono::milliseconds graceTime(250);

} // namespace

struct Z3Solver::Library {
  void *handle = nullptr;
  Config (*makeConfig)();
  void (*setParameter)(Config, const char *, const char *);
  Context (*makeContext)(Config);
  void (*setErrorHandler)(Context, ErrorHandler);
  unsigned (*getErrorCode)(Context);
  const char *(*getErrorMessage)(Context, unsigned);
  Solver (*makeSolver)(Context);
  void (*retainSolver)(Context, Solver);
  void (*readScript)(Context, Solver, const char *);
  int (*checkSolver)(Context, Solver);

  ~Library() {
    if (handle)
      dlclose(handle);
  }
  bool lookUp(std::string &error);
  std::string ask(const char *script, unsigned milliseconds) const;

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
         find(setParameter, "Z3_set_param_value", error) &&
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
std::string Z3Solver::Library::ask(const char *script,
                                   unsigned milliseconds) const {
  Config config = makeConfig();
  setParameter(config, "timeout", std::to_string(milliseconds).c_str());
  Context context = makeContext(config);
  setErrorHandler(context, ignoreError);
  Solver solver = makeSolver(context);
  retainSolver(context, solver);
  readScript(context, solver, script);
  int result = getErrorCode(context) ? 0 : checkSolver(context, solver);
  if (unsigned code = getErrorCode(context))
    return std::string("e") + getErrorMessage(context, code);
  return result == 0 ? "?" : result > 0 ? "s" : "u";
}

/// Reads what the other end writes until it is closed; what is there when the
/// time is over counts.
static std::string readAll(int descriptor, std::chrono::milliseconds time) {
  auto end = std::chrono::steady_clock::now() + time;
  std::string text;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd request{descriptor, POLLIN, 0};
    int ready = poll(&request, 1, std::max<int>(0, left.count()));
    if (ready < 0 && errno == EINTR)
      continue;
    char buffer[4096];
    ssize_t count = ready > 0 ? read(descriptor, buffer, sizeof(buffer)) : 0;
    if (count <= 0)
      return text;
    text.append(buffer, count);
  }
}

/// Z3 does not always keep its time limit, so it works in a process of its own,
/// which can be ended.
Satisfiability Z3Solver::check(llvm::StringRef script, unsigned milliseconds,
                               std::string &error) {
  int ends[2];
  if (pipe(ends) != 0) {
    error = std::strerror(errno);
    return Satisfiability::Unknown;
  }
  std::string text = script.str();
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string answer = library->ask(text.c_str(), milliseconds);
    ssize_t written = write(ends[1], answer.data(), answer.size());
    _exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string answer;
  if (child > 0) {
    answer =
        readAll(ends[0], std::chrono::milliseconds(milliseconds) + graceTime);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  } else {
    error = std::strerror(errno);
  }
  close(ends[0]);
  if (llvm::StringRef(answer).starts_with("e"))
    error = answer.substr(1);
  return answer == "s"   ? Satisfiability::Sat
         : answer == "u" ? Satisfiability::Unsat
                         : Satisfiability::Unknown;
}
