//===- GuardPages.cpp - An allocator that catches overruns ----------------===//
//
// Compiled code is not seen by AddressSanitizer. In a test every buffer gets
// pages of its own between two inaccessible ones, and touches one of the two.
//
//===----------------------------------------------------------------------===//

#include "tally/Runtime/tally_runtime.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

static size_t pageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

/// Returns `bytes` rounded up to whole pages; 0 where that does not fit.
static size_t roundToPages(size_t bytes) {
  size_t page = pageSize();
  if (bytes > SIZE_MAX / 2 - page)
    return 0;
  return (bytes + page - 1) / page * page;
}

static void *allocateGuarded(void *before, size_t bytes, size_t) {
  size_t page = pageSize(), capacity = roundToPages(bytes);
  if (capacity == 0)
    return nullptr;
  void *base = mmap(nullptr, capacity + 2 * page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return nullptr;
  char *data = static_cast<char *>(base) + page;
  if (mprotect(data, capacity, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, capacity + 2 * page);
    return nullptr;
  }
  return before ? data : data + (capacity - bytes);
}

static void deallocateGuarded(void *before, void *pointer, size_t bytes,
                              size_t) {
  size_t page = pageSize(), capacity = roundToPages(bytes);
  char *data = static_cast<char *>(pointer) - (before ? 0 : capacity - bytes);
  munmap(data - page, capacity + 2 * page);
}

const tally_rt_allocator *tally_rt_guard_page_allocator(int before) {
  static char marker;
  static const tally_rt_allocator after = {nullptr, allocateGuarded,
                                           deallocateGuarded};
  static const tally_rt_allocator first = {&marker, allocateGuarded,
                                           deallocateGuarded};
  return before ? &first : &after;
}
