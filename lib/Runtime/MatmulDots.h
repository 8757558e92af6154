//===- MatmulDots.h - Sums that run along memory ----------------*- C++ -*-===//
//
// Few rows of A, or few columns of B, whose elements lie next to each other,
// are multiplied where they are: each row of B is read once for up to four rows
// of A. A part of MatmulKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

template <typename Vec, int64_t... lanes>
auto addHalves(Vec value, Lanes<lanes...>) {
  constexpr int64_t half = sizeof...(lanes);
  return __builtin_shufflevector(value, value, lanes...) +
         __builtin_shufflevector(value, value, (lanes + half)...);
}

/// The sum of the lanes of a vector: halves are added until one is left.
template <typename T>
T addUp(typename Vector<T>::Type value) {
  constexpr int64_t lanes = Vector<T>::lanes;
  T parts[lanes];
  store(parts, value);
  for (int64_t half = lanes / 2; half; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      parts[i] += parts[i + half];
  return parts[0];
}

/// Adds halves of a vector until it has four lanes.
template <int64_t lanes, typename Vec>
auto foldToFour(Vec value) {
  if constexpr (lanes == 4)
    return value;
  else
    return foldToFour<lanes / 2>(
        addHalves(value, typename CountLanes<lanes / 2>::Type()));
}

/// The sums of four vectors of four lanes, in the order of `addUp`.
template <typename Vec>
Vec addUpFour(Vec a, Vec b, Vec c, Vec d) {
  Vec ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) +
           __builtin_shufflevector(a, b, 2, 6, 3, 7);
  Vec cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) +
           __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
         __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// Lines of elements that lie next to each other.
template <typename T>
struct Lines {
  const T *data;
  int64_t stride;
};

/// The products of rows of A and columns of B; the rows of the result are
/// contiguous.
template <typename T>
class DotProducts {
public:
  DotProducts(int64_t m, int64_t n, int64_t k, Lines<T> a, Lines<T> b, T *c,
              int64_t cStride)
      : m(m), n(n), k(k), a(a), b(b), c(c), cStride(cStride) {}

  void run() const {
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
      runColumns<4>(j);
    for (; j < n; ++j)
      runColumns<1>(j);
  }

private:
  using Vec = typename Vector<T>::Type;
  static constexpr int64_t lanes = Vector<T>::lanes;

  /// So many rows at once as leave registers for four columns.
  static constexpr int mostRows = TALLY_MATMUL_BYTES == 64 ? 4 : 2;

  template <int N>
  void runColumns(int64_t j) const {
    int64_t i = 0;
    for (; i + mostRows <= m; i += mostRows)
      multiply<mostRows, N>(i, j);
    runRest<mostRows - 1, N>(i, j);
  }

  template <int M, int N>
  void runRest(int64_t i, int64_t j) const {
    if constexpr (M > 0) {
      if (m - i == M)
        multiply<M, N>(i, j);
      else
        runRest<M - 1, N>(i, j);
    }
  }

  template <int N>
  static void addUpAll(const Vec (&values)[N], T *to) {
    if constexpr (N == 4 && lanes >= 4) {
      auto sums =
          addUpFour(foldToFour<lanes>(values[0]), foldToFour<lanes>(values[1]),
                    foldToFour<lanes>(values[2]), foldToFour<lanes>(values[3]));
      __builtin_memcpy(to, &sums, sizeof(sums));
    } else {
      for (int j = 0; j < N; ++j)
        to[j] = addUp<T>(values[j]);
    }
  }

  template <int M, int N>
  void multiply(int64_t i0, int64_t j0) const {
    const T *x = a.data + i0 * a.stride, *y = b.data + j0 * b.stride;
    Vec sums[M][N];
    TALLY_UNROLL
    for (int i = 0; i < M; ++i)
      TALLY_UNROLL
    for (int j = 0; j < N; ++j)
      sums[i][j] = Vec{};
    int64_t p = 0;
    for (; p + lanes <= k; p += lanes) {
      Vec right[N];
      TALLY_UNROLL
      for (int j = 0; j < N; ++j)
        right[j] = load(y + j * b.stride + p);
      TALLY_UNROLL
      for (int i = 0; i < M; ++i) {
        Vec left = load(x + i * a.stride + p);
        TALLY_UNROLL
        for (int j = 0; j < N; ++j)
          sums[i][j] += left * right[j];
      }
    }
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      T *line = c + (i0 + i) * cStride + j0;
      addUpAll(sums[i], line);
      for (int j = 0; p < k && j < N; ++j)
        for (int64_t q = p; q < k; ++q)
          line[j] += x[i * a.stride + q] * y[j * b.stride + q];
    }
  }

  int64_t m, n, k;
  Lines<T> a, b;
  T *c;
  int64_t cStride;
};

} // namespace
