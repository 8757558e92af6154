//===- FFTLine.h - Fourier transforms of one line in vectors ----*- C++ -*-===//
//
// Included by FFTKernels.h. A line of W * M numbers, where W is how many a
// vector of 64 bytes has, is a table of M rows of W columns. Each column is
// transformed in a lane of its own, by pocketfft; each number is multiplied by
// a root of unity; and W rows at a time are transposed, so that the transforms
// of the rows are sums of whole vectors. What a line goes through so is one
// line long, where W lines at once are W times as much.
//
// Vectors have 64 bytes at each level, so that all levels give the same
// numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_FFTLINE_H
#define TALLY_LIB_RUNTIME_FFTLINE_H

// The loop that follows has at most 16 trips, and is unrolled.
#ifdef __clang__
#define TALLY_FFT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TALLY_FFT_UNROLL _Pragma("GCC unroll 16")
#endif

namespace {

/// Exchanges the rows and columns of a square of as many vectors as a vector
/// has elements: squares of `step` on either side of the diagonal, from the
/// smallest on.
template <typename Vector, size_t size, size_t step = 1>
struct Square {
  template <size_t... lane>
  static void exchange(Vector &a, Vector &b, std::index_sequence<lane...>) {
    Vector low = __builtin_shufflevector(
        a, b, int(lane & step ? size + lane - step : lane)...);
    b = __builtin_shufflevector(
        a, b, int(lane & step ? size + lane : lane + step)...);
    a = low;
  }
  static void transpose(Vector *rows) {
    TALLY_FFT_UNROLL
    for (size_t i = 0; i < size; ++i)
      if (!(i & step))
        exchange(rows[i], rows[i + step], std::make_index_sequence<size>());
    if constexpr (2 * step < size)
      Square<Vector, size, 2 * step>::transpose(rows);
  }
};

/// A vector of 64 bytes. (GCC drops the attribute of an alias of a type that
/// depends on a template's argument.)
template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type [[gnu::vector_size(64)]] = float;
};
template <>
struct VectorOf<double> {
  using Type [[gnu::vector_size(64)]] = double;
};

/// Vectors of 64 bytes of complex numbers, each part in a vector of its own.
template <typename T>
struct Parts {
  static constexpr size_t size = 64 / sizeof(T);
  using Vector = typename VectorOf<T>::Type;
  using Complex = cmplx<Vector>;

  static Vector load(const T *from) {
    Vector result;
    std::memcpy(&result, from, sizeof(result));
    return result;
  }
  static void store(T *to, Vector vector) {
    std::memcpy(to, &vector, sizeof(vector));
  }

  template <size_t... lane>
  static Complex loadPairs(const T *from, std::index_sequence<lane...>) {
    Vector a = load(from), b = load(from + size);
    return {__builtin_shufflevector(a, b, int(2 * lane)...),
            __builtin_shufflevector(a, b, int(2 * lane + 1)...)};
  }
  /// Loads numbers whose parts are next to each other.
  static Complex loadPairs(const T *from) {
    return loadPairs(from, std::make_index_sequence<size>());
  }

  template <size_t... lane>
  static void storePairs(T *to, Complex number, std::index_sequence<lane...>) {
    store(to, __builtin_shufflevector(number.r, number.i,
                                      int(lane / 2 + lane % 2 * size)...));
    store(to + size,
          __builtin_shufflevector(number.r, number.i,
                                  int((lane + size) / 2 + lane % 2 * size)...));
  }
  /// Stores both parts of each number next to each other.
  static void storePairs(T *to, Complex number) {
    storePairs(to, number, std::make_index_sequence<size>());
  }

  template <size_t... lane>
  static Vector reverse(Vector vector, std::index_sequence<lane...>) {
    return __builtin_shufflevector(vector, vector, int(size - 1 - lane)...);
  }
  /// The last number first.
  static Complex reverse(Complex number) {
    return {reverse(number.r, std::make_index_sequence<size>()),
            reverse(number.i, std::make_index_sequence<size>())};
  }
};

/// Multiplies by exp(-2 pi i k / 16).
template <size_t k, typename T>
typename Parts<T>::Complex turn(typename Parts<T>::Complex a) {
  if constexpr (k == 0)
    return a;
  if constexpr (k >= 8) {
    auto b = turn<k - 8, T>(a);
    return {-b.r, -b.i};
  } else if constexpr (k >= 4) {
    auto b = turn<k - 4, T>(a);
    return {b.i, -b.r};
  } else if constexpr (k == 2) {
    constexpr T root = T(0.707106781186547524400844362104849L);
    return {(a.r + a.i) * root, (a.i - a.r) * root};
  } else {
    constexpr T big = T(0.923879532511286756128183189396788L),
                small = T(0.382683432365089771728459984030399L);
    constexpr T c = k == 1 ? big : small, s = k == 1 ? small : big;
    return {a.r * c + a.i * s, a.i * c - a.r * s};
  }
}

