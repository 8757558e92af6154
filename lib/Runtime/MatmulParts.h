//===- MatmulParts.h - Some elements of a vector ----------------*- C++ -*-===//
//
// How vectors of which some elements count are read and written. A part of
// MatmulKernels.h, whose rules hold here too; functions of immintrin.h are
// inlined always.
//
//===----------------------------------------------------------------------===//

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

/// The first elements of a vector, or all: no others are read or written.
template <typename T>
class Part {
public:
  using Vec = typename Vector<T>::Type;
  static constexpr int64_t lanes = Vector<T>::lanes;

  explicit Part(int64_t count) : count(count) {
#if defined(__AVX512F__)
    mask = uint16_t((uint32_t(1) << count) - 1);
#elif defined(__AVX2__)
    for (int64_t i = 0; i < lanes; ++i)
      mask[i] = i < count ? -1 : 0;
#endif
  }

  /// The elements, and zeros.
  Vec load(const T *from) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
      return (Vec)_mm512_maskz_loadu_epi32(mask, from);
    else
      return (Vec)_mm512_maskz_loadu_epi64(__mmask8(mask), from);
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
      return (Vec)_mm256_maskload_epi32(reinterpret_cast<const int *>(from),
                                        (__m256i)mask);
    else
      return (Vec)_mm256_maskload_epi64(
          reinterpret_cast<const long long *>(from), (__m256i)mask);
#else
    if (count == lanes)
      return ::load(from);
    Vec value{};
    for (int64_t i = 0; i < lanes; ++i)
      if (i < count)
        value[i] = from[i];
    return value;
#endif
  }

  void store(T *to, Vec value) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(to, mask, (__m512i)value);
    else
      _mm512_mask_storeu_epi64(to, __mmask8(mask), (__m512i)value);
#else
    if (count == lanes)
      return ::store(to, value);
    // AVX2 has such an instruction, too, but many processors take long for it.
    storeHalves<lanes / 2>(to, value);
#endif
  }

private:
#if !defined(__AVX512F__)
  template <int64_t first, typename Value, int64_t... index>
  static auto take(Value value, Lanes<index...>) {
    return __builtin_shufflevector(value, value, (first + index)...);
  }

  /// Of a value of twice so many elements: halves as far as they are asked for.
  template <int64_t half, typename Value>
  void storeHalves(T *to, Value value) const {
    if constexpr (half == 1) {
      if (count & 1)
        *to = value[0];
    } else {
      using Half = typename CountLanes<half>::Type;
      auto part = take<0>(value, Half());
      if (count & half) {
        __builtin_memcpy(to, &part, sizeof(part));
        to += half;
        part = take<half>(value, Half());
      }
      storeHalves<half / 2>(to, part);
    }
  }
#endif

  int64_t count;
#if defined(__AVX512F__)
  uint16_t mask;
#elif defined(__AVX2__)
  decltype(Vec() == Vec()) mask;
#endif
};

/// The elements of a tile's row, of some vectors, that are stored one behind
/// the other, where the processor can do that.
template <typename T, int vectors>
class KeptColumns {
public:
  using Vec = typename Vector<T>::Type;
#if defined(__AVX512F__)
  static constexpr bool isSupported = true;
#else
  static constexpr bool isSupported = false;
#endif

  /// Keeps `count` elements more, from `first` on.
  void add(int64_t first, int64_t count) {
    kept |= ((uint64_t(1) << count) - 1) << first;
  }

  bool isEmpty() const { return kept == 0; }

#if defined(__AVX512F__)
  void store(T *to, const Vec (&values)[vectors]) const {
    constexpr int64_t lanes = Vector<T>::lanes;
    TALLY_UNROLL
    for (int v = 0; v < vectors; ++v) {
      uint64_t mask = kept >> (v * lanes) & ((uint64_t(1) << lanes) - 1);
      int count = __builtin_popcountll(mask);
      storePart(to, mask, count, values[v]);
      to += count;
    }
  }

private:
  /// Memory behind the elements stays as it is. (An instruction that stores
  /// them itself takes some processors long.)
  static void storePart(T *to, uint64_t mask, int count, Vec value) {
    uint64_t written = (uint64_t(1) << count) - 1;
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(
          to, __mmask16(written),
          _mm512_maskz_compress_epi32(__mmask16(mask), (__m512i)value));
    else
      _mm512_mask_storeu_epi64(
          to, __mmask8(written),
          _mm512_maskz_compress_epi64(__mmask8(mask), (__m512i)value));
  }
#else
  void store(T *, const Vec (&)[vectors]) const {}

private:
#endif

  uint64_t kept = 0;
};

} // namespace
