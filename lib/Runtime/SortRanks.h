//===- SortRanks.h - Sorting by comparing all pairs -------------*- C++ -*-===//
//
// The place of an element in the order is how many come before it: those whose
// key is less, and those before it in the row whose key is the same. A part of
// SortKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

/// Comparing all pairs of keys takes less time than counting digits up to here.
constexpr int64_t getMaxRanks([[maybe_unused]] size_t keyBytes) {
#if defined(__AVX512BW__)
  return keyBytes == 8 ? 48 : keyBytes == 4 ? 192 : 128;
#elif defined(__AVX2__)
  return keyBytes == 8 ? 32 : 128;
#else
  return keyBytes == 8 ? 32 : keyBytes == 4 ? 64 : 128;
#endif
}

/// Of elements whose pairs may be compared, so many are kept in order instead;
/// and of so many elements, none is left out before.
#if defined(__AVX512BW__)
constexpr int64_t kMaxFewOfRanks = 4, kMaxUnsampled = 192;
#else
constexpr int64_t kMaxFewOfRanks = 8, kMaxUnsampled = 64;
#endif

/// So many vectors of keys are compared with others at once.
#if defined(__AVX512BW__)
constexpr int64_t kRankVectors = 2;
#else
constexpr int64_t kRankVectors = 1;
#endif
/// So many elements are read and written behind keys and their places.
template <typename Signed>
constexpr int64_t kRankPadding = 64 / sizeof(Signed);

