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

/// The sums of some vectors, each as `addUp` has it.
template <typename T, size_t count>
void addUpAll(const typename Vector<T>::Type (&values)[count], T *to) {
  constexpr int64_t lanes = Vector<T>::lanes;
  if constexpr (count == 4 && lanes >= 4) {
    auto sums =
        addUpFour(foldToFour<lanes>(values[0]), foldToFour<lanes>(values[1]),
                  foldToFour<lanes>(values[2]), foldToFour<lanes>(values[3]));
    __builtin_memcpy(to, &sums, sizeof(sums));
  } else {
    for (size_t i = 0; i < count; ++i)
      to[i] = addUp<T>(values[i]);
  }
}

/// A vector of elements, in the type of sums.
Vector<float>::Type loadWide(const float *from) { return load(from); }
Vector<double>::Type loadWide(const double *from) { return load(from); }

Vector<float>::Type loadWide(const BFloat *from) {
  return (Vector<float>::Type)(loadWords<uint16_t>(from) << 16);
}

Words loadWide(const uint32_t *from) { return load(from); }
Vector<uint64_t>::Type loadWide(const uint64_t *from) { return load(from); }
Words loadWide(const int8_t *from) { return loadWords<int8_t>(from); }
Words loadWide(const int16_t *from) { return loadWords<int16_t>(from); }

/// As `widen`, where there is no instruction for it.
Vector<float>::Type loadWide(const Half *from) {
#if defined(__F16C__)
  typedef _Float16 Unaligned __attribute__((vector_size(TALLY_MATMUL_BYTES / 2),
                                            aligned(2), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Unaligned *>(from),
                                 Vector<float>::Type);
#else
  Words bits = loadWords<uint16_t>(from), magnitude = (bits & 0x7fff) << 13;
  Vector<float>::Type scaled = (Vector<float>::Type)magnitude * 0x1p112f;
  Words isSpecial = (Words)(magnitude >= 0x0f800000);
  return (Vector<float>::Type)((Words)scaled | (isSpecial & 0x7f800000) |
                               (bits & 0x8000) << 16);
#endif
}

/// Lines of elements that lie next to each other.
template <typename S>
struct Lines {
  const S *data;
  int64_t stride;
};

/// The products of rows of A and columns of B; the rows of the result are
/// contiguous.
template <typename T, typename S>
class DotProducts {
public:
  /// Where there is a source, columns of B are computed from `start` on.
  DotProducts(int64_t m, int64_t n, int64_t k, Lines<S> a, Lines<S> b, T *c,
              int64_t cStride, const MatmulSource *source, int64_t start)
      : m(m), n(n), k(k), a(a), b(b), c(c), cStride(cStride), source(source),
        start(start) {}

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
  using P = typename PackedOf<S>::Type;
  static constexpr int64_t group = kGroup<P>, step = group * lanes;
  /// Columns of B are computed in parts that stay in the first cache; whole
  /// steps.
  static constexpr int64_t partDepth = 1024;

  static auto loadStep(const S *from) {
    if constexpr (group > 1)
      return load(reinterpret_cast<const P *>(from));
    else
      return loadWide(from);
  }

  template <typename Factor>
  static void addProducts(Vec &sums, Factor left, Factor right) {
    if constexpr (group == 2)
      multiplyPairs(sums, left, right);
    else if constexpr (group == 4)
      multiplyQuads(sums, left ^ 0x80808080, right);
    else
      sums += left * right;
  }

  /// Adds up what `addProducts` adds too much: 128 to each byte of A.
  template <typename Factor>
  static void addExcess(Vec &excess, Factor right) {
    if constexpr (group == 4)
      multiplyQuads(excess, Words{} + 0x80808080, right);
  }

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

  /// Columns of B from `j` on, each from its element `p` on.
  template <int N>
  Lines<S> getColumns(int64_t j, int64_t p, int64_t depth) const {
    if (!source)
      return {b.data + j * b.stride + p, b.stride};
    tally_rt_matrix_part part = {computed, partDepth, start + j, N, p, depth};
    (void)source->compute(source->context, &part, source->data);
    return {computed, partDepth};
  }

  template <int M, int N>
  void multiply(int64_t i0, int64_t j0) const {
    const S *x = a.data + i0 * a.stride;
    Vec sums[M][N];
    TALLY_UNROLL
    for (int i = 0; i < M; ++i)
      TALLY_UNROLL
    for (int j = 0; j < N; ++j)
      sums[i][j] = Vec{};
    Vec excess[N] = {};
    auto addStep = [&](int64_t p, const S *y, int64_t stride, auto load) {
      decltype(load(y)) right[N];
      TALLY_UNROLL
      for (int j = 0; j < N; ++j) {
        right[j] = load(y + j * stride);
        addExcess(excess[j], right[j]);
      }
      TALLY_UNROLL
      for (int i = 0; i < M; ++i) {
        auto left = load(x + i * a.stride + p);
        TALLY_UNROLL
        for (int j = 0; j < N; ++j)
          addProducts(sums[i][j], left, right[j]);
      }
    };
    int64_t p = 0, end;
    // What does not fill a step is in the last part.
    Lines<S> rest;
    do {
      end = source ? least(k, p + partDepth) : k;
      auto [y, stride] = getColumns<N>(j0, p, end - p);
      for (; p + step <= end; p += step, y += step)
        addStep(p, y, stride, [](const S *from) { return loadStep(from); });
      rest = {y, stride};
    } while (end < k);
    if constexpr (group > 1) {
      int64_t bytes = (k - p) * int64_t(sizeof(S));
      if (p < k)
        addStep(p, rest.data, rest.stride,
                [=](const S *from) { return loadBytes(from, bytes); });
      p = k;
    }
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      T *line = c + (i0 + i) * cStride + j0;
      if constexpr (group == 4) {
        TALLY_UNROLL
        for (int j = 0; j < N; ++j)
          sums[i][j] -= excess[j];
      }
      addUpAll<T>(sums[i], line);
      for (int j = 0; p < k && j < N; ++j)
        for (int64_t q = p; q < k; ++q)
          line[j] += widen(x[i * a.stride + q]) *
                     widen(rest.data[j * rest.stride + q - p]);
    }
  }

  int64_t m, n, k;
  Lines<S> a, b;
  T *c;
  int64_t cStride;
  const MatmulSource *source;
  int64_t start;
  /// Parts of columns that have been computed.
  alignas(64) mutable S computed[4 * partDepth];
};

} // namespace
