//===- TextMutator.h - Mutations that respect tokens ------------*- C++ -*-===//
//
// Mutations of text by its tokens, lines and balanced brackets: what comes of a
// program (MLIR, JSON, a script of tally-prove) is often one still, so that a
// fuzzer gets past the parser.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_FUZZ_TEXTMUTATOR_H
#define TALLY_TEST_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace tally::fuzz {

/// Mutates text in place, as LLVMFuzzerCustomMutator is to do; returns the new
/// size. Some mutations are libFuzzer's own, of bytes.
size_t mutateText(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

/// Puts a part of the second text into the first, as LLVMFuzzerCustomCrossOver
/// is to do.
size_t crossText(const uint8_t *first, size_t firstSize, const uint8_t *second,
                 size_t secondSize, uint8_t *out, size_t maxSize,
                 unsigned seed);

} // namespace tally::fuzz

/// Makes libFuzzer mutate inputs as text.
#define TALLY_FUZZ_TEXT                                                        \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,        \
                                            size_t maxSize, unsigned seed) {   \
    return tally::fuzz::mutateText(data, size, maxSize, seed);                 \
  }                                                                            \
  extern "C" size_t LLVMFuzzerCustomCrossOver(                                 \
      const uint8_t *first, size_t firstSize, const uint8_t *second,           \
      size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {        \
    return tally::fuzz::crossText(first, firstSize, second, secondSize, out,   \
                                  maxSize, seed);                              \
  }

#endif // TALLY_TEST_FUZZ_TEXTMUTATOR_H
