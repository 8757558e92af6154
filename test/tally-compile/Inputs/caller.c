/* Calls a compiled library as a C program would: at several sizes, through
   checks that fail, from several threads, with an allocator of its own. */

#include "reshape_add.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_long live;

static void *allocate(void *user, size_t bytes, size_t alignment) {
  void *pointer = NULL;
  (void)user;
  if (posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes))
    return NULL;
  atomic_fetch_add(&live, 1);
  return pointer;
}

static void deallocate(void *user, void *pointer, size_t bytes,
                       size_t alignment) {
  (void)user, (void)bytes, (void)alignment;
  atomic_fetch_sub(&live, 1);
  free(pointer);
}

static const tally_rt_allocator allocator = {NULL, allocate, deallocate};

typedef struct {
  int64_t shape[2];
  DLTensor tensor;
} Matrix;

static void make(Matrix *m, int64_t rows, int64_t columns, float value) {
  m->shape[0] = rows;
  m->shape[1] = columns;
  float *data = malloc((rows * columns + 1) * sizeof(float));
  for (int64_t i = 0; i < rows * columns; ++i)
    data[i] = value + (float)i;
  DLTensor tensor = {data,     {kDLCPU, 0}, 2, {kDLFloat, 32, 1},
                     m->shape, NULL,        0};
  m->tensor = tensor;
}

static int call(tally_rt_context *ctx, Matrix *x, Matrix *y,
                DLManagedTensor **result) {
  DLTensor *arguments[RESHAPE_ADD_MAIN_NUM_ARGUMENTS] = {&x->tensor,
                                                         &y->tensor};
  return reshape_add_main(ctx, arguments, RESHAPE_ADD_MAIN_NUM_ARGUMENTS,
                          result, RESHAPE_ADD_MAIN_NUM_RESULTS);
}

/* Returns the number of wrong calls. */
static int callAtSize(tally_rt_context *ctx, int64_t rows, int64_t columns) {
  Matrix x, y;
  make(&x, rows, columns, 1);
  make(&y, rows, columns, 2);
  DLManagedTensor *result;
  int wrong = call(ctx, &x, &y, &result) != TALLY_RT_OK;
  if (!wrong) {
    const float *sum = result->dl_tensor.data;
    wrong = result->dl_tensor.shape[0] != rows ||
            result->dl_tensor.shape[1] != columns;
    for (int64_t i = 0; i < rows * columns; ++i)
      wrong |= sum[i] != 3.f + 2.f * (float)i;
    result->deleter(result);
  }
  wrong |= tally_rt_live_allocations(ctx) != 0;
  free(x.tensor.data);
  free(y.tensor.data);
  return wrong;
}

/* Fails and succeeds in turn; the argument is the number of failing calls. */
static void *hammer(void *argument) {
  long calls = (long)argument, wrong = 0;
  tally_rt_config config = {sizeof config, &allocator, NULL, NULL};
  tally_rt_context *ctx = tally_rt_context_create(&config);
  Matrix x, y, z, large;
  make(&x, 3, 5, 1);
  make(&y, 3, 4, 2);
  make(&z, 3, 5, 999);
  make(&large, 4000, 5, 1); /* enough for several threads */
  for (long i = 0; i < calls; ++i) {
    DLManagedTensor *result;
    int atEntry = i % 2;
    int status = call(ctx, &x, atEntry ? &y : &z, &result);
    const tally_rt_error *error = tally_rt_last_error(ctx);
    const char *expected = atEntry ? "s1 == s3" : "v < 1000";
    wrong += status != TALLY_RT_CHECK_FAILED || result || !error ||
             strcmp(error->expression, expected) != 0 ||
             tally_rt_live_allocations(ctx) != 0;
    if (i % 100 == 0) {
      wrong += callAtSize(ctx, 4, 6);
      wrong += call(ctx, &large, &large, &result) != TALLY_RT_CHECK_FAILED;
      wrong += tally_rt_live_allocations(ctx) != 0;
    }
  }
  free(x.tensor.data);
  free(y.tensor.data);
  free(z.tensor.data);
  free(large.tensor.data);
  tally_rt_context_destroy(ctx);
  return (void *)wrong;
}

static void printDescription(void) {
  const tally_rt_library *library = reshape_add_library();
  const tally_rt_entry *entry = tally_rt_find_entry(library, "main");
  for (int i = 0; i < entry->num_arguments; ++i)
    printf("argument %s: rank %d, [%s, %s]\n", entry->arguments[i].name,
           entry->arguments[i].rank, entry->arguments[i].shape[0],
           entry->arguments[i].shape[1]);
  for (int i = 0; i < entry->num_symbols; ++i)
    printf("symbol %s = %s\n", entry->symbols[i].name,
           entry->symbols[i].source);
  printf("s0 <= %ld\n", (long)entry->symbols[0].upper);
}

int main(void) {
  enum { numThreads = 8, failures = 100000 };
  tally_rt_config config = {sizeof config, &allocator, NULL, NULL};
  tally_rt_context *ctx = tally_rt_context_create(&config);
  printDescription();

  static const int64_t sizes[][2] = {{0, 0}, {1, 1}, {0, 5},
                                     {7, 0}, {3, 4}, {17, 9}};
  int wrong = 0;
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
    wrong += callAtSize(ctx, sizes[i][0], sizes[i][1]);
  printf("sizes: %d wrong\n", wrong);

  Matrix x, y;
  DLManagedTensor *result;
  make(&x, 2, 3, 0);
  make(&y, 2, 2, 0);
  printf("status %d\n", call(ctx, &x, &y, &result));
  printf("%s\n", tally_rt_last_error(ctx)->message);
  printf("again: %d wrong\n", callAtSize(ctx, 2, 3));
  free(x.tensor.data);
  free(y.tensor.data);
  tally_rt_context_destroy(ctx);

  pthread_t threads[numThreads];
  long wrongCalls = 0;
  for (int i = 0; i < numThreads; ++i)
    pthread_create(&threads[i], NULL, hammer,
                   (void *)(long)(failures / numThreads));
  for (int i = 0; i < numThreads; ++i) {
    void *returned;
    pthread_join(threads[i], &returned);
    wrongCalls += (long)returned;
  }
  printf("threads: %ld wrong, %ld live\n", wrongCalls, atomic_load(&live));
  return 0;
}
