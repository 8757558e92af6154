//===- Crash.cpp - A status instead of a signal ---------------------------===//
//
// A tool that is scripted against tells what went wrong by its exit status,
// also where the fault is ours. Only functions that are safe in a signal
// handler are called in one.
//
//===----------------------------------------------------------------------===//

#include "tally/Driver/Driver.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <string>
#include <unistd.h>

/// The message of the handlers; set once, before they can run.
static std::string &getMessage() {
  static std::string message;
  return message;
}

static void writeError(llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(written);
  }
}

static void handleSignal(int) {
  writeError(getMessage());
  ::_exit(1);
}

static void handleFatalError(void *, const char *reason, bool) {
  writeError(getMessage());
  writeError(reason);
  writeError("\n");
  ::_exit(1);
}

void tally::exitOnCrash(llvm::StringRef tool) {
  getMessage() = tool.str() + ": internal error: the compiler or the compiled "
                              "program crashed; please report it\n";
  llvm::install_fatal_error_handler(handleFatalError);
  // A stack of its own, or an overflow of the stack could not be handled.
  static char stack[64 * 1024];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action = {};
    action.sa_handler = handleSignal;
    action.sa_flags = SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
}
