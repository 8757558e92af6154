//===- BlockPool.h - Memory that is kept from call to call ------*- C++ -*-===//
//
// The default allocator of a context. The C library returns large blocks to the
// system as soon as they are freed, and the first write to each page of a new
// one then costs more than an elementwise operation on it. Private to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_BLOCKPOOL_H
#define TALLY_LIB_RUNTIME_BLOCKPOOL_H

#include "tally/Runtime/tally_runtime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tally::runtime {

/// Aligned memory of the C library that is kept when it is freed. The blocks in
/// use and those kept are together at most twice what one of the last calls has
/// used at once; those unused for longest are given back first. All functions
/// may be called from several threads at once.
class BlockPool {
public:
  BlockPool() = default;
  BlockPool(const BlockPool &) = delete;
  BlockPool &operator=(const BlockPool &) = delete;

  /// The functions of this pool as the C interface wants them.
  tally_rt_allocator asAllocator();

  /// Returns null where there is no memory.
  void *allocate(size_t bytes, size_t alignment);
  void deallocate(void *pointer, size_t bytes, size_t alignment);

  /// Lets what large calls have needed count less with each call that ends.
  void endCall();
  /// Gives back every block that is kept.
  void trim();
  /// Ends the pool: it gives back what it keeps, and deletes itself with its
  /// last block. Results of calls outlive their context.
  void close();

private:
  /// Classes of sizes: 64 bytes, then four for each power of two up to
  /// `kLargest`. What is larger, or aligned more strictly than `kAlignment`, is
  /// not kept.
  static constexpr size_t kLargest = size_t(1) << 48;
  static constexpr size_t kAlignment = TALLY_RT_HOST_ALIGNMENT;
  static constexpr size_t kNumClasses = 1 + 4 * (48 - 6);

  /// The start of a block that is kept.
  struct Kept {
    Kept *next;
  };

  struct SizeClass {
    Kept *first = nullptr;
    /// When a block was taken from the class or put into it.
    uint64_t lastUse = 0;
  };

  ~BlockPool() = default;

  static bool isKept(size_t bytes, size_t alignment);
  static size_t classOf(size_t bytes);
  static size_t sizeOf(size_t sizeClass);

  // The mutex is held in these.
  void *take(size_t sizeClass);
  void keep(void *pointer, size_t sizeClass);
  void giveBackExcess();
  void giveBackUntilAtMost(size_t bytes);

  std::mutex mutex;
  std::array<SizeClass, kNumClasses> classes;
  uint64_t clock = 0;
  size_t numUsed = 0;
  size_t bytesUsed = 0;
  size_t bytesKept = 0;
  /// The most bytes in use at once, in this call and in the last ones.
  size_t peak = 0;
  size_t recentPeak = 0;
  bool closed = false;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_BLOCKPOOL_H
