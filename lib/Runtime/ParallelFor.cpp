//===- ParallelFor.cpp - Parallel loops of compiled code ------------------===//
//
// Compiled loops reach whatever pool the context was made with. The default is
// oneTBB, whose worker threads are the only state that outlives a call. A
// runtime that was built without oneTBB has no threads of its own.
//
//===----------------------------------------------------------------------===//

#include "ParallelFor.h"

#include "Context.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#if TALLY_RUNTIME_TBB
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

int32_t tally_rt_serial_for(void *, int64_t begin, int64_t end, int64_t,
                            tally_rt_chunk chunk, void *closure) {
  return begin < end ? chunk(closure, begin, end) : 0;
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TALLY_IS_WATCHED
#endif
#endif

#ifdef TALLY_IS_WATCHED
// oneTBB is not instrumented: ThreadSanitizer would not see what orders its
// tasks. Each of these threads takes every fourth part, and waits for nobody.
static constexpr int64_t kWatchedThreads = 4;

int32_t tally::runtime::defaultParallelFor(void *, int64_t begin, int64_t end,
                                           int64_t grain, tally_rt_chunk chunk,
                                           void *closure) {
  std::atomic<int32_t> status{0};
  std::vector<std::thread> threads;
  grain = std::max<int64_t>(grain, 1);
  for (int64_t i = 0; i < kWatchedThreads; ++i)
    threads.emplace_back([&, first = begin + i * grain] {
      for (int64_t at = first; at < end; at += kWatchedThreads * grain)
        if (int32_t result = chunk(closure, at, std::min(at + grain, end)))
          status.store(result, std::memory_order_relaxed);
    });
  for (std::thread &thread : threads)
    thread.join();
  return status.load(std::memory_order_relaxed);
}

int64_t tally::runtime::getDefaultThreads() { return kWatchedThreads; }
#elif TALLY_RUNTIME_TBB
int32_t tally::runtime::defaultParallelFor(void *, int64_t begin, int64_t end,
                                           int64_t grain, tally_rt_chunk chunk,
                                           void *closure) {
  // Nobody would take a part.
  if (tbb::this_task_arena::max_concurrency() == 1)
    return tally_rt_serial_for(nullptr, begin, end, grain, chunk, closure);
  std::atomic<int32_t> status{0};
  try {
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(begin, end, std::max<int64_t>(grain, 1)),
        [&](const tbb::blocked_range<int64_t> &range) {
          if (int32_t result = chunk(closure, range.begin(), range.end()))
            status.store(result, std::memory_order_relaxed);
        });
  } catch (const std::bad_alloc &) {
    // No memory for tasks. A loop may update in place, so it cannot run again.
    return TALLY_RT_OUT_OF_MEMORY;
  }
  return status.load(std::memory_order_relaxed);
}

int64_t tally::runtime::getDefaultThreads() {
  return tbb::info::default_concurrency();
}
#else
int32_t tally::runtime::defaultParallelFor(void *user, int64_t begin,
                                           int64_t end, int64_t grain,
                                           tally_rt_chunk chunk,
                                           void *closure) {
  return tally_rt_serial_for(user, begin, end, grain, chunk, closure);
}

int64_t tally::runtime::getDefaultThreads() { return 1; }
#endif

namespace {

/// The state that a chunk needs to run its part of a compiled loop.
struct Loop {
  tally_rt_context *ctx;
  tally_rt_body body;
  void *data;
};

} // namespace

static int32_t runChunk(void *closure, int64_t begin, int64_t end) {
  auto *loop = static_cast<Loop *>(closure);
  if (loop->ctx->failed())
    return TALLY_RT_CHECK_FAILED;
  return loop->body(loop->ctx, begin, end, loop->data);
}

int32_t tally_rt_parallel_for(tally_rt_context *ctx, int64_t begin, int64_t end,
                              int64_t grain, tally_rt_body body, void *data) {
  if (begin >= end)
    return TALLY_RT_OK;
  if (end - begin <= grain)
    return body(ctx, begin, end, data);
  Loop loop = {ctx, body, data};
  int32_t status = ctx->parallelFor(ctx->parallelForUser, begin, end, grain,
                                    runChunk, &loop);
  if (status != TALLY_RT_OK && !ctx->failed()) {
    tally::runtime::ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    record.userMessage = "the thread pool could not run a parallel loop";
    ctx->fail(std::move(record));
  }
  return status;
}
