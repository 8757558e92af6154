//===- FFTKernels.h - Fourier transforms, for one level ---------*- C++ -*-===//
//
// Included by one file for each level of processors, which defines
//
//   TALLY_FFT_LEVEL   the name of the FFTLevel
//
// Lines along the dimension are copied, transformed in place, and written.
// Where there are several, as many as a vector has elements are transformed at
// once, in a vector's lanes: each by the same operations, so that all levels
// give the same numbers.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "FFT.h"

// The linker keeps one copy of an inline function for all files: each level has
// pocketfft under a name of its own.
#define TALLY_FFT_JOIN(a, b) a##b
#define TALLY_FFT_NAME(level) TALLY_FFT_JOIN(pocketfft_, level)
#define pocketfft TALLY_FFT_NAME(TALLY_FFT_LEVEL)
// Threads are those of the context.
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16
#include <pocketfft_hdronly.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

using namespace tally::runtime;
using pocketfft::detail::cmplx;

#include "FFTLine.h"

#include "FFTColumns.h"

namespace {

/// What pocketfft has for several numbers at once.
template <typename T>
constexpr size_t kLanes = pocketfft::detail::VLEN<T>::val;
template <typename T>
using Lanes = typename pocketfft::detail::VTYPE<T>::type;

/// So many numbers of each line are copied before the next line's, so that what
/// they go to stays in the first cache.
constexpr int64_t kBlock = 16;

/// The lines of a tensor.
template <typename T>
class FFT {
public:
  explicit FFT(const tally_rt_host_fft_args &args)
      : args(args), length(size_t(args.length)) {
    if (args.scaling == TALLY_RT_FFT_BY_ROOT)
      factor = T(1 / std::sqrt(static_cast<long double>(args.length)));
    if (args.scaling == TALLY_RT_FFT_BY_LENGTH)
      factor = T(1 / static_cast<long double>(args.length));
    using namespace pocketfft::detail;
    if (isDenseReal() && RealLineTransform<T>::fits(length))
      realLine = get_plan<RealLineTransform<T>>(length);
    else if (isDenseComplex() && LineTransform<T>::fits(length))
      complexLine = get_plan<LineTransform<T>>(length);
    else if (hasColumns())
      columns = get_plan<ColumnTransform<T>>(length);
    else if (isReal())
      realPlan = get_plan<pocketfft_r<T>>(length);
    else
      complexPlan = get_plan<pocketfft_c<T>>(length);
  }

  int32_t run(tally_rt_context *ctx);

private:
  /// A line in the input and in the output.
  struct Line {
    const T *in;
    T *out;
  };
  /// Where a part of the numbers from one index to another is in a buffer.
  struct Part {
    int64_t begin, end;
    bool isImaginary;
    int64_t step, offset;
  };

  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *closure);
  bool isReal() const { return args.kind >= TALLY_RT_FFT_REAL_TO_COMPLEX; }
  Line getLine(int64_t number) const;
  /// Transforms as many lines as an element has lanes.
  template <typename Element>
  void transform(const Line *lines, Element *buffer) const;
  /// Transform lines as many at once as a vector has elements, lines in the
  /// lanes of vectors, or columns.
  void transformSome(int64_t begin, int64_t end, void *memory) const;
  void transformAlone(int64_t begin, int64_t end, void *memory) const;
  void transformColumns(int64_t begin, int64_t end, void *memory) const;
  /// The bytes that they need.
  int64_t getMemoryBytes() const;
  /// Whether both parts of a number are next to each other, and numbers too.
  static bool isDense(int64_t stride, int64_t partStride) {
    return stride == 2 && partStride == 1;
  }
  /// Whether lines have no gaps on either side.
  bool isDenseComplex() const {
    return !isReal() && isDense(args.in_stride, args.in_part_stride) &&
           isDense(args.out_stride, args.out_part_stride);
  }
  /// Whether pairs of most vectors of lines are next to each other.
  bool hasColumns() const {
    if (isReal() || args.batch_rank == 0 || args.in_part_stride != 1 ||
        args.out_part_stride != 1)
      return false;
    const int64_t *inner = args.batch + args.batch_rank - 1;
    return 2 * size_t(inner[0]) >= Parts<T>::size &&
           inner[args.batch_rank] == 2 && inner[2 * args.batch_rank] == 2;
  }
  bool isDenseReal() const {
    if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX)
      return args.in_stride == 1 &&
             isDense(args.out_stride, args.out_part_stride);
    return args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL && args.out_stride == 1 &&
           isDense(args.in_stride, args.in_part_stride);
  }
  /// Copy what is transformed, and what became of it: a part of the numbers,
  /// the half of a transform of reals, or what the kind of transform has.
  template <size_t count>
  void read(const Line *lines, T *buffer, Part part) const;
  template <size_t count>
  void write(const Line *lines, const T *buffer, Part part) const;
  template <size_t count>
  void readHalf(const Line *lines, T *buffer) const;
  template <size_t count>
  void writeHalf(const Line *lines, const T *buffer) const;
  template <size_t count>
  void readLines(const Line *lines, T *buffer) const;
  template <size_t count>
  void writeLines(const Line *lines, const T *buffer) const;

  const tally_rt_host_fft_args &args;
  size_t length;
  T factor = 1;
  std::shared_ptr<pocketfft::detail::pocketfft_c<T>> complexPlan;
  std::shared_ptr<pocketfft::detail::pocketfft_r<T>> realPlan;
  std::shared_ptr<LineTransform<T>> complexLine;
  std::shared_ptr<RealLineTransform<T>> realLine;
  std::shared_ptr<ColumnTransform<T>> columns;
};

} // namespace

