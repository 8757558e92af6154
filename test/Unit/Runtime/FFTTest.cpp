//===- FFTTest.cpp - Fourier transforms on the CPU ------------------------===//
//
// Every level that the processor supports against transforms in long
// doubles, at lengths on both sides of where another method takes over: lines
// that are rows, columns, and apart from each other, between inaccessible
// pages. All levels give the same bits.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/FFT.h"

#include "../../../lib/Runtime/Context.h"
#include "Guarded.h"
#include "tally/Runtime/tally_runtime.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tally::runtime;

namespace {

/// The levels that this processor supports.
std::vector<const FFTLevel *> getLevels() {
  std::vector<const FFTLevel *> levels{&fftBaseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back(&fftV3);
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(&fftV4);
#endif
  return levels;
}

enum class Layout { Rows, Columns, Apart };

/// Lines of one side of a transform: where a part of a number is.
struct Side {
  Side(Layout layout, int64_t lines, int64_t numbers, bool isComplex) {
    int64_t parts = isComplex ? 2 : 1;
    part = 1;
    number = layout == Layout::Columns ? lines * parts : parts;
    line = layout == Layout::Columns ? parts : numbers * parts;
    if (layout == Layout::Apart) {
      number = 3;
      line = 3 * numbers + 1;
    }
    size = (lines - 1) * line + (numbers - 1) * number + parts;
  }
  int64_t line, number, part, size;
};

using Complex = std::complex<long double>;
using Numbers = std::vector<Complex>;

/// The definition, of each of as many parts as the first factor says, and of
/// their sums.
Numbers transform(const Numbers &numbers, int sign) {
  size_t length = numbers.size(), factor = 2;
  while (factor < length && length % factor != 0)
    ++factor;
  if (length == 1)
    return numbers;
  std::vector<Numbers> parts(factor);
  for (size_t i = 0; i < length; ++i)
    parts[i % factor].push_back(numbers[i]);
  if (factor < length)
    for (Numbers &part : parts)
      part = transform(part, sign);
  long double step = 2 * sign * std::acos(-1.0L) / length;
  Numbers result(length);
  for (size_t k = 0; k < length; ++k)
    for (size_t i = 0; i < factor; ++i)
      result[k] += parts[i][k % (length / factor)] *
                   std::polar(1.0L, step * (i * k % length));
  return result;
}

/// Lines of random numbers, and what becomes of them.
template <typename T>
class Problem {
public:
  Problem(int64_t kind, Layout layout, int64_t length, int64_t lines,
          int64_t scaling = 0)
      : kind(kind), length(length), lines(lines),
        isFromReal(kind == TALLY_RT_FFT_REAL_TO_COMPLEX),
        isToReal(kind == TALLY_RT_FFT_COMPLEX_TO_REAL),
        inNumbers(isToReal ? length / 2 + 1 : length),
        outNumbers(isFromReal ? length / 2 + 1 : length),
        from(layout, lines, inNumbers, !isFromReal),
        to(layout, lines, outNumbers, !isToReal),
        in(size_t(from.size) * sizeof(T)), batch{lines, from.line, to.line},
        args{kind,       TALLY_RT_DATA_TYPE(kDLFloat, 8 * int64_t(sizeof(T))),
             scaling,    length,
             in.as<T>(), from.number,
             from.part,  nullptr,
             to.number,  to.part,
             1,          batch} {
    std::mt19937 random(static_cast<unsigned>(length));
    std::normal_distribution<T> normal;
    for (int64_t i = 0; i < from.size; ++i)
      in.as<T>()[i] = normal(random);
  }

  /// The elements of the result, with marks where nothing is written.
  std::vector<T> run(const FFTLevel &level) {
    Guarded out(size_t(to.size) * sizeof(T));
    std::fill_n(out.as<T>(), to.size, T(-77));
    args.out = out.as<T>();
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    EXPECT_EQ(level.run(ctx, args), TALLY_RT_OK);
    tally_rt_context_destroy(ctx);
    return {out.as<T>(), out.as<T>() + to.size};
  }

  /// How far a line of a result is from the definition, for its size.
  double getError(const std::vector<T> &out, int64_t line) const {
    long double error = 0, size = 0, divisor = 1;
    if (args.scaling == TALLY_RT_FFT_BY_ROOT)
      divisor = std::sqrt(static_cast<long double>(length));
    if (args.scaling == TALLY_RT_FFT_BY_LENGTH)
      divisor = static_cast<long double>(length);
    bool isForward = kind == TALLY_RT_FFT_FORWARD || isFromReal;
    Numbers numbers;
    for (int64_t i = 0; i < length; ++i)
      numbers.push_back(read(line, i));
    numbers = transform(numbers, isForward ? -1 : 1);
    for (int64_t k = 0; k < outNumbers; ++k) {
      Complex sum = numbers[size_t(k)] / divisor;
      const T *at = &out[size_t(line * to.line + k * to.number)];
      error += std::norm(Complex(at[0], isToReal ? sum.imag() : at[1]) - sum);
      size += std::norm(sum);
    }
    return double(std::sqrt(error / size));
  }

  /// Whether what is between the lines and numbers of a result is as before.
  bool isUntouchedBetween(const std::vector<T> &out) const {
    std::vector<bool> isWritten(out.size());
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t k = 0; k < outNumbers; ++k)
        for (int64_t part = 0; part < (isToReal ? 1 : 2); ++part)
          isWritten[size_t(line * to.line + k * to.number + part)] = true;
    for (size_t i = 0; i < out.size(); ++i)
      if (!isWritten[i] && out[i] != T(-77))
        return false;
    return true;
  }

private:
  Complex read(int64_t line, int64_t i) const {
    bool isMirrored = i >= inNumbers;
    const T *at = in.template as<T>() + line * from.line +
                  (isMirrored ? length - i : i) * from.number;
    if (isFromReal || (isToReal && 2 * i % length == 0))
      return at[0];
    return {at[0], isMirrored ? -at[1] : at[1]};
  }

  int64_t kind, length, lines;
  bool isFromReal, isToReal;
  int64_t inNumbers, outNumbers;
  Side from, to;
  mutable Guarded in;
  int64_t batch[3];
  tally_rt_host_fft_args args;
};

template <typename T>
void check(int64_t kind, Layout layout, int64_t length, int64_t lines,
           int64_t scaling = 0) {
  Problem<T> problem(kind, layout, length, lines, scaling);
  std::vector<T> first;
  for (const FFTLevel *level : getLevels()) {
    std::vector<T> out = problem.run(*level);
    SCOPED_TRACE(testing::Message()
                 << "kind " << kind << ", layout " << int(layout) << ", length "
                 << length << ", " << lines << " lines of " << sizeof(T)
                 << " bytes, level " << int(level != getLevels()[0]));
    if (first.empty()) {
      first = out;
      for (int64_t line : {int64_t(0), lines / 2, lines - 1})
        ASSERT_LT(problem.getError(out, line),
                  8 * std::numeric_limits<T>::epsilon());
      EXPECT_TRUE(problem.isUntouchedBetween(out));
    }
    EXPECT_EQ(std::memcmp(first.data(), out.data(), out.size() * sizeof(T)), 0)
        << "levels differ";
  }
}

const int64_t kinds[] = {TALLY_RT_FFT_FORWARD, TALLY_RT_FFT_BACKWARD,
                         TALLY_RT_FFT_REAL_TO_COMPLEX,
                         TALLY_RT_FFT_COMPLEX_TO_REAL};

/// Calls `check` with a length, a number of lines, and each kind, layout and
/// type.
void checkAll(int64_t length, int64_t lines) {
  for (int64_t kind : kinds)
    for (Layout layout : {Layout::Rows, Layout::Columns, Layout::Apart}) {
      check<float>(kind, layout, length, lines);
      check<double>(kind, layout, length, lines);
    }
}

} // namespace

