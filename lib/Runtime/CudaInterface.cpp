//===- CudaInterface.cpp - The GPU half of the C interface ----------------===//

#include "CallMemory.h"
#include "CudaFFT.h"
#include "CudaProducts.h"
#include "Strided.h"

#include <algorithm>
#include <cstring>

using namespace tally::runtime;

/// Runs `body`, which returns whether it succeeded, and makes it a status. C
/// code must not see exceptions.
template <typename Body>
static int32_t toStatus(tally_rt_context *ctx, Body body) {
  try {
    if (body())
      return TALLY_RT_OK;
  } catch (const std::bad_alloc &) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    ctx->fail(std::move(record));
  }
  return ctx->view.status;
}

/// Does the same within the call on a GPU that is going on.
template <typename Body>
static int32_t inCall(tally_rt_context *ctx, Body body) {
  return toStatus(ctx, [&] {
    if (ctx->isOnGpu())
      return body(*ctx->cuda);
    return ctx->getCuda().fail("compiled code asked for a GPU outside of a "
                               "call on one");
  });
}

/// Does the same as a call of its own.
template <typename Body>
static int32_t asCall(tally_rt_context *ctx, int32_t device, Body body) {
  if (ctx->busy.exchange(true, std::memory_order_acquire))
    return TALLY_RT_BUSY;
  ctx->resetError();
  int32_t status = toStatus(ctx, [&] {
    return ctx->getCuda().begin(device, nullptr) && body(*ctx->cuda);
  });
  ctx->releaseAll();
  ctx->busy.store(false, std::memory_order_release);
  return status;
}

//===----------------------------------------------------------------------===//
// Called by programs
//===----------------------------------------------------------------------===//

void tally_rt_set_stream(tally_rt_context *ctx, void *stream) {
  ctx->stream = stream;
}

void tally_rt_defer_checks(tally_rt_context *ctx, int32_t defer) {
  ctx->defersChecks = defer != 0;
}

void tally_rt_set_deterministic(tally_rt_context *ctx, int32_t deterministic) {
  ctx->sumsInAnyOrder = deterministic == 0;
}

int32_t tally_rt_finish_checks(tally_rt_context *ctx) {
  if (ctx->busy.exchange(true, std::memory_order_acquire))
    return TALLY_RT_BUSY;
  ctx->resetError();
  int32_t status =
      toStatus(ctx, [&] { return !ctx->cuda || ctx->cuda->finishChecks(); });
  ctx->busy.store(false, std::memory_order_release);
  return status;
}

void tally_rt_get_counters(const tally_rt_context *ctx,
                           tally_rt_counters *counters) {
  *counters = ctx->counters;
}

void tally_rt_reset_counters(tally_rt_context *ctx) { ctx->counters = {}; }

int32_t tally_rt_get_gpu_info(tally_rt_context *ctx, int32_t device,
                              tally_rt_gpu_info *info) {
  return asCall(ctx, device, [&](CudaCall &cuda) {
    cuda::Result result = cuda.getDevice().describe(*info);
    return !result || cuda.fail(result, "describe the GPU");
  });
}

/// Records that a call makes no sense.
static bool failInvalid(tally_rt_context *ctx, const char *message) {
  ErrorRecord record;
  record.status = TALLY_RT_INVALID_ARGUMENT;
  record.userMessage = message;
  ctx->fail(std::move(record));
  return false;
}

/// Makes a tensor of the call's GPU with the sizes of `source`.
static Managed *makeLike(tally_rt_context *ctx, CallMemory &memory,
                         const DLTensor &source, int64_t bytes) {
  Managed *managed = makeManaged(*ctx, source.dtype, source.ndim);
  if (!managed)
    return nullptr;
  DLTensor &tensor = managed->tensor.dl_tensor;
  std::copy_n(source.shape, source.ndim, tensor.shape);
  setCompactStrides(tensor);
  managed->buffer = tensor.data = memory.allocate(bytes);
  if (tensor.data)
    return managed;
  discard(managed);
  return nullptr;
}

int32_t tally_rt_copy_to_device(tally_rt_context *ctx, int32_t device,
                                const DLTensor *source,
                                DLManagedTensor **result) {
  *result = nullptr;
  return asCall(ctx, device, [&](CudaCall &cuda) {
    int64_t bytes = 0;
    if (!isOnHost(*source) || !isCompact(*source) ||
        !sizeInBytes(*source, bytes))
      return failInvalid(ctx, "only a compact tensor on the CPU can be copied "
                              "to the GPU");
    static const tally_rt_library none = {};
    CudaMemory memory(*ctx, none, device);
    Managed *managed = makeLike(ctx, memory, *source, bytes);
    if (!managed)
      return false;
    if (!cuda.copyFromHost(managed->buffer, dataOf(*source), bytes) ||
        !cuda.synchronize()) {
      discard(managed);
      return false;
    }
    memory.takeOver(*managed);
    *result = &managed->tensor;
    return true;
  });
}

