/* Loads a compiled library, calls it, and removes it again at once, while the
   threads of its loops still look for work; a child of fork ends meanwhile. */

#include "halves.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSize = 1 << 20 };

typedef tally_rt_context *(*Create)(const tally_rt_config *);
typedef void (*Destroy)(tally_rt_context *);
typedef int32_t (*Program)(tally_rt_context *, DLTensor *const *, int32_t,
                           DLManagedTensor **, int32_t);

static void call(void *library, float *values) {
  Create create = (Create)dlsym(library, "tally_rt_context_create");
  Destroy destroy = (Destroy)dlsym(library, "tally_rt_context_destroy");
  Program program = (Program)dlsym(library, "halves_main");
  int64_t size = kSize;
  DLTensor x = {values, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, NULL, 0};
  DLTensor *arguments[1] = {&x};
  DLManagedTensor *result;
  tally_rt_context *ctx = create(NULL);
  if (program(ctx, arguments, 1, &result, 1) != TALLY_RT_OK)
    exit(1);
  result->deleter(result);
  destroy(ctx);
}

int main(int argc, char **argv) {
  float *values = calloc(kSize, sizeof(float));
  int status = 0;
  if (argc != 2)
    return 1;
  for (int round = 0; round < 40; ++round) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    call(library, values);
    if (round % 10 == 0) {
      pid_t child = fork();
      if (child == 0)
        exit(0);
      waitpid(child, &status, 0);
      if (status != 0)
        puts("the child failed");
    }
    dlclose(library);
    if (round % 10 == 5)
      usleep(5000); /* Until they sleep. */
  }
  free(values);
  puts(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "still there" : "removed");
  return 0;
}
