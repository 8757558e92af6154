//===- ParallelForTest.cpp - Parallel loops and memory of a call ----------===//

#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

int32_t countUp(tally_rt_context *, int64_t begin, int64_t end, void *data) {
  auto *counts = static_cast<std::atomic<int> *>(data);
  for (int64_t i = begin; i < end; ++i)
    counts[i].fetch_add(1);
  return 0;
}

/// Allocates in every iteration, frees half of it and fails at one index.
int32_t allocateAndFail(tally_rt_context *ctx, int64_t begin, int64_t end,
                        void *data) {
  static const char record[] = "i == 7\0\0\0\0\0"
                               "0\0"
                               "0\0"
                               "1\0i\0i\0";
  static const int64_t offset = 0;
  static const tally_rt_assert_table table = {record, &offset};
  for (int64_t i = begin; i < end; ++i) {
    void *buffer = tally_rt_alloc(ctx, i, 64);
    if (!buffer)
      return TALLY_RT_OUT_OF_MEMORY;
    if (i == *static_cast<int64_t *>(data))
      return tally_rt_fail(ctx, &table, 0, 1, &i);
    if (i % 2)
      tally_rt_free(ctx, buffer);
  }
  return 0;
}

int32_t backwards(void *user, int64_t begin, int64_t end, int64_t grain,
                  tally_rt_chunk chunk, void *closure) {
  ++*static_cast<int *>(user);
  int32_t status = 0;
  for (int64_t at = end; at > begin; at -= grain)
    status |= chunk(closure, std::max(begin, at - grain), at);
  return status;
}

TEST(ParallelForTest, everyIterationOnce) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  for (int64_t size : {0, 1, 2, 1000, 100000}) {
    std::vector<std::atomic<int>> counts(size);
    EXPECT_EQ(tally_rt_parallel_for(ctx, 0, size, 16, countUp, counts.data()),
              0);
    for (auto &count : counts)
      ASSERT_EQ(count.load(), 1);
  }
  EXPECT_EQ(tally_rt_parallel_for(ctx, 5, -5, 1, countUp, nullptr), 0);
  tally_rt_context_destroy(ctx);
}

/// The first and the last iteration of each part.
struct Parts {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> found;
};

int32_t note(tally_rt_context *, int64_t begin, int64_t end, void *data) {
  auto *parts = static_cast<Parts *>(data);
  std::lock_guard<std::mutex> lock(parts->mutex);
  parts->found.emplace_back(begin, end);
  return 0;
}

TEST(ParallelForTest, partsFollowEachOther) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  constexpr int64_t begin = 3;
  for (int64_t grain : {1, 5, 64, 100, 1000})
    for (int64_t size : {1, 2, 63, 64, 65, 129, 1000, 4099, 1000003}) {
      Parts parts;
      EXPECT_EQ(
          tally_rt_parallel_for(ctx, begin, begin + size, grain, note, &parts),
          0);
      std::sort(parts.found.begin(), parts.found.end());
      int64_t at = begin;
      for (auto [first, end] : parts.found) {
        ASSERT_EQ(first, at);
        ASSERT_LT(first, end);
        // Vectors lie where they would in one part.
        if (grain == 64)
          ASSERT_EQ((first - begin) % 64, 0);
        at = end;
      }
      ASSERT_EQ(at, begin + size);
      if (size <= grain)
        ASSERT_EQ(parts.found.size(), 1u);
    }
  tally_rt_context_destroy(ctx);
}

