//===- MatmulSquares.h - Square tiles of a matmul ---------------*- C++ -*-===//
//
// Some processors have registers that are tiles of 16 rows of 16 words, and an
// instruction that adds the product of two of them to a third one. A tile of
// the result is up to two such squares high and two wide then; A is packed so
// that each row of a square lies in one piece, B as for vectors. A part of
// MatmulKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

#if !defined(TALLY_MATMUL_SQUARES)
/// Nothing to prepare.
struct SquareScope {};

/// What multiplies a panel of so many rows of A with one of B that has so many
/// columns.
template <typename P>
auto getTileProduct(int64_t rows, int64_t columns) {
  return getTileFunction<P>(rows, columns);
}
#else
static_assert(kMaxRows == 2 * kSquare &&
                  Vector<uint32_t>::columns == 2 * kSquare,
              "a tile is two squares high and two wide");

//===----------------------------------------------------------------------===//
// The registers
//===----------------------------------------------------------------------===//

#if defined(__AMX_TILE__)
/// How all registers are divided, as the processor reads it.
struct SquareShapes {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// The registers are ready for squares while there is one of these; then they
/// are empty, so that a change of threads has nothing to save.
class SquareScope {
public:
  SquareScope() {
    const SquareShapes shapes;
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
  }
  ~SquareScope() { __asm__ volatile("tilerelease"); }
  SquareScope(const SquareScope &) = delete;
  SquareScope &operator=(const SquareScope &) = delete;
};

template <int square>
void clearSquare() {
  __asm__ volatile("tilezero %%tmm%c0" : : "i"(square));
}

/// Reads rows that lie `stride` words apart.
template <int square, typename T>
void loadSquare(const T *from, int64_t stride) {
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2"
                   :
                   : "r"(from), "r"(4 * stride), "i"(square)
                   : "memory");
}

template <int square, typename T>
void storeSquare(T *to, int64_t stride) {
  __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)"
                   :
                   : "r"(to), "r"(4 * stride), "i"(square)
                   : "memory");
}

/// sums += a b, for the numbers of three registers. Of pairs, the products of
/// all first elements and those of all second ones are added up from zero, each
/// with one rounding, then both sums, and that to what was there; subnormal
/// operands and results are zero.
template <typename P, int sums, int a, int b>
void multiplySquares() {
  if constexpr (kGroup<P> == 2)
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0"
                     :
                     : "i"(sums), "i"(a), "i"(b));
  else
    __asm__ volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                     :
                     : "i"(sums), "i"(a), "i"(b));
}
#else
/// What the instructions compute, with registers of the thread.
using Square = uint32_t[kSquare][kSquare];
thread_local Square squareRegisters[8];

struct SquareScope {};

template <int square>
void clearSquare() {
  __builtin_memset(squareRegisters[square], 0, sizeof(Square));
}

template <int square, typename T>
void loadSquare(const T *from, int64_t stride) {
  for (int64_t i = 0; i < kSquare; ++i)
    __builtin_memcpy(squareRegisters[square][i], from + i * stride,
                     4 * kSquare);
}

template <int square, typename T>
void storeSquare(T *to, int64_t stride) {
  for (int64_t i = 0; i < kSquare; ++i)
    __builtin_memcpy(to + i * stride, squareRegisters[square][i], 4 * kSquare);
}

#if defined(TALLY_MATMUL_PAIRS)
uint32_t addSquareProducts(uint32_t sum, const uint32_t *row, const Square &b,
                           int64_t column) {
  float parts[2] = {};
  for (int64_t p = 0; p < kSquare; ++p)
    for (int half = 0; half < 2; ++half) {
      float x = widen(BFloat{uint16_t(row[p] >> 16 * half)});
      float y = widen(BFloat{uint16_t(b[p][column] >> 16 * half)});
      parts[half] = flush(__builtin_fmaf(flush(x), flush(y), parts[half]));
    }
  return floatToBits(
      flush(flush(bitsToFloat(sum)) + flush(parts[0] + parts[1])));
}
#else
uint32_t addSquareProducts(uint32_t sum, const uint32_t *row, const Square &b,
                           int64_t column) {
  for (int64_t p = 0; p < kSquare; ++p)
    for (int byte = 0; byte < 32; byte += 8)
      sum +=
          widen(int8_t(row[p] >> byte)) * widen(int8_t(b[p][column] >> byte));
  return sum;
}
#endif

