//===- CudaMatmulTest.cpp - Matmuls by a stand-in for cuBLASLt ------------===//

#include "CudaScenario.h"

#include <cmath>

using namespace tally::cuda_test;

namespace {

using CudaMatmulTest = CudaTest;

TEST_F(CudaMatmulTest, productOfNothing) {
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
TEST_F(CudaMatmulTest, products) {
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
          batch, m,  n,          k,          a,
          b,     c,  ta ? m : k, tb ? k : n, n,
          m * k, 0,  m * n,      nullptr,    TALLY_RT_DATA_TYPE(kDLFloat, 32),
          ta,    tb, 0,          0,          0};
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

/// Two products of the same sizes have biases of their own.
TEST_F(CudaMatmulTest, biases) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    const int64_t m = 3, n = 5;
    auto *a = static_cast<float *>(tally_rt_alloc(ctx, 4 * m, 64));
    auto *b = static_cast<float *>(tally_rt_alloc(ctx, 4 * n, 64));
    auto *c = static_cast<float *>(tally_rt_alloc(ctx, 4 * m * n, 64));
    auto *biases = static_cast<float *>(tally_rt_alloc(ctx, 4 * 2 * n, 64));
    for (int64_t i = 0; i < m; ++i)
      a[i] = static_cast<float>(i - 1);
    for (int64_t i = 0; i < n; ++i)
      b[i] = static_cast<float>(i);
    for (int64_t i = 0; i < 2 * n; ++i)
      biases[i] = static_cast<float>(i * i - 40);
    for (int kind = 0; kind < 6; ++kind) {
      const float *bias = kind % 3 < 2 ? biases + kind % 3 * n : nullptr;
      bool relu = kind >= 3;
      tally_rt_matmul_args product = {};
      product.batch = product.k = product.lda = 1;
      product.m = m;
      product.n = product.ldb = product.ldc = n;
      product.a = a;
      product.b = b;
      product.c = c;
      product.dtype = TALLY_RT_DATA_TYPE(kDLFloat, 32);
      product.bias = bias;
      product.relu = relu;
      if (int32_t status = tally_rt_matmul(ctx, &product, nullptr))
        return status;
      for (int64_t i = 0; i < m * n; ++i) {
        float expected = a[i / n] * b[i % n] + (bias ? bias[i % n] : 0);
        EXPECT_EQ(c[i], relu && expected < 0 ? 0 : expected)
            << i << ' ' << kind;
      }
    }
    return 0;
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
  // A sum of nothing and a bias is what a kernel computes.
  auto nothing = [](tally_rt_context *ctx) -> int32_t {
    static const float bias = 1;
    tally_rt_matmul_args product = {};
    product.batch = product.m = product.n = 1;
    product.dtype = TALLY_RT_DATA_TYPE(kDLFloat, 32);
    product.bias = &bias;
    return tally_rt_matmul(ctx, &product, nullptr);
  };
  EXPECT_EQ(callBody(scenario.ctx, nothing), TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "cannot add a bias to sums of nothing without a kernel");
}

/// Rows of bf16, of which each column has the same number.
static uint16_t *makeRows(tally_rt_context *ctx, int64_t rows, int64_t columns,
                          int64_t leading, int64_t offset) {
  auto *data = static_cast<uint16_t *>(
                   tally_rt_alloc(ctx, 2 * (rows * leading + offset), 64)) +
               offset;
  for (int64_t i = 0; i < rows * leading; ++i) {
    // 1, 0 or -1; NaN between the rows, which nobody reads.
    const uint16_t numbers[] = {0x3f80, 0, 0xbf80};
    int64_t row = i / leading, column = i % leading;
    data[i] = column < columns ? numbers[(row + column * column) % 3] : 0x7fc0;
  }
  return data;
}

static float toFloat(uint16_t number) {
  uint32_t bits = uint32_t(number) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Compares some elements of a product of rows as makeRows has them.
static void checkRows(const tally_rt_matmul_args &product, const char *what) {
  const auto *a = static_cast<const uint16_t *>(product.a);
  const auto *b = static_cast<const uint16_t *>(product.b);
  const auto *c = static_cast<const uint16_t *>(product.c);
  const auto *bias = static_cast<const uint16_t *>(product.bias);
  for (int64_t i = 0; i < product.m; i += product.m - 1)
    for (int64_t j = 0; j < product.n; j += product.n - 1) {
      float sum = bias ? toFloat(bias[j]) : 0;
      for (int64_t l = 0; l < product.k; ++l)
        sum += toFloat(product.transpose_a ? a[l * product.lda + i]
                                           : a[i * product.lda + l]) *
               toFloat(product.transpose_b ? b[j * product.ldb + l]
                                           : b[l * product.ldb + j]);
      // Eight bits are what bf16 has.
      float allowed = std::abs(sum) / 128;
      EXPECT_NEAR(toFloat(c[i * product.ldc + j]), sum, allowed)
          << what << ": " << i << ", " << j;
    }
  EXPECT_EQ(c[product.n], 0x7fc0) << what << ": a gap of the result";
}

/// Sizes of half precision that are no multiples of 16 bytes are copied, where
/// that pays, to rows that are.
TEST_F(CudaMatmulTest, paddedProducts) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    struct Case {
      const char *what;
      int64_t m, n, k;
      bool isTransposed;
      int64_t gap, offset;
      bool hasBias;
      int64_t copies;
    };
    const Case cases[] = {
        {"nothing is odd", 64, 1280, 1304, false, 8, 0, true, 0},
        {"all is odd", 1033, 1021, 1031, false, 2, 0, true, 4},
        {"all is transposed", 1033, 1021, 1031, true, 2, 0, false, 3},
        {"B starts anywhere", 4096, 128, 512, false, 8, 1, false, 1},
        {"too small to pay", 301, 303, 305, false, 2, 0, false, 0}};
    for (const Case &tried : cases) {
      bool ta = tried.isTransposed, tb = !tried.isTransposed;
      tally_rt_matmul_args product = {};
      product.batch = 1;
      product.m = tried.m;
      product.n = tried.n;
      product.k = tried.k;
      product.transpose_a = ta;
      product.transpose_b = tb;
      int64_t rowsOfA = ta ? tried.k : tried.m,
              rowsOfB = tb ? tried.n : tried.k;
      int64_t columnsOfA = ta ? tried.m : tried.k,
              columnsOfB = tb ? tried.k : tried.n;
      product.lda = columnsOfA + tried.gap;
      product.ldb = columnsOfB + tried.gap;
      product.ldc = tried.n + tried.gap;
      product.a = makeRows(ctx, rowsOfA, columnsOfA, product.lda, 0);
      product.b = makeRows(ctx, rowsOfB, columnsOfB, product.ldb, tried.offset);
      product.c = makeRows(ctx, tried.m, tried.n, product.ldc, 0);
      if (tried.hasBias)
        product.bias = makeRows(ctx, 1, tried.n, tried.n, 0);
      product.dtype = TALLY_RT_DATA_TYPE(kDLBfloat, 16);
      int64_t before = fake->copyLaunches;
      if (int32_t status = tally_rt_matmul(ctx, &product, nullptr))
        return status;
      EXPECT_EQ(fake->copyLaunches - before, tried.copies) << tried.what;
      checkRows(product, tried.what);
    }
    return 0;
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
}

} // namespace
