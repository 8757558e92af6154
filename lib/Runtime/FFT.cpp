//===- FFT.cpp - Fourier transforms by pocketfft --------------------------===//
//
// Lines along the dimension are copied, transformed in place, and written.
// Where there are several, as many as a vector has elements are transformed at
// once, in a vector's lanes: each by the same operations.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

// Threads are those of the context.
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16
#include <pocketfft_hdronly.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

using namespace tally::runtime;
using pocketfft::detail::cmplx;

static int32_t failForMemory(tally_rt_context *ctx) {
  ErrorRecord record;
  record.status = TALLY_RT_OUT_OF_MEMORY;
  record.userMessage = "no memory for a Fourier transform";
  ctx->fail(std::move(record));
  return TALLY_RT_OUT_OF_MEMORY;
}

namespace {

/// What pocketfft has for several numbers at once.
template <typename T>
constexpr size_t kLanes = pocketfft::detail::VLEN<T>::val;
template <typename T>
using Lanes = typename pocketfft::detail::VTYPE<T>::type;

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
    if (isReal())
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

  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *closure);
  bool isReal() const { return args.kind >= TALLY_RT_FFT_REAL_TO_COMPLEX; }
  Line getLine(int64_t number) const;
  /// Transforms as many lines as an element has lanes.
  template <typename Element>
  void transform(const Line *lines, size_t count, Element *buffer) const;
  T read(const Line &line, int64_t at, bool isImaginary) const {
    return line.in[at * args.in_stride + isImaginary * args.in_part_stride];
  }
  void write(const Line &line, int64_t at, bool isImaginary, T value) const {
    line.out[at * args.out_stride + isImaginary * args.out_part_stride] = value;
  }

  const tally_rt_host_fft_args &args;
  size_t length;
  T factor = 1;
  std::shared_ptr<pocketfft::detail::pocketfft_c<T>> complexPlan;
  std::shared_ptr<pocketfft::detail::pocketfft_r<T>> realPlan;
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

/// The half of a transform of reals is in one array: the real part of the
/// first number, both parts of each other one, and, if the length is even, the
/// real part of the last.
template <typename T>
template <typename Element>
void FFT<T>::transform(const Line *lines, size_t count, Element *buffer) const {
  auto lane = [](Element &element, size_t i) -> T & {
    return reinterpret_cast<T *>(&element)[i];
  };
  bool isForward = args.kind != TALLY_RT_FFT_BACKWARD &&
                   args.kind != TALLY_RT_FFT_COMPLEX_TO_REAL;
  auto size = int64_t(length), half = (size + 1) / 2;
  for (size_t i = 0; i < count; ++i) {
    const Line &line = lines[i];
    if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX) {
      for (int64_t at = 0; at < size; ++at)
        lane(buffer[at], i) = read(line, at, false);
    } else if (args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL) {
      lane(buffer[0], i) = read(line, 0, false);
      for (int64_t at = 1; at < half; ++at) {
        lane(buffer[2 * at - 1], i) = read(line, at, false);
        lane(buffer[2 * at], i) = read(line, at, true);
      }
      if (size % 2 == 0)
        lane(buffer[size - 1], i) = read(line, half, false);
    } else {
      for (int64_t at = 0; at < size; ++at) {
        lane(buffer[2 * at], i) = read(line, at, false);
        lane(buffer[2 * at + 1], i) = read(line, at, true);
      }
    }
  }
  if (isReal())
    realPlan->exec(buffer, factor, isForward);
  else
    complexPlan->exec(reinterpret_cast<cmplx<Element> *>(buffer), factor,
                      isForward);
  for (size_t i = 0; i < count; ++i) {
    const Line &line = lines[i];
    if (args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL) {
      for (int64_t at = 0; at < size; ++at)
        write(line, at, false, lane(buffer[at], i));
    } else if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX) {
      write(line, 0, false, lane(buffer[0], i));
      write(line, 0, true, T(0));
      for (int64_t at = 1; at < half; ++at) {
        write(line, at, false, lane(buffer[2 * at - 1], i));
        write(line, at, true, lane(buffer[2 * at], i));
      }
      if (size % 2 == 0) {
        write(line, half, false, lane(buffer[size - 1], i));
        write(line, half, true, T(0));
      }
    } else {
      for (int64_t at = 0; at < size; ++at) {
        write(line, at, false, lane(buffer[2 * at], i));
        write(line, at, true, lane(buffer[2 * at + 1], i));
      }
    }
  }
}

template <typename T>
int32_t FFT<T>::runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                         void *closure) {
  const auto &all = *static_cast<const FFT *>(closure);
  constexpr size_t lanes = kLanes<T>;
  int64_t elements = all.args.length * (all.isReal() ? 1 : 2);
  void *memory = ctx->allocateOnHost(elements * int64_t(lanes * sizeof(T)), 64);
  if (!memory)
    return TALLY_RT_OUT_OF_MEMORY;
  int32_t status = TALLY_RT_OK;
  try {
    int64_t line = begin;
    if constexpr (lanes > 1)
      for (; line + int64_t(lanes) <= end; line += lanes) {
        Line lines[lanes];
        for (size_t i = 0; i < lanes; ++i)
          lines[i] = all.getLine(line + int64_t(i));
        all.transform(lines, lanes, static_cast<Lanes<T> *>(memory));
      }
    for (; line < end; ++line) {
      Line one = all.getLine(line);
      all.transform(&one, 1, static_cast<T *>(memory));
    }
  } catch (const std::bad_alloc &) {
    status = failForMemory(ctx);
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
  auto lanes = int64_t(kLanes<T>);
  auto grain = int64_t(std::max(1.0, 20000 / steps));
  grain = (grain + lanes - 1) / lanes * lanes;
  return tally_rt_parallel_for(ctx, 0, count, grain, runChunk, this);
}

//===----------------------------------------------------------------------===//
// Function of the C interface
//===----------------------------------------------------------------------===//

template <typename T>
static int32_t run(tally_rt_context *ctx, const tally_rt_host_fft_args &args) {
  for (int64_t dim = 0; dim < args.batch_rank; ++dim)
    if (args.batch[dim] == 0)
      return TALLY_RT_OK;
  if (args.length == 0)
    return TALLY_RT_OK;
  try {
    return FFT<T>(args).run(ctx);
  } catch (const std::bad_alloc &) {
    return failForMemory(ctx);
  }
}

int32_t tally_rt_host_fft(tally_rt_context *ctx,
                          const tally_rt_host_fft_args *args) {
  return args->dtype == TALLY_RT_DATA_TYPE(kDLFloat, 32)
             ? run<float>(ctx, *args)
             : run<double>(ctx, *args);
}
