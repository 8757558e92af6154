//===- SortParts.cpp - Sorting one long row on several threads ------------===//
//
// Parts of a fixed size count the digits of their entries, then each moves its
// own to where they belong. A stable sort has one result, so it does not matter
// here how many threads there are, nor whether a row is sorted in this way.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "ParallelFor.h"
#include "Sort.h"

#include <algorithm>
#include <atomic>
#include <utility>

using namespace tally::runtime;

/// The elements of a part, which are worth a thread's attention, and of a row
/// that is worth several passes by all threads.
static constexpr int64_t kPart = 32768, kLongRow = 3 * kPart;

namespace {

/// One row.
class PartSort {
public:
  PartSort(tally_rt_context *ctx, const SortLevel &level, const SortTask &task)
      : ctx(ctx), level(level), steps(level.steps), task(task),
        parts((task.size + kPart - 1) / kPart),
        from(static_cast<uint64_t *>(task.scratch)), to(from + task.size) {}

  int32_t run();

private:
  using Counts = SortSteps::Counts;

  /// Does something with each part; stops where a loop could not run.
  template <typename Use>
  void forEachPart(Use use);
  bool sumCounts();

  tally_rt_context *ctx;
  const SortLevel &level;
  const SortSteps &steps;
  const SortTask &task;
  int64_t parts;
  uint64_t *from, *to;
  int digit = 0;
  /// The counts of each part, and how many entries have lesser digits.
  Counts *counts = nullptr, lesser;
  int32_t status = TALLY_RT_OK;
};

template <typename Use>
void PartSort::forEachPart(Use use) {
  if (status != TALLY_RT_OK)
    return;
  struct Loop {
    const PartSort *sort;
    Use *use;
  } loop{this, &use};
  status = tally_rt_parallel_for(
      ctx, 0, parts, 1,
      [](tally_rt_context *, int64_t begin, int64_t end, void *data) {
        auto *loop = static_cast<Loop *>(data);
        for (int64_t part = begin; part < end; ++part) {
          int64_t first = part * kPart;
          (*loop->use)(part, first,
                       std::min(first + kPart, loop->sort->task.size));
        }
        return int32_t(TALLY_RT_OK);
      },
      &loop);
}

/// Replaces the counts of a part by the sums of those before it. Returns false
/// if all entries have the same digit.
bool PartSort::sumCounts() {
  Counts all = {};
  for (int64_t part = 0; part < parts; ++part)
    for (int64_t bucket = 0; bucket < SortSteps::buckets; ++bucket) {
      uint32_t count = counts[part][bucket];
      counts[part][bucket] = all[bucket];
      all[bucket] += count;
    }
  uint32_t sum = 0;
  bool isOne = false;
  for (int64_t bucket = 0; bucket < SortSteps::buckets; ++bucket) {
    lesser[bucket] = sum;
    sum += all[bucket];
    isOne |= int64_t(all[bucket]) == task.size;
  }
  return !isOne;
}

int32_t PartSort::run() {
  std::atomic<bool> fits{true};
  forEachPart([&](int64_t, int64_t begin, int64_t end) {
    if (!steps.fits(task, begin, end))
      fits.store(false, std::memory_order_relaxed);
  });
  if (status != TALLY_RT_OK)
    return status;
  if (!fits.load(std::memory_order_relaxed)) {
    level.run(task);
    return status;
  }
  counts = static_cast<Counts *>(
      ctx->allocateOnHost(parts * int64_t(sizeof(Counts)), 64));
  if (!counts)
    return TALLY_RT_OUT_OF_MEMORY;
  forEachPart([&](int64_t part, int64_t begin, int64_t end) {
    steps.make(task, begin, end, from);
    steps.count(from, begin, end, 0, counts[part]);
  });
  for (int digits = steps.getDigits(task); digit < digits; ++digit) {
    if (digit > 0)
      forEachPart([&](int64_t part, int64_t begin, int64_t end) {
        steps.count(from, begin, end, digit, counts[part]);
      });
    if (status != TALLY_RT_OK || !sumCounts())
      continue;
    forEachPart([&](int64_t part, int64_t begin, int64_t end) {
      steps.move(from, begin, end, digit, lesser, counts[part], to);
    });
    std::swap(from, to);
  }
  forEachPart([&](int64_t, int64_t begin, int64_t end) {
    steps.write(task, begin, end, from);
  });
  ctx->release(counts);
  return status;
}

} // namespace

bool tally::runtime::isLong(const SortLevel &level, const SortTask &task) {
  return task.size >= kLongRow && level.steps.getDigits(task) > 0;
}

int32_t tally::runtime::sortInParts(tally_rt_context *ctx,
                                    const SortLevel &level,
                                    const SortTask &task) {
  return PartSort(ctx, level, task).run();
}
