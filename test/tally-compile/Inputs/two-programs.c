#include "first.h"
#include "second.h"

#include <stdio.h>

typedef int32_t (*Program)(tally_rt_context *, DLTensor *const *, int32_t,
                           DLManagedTensor **, int32_t);

static void call(const char *name, Program program) {
  float values[2] = {1, 2};
  int64_t size = 2;
  DLTensor x = {values, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, NULL, 0};
  DLTensor *arguments[1] = {&x};
  DLManagedTensor *result;
  tally_rt_context *ctx = tally_rt_context_create(NULL);
  if (program(ctx, arguments, 1, &result, 1) != TALLY_RT_OK) {
    puts(tally_rt_last_error(ctx)->message);
    return;
  }
  const float *halves = result->dl_tensor.data;
  printf("%s: %g %g\n", name, halves[0], halves[1]);
  result->deleter(result);
  tally_rt_context_destroy(ctx);
}

int main(void) {
  call("first", first_main);
  call("second", second_main);
  return 0;
}
