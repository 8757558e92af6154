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

/// The same for square tiles of them (AMX-BF16, AMX-INT8), if the system lets
/// the process use their registers. It is asked when one of these functions is
/// called first.
bool multipliesPairSquares();
bool multipliesQuadSquares();

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PROCESSOR_H
