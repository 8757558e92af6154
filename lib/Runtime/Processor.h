//===- Processor.h - Instructions beyond the levels -------------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_PROCESSOR_H
#define TALLY_LIB_RUNTIME_PROCESSOR_H

namespace tally::runtime {

/// Whether the processor multiplies pairs of bf16 (AVX512-BF16), and groups of
/// four bytes (AVX512-VNNI), and the environment does not forbid it.
bool multipliesPairs();
bool multipliesQuads();

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PROCESSOR_H
