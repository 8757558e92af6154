//===- Random.h - Decisions that a seed determines --------------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYFUZZ_RANDOM_H
#define TALLY_TOOLS_TALLYFUZZ_RANDOM_H

#include "../tally-run/SplitMix.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace tally::fuzz {

/// Decisions that are the same on every machine.
class Random : public run::SplitMix {
public:
  using SplitMix::SplitMix;

  /// An integer in [0, count); `count` is not 0.
  uint64_t below(uint64_t count) { return next() % count; }
  /// An integer in [low, high].
  int64_t in(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(high - low + 1));
  }
  /// True in this many of a hundred cases.
  bool chance(unsigned percent) { return below(100) < percent; }

  /// An element of a list that is not empty.
  template <typename Range>
  auto &pick(Range &&list) {
    return list[below(list.size())];
  }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <typename Range>
  void shuffle(Range &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }
};

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_RANDOM_H
