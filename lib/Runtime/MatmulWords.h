//===- MatmulWords.h - Elements that are multiplied in groups ---*- C++ -*-===//
//
// Some processors have an instruction that multiplies groups of elements, two
// bf16 or four bytes in each word of a vector, and adds the products to a
// vector of sums. Panels are made of such words then, each with elements that
// follow each other along k; zeros fill up the last one. A part of
// MatmulKernels.h, whose rules hold here too; functions of immintrin.h are
// inlined always.
//
//===----------------------------------------------------------------------===//

#if defined(TALLY_MATMUL_PAIRS) || defined(TALLY_MATMUL_QUADS)
#if defined(__AVX512BW__)
#include <immintrin.h>
#define TALLY_MATMUL_MASKS
#endif
#endif

namespace {

/// Two bf16, and four bytes, that are next to each other along k.
struct Pair {
  uint32_t bits;
};
struct Quad {
  uint32_t bits;
};

template <>
struct Vector<Pair> : Vector<uint32_t> {};
template <>
struct Vector<Quad> : Vector<uint32_t> {};

template <>
struct SumOf<Quad> {
  using Type = uint32_t;
};

/// What panels are made of, for elements of a type.
template <typename S>
struct PackedOf {
  using Type = typename SumOf<S>::Type;
};
#if defined(TALLY_MATMUL_PAIRS)
template <>
struct PackedOf<BFloat> {
  using Type = Pair;
};
#endif
#if defined(TALLY_MATMUL_QUADS)
template <>
struct PackedOf<int8_t> {
  using Type = Quad;
};
#endif

/// How many elements along k are in what panels are made of.
template <typename P>
constexpr int64_t kGroup = 1;
template <>
constexpr int64_t kGroup<Pair> = 2;
template <>
constexpr int64_t kGroup<Quad> = 4;

/// The rows and the words of a row of a square tile.
constexpr int64_t kSquare = 16;

/// Whether panels of words are multiplied as square tiles.
template <typename P>
#if defined(TALLY_MATMUL_SQUARES)
constexpr bool kIsSquare = kGroup<P> > 1;
#else
constexpr bool kIsSquare = false;
#endif

/// The words of a row of squares, one of which has `kSquare` of them: the words
/// of each square lie row by row.
template <typename P>
struct Line {
  uint32_t bits;
};
template <typename P>
struct Vector<Line<P>> : Vector<P> {};
template <typename P>
constexpr int64_t kGroup<Line<P>> = kGroup<P>;

/// What panels of A are made of, where those of B are made of P.
template <typename P, bool isSquare = kIsSquare<P>>
struct LeftOf {
  using Type = P;
};
template <typename P>
struct LeftOf<P, true> {
  using Type = Line<P>;
};

/// The words of a panel for elements along k: zeros fill up squares.
template <typename P>
int64_t countWords(int64_t depth) {
  int64_t words = divideUp(depth, kGroup<P>);
  return kIsSquare<P> ? divideUp(words, kSquare) * kSquare : words;
}

/// The rows that each block of a panel of B begins with: where there is one,
/// sums start with it.
template <typename P>
constexpr int64_t kFirstRows = 0;
template <>
constexpr int64_t kFirstRows<Quad> = kIsSquare<Quad> ? 0 : 1;

/// A type of the size of an element in a word.
template <typename P>
struct RawOf;
template <>
struct RawOf<Pair> {
  using Type = uint16_t;
};
template <>
struct RawOf<Quad> {
  using Type = uint8_t;
};
template <typename P>
struct RawOf<Line<P>> : RawOf<P> {};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

using Words = Vector<uint32_t>::Type;

/// sums += a b.
template <typename T>
void multiplyAdd(typename Vector<T>::Type &sums, T a,
                 typename Vector<T>::Type b) {
  sums += a * b;
}

#if defined(TALLY_MATMUL_PAIRS)
#if defined(__AVX512BF16__)
/// First the second products of pairs, then the first ones, each with one
/// rounding, to nearest even; subnormal operands and results are zero.
void multiplyPairs(Vector<float>::Type &sums, Words a, Words b) {
  sums = (Vector<float>::Type)_mm512_dpbf16_ps((__m512)sums, (__m512bh)a,
                                               (__m512bh)b);
}
#else
/// What the instruction computes.
void multiplyPairs(Vector<float>::Type &sums, Words a, Words b) {
  for (int64_t i = 0; i < Vector<float>::lanes; ++i) {
    float sum = flush(sums[i]);
    for (int half = 1; half >= 0; --half) {
      float x = widen(BFloat{uint16_t(a[i] >> 16 * half)});
      float y = widen(BFloat{uint16_t(b[i] >> 16 * half)});
      sum = flush(__builtin_fmaf(flush(x), flush(y), sum));
    }
    sums[i] = sum;
  }
}
#endif

void multiplyAdd(Vector<float>::Type &sums, Pair a, Words b) {
  multiplyPairs(sums, Words{} + a.bits, b);
}
#endif

#if defined(TALLY_MATMUL_QUADS)
/// Bytes of `a` are unsigned, those of `b` signed; sums wrap.
void multiplyQuads(Words &sums, Words a, Words b) {
#if defined(__AVX512VNNI__)
  sums = (Words)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)a, (__m512i)b);
