//===- Processor.cpp - What the processor of this machine supports --------===//

#include "Processor.h"
#include "tally/Runtime/tally_runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/// Whether the environment asks for the level and nothing above it.
static bool isWanted(const char *level) {
  const char *wanted = std::getenv("TALLY_RT_CPU");
  return wanted && std::strcmp(wanted, level) == 0;
}

/// What the environment may ask for.
static constexpr const char *kLevels[] = {"baseline", "x86-64-v3", "x86-64-v4",
                                          "avx512"};

/// Says that the environment asks for no level; an empty text asks for nothing.
static void warnOfUnknownLevel() {
  const char *wanted = std::getenv("TALLY_RT_CPU");
  if (!wanted || !*wanted)
    return;
  std::string levels;
  for (const char *level : kLevels) {
    if (std::strcmp(wanted, level) == 0)
      return;
    levels += std::string(levels.empty() ? "" : ", ") + level;
  }
  std::fprintf(stderr,
               "tally: warning: TALLY_RT_CPU=%s names no level of processors, "
               "and the best one is taken; levels are %s\n",
               wanted, levels.c_str());
}

#if defined(__x86_64__)
/// Whether a gather takes less time than loads of its elements: it does on
/// Intel's processors from Sapphire Rapids on. Those before gather slowly since
/// their microcode keeps gathers from leaking data, and AMD's up to Zen 5 do.
static bool gathersFast() {
  return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512fp16");
}
#endif

static int32_t findLevel() {
  warnOfUnknownLevel();
  int32_t supported = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    supported = 3;
  if (__builtin_cpu_supports("x86-64-v4"))
    supported = gathersFast() && !isWanted("x86-64-v4") ? 5 : 4;
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
  return tally_rt_processor_level() >= 4 && !isWanted("x86-64-v4");
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

/// Whether the system saves the registers of AMX, and gives them to this
/// process: each has to ask, once for all of its threads.
static bool requestSquares() {
#if defined(__linux__)
  constexpr unsigned shapes = 1 << 17, data = 1 << 18;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // ARCH_REQ_XCOMP_PERM, for the data of tiles.
  constexpr long request = 0x1023, component = 18;
  return (low & shapes) != 0 && (low & data) != 0 &&
         ::syscall(SYS_arch_prctl, request, component) == 0;
#else
  return false;
#endif
}

/// Whether the processor has AMX with this bit of CPUID's leaf 7, and its
/// registers may be used.
static bool multipliesSquares(unsigned bit) {
  constexpr unsigned tiles = 1 << 24;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!exceedsLevels() || isWanted("avx512") ||
      !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & tiles) == 0 ||
      (d & bit) == 0)
    return false;
  static const bool isGranted = requestSquares();
  return isGranted;
}

bool tally::runtime::multipliesPairSquares() {
  static const bool result = multipliesPairs() && multipliesSquares(1 << 22);
  return result;
}

bool tally::runtime::multipliesQuadSquares() {
  static const bool result = multipliesQuads() && multipliesSquares(1 << 25);
  return result;
}
#else
bool tally::runtime::multipliesPairs() { return false; }

bool tally::runtime::multipliesQuads() { return false; }

bool tally::runtime::multipliesPairSquares() { return false; }

bool tally::runtime::multipliesQuadSquares() { return false; }
#endif
