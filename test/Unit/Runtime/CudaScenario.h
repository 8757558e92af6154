//===- CudaScenario.h - A program on a GPU, and calls of it -----*- C++ -*-===//
//
// The driver is FakeCuda, a compiled program is stood in for by the function
// here.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_UNIT_RUNTIME_CUDASCENARIO_H
#define TALLY_TEST_UNIT_RUNTIME_CUDASCENARIO_H

#include "FakeCuda.h"
#include "tally/Runtime/tally_runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

namespace tally::cuda_test {

inline constexpr DLDataType f32 = {kDLFloat, 32, 1};
inline constexpr DLDataType i64 = {kDLInt, 64, 1};

inline FakeCuda *fake;
inline FakeCudaDepth *fakeDepth;

/// The library is loaded before the runtime loads it, so that it is the same.
inline void loadFake(const char *cublas = TALLY_FAKE_CUDA) {
  setenv("TALLY_LIBCUDA", TALLY_FAKE_CUDA, 1);
  setenv("TALLY_LIBCUBLASLT", cublas, 1);
  void *handle = dlopen(TALLY_FAKE_CUDA, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  fake = static_cast<FakeCuda *>(dlsym(handle, "fakeCuda"));
  fakeDepth = reinterpret_cast<FakeCudaDepth *>(dlsym(handle, "fakeCudaDepth"));
}

//===----------------------------------------------------------------------===//
// The compiled program
//===----------------------------------------------------------------------===//

struct Matrix {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
};

inline const char image[] = ".version 7.0";
inline const tally_rt_gpu_module module = {image, sizeof(image), "sm_90a"};
inline const tally_rt_gpu_module badModule = {"bad", 4, "sm_100a"};
inline const tally_rt_kernel addKernel = {&module, "add"};
inline const tally_rt_kernel checkKernel = {&module, "check"};
inline const tally_rt_kernel multiplyKernel = {&module, "multiply"};
inline const tally_rt_kernel missingKernel = {&module, "missing"};
inline const tally_rt_kernel badKernel = {&badModule, "bad"};
inline const float constant[4] = {10, 0, 0, 0};

inline const char record[] = "n >= 0\0\0\0\0\0"
                             "0\0"
                             "0\0"
                             "1\0i\0n\0s1\0";
inline const int64_t recordOffset = 0;
inline const tally_rt_assert_table table = {record, &recordOffset};

/// new_x = x + 10, returned = (x + 10)^T (x + 10), alias = x, n; asserts n >= 0
/// on the GPU.
inline int32_t compiled(tally_rt_context *ctx, void *const *arguments,
                        void *const *results) {
  auto *x = static_cast<Matrix *>(arguments[0]);
  int64_t n = *static_cast<int64_t *>(arguments[1]);
  int64_t rows = x->sizes[0], columns = x->sizes[1], count = rows * columns;
  void *errors = tally_rt_device_errors(ctx, &table);
  void *ten =
      errors ? tally_rt_constant(ctx, constant, sizeof(constant)) : nullptr;
  void *sum = ten ? tally_rt_alloc(ctx, 4 * count, 64) : nullptr;
  void *square = sum ? tally_rt_alloc(ctx, 4 * columns * columns, 64) : nullptr;
  // The last one is left over.
  if (!square || !tally_rt_alloc(ctx, 0, 64))
    return TALLY_RT_DEVICE_ERROR;
  void *check[] = {&errors, &n};
  void *add[] = {&sum, &x->aligned, &ten, &count};
  tally_rt_matmul_args product = {};
  product.batch = 1;
  product.m = product.n = columns;
  product.k = rows;
  product.a = product.b = sum;
  product.c = square;
  product.lda = product.ldb = product.ldc = columns;
  product.dtype = TALLY_RT_DATA_TYPE(kDLFloat, 32);
  product.transpose_a = 1;
  float first = 0;
  int32_t status =
      tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, check);
  if (!status)
    status = tally_rt_launch(ctx, &addKernel, (count + 63) / 64, 1, 1, 64, 1, 1,
                             100000, add);
  if (!status)
    status = tally_rt_matmul(ctx, &product, &multiplyKernel);
  if (!status && count > 0)
    status = tally_rt_read_back(ctx, nullptr, sum, &first, sizeof(first));
  if (!status)
    status = tally_rt_check_device(ctx, &table);
  if (status)
    return status;
  auto *sumData = static_cast<float *>(sum);
  auto *squareData = static_cast<float *>(square);
  Matrix newX = {sumData, sumData, 0, {rows, columns}, {columns, 1}};
  Matrix returned = {
      squareData, squareData, 0, {columns, columns}, {columns, 1}};
  std::memcpy(results[0], &newX, sizeof(Matrix));
  std::memcpy(results[1], &returned, sizeof(Matrix));
  std::memcpy(results[2], x, sizeof(Matrix));
  int64_t number = n + static_cast<int64_t>(first);
  std::memcpy(results[3], &number, sizeof(number));
  return 0;
}

inline const int64_t anySizes[] = {-1, -1};
inline const char *const anyShape[] = {"s0", "s1"};
inline const tally_rt_value argumentValues[] = {
    {"x", f32, 2, 0, -1, anySizes, anyShape, ""},
    {"n", i64, 0, 1, -1, nullptr, nullptr, "s1"}};
inline const tally_rt_value resultValues[] = {
    {"new_x", f32, 2, 0, 0, anySizes, anyShape, ""},
    {"square", f32, 2, 0, -1, anySizes, anyShape, ""},
    {"alias", f32, 2, 0, -1, anySizes, anyShape, ""},
    {"number", i64, 0, 1, -1, nullptr, nullptr, ""}};
inline const tally_rt_entry entry = {
    "main",       2,       4,        0,       0, argumentValues,
    resultValues, nullptr, compiled, nullptr, 0, -1};
inline const tally_rt_library library = {
    TALLY_RT_ABI_VERSION, 1, &entry, kDLCUDA, 0, nullptr};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A call of the program and everything around it that a caller does.
class Scenario {
public:
  explicit Scenario(int64_t n = 5) : n(n) {}
  ~Scenario() {
    for (DLManagedTensor *tensor :
         {x, number, results[0], results[1], results[2]})
      if (tensor)
        tensor->deleter(tensor);
    if (ctx)
      tally_rt_context_destroy(ctx);
  }

