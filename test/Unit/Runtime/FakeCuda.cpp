//===- FakeCuda.cpp - A driver over memory of the host --------------------===//

#include "FakeCuda.h"
#include "CudaDriver.h"
#include "tally/Runtime/tally_runtime.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <vector>

// The names are those of CUDA.
// NOLINTBEGIN(readability-identifier-naming)

#define FAKE extern "C" __attribute__((visibility("default")))

using namespace tally::runtime;
using cuda::Context;
using cuda::Pointer;
using cuda::Result;
using cuda::Stream;

FAKE FakeCuda fakeCuda;
FakeCuda fakeCuda = {0, nullptr, 1 << 24, 0,       0,       0,       0, 0, 0,
                     0, 0,       0,       nullptr, nullptr, nullptr, 0, 0};

static std::recursive_mutex mutex;
static std::map<Pointer, size_t> blocks;
static std::set<void *> hostBlocks;
static thread_local std::vector<Context> contexts;
static char deviceContexts[2];

FAKE int64_t fakeCudaDepth() { return static_cast<int64_t>(contexts.size()); }

/// Counts a call. Returns whether it is the one to fail.
static bool isToFail(const char *name) {
  ++fakeCuda.calls;
  if (fakeCuda.failAt == 0 || --fakeCuda.failAt > 0)
    return false;
  fakeCuda.failed = name;
  return true;
}

static Result misuse(const char *name) {
  ++fakeCuda.misuses;
  fakeCuda.misuse = name;
  return 1;
}

/// Begins a function of the driver.
#define ENTER()                                                                \
  std::lock_guard<std::recursive_mutex> lock(mutex);                           \
  if (isToFail(__func__))                                                      \
    return 999;
/// Begins one that needs a current context.
#define ENTER_CONTEXT()                                                        \
  ENTER();                                                                     \
  if (contexts.empty())                                                        \
    return misuse(__func__);

/// Returns whether all of this memory is of one block.
static bool isLive(Pointer pointer, size_t bytes) {
  auto it = blocks.upper_bound(pointer);
  if (it == blocks.begin())
    return false;
  --it;
  return pointer - it->first + bytes <= it->second;
}

template <typename T>
static T *at(Pointer pointer) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(pointer));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

template <typename T>
static T argument(void **arguments, int index) {
  return *static_cast<T *>(arguments[index]);
}

/// out[i] = in[i] + c[0]
static void add(void **arguments) {
  auto *out = argument<float *>(arguments, 0);
  auto *in = argument<const float *>(arguments, 1);
  auto *c = argument<const float *>(arguments, 2);
  auto count = argument<int64_t>(arguments, 3);
  for (int64_t i = 0; i < count; ++i)
    out[i] = in[i] + c[0];
}

/// Fails assert 0 with its argument where that is negative.
static void check(void **arguments) {
  auto *error = argument<tally_rt_device_error *>(arguments, 0);
  auto value = argument<int64_t>(arguments, 1);
  if (value >= 0 || error->state != 0)
    return;
  error->state = 1;
  error->count = 1;
  error->values[0] = value;
}

/// The copy between layouts of the runtime.
static void copyStrided(void **arguments, size_t elementBytes) {
  struct Parameters {
    Pointer source, target;
    uint64_t count, rank;
    int64_t sizes[16], sourceStrides[16], targetStrides[16];
  };
  const auto &copy = *static_cast<const Parameters *>(arguments[0]);
  for (uint64_t i = 0; i < copy.count; ++i) {
    Pointer from = copy.source, to = copy.target;
    uint64_t rest = i;
    for (uint64_t d = copy.rank; d-- > 0; rest /= copy.sizes[d]) {
      from += rest % copy.sizes[d] * copy.sourceStrides[d];
      to += rest % copy.sizes[d] * copy.targetStrides[d];
    }
    if (!isLive(from, elementBytes) || !isLive(to, elementBytes)) {
      misuse("copyStrided");
      return;
    }
    std::memcpy(at<char>(to), at<char>(from), elementBytes);
  }
}

