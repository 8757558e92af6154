//===- CallMemory.h - Where the tensors of a call live ----------*- C++ -*-===//
//
// The steps of the entry wrapper that differ between the CPU and a GPU. Private
// to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CALLMEMORY_H
#define TALLY_LIB_RUNTIME_CALLMEMORY_H

#include "Context.h"
#include "CudaBlocks.h"

namespace tally::runtime {

class CudaDevice;

/// A result on its way to the caller: one block with sizes and strides behind.
struct Managed {
  DLManagedTensor tensor;
  void *buffer;
  /// On the CPU: how to release the buffer.
  tally_rt_allocator allocator;
  Block block;
  /// On a GPU: where, and in which order.
  CudaDevice *device;
  CudaStreamMark mark;
  size_t bytes;
};

/// The memory of a call. A function that fails has recorded why.
class CallMemory {
public:
  explicit CallMemory(tally_rt_context &ctx) : ctx(ctx) {}
  virtual ~CallMemory();

  /// Returns what is wrong with where a tensor is; empty if nothing is.
  virtual std::string checkPlace(const DLTensor &tensor) const = 0;
  /// Gets ready to run, after the arguments were checked.
  virtual bool begin() = 0;
  /// Reads a number to the start of `slot`.
  virtual bool readScalar(void *slot, const DLTensor &tensor) = 0;
  /// Returns whether compiled code can read the tensor where it is.
  virtual bool canPassInPlace(const DLTensor &tensor) const = 0;
  virtual void *allocate(int64_t bytes) = 0;
  virtual bool copyFromStrided(void *target, const DLTensor &source) = 0;
  /// Copies a compact tensor to another of the same sizes.
  virtual bool copyToStrided(const DLTensor &target,
                             const DLTensor &source) = 0;
  /// Gives the managed tensor the buffer that it points to and sets its device
  /// and deleter. Returns false if it is no buffer of the call.
  virtual bool takeOver(Managed &managed) = 0;

protected:
  tally_rt_context &ctx;
};

/// Memory of the CPU.
class HostMemory : public CallMemory {
public:
  using CallMemory::CallMemory;

  std::string checkPlace(const DLTensor &tensor) const override;
  bool begin() override { return true; }
  bool readScalar(void *slot, const DLTensor &tensor) override;
  bool canPassInPlace(const DLTensor &tensor) const override;
  void *allocate(int64_t bytes) override;
  bool copyFromStrided(void *target, const DLTensor &source) override;
  bool copyToStrided(const DLTensor &target, const DLTensor &source) override;
  bool takeOver(Managed &managed) override;
};

/// Memory of one GPU.
class CudaMemory : public CallMemory {
public:
  CudaMemory(tally_rt_context &ctx, const tally_rt_library &library,
             int32_t device)
      : CallMemory(ctx), library(library), device(device) {}

  /// The GPU that a call with these arguments runs on.
  static int32_t chooseDevice(const tally_rt_entry &entry,
                              DLTensor *const *arguments);

  std::string checkPlace(const DLTensor &tensor) const override;
  bool begin() override;
  bool readScalar(void *slot, const DLTensor &tensor) override;
  bool canPassInPlace(const DLTensor &tensor) const override;
  void *allocate(int64_t bytes) override;
  bool copyFromStrided(void *target, const DLTensor &source) override;
  bool copyToStrided(const DLTensor &target, const DLTensor &source) override;
  bool takeOver(Managed &managed) override;

private:
  const tally_rt_library &library;
  int32_t device;
};

/// Makes an empty tensor for a result with room for its sizes and strides; null
/// after recording that there is no memory.
Managed *makeManaged(tally_rt_context &ctx, DLDataType dtype, int32_t rank);

/// Releases a managed tensor that never got a buffer.
void discard(Managed *managed);

/// Returns the address of the first element.
inline char *dataOf(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

/// Returns whether the tensor is in memory that the CPU reads.
inline bool isOnHost(const DLTensor &tensor) {
  return tensor.device.device_type == kDLCPU ||
         tensor.device.device_type == kDLCUDAHost;
}

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CALLMEMORY_H
