//===- FFTColumns.h - Fourier transforms of columns -------------*- C++ -*-===//
//
// Included by FFTKernels.h. Lines whose numbers are neighbors of those of the
// next line are transformed in the lanes of vectors, a vector of lines at once.
// Where these are more than the first cache has, a line of M * N numbers is a
// table whose columns are transformed, multiplied by roots of unity, and whose
// rows are transformed: each of these pieces stays in that cache.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_FFTCOLUMNS_H
#define TALLY_LIB_RUNTIME_FFTCOLUMNS_H

namespace {

/// Transforms of vectors of lines of one length.
template <typename T>
class ColumnTransform {
public:
  using Complex = typename Parts<T>::Complex;
  static constexpr size_t width = Parts<T>::size;

  explicit ColumnTransform(size_t length)
      : rows(getRows(length)), down(rows), across(length / rows),
        roots(rows == length ? 0 : length) {
    if (rows == length)
      return;
    pocketfft::detail::sincos_2pibyn<T> all(length);
    for (size_t column = 0; column < length / rows; ++column)
      for (size_t row = 0; row < rows; ++row)
        roots[column * rows + row] = pocketfft::detail::conj(all[column * row]);
  }
  size_t length() const { return rows * across.length(); }
  /// How many vectors of numbers a transform has beside it.
  size_t getVectors() const { return length() + rows + across.length(); }

  /// The lines of pairs next to each other that are transformed at once: as
  /// many as a vector has elements, or fewer. Strides are those from pair to
  /// pair of a line.
  struct Lines {
    const T *in;
    int64_t inStride;
    T *out;
    int64_t outStride;
    size_t count;
  };

  void exec(Lines lines, Complex *memory, T factor, bool isForward) const {
    // A transform of numbers with exchanged parts goes backward.
    auto load = [&](size_t index) {
      Complex number = loadLines(lines, index);
      return isForward ? number : Complex{number.i, number.r};
    };
    auto store = [&](size_t index, Complex number) {
      number = {number.r * factor, number.i * factor};
      storeLines(lines, index,
                 isForward ? number : Complex{number.i, number.r});
    };
    size_t columns = across.length();
    Complex *piece = memory + length();
    for (size_t column = 0; column < columns; ++column) {
      Complex *numbers = memory + column * rows;
      for (size_t row = 0; row < rows; ++row)
        numbers[row] = load(row * columns + column);
      down.exec(numbers, T(1), true);
    }
    if (columns == 1) {
      for (size_t row = 0; row < rows; ++row)
        store(row, memory[row]);
      return;
    }
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column) {
        size_t index = column * rows + row;
        piece[column] = memory[index] * roots[index];
      }
      across.exec(piece, T(1), true);
      for (size_t column = 0; column < columns; ++column)
        store(row + column * rows, piece[column]);
    }
  }

private:
  /// The factor of a length next to its root, or the length where all of it
  /// fits into the first cache twice, or where no factor is near.
  static size_t getRows(size_t length) {
    if (length * sizeof(Complex) <= 16384)
      return length;
    auto rows = size_t(std::sqrt(double(length)));
    while (length % rows != 0)
      ++rows;
    return rows > length / 4 ? length : rows;
  }

  static Complex loadLines(const Lines &lines, size_t index) {
    const T *from = lines.in + int64_t(index) * lines.inStride;
    if (lines.count == width)
      return Parts<T>::loadPairs(from);
    T pairs[2 * width] = {};
    std::memcpy(pairs, from, 2 * lines.count * sizeof(T));
    return Parts<T>::loadPairs(pairs);
  }
  static void storeLines(const Lines &lines, size_t index, Complex number) {
    T *to = lines.out + int64_t(index) * lines.outStride;
    if (lines.count == width)
      return Parts<T>::storePairs(to, number);
    T pairs[2 * width];
    Parts<T>::storePairs(pairs, number);
    std::memcpy(to, pairs, 2 * lines.count * sizeof(T));
  }

  size_t rows;
  pocketfft::detail::pocketfft_c<T> down, across;
  pocketfft::detail::arr<cmplx<T>> roots;
};

} // namespace

#endif // TALLY_LIB_RUNTIME_FFTCOLUMNS_H