/// Transforms of as many vectors as a vector has elements, lane by lane.
template <typename T>
struct Rows {
  using Complex = typename Parts<T>::Complex;
  static constexpr size_t size = Parts<T>::size, groups = size / 4;

  static void transformFour(Complex &a, Complex &b, Complex &c, Complex &d) {
    Complex sum = a + c, difference = a - c, others = b + d, rest = b - d;
    a = sum + others;
    c = sum - others;
    b = {difference.r + rest.i, difference.i - rest.r};
    d = {difference.r - rest.i, difference.i + rest.r};
  }

  /// Of the vectors `first`, `first + groups` and so on, and the turns before
  /// the transforms across these groups.
  template <size_t first>
  static void transformGroup(Complex *x) {
    Complex &a = x[first], &b = x[first + groups], &c = x[first + 2 * groups],
            &d = x[first + 3 * groups];
    transformFour(a, b, c, d);
    constexpr size_t step = first * 16 / size;
    b = turn<step, T>(b);
    c = turn<2 * step, T>(c);
    d = turn<3 * step, T>(d);
  }

  template <size_t... first>
  static void transformGroups(Complex *x, std::index_sequence<first...>) {
    (transformGroup<first>(x), ...);
  }

  /// The result of index `i + 4 * j` is in `x[i * groups + j]`.
  static void transform(Complex *x) {
    transformGroups(x, std::make_index_sequence<groups>());
    for (size_t i = 0; i < 4; ++i) {
      Complex *group = x + i * groups;
      if constexpr (groups == 4) {
        transformFour(group[0], group[1], group[2], group[3]);
      } else {
        static_assert(groups == 2);
        Complex sum = group[0] + group[1];
        group[1] = group[0] - group[1];
        group[0] = sum;
      }
    }
  }
};

/// Transforms of a line of complex numbers of one length.
template <typename T>
class LineTransform {
public:
  using Complex = typename Parts<T>::Complex;
  static constexpr size_t width = Parts<T>::size;

  /// Whether lines of this length are tables that are not wider than high, of
  /// which few rows are transposed twice.
  static bool fits(size_t length) {
    size_t height = length / width;
    return length % width == 0 && height >= width &&
           2 * ((height - 1) / width + 1) * width <= 3 * height;
  }

  explicit LineTransform(size_t length)
      : columns(length / width), roots(length) {
    pocketfft::detail::sincos_2pibyn<T> all(length);
    for (size_t row = 0; row < length / width; ++row)
      for (size_t lane = 0; lane < width; ++lane) {
        auto root = all[row * lane];
        roots[row].r[lane] = root.r;
        roots[row].i[lane] = -root.i;
      }
  }
  size_t length() const { return columns.length() * width; }

  /// Transforms pairs to pairs. `rows` are as many numbers as the line has.
  void forward(const T *in, T *out, Complex *rows, T factor) const {
    exec(
        rows, factor,
        [&](size_t index) { return Parts<T>::loadPairs(in + 2 * index); },
        [&](size_t index, Complex number) {
          Parts<T>::storePairs(out + 2 * index, number);
        });
  }
  /// Transforms them back, as forward with exchanged parts.
  void backward(const T *in, T *out, Complex *rows, T factor) const {
    exec(
        rows, factor,
        [&](size_t index) {
          Complex number = Parts<T>::loadPairs(in + 2 * index);
          return Complex{number.i, number.r};
        },
        [&](size_t index, Complex number) {
          Parts<T>::storePairs(out + 2 * index, Complex{number.i, number.r});
        });
  }

  /// Transforms what `load` gives for each index that is a multiple of the
  /// width, multiplies by `factor`, and gives `store` each index with the
  /// vector that starts there: some of them twice. `rows` are as many numbers
  /// as the line has.
  template <typename Load, typename Store>
  void exec(Complex *rows, T factor, Load load, Store store) const {
    size_t height = columns.length();
    for (size_t row = 0; row < height; ++row)
      rows[row] = load(row * width);
    columns.exec(rows, T(1), true);
    for (size_t start = 0; start < height; start += width) {
      start = std::min(start, height - width);
      transformRows(rows, start, factor, store);
    }
  }

private:
  template <typename Store>
  void transformRows(const Complex *rows, size_t start, T factor,
                     Store store) const {
    typename Parts<T>::Vector r[width], i[width];
    for (size_t row = 0; row < width; ++row) {
      const Complex &number = rows[start + row], &root = roots[start + row];
      r[row] = (number.r * root.r - number.i * root.i) * factor;
      i[row] = (number.r * root.i + number.i * root.r) * factor;
    }
    Square<typename Parts<T>::Vector, width>::transpose(r);
    Square<typename Parts<T>::Vector, width>::transpose(i);
    Complex x[width];
    TALLY_FFT_UNROLL
    for (size_t lane = 0; lane < width; ++lane)
      x[lane] = {r[lane], i[lane]};
    Rows<T>::transform(x);
    constexpr size_t groups = Rows<T>::groups;
    for (size_t index = 0; index < width; ++index)
      store(start + index * columns.length(),
            x[index % 4 * groups + index / 4]);
  }

