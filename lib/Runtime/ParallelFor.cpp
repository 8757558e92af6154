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
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#if TALLY_RUNTIME_TBB
#include <dlfcn.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>
#include <unistd.h>
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
/// Parts of loops begin at multiples of this where they are as long, so that
/// vectors lie within lines of the cache.
static constexpr int64_t kAlignment = 64;

/// How long workers look for another loop after the last one.
static constexpr std::chrono::milliseconds kWakeful(2);

namespace {

/// A loop from 0 on, in a share for each thread: the same one in the next loop
/// of this size, whose data may be near its core. Who is done with his own
/// helps with the others, so that none waits for a thread that comes late.
class SharedLoop {
public:
  SharedLoop(int64_t size, int64_t grain, int64_t numShares)
      : grain(grain), shares(static_cast<size_t>(numShares)) {
    int64_t begin = 0, left = numShares;
    for (Share &share : shares) {
      share.next.store(begin, std::memory_order_relaxed);
      begin += (size - begin) / left--;
      share.end = begin;
    }
  }

  /// Calls a function on parts of a share, then on what is left of others.
  template <typename Run>
  void help(int64_t first, Run &&run) {
    for (size_t i = 0; i < shares.size(); ++i) {
      Share &share = shares[(static_cast<size_t>(first) + i) % shares.size()];
      int64_t begin = 0, end = 0;
      while (take(share, begin, end))
        run(begin, end);
    }
  }

private:
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  /// Takes a quarter of what is left, but not less than the grain: parts are
  /// few, and those that threads may have to wait for are short.
  bool take(Share &share, int64_t &begin, int64_t &end) const {
    begin = share.next.load(std::memory_order_relaxed);
    do {
      int64_t left = share.end - begin;
      if (left <= 0)
        return false;
      end = begin + std::min(left, std::max(left / 4, grain));
    } while (!share.next.compare_exchange_weak(begin, end,
                                               std::memory_order_relaxed));
    return true;
  }

  int64_t grain;
  std::vector<Share> shares;
};

/// Keeps oneTBB in memory when the last library that needs it is removed: its
/// workers do not end before.
void keepTBBLoaded() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&TBB_runtime_version), &info) != 0)
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Keeps workers from falling asleep between the loops of a thread. One that
/// sleeps comes 30 us late; and the system may wake it on the core of the
/// thread that needs help, where it waits for the end of the loop. As a task
/// that comes again and again it does whatever else oneTBB has to do, and gives
/// its core to any other thread.
class WakefulWorkers {
public:
  /// Keeps so many at least. Called by a thread at the end of a loop.
  void stayFor(std::chrono::nanoseconds time, int64_t wanted) noexcept {
    [[maybe_unused]] static const bool once = (keepTBBLoaded(), true);
    until.store(Clock::now() + time, std::memory_order_relaxed);
    caller.store(std::this_thread::get_id(), std::memory_order_relaxed);
    int64_t count = numAwake.load(std::memory_order_relaxed);
    while (count < wanted)
      if (numAwake.compare_exchange_weak(count, count + 1)) {
        process.store(getpid(), std::memory_order_relaxed);
        comeAgain(std::this_thread::get_id());
      }
  }

  /// The code of tasks goes with the library. Where there are no workers, as in
  /// a process that was forked, they never run.
  ~WakefulWorkers() {
    until.store(Clock::time_point::min());
    constexpr int maxRounds = 1000;
    for (int i = 0; i < maxRounds && numAwake.load() != 0; ++i) {
      if (process.load() != getpid())
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

private:
  using Clock = std::chrono::steady_clock;

  /// Where another thread has loops now, workers go to those.
  void look(std::thread::id of) noexcept {
    std::this_thread::yield();
    if (Clock::now() < until.load(std::memory_order_relaxed) &&
        caller.load(std::memory_order_relaxed) == of)
      comeAgain(of);
    else
      --numAwake;
  }

  void comeAgain(std::thread::id of) noexcept {
    try {
      tbb::this_task_arena::enqueue([this, of] { look(of); });
    } catch (const std::bad_alloc &) {
      --numAwake;
    }
  }

  std::atomic<Clock::time_point> until{Clock::time_point::min()};
  std::atomic<std::thread::id> caller{};
  std::atomic<pid_t> process{0};
  std::atomic<int64_t> numAwake{0};
};

WakefulWorkers workers;

} // namespace

int32_t tally::runtime::defaultParallelFor(void *, int64_t begin, int64_t end,
                                           int64_t grain, tally_rt_chunk chunk,
                                           void *closure) {
  grain = std::max<int64_t>(grain, 1);
  int64_t size = std::max<int64_t>(end - begin, 0);
  int64_t numShares =
      std::min<int64_t>(tbb::this_task_arena::max_concurrency(), size / grain);
  // Nobody would take a part.
  if (numShares <= 1)
    return tally_rt_serial_for(nullptr, begin, end, grain, chunk, closure);
  int64_t unit = grain >= kAlignment ? kAlignment : 1;
  std::atomic<int32_t> status{0};
  auto run = [&](int64_t first, int64_t last) {
    if (int32_t result = chunk(closure, begin + first * unit,
                               std::min(begin + last * unit, end)))
      status.store(result, std::memory_order_relaxed);
  };
  try {
    SharedLoop loop((size + unit - 1) / unit, grain / unit, numShares);
    tbb::parallel_for(
        int64_t(0), numShares, [&](int64_t share) { loop.help(share, run); },
        tbb::static_partitioner());
  } catch (const std::bad_alloc &) {
    // No memory for tasks. A loop may update in place, so it cannot run again.
    return TALLY_RT_OUT_OF_MEMORY;
  }
  workers.stayFor(kWakeful, numShares - 1);
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
