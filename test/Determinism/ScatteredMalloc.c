//===- ScatteredMalloc.c - An allocator that moves what is allocated ------===//
//
// A library to preload: each block of memory grows by a random number of bytes,
// so that pointers, and every order that depends on them, differ from one seed
// to the next. The variable TALLY_SCATTER_SEED holds the seed.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *MallocFn(size_t);

/// xorshift64: Marsaglia, "Xorshift RNGs", 2003.
static uint64_t nextRandom(void) {
  static __thread uint64_t state;
  if (!state) {
    const char *seed = getenv("TALLY_SCATTER_SEED");
    state = (seed ? strtoull(seed, NULL, 10) : 0) * 0x9e3779b97f4a7c15u + 1;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void *malloc(size_t size) {
  static MallocFn *next;
  if (!next)
    next = (MallocFn *)dlsym(RTLD_NEXT, "malloc");
  size_t padding = nextRandom() % 32 * 16;
  return next(size + padding < size ? size : size + padding);
}
