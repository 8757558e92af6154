//===- CudaConvolutionTest.cpp - Convolutions by a stand-in for cuDNN -----===//
//
// Each test is a process, as the library is loaded once in a process, which
// also warns once.
//
//===----------------------------------------------------------------------===//

#include "CudaScenario.h"

#include "gtest/gtest.h"

#include <cstdio>

using namespace tally::cuda_test;

static tally_rt_convolution_args convolution;
/// Whether gradients are computed from the result, too.
static bool isGradient;
/// Whether sums have an order.
static bool isDeterministic = true;
/// The results at the end that are not asked for.
static int64_t missing;

/// 2 images of 3 channels become 4 channels; the window has 1 x 2 elements, or
/// 1, which any dilation leaves where it is.
static int32_t runConvolution(tally_rt_context *ctx, void *const *,
                              void *const *) {
  tally_rt_convolution_args &args = convolution;
  const int64_t n = args.batch, c = args.in_channels, o = args.out_channels;
  const int64_t in = args.in[2], k = args.window[2], out = args.out[2];
  auto *x = static_cast<float *>(tally_rt_alloc(ctx, 4 * n * c * in, 64));
  auto *w = static_cast<float *>(tally_rt_alloc(ctx, 4 * o * c * k, 64));
  auto *y = static_cast<float *>(tally_rt_alloc(ctx, 4 * n * o * out, 64));
  // An element of the image, or of what is around it.
  auto read = [&](int64_t image, int64_t channel, int64_t place, int64_t tap) {
    int64_t at =
        place * args.stride[2] + tap * args.dilation[2] - args.padding[2];
    return at < 0 || at >= in ? 0 : x[(image * c + channel) * in + at];
  };
  for (int64_t i = 0; i < n * c * in; ++i)
    x[i] = static_cast<float>(i + 1);
  for (int64_t i = 0; i < o * c * k; ++i)
    w[i] = static_cast<float>(i * i % 7);
  args.image = x;
  args.weight = w;
  args.result = y;
  if (int32_t status =
          tally_rt_convolution(ctx, &args, &missingKernel, &multiplyKernel))
    return status;
  for (int64_t i = 0; i < n * o * out; ++i) {
    int64_t image = i / (o * out), channel = i / out % o, place = i % out;
    float sum = 0;
    for (int64_t j = 0; j < c * k; ++j)
      sum += w[channel * c * k + j] * read(image, j / k, place, j % k);
    if (y[i] != sum)
      std::fprintf(stderr, "element %d is wrong\n", static_cast<int>(i));
  }
  if (!isGradient)
    return TALLY_RT_OK;
  if (int32_t status = tally_rt_weight_gradient(ctx, &args, &missingKernel))
    return status;
  for (int64_t i = 0; i < o * c * k; ++i) {
    int64_t channel = i / (c * k);
    float sum = 0;
    for (int64_t j = 0; j < n * out; ++j)
      sum += y[(j / out * o + channel) * out + j % out] *
             read(j / out, i / k % c, j % out, i % k);
    if (w[i] != sum)
      std::fprintf(stderr, "element %d of the gradient is wrong\n",
                   static_cast<int>(i));
  }
  if (int32_t status = tally_rt_image_gradient(ctx, &args, &missingKernel))
    return status;
  for (int64_t i = 0; i < n * c * in; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < o * out * k; ++j) {
      int64_t channel = j / (out * k), place = j / k % out, tap = j % k;
      int64_t at =
          place * args.stride[2] + tap * args.dilation[2] - args.padding[2];
      if (at == i % in)
        sum += y[(i / (c * in) * o + channel) * out + place] *
               w[(channel * c + i / in % c) * k + tap];
    }
    if (x[i] != sum)
      std::fprintf(stderr, "element %d of the image's gradient is wrong\n",
                   static_cast<int>(i));
  }
  return TALLY_RT_OK;
}

