/* Calls a compiled library in several processes at once, which tell which files
   with weights they have mapped, and a hash of their results. */

#include "weights.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMostFiles = 8, kRows = 40, kResults = 4 };

typedef struct {
  uint64_t results;
  unsigned long files[kMostFiles];
  int count;
} Report;

typedef tally_rt_context *(*Create)(const tally_rt_config *);
typedef void (*Destroy)(tally_rt_context *);
typedef int64_t (*Count)(const tally_rt_context *);
typedef int32_t (*Program)(tally_rt_context *, DLTensor *const *, int32_t,
                           DLManagedTensor **, int32_t);

/* Files with weights, by their numbers. */
static void findFiles(Report *report) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  report->count = 0;
  while (fgets(line, sizeof(line), maps)) {
    unsigned long number;
    if (strstr(line, ".weights") && report->count < kMostFiles &&
        sscanf(line, "%*s %*s %*s %*s %lu", &number) == 1)
      report->files[report->count++] = number;
  }
  fclose(maps);
}

static void hash(uint64_t *sum, const DLTensor *tensor) {
  int64_t elements = 1;
  for (int32_t dim = 0; dim < tensor->ndim; ++dim)
    elements *= tensor->shape[dim];
  for (int64_t i = 0; i < 4 * elements; ++i)
    *sum = (*sum ^ ((const unsigned char *)tensor->data)[i]) * 0x100000001b3;
}

static void call(void *library, uint64_t *sum) {
  static float values[kRows * 256], images[16 * 80];
  int64_t sizes[2] = {kRows, 256}, imageSizes[3] = {1, 16, 80};
  DLTensor x = {values, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, sizes, NULL, 0};
  DLTensor image = {images,     {kDLCPU, 0}, 3, {kDLFloat, 32, 1},
                    imageSizes, NULL,        0};
  DLTensor *arguments[2] = {&x, &image};
  DLManagedTensor *results[kResults];
  for (int i = 0; i < kRows * 256; ++i)
    values[i] = (float)(i % 17) / 8 - 1;
  for (int i = 0; i < 16 * 80; ++i)
    images[i] = (float)(i % 13) / 8 - 1;
  tally_rt_context *ctx =
      ((Create)dlsym(library, "tally_rt_context_create"))(NULL);
  if (((Program)dlsym(library, "weights_main"))(ctx, arguments, 2, results,
                                                kResults) != TALLY_RT_OK)
    exit(1);
  for (int i = 0; i < kResults; ++i) {
    hash(sum, &results[i]->dl_tensor);
    results[i]->deleter(results[i]);
  }
  if (((Count)dlsym(library, "tally_rt_live_allocations"))(ctx) != 0)
    exit(1);
  ((Destroy)dlsym(library, "tally_rt_context_destroy"))(ctx);
}

static void runChild(const char *path, int reports, int gate) {
  Report report = {0};
  char byte;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    exit(1);
  for (int round = 0; round < 2; ++round)
    call(library, &report.results);
  findFiles(&report);
  if (write(reports, &report, sizeof(report)) != sizeof(report))
    exit(1);
  /* Until all have their files. */
  if (read(gate, &byte, 1) != 0)
    exit(1);
  dlclose(library);
  findFiles(&report);
  exit(report.count);
}

int main(int argc, char **argv) {
  int reports[2], gate[2], processes = argc == 3 ? atoi(argv[2]) : 0;
  Report first, other;
  if (pipe(reports) != 0 || pipe(gate) != 0)
    return 1;
  for (int i = 0; i < processes; ++i)
    if (fork() == 0) {
      close(gate[1]);
      runChild(argv[1], reports[1], gate[0]);
    }
  close(reports[1]);
  if (read(reports[0], &first, sizeof(first)) != sizeof(first))
    return 1;
  for (int i = 1; i < processes; ++i) {
    if (read(reports[0], &other, sizeof(other)) != sizeof(other))
      return 1;
    if (other.results != first.results)
      puts("other results");
    if (other.count != first.count)
      puts("not as many files");
    for (int j = 0; j < first.count; ++j) {
      int isShared = 0;
      for (int k = 0; k < other.count; ++k)
        isShared |= other.files[k] == first.files[j];
      if (!isShared)
        puts("another file");
    }
  }
  close(gate[1]);
  for (int i = 0, status; i < processes; ++i)
    if (wait(&status) < 0 || status != 0)
      puts("still mapped");
  printf("%d processes share %d files\n", processes, first.count);
  printf("results: %llx\n", (unsigned long long)first.results);
  return 0;
}