  pocketfft::detail::pocketfft_c<T> columns;
  pocketfft::detail::arr<Complex> roots;
};

/// Transforms of a line of real numbers, whose pairs are complex ones, and
/// back.
template <typename T>
class RealLineTransform {
public:
  using Complex = typename Parts<T>::Complex;
  static constexpr size_t width = Parts<T>::size;

  static bool fits(size_t length) {
    return length % 2 == 0 && LineTransform<T>::fits(length / 2);
  }

  explicit RealLineTransform(size_t length)
      : half(length / 2), cosines(length / 4), sines(length / 4) {
    pocketfft::detail::sincos_2pibyn<T> all(length);
    for (size_t i = 0; i < length / 4; ++i) {
      cosines[i] = all[i + 1].r;
      sines[i] = -all[i + 1].i;
    }
  }
  size_t length() const { return 2 * half.length(); }

  /// Transforms a line to pairs, of which there are half as many and one more.
  /// `rows` are as many numbers as the line has.
  void forward(const T *in, T *out, Complex *rows, T factor) const {
    size_t count = half.length();
    T *re = reinterpret_cast<T *>(rows + count / width), *im = re + count;
    half.exec(
        rows, factor / 2,
        [&](size_t index) { return Parts<T>::loadPairs(in + 2 * index); },
        [&](size_t index, Complex number) {
          Parts<T>::store(re + index, number.r);
          Parts<T>::store(im + index, number.i);
        });
    out[0] = 2 * (re[0] + im[0]);
    out[2 * count] = 2 * (re[0] - im[0]);
    out[1] = out[2 * count + 1] = T(0);
    forEachPair([&](size_t k, size_t mirror, Complex root) {
      Complex a{Parts<T>::load(re + k), Parts<T>::load(im + k)};
      Complex b = Parts<T>::reverse(
          Complex{Parts<T>::load(re + mirror), Parts<T>::load(im + mirror)});
      combine(a, b, Complex{root.i, -root.r});
      Parts<T>::storePairs(out + 2 * k, a);
      Parts<T>::storePairs(out + 2 * mirror, Parts<T>::reverse(b));
    });
  }

  /// Transforms pairs back to a line.
  void backward(const T *in, T *out, Complex *rows, T factor) const {
    size_t count = half.length();
    T *re = reinterpret_cast<T *>(rows + count / width), *im = re + count;
    re[0] = in[0] + in[2 * count];
    im[0] = in[0] - in[2 * count];
    forEachPair([&](size_t k, size_t mirror, Complex root) {
      Complex a = Parts<T>::loadPairs(in + 2 * k);
      Complex b = Parts<T>::reverse(Parts<T>::loadPairs(in + 2 * mirror));
      combine(a, b, Complex{root.i, root.r});
      b = Parts<T>::reverse(b);
      Parts<T>::store(re + k, a.r);
      Parts<T>::store(im + k, a.i);
      Parts<T>::store(re + mirror, b.r);
      Parts<T>::store(im + mirror, b.i);
    });
    // The parts are exchanged, as above.
    half.exec(
        rows, factor,
        [&](size_t index) {
          return Complex{Parts<T>::load(im + index),
                         Parts<T>::load(re + index)};
        },
        [&](size_t index, Complex number) {
          Parts<T>::storePairs(out + 2 * index, Complex{number.i, number.r});
        });
  }

private:
  /// Calls `apply` with each index that starts a vector of the first half, with
  /// the index of the vector that mirrors it, and with exp(-2 pi i k / length)
  /// for each k of the vector. The last one overlaps the one before.
  template <typename Apply>
  void forEachPair(Apply apply) const {
    size_t count = half.length(), last = count / 2 + 1 - width;
    for (size_t k = 1;; k = std::min(k + width, last)) {
      apply(k, count - k + 1 - width,
            Complex{Parts<T>::load(&cosines[k - 1]),
                    Parts<T>::load(&sines[k - 1])});
      if (k == last)
        return;
    }
  }

  /// The sum of `a` and the conjugate of `b`, plus and minus the product of
  /// their difference and `root`; the second is conjugated.
  static void combine(Complex &a, Complex &b, Complex root) {
    Complex sum{a.r + b.r, a.i - b.i}, difference{a.r - b.r, a.i + b.i};
    Complex product{difference.r * root.r - difference.i * root.i,
                    difference.r * root.i + difference.i * root.r};
    a = sum + product;
    b = {sum.r - product.r, product.i - sum.i};
  }

  LineTransform<T> half;
  pocketfft::detail::arr<T> cosines, sines;
};

} // namespace

#endif // TALLY_LIB_RUNTIME_FFTLINE_H