template <typename T>
typename FFT<T>::Line FFT<T>::getLine(int64_t number) const {
  Line line{static_cast<const T *>(args.in), static_cast<T *>(args.out)};
  const int64_t *sizes = args.batch, *inStrides = sizes + args.batch_rank,
                *outStrides = inStrides + args.batch_rank;
  for (int64_t dim = args.batch_rank; dim-- > 0;) {
    int64_t index = number % sizes[dim];
    number /= sizes[dim];
    line.in += index * inStrides[dim];
    line.out += index * outStrides[dim];
  }
  return line;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// How far a line is from the one before it, if it is the same for all and 1 or
/// 2, as those of columns are; 0 if it is not.
template <size_t count, typename GetStart>
static int64_t getDistance(GetStart getStart) {
  if constexpr (count > 1) {
    int64_t distance = getStart(1) - getStart(0);
    for (size_t i = 2; i < count; ++i)
      if (getStart(i) - getStart(i - 1) != distance)
        return 0;
    return distance == 1 || distance == 2 ? distance : 0;
  }
  return 0;
}

/// Copies `numbers` neighbors of each line to a buffer in which those of all
/// lines alternate.
template <typename T, size_t count, typename GetLine>
static void readRows(GetLine getLine, T *buffer, int64_t numbers) {
  int64_t at = 0;
  if constexpr (count > 1)
    for (; at + int64_t(count) <= numbers; at += count) {
      Lanes<T> rows[count];
      for (size_t i = 0; i < count; ++i)
        std::memcpy(&rows[i], getLine(i) + at, sizeof(rows[i]));
      Square<Lanes<T>, kLanes<T>>::transpose(rows);
      std::memcpy(buffer + at * int64_t(count), rows, sizeof(rows));
    }
  for (; at < numbers; ++at)
    for (size_t i = 0; i < count; ++i)
      buffer[at * int64_t(count) + int64_t(i)] = getLine(i)[at];
}

/// Copies them back.
template <typename T, size_t count, typename GetLine>
static void writeRows(GetLine getLine, const T *buffer, int64_t numbers) {
  int64_t at = 0;
  if constexpr (count > 1)
    for (; at + int64_t(count) <= numbers; at += count) {
      Lanes<T> rows[count];
      std::memcpy(rows, buffer + at * int64_t(count), sizeof(rows));
      Square<Lanes<T>, kLanes<T>>::transpose(rows);
      for (size_t i = 0; i < count; ++i)
        std::memcpy(getLine(i) + at, &rows[i], sizeof(rows[i]));
    }
  for (; at < numbers; ++at)
    for (size_t i = 0; i < count; ++i)
      getLine(i)[at] = buffer[at * int64_t(count) + int64_t(i)];
}

/// Goes through the numbers of a part: through those of all lines at once where
/// these are neighbors, which makes vectors, else block by block.
template <size_t count, typename Copy>
static void forEachNumber(int64_t begin, int64_t end, int64_t distance,
                          Copy copy) {
  if (distance == 0) {
    for (int64_t from = begin; from < end; from += kBlock)
      for (size_t i = 0; i < count; ++i)
        for (int64_t at = from; at < std::min(from + kBlock, end); ++at)
          copy(at, i, int64_t(0));
    return;
  }
  // Constants make two loops.
  for (int64_t at = begin; at < end; ++at)
    if (distance == 1)
      for (size_t i = 0; i < count; ++i)
        copy(at, i, int64_t(1));
    else
      for (size_t i = 0; i < count; ++i)
        copy(at, i, int64_t(2));
}

template <typename T>
template <size_t count>
void FFT<T>::read(const Line *lines, T *buffer, Part part) const {
  int64_t start = part.isImaginary * args.in_part_stride;
  const T *first = lines[0].in + start;
  int64_t distance =
      getDistance<count>([&](size_t i) { return lines[i].in - lines[0].in; });
  forEachNumber<count>(
      part.begin, part.end, distance, [&](int64_t at, size_t i, int64_t step) {
        const T *line = step ? first + int64_t(i) * step : lines[i].in + start;
        buffer[(part.step * at + part.offset) * int64_t(count) + int64_t(i)] =
            line[at * args.in_stride];
      });
}

template <typename T>
template <size_t count>
void FFT<T>::write(const Line *lines, const T *buffer, Part part) const {
  int64_t start = part.isImaginary * args.out_part_stride;
  T *first = lines[0].out + start;
  int64_t distance =
      getDistance<count>([&](size_t i) { return lines[i].out - lines[0].out; });
  forEachNumber<count>(
      part.begin, part.end, distance, [&](int64_t at, size_t i, int64_t step) {
        T *line = step ? first + int64_t(i) * step : lines[i].out + start;
        line[at * args.out_stride] =
            buffer[(part.step * at + part.offset) * int64_t(count) +
                   int64_t(i)];
      });
}

/// The half of a transform of reals is in one array: the real part of the
/// first number, both parts of each other one, and, if the length is even, the
/// real part of the last.
template <typename T>
template <size_t count>
void FFT<T>::readHalf(const Line *lines, T *buffer) const {
  auto size = int64_t(length), half = (size + 1) / 2;
  read<count>(lines, buffer, {0, 1, false, 1, 0});
  if (isDense(args.in_stride, args.in_part_stride)) {
    auto getLine = [&](size_t i) { return lines[i].in + 2; };
    return readRows<T, count>(getLine, buffer + count, size - 1);
  }
  read<count>(lines, buffer, {1, half, false, 2, -1});
  read<count>(lines, buffer, {1, half, true, 2, 0});
  if (size % 2 == 0)
    read<count>(lines, buffer, {half, half + 1, false, 2, -1});
}

template <typename T>
template <size_t count>
void FFT<T>::writeHalf(const Line *lines, const T *buffer) const {
  auto size = int64_t(length), half = (size + 1) / 2;
  write<count>(lines, buffer, {0, 1, false, 1, 0});
  if (isDense(args.out_stride, args.out_part_stride)) {
    auto getLine = [&](size_t i) { return lines[i].out + 2; };
    writeRows<T, count>(getLine, buffer + count, size - 1);
  } else {
    write<count>(lines, buffer, {1, half, false, 2, -1});
    write<count>(lines, buffer, {1, half, true, 2, 0});
    if (size % 2 == 0)
      write<count>(lines, buffer, {half, half + 1, false, 2, -1});
  }
  for (size_t i = 0; i < count; ++i) {
    T *imaginary = lines[i].out + args.out_part_stride;
    imaginary[0] = T(0);
    if (size % 2 == 0)
      imaginary[half * args.out_stride] = T(0);
  }
}

template <typename T>
template <size_t count>
void FFT<T>::readLines(const Line *lines, T *buffer) const {
  auto size = int64_t(length);
  auto getLine = [&](size_t i) { return lines[i].in; };
  if (args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL)
    return readHalf<count>(lines, buffer);
  if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX) {
    if (args.in_stride == 1)
      return readRows<T, count>(getLine, buffer, size);
    return read<count>(lines, buffer, {0, size, false, 1, 0});
  }
  if (isDense(args.in_stride, args.in_part_stride))
    return readRows<T, count>(getLine, buffer, 2 * size);
  read<count>(lines, buffer, {0, size, false, 2, 0});
  read<count>(lines, buffer, {0, size, true, 2, 1});
}

