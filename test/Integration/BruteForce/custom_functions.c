/* Custom functions that programs call. What they are told to log can be read.
 */

#include "tally/Runtime/tally_runtime.h"

#include <string.h>

enum { MOST_LOGGED = 64 };

int64_t logged[MOST_LOGGED];
int64_t num_logged;

/* log_number(n: i64): an effect. */
int32_t log_number(tally_rt_context *ctx, const DLTensor *const *arguments,
                   int32_t num_arguments, DLTensor *const *results,
                   int32_t num_results) {
  (void)ctx, (void)num_arguments, (void)results, (void)num_results;
  if (num_logged == MOST_LOGGED)
    return 1;
  logged[num_logged++] = *(const int64_t *)arguments[0]->data;
  return 0;
}

/* keep_positive(x: f32[n]) -> f32[<= n] */
int32_t keep_positive(tally_rt_context *ctx, const DLTensor *const *arguments,
                      int32_t num_arguments, DLTensor *const *results,
                      int32_t num_results) {
  const float *x = arguments[0]->data;
  float *kept = results[0]->data;
  int64_t count = 0;
  (void)ctx, (void)num_arguments, (void)num_results;
  for (int64_t i = 0; i < arguments[0]->shape[0]; ++i)
    if (x[i] > 0)
      kept[count++] = x[i];
  results[0]->shape[0] = count;
  return 0;
}

/* take_front(x: f32[n], k: i64) -> f32[k], whether there are so many or not. */
int32_t take_front(tally_rt_context *ctx, const DLTensor *const *arguments,
                   int32_t num_arguments, DLTensor *const *results,
                   int32_t num_results) {
  int64_t size = arguments[0]->shape[0];
  int64_t k = *(const int64_t *)arguments[1]->data;
  int64_t copied = k < size ? k : size;
  (void)ctx, (void)num_arguments, (void)num_results;
  if (copied > 0)
    memcpy(results[0]->data, arguments[0]->data,
           (size_t)copied * sizeof(float));
  results[0]->shape[0] = k;
  return 0;
}
