//===- CudaMemory.cpp - Tensors of calls on a GPU -------------------------===//

#include "CallMemory.h"
#include "CudaCall.h"
#include "Strided.h"

#include <cstring>

using namespace tally::runtime;

/// Releases a result in the order of the stream of its call.
static void deleteOnGpu(DLManagedTensor *self) {
  auto *managed = reinterpret_cast<Managed *>(self);
  CudaDevice &device = *managed->device;
  CudaBlock block{reinterpret_cast<uintptr_t>(managed->buffer), managed->bytes};
  if (!device.tryFree(block, managed->mark)) {
    CurrentContext current(device.getDriver(), device.getContext());
    device.free(block, managed->mark);
  }
  discard(managed);
}

int32_t CudaMemory::chooseDevice(const tally_rt_entry &entry,
                                 DLTensor *const *arguments) {
  for (int32_t i = 0; i < entry.num_arguments; ++i)
    if (arguments[i] && !entry.arguments[i].is_scalar &&
        arguments[i]->device.device_type == kDLCUDA)
      return arguments[i]->device.device_id;
  std::string why;
  const CudaDriver *driver = CudaDriver::get(why);
  cuda::Context context = nullptr;
  cuda::Device device = 0;
  if (driver && !driver->ctxGetCurrent(&context) && context &&
      !driver->ctxGetDevice(&device))
    return device;
  return 0;
}

std::string CudaMemory::checkPlace(const DLTensor &tensor) const {
  if (tensor.device.device_type != kDLCUDA)
    return "is not on the GPU (device type " +
           std::to_string(tensor.device.device_type) + ")";
  if (tensor.device.device_id != device)
    return "is on GPU " + std::to_string(tensor.device.device_id) +
           ", other arguments are on GPU " + std::to_string(device);
  return "";
}

bool CudaMemory::begin() { return ctx.getCuda().begin(device, &library); }

bool CudaMemory::readScalar(void *slot, const DLTensor &tensor) {
  return ctx.getCuda().readBack(nullptr, dataOf(tensor), slot,
                                elementSize(tensor.dtype));
}

bool CudaMemory::canPassInPlace(const DLTensor &tensor) const {
  return isCompactAndAligned(tensor);
}

void *CudaMemory::allocate(int64_t bytes) {
  return ctx.allocate(bytes, TALLY_RT_DEVICE_ALIGNMENT);
}

/// Calls `copy` with the strides of a compact tensor of these sizes.
template <typename Copy>
static bool withCompactStrides(const DLTensor &tensor, Copy copy) {
  std::vector<int64_t> strides(tensor.ndim);
  DLTensor compact = tensor;
  compact.strides = strides.data();
  setCompactStrides(compact);
  return copy(strides.data());
}

bool CudaMemory::copyFromStrided(void *target, const DLTensor &source) {
  return withCompactStrides(source, [&](const int64_t *compact) {
    return ctx.getCuda().copyStrided(target, compact, dataOf(source),
                                     source.strides ? source.strides : compact,
                                     source.ndim, source.shape,
                                     elementSize(source.dtype));
  });
}

bool CudaMemory::copyToStrided(const DLTensor &target, const DLTensor &source) {
  return withCompactStrides(target, [&](const int64_t *compact) {
    return ctx.getCuda().copyStrided(dataOf(target),
                                     target.strides ? target.strides : compact,
                                     dataOf(source), compact, target.ndim,
                                     target.shape, elementSize(target.dtype));
  });
}

bool CudaMemory::takeOver(Managed &managed) {
  CudaCall &cuda = ctx.getCuda();
  {
    std::lock_guard<std::mutex> lock(ctx.mutex);
    if (!cuda.takeOver(managed.buffer, managed.bytes))
      return false;
  }
  managed.device = &cuda.getDevice();
  managed.mark = cuda.getMark();
  managed.tensor.dl_tensor.device = {kDLCUDA, device};
  managed.tensor.deleter = deleteOnGpu;
  return true;
}
