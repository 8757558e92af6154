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
  Config (*mk_config)();
  void (*set_param_value)(Config, const char *, const char *);
  Context (*mk_context)(Config);
  void (*set_error_handler)(Context, ErrorHandler);
  unsigned (*get_error_code)(Context);
  const char *(*get_error_msg)(Context, unsigned);
  Solver (*mk_solver)(Context);
  void (*solver_inc_ref)(Context, Solver);
  void (*solver_from_string)(Context, Solver, const char *);
  int (*solver_check)(Context, Solver);

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
  return find(mk_config, "Z3_mk_config", error) &&
         find(set_param_value, "Z3_set_param_value", error) &&
         find(mk_context, "Z3_mk_context", error) &&
         find(set_error_handler, "Z3_set_error_handler", error) &&
         find(get_error_code, "Z3_get_error_code", error) &&
         find(get_error_msg, "Z3_get_error_msg", error) &&
         find(mk_solver, "Z3_mk_solver", error) &&
         find(solver_inc_ref, "Z3_solver_inc_ref", error) &&
         find(solver_from_string, "Z3_solver_from_string", error) &&
         find(solver_check, "Z3_solver_check", error);
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
  // What Z3 sets up once is then there in each process that asks it.
  library->ask("(assert false)", /*milliseconds=*/1000);
  return std::unique_ptr<Z3Solver>(new Z3Solver(std::move(library)));
}

/// Errors are asked for.
static void ignoreError(Context, unsigned) {}

/// The answer as a letter, and a message behind it if something went wrong.
std::string Z3Solver::Library::ask(const char *script,
                                   unsigned milliseconds) const {
  Config config = mk_config();
  set_param_value(config, "timeout", std::to_string(milliseconds).c_str());
  Context context = mk_context(config);
  set_error_handler(context, ignoreError);
  Solver solver = mk_solver(context);
  solver_inc_ref(context, solver);
  solver_from_string(context, solver, script);
  int result = get_error_code(context) ? 0 : solver_check(context, solver);
  if (unsigned code = get_error_code(context))
    return std::string("e") + get_error_msg(context, code);
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