/// The copy of rows of the runtime, with zeros behind and below them.
static void copyRows(void **arguments, size_t elementBytes) {
  struct Parameters {
    Pointer source, target;
    uint64_t rows, columns, allRows, allColumns, sourcePitch, targetPitch;
  };
  const auto &copy = *static_cast<const Parameters *>(arguments[0]);
  for (uint64_t row = 0; row < copy.allRows; ++row)
    for (uint64_t column = 0; column < copy.allColumns; ++column) {
      uint64_t offset = column * elementBytes;
      Pointer from = copy.source + row * copy.sourcePitch + offset;
      Pointer to = copy.target + row * copy.targetPitch + offset;
      bool isInside = row < copy.rows && column < copy.columns;
      if ((isInside && !isLive(from, elementBytes)) ||
          !isLive(to, elementBytes)) {
        misuse("copyRows");
        return;
      }
      if (isInside)
        std::memcpy(at<char>(to), at<char>(from), elementBytes);
      else
        std::memset(at<char>(to), 0, elementBytes);
    }
}

/// C = A B of one matrix, to tell it from what cuBLASLt does: plus 1000.
static void multiply(void **arguments) {
  auto *a = argument<const float *>(arguments, 0);
  auto *b = argument<const float *>(arguments, 1);
  auto *c = argument<float *>(arguments, 2);
  int64_t sizes[10];
  for (int i = 0; i < 10; ++i)
    sizes[i] = argument<int64_t>(arguments, 3 + i);
  int64_t m = sizes[1], n = sizes[2], k = sizes[3];
  for (int64_t i = 0; i < m * n; ++i) {
    c[i / n * sizes[6] + i % n] = 1000;
    for (int64_t l = 0; l < k; ++l)
      c[i / n * sizes[6] + i % n] +=
          a[i / n * sizes[4] + l] * b[l * sizes[5] + i % n];
  }
}

static bool runKernel(const std::string &name, void **arguments) {
  if (name == "add")
    add(arguments);
  else if (name == "check")
    check(arguments);
  else if (name == "multiply")
    multiply(arguments);
  else if (name.rfind("tally_copy_rows_", 0) == 0)
    copyRows(arguments, std::atoi(name.c_str() + 16) / 8);
  else if (name.rfind("tally_copy_", 0) == 0)
    copyStrided(arguments, std::atoi(name.c_str() + 11) / 8);
  else
    return false;
  fakeCuda.copyLaunches += name.rfind("tally_copy_", 0) == 0;
  return true;
}

//===----------------------------------------------------------------------===//
// Devices, contexts and modules
//===----------------------------------------------------------------------===//

