//===- CudaDriver.h - The driver of NVIDIA GPUs -----------------*- C++ -*-===//
//
// The functions of libcuda that the runtime uses, loaded when first needed:
// nothing here needs a CUDA toolkit, to build or to run. Private to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDADRIVER_H
#define TALLY_LIB_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace tally::runtime {

/// The driver's types, as far as they are used.
namespace cuda {
using Result = int;
using Device = int;
using Pointer = unsigned long long;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Pool = struct PoolObject *;

/// CUmemPoolProps.
struct PoolProperties {
  int allocationType;
  int handleTypes;
  int locationType;
  int locationId;
  void *securityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

enum : Result { kSuccess = 0, kOutOfMemory = 2 };
enum DeviceAttribute : int {
  kMultiprocessorCount = 16,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76
};
enum : int {
  kAllocationTypePinned = 1,
  kLocationTypeDevice = 1,
  kPoolReleaseThreshold = 4,
  kFunctionMaxDynamicShared = 8,
  kJitErrorLog = 5,
  kJitErrorLogSize = 6
};
enum : unsigned { kHostPortable = 1 };
} // namespace cuda

/// Every function that is used: its name in the table, the name that libcuda
/// exports, and its type.
#define TALLY_CUDA_FUNCTIONS(X)                                                \
  X(init, cuInit, (unsigned))                                                  \
  X(getErrorName, cuGetErrorName, (cuda::Result, const char **))               \
  X(getErrorString, cuGetErrorString, (cuda::Result, const char **))           \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (cuda::Device *, int))                             \
  X(deviceGetName, cuDeviceGetName, (char *, int, cuda::Device))               \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, cuda::Device))      \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *, cuda::Device))             \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain,                                \
    (cuda::Context *, cuda::Device))                                           \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (cuda::Device))           \
  X(ctxGetCurrent, cuCtxGetCurrent, (cuda::Context *))                         \
  X(ctxGetDevice, cuCtxGetDevice, (cuda::Device *))                            \
  X(ctxPush, cuCtxPushCurrent_v2, (cuda::Context))                             \
  X(ctxPop, cuCtxPopCurrent_v2, (cuda::Context *))                             \
  X(ctxSynchronize, cuCtxSynchronize, (void))                                  \
  X(moduleLoad, cuModuleLoadDataEx,                                            \
    (cuda::Module *, const void *, unsigned, int *, void **))                  \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (cuda::Function *, cuda::Module, const char *))                            \
  X(moduleUnload, cuModuleUnload, (cuda::Module))                              \
  X(funcSetAttribute, cuFuncSetAttribute, (cuda::Function, int, int))          \
  X(launchKernel, cuLaunchKernel,                                              \
    (cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned,         \
     unsigned, unsigned, cuda::Stream, void **, void **))                      \
  X(poolCreate, cuMemPoolCreate, (cuda::Pool *, const cuda::PoolProperties *)) \
  X(poolSetAttribute, cuMemPoolSetAttribute, (cuda::Pool, int, void *))        \
  X(poolDestroy, cuMemPoolDestroy, (cuda::Pool))                               \
  X(memAlloc, cuMemAllocFromPoolAsync,                                         \
    (cuda::Pointer *, size_t, cuda::Pool, cuda::Stream))                       \
  X(memFree, cuMemFreeAsync, (cuda::Pointer, cuda::Stream))                    \
  X(memFreeNow, cuMemFree_v2, (cuda::Pointer))                                 \
  X(hostAlloc, cuMemHostAlloc, (void **, size_t, unsigned))                    \
  X(hostFree, cuMemFreeHost, (void *))                                         \
  X(copyToDevice, cuMemcpyHtoDAsync_v2,                                        \
    (cuda::Pointer, const void *, size_t, cuda::Stream))                       \
  X(copyToHost, cuMemcpyDtoHAsync_v2,                                          \
    (void *, cuda::Pointer, size_t, cuda::Stream))                             \
  X(copyOnDevice, cuMemcpyDtoDAsync_v2,                                        \
    (cuda::Pointer, cuda::Pointer, size_t, cuda::Stream))                      \
  X(fillRows, cuMemsetD2D8Async,                                               \
    (cuda::Pointer, size_t, unsigned char, size_t, size_t, cuda::Stream))      \
  X(streamSynchronize, cuStreamSynchronize, (cuda::Stream))

/// Functions that an older driver does not have; null there.
#define TALLY_CUDA_NEWER_FUNCTIONS(X)                                          \
  X(streamGetId, cuStreamGetId, (cuda::Stream, unsigned long long *))          \
  X(streamIsCapturing, cuStreamIsCapturing, (cuda::Stream, int *))

/// The loaded driver.
struct CudaDriver {
#define TALLY_CUDA_MEMBER(member, symbol, type) cuda::Result(*member) type;
  TALLY_CUDA_FUNCTIONS(TALLY_CUDA_MEMBER)
  TALLY_CUDA_NEWER_FUNCTIONS(TALLY_CUDA_MEMBER)
#undef TALLY_CUDA_MEMBER

  /// Loads and initializes the driver on the first call. Returns null after
  /// saying why there is none; a later call tries again.
  static const CudaDriver *get(std::string &why);

  /// Returns `CUDA_ERROR_INVALID_VALUE: invalid argument`.
  std::string describe(cuda::Result result) const;
};

/// Makes a context the current one of this thread for as long as this lives.
class CurrentContext {
public:
  CurrentContext(const CudaDriver &driver, cuda::Context context);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// The error, or kSuccess.
  cuda::Result getResult() const { return result; }

private:
  const CudaDriver &driver;
  bool pushed = false;
  cuda::Result result;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDADRIVER_H
