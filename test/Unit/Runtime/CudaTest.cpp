//===- CudaTest.cpp - Calls on a GPU --------------------------------------===//
//
// The driver is FakeCuda, a compiled program is stood in for by the function
// here. A failure is injected into every call of the driver in turn, each time
// in a process of its own, as what was loaded stays loaded.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "tally/Runtime/tally_runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr DLDataType f32 = {kDLFloat, 32, 1};
constexpr DLDataType i64 = {kDLInt, 64, 1};

FakeCuda *fake;
FakeCudaDepth *fakeDepth;

/// The library is loaded before the runtime loads it, so that it is the same.
void loadFake(const char *cublas = TALLY_FAKE_CUDA) {
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

const char image[] = ".version 7.0";
const tally_rt_gpu_module module = {image, sizeof(image), "sm_90a"};
const tally_rt_gpu_module badModule = {"bad", 4, "sm_100a"};
const tally_rt_kernel addKernel = {&module, "add"};
const tally_rt_kernel checkKernel = {&module, "check"};
const tally_rt_kernel multiplyKernel = {&module, "multiply"};
const tally_rt_kernel missingKernel = {&module, "missing"};
const tally_rt_kernel badKernel = {&badModule, "bad"};
const float constant[4] = {10, 0, 0, 0};

const char record[] = "n >= 0\0\0\0\0\0"
                      "0\0"
                      "0\0"
                      "1\0i\0n\0s1\0";
const int64_t recordOffset = 0;
const tally_rt_assert_table table = {record, &recordOffset};

/// new_x = x + 10, returned = (x + 10)^T (x + 10), alias = x, n; asserts n >= 0
/// on the GPU.
int32_t compiled(tally_rt_context *ctx, void *const *arguments,
                 void *const *results) {
  auto *x = static_cast<Matrix *>(arguments[0]);
  int64_t n = *static_cast<int64_t *>(arguments[1]);
  int64_t rows = x->sizes[0], columns = x->sizes[1], count = rows * columns;
  void *errors = tally_rt_device_errors(ctx);
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

const int64_t anySizes[] = {-1, -1};
const char *const anyShape[] = {"s0", "s1"};
const tally_rt_value argumentValues[] = {
    {"x", f32, 2, 0, -1, anySizes, anyShape, ""},
    {"n", i64, 0, 1, -1, nullptr, nullptr, "s1"}};
const tally_rt_value resultValues[] = {
    {"new_x", f32, 2, 0, 0, anySizes, anyShape, ""},
    {"square", f32, 2, 0, -1, anySizes, anyShape, ""},
    {"alias", f32, 2, 0, -1, anySizes, anyShape, ""},
    {"number", i64, 0, 1, -1, nullptr, nullptr, ""}};
const tally_rt_entry entry = {
    "main",       2,       4,        0,      0, argumentValues,
    resultValues, nullptr, compiled, nullptr};
const tally_rt_library library = {
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
bool isClean() {
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

class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    loadFake();
    fake->failAt = 0;
    fake->memory = 1 << 24;
  }
  void TearDown() override { EXPECT_TRUE(isClean()); }
};

TEST_F(CudaTest, callsAndCounts) {
  Scenario scenario;
  ASSERT_EQ(scenario.run(), TALLY_RT_OK) << scenario.message();
  EXPECT_EQ(scenario.numWrong, 0);
  EXPECT_EQ(tally_rt_live_allocations(scenario.ctx), 0);

  for (DLManagedTensor *&result : scenario.results) {
    result->deleter(result);
    result = nullptr;
  }
  tally_rt_reset_counters(scenario.ctx);
  int64_t launches = fake->launches, copies = fake->copyLaunches;
  int64_t waits = fake->synchronizations;
  int marker = 0;
  tally_rt_set_stream(scenario.ctx, &marker);
  ASSERT_EQ(scenario.call(), TALLY_RT_OK) << scenario.message();
  EXPECT_EQ(fake->stream, &marker);
  tally_rt_counters counters;
  tally_rt_get_counters(scenario.ctx, &counters);
  // The input is made compact and its new value goes back to its layout.
  EXPECT_EQ(fake->copyLaunches - copies, 2);
  EXPECT_EQ(counters.launches, 4);
  EXPECT_EQ(counters.launches, fake->launches - launches);
  // For the number, the first element and the check.
  EXPECT_EQ(counters.host_waits, fake->synchronizations - waits);
  EXPECT_EQ(counters.host_waits, 3);
  // x, which becomes the alias, sum, square, what is left over, the workspace,
  // the number.
  EXPECT_EQ(counters.allocations, 6);
  EXPECT_EQ(counters.uploads, 0);
  EXPECT_EQ(counters.library_calls, 1);
}

TEST_F(CudaTest, failedCheckOfAKernel) {
  Scenario scenario(-3);
  EXPECT_EQ(scenario.run(), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(scenario.message(), "n >= 0 does not hold: n = -3 (n = s1)");
  // The record is clear again, and no argument was written to.
  int64_t five = 5;
  std::memcpy(scenario.number->dl_tensor.data, &five, sizeof(five));
  scenario.n = 5;
  ASSERT_EQ(scenario.call(), TALLY_RT_OK) << scenario.message();
  EXPECT_EQ(scenario.compare(), TALLY_RT_OK);
  EXPECT_EQ(scenario.numWrong, 0);
}

TEST_F(CudaTest, outOfMemory) {
  Scenario scenario;
  fake->memory = 20;
  EXPECT_EQ(scenario.run(), TALLY_RT_OUT_OF_MEMORY);
  EXPECT_EQ(scenario.message(),
            "out of memory: cannot allocate 24 bytes on GPU 0: "
            "CUDA_ERROR_OUT_OF_MEMORY: as the driver says");
}

TEST_F(CudaTest, devices) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  tally_rt_gpu_info info;
  EXPECT_EQ(tally_rt_get_gpu_info(scenario.ctx, 7, &info),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(), "there is no GPU 7: there are 2");

  DLTensor onCpu = scenario.hostX, number = scenario.hostN;
  DLTensor *arguments[] = {&onCpu, &number};
  EXPECT_EQ(tally_rt_invoke(&library, &entry, scenario.ctx, arguments, 2,
                            scenario.results, 3),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(), "main: argument 0 ('x') is not on the GPU "
                                "(device type 1)");
  tally_rt_library tpu = library;
  tpu.device_type = 99;
  EXPECT_EQ(tally_rt_invoke(&tpu, &entry, scenario.ctx, arguments, 2,
                            scenario.results, 3),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(), "the library is compiled for devices of type "
                                "99, which this runtime does not know");

  // A number on another GPU than the tensors.
  ASSERT_EQ(
      tally_rt_copy_to_device(scenario.ctx, 0, &scenario.hostX, &scenario.x),
      TALLY_RT_OK);
  ASSERT_EQ(tally_rt_copy_to_device(scenario.ctx, 1, &scenario.hostN,
                                    &scenario.number),
            TALLY_RT_OK);
  EXPECT_EQ(scenario.call(), TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(), "main: argument 1 ('n') is on GPU 1, other "
                                "arguments are on GPU 0");
}

/// Runs `body` as the compiled program of a call without arguments.
int32_t (*currentBody)(tally_rt_context *);
int32_t runBody(tally_rt_context *ctx, void *const *, void *const *) {
  return currentBody(ctx);
}
int32_t callBody(tally_rt_context *ctx, int32_t (*body)(tally_rt_context *)) {
  const tally_rt_entry small = {"small", 0,       0,       0,       0,
                                nullptr, nullptr, nullptr, runBody, nullptr};
  currentBody = body;
  return tally_rt_invoke(&library, &small, ctx, nullptr, 0, nullptr, 0);
}

TEST_F(CudaTest, kernelsThatCannotRun) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &badKernel, 1, 1, 1, 1, 1, 1,
                                              0, nullptr);
                     }),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "cannot load kernels that were compiled for sm_100a on GPU 0, "
            "which is sm_90a: CUDA_ERROR_INVALID_PTX: as the driver says: line "
            "1: syntax error");
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &missingKernel, 1, 1, 1, 1,
                                              1, 1, 0, nullptr);
                     }),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(), "cannot find kernel 'missing': "
                                "CUDA_ERROR_NOT_FOUND: as the driver says");
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &addKernel, 1L << 32, 1, 1,
                                              1, 1, 1, 0, nullptr);
                     }),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "cannot launch kernel 'add': a grid of 4294967296 x 1 x 1 blocks "
            "of 1 x 1 x 1 threads with 0 bytes of shared memory is out of "
            "range");
  int64_t launches = fake->launches;
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &addKernel, 4, 0, 1, 1, 1, 1,
                                              0, nullptr);
                     }),
            TALLY_RT_OK);
  EXPECT_EQ(fake->launches, launches);
  EXPECT_EQ(
      tally_rt_launch(scenario.ctx, &addKernel, 1, 1, 1, 1, 1, 1, 0, nullptr),
      TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "compiled code asked for a GPU outside of a call on one");
}