int32_t tally_rt_copy_to_host(tally_rt_context *ctx, const DLTensor *source,
                              void *target) {
  return asCall(ctx, source->device.device_id, [&](CudaCall &cuda) {
    int64_t bytes = 0;
    if (source->device.device_type != kDLCUDA || !isCompact(*source) ||
        !sizeInBytes(*source, bytes))
      return failInvalid(ctx, "only a compact tensor on a GPU can be copied to "
                              "the CPU");
    return cuda.readBack(nullptr, dataOf(*source), target, bytes);
  });
}

int32_t tally_rt_synchronize(tally_rt_context *ctx, int32_t device) {
  return asCall(ctx, device, [](CudaCall &cuda) { return cuda.synchronize(); });
}

//===----------------------------------------------------------------------===//
// Called by compiled code
//===----------------------------------------------------------------------===//

int32_t tally_rt_launch(tally_rt_context *ctx, const tally_rt_kernel *kernel,
                        int64_t gridX, int64_t gridY, int64_t gridZ,
                        int64_t blockX, int64_t blockY, int64_t blockZ,
                        int64_t sharedBytes, void *const *arguments) {
  return inCall(ctx, [&](CudaCall &cuda) {
    const int64_t grid[] = {gridX, gridY, gridZ};
    const int64_t block[] = {blockX, blockY, blockZ};
    return cuda.launch(*kernel, grid, block, sharedBytes, arguments);
  });
}

int32_t tally_rt_read_back(tally_rt_context *ctx,
                           const tally_rt_assert_table *table,
                           const void *device, void *host, int64_t bytes) {
  return inCall(ctx, [&](CudaCall &cuda) {
    return cuda.readBack(table, device, host, bytes);
  });
}

void *tally_rt_constant(tally_rt_context *ctx, const void *host,
                        int64_t bytes) {
  void *pointer = nullptr;
  inCall(ctx, [&](CudaCall &cuda) {
    pointer = cuda.getConstant(host, bytes);
    return pointer != nullptr;
  });
  return pointer;
}

int32_t tally_rt_copy(tally_rt_context *ctx, void *target, const void *source,
                      int64_t bytes) {
  return inCall(
      ctx, [&](CudaCall &cuda) { return cuda.copy(target, source, bytes); });
}

void *tally_rt_device_errors(tally_rt_context *ctx,
                             const tally_rt_assert_table *table) {
  void *pointer = nullptr;
  inCall(ctx, [&](CudaCall &cuda) {
    pointer = cuda.getErrors(table);
    return pointer != nullptr;
  });
  return pointer;
}

int32_t tally_rt_check_device(tally_rt_context *ctx,
                              const tally_rt_assert_table *table) {
  return inCall(ctx, [&](CudaCall &cuda) { return cuda.check(table); });
}

int32_t tally_rt_any_order(const tally_rt_context *ctx) {
  return ctx->sumsInAnyOrder ? 1 : 0;
}

int32_t tally_rt_matmul(tally_rt_context *ctx, const tally_rt_matmul_args *args,
                        const tally_rt_kernel *fallback) {
  return inCall(ctx, [&](CudaCall &cuda) {
    return CudaProducts(cuda, ctx->counters).multiply(*args, fallback);
  });
}

int32_t tally_rt_convolution(tally_rt_context *ctx,
                             const tally_rt_convolution_args *args,
                             const tally_rt_kernel *windows,
                             const tally_rt_kernel *product) {
  return inCall(ctx, [&](CudaCall &cuda) {
    return CudaProducts(cuda, ctx->counters, ctx->sumsInAnyOrder)
        .convolve(*args, *windows, *product);
  });
}

int32_t tally_rt_weight_gradient(tally_rt_context *ctx,
                                 const tally_rt_convolution_args *args,
                                 const tally_rt_kernel *fallback) {
  return inCall(ctx, [&](CudaCall &cuda) {
    return CudaProducts(cuda, ctx->counters, ctx->sumsInAnyOrder)
        .computeWeightGradient(*args, *fallback);
  });
}

int32_t tally_rt_image_gradient(tally_rt_context *ctx,
                                const tally_rt_convolution_args *args,
                                const tally_rt_kernel *fallback) {
  return inCall(ctx, [&](CudaCall &cuda) {
    return CudaProducts(cuda, ctx->counters, ctx->sumsInAnyOrder)
        .computeImageGradient(*args, *fallback);
  });
}

int32_t tally_rt_fft(tally_rt_context *ctx, const tally_rt_fft_args *args) {
  return inCall(ctx, [&](CudaCall &cuda) {
    return cuda.getDevice().getFFT().run(cuda, *args, ctx->counters);
  });
}
