//===- SortFirst.h - The first elements of an order -------------*- C++ -*-===//
//
// Where only the first elements of a row's order are asked for, others are left
// out before it is sorted. A part of SortKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

template <typename C>
void RowSort<C>::runFirst() {
  auto least = Signed(C::last ^ C::sign);
  for (int64_t i = 0; i < task.size; ++i) {
    auto key = Signed(encode(i) ^ C::sign);
    least = key < least ? key : least;
  }
  auto first = Key(Key(least) ^ C::sign);
  // Then every element is the first one.
  if (first == C::last)
    return writeOne(0);
  Key keys[kChunkSize];
  int64_t begin = 0, at = 0;
  while (!encodeChunk(begin, Key(first + 1), keys))
    begin += kChunkSize;
  while (keys[at] != first)
    ++at;
  writeOne(begin + at);
}

template <typename C>
void RowSort<C>::runFew() {
  Entry best[kMaxFew];
  int64_t count = task.count;
  for (int64_t i = 0; i < count; ++i)
    best[i] = makeEntry(encode(i), i);
  sortByInsertion(best, count);
  auto bound = Key(best[count - 1] >> kIndexBits);
  Key keys[kChunkSize];
  for (int64_t begin = count; begin < task.size; begin += kChunkSize) {
    if (!encodeChunk(begin, bound, keys))
      continue;
    for (int64_t i = 0; i < kChunkSize; ++i) {
      if (keys[i] >= bound)
        continue;
      Entry entry = makeEntry(keys[i], begin + i);
      int64_t at = count - 1;
      for (; at > 0 && entry < best[at - 1]; --at)
        best[at] = best[at - 1];
      best[at] = entry;
      bound = Key(best[count - 1] >> kIndexBits);
    }
  }
  write(best);
}

template <typename C>
void RowSort<C>::runBound() {
  int64_t capacity = getCapacity(task), kept = 0;
  Entry *entries = scratch, *other = scratch + capacity;
  auto shrink = [&] {
    Entry *sorted = sortEntries<Key>(entries, other, kept);
    if (sorted != entries) {
      other = entries;
      entries = sorted;
    }
    kept = least(kept, task.count);
  };
  // Until there are enough elements, every one is in the part.
  Key keys[kChunkSize], bound = 0;
  bool isBounded = false;
  for (int64_t begin = 0; begin < task.size; begin += kChunkSize) {
    int64_t size = least(kChunkSize, task.size - begin);
    if (!encodeChunk(begin, bound, keys) && isBounded)
      continue;
    for (int64_t i = 0; i < size; ++i) {
      entries[kept] = makeEntry(keys[i], begin + i);
      kept += int64_t(!isBounded) | int64_t(keys[i] < bound);
    }
    if (kept + kChunkSize < capacity)
      continue;
    shrink();
    bound = Key(entries[task.count - 1] >> kIndexBits);
    isBounded = true;
  }
  shrink();
  write(entries);
}

/// Returns a key that, if the elements are in no order, is likely behind the
/// part that is asked for and not far from its end.
template <typename C>
template <typename GetKey>
typename RowSort<C>::Key RowSort<C>::sampleBound(int64_t size,
                                                 GetKey getKey) const {
  constexpr int64_t most = 64;
  Entry samples[most], other[most];
  int64_t count = size < 16 * most ? most / 2 : most;
  for (int64_t i = 0; i < count; ++i)
    samples[i] = makeEntry(getKey((2 * i + 1) * size / (2 * count)), i);
  // Of so many samples, two standard deviations more than are to be expected.
  int64_t place = task.count * count / size, more = 2;
  while (more * more < 4 * place)
    ++more;
  place = least(place + more, count - 1);
  return Key(sortEntries<Key>(samples, other, count)[place] >> kIndexBits);
}

/// Leaves out what a bound tells to be behind the part, until that is half of
/// what is left at most. Where a bound leaves too few, elements have an order
/// that samples do not show.
template <typename C>
void RowSort<C>::runSample() {
  Entry *entries = scratch, *other = scratch + task.size;
  Key bound = sampleBound(task.size, [&](int64_t i) { return encode(i); });
  int64_t kept = 0;
  Key keys[kChunkSize];
  for (int64_t begin = 0; begin < task.size; begin += kChunkSize) {
    int64_t size = least(kChunkSize, task.size - begin);
    if (!encodeChunk(begin, bound, keys))
      continue;
    for (int64_t i = 0; i < size; ++i) {
      entries[kept] = makeEntry(keys[i], begin + i);
      kept += int64_t(keys[i] <= bound);
    }
  }
  if (kept < task.count)
    return runSelect();
  while (kept > 3 * task.count && kept > maxRanks) {
    bound = sampleBound(
        kept, [&](int64_t i) { return Key(entries[i] >> kIndexBits); });
    int64_t next = 0;
    for (int64_t i = 0; i < kept; ++i) {
      other[next] = entries[i];
      next += int64_t(Key(entries[i] >> kIndexBits) <= bound);
    }
    if (next < task.count || next == kept)
      break;
    Entry *swapped = entries;
    entries = other;
    other = swapped;
    kept = next;
  }
  write(sortEntries<Key>(entries, other, kept));
}

/// Counts how many entries have each leading digit, keeps those whose digit may
/// be in the part, and goes on with the next digit while they are many and have
/// the same one.
template <typename C>
void RowSort<C>::runSelect() {
  constexpr int digitBits = C::bits < 11 ? C::bits : 11;
  constexpr int64_t buckets = int64_t(1) << digitBits, few = 512;
  uint32_t counts[buckets];
  Entry *entries = scratch;
  int64_t kept = task.size, first = task.first;
  for (int64_t i = 0; i < kept; ++i)
    entries[i] = makeEntry(encode(i), i);
  for (int left = C::bits; left > 0 && kept > few; left -= digitBits) {
    int shift = kIndexBits + (left > digitBits ? left - digitBits : 0);
    auto getDigit = [&](Entry entry) {
      return uint64_t(entry >> shift) & uint64_t(buckets - 1);
    };
    __builtin_memset(counts, 0, sizeof(counts));
    for (int64_t i = 0; i < kept; ++i)
      ++counts[getDigit(entries[i])];
    int64_t before = 0;
    uint64_t low = 0;
    while (before + counts[low] <= first)
      before += counts[low++];
    uint64_t high = low;
    int64_t end = before + counts[low];
    while (end < first + task.count)
      end += counts[++high];
    int64_t next = 0;
    for (int64_t i = 0; i < kept; ++i) {
      Entry entry = entries[i];
      entries[next] = entry;
      next += int64_t(getDigit(entry) - low <= high - low);
    }
    kept = next;
    first -= before;
    if (low != high)
      break;
  }
  write(sortEntries<Key>(entries, scratch + task.size, kept) + first);
}

} // namespace
