// A custom function that crashes, in one of several ways.
#include "tally/Runtime/tally_runtime.h"

#include <signal.h>
#include <stdlib.h>

static int overflow(int n) {
  volatile char frame[4096];
  frame[n % 4096] = (char)n;
  return overflow(n + 1) + frame[0];
}

// What LLVM calls where it cannot go on.
extern void
report_fatal_error(const char *reason,
                   _Bool crash) __asm__("_ZN4llvm18report_fatal_errorEPKcb");

int32_t crash(tally_rt_context *ctx, const DLTensor *const *arguments,
              int32_t num_arguments, DLTensor *const *results,
              int32_t num_results) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  int64_t way = *(const int64_t *)arguments[0]->data;
  if (way < 4)
    raise(signals[way]);
  if (way == 4)
    abort();
  if (way == 5)
    overflow(0);
  report_fatal_error("out of ideas", 0);
  return 0;
}
