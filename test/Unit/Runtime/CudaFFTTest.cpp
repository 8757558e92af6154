//===- CudaFFTTest.cpp - Fourier transforms by a stand-in for cuFFT -------===//
//
// Each test is a process, as the library is loaded once in a process.
//
//===----------------------------------------------------------------------===//

#include "CudaScenario.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <cstdio>

using namespace tally::cuda_test;

/// What the program computes: transforms of some lengths, of three lines each.
static int64_t firstLength, lastLength;
static constexpr int64_t kBatch = 3;

/// How far a buffer is from what is aligned, in floats.
static int64_t shift;

/// The sum that is the number k of a transform, by its definition. Parts
/// without a meaning are not read.
template <typename T>
static std::complex<double> getSum(const tally_rt_fft_args &args, const T *in,
                                   int64_t line, int64_t k) {
  int64_t n = args.length, half = n / 2 + 1;
  std::complex<double> sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    int64_t sign = args.kind % 2 ? 1 : -1;
    std::complex<double> number;
    if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX) {
      number = in[line * n + j];
      sign = -1;
    } else if (args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL) {
      const T *at = in + 2 * (line * half + (j < half ? j : n - j));
      number = {at[0], j < half ? at[1] : -at[1]};
      sign = 1;
      if (2 * j % n == 0)
        number = number.real();
    } else {
      number = {in[2 * (line * n + j)], in[2 * (line * n + j) + 1]};
    }
    sum += number * std::polar(1.0, double(sign) * 2 * M_PI *
                                        double(j * k % n) / double(n));
  }
  return sum;
}

/// Transforms numbers, and tells what is wrong.
template <typename T>
static int32_t transform(tally_rt_context *ctx, int64_t kind, int64_t length) {
  int64_t half = length / 2 + 1;
  bool isFromReal = kind == TALLY_RT_FFT_REAL_TO_COMPLEX;
  bool isToReal = kind == TALLY_RT_FFT_COMPLEX_TO_REAL;
  int64_t inLine = isFromReal ? length : 2 * (isToReal ? half : length);
  int64_t outLine = isToReal ? length : 2 * (isFromReal ? half : length);
  auto allocate = [&](int64_t count) {
    return static_cast<T *>(
               tally_rt_alloc(ctx, (count + shift) * int64_t(sizeof(T)), 64)) +
           shift;
  };
  T *in = allocate(kBatch * inLine), *out = allocate(kBatch * outLine);
  auto get = [](int64_t i) { return T(i * i % 7) - 2; };
  for (int64_t i = 0; i < kBatch * inLine; ++i)
    in[i] = get(i);
  tally_rt_fft_args args = {kind,   TALLY_RT_DATA_TYPE(kDLFloat, 8 * sizeof(T)),
                            length, kBatch,
                            in,     out};
  if (int32_t status = tally_rt_fft(ctx, &args))
    return status;
  // What the sum of nothing is, nobody asks.
  if (length == 0)
    return TALLY_RT_OK;
  for (int64_t i = 0; i < kBatch * inLine; ++i)
    if (in[i] != get(i))
      std::fprintf(stderr, "operand %d of kind %d is overwritten\n", int(i),
                   int(kind));
  for (int64_t i = 0; i < kBatch * outLine; ++i) {
    int64_t part = isToReal ? 0 : i % 2;
    int64_t number = isToReal ? i % outLine : i % outLine / 2;
    std::complex<double> sum = getSum(args, in, i / outLine, number);
    double expected = part ? sum.imag() : sum.real();
    if (!(std::fabs(out[i] - expected) < 1e-5 * double(length)))
      std::fprintf(stderr, "element %d of kind %d, length %d is wrong\n",
                   int(i), int(kind), int(length));
  }
  return TALLY_RT_OK;
}

static int32_t runTransforms(tally_rt_context *ctx, void *const *,
                             void *const *) {
  for (int64_t length = firstLength; length <= lastLength; ++length)
    for (int64_t kind = 0; kind < 4; ++kind) {
      if (int32_t status = transform<float>(ctx, kind, length))
        return status;
      if (int32_t status = transform<double>(ctx, kind, length))
        return status;
    }
  return TALLY_RT_OK;
}

/// Prints the message of an error; returns the calls of libraries.
static int run(const char *library, int64_t first, int64_t last) {
  setenv("TALLY_LIBCUFFT", library, 1);
  loadFake();
  fake->failAt = 0;
  fake->memory = 1 << 24;
  firstLength = first;
  lastLength = last;
  const tally_rt_entry entry = {
      "transforms",  0,       0, 0, 0, nullptr, nullptr, nullptr,
      runTransforms, nullptr, 0, -1};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  if (tally_rt_invoke(&tally::cuda_test::library, &entry, ctx, nullptr, 0,
                      nullptr, 0))
    std::fprintf(stderr, "%s\n", tally_rt_last_error(ctx)->message);
  tally_rt_counters counters;
  tally_rt_get_counters(ctx, &counters);
  tally_rt_context_destroy(ctx);
  if (!isClean())
    return -1;
  return static_cast<int>(counters.library_calls);
}

TEST(CudaFFTDeathTest, transforms) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 1, 9)), testing::ExitedWithCode(64),
              "^$");
}

TEST(CudaFFTDeathTest, alignsOperands) {
  shift = 1;
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 1, 5)), testing::ExitedWithCode(32),
              "^$");
  shift = 0;
}

TEST(CudaFFTDeathTest, transformsNothing) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 0, 0)), testing::ExitedWithCode(0),
              "^$");
}

/// Plans are used again, and not kept forever: 6 for each of 60 lengths.
static int countPlans() {
  int calls = run(TALLY_FAKE_CUDA, 2, 61) + run(TALLY_FAKE_CUDA, 50, 61);
  void *handle = dlopen(TALLY_FAKE_CUDA, RTLD_NOW);
  auto count = [&](const char *name) {
    return int(reinterpret_cast<int64_t (*)()>(dlsym(handle, name))());
  };
  std::fprintf(stderr, "%d plans, %d made", count("fakePlans"),
               count("fakeMadePlans"));
  return calls == 8 * 72 ? 0 : 1;
}

TEST(CudaFFTDeathTest, keepsPlans) {
  EXPECT_EXIT(_exit(countPlans()), testing::ExitedWithCode(0),
              "^256 plans, 360 made$");
}

TEST(CudaFFTDeathTest, fails) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 98, 98)), testing::ExitedWithCode(0),
              "^cannot compute a Fourier transform of length 98: cuFFT: "
              "CUFFT_EXEC_FAILED \\(6\\)\n$");
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 99, 99)), testing::ExitedWithCode(0),
              "^cannot compute a Fourier transform of length 99: cuFFT: "
              "CUFFT_INVALID_SIZE \\(8\\)\n$");
}

TEST(CudaFFTDeathTest, hasNoLibrary) {
  EXPECT_EXIT(_exit(run("/nowhere/libcufft.so", 4, 4)),
              testing::ExitedWithCode(0),
              "^cannot compute a Fourier transform of length 4: "
              "/nowhere/libcufft.so: [^\n]*\n$");
}

TEST(CudaFFTDeathTest, hasAnotherLibrary) {
  EXPECT_EXIT(_exit(run("libm.so.6", 4, 4)), testing::ExitedWithCode(0),
              "^cannot compute a Fourier transform of length 4: "
              "libcufft has no cufftCreate\n$");
}
