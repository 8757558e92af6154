//===- Cuda.cpp - The GPU half of the C interface -------------------------===//

#include "Context.h"

#include <utility>

using namespace tally::runtime;

static int32_t failDevice(tally_rt_context *ctx) {
  ErrorRecord record;
  record.status = TALLY_RT_DEVICE_ERROR;
  record.userMessage = "this runtime was built without its GPU half";
  ctx->fail(std::move(record));
  return TALLY_RT_DEVICE_ERROR;
}

void tally_rt_set_stream(tally_rt_context *, void *) {}

void tally_rt_get_counters(const tally_rt_context *,
                           tally_rt_counters *counters) {
  *counters = {};
}

void tally_rt_reset_counters(tally_rt_context *) {}

int32_t tally_rt_get_gpu_info(tally_rt_context *ctx, int32_t,
                              tally_rt_gpu_info *) {
  return failDevice(ctx);
}

int32_t tally_rt_copy_to_device(tally_rt_context *ctx, int32_t,
                                const DLTensor *, DLManagedTensor **) {
  return failDevice(ctx);
}

int32_t tally_rt_copy_to_host(tally_rt_context *ctx, const DLTensor *, void *) {
  return failDevice(ctx);
}

int32_t tally_rt_synchronize(tally_rt_context *ctx, int32_t) {
  return failDevice(ctx);
}

void tally_rt_release_library(const tally_rt_library *) {}

int32_t tally_rt_launch(tally_rt_context *ctx, const tally_rt_kernel *, int64_t,
                        int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                        void *const *) {
  return failDevice(ctx);
}

int32_t tally_rt_read_back(tally_rt_context *ctx, const tally_rt_assert_table *,
                           const void *, void *, int64_t) {
  return failDevice(ctx);
}

void *tally_rt_constant(tally_rt_context *ctx, const void *, int64_t) {
  failDevice(ctx);
  return nullptr;
}

int32_t tally_rt_copy(tally_rt_context *ctx, void *, const void *, int64_t) {
  return failDevice(ctx);
}

void *tally_rt_device_errors(tally_rt_context *ctx) {
  failDevice(ctx);
  return nullptr;
}

int32_t tally_rt_check_device(tally_rt_context *ctx,
                              const tally_rt_assert_table *) {
  return failDevice(ctx);
}

int32_t tally_rt_matmul(tally_rt_context *ctx, const tally_rt_matmul_args *,
                        const tally_rt_kernel *) {
  return failDevice(ctx);
}