FAKE Result cuInit(unsigned) {
  ENTER();
  return 0;
}
FAKE Result cuGetErrorName(Result result, const char **name) {
  *name = result == 999   ? "CUDA_ERROR_UNKNOWN"
          : result == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 218 ? "CUDA_ERROR_INVALID_PTX"
          : result == 500 ? "CUDA_ERROR_NOT_FOUND"
                          : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
FAKE Result cuGetErrorString(Result, const char **text) {
  *text = "as the driver says";
  return 0;
}
FAKE Result cuDeviceGetCount(int *count) {
  ENTER();
  *count = 2;
  return 0;
}
FAKE Result cuDeviceGet(int *device, int ordinal) {
  ENTER();
  *device = ordinal;
  return 0;
}
FAKE Result cuDeviceGetName(char *name, int size, int) {
  ENTER();
  std::strncpy(name, "Fake GPU", size);
  return 0;
}
FAKE Result cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER();
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 132;
  return 0;
}
FAKE Result cuDeviceTotalMem_v2(size_t *bytes, int) {
  ENTER();
  *bytes = 1 << 30;
  return 0;
}
FAKE Result cuDevicePrimaryCtxRetain(Context *context, int device) {
  ENTER();
  *context = reinterpret_cast<Context>(&deviceContexts[device]);
  return 0;
}
FAKE Result cuDevicePrimaryCtxRelease_v2(int) {
  ENTER();
  return 0;
}
FAKE Result cuCtxGetCurrent(Context *context) {
  ENTER();
  *context = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
FAKE Result cuCtxGetDevice(int *device) {
  ENTER_CONTEXT();
  *device = static_cast<int>(reinterpret_cast<char *>(contexts.back()) -
                             deviceContexts);
  return 0;
}
FAKE Result cuCtxPushCurrent_v2(Context context) {
  ENTER();
  contexts.push_back(context);
  return 0;
}
FAKE Result cuCtxPopCurrent_v2(Context *context) {
  ENTER_CONTEXT();
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
FAKE Result cuCtxSynchronize() {
  ENTER_CONTEXT();
  return 0;
}
FAKE Result cuModuleLoadDataEx(cuda::Module *module, const void *image,
                               unsigned count, int *options, void **values) {
  ENTER_CONTEXT();
  fakeCuda.image = static_cast<const char *>(image);
  if (std::strcmp(fakeCuda.image, "bad") == 0) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "line 1: syntax error");
    return 218;
  }
  ++fakeCuda.liveModules;
  *module = reinterpret_cast<cuda::Module>(new char);
  return 0;
}
FAKE Result cuModuleGetFunction(cuda::Function *function, cuda::Module,
                                const char *name) {
  ENTER_CONTEXT();
  static std::set<std::string> names;
  if (std::strcmp(name, "missing") == 0)
    return 500;
  *function = reinterpret_cast<cuda::Function>(
      const_cast<std::string *>(&*names.insert(name).first));
  return 0;
}
FAKE Result cuModuleUnload(cuda::Module module) {
  ENTER_CONTEXT();
  --fakeCuda.liveModules;
  delete reinterpret_cast<char *>(module);
  return 0;
}
FAKE Result cuFuncSetAttribute(cuda::Function, int, int) {
  ENTER_CONTEXT();
  return 0;
}
FAKE Result cuLaunchKernel(cuda::Function function, unsigned gridX,
                           unsigned gridY, unsigned gridZ, unsigned blockX,
                           unsigned blockY, unsigned blockZ, unsigned,
                           Stream stream, void **arguments, void **) {
  ENTER_CONTEXT();
  uint64_t grid = uint64_t(gridX) * gridY * gridZ;
  uint64_t threads = uint64_t(blockX) * blockY * blockZ;
  if (grid == 0 || threads == 0 || threads > 1024)
    return 1;
  ++fakeCuda.launches;
  fakeCuda.stream = stream;
  return runKernel(*reinterpret_cast<std::string *>(function), arguments) ? 0
                                                                          : 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FAKE Result cuMemPoolCreate(cuda::Pool *pool, const cuda::PoolProperties *) {
  ENTER();
  *pool = reinterpret_cast<cuda::Pool>(new char);
  return 0;
}
FAKE Result cuMemPoolSetAttribute(cuda::Pool, int, void *) {
  ENTER();
  return 0;
}
FAKE Result cuMemPoolDestroy(cuda::Pool pool) {
  ENTER();
  delete reinterpret_cast<char *>(pool);
  return 0;
}
FAKE Result cuMemAllocFromPoolAsync(Pointer *pointer, size_t bytes, cuda::Pool,
                                    Stream) {
  ENTER_CONTEXT();
  if (bytes == 0)
    return misuse("cuMemAllocFromPoolAsync");
  if (bytes > fakeCuda.memory)
    return 2;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *pointer = reinterpret_cast<uintptr_t>(memory);
  blocks[*pointer] = bytes;
  ++fakeCuda.liveDevice;
  return 0;
}
// These two are no calls that fail: the runtime does without them.
FAKE Result cuStreamGetId(Stream stream, unsigned long long *number) {
  *number = fakeCuda.firstNumber + reinterpret_cast<uintptr_t>(stream);
  return fakeCuda.firstNumber ? 0 : 1;
}
FAKE Result cuStreamIsCapturing(Stream, int *isCapturing) {
  *isCapturing = fakeCuda.isCapturing;
  return 0;
}
static Result freeBlock(Pointer pointer, const char *name) {
  if (!blocks.erase(pointer))
    return misuse(name);
  std::free(at<void>(pointer));
  --fakeCuda.liveDevice;
  return 0;
}
FAKE Result cuMemFreeAsync(Pointer pointer, Stream) {
  ENTER_CONTEXT();
  return freeBlock(pointer, "cuMemFreeAsync");
}
FAKE Result cuMemFree_v2(Pointer pointer) {
  ENTER_CONTEXT();
  return freeBlock(pointer, "cuMemFree_v2");
}
FAKE Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  ENTER_CONTEXT();
  *pointer = std::malloc(bytes);
  hostBlocks.insert(*pointer);
  ++fakeCuda.liveHost;
  return 0;
}
FAKE Result cuMemFreeHost(void *pointer) {
  ENTER_CONTEXT();
  if (!hostBlocks.erase(pointer))
    return misuse("cuMemFreeHost");
  std::free(pointer);
  --fakeCuda.liveHost;
  return 0;
}
FAKE Result cuMemcpyHtoDAsync_v2(Pointer target, const void *source,
                                 size_t bytes, Stream) {
  ENTER_CONTEXT();
  if (!isLive(target, bytes))
    return misuse("cuMemcpyHtoDAsync");
  std::memcpy(at<void>(target), source, bytes);
  return 0;
}
FAKE Result cuMemcpyDtoHAsync_v2(void *target, Pointer source, size_t bytes,
                                 Stream) {
  ENTER_CONTEXT();
  if (!isLive(source, bytes))
    return misuse("cuMemcpyDtoHAsync");
  std::memcpy(target, at<void>(source), bytes);
  return 0;
}
FAKE Result cuMemcpyDtoDAsync_v2(Pointer target, Pointer source, size_t bytes,
                                 Stream) {
  ENTER_CONTEXT();
  if (!isLive(source, bytes) || !isLive(target, bytes))
    return misuse("cuMemcpyDtoDAsync");
  std::memcpy(at<void>(target), at<void>(source), bytes);
  return 0;
}
FAKE Result cuMemsetD2D8Async(Pointer target, size_t pitch, unsigned char value,
                              size_t width, size_t height, Stream) {
  ENTER_CONTEXT();
  if (!isLive(target, (height - 1) * pitch + width))
    return misuse("cuMemsetD2D8Async");
  for (size_t row = 0; row < height; ++row)
    std::memset(at<char>(target) + row * pitch, value, width);
  return 0;
}
FAKE Result cuStreamSynchronize(Stream) {
  ENTER_CONTEXT();
  ++fakeCuda.synchronizations;
  return 0;
}

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

