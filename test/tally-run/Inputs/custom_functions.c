/* Custom functions as programs call them, and some that break the rules. */

#include "tally/Runtime/tally_runtime.h"

#include <string.h>

/* Keeps the elements that are larger than a number; says how many there are. */
int32_t keep_above(tally_rt_context *ctx, const DLTensor *const *arguments,
                   int32_t num_arguments, DLTensor *const *results,
                   int32_t num_results) {
  const float *x = arguments[0]->data;
  float least = *(const float *)arguments[1]->data;
  float *kept = results[0]->data;
  int64_t count = 0;
  if (num_arguments != 2 || num_results != 2)
    return tally_rt_custom_error(ctx, "takes 2 arguments, returns 2 results");
  for (int64_t i = 0; i < arguments[0]->shape[0]; ++i) {
    if (x[i] != x[i])
      return tally_rt_custom_error(ctx, "an element is not a number");
    if (x[i] > least)
      kept[count++] = x[i];
  }
  results[0]->shape[0] = count;
  *(int64_t *)results[1]->data = count;
  return 0;
}

/* The upper left corner of a matrix of two sizes; elements that are not zero.
 */
int32_t corner(tally_rt_context *ctx, const DLTensor *const *arguments,
               int32_t num_arguments, DLTensor *const *results,
               int32_t num_results) {
  const DLTensor *x = arguments[0];
  DLTensor *y = results[0], *nonzero = results[1];
  const int32_t *in = x->data;
  int64_t rows = *(const int64_t *)arguments[1]->data;
  int64_t columns = *(const int64_t *)arguments[2]->data;
  (void)ctx, (void)num_arguments, (void)num_results;
  y->shape[0] = nonzero->shape[0] = rows;
  y->shape[1] = nonzero->shape[1] = columns;
  for (int64_t i = 0; i < rows && i < x->shape[0]; ++i)
    for (int64_t j = 0; j < columns && j < x->shape[1]; ++j) {
      int32_t value = in[i * x->shape[1] + j];
      ((int32_t *)y->data)[i * y->strides[0] + j * y->strides[1]] = value;
      /* A boolean may be any byte that is not zero. */
      ((uint8_t *)nonzero->data)[i * nonzero->strides[0] + j] = (uint8_t)value;
    }
  return 0;
}

/* Sets the sizes of its result to what it is given. */
int32_t claim(tally_rt_context *ctx, const DLTensor *const *arguments,
              int32_t num_arguments, DLTensor *const *results,
              int32_t num_results) {
  (void)ctx, (void)num_arguments, (void)num_results;
  for (int d = 0; d < 2; ++d)
    results[0]->shape[d] = *(const int64_t *)arguments[d]->data;
  return 0;
}

/* Counts its calls; fails from the third on, with no word. */
int32_t count_calls(tally_rt_context *ctx, const DLTensor *const *arguments,
                    int32_t num_arguments, DLTensor *const *results,
                    int32_t num_results) {
  static int64_t calls;
  (void)ctx, (void)arguments, (void)num_arguments, (void)num_results;
  if (num_results)
    *(int64_t *)results[0]->data = ++calls;
  else
    ++calls;
  return calls > 5 ? 42 : 0;
}

/* Writes the numbers 0, 1, ... with memory that it leaves to the call. */
int32_t numbers(tally_rt_context *ctx, const DLTensor *const *arguments,
                int32_t num_arguments, DLTensor *const *results,
                int32_t num_results) {
  int64_t n = *(const int64_t *)arguments[0]->data;
  double *slot = tally_rt_alloc(ctx, n * 8, 64);
  (void)num_arguments, (void)num_results;
  if (!slot)
    return 1;
  for (int64_t i = 0; i < n; ++i)
    slot[i] = (double)i;
  memcpy(results[0]->data, slot, (size_t)n * 8);
  return 0;
}
