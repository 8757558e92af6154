//===- ReadFirst.cpp - What ends upstream's readers -----------------------===//

#include "ReadFirst.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define TALLY_HAS_ASAN 1
#endif
#endif

/// How a child ends where none of Tally's functions was running.
static constexpr int kEndedUpstream = 77;
static constexpr unsigned kMaxSeconds = 20;

/// Returns true unless the stack shows that no function of Tally is running,
/// but for those of the target. This exports its symbols, so that they have
/// names.
static bool mayTallyRun() {
  static void *frames[4096];
  int count = backtrace(frames, std::size(frames));
  bool reachesTarget = count == int(std::size(frames));
  for (void *frame : llvm::ArrayRef(frames, size_t(count))) {
    Dl_info info;
    if (!dladdr(frame, &info) || !info.dli_sname)
      continue;
    llvm::StringRef name(info.dli_sname);
    if (name.contains("5tally4fuzz"))
      reachesTarget = true;
    else if (name.contains("5tally"))
      return true;
  }
  return !reachesTarget;
}

static void endChild() { _exit(mayTallyRun() ? 1 : kEndedUpstream); }
static void endChildOnSignal(int) { endChild(); }

/// Makes every way in which a process ends early end with what was running.
static void installHandlers() {
  struct sigaction action = {};
  action.sa_handler = endChildOnSignal;
  action.sa_flags = SA_ONSTACK;
  for (int signal :
       {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP})
    sigaction(signal, &action, nullptr);
  // For a stack that is used up.
  static char memory[1 << 18];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof(memory);
  sigaltstack(&stack, nullptr);
#ifdef TALLY_HAS_ASAN
  __sanitizer_set_death_callback(endChild);
#endif
}

bool tally::fuzz::endsUpstream(llvm::function_ref<void()> read) {
  // Loads what the handlers need, which may allocate the first time.
  (void)mayTallyRun();
  pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(1);
  }
  if (child == 0) {
    installHandlers();
    if (int null = open("/dev/null", O_WRONLY); null >= 0) {
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
    }
    alarm(kMaxSeconds);
    read();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == kEndedUpstream;
}