  int32_t run() {
    ctx = tally_rt_context_create(nullptr);
    // Nothing is left of what was there before, so that texts end.
    tally_rt_gpu_info info;
    std::memset(&info, 0xff, sizeof(info));
    int32_t status = tally_rt_get_gpu_info(ctx, 0, &info);
    if (!status &&
        (std::string(info.chip) != "sm_90a" || info.multiprocessors != 132 ||
         info.chip[sizeof(info.chip) - 1] || info.name[sizeof(info.name) - 1] ||
         info.reserved))
      wrong("info");
    if (!status)
      status = tally_rt_copy_to_device(ctx, 0, &hostX, &x);
    if (!status)
      status = tally_rt_copy_to_device(ctx, 0, &hostN, &number);
    if (!status)
      status = call();
    if (!status)
      status = compare();
    if (!status)
      status = tally_rt_synchronize(ctx, 0);
    return status;
  }

  /// Calls with x transposed, so that it is no row-major matrix: 3 x 2.
  int32_t call() {
    DLTensor transposed = x->dl_tensor;
    int64_t shape[] = {3, 2}, strides[] = {1, 3};
    transposed.shape = shape;
    transposed.strides = strides;
    DLTensor *arguments[] = {&transposed, &number->dl_tensor};
    return tally_rt_invoke(&library, &entry, ctx, arguments, 2, results, 3);
  }

  int32_t compare() {
    float data[6];
    int32_t status = tally_rt_copy_to_host(ctx, &x->dl_tensor, data);
    for (int i = 0; !status && i < 6; ++i)
      if (data[i] != xData[i] + 10)
        wrong("the new value of x");
    // (x + 10) is {{10, 13}, {11, 14}, {12, 15}}.
    const float squares[] = {365, 464, 464, 590};
    if (!status)
      status = tally_rt_copy_to_host(ctx, &results[0]->dl_tensor, data);
    for (int i = 0; !status && i < 4; ++i)
      // Or by the other kernel, which ignores the transposition.
      if (data[i] != squares[i] && data[i] < 1000)
        wrong("the product");
    const float before[] = {0, 3, 1, 4, 2, 5};
    if (!status)
      status = tally_rt_copy_to_host(ctx, &results[1]->dl_tensor, data);
    if (!status && std::memcmp(data, before, sizeof(before)) != 0)
      wrong("the alias of x");
    const DLTensor &sum = results[2]->dl_tensor;
    if (sum.device.device_type != kDLCPU ||
        *static_cast<int64_t *>(sum.data) != n + 10)
      wrong("the number");
    return status;
  }

  void wrong(const char *what) {
    std::fprintf(stderr, "wrong: %s\n", what);
    ++numWrong;
  }

  std::string message() const {
    const tally_rt_error *error = tally_rt_last_error(ctx);
    return error ? error->message : "";
  }

  int numWrong = 0;
  tally_rt_context *ctx = nullptr;
  int64_t n;
  float xData[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3};
  DLTensor hostX = {xData, {kDLCPU, 0}, 2, f32, shape, nullptr, 0};
  DLTensor hostN = {&n, {kDLCPU, 0}, 0, i64, nullptr, nullptr, 0};
  DLManagedTensor *x = nullptr;
  DLManagedTensor *number = nullptr;
  DLManagedTensor *results[3] = {};
};

/// What is left when nothing is in use: constants of the library.
inline bool isClean() {
  tally_rt_release_library(&library);
  bool clean = fake->misuses == 0 && fake->liveDevice == 0 &&
               fake->liveHost == 0 && fakeDepth() == 0;
  if (!clean)
    std::fprintf(
        stderr, "device %ld host %ld depth %ld misuse %s\n",
        static_cast<long>(fake->liveDevice), static_cast<long>(fake->liveHost),
        static_cast<long>(fakeDepth()), fake->misuse ? fake->misuse : "none");
  return clean;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// Leaves nothing behind.
class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    loadFake();
    fake->failAt = 0;
    fake->memory = 1 << 24;
  }
  void TearDown() override { EXPECT_TRUE(isClean()); }
};

/// Runs `body` as the compiled program of a call without arguments.
inline int32_t (*currentBody)(tally_rt_context *);
inline int32_t runBody(tally_rt_context *ctx, void *const *, void *const *) {
  return currentBody(ctx);
}
inline int32_t callBody(tally_rt_context *ctx,
                        int32_t (*body)(tally_rt_context *)) {
  const tally_rt_entry small = {"small", 0,       0,       0,       0, nullptr,
                                nullptr, nullptr, runBody, nullptr, 0, -1};
  currentBody = body;
  return tally_rt_invoke(&library, &small, ctx, nullptr, 0, nullptr, 0);
}

} // namespace tally::cuda_test

#endif // TALLY_TEST_UNIT_RUNTIME_CUDASCENARIO_H