TEST(FFTTest, ShortLines) {
  for (int64_t length : {1, 2, 3, 4, 5, 7, 16, 31, 60, 127})
    checkAll(length, 21);
}

// Lines of f64 go through vectors from 64 numbers on, those of f32 from 256,
// and reals from twice as many; 8 and 16 divide them, or twice that. Some have
// rows that are transposed twice, and too many of these.
TEST(FFTTest, LinesInVectors) {
  for (int64_t length :
       {64, 72, 88, 128, 176, 240, 256, 272, 400, 512, 720, 800})
    checkAll(length, 3);
}

TEST(FFTTest, LongLines) {
  for (int64_t length : {1024, 1100, 1536})
    checkAll(length, 2);
}

// Columns fill vectors, and some are left; they have rows of their own from 128
// numbers on, unless no divisor is near the root.
TEST(FFTTest, Columns) {
  for (int64_t lines : {4, 8, 15, 16, 17, 33})
    for (int64_t length : {1, 6, 127, 128, 130, 262, 384})
      for (int64_t kind : kinds) {
        check<float>(kind, Layout::Columns, length, lines);
        check<double>(kind, Layout::Columns, length, lines);
      }
}

TEST(FFTTest, Divisors) {
  for (int64_t scaling : {TALLY_RT_FFT_BY_ROOT, TALLY_RT_FFT_BY_LENGTH})
    for (int64_t kind : kinds)
      for (Layout layout : {Layout::Rows, Layout::Columns, Layout::Apart})
        for (int64_t length : {12, 512}) {
          check<float>(kind, layout, length, 18, scaling);
          check<double>(kind, layout, length, 18, scaling);
        }
}
