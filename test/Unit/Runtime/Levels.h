//===- Levels.h - The levels of processors to test --------------*- C++ -*-===//

#ifndef TALLY_TEST_UNIT_RUNTIME_LEVELS_H
#define TALLY_TEST_UNIT_RUNTIME_LEVELS_H

#include "../../../lib/Runtime/Matmul.h"
#include "../../../lib/Runtime/Processor.h"

#include <vector>

namespace tally::runtime {
/// What instructions for groups of elements compute, on every processor.
extern const MatmulLevel matmulPairsReference;
extern const MatmulLevel matmulQuadsReference;
extern const MatmulLevel matmulPairSquaresReference;
extern const MatmulLevel matmulQuadSquaresReference;
} // namespace tally::runtime

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

/// Those that have a type.
inline std::vector<const tally::runtime::MatmulLevel *>
getLevels(tally::runtime::MatmulType type) {
  using namespace tally::runtime;
  std::vector<const MatmulLevel *> levels = getLevels();
  if (type == MatmulType::BF16)
    levels.insert(levels.end(),
                  {&matmulPairsReference, &matmulPairSquaresReference});
  if (type == MatmulType::I8)
    levels.insert(levels.end(),
                  {&matmulQuadsReference, &matmulQuadSquaresReference});
#if defined(__x86_64__)
  if (type == MatmulType::BF16 && __builtin_cpu_supports("avx512bf16"))
    levels.push_back(&matmulPairs);
  if (type == MatmulType::I8 && __builtin_cpu_supports("avx512vnni"))
    levels.push_back(&matmulQuads);
  if (type == MatmulType::BF16 && multipliesPairSquares())
    levels.push_back(&matmulPairSquares);
  if (type == MatmulType::I8 && multipliesQuadSquares())
    levels.push_back(&matmulQuadSquares);
#endif
  return levels;
}

#endif // TALLY_TEST_UNIT_RUNTIME_LEVELS_H
