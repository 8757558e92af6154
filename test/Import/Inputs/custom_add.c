#include "tally/Runtime/tally_runtime.h"

/// The elementwise sum of two vectors. In a result of one element less where
/// the first element is negative.
int32_t my_add(tally_rt_context *ctx, const DLTensor *const *arguments,
               int32_t num_arguments, DLTensor *const *results,
               int32_t num_results) {
  const float *x = arguments[0]->data, *y = arguments[1]->data;
  float *z = results[0]->data;
  if (num_arguments != 2 || num_results != 1)
    return tally_rt_custom_error(ctx, "expected x and y");
  for (int64_t i = 0; i < results[0]->shape[0]; ++i)
    z[i] = x[i] + y[i];
  if (results[0]->shape[0] > 0 && x[0] < 0)
    --results[0]->shape[0];
  return 0;
}
