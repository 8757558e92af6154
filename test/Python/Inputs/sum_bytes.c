/* A custom function that relies on booleans of 0 and 1. */

#include "tally/Runtime/tally_runtime.h"

int32_t sum_bytes(tally_rt_context *ctx, const DLTensor *const *arguments,
                  int32_t num_arguments, DLTensor *const *results,
                  int32_t num_results) {
  const uint8_t *bytes = arguments[0]->data;
  int64_t sum = 0;
  (void)ctx, (void)num_arguments, (void)num_results;
  for (int64_t i = 0; i < arguments[0]->shape[0]; ++i)
    sum += bytes[i];
  *(int64_t *)results[0]->data = sum;
  return 0;
}