template <typename T>
template <size_t count>
void FFT<T>::writeLines(const Line *lines, const T *buffer) const {
  auto size = int64_t(length);
  auto getLine = [&](size_t i) { return lines[i].out; };
  if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX)
    return writeHalf<count>(lines, buffer);
  if (args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL) {
    if (args.out_stride == 1)
      return writeRows<T, count>(getLine, buffer, size);
    return write<count>(lines, buffer, {0, size, false, 1, 0});
  }
  if (isDense(args.out_stride, args.out_part_stride))
    return writeRows<T, count>(getLine, buffer, 2 * size);
  write<count>(lines, buffer, {0, size, false, 2, 0});
  write<count>(lines, buffer, {0, size, true, 2, 1});
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

template <typename T>
template <typename Element>
void FFT<T>::transform(const Line *lines, Element *buffer) const {
  constexpr size_t count = sizeof(Element) / sizeof(T);
  T *numbers = reinterpret_cast<T *>(buffer);
  bool isForward = args.kind != TALLY_RT_FFT_BACKWARD &&
                   args.kind != TALLY_RT_FFT_COMPLEX_TO_REAL;
  readLines<count>(lines, numbers);
  if (isReal())
    realPlan->exec(buffer, factor, isForward);
  else
    complexPlan->exec(reinterpret_cast<cmplx<Element> *>(buffer), factor,
                      isForward);
  writeLines<count>(lines, numbers);
}