TEST_F(CudaTest, failedCheckWithoutARecord) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    void *errors = tally_rt_device_errors(ctx);
    int64_t n = -1;
    void *check[] = {&errors, &n};
    tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, check);
    return tally_rt_check_device(ctx, nullptr);
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "a kernel recorded a failed check that does not exist");
}

TEST_F(CudaTest, failedCopy) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    void *source = tally_rt_alloc(ctx, 16, 64);
    void *target = tally_rt_alloc(ctx, 16, 64);
    fake->failAt = 1;
    int32_t status = tally_rt_copy(ctx, target, source, 16);
    fake->failAt = 0;
    return status;
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(), "cannot copy 16 bytes within the GPU: "
                                "CUDA_ERROR_UNKNOWN: as the driver says");
}

TEST_F(CudaTest, copiesThatCannotBe) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  int64_t strides[] = {1, 2};
  DLTensor transposed = scenario.hostX;
  transposed.strides = strides;
  EXPECT_EQ(tally_rt_copy_to_device(scenario.ctx, 0, &transposed, &scenario.x),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(),
            "only a compact tensor on the CPU can be copied to the GPU");
  EXPECT_EQ(tally_rt_copy_to_host(scenario.ctx, &scenario.hostX, nullptr),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(),
            "only a compact tensor on a GPU can be copied to the CPU");

  constexpr int rank = TALLY_RT_MAX_COPY_RANK + 1;
  int64_t open[rank], sizes[rank], reversed[rank];
  const char *names[rank];
  for (int d = 0; d < rank; ++d) {
    open[d] = -1;
    sizes[d] = 2;
    reversed[d] = int64_t(1) << d;
    names[d] = "s";
  }
  const tally_rt_value value = {"x", f32, rank, 0, -1, open, names, ""};
  const tally_rt_entry deep = {"deep", 1,       0,       0,       0,
                               &value, nullptr, nullptr, runBody, nullptr};
  float data = 0;
  DLTensor x = {&data, {kDLCUDA, 0}, rank, f32, sizes, reversed, 0};
  DLTensor *arguments[] = {&x};
  EXPECT_EQ(
      tally_rt_invoke(&library, &deep, scenario.ctx, arguments, 1, nullptr, 0),
      TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "a tensor of more than 16 dimensions that cannot be merged cannot "
            "be made compact on the GPU");
}

