//===- CallMemory.cpp - Calls on the CPU ----------------------------------===//

#include "CallMemory.h"
#include "Strided.h"

#include <cstdlib>
#include <cstring>

using namespace tally::runtime;

CallMemory::~CallMemory() = default;

Managed *tally::runtime::makeManaged(tally_rt_context &ctx, DLDataType dtype,
                                     int32_t rank) {
  size_t count = static_cast<size_t>(rank);
  auto *managed = static_cast<Managed *>(
      std::calloc(1, sizeof(Managed) + 2 * count * sizeof(int64_t)));
  if (!managed) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    record.userMessage = "out of memory: cannot describe a result";
    ctx.fail(std::move(record));
    return nullptr;
  }
  managed->tensor.manager_ctx = managed;
  DLTensor &tensor = managed->tensor.dl_tensor;
  tensor.dtype = dtype;
  tensor.ndim = rank;
  tensor.shape = reinterpret_cast<int64_t *>(managed + 1);
  tensor.strides = tensor.shape + count;
  return managed;
}

void tally::runtime::discard(Managed *managed) { std::free(managed); }

static void deleteOnHost(DLManagedTensor *self) {
  auto *managed = reinterpret_cast<Managed *>(self);
  managed->allocator.deallocate(managed->allocator.user, managed->buffer,
                                managed->block.bytes, managed->block.alignment);
  discard(managed);
}

std::string HostMemory::checkPlace(const DLTensor &tensor) const {
  if (isOnHost(tensor))
    return "";
  return "is not on the CPU (device type " +
         std::to_string(tensor.device.device_type) + ")";
}

bool HostMemory::readScalar(void *slot, const DLTensor &tensor) {
  std::memcpy(slot, dataOf(tensor), elementSize(tensor.dtype));
  return true;
}

bool HostMemory::canPassInPlace(const DLTensor &tensor) const {
  return isCompactAndAligned(tensor);
}

void *HostMemory::allocate(int64_t bytes) {
  return ctx.allocateOnHost(bytes, 64);
}

bool HostMemory::copyFromStrided(void *target, const DLTensor &source) {
  tally::runtime::copyFromStrided(static_cast<char *>(target), source);
  return true;
}

bool HostMemory::copyToStrided(const DLTensor &target, const DLTensor &source) {
  tally::runtime::copyToStrided(target, source);
  return true;
}

bool HostMemory::takeOver(Managed &managed) {
  if (!ctx.takeOver(managed.buffer, managed.block))
    return false;
  managed.allocator = ctx.allocator;
  managed.tensor.dl_tensor.device = {kDLCPU, 0};
  managed.tensor.deleter = deleteOnHost;
  return true;
}
