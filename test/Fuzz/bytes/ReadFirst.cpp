//===- ReadFirst.cpp - What ends upstream's readers -----------------------===//

#include "ReadFirst.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
/// How often a child looks at itself, and when it has taken too much: after so
/// many looks, or with so many pages. What it takes may be more in the target.
static constexpr int kLooksEachSecond = 10;
static constexpr int kMaxLooks = 10 * kLooksEachSecond;
static constexpr long kMaxPages = (long(2) << 30) >> 12;
/// How often it then looks for Tally's functions: one that is called for a
/// moment, again and again, is not what does not end.
static constexpr int kSamples = 21;

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

/// Returns the number of pages that this process has in memory.
static long getResidentPages() {
  char text[64] = {};
  int file = open("/proc/self/statm", O_RDONLY);
  if (file < 0)
    return 0;
  ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  auto [total, rest] =
      llvm::StringRef(text, size_t(std::max<ssize_t>(length, 0))).split(' ');
  long pages = 0;
  (void)rest.split(' ').first.getAsInteger(10, pages);
  return pages;
}

/// Ends a child that takes too long or too much memory.
static void lookOnSignal(int) {
  static int looks = 0, samplesOfTally = 0;
  ++looks;
  if (getResidentPages() > kMaxPages)
    endChild();
  if (looks <= kMaxLooks)
    return;
  samplesOfTally += mayTallyRun();
  if (looks == kMaxLooks + kSamples)
    _exit(2 * samplesOfTally > kSamples ? 1 : kEndedUpstream);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// Makes every way in which a process ends early end with what was running.
static void installHandlers() {
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP})
    handle(signal, endChildOnSignal);
  handle(SIGALRM, lookOnSignal);
  timeval interval = {0, 1000000 / kLooksEachSecond};
  itimerval timer = {interval, interval};
  setitimer(ITIMER_REAL, &timer, nullptr);
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
    read();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == kEndedUpstream;
}
