//===- BlockPool.cpp - Memory that is kept from call to call --------------===//

#include "BlockPool.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size)                             \
  ((void)(address), (void)(size))
#endif

using namespace tally::runtime;

/// Blocks of two such pages and more start at one, and ask for them.
static constexpr size_t kHugePage = size_t(1) << 21;

//===----------------------------------------------------------------------===//
// Classes of sizes
//===----------------------------------------------------------------------===//

bool BlockPool::isKept(size_t bytes, size_t alignment) {
  return bytes <= kLargest && alignment <= kAlignment;
}

size_t BlockPool::classOf(size_t bytes) {
  if (bytes <= 64)
    return 0;
  size_t last = bytes - 1;
  auto log = static_cast<size_t>(63 - __builtin_clzll(last));
  return 4 * (log - 6) + ((last >> (log - 2)) & 3) + 1;
}

size_t BlockPool::sizeOf(size_t sizeClass) {
  if (sizeClass == 0)
    return 64;
  size_t log = (sizeClass - 1) / 4 + 6, quarter = (sizeClass - 1) % 4;
  return (size_t(1) << log) + ((quarter + 1) << (log - 2));
}

//===----------------------------------------------------------------------===//
// Blocks in use
//===----------------------------------------------------------------------===//

static void *allocateNew(size_t bytes, size_t alignment) {
  bool isLarge = bytes >= 2 * kHugePage;
  alignment = std::max(alignment, isLarge ? kHugePage : sizeof(void *));
  void *pointer = nullptr;
  if (posix_memalign(&pointer, alignment, bytes) != 0)
    return nullptr;
  if (isLarge)
    madvise(pointer, bytes, MADV_HUGEPAGE); // A hint: it may fail.
  return pointer;
}

void *BlockPool::allocate(size_t bytes, size_t alignment) {
  std::lock_guard<std::mutex> lock(mutex);
  void *pointer = nullptr;
  if (isKept(bytes, alignment)) {
    size_t sizeClass = classOf(bytes);
    bytes = sizeOf(sizeClass);
    alignment = kAlignment;
    pointer = take(sizeClass);
  }
  if (!pointer)
    pointer = allocateNew(bytes, alignment);
  if (!pointer) {
    giveBackUntilAtMost(0); // The system may need what is kept.
    pointer = allocateNew(bytes, alignment);
  }
  if (!pointer)
    return nullptr;
  ++numUsed;
  bytesUsed += bytes;
  peak = std::max(peak, bytesUsed);
  giveBackExcess();
  return pointer;
}

void BlockPool::deallocate(void *pointer, size_t bytes, size_t alignment) {
  bool last;
  {
    std::lock_guard<std::mutex> lock(mutex);
    bool keeps = isKept(bytes, alignment);
    size_t sizeClass = keeps ? classOf(bytes) : 0;
    bytesUsed -= keeps ? sizeOf(sizeClass) : bytes;
    --numUsed;
    if (keeps && !closed)
      keep(pointer, sizeClass);
    else
      std::free(pointer);
    last = closed && numUsed == 0;
  }
  if (last)
    delete this;
}

//===----------------------------------------------------------------------===//
// Blocks that are kept
//===----------------------------------------------------------------------===//

void *BlockPool::take(size_t sizeClass) {
  SizeClass &from = classes[sizeClass];
  Kept *block = from.first;
  if (!block)
    return nullptr;
  from.first = block->next;
  from.lastUse = ++clock;
  bytesKept -= sizeOf(sizeClass);
  ASAN_UNPOISON_MEMORY_REGION(block, sizeOf(sizeClass));
  return block;
}

void BlockPool::keep(void *pointer, size_t sizeClass) {
  SizeClass &to = classes[sizeClass];
  auto *block = static_cast<Kept *>(pointer);
  block->next = to.first;
  to.first = block;
  to.lastUse = ++clock;
  bytesKept += sizeOf(sizeClass);
  ASAN_POISON_MEMORY_REGION(block + 1, sizeOf(sizeClass) - sizeof(Kept));
  giveBackExcess();
}

void BlockPool::giveBackExcess() {
  size_t limit = 2 * std::max(peak, recentPeak);
  giveBackUntilAtMost(limit > bytesUsed ? limit - bytesUsed : 0);
}

void BlockPool::giveBackUntilAtMost(size_t bytes) {
  while (bytesKept > bytes) {
    SizeClass *oldest = nullptr;
    for (SizeClass &candidate : classes)
      if (candidate.first && (!oldest || candidate.lastUse < oldest->lastUse))
        oldest = &candidate;
    std::free(take(static_cast<size_t>(oldest - classes.data())));
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void BlockPool::endCall() {
  std::lock_guard<std::mutex> lock(mutex);
  recentPeak = std::max(peak, recentPeak - recentPeak / 16);
  peak = bytesUsed; // Results that their owners still hold.
  giveBackExcess();
}

void BlockPool::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  giveBackUntilAtMost(0);
}

void BlockPool::close() {
  bool last;
  {
    std::lock_guard<std::mutex> lock(mutex);
    giveBackUntilAtMost(0);
    closed = true;
    last = numUsed == 0;
  }
  if (last)
    delete this;
}

static void *allocateFromPool(void *pool, size_t bytes, size_t alignment) {
  return static_cast<BlockPool *>(pool)->allocate(bytes, alignment);
}

static void deallocateToPool(void *pool, void *pointer, size_t bytes,
                             size_t alignment) {
  static_cast<BlockPool *>(pool)->deallocate(pointer, bytes, alignment);
}

tally_rt_allocator BlockPool::asAllocator() {
  return {this, allocateFromPool, deallocateToPool};
}
