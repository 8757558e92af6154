/* What tally-compile --target=cuda would make of y = x + 10 where n >= 0, with
   the kernels of the driver that stands in for libcuda in tests. */

#include "tally/Runtime/tally_runtime.h"

#include <string.h>

static const char image[] = ".version 7.0";
static const tally_rt_gpu_module module = {image, sizeof(image), "sm_90a"};
static const tally_rt_kernel add = {&module, "add"};
static const tally_rt_kernel check = {&module, "check"};
static const float ten[] = {10};
static const char record[] = "n >= 0\0\0\0\0\0"
                             "0\0"
                             "0\0"
                             "1\0i\0n\0n";
static const int64_t offset = 0;
static const tally_rt_assert_table table = {record, &offset};

typedef struct {
  void *allocated, *aligned;
  int64_t offset, size, stride;
} vector;

static int32_t compiled(tally_rt_context *ctx, void *const *arguments,
                        void *const *results) {
  const vector *x = arguments[0];
  int64_t n, size = x->size;
  memcpy(&n, arguments[1], sizeof(n));
  void *errors = tally_rt_device_errors(ctx, &table);
  void *constant = errors ? tally_rt_constant(ctx, ten, sizeof(ten)) : NULL;
  void *y = constant ? tally_rt_alloc(ctx, 4 * size, 64) : NULL;
  if (!y)
    return TALLY_RT_DEVICE_ERROR;
  void *check_arguments[] = {&errors, &n};
  void *add_arguments[] = {&y, (void *)&x->aligned, &constant, &size};
  int32_t status =
      tally_rt_launch(ctx, &check, 1, 1, 1, 1, 1, 1, 0, check_arguments);
  if (!status)
    status = tally_rt_launch(ctx, &add, (size + 31) / 32, 1, 1, 32, 1, 1, 0,
                             add_arguments);
  if (!status)
    status = tally_rt_check_device(ctx, &table);
  vector result = {y, y, 0, size, 1};
  memcpy(results[0], &result, sizeof(result));
  return status;
}

static const int64_t sizes[] = {-1};
static const char *const shape[] = {"s0"};
static const tally_rt_value arguments[] = {
    {"x", {kDLFloat, 32, 1}, 1, 0, -1, sizes, shape, ""},
    {"n", {kDLInt, 64, 1}, 0, 1, -1, NULL, NULL, ""}};
static const tally_rt_value results[] = {
    {"y", {kDLFloat, 32, 1}, 1, 0, -1, sizes, shape, ""}};
static const tally_rt_entry entry = {
    "main", 2, 1, 0, 0, arguments, results, NULL, compiled, NULL, 0, -1};
static const tally_rt_library library = {
    TALLY_RT_ABI_VERSION, 1, &entry, kDLCUDA, 0, NULL};

TALLY_RT_EXPORT const tally_rt_library *tally_library(void);
const tally_rt_library *tally_library(void) { return &library; }