TEST_F(CudaTest, productOfNothing) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    auto *c = static_cast<float *>(tally_rt_alloc(ctx, 4 * 10, 64));
    for (int i = 0; i < 10; ++i)
      c[i] = 7;
    tally_rt_matmul_args product = {};
    product.batch = product.m = product.n = 2;
    product.c = c;
    product.ldc = 2;
    product.stride_c = 6;
    product.dtype = TALLY_RT_DATA_TYPE(kDLFloat, 32);
    int32_t status = tally_rt_matmul(ctx, &product, nullptr);
    const float expected[] = {0, 0, 0, 0, 7, 7, 0, 0, 0, 0};
    EXPECT_EQ(std::memcmp(c, expected, sizeof(expected)), 0);
    product.m = 0;
    product.k = 3;
    return status ? status : tally_rt_matmul(ctx, &product, nullptr);
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
}

/// Multiplies two batches in every combination of transpositions.
TEST_F(CudaTest, products) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    const int64_t batch = 2, m = 2, n = 4, k = 3;
    auto *a = static_cast<float *>(tally_rt_alloc(ctx, 4 * batch * m * k, 64));
    auto *b = static_cast<float *>(tally_rt_alloc(ctx, 4 * k * n, 64));
    auto *c = static_cast<float *>(tally_rt_alloc(ctx, 4 * batch * m * n, 64));
    for (int i = 0; i < batch * m * k; ++i)
      a[i] = static_cast<float>(i + 1);
    for (int i = 0; i < k * n; ++i)
      b[i] = static_cast<float>(i * i % 7);
    for (int transpose = 0; transpose < 4; ++transpose) {
      bool ta = transpose & 1, tb = transpose & 2;
      tally_rt_matmul_args product = {
          batch,      m,
          n,          k,
          a,          b,
          c,          ta ? m : k,
          tb ? k : n, n,
          m * k,      0,
          m * n,      TALLY_RT_DATA_TYPE(kDLFloat, 32),
          ta,         tb,
          0};
      if (int32_t status = tally_rt_matmul(ctx, &product, nullptr))
        return status;
      for (int64_t i = 0; i < batch * m * n; ++i) {
        int64_t row = i / n % m, column = i % n;
        const float *matrix = a + i / (m * n) * m * k;
        float sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += matrix[ta ? l * m + row : row * k + l] *
                 b[tb ? column * k + l : l * n + column];
        EXPECT_EQ(c[i], sum) << i << " transposed " << transpose;
      }
    }
    return 0;
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
  auto unknown = [](tally_rt_context *ctx) -> int32_t {
    tally_rt_matmul_args product = {};
    product.batch = product.m = product.n = product.k = 1;
    product.dtype = TALLY_RT_DATA_TYPE(99, 32);
    return tally_rt_matmul(ctx, &product, nullptr);
  };
  EXPECT_EQ(callBody(scenario.ctx, unknown), TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "cannot multiply matrices: cuBLASLt does not support this data "
            "type or number of matrices");
}