#else
  for (int64_t i = 0; i < Vector<uint32_t>::lanes; ++i)
    for (int byte = 0; byte < 32; byte += 8)
      sums[i] += (a[i] >> byte & 0xff) * widen(int8_t(b[i] >> byte));
#endif
}

void multiplyAdd(Words &sums, Quad a, Words b) {
  multiplyQuads(sums, Words{} + a.bits, b);
}
#endif

/// Narrows two vectors of sums that lie next to each other.
template <typename T, typename R>
void narrowColumns(const T *from, R *to) {
  for (int64_t j = 0; j < Vector<T>::columns; ++j)
    narrow(from[j], to[j]);
}

#if defined(TALLY_MATMUL_PAIRS) && defined(__AVX512BF16__)
void narrowColumns(const float *from, BFloat *to) {
  auto result =
      _mm512_cvtne2ps_pbh((__m512)load(from + 16), (__m512)load(from));
  __builtin_memcpy(to, &result, sizeof(result));
}
#endif

//===----------------------------------------------------------------------===//
// Words of lines
//===----------------------------------------------------------------------===//

/// Integers of a type, as many as a vector has words, in words.
template <typename T>
Words loadWords(const void *from) {
  typedef T Unaligned
      __attribute__((vector_size(TALLY_MATMUL_BYTES / 4 * sizeof(T)),
                     aligned(sizeof(T)), may_alias));
  return __builtin_convertvector(*static_cast<const Unaligned *>(from), Words);
}

/// Some bytes, and zeros.
Words loadBytes(const void *from, int64_t bytes) {
#if defined(TALLY_MATMUL_MASKS)
  return (Words)_mm512_maskz_loadu_epi8((uint64_t(1) << bytes) - 1, from);
#else
  Words words{};
  __builtin_memcpy(&words, from, size_t(bytes));
  return words;
#endif
}

/// `count` integers of a type in words, and zeros.
template <typename T>
Words loadWords(const void *from, int64_t count) {
#if defined(TALLY_MATMUL_MASKS)
  auto mask = (uint32_t(1) << count) - 1;
  if constexpr (sizeof(T) == 2)
    return (Words)_mm512_cvtepu16_epi32(
        _mm256_maskz_loadu_epi16(__mmask16(mask), from));
  else
    return (Words)_mm512_cvtepu8_epi32(
        _mm_maskz_loadu_epi8(__mmask16(mask), from));
#else
  Words words{};
  for (int64_t i = 0; i < count; ++i)
    words[i] = static_cast<const T *>(from)[i];
  return words;
#endif
}

/// A vector of words: the elements at the same place of lines that lie `stride`
/// apart.
template <typename P, typename S>
Words joinLines(const S *from, int64_t stride) {
  using Raw = typename RawOf<P>::Type;
  Words result = loadWords<Raw>(from);
  TALLY_UNROLL
  for (int64_t q = 1; q < kGroup<P>; ++q)
    result |= loadWords<Raw>(from + q * stride) << uint32_t(8 * sizeof(S) * q);
  return result;
}

/// The first `count` of them, and zeros, of `lines` lines.
template <typename P, typename S>
Words joinParts(const S *from, int64_t stride, int64_t count, int64_t lines) {
  using Raw = typename RawOf<P>::Type;
  Words result{};
  for (int64_t q = 0; q < lines; ++q)
    result |= loadWords<Raw>(from + q * stride, count)
              << uint32_t(8 * sizeof(S) * q);
  return result;
}

/// A word of `count` elements that lie `stride` apart, and zeros.
template <typename P, typename S>
P makeWord(const S *from, int64_t stride, int64_t count) {
  using Raw = typename RawOf<P>::Type;
  static_assert(sizeof(P) == kGroup<P> * sizeof(S));
  P word{0};
  if (stride == 1 && count == kGroup<P>) {
    __builtin_memcpy(&word, from, sizeof(word));
    return word;
  }
  // A word that was written in parts could not be read at once.
  for (int64_t q = 0; q < count; ++q) {
    Raw element;
    __builtin_memcpy(&element, from + q * stride, sizeof(element));
    word.bits |= uint32_t(element) << uint32_t(8 * sizeof(S) * q);
  }
  return word;
}

#if defined(TALLY_MATMUL_QUADS)
/// What sums have to start with where the bytes of A are packed with 128 added:
/// the panel follows `start`.
void setFirstRow(int64_t words, Quad *start) {
  constexpr int64_t lanes = Vector<Quad>::lanes;
  const Words ones = Words{} + 0x01010101;
  Words left{}, right{};
  const Quad *row = start + 2 * lanes;
  for (int64_t p = 0; p < words; ++p) {
    multiplyQuads(left, ones, load(row));
    multiplyQuads(right, ones, load(row + lanes));
    row += 2 * lanes;
  }
  store(start, 0 - 128 * left);
  store(start + lanes, 0 - 128 * right);
}
#endif

/// Adds what makes bytes of A unsigned.
void shiftRows(int64_t words, Quad *panel) {
  for (int64_t i = 0; i < words; ++i)
    panel[i].bits ^= 0x80808080;
}
void shiftRows(int64_t, const void *) {}

} // namespace