TEST(ParallelForTest, severalThreadsAtOnce) {
  constexpr int64_t size = 1000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      tally_rt_context *ctx = tally_rt_context_create(nullptr);
      std::vector<std::atomic<int>> counts(size);
      for (int round = 0; round < 500; ++round)
        EXPECT_EQ(
            tally_rt_parallel_for(ctx, 0, size, 8, countUp, counts.data()), 0);
      for (auto &count : counts)
        ASSERT_EQ(count.load(), 500);
      tally_rt_context_destroy(ctx);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(ParallelForTest, hostProgramsPool) {
  int calls = 0;
  tally_rt_config config = {sizeof(tally_rt_config), nullptr, backwards,
                            &calls};
  tally_rt_context *ctx = tally_rt_context_create(&config);
  std::vector<std::atomic<int>> counts(100);
  EXPECT_EQ(tally_rt_parallel_for(ctx, 0, 100, 7, countUp, counts.data()), 0);
  for (auto &count : counts)
    EXPECT_EQ(count.load(), 1);
  EXPECT_EQ(calls, 1);
  // A loop that is no longer than the grain never leaves its thread.
  EXPECT_EQ(tally_rt_parallel_for(ctx, 0, 7, 7, countUp, counts.data()), 0);
  EXPECT_EQ(calls, 1);
  tally_rt_context_destroy(ctx);
}

int32_t runNothing(void *, int64_t, int64_t, int64_t, tally_rt_chunk, void *) {
  return 1;
}

TEST(ParallelForTest, poolThatFails) {
  tally_rt_config config = {sizeof(tally_rt_config), nullptr, runNothing,
                            nullptr};
  tally_rt_context *ctx = tally_rt_context_create(&config);
  EXPECT_NE(tally_rt_parallel_for(ctx, 0, 100, 7, countUp, nullptr), 0);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "the thread pool could not run a parallel loop");
  tally_rt_context_destroy(ctx);
}

TEST(ParallelForTest, failingChunk) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  int64_t bad = 777;
  EXPECT_NE(tally_rt_parallel_for(ctx, 0, 1000, 8, allocateAndFail, &bad), 0);
  ASSERT_NE(tally_rt_last_error(ctx), nullptr);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "i == 7 does not hold: i = 777");
  EXPECT_GT(tally_rt_live_allocations(ctx), 0);
  tally_rt_context_destroy(ctx); // must release them: asan looks
}

TEST(MemoryTest, sizes) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  void *empty = tally_rt_alloc(ctx, 0, 64);
  EXPECT_NE(empty, nullptr);
  void *aligned = tally_rt_alloc(ctx, 100, 256);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 256, 0u);
  EXPECT_EQ(tally_rt_live_allocations(ctx), 2);
  tally_rt_free(ctx, empty);
  tally_rt_free(ctx, aligned);
  EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
  EXPECT_EQ(tally_rt_last_error(ctx), nullptr);
  EXPECT_EQ(tally_rt_alloc(ctx, -1, 64), nullptr);
  EXPECT_EQ(tally_rt_last_error(ctx)->status, TALLY_RT_OUT_OF_MEMORY);
  tally_rt_context_destroy(ctx);
}

TEST(MemoryTest, tooMuch) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  EXPECT_EQ(tally_rt_alloc(ctx, INT64_MAX / 2, 64), nullptr);
  EXPECT_EQ(tally_rt_last_error(ctx)->status, TALLY_RT_OUT_OF_MEMORY);
  tally_rt_context_destroy(ctx);
}

TEST(GuardPageTest, writesInsideAreFine) {
  for (int before : {0, 1}) {
    const tally_rt_allocator *guard = tally_rt_guard_page_allocator(before);
    for (size_t bytes : {1, 7, 4096, 5000}) {
      auto *data = static_cast<char *>(guard->allocate(guard->user, bytes, 64));
      ASSERT_NE(data, nullptr);
      for (size_t i = 0; i < bytes; ++i)
        data[i] = 1;
      guard->deallocate(guard->user, data, bytes, 64);
    }
  }
}

TEST(GuardPageDeathTest, writesOutsideAreNot) {
  const tally_rt_allocator *after = tally_rt_guard_page_allocator(0);
  auto *data = static_cast<char *>(after->allocate(after->user, 10, 64));
  EXPECT_DEATH(static_cast<volatile char *>(data)[10] = 1, "");
  after->deallocate(after->user, data, 10, 64);
  const tally_rt_allocator *before = tally_rt_guard_page_allocator(1);
  data = static_cast<char *>(before->allocate(before->user, 10, 64));
  EXPECT_DEATH(static_cast<volatile char *>(data)[-1] = 1, "");
  before->deallocate(before->user, data, 10, 64);
}

} // namespace
