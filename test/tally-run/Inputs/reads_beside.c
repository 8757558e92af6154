/* Reads the element of a vector at a place that nobody has checked. */
#include "tally/Runtime/tally_runtime.h"

int32_t read_at(tally_rt_context *ctx, const DLTensor *const *arguments,
                int32_t num_arguments, DLTensor *const *results,
                int32_t num_results) {
  const volatile float *x = arguments[0]->data;
  *(float *)results[0]->data = x[*(const int64_t *)arguments[1]->data];
  return 0;
}
