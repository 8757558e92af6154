//===- Levels.h - The levels of processors to test --------------*- C++ -*-===//

#ifndef TALLY_TEST_UNIT_RUNTIME_LEVELS_H
#define TALLY_TEST_UNIT_RUNTIME_LEVELS_H

#include "../../../lib/Runtime/Matmul.h"

#include <vector>

/// The levels of matmuls that this processor supports.
inline std::vector<const tally::runtime::MatmulLevel *> getLevels() {
  using namespace tally::runtime;
  std::vector<const MatmulLevel *> levels{&matmulBaseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back(&matmulV3);
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(&matmulV4);
#endif
  return levels;
}

#endif // TALLY_TEST_UNIT_RUNTIME_LEVELS_H