template <typename T>
void FFT<T>::transformSome(int64_t begin, int64_t end, void *memory) const {
  constexpr size_t lanes = kLanes<T>;
  int64_t line = begin;
  if constexpr (lanes > 1)
    for (; line + int64_t(lanes) <= end; line += lanes) {
      Line lines[lanes];
      for (size_t i = 0; i < lanes; ++i)
        lines[i] = getLine(line + int64_t(i));
      transform(lines, static_cast<Lanes<T> *>(memory));
    }
  for (; line < end; ++line) {
    Line one = getLine(line);
    transform(&one, static_cast<T *>(memory));
  }
}

template <typename T>
void FFT<T>::transformAlone(int64_t begin, int64_t end, void *memory) const {
  auto *rows = static_cast<typename Parts<T>::Complex *>(memory);
  bool isForward = args.kind == TALLY_RT_FFT_FORWARD ||
                   args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX;
  for (int64_t number = begin; number < end; ++number) {
    auto [in, out] = getLine(number);
    if (realLine && isForward)
      realLine->forward(in, out, rows, factor);
    else if (realLine)
      realLine->backward(in, out, rows, factor);
    else if (isForward)
      complexLine->forward(in, out, rows, factor);
    else
      complexLine->backward(in, out, rows, factor);
  }
}

template <typename T>
void FFT<T>::transformColumns(int64_t begin, int64_t end, void *memory) const {
  auto *vectors = static_cast<typename Parts<T>::Complex *>(memory);
  int64_t inner = args.batch[args.batch_rank - 1];
  for (int64_t line = begin; line < end;) {
    auto [in, out] = getLine(line);
    int64_t count =
        std::min({int64_t(Parts<T>::size), end - line, inner - line % inner});
    columns->exec({in, args.in_stride, out, args.out_stride, size_t(count)},
                  vectors, factor, args.kind == TALLY_RT_FFT_FORWARD);
    line += count;
  }
}

template <typename T>
int64_t FFT<T>::getMemoryBytes() const {
  if (columns)
    return int64_t(columns->getVectors() * sizeof(typename Parts<T>::Complex));
  // Transforms of a line of reals keep the pairs and their transform.
  int64_t bytes = args.length * int64_t(sizeof(T));
  if (realLine || complexLine)
    return 2 * bytes;
  return (isReal() ? 1 : 2) * bytes * int64_t(kLanes<T>);
}

template <typename T>
int32_t FFT<T>::runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                         void *closure) {
  const auto &all = *static_cast<const FFT *>(closure);
  void *memory = ctx->allocateOnHost(all.getMemoryBytes(), 64);
  if (!memory)
    return TALLY_RT_OUT_OF_MEMORY;
  int32_t status = TALLY_RT_OK;
  try {
    if (all.columns)
      all.transformColumns(begin, end, memory);
    else if (all.realLine || all.complexLine)
      all.transformAlone(begin, end, memory);
    else
      all.transformSome(begin, end, memory);
  } catch (const std::bad_alloc &) {
    status = failForFFTMemory(ctx);
  }
  ctx->release(memory);
  return status;
}

template <typename T>
int32_t FFT<T>::run(tally_rt_context *ctx) {
  int64_t count = 1;
  for (int64_t dim = 0; dim < args.batch_rank; ++dim)
    count *= args.batch[dim];
  double steps = double(length) * (std::log2(double(length)) + 1);
  auto lanes = int64_t(Parts<T>::size);
  auto grain = int64_t(std::max(1.0, 20000 / steps));
  grain = (grain + lanes - 1) / lanes * lanes;
  return tally_rt_parallel_for(ctx, 0, count, grain, runChunk, this);
}

template <typename T>
static int32_t runLines(tally_rt_context *ctx,
                        const tally_rt_host_fft_args &args) {
  try {
    return FFT<T>(args).run(ctx);
  } catch (const std::bad_alloc &) {
    return failForFFTMemory(ctx);
  }
}

static int32_t runLevel(tally_rt_context *ctx,
                        const tally_rt_host_fft_args &args) {
  return args.dtype == TALLY_RT_DATA_TYPE(kDLFloat, 32)
             ? runLines<float>(ctx, args)
             : runLines<double>(ctx, args);
}

const FFTLevel tally::runtime::TALLY_FFT_LEVEL = {runLevel};