/// Prints the message of an error; returns the calls of libraries.
static int run(const char *library, int64_t window, int64_t dilation,
               int32_t type = TALLY_RT_DATA_TYPE(kDLFloat, 32),
               int64_t padding = 0) {
  setenv("TALLY_LIBCUDNN", library, 1);
  loadFake();
  fake->failAt = 0;
  fake->memory = 1 << 24;
  convolution = {2,
                 1,
                 3,
                 4,
                 {1, 1, 9},
                 {1, 1, window},
                 {1, 1, 9},
                 {1, 1, 1},
                 {1, 1, dilation},
                 {0, 0, padding},
                 nullptr,
                 nullptr,
                 nullptr,
                 type};
  // The image may have elements that no window reaches.
  convolution.out[2] = window == 1 ? 9 : 3;
  if (padding != 0)
    convolution.out[2] = 9 + 2 * padding - (window - 1) * dilation - missing;
  const tally_rt_entry entry = {
      "small",        0,       0, 0, 0, nullptr, nullptr, nullptr,
      runConvolution, nullptr, 0, -1};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  tally_rt_set_deterministic(ctx, isDeterministic);
  if (tally_rt_invoke(&tally::cuda_test::library, &entry, ctx, nullptr, 0,
                      nullptr, 0))
    std::fprintf(stderr, "%s\n", tally_rt_last_error(ctx)->message);
  tally_rt_counters counters;
  tally_rt_get_counters(ctx, &counters);
  return static_cast<int>(counters.library_calls);
}

TEST(CudaConvolutionDeathTest, byLibrary) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 2, 3)), testing::ExitedWithCode(1),
              "^$");
}

TEST(CudaConvolutionDeathTest, pads) {
  EXPECT_EXIT(
      _exit(run(TALLY_FAKE_CUDA, 2, 3, TALLY_RT_DATA_TYPE(kDLFloat, 32), 2)),
      testing::ExitedWithCode(1), "^$");
}

TEST(CudaConvolutionDeathTest, padsUnevenly) {
  missing = 1;
  EXPECT_EXIT(
      _exit(run(TALLY_FAKE_CUDA, 2, 3, TALLY_RT_DATA_TYPE(kDLFloat, 32), 2)),
      testing::ExitedWithCode(0),
      "cuDNN pads both ends of a dimension alike\n");
  missing = 0;
}

TEST(CudaConvolutionDeathTest, givesGradients) {
  isGradient = true;
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 2, 3)), testing::ExitedWithCode(3),
              "^$");
  EXPECT_EXIT(
      _exit(run(TALLY_FAKE_CUDA, 2, 1, TALLY_RT_DATA_TYPE(kDLFloat, 32), 3)),
      testing::ExitedWithCode(3), "^$");
  isGradient = false;
}

TEST(CudaConvolutionDeathTest, sumsInAnyOrder) {
  isGradient = true;
  isDeterministic = false;
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 2, 3)), testing::ExitedWithCode(3),
              "^in any order\nin any order\n$");
  isGradient = false;
  isDeterministic = true;
}

TEST(CudaConvolutionDeathTest, fails) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 1, 98)), testing::ExitedWithCode(0),
              "cannot compute a convolution of 2 images: cuDNN: "
              "CUDNN_STATUS_FAKE");
}

TEST(CudaConvolutionDeathTest, hasNoAlgorithm) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 1, 99)), testing::ExitedWithCode(1),
              "^tally: warning: convolutions run more slowly, without cuDNN: "
              "cuDNN has no engine for such a convolution\n$");
}

TEST(CudaConvolutionDeathTest, hasNoSuchType) {
  EXPECT_EXIT(_exit(run(TALLY_FAKE_CUDA, 1, 1, TALLY_RT_DATA_TYPE(99, 32))),
              testing::ExitedWithCode(0),
              "cuDNN does not support this data type or so large a tensor\n");
}

TEST(CudaConvolutionDeathTest, withoutLibrary) {
  EXPECT_EXIT(_exit(run("/nowhere/libcudnn.so", 1, 1)),
              testing::ExitedWithCode(1),
              "^tally: warning: convolutions run more slowly, without cuDNN: "
              "/nowhere/libcudnn.so: [^\n]*\n$");
}

TEST(CudaConvolutionDeathTest, withoutFunctions) {
  EXPECT_EXIT(_exit(run("libm.so.6", 1, 1)), testing::ExitedWithCode(1),
              "without cuDNN: libcudnn has no cudnnCreate\n$");
}
