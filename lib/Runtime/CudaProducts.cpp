//===- CudaProducts.cpp - Products and convolutions on a GPU --------------===//

#include "CudaProducts.h"
#include "CudaMatmul.h"
#include "CudaPadding.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

using namespace tally::runtime;

/// The threads of a block of both kernels, and the most blocks.
static constexpr int64_t kThreads = 256, kMostBlocks = 65535 * int64_t(16);

/// Copies of windows take so many bytes at a time.
static constexpr int64_t kMostWindowBytes = int64_t(64) << 20;

/// Says once in a process that something is slow, and why.
static void warnOnce(std::atomic<bool> &warned, const char *what,
                     const std::string &why) {
  if (!warned.exchange(true))
    std::fprintf(stderr, "tally: warning: %s: %s\n", what, why.c_str());
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Multiplies with the compiler's own kernel, whose last parameter is the bias,
/// if it has one.
bool CudaProducts::launchFallback(const tally_rt_matmul_args &args,
                                  const tally_rt_kernel &kernel) {
  int64_t elements = args.batch * args.m * args.n;
  const int64_t grid[] = {
      std::min((elements + kThreads - 1) / kThreads, kMostBlocks), 1, 1};
  const int64_t block[] = {kThreads, 1, 1};
  tally_rt_matmul_args copy = args;
  void *arguments[] = {
      &copy.a,        &copy.b,        &copy.c,        &copy.batch, &copy.m,
      &copy.n,        &copy.k,        &copy.lda,      &copy.ldb,   &copy.ldc,
      &copy.stride_a, &copy.stride_b, &copy.stride_c, &copy.bias};
  return call.launch(kernel, grid, block, 0, arguments);
}

/// A product with k == 0 is all zeros.
bool CudaProducts::clearProduct(const tally_rt_matmul_args &args) {
  int32_t dtype = args.result_dtype ? args.result_dtype : args.dtype;
  int64_t size = (dtype & 0xff) / 8;
  bool ok = true;
  for (int64_t b = 0; ok && b < args.batch; ++b)
    ok = call.clearRows(static_cast<char *>(args.c) + b * args.stride_c * size,
                        std::max(args.ldc, args.n) * size, args.n * size,
                        args.m);
  return ok;
}

bool CudaProducts::multiply(const tally_rt_matmul_args &args,
                            const tally_rt_kernel *fallback) {
  if (args.batch == 0 || args.m == 0 || args.n == 0)
    return true;
  if (args.k == 0 && args.bias)
    return fallback ? launchFallback(args, *fallback)
                    : call.fail("cannot add a bias to sums of nothing without "
                                "a kernel");
  if (args.k == 0)
    return clearProduct(args);
  CudaPadding padding(call, args);
  if (!padding.isWorthwhile())
    return multiplyAsIs(args, fallback);
  return padding.run([&](const tally_rt_matmul_args &part) {
    return multiplyAsIs(part, fallback);
  });
}

bool CudaProducts::multiplyAsIs(const tally_rt_matmul_args &args,
                                const tally_rt_kernel *fallback) {
  std::string why;
  switch (call.getDevice().getMatmul().run(call, args, why)) {
  case CudaMatmul::Outcome::Done:
    ++counters.library_calls;
    return true;
  case CudaMatmul::Outcome::Failed:
    return false;
  case CudaMatmul::Outcome::Unsupported:
    break;
  }
  if (!fallback)
    return call.fail("cannot multiply matrices: " + why);
  static std::atomic<bool> warned{false};
  warnOnce(warned, "matrix products run slowly, without cuBLASLt", why);
  return launchFallback(args, *fallback);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Copies of the windows of some images, or of a part of one.
struct CudaProducts::Windows {
  /// The copies, or the images where a window is one element.
  const void *matrices;
  /// A channel of an image has so many of them in a row.
  int64_t pitch;
  int64_t image, images;
  /// Positions of the result.
  int64_t first, count;
};

static int64_t multiplyAll(const int64_t sizes[3]) {
  return sizes[0] * sizes[1] * sizes[2];
}

static int64_t getElementBytes(const tally_rt_convolution_args &args) {
  return (args.dtype & 0xff) / 8;
}

/// The elements of an image, and of its result.
static int64_t getImageSize(const tally_rt_convolution_args &args) {
  return args.groups * args.in_channels * multiplyAll(args.in);
}

static int64_t getResultSize(const tally_rt_convolution_args &args) {
  return args.groups * args.out_channels * multiplyAll(args.out);
}

static int64_t getWeightSize(const tally_rt_convolution_args &args) {
  return args.groups * args.out_channels * args.in_channels *
         multiplyAll(args.window);
}

static void *getImage(const tally_rt_convolution_args &args, int64_t n) {
  return static_cast<char *>(args.image) +
         n * getImageSize(args) * getElementBytes(args);
}

static void *getResult(const tally_rt_convolution_args &args, int64_t n,
                       int64_t position) {
  return static_cast<char *>(args.result) +
         (n * getResultSize(args) + position) * getElementBytes(args);
}

/// How many images cuDNN takes at once, which counts elements with 32 bits.
static int64_t getMostImages(const tally_rt_convolution_args &args) {
  int64_t largest =
      std::max({getImageSize(args), getResultSize(args), int64_t(1)});
  return std::max<int64_t>(INT32_MAX / largest, 1);
}

/// The convolution of at most `count` images from `first` on.
static tally_rt_convolution_args getImages(tally_rt_convolution_args args,
                                           int64_t first, int64_t count) {
  args.image = getImage(args, first);
  args.result = getResult(args, first, 0);
  args.batch = std::min(count, args.batch - first);
  return args;
}

bool CudaProducts::copyWindows(const tally_rt_convolution_args &args,
                               const tally_rt_kernel &kernel,
                               const Windows &block) {
  tally_rt_convolution_args copy = args;
  const void *image = getImage(args, block.image);
  const void *target = block.matrices;
  int64_t rows = block.images * args.groups * args.in_channels;
  int64_t first = block.first, count = block.count;
  void *arguments[] = {&image,
                       &target,
                       &rows,
                       &copy.in[0],
                       &copy.in[1],
                       &copy.in[2],
                       &copy.window[0],
                       &copy.window[1],
                       &copy.window[2],
                       &copy.out[1],
                       &copy.out[2],
                       &copy.stride[0],
                       &copy.stride[1],
                       &copy.stride[2],
                       &copy.dilation[0],
                       &copy.dilation[1],
                       &copy.dilation[2],
                       &copy.padding[0],
                       &copy.padding[1],
                       &copy.padding[2],
                       &first,
                       &count};
  const int64_t grid[] = {
      std::min(rows * multiplyAll(args.window), kMostBlocks), 1, 1};
  const int64_t threads[] = {kThreads, 1, 1};
  return call.launch(kernel, grid, threads, 0, arguments);
}

static void warnAboutConvolutions(const std::string &why) {
  static std::atomic<bool> warned{false};
  warnOnce(warned, "convolutions run more slowly, without cuDNN", why);
}

/// Either the images or the groups of one image are a batch.
bool CudaProducts::multiplyWindows(const tally_rt_convolution_args &args,
                                   const tally_rt_kernel &product,
                                   const Windows &block) {
  int64_t positions = multiplyAll(args.out);
  tally_rt_matmul_args matmul = {};
  matmul.batch = block.images * args.groups;
  matmul.m = args.out_channels;
  matmul.n = block.count;
  matmul.k = args.in_channels * multiplyAll(args.window);
  matmul.a = args.weight;
  matmul.b = block.matrices;
  matmul.c = getResult(args, block.image, block.first);
  matmul.lda = matmul.k;
  matmul.ldb = block.pitch;
  matmul.ldc = positions;
  matmul.stride_a = args.groups > 1 ? matmul.m * matmul.k : 0;
  matmul.stride_b = matmul.k * block.pitch;
  matmul.stride_c = matmul.m * positions;
  matmul.dtype = static_cast<int32_t>(args.dtype);
  return multiply(matmul, &product);
}

/// Whether the windows of all positions are the image as it is.
static bool isPointwise(const tally_rt_convolution_args &args) {
  for (int i = 0; i < 3; ++i)
    if (args.window[i] != 1 || args.stride[i] != 1 || args.padding[i] != 0 ||
        args.in[i] != args.out[i])
      return false;
  return true;
}

bool CudaProducts::convolveByProducts(const tally_rt_convolution_args &args,
                                      const tally_rt_kernel &windows,
                                      const tally_rt_kernel &product) {
  int64_t positions = multiplyAll(args.out);
  int64_t mostImages = args.groups > 1 ? 1 : args.batch;
  bool isCopied = !isPointwise(args);
  // The bytes of all windows at one position.
  int64_t column = args.groups * args.in_channels * multiplyAll(args.window) *
                   getElementBytes(args);
  int64_t most = std::max<int64_t>(kMostWindowBytes / column, 64);
  Windows block = {};
  block.images = isCopied ? std::clamp<int64_t>(most / positions, 1, mostImages)
                          : mostImages;
  block.pitch = isCopied ? std::min(positions, most) : positions;
  void *copies = nullptr;
  if (isCopied &&
      !(copies = call.allocate(column * block.images * block.pitch)))
    return false;
  int64_t images = block.images, pitch = block.pitch;
  bool ok = true;
  for (int64_t n = 0; ok && n < args.batch; n += images)
    for (int64_t first = 0; ok && first < positions; first += pitch) {
      block = {copies, std::min(pitch, positions - first),
               n,      std::min(images, args.batch - n),
               first,  std::min(pitch, positions - first)};
      if (isCopied)
        ok = copyWindows(args, windows, block);
      else
        block.matrices = getImage(args, n);
      ok = ok && multiplyWindows(args, product, block);
    }
  if (copies)
    call.release(copies);
  return ok;
}

/// Computes a convolution or a gradient by cuDNN; `isDone` is false where
/// kernels have to.
bool CudaProducts::runLibrary(const CudaDnn::Task &task,
                              const tally_rt_convolution_args &args,
                              bool &isDone) {
  std::string why;
  isDone = true;
  switch (call.getDevice().getDnn().run(call, task, args, why)) {
  case CudaDnn::Outcome::Done:
    ++counters.library_calls;
    return true;
  case CudaDnn::Outcome::Failed:
    return false;
  case CudaDnn::Outcome::Unsupported:
    break;
  }
  warnAboutConvolutions(why);
  isDone = false;
  return true;
}

bool CudaProducts::convolvePart(const tally_rt_convolution_args &args,
                                const tally_rt_kernel &windows,
                                const tally_rt_kernel &product) {
  bool isDone = false;
  if (!runLibrary({CudaDnn::Kind::Forward, anyOrder}, args, isDone))
    return false;
  return isDone || convolveByProducts(args, windows, product);
}

bool CudaProducts::convolve(const tally_rt_convolution_args &args,
                            const tally_rt_kernel &windows,
                            const tally_rt_kernel &product) {
  int64_t result = getResultSize(args);
  if (args.batch == 0 || result == 0)
    return true;
  if (getImageSize(args) * multiplyAll(args.window) == 0) {
    int64_t bytes = result * getElementBytes(args);
    return call.clearRows(args.result, bytes, bytes, args.batch);
  }
  int64_t most = getMostImages(args);
  bool ok = true;
  for (int64_t n = 0; ok && n < args.batch; n += most)
    ok = convolvePart(getImages(args, n, most), windows, product);
  return ok;
}

bool CudaProducts::launchGradient(const tally_rt_convolution_args &args,
                                  int64_t elements,
                                  const tally_rt_kernel &kernel) {
  tally_rt_convolution_args copy = args;
  std::vector<void *> arguments{
      &copy.image,  &copy.result,      &copy.weight,      &copy.batch,
      &copy.groups, &copy.in_channels, &copy.out_channels};
  for (int64_t *three : {copy.in, copy.window, copy.out, copy.stride,
                         copy.dilation, copy.padding})
    for (int i = 0; i < 3; ++i)
      arguments.push_back(three + i);
  const int64_t grid[] = {
      std::min((elements + kThreads - 1) / kThreads, kMostBlocks), 1, 1};
  const int64_t block[] = {kThreads, 1, 1};
  return call.launch(kernel, grid, block, 0, arguments.data());
}

bool CudaProducts::computeWeightGradient(const tally_rt_convolution_args &args,
                                         const tally_rt_kernel &fallback) {
  int64_t bytes = getWeightSize(args) * getElementBytes(args);
  if (bytes == 0)
    return true;
  if (args.batch * getImageSize(args) * multiplyAll(args.out) == 0)
    return call.clearRows(args.weight, bytes, bytes, 1);
  int64_t most = getMostImages(args);
  for (int64_t n = 0; n < args.batch; n += most) {
    bool isDone = false;
    if (!runLibrary({CudaDnn::Kind::WeightGradient, anyOrder,
                     /*adds=*/n > 0},
                    getImages(args, n, most), isDone))
      return false;
    if (!isDone)
      return launchGradient(args, getWeightSize(args), fallback);
  }
  return true;
}

bool CudaProducts::computeImageGradient(const tally_rt_convolution_args &args,
                                        const tally_rt_kernel &fallback) {
  int64_t elements = args.batch * getImageSize(args);
  int64_t bytes = elements * getElementBytes(args);
  if (bytes == 0)
    return true;
  bool isZero = getResultSize(args) * multiplyAll(args.window) == 0;
  if ((isZero || !CudaDnn::writesAll(args)) &&
      !call.clearRows(args.image, bytes, bytes, 1))
    return false;
  int64_t most = getMostImages(args);
  for (int64_t n = 0; !isZero && n < args.batch; n += most) {
    bool isDone = false;
    if (!runLibrary({CudaDnn::Kind::ImageGradient, anyOrder},
                    getImages(args, n, most), isDone))
      return false;
    if (!isDone)
      return launchGradient(args, elements, fallback);
  }
  return true;
}
