//===- FFT.cpp - Fourier transforms by pocketfft --------------------------===//

#include "FFT.h"

#include "Context.h"

using namespace tally::runtime;

int32_t tally::runtime::failForFFTMemory(tally_rt_context *ctx) {
  ErrorRecord record;
  record.status = TALLY_RT_OUT_OF_MEMORY;
  record.userMessage = "no memory for a Fourier transform";
  ctx->fail(std::move(record));
  return TALLY_RT_OUT_OF_MEMORY;
}

static const FFTLevel &getFFTLevel() {
#if defined(__x86_64__)
  switch (tally_rt_processor_level()) {
  case 5:
  case 4:
    return fftV4;
  case 3:
    return fftV3;
  default:
    break;
  }
#endif
  return fftBaseline;
}

int32_t tally_rt_host_fft(tally_rt_context *ctx,
                          const tally_rt_host_fft_args *args) {
  for (int64_t dim = 0; dim < args->batch_rank; ++dim)
    if (args->batch[dim] == 0)
      return TALLY_RT_OK;
  if (args->length == 0)
    return TALLY_RT_OK;
  return getFFTLevel().run(ctx, *args);
}
