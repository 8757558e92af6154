//===- CudaFFT.h - Fourier transforms by cuFFT ------------------*- C++ -*-===//
//
// cuFFT is loaded when first needed. Plans are kept for lengths, numbers of
// lines and types that were transformed before. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDAFFT_H
#define TALLY_LIB_RUNTIME_CUDAFFT_H

#include "WordsHash.h"
#include "tally/Runtime/tally_runtime.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tally::runtime {

class CudaCall;
struct FFTLibrary;

/// The Fourier transforms of one GPU.
class CudaFFT {
public:
  CudaFFT();
  ~CudaFFT();

  /// Queues transforms; see tally_rt_fft. Where it fails, the call knows why.
  bool run(CudaCall &call, const tally_rt_fft_args &args,
           tally_rt_counters &counters);

private:
  struct Plan;
  /// The type, the length of a line and the number of lines.
  using Key = std::array<int64_t, 3>;

  bool transform(CudaCall &call, const tally_rt_fft_args &args);
  Plan *getPlan(const tally_rt_fft_args &args, std::string &why);
  void forgetOldest();

  /// Guards everything: a plan is used by one thread at a time.
  std::mutex mutex;
  const FFTLibrary *library = nullptr;
  std::unordered_map<Key, std::unique_ptr<Plan>, WordsHash> plans;
  /// Counts transforms.
  int64_t now = 0;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDAFFT_H