TEST_F(CudaTest, threads) {
  auto work = [](int *wrong) {
    for (int i = 0; i < 100; ++i) {
      Scenario scenario(i % 3 == 2 ? -1 : i);
      int32_t expected = i % 3 == 2 ? TALLY_RT_CHECK_FAILED : TALLY_RT_OK;
      *wrong += scenario.run() != expected;
      *wrong += scenario.numWrong;
    }
  };
  int first = 0, second = 0;
  std::thread thread(work, &first);
  work(&second);
  thread.join();
  EXPECT_EQ(first + second, 0);
}

//===----------------------------------------------------------------------===//
// Failures of the driver
//===----------------------------------------------------------------------===//

/// Functions after whose failure the call still succeeds: there is another way,
/// or nobody to tell.
bool isTolerated(const std::string &name) {
  static const std::set<std::string> names = {
      "cuCtxGetCurrent", "cuCtxPopCurrent_v2", "cuMemFreeAsync"};
  // Without cuBLASLt there is the compiler's kernel.
  return names.count(name) ||
         (name.rfind("cublasLt", 0) == 0 && name != "cublasLtMatmul");
}

enum Injection { Good, Bad, NotReached };

/// Lets driver call `index` fail in a process where nothing is loaded.
Injection injectInto(int64_t index, std::string &function,
                     std::string &message) {
  loadFake();
  fake->failAt = index;
  bool good = true;
  {
    Scenario scenario;
    int32_t status = scenario.run();
    fake->failAt = 0;
    if (!fake->failed)
      return NotReached;
    function = fake->failed;
    message = scenario.message();
    std::string text = function == "cublasLtMatmul" ? "CUBLAS_STATUS_FAKE"
                                                    : "CUDA_ERROR_UNKNOWN";
    if (status == TALLY_RT_OK)
      good = isTolerated(function) && scenario.numWrong == 0;
    else
      good = status == TALLY_RT_DEVICE_ERROR &&
             scenario.message().find(text) != std::string::npos;
    good &= tally_rt_live_allocations(scenario.ctx) == 0;
    if (!good)
      std::fprintf(stderr, "status %d after %s: %s\n", status, function.c_str(),
                   scenario.message().c_str());
  }
  // What failed does not keep the next one from succeeding.
  {
    Scenario again;
    good &= again.run() == TALLY_RT_OK && again.numWrong == 0;
  }
  return good && isClean() ? Good : Bad;
}

/// Does it in a child process; returns the function that was made to fail, and
/// the error of the call.
Injection injectInChild(int64_t index, std::string &function,
                        std::string &message) {
  int ends[2];
  if (pipe(ends) != 0)
    return Bad;
  pid_t child = fork();
  if (child == 0) {
    Injection result = injectInto(index, function, message);
    std::string both = function + '\n' + message;
    ssize_t written = write(ends[1], both.data(), both.size());
    _exit(written < 0 ? static_cast<int>(Bad) : static_cast<int>(result));
  }
  close(ends[1]);
  char text[512] = {};
  ssize_t size = read(ends[0], text, sizeof(text) - 1);
  close(ends[0]);
  std::string both(text, size > 0 ? size : 0);
  size_t end = std::min(both.find('\n'), both.size());
  function = both.substr(0, end);
  message = both.substr(std::min(end + 1, both.size()));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Injection>(WEXITSTATUS(status)) : Bad;
}

