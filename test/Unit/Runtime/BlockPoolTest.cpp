//===- BlockPoolTest.cpp - Memory that a context keeps --------------------===//

#include "tally/Runtime/tally_runtime.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

class BlockPoolTest : public testing::Test {
protected:
  void SetUp() override { ctx = tally_rt_context_create(nullptr); }
  void TearDown() override { tally_rt_context_destroy(ctx); }

  char *allocate(int64_t bytes, int64_t alignment = 64) {
    void *block = tally_rt_alloc(ctx, bytes, alignment);
    EXPECT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
    return static_cast<char *>(block);
  }
  void free(void *block) { tally_rt_free(ctx, block); }

  tally_rt_context *ctx;
};

TEST_F(BlockPoolTest, blockIsUsedAgain) {
  for (int64_t bytes : {1, 64, 65, 1000, 1 << 20, 9 << 20}) {
    char *first = allocate(bytes);
    std::memset(first, 1, bytes);
    free(first);
    EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
    char *second = allocate(bytes);
    EXPECT_EQ(first, second) << bytes;
    // A block that is in use is nobody else's.
    char *third = allocate(bytes);
    EXPECT_NE(second, third);
    std::memset(third, 2, bytes);
    free(second);
    free(third);
  }
}

TEST_F(BlockPoolTest, everySizeFits) {
  // Around each power of two, and its quarters.
  for (int log = 0; log < 24; ++log)
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int64_t off : {-1, 0, 1}) {
        int64_t bytes = (int64_t(1) << log) + (quarter << log) / 4 + off;
        char *block = allocate(bytes);
        std::memset(block, 0x55, static_cast<size_t>(bytes));
        free(block);
      }
}

TEST_F(BlockPoolTest, strictAlignment) {
  for (int64_t alignment : {1, 8, 128, 4096}) {
    char *block = allocate(100, alignment);
    std::memset(block, 1, 100);
    free(block);
  }
}

TEST_F(BlockPoolTest, randomBlocksDoNotOverlap) {
  unsigned seed = std::random_device()();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  struct Filled {
    char *data;
    size_t bytes;
    char value;
  };
  std::vector<Filled> blocks;
  for (int step = 0; step < 4000; ++step) {
    if (blocks.empty() || random() % 5 < 3) {
      size_t bytes = 1 + random() % (size_t(1) << (random() % 18));
      Filled block = {allocate(static_cast<int64_t>(bytes)), bytes,
                      static_cast<char>(step)};
      std::memset(block.data, block.value, bytes);
      blocks.push_back(block);
      continue;
    }
    std::swap(blocks[random() % blocks.size()], blocks.back());
    Filled block = blocks.back();
    blocks.pop_back();
    EXPECT_TRUE(std::all_of(block.data, block.data + block.bytes,
                            [&](char c) { return c == block.value; }));
    free(block.data);
  }
  for (Filled &block : blocks)
    free(block.data);
}

TEST_F(BlockPoolTest, threads) {
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([this, id] {
      for (int i = 0; i < 500; ++i) {
        size_t bytes = 1 + static_cast<size_t>(i * 37 % 5000);
        char *block = allocate(static_cast<int64_t>(bytes));
        std::memset(block, id, bytes);
        EXPECT_EQ(block[bytes / 2], id);
        free(block);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
}

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) &&                 \
    !__has_feature(thread_sanitizer)
/// The bytes that the C library has given out.
static int64_t getAllocatedBytes() {
  struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

constexpr int64_t kMega = 1 << 20;
/// What alignment costs beyond the sizes of blocks: up to 2 MB for each that
/// has pages of its own, which malloc decides by what was freed before.
constexpr int64_t kSlack = 12 * kMega;

class BlockPoolMemoryTest : public BlockPoolTest {
protected:
  /// The bytes that the pool has, in use or kept.
  int64_t getBytes() const { return getAllocatedBytes() - before; }

  /// Uses blocks of many sizes, one at a time: more than 100 MB if all were
  /// kept. The largest has 20 MB, a size that the pool does not round up.
  void useManySizes() {
    for (int64_t i = 0; i <= 38; ++i)
      free(allocate(kMega + i * (kMega / 2)));
  }

  /// Makes a call, which ends at once: no library is of version 0.
  void makeCall() {
    tally_rt_library library = {};
    tally_rt_entry entry = {};
    EXPECT_EQ(tally_rt_invoke(&library, &entry, ctx, nullptr, 0, nullptr, 0),
              TALLY_RT_INVALID_ARGUMENT);
  }

  int64_t before = getAllocatedBytes();
};

TEST_F(BlockPoolMemoryTest, trimGivesBack) {
  free(allocate(256 * kMega));
  EXPECT_GE(getBytes(), 256 * kMega);
  tally_rt_context_trim(ctx);
  EXPECT_LT(getBytes(), kMega);
}

TEST_F(BlockPoolMemoryTest, keepsNoMoreThanTwiceWhatWasNeeded) {
  useManySizes();
  EXPECT_LE(getBytes(), 41 * kMega + kSlack);
  EXPECT_GE(getBytes(), 20 * kMega);
}

// What is in use counts.
TEST_F(BlockPoolMemoryTest, keepsLessWhileBlocksAreInUse) {
  char *block = allocate(16 * kMega);
  useManySizes();
  EXPECT_LE(getBytes(), 2 * (16 + 20) * kMega + kSlack);
  EXPECT_GE(getBytes(), (16 + 20) * kMega);
  free(block);
}

// A size that was not used for longest leaves first, the others stay.
TEST_F(BlockPoolMemoryTest, oldestGoesFirst) {
  free(allocate(16 * kMega));
  for (int round = 0; round < 2; ++round) {
    // Beside each other, and nothing leaves: 48 MB of 64.
    char *a = allocate(12 * kMega), *b = allocate(20 * kMega);
    free(a);
    free(b);
    EXPECT_GE(getBytes(), 48 * kMega);
  }
  char *large = allocate(28 * kMega);
  EXPECT_LE(getBytes(), (12 + 20 + 28) * kMega + kSlack);
  EXPECT_GE(getBytes(), (12 + 20 + 28) * kMega);
  free(large);
}

// Calls that need little forget what a large one needed.
TEST_F(BlockPoolMemoryTest, largeCallsAreForgotten) {
  free(allocate(64 * kMega));
  makeCall();
  EXPECT_GE(getBytes(), 64 * kMega);
  for (int call = 0; call < 100; ++call)
    makeCall();
  EXPECT_LE(getBytes(), kMega);
}
#endif

} // namespace
