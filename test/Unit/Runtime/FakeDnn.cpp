//===- FakeDnn.cpp - Convolutions over memory of the host -----------------===//
//
// Stands in for libcudnn, for two dimensions and one group. Dilations of 98 and
// 99, which windows of one element may have, make it fail. Of algorithms for
// gradients, it advises first one that is not deterministic, which says so.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstddef>
#include <cstdio>

#define FAKE extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming)

namespace {
struct Descriptor {
  int dims[5], strides[5];
  int stride[3], dilation[3], padding[3];
};
struct Advice {
  int algorithm, status;
  float time;
  size_t workspace;
  int determinism, math, reserved[3];
};
} // namespace

static const Descriptor &get(const void *handle) {
  return *static_cast<const Descriptor *>(handle);
}
static int make(void **handle) {
  *handle = new Descriptor();
  return 0;
}
static int destroy(void *handle) {
  delete static_cast<Descriptor *>(handle);
  return 0;
}

FAKE int cudnnCreate(void **handle) { return make(handle); }
FAKE int cudnnSetStream(void *, void *) { return 0; }
FAKE const char *cudnnGetErrorString(int) { return "CUDNN_STATUS_FAKE"; }
FAKE int cudnnCreateTensorDescriptor(void **tensor) { return make(tensor); }
FAKE int cudnnSetTensorNdDescriptor(void *tensor, int, int rank,
                                    const int *dims, const int *strides) {
  std::copy_n(dims, rank, static_cast<Descriptor *>(tensor)->dims);
  std::copy_n(strides, rank, static_cast<Descriptor *>(tensor)->strides);
  return rank == 4 ? 0 : 1;
}
FAKE int cudnnDestroyTensorDescriptor(void *tensor) { return destroy(tensor); }
FAKE int cudnnCreateFilterDescriptor(void **filter) { return make(filter); }
FAKE int cudnnSetFilterNdDescriptor(void *filter, int, int, int rank,
                                    const int *dims) {
  std::copy_n(dims, rank, static_cast<Descriptor *>(filter)->dims);
  return 0;
}
FAKE int cudnnDestroyFilterDescriptor(void *filter) { return destroy(filter); }
FAKE int cudnnCreateConvolutionDescriptor(void **conv) { return make(conv); }
FAKE int cudnnSetConvolutionNdDescriptor(void *conv, int rank,
                                         const int *padding, const int *stride,
                                         const int *dilation, int, int) {
  std::copy_n(padding, rank, static_cast<Descriptor *>(conv)->padding);
  std::copy_n(stride, rank, static_cast<Descriptor *>(conv)->stride);
  std::copy_n(dilation, rank, static_cast<Descriptor *>(conv)->dilation);
  return 0;
}
FAKE int cudnnSetConvolutionGroupCount(void *, int) { return 0; }
FAKE int cudnnSetConvolutionMathType(void *, int) { return 0; }
FAKE int cudnnDestroyConvolutionDescriptor(void *conv) { return destroy(conv); }
FAKE int cudnnGetConvolutionForwardAlgorithm_v7(void *, void *, void *,
                                                void *conv, void *, int,
                                                int *count, void *advice) {
  *count = get(conv).dilation[1] == 99 ? 0 : 1;
  *static_cast<Advice *>(advice) = {1, 0, 0, 64, 1, 0, {}};
  return 0;
}
FAKE int cudnnGetConvolutionForwardWorkspaceSize(void *, void *, void *, void *,
                                                 void *, int algorithm,
                                                 size_t *bytes) {
  *bytes = 64;
  return algorithm == 1 ? 0 : 1;
}
FAKE int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void *, void *, void *,
                                                       void *, void *, int,
                                                       int *count,
                                                       void *advice) {
  *count = 2;
  static_cast<Advice *>(advice)[0] = {0, 0, 0, 64, 0, 0, {}};
  static_cast<Advice *>(advice)[1] = {1, 0, 0, 64, 1, 0, {}};
  return 0;
}
FAKE int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *, void *, void *,
                                                        void *, void *, int,
                                                        size_t *bytes) {
  *bytes = 64;
  return 0;
}
FAKE int cudnnGetConvolutionBackwardDataAlgorithm_v7(void *handle, void *filter,
                                                     void *result, void *conv,
                                                     void *image, int most,
                                                     int *count, void *advice) {
  return cudnnGetConvolutionBackwardFilterAlgorithm_v7(
      handle, image, result, conv, filter, most, count, advice);
}
FAKE int cudnnGetConvolutionBackwardDataWorkspaceSize(void *, void *, void *,
                                                      void *, void *, int,
                                                      size_t *bytes) {
  *bytes = 64;
  return 0;
}
static void tellOrder(int algorithm) {
  if (algorithm == 0)
    std::fputs("in any order\n", stderr);
}