// Suites of this name run first, while nothing is loaded.
TEST(CudaFailureDeathTest, everyCallOfTheDriver) {
  std::set<std::string> failed;
  std::string messages;
  Injection result = Good;
  for (int64_t index = 1; result != NotReached && index < 1000; ++index) {
    std::string function, message;
    result = injectInChild(index, function, message);
    EXPECT_NE(result, Bad) << "call " << index << ", " << function;
    failed.insert(function);
    messages += message + '\n';
  }
  EXPECT_EQ(result, NotReached);
  for (const char *name :
       {"cuInit", "cuDevicePrimaryCtxRetain", "cuMemPoolCreate",
        "cuCtxPushCurrent_v2", "cuMemAllocFromPoolAsync", "cuMemHostAlloc",
        "cuMemcpyHtoDAsync_v2", "cuModuleLoadDataEx", "cuModuleGetFunction",
        "cuLaunchKernel", "cuFuncSetAttribute", "cublasLtMatmul",
        "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemFreeAsync"})
    EXPECT_TRUE(failed.count(name)) << name << " was never made to fail";
  for (const char *message :
       {"there is no usable NVIDIA GPU: ", "cannot count the GPUs: ",
        "cannot use GPU 0: ", "cannot make a pool of memory on GPU 0: ",
        "cannot describe the GPU: ", "cannot copy 24 bytes to the GPU: ",
        "cannot copy a constant of 16 bytes to GPU 0: ",
        "cannot allocate memory for failed checks: ",
        "cannot allocate memory of the host for copies: ",
        "cannot read failed checks from the GPU: ",
        "cannot read 4 bytes from the GPU: ",
        "cannot fill memory of the GPU with zeros: ",
        "cannot allocate 1024 bytes of workspace: ",
        "the GPU failed in a kernel or copy of this or an earlier call: ",
        "cannot multiply matrices (2 x 3 by 3 x 2): "})
    EXPECT_NE(messages.find(message), std::string::npos)
        << message << " is in none of\n"
        << messages;
}

/// Exits 0 if a product without cuBLASLt is done by the compiler's kernel.
int runWithoutCublas() {
  loadFake("/nowhere/libcublasLt.so");
  Scenario scenario;
  if (scenario.run() != TALLY_RT_OK)
    return 1;
  tally_rt_counters counters;
  tally_rt_get_counters(scenario.ctx, &counters);
  float corner = 0;
  std::memcpy(&corner, scenario.results[0]->dl_tensor.data, sizeof(corner));
  scenario.call();
  return counters.library_calls == 0 && corner >= 1000 ? 0 : 1;
}

TEST(CudaFailureDeathTest, withoutCublas) {
  EXPECT_EXIT(_exit(runWithoutCublas()), testing::ExitedWithCode(0),
              "^tally: warning: matrix products run slowly, without cuBLASLt: "
              "/nowhere/libcublasLt.so: [^\n]*\n$");
}

/// Does the same where a library of that name has other functions.
int runWithoutFunctions() {
  loadFake("libm.so.6");
  Scenario scenario;
  return scenario.run() == TALLY_RT_OK ? 0 : 1;
}

TEST(CudaFailureDeathTest, withoutFunctionsOfCublas) {
  EXPECT_EXIT(_exit(runWithoutFunctions()), testing::ExitedWithCode(0),
              "without cuBLASLt: libcublasLt has no cublasLtCreate\n$");
}

/// Prints the error where there is no driver.
int runWithoutDriver() {
  setenv("TALLY_LIBCUDA", "/nowhere/libcuda.so", 1);
  Scenario scenario;
  int32_t status = scenario.run();
  std::fprintf(stderr, "%s\n", scenario.message().c_str());
  return status == TALLY_RT_DEVICE_ERROR ? 0 : 1;
}

TEST(CudaFailureDeathTest, withoutDriver) {
  EXPECT_EXIT(_exit(runWithoutDriver()), testing::ExitedWithCode(0),
              "^there is no NVIDIA driver: /nowhere/libcuda.so: cannot open "
              "shared object file");
}

} // namespace
