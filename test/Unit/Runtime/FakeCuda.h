//===- FakeCuda.h - A driver over memory of the host ------------*- C++ -*-===//
//
// A library that stands in for libcuda and libcublasLt: device memory is memory
// of the host, kernels are functions found by name that run at once. Everything
// is counted, and any call can be made to fail.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_UNIT_RUNTIME_FAKECUDA_H
#define TALLY_TEST_UNIT_RUNTIME_FAKECUDA_H

#include <cstdint>

/// What the test sees and sets; the library exports one as `fakeCuda`.
struct FakeCuda {
  /// The call that fails: 1 is the next one, 0 is none.
  int64_t failAt;
  /// The function that was made to fail, or null.
  const char *failed;
  /// Device memory that can still be had.
  uint64_t memory;
  int64_t calls;
  int64_t launches;
  int64_t copyLaunches;
  int64_t synchronizations;
  int64_t liveDevice;
  int64_t liveHost;
  int64_t liveModules;
  int64_t liveHandles;
  /// Misuse: a wrong pointer, a missing context. Must stay 0.
  int64_t misuses;
  const char *misuse;
  /// The stream of the last launch.
  void *stream;
  /// The last image that was loaded.
  const char *image;
  /// Streams have numbers from here on; 0 where the driver does not tell.
  uint64_t firstNumber;
  int isCapturing;
};

/// Contexts that were pushed on this thread and not popped, as a function of
/// the library: `fakeCudaDepth`.
using FakeCudaDepth = int64_t();

#endif // TALLY_TEST_UNIT_RUNTIME_FAKECUDA_H