/// Calls `visit` with the places of an element of the image, of the weight and
/// of the result that belong together.
template <typename Visit>
static void forEachProduct(const Descriptor &in, const Descriptor &window,
                           const Descriptor &out, const Descriptor &how,
                           Visit visit) {
  int taps = window.dims[2] * window.dims[3];
  auto at = [](const Descriptor &tensor, int a, int b, int c, int d) {
    return a * tensor.strides[0] + b * tensor.strides[1] +
           c * tensor.strides[2] + d * tensor.strides[3];
  };
  for (int n = 0; n < out.dims[0]; ++n)
    for (int o = 0; o < out.dims[1]; ++o)
      for (int x = 0; x < out.dims[2] * out.dims[3]; ++x)
        for (int c = 0; c < window.dims[1]; ++c)
          for (int k = 0; k < taps; ++k) {
            int i = x / out.dims[3], j = x % out.dims[3];
            int row = i * how.stride[0] + k / window.dims[3] * how.dilation[0] -
                      how.padding[0];
            int column = j * how.stride[1] +
                         k % window.dims[3] * how.dilation[1] - how.padding[1];
            if (row >= 0 && row < in.dims[2] && column >= 0 &&
                column < in.dims[3])
              visit(at(in, n, c, row, column),
                    (o * window.dims[1] + c) * taps + k, at(out, n, o, i, j));
          }
}

FAKE int cudnnConvolutionForward(void *, const void *, void *image,
                                 const void *x, void *filter, const void *w,
                                 void *conv, int, void *workspace, size_t,
                                 const void *, void *result, void *y) {
  const Descriptor &in = get(image), &out = get(result), &window = get(filter);
  const Descriptor &how = get(conv);
  if (!workspace || how.dilation[1] == 98)
    return 1;
  const auto *images = static_cast<const float *>(x);
  const auto *weights = static_cast<const float *>(w);
  auto *results = static_cast<float *>(y);
  std::fill_n(results, out.dims[0] * out.strides[0], 0.0F);
  forEachProduct(in, window, out, how, [&](int from, int tap, int to) {
    results[to] += weights[tap] * images[from];
  });
  return 0;
}
FAKE int cudnnConvolutionBackwardFilter(void *, const void *, void *image,
                                        const void *x, void *result,
                                        const void *y, void *conv,
                                        int algorithm, void *workspace, size_t,
                                        const void *, void *filter, void *w) {
  const Descriptor &in = get(image), &out = get(result), &window = get(filter);
  if (!workspace)
    return 1;
  tellOrder(algorithm);
  const auto *images = static_cast<const float *>(x);
  const auto *results = static_cast<const float *>(y);
  auto *weights = static_cast<float *>(w);
  std::fill_n(weights,
              window.dims[0] * window.dims[1] * window.dims[2] * window.dims[3],
              0.0F);
  forEachProduct(in, window, out, get(conv), [&](int from, int tap, int to) {
    weights[tap] += results[to] * images[from];
  });
  return 0;
}
FAKE int cudnnConvolutionBackwardData(void *, const void *, void *filter,
                                      const void *w, void *result,
                                      const void *y, void *conv, int algorithm,
                                      void *workspace, size_t, const void *,
                                      void *image, void *x) {
  const Descriptor &in = get(image), &out = get(result), &window = get(filter);
  if (!workspace)
    return 1;
  tellOrder(algorithm);
  const auto *weights = static_cast<const float *>(w);
  const auto *results = static_cast<const float *>(y);
  auto *images = static_cast<float *>(x);
  for (int row = 0; row < in.dims[0] * in.dims[1] * in.dims[2]; ++row)
    std::fill_n(images + row / in.dims[2] * in.strides[1] +
                    row % in.dims[2] * in.strides[2],
                in.dims[3], 0.0F);
  forEachProduct(in, window, out, get(conv), [&](int from, int tap, int to) {
    images[from] += results[to] * weights[tap];
  });
  return 0;
}

// NOLINTEND(readability-identifier-naming)