namespace {
/// A description or a layout: attributes by number.
struct Attributes {
  std::map<int, int64_t> values;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  /// A cudaDataType_t: f32 or bf16.
  int type = 0;

  /// The elements of op(X), one vector after the other: rows, or columns where
  /// `byColumns` says so.
  std::vector<float> read(const void *data, bool transposed, int64_t batch,
                          bool byColumns);
  float load(const void *data, uint64_t index) const;
  void store(void *data, uint64_t index, float value) const;
};

constexpr int kBFloat = 14;
} // namespace

float Attributes::load(const void *data, uint64_t index) const {
  if (type != kBFloat)
    return static_cast<const float *>(data)[index];
  uint32_t bits = static_cast<const uint16_t *>(data)[index];
  bits <<= 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Numbers that bf16 has not are rounded to 0; tests have none.
void Attributes::store(void *data, uint64_t index, float value) const {
  if (type != kBFloat) {
    static_cast<float *>(data)[index] = value;
    return;
  }
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  static_cast<uint16_t *>(data)[index] = static_cast<uint16_t>(bits >> 16);
}

std::vector<float> Attributes::read(const void *data, bool transposed,
                                    int64_t batch, bool byColumns) {
  std::vector<float> elements;
  elements.reserve(rows * columns);
  bool isStored = byColumns != transposed;
  uint64_t outer = isStored ? columns : rows, inner = isStored ? rows : columns;
  for (uint64_t i = 0; i < outer; ++i)
    for (uint64_t j = 0; j < inner; ++j)
      elements.push_back(
          load(data, batch * values[6] +
                         (isStored ? i * leading + j : j * leading + i)));
  return elements;
}

/// A sum of products in eight parts, which compilers make vectors of.
static float multiply(const float *x, const float *y, uint64_t count) {
  float parts[8] = {};
  uint64_t l = 0;
  for (; l + 8 <= count; l += 8)
    for (int part = 0; part < 8; ++part)
      parts[part] += x[l + part] * y[l + part];
  float sum = std::accumulate(parts, parts + 8, 0.0F);
  for (; l < count; ++l)
    sum += x[l] * y[l];
  return sum;
}

static Result makeHandle(void **handle, Attributes attributes = {}) {
  ++fakeCuda.liveHandles;
  *handle = new Attributes(std::move(attributes));
  return 0;
}
static Result deleteHandle(void *handle) {
  --fakeCuda.liveHandles;
  delete static_cast<Attributes *>(handle);
  return 0;
}
static Result setAttribute(void *handle, int attribute, const void *value,
                           size_t bytes) {
  int64_t word = 0;
  std::memcpy(&word, value, bytes);
  static_cast<Attributes *>(handle)->values[attribute] = word;
  return 0;
}

FAKE Result cublasLtCreate(void **handle) {
  ENTER_CONTEXT();
  static char one;
  *handle = &one;
  return 0;
}
FAKE Result cublasLtDestroy(void *) { return 0; }
FAKE Result cublasLtMatmulDescCreate(void **desc, int, int) {
  ENTER();
  return makeHandle(desc);
}
FAKE Result cublasLtMatmulDescSetAttribute(void *desc, int attribute,
                                           const void *value, size_t bytes) {
  ENTER();
  return setAttribute(desc, attribute, value, bytes);
}
FAKE Result cublasLtMatmulDescDestroy(void *desc) { return deleteHandle(desc); }
FAKE Result cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                                       uint64_t columns, int64_t leading) {
  ENTER();
  if (leading < static_cast<int64_t>(rows))
    return misuse("cublasLtMatrixLayoutCreate");
  return makeHandle(layout, {{}, rows, columns, leading, type});
}
FAKE Result cublasLtMatrixLayoutSetAttribute(void *layout, int attribute,
                                             const void *value, size_t bytes) {
  ENTER();
  return setAttribute(layout, attribute, value, bytes);
}
FAKE Result cublasLtMatrixLayoutDestroy(void *layout) {
  return deleteHandle(layout);
}
FAKE Result cublasLtMatmulPreferenceCreate(void **preference) {
  ENTER();
  return makeHandle(preference);
}
FAKE Result cublasLtMatmulPreferenceSetAttribute(void *preference,
                                                 int attribute,
                                                 const void *value,
                                                 size_t bytes) {
  ENTER();
  return setAttribute(preference, attribute, value, bytes);
}
FAKE Result cublasLtMatmulPreferenceDestroy(void *preference) {
  return deleteHandle(preference);
}
FAKE Result cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *,
                                           void *, void *, void *, int,
                                           void *result, int *count) {
  ENTER();
  std::memset(result, 0, 96);
  size_t workspace = 1024;
  std::memcpy(static_cast<char *>(result) + 64, &workspace, sizeof(workspace));
  *count = 1;
  return 0;
}

