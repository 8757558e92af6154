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
#include <sys/socket.h>
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
  void (*releaseSolver)(Context, Solver);
  void (*readScript)(Context, Solver, const char *);
  int (*checkSolver)(Context, Solver);

  bool lookUp(std::string &error);
  Context startContext() const;
  std::string ask(Context context, const char *script) const;

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
         find(releaseSolver, "Z3_solver_dec_ref", error) &&
         find(readScript, "Z3_solver_from_string", error) &&
         find(checkSolver, "Z3_solver_check", error);
}

Z3Solver::Z3Solver(std::unique_ptr<Library> library)
    : library(std::move(library)) {}

Z3Solver::~Z3Solver() {
  for (const Process &process : idle)
    end(process);
}

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

Context Z3Solver::Library::startContext() const {
  Context context = makeContext(makeConfig());
  setErrorHandler(context, ignoreError);
  return context;
}

/// The answer as a letter, and a message behind it if something went wrong.
std::string Z3Solver::Library::ask(Context context, const char *script) const {
  Solver solver = makeSolver(context);
  retainSolver(context, solver);
  readScript(context, solver, script);
  int result = getErrorCode(context) ? 0 : checkSolver(context, solver);
  std::string answer = result == 0 ? "?" : result > 0 ? "s" : "u";
  if (unsigned code = getErrorCode(context))
    answer = std::string("e") + getErrorMessage(context, code);
  releaseSolver(context, solver);
  return answer;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

namespace {

/// What is in front of a script on its way to a process, and of an answer on
/// its way back.
struct Header {
  uint64_t size = 0;
  uint64_t milliseconds = 0;
};

} // namespace

/// Ends this process after so much time; zero: not at all.
static void limitTime(uint64_t milliseconds) {
  itimerval limit{};
  limit.it_value.tv_sec = milliseconds / 1000;
  limit.it_value.tv_usec = milliseconds % 1000 * 1000;
  setitimer(ITIMER_REAL, &limit, nullptr);
}

/// Whether everything was sent. The other end may be gone.
static bool sendAll(int socket, const void *data, size_t size) {
  const char *from = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t count =
        llvm::sys::RetryAfterSignal(-1, send, socket, from, size, MSG_NOSIGNAL);
    if (count <= 0)
      return false;
    from += count;
    size -= count;
  }
  return true;
}

/// Whether everything was received.
static bool receiveAll(int socket, void *data, size_t size) {
  char *to = static_cast<char *>(data);
  while (size > 0) {
    ssize_t count = llvm::sys::RetryAfterSignal(-1, recv, socket, to, size, 0);
    if (count <= 0)
      return false;
    to += count;
    size -= count;
  }
  return true;
}

static bool sendText(int socket, llvm::StringRef text, uint64_t milliseconds) {
  Header header{text.size(), milliseconds};
  return sendAll(socket, &header, sizeof(header)) &&
         sendAll(socket, text.data(), text.size());
}

static bool receiveText(int socket, std::string &text, Header &header) {
  if (!receiveAll(socket, &header, sizeof(header)))
    return false;
  text.resize(header.size);
  return receiveAll(socket, text.data(), text.size());
}

/// Answers one question after the other, until nobody asks any more.
[[noreturn]] void Z3Solver::answerAll(const Library &library, int socket) {
  std::signal(SIGALRM, SIG_DFL);
  Context context = library.startContext();
  std::string text;
  Header header;
  while (receiveText(socket, text, header)) {
    limitTime(header.milliseconds);
    std::string answer = library.ask(context, text.c_str());
    limitTime(0);
    if (!sendText(socket, answer, 0))
      break;
  }
  _exit(0);
}

Z3Solver::Process Z3Solver::start() const {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return {};
  Process process{fork(), ends[0]};
  if (process.id == 0) {
    close(ends[0]);
    answerAll(*library, ends[1]);
  }
  int reason = errno;
  close(ends[1]);
  if (process.id < 0)
    close(ends[0]);
  errno = reason;
  return process;
}

/// Ends a process, whatever it does.
void Z3Solver::end(const Process &process) {
  close(process.socket);
  kill(process.id, SIGKILL);
  llvm::sys::RetryAfterSignal(-1, waitpid, process.id, nullptr, 0);
}

Z3Solver::Process Z3Solver::takeIdle() {
  std::lock_guard<std::mutex> lock(mutex);
  if (idle.empty())
    return {};
  Process process = idle.back();
  idle.pop_back();
  return process;
}

/// Z3 does not always keep a time limit, so it works in a process of its own,
/// which has one.
Satisfiability Z3Solver::check(llvm::StringRef script, unsigned milliseconds,
                               std::string &error) {
  Process process = takeIdle();
  if (process.id < 0)
    process = start();
  if (process.id < 0) {
    error = llvm::sys::StrError();
    return Satisfiability::Unknown;
  }
  std::string answer;
  Header header;
  if (!sendText(process.socket, script, milliseconds) ||
      !receiveText(process.socket, answer, header)) {
    end(process);
    return Satisfiability::Unknown;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(process);
  }
  if (llvm::StringRef(answer).starts_with("e"))
    error = answer.substr(1);
  return answer == "s"   ? Satisfiability::Sat
         : answer == "u" ? Satisfiability::Unsat
                         : Satisfiability::Unknown;
}
