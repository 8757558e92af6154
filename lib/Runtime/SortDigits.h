//===- SortDigits.h - Sorting entries by their digits -----------*- C++ -*-===//
//
// A part of SortKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

/// A key with the index of its element behind: entries are in order if their
/// keys are, and what is equal keeps its order.
template <typename Key>
struct EntryOf {
  using Type = uint64_t;
};
template <>
struct EntryOf<uint64_t> {
  __extension__ typedef unsigned __int128 Type;
};

constexpr int kIndexBits = 32;

template <typename Entry>
int64_t getIndex(Entry entry) {
  return int64_t(uint32_t(entry));
}

template <typename Entry>
void sortByInsertion(Entry *entries, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    Entry entry = entries[i];
    int64_t at = i;
    for (; at > 0 && entry < entries[at - 1]; --at)
      entries[at] = entries[at - 1];
    entries[at] = entry;
  }
}

/// Sorts by one digit after the other, from the least one up. The entries come
/// in the order of their indices. Returns where the result is: one of the two.
template <int keyBits, int digitBits, typename Entry>
Entry *sortByDigits(Entry *from, Entry *to, int64_t count) {
  constexpr int64_t buckets = int64_t(1) << digitBits;
  constexpr int digits = (keyBits + digitBits - 1) / digitBits;
  uint32_t counts[digits][buckets];
  __builtin_memset(counts, 0, sizeof(counts));
  for (int64_t i = 0; i < count; ++i) {
    Entry key = from[i] >> kIndexBits;
    for (int digit = 0; digit < digits; ++digit)
      ++counts[digit][uint64_t(key >> (digit * digitBits)) & (buckets - 1)];
  }
  for (int digit = 0; digit < digits; ++digit) {
    int shift = kIndexBits + digit * digitBits;
    uint32_t *places = counts[digit];
    // All entries have the same digit.
    if (places[uint64_t(from[0] >> shift) & (buckets - 1)] == uint32_t(count))
      continue;
    uint32_t sum = 0;
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
      uint32_t size = places[bucket];
      places[bucket] = sum;
      sum += size;
    }
    for (int64_t i = 0; i < count; ++i) {
      Entry entry = from[i];
      to[places[uint64_t(entry >> shift) & (buckets - 1)]++] = entry;
    }
    Entry *swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

/// Sorts short runs, and merges two of them into one until all are. Returns
/// where the result is: one of the two.
template <typename Entry>
Entry *sortByMerging(Entry *from, Entry *to, int64_t count) {
  constexpr int64_t shortest = 8;
  for (int64_t begin = 0; begin < count; begin += shortest)
    sortByInsertion(from + begin, least(shortest, count - begin));
  for (int64_t size = shortest; size < count; size *= 2) {
    for (int64_t begin = 0; begin < count; begin += 2 * size) {
      int64_t first = begin, middle = least(begin + size, count);
      int64_t second = middle, end = least(middle + size, count), at = begin;
      while (first < middle && second < end) {
        bool isSecond = from[second] < from[first];
        to[at++] = isSecond ? from[second] : from[first];
        second += int64_t(isSecond);
        first += int64_t(!isSecond);
      }
      while (first < middle)
        to[at++] = from[first++];
      while (second < end)
        to[at++] = from[second++];
    }
    Entry *swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

uint64_t getDigit(uint64_t entry, int digit) {
  return entry >> (kIndexBits + digit * SortSteps::digitBits) &
         uint64_t(SortSteps::buckets - 1);
}

void countDigits(const uint64_t *entries, int64_t begin, int64_t end, int digit,
                 SortSteps::Counts &counts) {
  __builtin_memset(counts, 0, sizeof(counts));
  for (int64_t i = begin; i < end; ++i)
    ++counts[getDigit(entries[i], digit)];
}

void moveEntries(const uint64_t *from, int64_t begin, int64_t end, int digit,
                 const SortSteps::Counts &lesser,
                 const SortSteps::Counts &before, uint64_t *to) {
  SortSteps::Counts places;
  for (int64_t bucket = 0; bucket < SortSteps::buckets; ++bucket)
    places[bucket] = lesser[bucket] + before[bucket];
  for (int64_t i = begin; i < end; ++i)
    to[places[getDigit(from[i], digit)]++] = from[i];
}

} // namespace
