// Calls the function `main` of a compiled program once. Arguments come from
// standard input, results go to standard output, each as a line `CODE BITS RANK
// SIZE...` and the bytes of its elements. A failed check is told on standard
// error, and the exit status is 3.
#include "tally/Runtime/tally_runtime.h"

#include <stdio.h>
#include <stdlib.h>

const tally_rt_library *program_library(void);

enum { kMaxTensors = 64, kMaxRank = 16 };

static void fail(const char *message) {
  fprintf(stderr, "call: %s\n", message);
  exit(1);
}

static size_t countBytes(const DLTensor *tensor) {
  size_t bytes = (tensor->dtype.bits + 7) / 8;
  for (int32_t i = 0; i < tensor->ndim; ++i)
    bytes *= (size_t)tensor->shape[i];
  return bytes;
}

/// Reads the next argument; returns 0 at the end of the input.
static int readTensor(DLTensor *tensor) {
  int code, bits, rank;
  if (scanf("%d %d %d", &code, &bits, &rank) != 3)
    return 0;
  if (rank > kMaxRank)
    fail("an argument has too many dimensions");
  tensor->shape = calloc(kMaxRank, sizeof(int64_t));
  for (int i = 0; i < rank; ++i) {
    long long size;
    if (scanf("%lld", &size) != 1)
      fail("a size is missing");
    tensor->shape[i] = size;
  }
  if (getchar() != '\n')
    fail("sizes end with a line");
  tensor->dtype.code = (uint8_t)code;
  tensor->dtype.bits = (uint8_t)bits;
  tensor->dtype.lanes = 1;
  tensor->ndim = rank;
  tensor->device.device_type = kDLCPU;
  size_t bytes = countBytes(tensor);
  tensor->data = malloc(bytes + 1);
  if (fread(tensor->data, 1, bytes, stdin) != bytes)
    fail("elements are missing");
  return 1;
}

static void writeTensor(const DLTensor *tensor) {
  printf("%d %d %d", tensor->dtype.code, tensor->dtype.bits, tensor->ndim);
  for (int32_t i = 0; i < tensor->ndim; ++i)
    printf(" %lld", (long long)tensor->shape[i]);
  putchar('\n');
  fwrite(tensor->data, 1, countBytes(tensor), stdout);
}

int main(void) {
  static DLTensor tensors[kMaxTensors];
  DLTensor *arguments[kMaxTensors];
  DLManagedTensor *results[kMaxTensors];
  int32_t numArguments = 0;
  while (numArguments < kMaxTensors && readTensor(&tensors[numArguments])) {
    arguments[numArguments] = &tensors[numArguments];
    ++numArguments;
  }
  const tally_rt_library *library = program_library();
  const tally_rt_entry *entry = tally_rt_find_entry(library, "main");
  if (!entry)
    fail("the program has no function main");
  int32_t numResults = tally_rt_num_returned(entry);
  if (numResults > kMaxTensors)
    fail("the program returns too much");
  tally_rt_context *ctx = tally_rt_context_create(NULL);
  if (tally_rt_invoke(library, entry, ctx, arguments, numArguments, results,
                      numResults)) {
    fprintf(stderr, "%s\n", tally_rt_last_error(ctx)->message);
    return 3;
  }
  for (int32_t i = 0; i < numResults; ++i) {
    writeTensor(&results[i]->dl_tensor);
    results[i]->deleter(results[i]);
  }
  // What is written back to arguments comes last.
  for (int32_t i = 0; i < entry->num_results; ++i)
    if (entry->results[i].mutates >= 0)
      writeTensor(arguments[entry->results[i].mutates]);
  int64_t live = tally_rt_live_allocations(ctx);
  tally_rt_context_destroy(ctx);
  if (live)
    fail("memory of the call is left");
  return 0;
}