/// Sets the places of some vectors of keys, from `begin` on.
template <int64_t vectors, typename Signed>
void rankVectors(const Signed *keys, int64_t size, int64_t begin,
                 Signed *places) {
  constexpr int64_t lanes = 64 / sizeof(Signed);
  typedef Signed Vector __attribute__((vector_size(64)));
  Vector own[vectors], lane, before[vectors] = {};
  __builtin_memcpy(own, keys + begin, sizeof(own));
  for (int64_t i = 0; i < lanes; ++i)
    lane[i] = Signed(i);
  int64_t i = 0;
  for (; i < begin; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      before[v] -= own[v] >= Vector{} + keys[i];
  for (int64_t same = 0; same < vectors; ++same) {
    int64_t start = begin + same * lanes, end = least(start + lanes, size);
    for (; i < end; ++i) {
      Vector key = Vector{} + keys[i], place = Vector{} + Signed(i - start);
      for (int64_t v = 0; v < vectors; ++v)
        if (v < same)
          before[v] -= own[v] > key;
        else if (v > same)
          before[v] -= own[v] >= key;
        else
          before[v] -= (own[v] > key) | ((own[v] == key) & (lane > place));
    }
  }
  for (; i < size; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      before[v] -= own[v] > Vector{} + keys[i];
  __builtin_memcpy(places + begin, before, sizeof(before));
}

/// Sets the place of each key; the type of keys has to hold it. What is behind
/// the keys is overwritten.
template <typename Signed>
void rankKeys(Signed *keys, int64_t size, Signed *places) {
  constexpr int64_t lanes = 64 / sizeof(Signed);
  for (int64_t i = size; i < size + lanes; ++i)
    keys[i] = 0;
  int64_t begin = 0;
  for (; size - begin > lanes; begin += kRankVectors * lanes)
    rankVectors<kRankVectors>(keys, size, begin, places);
  if (begin < size)
    rankVectors<1>(keys, size, begin, places);
}

/// Sorts entries, which come in the order of their indices. Returns where the
/// result is: one of the two.
template <typename Key, typename Entry>
Entry *sortEntries(Entry *from, Entry *to, int64_t count) {
  using Signed = typename SignedOf<Key>::Type;
  constexpr int bits = 8 * sizeof(Key);
  constexpr int64_t few = 16, ranked = getMaxRanks(sizeof(Key));
  constexpr int64_t merged = bits == 64 ? 512 : 0, shortDigits = 8192;
  if (count <= few) {
    sortByInsertion(from, count);
    return from;
  }
  if (count <= ranked) {
    constexpr int64_t padded = ranked + kRankPadding<Signed>;
    alignas(64) Signed keys[padded], places[padded];
    for (int64_t i = 0; i < count; ++i)
      keys[i] = Signed(Key(from[i] >> kIndexBits) ^ Key(Key(1) << (bits - 1)));
    rankKeys(keys, count, places);
    for (int64_t i = 0; i < count; ++i)
      to[places[i]] = from[i];
    return to;
  }
  if (count <= merged)
    return sortByMerging(from, to, count);
  if (bits <= 16 || count < shortDigits)
    return sortByDigits<bits, 8>(from, to, count);
  return sortByDigits<bits, 11>(from, to, count);
}

/// Counts keys that are less than each of a vector of others.
template <typename Signed>
void countLess(const Signed *others, const Signed *keys, int64_t size,
               Signed *less) {
  typedef Signed Vector __attribute__((vector_size(64)));
  Vector own, counts[2] = {};
  __builtin_memcpy(&own, others, sizeof(own));
  int64_t i = 0;
  for (; i + 1 < size; i += 2) {
    counts[0] -= own > Vector{} + keys[i];
    counts[1] -= own > Vector{} + keys[i + 1];
  }
  if (i < size)
    counts[0] -= own > Vector{} + keys[i];
  counts[0] += counts[1];
  __builtin_memcpy(less, counts, sizeof(own));
}

/// Brings the keys from above `low` to `high` to the front, and returns how
/// many these are.
template <typename Signed>
int64_t keepBetween(Signed *keys, int64_t size, Signed low, Signed high) {
  int64_t kept = 0, i = 0;
#if defined(__AVX512F__)
  // Whole vectors are written where they have been read already.
  if constexpr (sizeof(Signed) == 4) {
    __m512i lows = _mm512_set1_epi32(low), highs = _mm512_set1_epi32(high);
    for (; i + 16 <= size; i += 16) {
      __m512i own = _mm512_loadu_si512(keys + i);
      __mmask16 mask = _mm512_mask_cmple_epi32_mask(
          _mm512_cmpgt_epi32_mask(own, lows), own, highs);
      _mm512_storeu_si512(keys + kept, _mm512_maskz_compress_epi32(mask, own));
      kept += __builtin_popcount(mask);
    }
  } else if constexpr (sizeof(Signed) == 8) {
    __m512i lows = _mm512_set1_epi64(low), highs = _mm512_set1_epi64(high);
    for (; i + 8 <= size; i += 8) {
      __m512i own = _mm512_loadu_si512(keys + i);
      __mmask8 mask = _mm512_mask_cmple_epi64_mask(
          _mm512_cmpgt_epi64_mask(own, lows), own, highs);
      _mm512_storeu_si512(keys + kept, _mm512_maskz_compress_epi64(mask, own));
      kept += __builtin_popcount(mask);
    }
  }
#endif
  for (; i < size; ++i) {
    Signed key = keys[i];
    keys[kept] = key;
    kept += int64_t(key > low) & int64_t(key <= high);
  }
  return kept;
}

/// Returns the key at place `first` of the order, and sets `first` to how many
/// with the same key are in front of it. Some keys are compared with all
/// others: those two that the place is between tell which others can be there.
/// These are brought to the front, and it goes on with them. The memory of keys
/// holds a vector at least.
template <typename Signed>
Signed pickKey(Signed *keys, int64_t size, int64_t &first) {
  constexpr int64_t lanes = 64 / sizeof(Signed);
  constexpr auto last = Signed(~uint64_t(0) >> (65 - 8 * sizeof(Signed)));
  Signed samples[lanes], less[lanes];
  while (size > lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane)
      samples[lane] = keys[(2 * lane + 1) * size / (2 * lanes)];
    countLess(samples, keys, size, less);
    // From `low` on, of which no more are in front than `first`, to `high`.
    Signed low = Signed(-last - 1), high = last;
    auto before = Signed(0), end = Signed(size);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isLow = less[lane] <= Signed(first);
      low = isLow && samples[lane] > low ? samples[lane] : low;
      before = isLow && less[lane] > before ? less[lane] : before;
      high = !isLow && samples[lane] <= high ? Signed(samples[lane] - 1) : high;
      end = !isLow && less[lane] < end ? less[lane] : end;
    }
    int64_t kept = keepBetween(keys, size, low, high);
    first -= before;
    int64_t same = end - before - kept;
    if (first < same)
      return low;
    first -= same;
    size = kept;
  }
  for (int64_t lane = 0; lane < lanes; ++lane)
    keys[lane] = lane < size ? keys[lane] : last;
  countLess(keys, keys, lanes, less);
  // The last key of which no more are in front.
  auto key = Signed(-last - 1), before = Signed(0);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bool isLow = less[lane] <= Signed(first);
    key = isLow && keys[lane] > key ? keys[lane] : key;
    before = isLow && less[lane] > before ? less[lane] : before;
  }
  first -= before;
  return key;
}

} // namespace