FAKE Result cublasLtMatmul(void *, void *descHandle, const void *,
                           const void *a, void *aHandle, const void *b,
                           void *bHandle, const void *, const void *, void *,
                           void *d, void *dHandle, const void *,
                           void *workspace, size_t workspaceBytes, void *) {
  ENTER_CONTEXT();
  if (!isLive(reinterpret_cast<uintptr_t>(workspace), workspaceBytes))
    return misuse("cublasLtMatmul");
  auto &desc = *static_cast<Attributes *>(descHandle);
  auto &left = *static_cast<Attributes *>(aHandle);
  auto &right = *static_cast<Attributes *>(bHandle);
  auto &out = *static_cast<Attributes *>(dHandle);
  bool transposeA = desc.values[3] != 0, transposeB = desc.values[4] != 0;
  uint64_t inner = transposeA ? left.rows : left.columns;
  if (inner != (transposeB ? right.columns : right.rows))
    return misuse("cublasLtMatmul");
  for (int64_t batch = 0; batch < std::max<int64_t>(out.values[5], 1);
       ++batch) {
    std::vector<float> rows = left.read(a, transposeA, batch, false);
    std::vector<float> columns = right.read(b, transposeB, batch, true);
    for (uint64_t i = 0; i < out.rows; ++i)
      for (uint64_t j = 0; j < out.columns; ++j) {
        float sum = multiply(&rows[i * inner], &columns[j * inner], inner);
        // CUBLASLT_EPILOGUE_RELU and _BIAS; the latter has a row of its own.
        if (desc.values[7] & 4)
          sum += out.load(reinterpret_cast<const void *>(desc.values[8]), i);
        if (desc.values[7] & 2)
          sum = sum < 0 ? 0 : sum;
        out.store(d, batch * out.values[6] + j * out.leading + i, sum);
      }
  }
  return 0;
}
FAKE const char *cublasLtGetStatusName(int) { return "CUBLAS_STATUS_FAKE"; }

// NOLINTEND(readability-identifier-naming)