template <typename P, int sums, int a, int b>
void multiplySquares() {
  for (int64_t i = 0; i < kSquare; ++i)
    for (int64_t j = 0; j < kSquare; ++j) {
      uint32_t &sum = squareRegisters[sums][i][j];
      sum =
          addSquareProducts(sum, squareRegisters[a][i], squareRegisters[b], j);
    }
}
#endif

//===----------------------------------------------------------------------===//
// Tiles of the result
//===----------------------------------------------------------------------===//

/// c (+)= a b, for a panel of `rows` rows of A. The order of sums is the same
/// for every tile, whole or not.
template <typename P>
class SquareProduct {
public:
  using T = typename SumOf<P>::Type;

  explicit SquareProduct(int64_t rows) : rows(rows) {}

  /// The depth is in words, whole squares of them.
  void operator()(int64_t depth, const Line<P> *a, const P *b, int64_t bStride,
                  T *c, int64_t cStride, int64_t columns, bool adds) const {
    auto multiply = rows > kSquare ? multiplyRows<true> : multiplyRows<false>;
    if (columns == width && rows % kSquare == 0)
      return multiply(depth, a, rows, b, bStride, c, cStride, adds);
    // Squares are whole in memory of their own. Rows of A behind the last one
    // are those of the next square, or what is behind all.
    alignas(64) T part[kMaxRows * width];
    for (int64_t i = 0; adds && i < rows; ++i)
      __builtin_memcpy(part + i * width, c + i * cStride,
                       size_t(columns) * sizeof(T));
    multiply(depth, a, rows, b, bStride, part, width, adds);
    for (int64_t i = 0; i < rows; ++i)
      __builtin_memcpy(c + i * cStride, part + i * width,
                       size_t(columns) * sizeof(T));
  }

private:
  static constexpr int64_t width = 2 * kSquare;

  template <int square>
  static void startSquare(const T *from, int64_t stride, bool adds) {
    if (adds)
      loadSquare<square>(from, stride);
    else
      clearSquare<square>();
  }

  /// The same for whole squares.
  template <bool hasTwo>
  static void multiplyRows(int64_t depth, const Line<P> *a, int64_t rows,
                           const P *b, int64_t bStride, T *c, int64_t cStride,
                           bool adds) {
    T *below = c + kSquare * cStride;
    startSquare<0>(c, cStride, adds);
    startSquare<1>(c + kSquare, cStride, adds);
    if constexpr (hasTwo) {
      startSquare<2>(below, cStride, adds);
      startSquare<3>(below + kSquare, cStride, adds);
    }
    for (int64_t p = 0; p < depth; p += kSquare) {
      TALLY_UNROLL
      for (int64_t q = kSquare; q < 2 * kSquare; ++q) {
        __builtin_prefetch(b + q * bStride);
        __builtin_prefetch(b + q * bStride + kSquare);
      }
      loadSquare<4>(a, kSquare);
      loadSquare<6>(b, bStride);
      multiplySquares<P, 0, 4, 6>();
      loadSquare<7>(b + kSquare, bStride);
      multiplySquares<P, 1, 4, 7>();
      if constexpr (hasTwo) {
        loadSquare<5>(a + kSquare * kSquare, kSquare);
        multiplySquares<P, 2, 5, 6>();
        multiplySquares<P, 3, 5, 7>();
      }
      a += rows * kSquare;
      b += kSquare * bStride;
    }
    storeSquare<0>(c, cStride);
    storeSquare<1>(c + kSquare, cStride);
    if constexpr (hasTwo) {
      storeSquare<2>(below, cStride);
      storeSquare<3>(below + kSquare, cStride);
    }
  }

  int64_t rows;
};

template <typename P>
auto getTileProduct(int64_t rows, int64_t) {
  return SquareProduct<P>(rows);
}
#endif

} // namespace
