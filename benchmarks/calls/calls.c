/* Times calls of a compiled library: calls ROUNDS SIZE...

   Calls its first entry point with one tensor for each argument, whose sizes
   are taken off the list in order, ROUNDS times, and prints the nanoseconds of
   a call: the least of 20 batches. */

#include "tally/Runtime/tally_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Of the library that this program is linked with. */
const tally_rt_library *tally_library(void);

enum { maxTensors = 256, maxResults = 8, maxRank = 8, batches = 20 };

static DLTensor tensors[maxTensors];
static DLTensor *arguments[maxTensors];
static int64_t shapes[maxTensors][maxRank];
/* What all arguments hold: zeros. */
static _Alignas(64) char data[1 << 16];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* One call; a function of its own so that a profiler can find it. */
__attribute__((noinline)) static void callOnce(const tally_rt_library *library,
                                               tally_rt_context *ctx) {
  const tally_rt_entry *entry = &library->entries[0];
  DLManagedTensor *results[maxResults];
  if (tally_rt_invoke(library, entry, ctx, arguments, entry->num_arguments,
                      results, entry->num_results) != TALLY_RT_OK) {
    puts(tally_rt_last_error(ctx)->message);
    exit(1);
  }
  for (int i = 0; i < entry->num_results; ++i)
    results[i]->deleter(results[i]);
}

int main(int argc, char **argv) {
  const tally_rt_library *library = tally_library();
  const tally_rt_entry *entry = &library->entries[0];
  long rounds = argc > 1 ? atol(argv[1]) : 1;
  int next = 2;
  for (int i = 0; i < entry->num_arguments; ++i) {
    const tally_rt_value *value = &entry->arguments[i];
    for (int d = 0; d < value->rank; ++d)
      shapes[i][d] = next < argc ? atol(argv[next++]) : 1;
    DLTensor tensor = {
        data, {kDLCPU, 0}, value->rank, value->dtype, shapes[i], NULL, 0};
    tensors[i] = tensor;
    arguments[i] = &tensors[i];
  }
  tally_rt_context *ctx = tally_rt_context_create(NULL);
  double best = 1e30;
  for (int batch = 0; batch < batches; ++batch) {
    double start = now();
    for (long i = 0; i < rounds; ++i)
      callOnce(library, ctx);
    double each = (now() - start) / (double)rounds;
    best = each < best ? each : best;
  }
  printf("%.1f\n", best);
  tally_rt_context_destroy(ctx);
  return 0;
}
