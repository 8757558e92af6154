//===- Processor.cpp - What the processor of this machine supports --------===//

#include "Processor.h"
#include "tally/Runtime/tally_runtime.h"

#include <cstdlib>
#include <cstring>

/// Whether the environment asks for the level and nothing above it.
static bool isWanted(const char *level) {
  const char *wanted = std::getenv("TALLY_RT_CPU");
  return wanted && std::strcmp(wanted, level) == 0;
}

static int32_t findLevel() {
  int32_t supported = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    supported = 3;
  if (__builtin_cpu_supports("x86-64-v4"))
    supported = 4;
#endif
  if (isWanted("baseline"))
    return 0;
  if (isWanted("x86-64-v3") && supported > 3)
    return 3;
  return supported;
}

int32_t tally_rt_processor_level(void) {
  static const int32_t level = findLevel();
  return level;
}

#if defined(__x86_64__)
/// Whether instructions may be used that x86-64-v4 does not have.
static bool exceedsLevels() {
  return tally_rt_processor_level() == 4 && !isWanted("x86-64-v4");
}

bool tally::runtime::multipliesPairs() {
  static const bool result =
      exceedsLevels() && __builtin_cpu_supports("avx512bf16");
  return result;
}

bool tally::runtime::multipliesQuads() {
  static const bool result =
      exceedsLevels() && __builtin_cpu_supports("avx512vnni");
  return result;
}
#else
bool tally::runtime::multipliesPairs() { return false; }

bool tally::runtime::multipliesQuads() { return false; }
#endif
