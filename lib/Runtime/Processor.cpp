//===- Processor.cpp - What the processor of this machine supports --------===//

#include "tally/Runtime/tally_runtime.h"

#include <cstdlib>
#include <cstring>

static int32_t findLevel() {
  int32_t supported = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    supported = 3;
  if (__builtin_cpu_supports("x86-64-v4"))
    supported = 4;
#endif
  const char *wanted = std::getenv("TALLY_RT_CPU");
  if (!wanted)
    return supported;
  if (std::strcmp(wanted, "baseline") == 0)
    return 0;
  if (std::strcmp(wanted, "x86-64-v3") == 0 && supported > 3)
    return 3;
  return supported;
}

int32_t tally_rt_processor_level(void) {
  static const int32_t level = findLevel();
  return level;
}
