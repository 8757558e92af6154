//===- CudaDevice.h - What the runtime keeps for a GPU ----------*- C++ -*-===//
//
// One for each GPU, made when first used and kept until the process ends: the
// primary context, a pool of memory, kernels and constants of the libraries
// that run there. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDADEVICE_H
#define TALLY_LIB_RUNTIME_CUDADEVICE_H

#include "CudaBlocks.h"
#include "CudaDriver.h"
#include "tally/Runtime/tally_runtime.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace tally::runtime {

class CudaDnn;
class CudaFFT;
class CudaMatmul;

/// A kernel that is ready to be launched.
struct CudaFunction {
  cuda::Function function;
  /// The library that it belongs to.
  const tally_rt_library *owner;
  /// The dynamic shared memory that a launch may ask for.
  std::atomic<int64_t> sharedLimit;
};

/// A GPU. All functions but `get` want its context to be current.
class CudaDevice {
public:
  /// The GPU with this number. Returns null after saying why there is none.
  static CudaDevice *get(int ordinal, std::string &why);
  /// Forgets what all GPUs hold for a library.
  static void releaseEverywhere(const tally_rt_library *owner);

  const CudaDriver &getDriver() const { return driver; }
  cuda::Context getContext() const { return context; }
  int getOrdinal() const { return ordinal; }
  CudaMatmul &getMatmul() { return *matmul; }
  CudaDnn &getDnn() { return *dnn; }
  CudaFFT &getFFT() { return *fft; }
  /// The architecture to compile for: `sm_90a`.
  const std::string &getChip() const { return chip; }
  cuda::Result describe(tally_rt_gpu_info &info) const;

  /// Loads a kernel on its first use. Returns null after saying why not.
  CudaFunction *getFunction(const tally_rt_kernel &kernel,
                            const tally_rt_library *owner, std::string &why);

  /// Copies a constant to the GPU on its first use, and then sets `uploaded`.
  /// Returns 0 after saying why not.
  cuda::Pointer getConstant(const void *host, size_t bytes,
                            const tally_rt_library *owner, cuda::Stream stream,
                            bool &uploaded, std::string &why);

  /// Tells a stream from those that there were, and will be.
  CudaStreamMark mark(cuda::Stream stream) const;
  /// Allocates memory in the order of a stream.
  cuda::Result allocate(cuda::Pointer &pointer, size_t bytes,
                        const CudaStreamMark &mark);
  /// Releases such memory in the order of its stream.
  void free(const CudaBlock &block, const CudaStreamMark &mark);
  /// Gives what is kept back to the driver, after what runs has ended.
  void trim();
  /// The same where that takes no driver; returns whether it did not. No
  /// context need be current.
  bool tryFree(const CudaBlock &block, const CudaStreamMark &mark) {
    return kept && kept->keep(block, mark);
  }

  ~CudaDevice();

private:
  CudaDevice(const CudaDriver &driver, int ordinal);
  bool initialize(std::string &why);
  bool createPool(std::string &why);
  bool releaseOldest(const CudaStreamMark &current);
  void release(cuda::Pointer pointer, cuda::Stream stream) const;
  cuda::Module loadModule(const tally_rt_gpu_module &module,
                          const tally_rt_library *owner, std::string &why);
  void release(const tally_rt_library *owner);

  struct LoadedModule {
    cuda::Module handle;
    const tally_rt_library *owner;
  };
  /// A constant is its address and size: one of no bytes may share its address.
  struct ConstantKey {
    const void *host;
    size_t bytes;
    bool operator==(const ConstantKey &other) const {
      return host == other.host && bytes == other.bytes;
    }
  };
  struct ConstantHash {
    size_t operator()(const ConstantKey &key) const {
      return std::hash<const void *>()(key.host) ^ (key.bytes << 1);
    }
  };
  struct Constant {
    cuda::Pointer pointer;
    const tally_rt_library *owner;
  };

  const CudaDriver &driver;
  int ordinal;
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  cuda::Pool pool = nullptr;
  std::unique_ptr<CudaBlocks> kept;
  std::string chip;
  std::unique_ptr<CudaMatmul> matmul;
  std::unique_ptr<CudaDnn> dnn;
  std::unique_ptr<CudaFFT> fft;

  /// Guards what follows; taken for writing only when something is new.
  std::shared_mutex mutex;
  std::unordered_map<const tally_rt_kernel *, std::unique_ptr<CudaFunction>>
      functions;
  std::unordered_map<const tally_rt_gpu_module *, LoadedModule> modules;
  std::unordered_map<ConstantKey, Constant, ConstantHash> constants;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDADEVICE_H
