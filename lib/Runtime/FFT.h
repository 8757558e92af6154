//===- FFT.h - Fourier transforms on the CPU --------------------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_FFT_H
#define TALLY_LIB_RUNTIME_FFT_H

#include "tally/Runtime/tally_runtime.h"

namespace tally::runtime {

/// Transforms for one level of processors.
struct FFTLevel {
  /// Transforms lines, at least one of at least one number.
  int32_t (*run)(tally_rt_context *ctx, const tally_rt_host_fft_args &args);
};

/// The levels that this build has. Only what the processor supports may run.
extern const FFTLevel fftBaseline;
#if defined(__x86_64__)
extern const FFTLevel fftV3;
extern const FFTLevel fftV4;
#endif

/// Ends a call for want of memory.
int32_t failForFFTMemory(tally_rt_context *ctx);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_FFT_H
