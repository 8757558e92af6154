//===- MatmulTest.cpp - Matmuls on the CPU --------------------------------===//
//
// Every level that the processor supports against sums in double precision, at
// sizes on both sides of tiles and blocks, with operands in any order, between
// inaccessible pages.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Matmul.h"
#include "../../../lib/Runtime/Context.h"
#include "Guarded.h"
#include "Levels.h"
#include "tally/Runtime/tally_runtime.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tally::runtime;

namespace {

constexpr int64_t f32 = TALLY_RT_DATA_TYPE(kDLFloat, 32);

enum class Order { Rows, Columns, Padded, Spread };

/// A matrix of small integers divided by 8, exact in every type.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, Order order, size_t elementBytes)
      : rows(rows), columns(columns),
        strides{order == Order::Columns  ? 1
                : order == Order::Padded ? columns + 3
                : order == Order::Spread ? 2 * columns + 1
                                         : columns,
                order == Order::Columns  ? rows
                : order == Order::Spread ? 2
                                         : 1},
        memory(size_t(getElements()) * elementBytes) {}

  int64_t getElements() const {
    return rows && columns
               ? (rows - 1) * strides[0] + (columns - 1) * strides[1] + 1
               : 0;
  }
  int64_t at(int64_t i, int64_t j) const {
    return i * strides[0] + j * strides[1];
  }

  int64_t rows, columns;
  int64_t strides[2];
  Guarded memory;
};

template <typename T>
void compare(const MatmulLevel &level, MatmulType type, int64_t m, int64_t n,
             int64_t k, Order orderA, Order orderB, Order orderC) {
  Matrix a(m, k, orderA, sizeof(T)), b(k, n, orderB, sizeof(T)),
      c(m, n, orderC, sizeof(T));
  std::mt19937 random(unsigned(m * 1000003 + n * 1009 + k));
  auto fill = [&](Matrix &matrix) {
    for (int64_t i = 0; i < matrix.rows; ++i)
      for (int64_t j = 0; j < matrix.columns; ++j)
        matrix.memory.template as<T>()[matrix.at(i, j)] =
            T(int(random() % 17) - 8) / 8;
  };
  fill(a);
  fill(b);
  MatmulTask task{m,
                  n,
                  k,
                  {a.memory.as<void>(), a.strides[0], a.strides[1]},
                  {b.memory.as<void>(), b.strides[0], b.strides[1]},
                  {c.memory.as<void>(), c.strides[0], c.strides[1]},
                  type,
                  MatmulMethod::Packed,
                  nullptr};
  task.method = chooseMatmulMethod(task, level);
  auto runAndCheck = [&](const char *how) {
    Guarded scratch((level.getScratchBytes(task) + 63) / 64 * 64);
    task.scratch = scratch.as<void>();
    level.run(task);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += double(a.memory.as<T>()[a.at(i, p)]) *
                 double(b.memory.as<T>()[b.at(p, j)]);
        // All terms are multiples of 1/64, so every order of the sum is exact.
        T &element = c.memory.as<T>()[c.at(i, j)];
        ASSERT_EQ(element, T(sum))
            << level.name << ' ' << m << 'x' << n << 'x' << k << " at " << i
            << ", " << j << " orders " << int(orderA) << int(orderB)
            << int(orderC) << how;
        element = T(77);
      }
  };
  runAndCheck("");
  Guarded packed((level.getPackedBytes(task) + 63) / 64 * 64);
  level.packColumns(task, packed.as<void>());
  task.method = MatmulMethod::Packed;
  task.packedB = packed.as<void>();
  if (k > 0)
    runAndCheck(" with B packed before");
}

TEST(MatmulTest, SizesAroundTilesAndBlocks) {
  const int64_t sizes[] = {0, 1, 2, 3, 5, 13, 14, 15, 16, 17, 31, 33, 64, 65};
  for (const MatmulLevel *level : getLevels())
    for (int64_t m : sizes)
      for (int64_t n : sizes)
        for (int64_t k : {0, 1, 3, 8, 17, 255, 257})
          compare<float>(*level, MatmulType::F32, m, n, k, Order::Rows,
                         Order::Rows, Order::Rows);
}

TEST(MatmulTest, OrdersOfMemory) {
  const Order orders[] = {Order::Rows, Order::Columns, Order::Padded,
                          Order::Spread};
  for (const MatmulLevel *level : getLevels())
    for (Order a : orders)
      for (Order b : orders)
        for (Order c : orders)
          for (int64_t m : {1, 2, 3, 4, 5, 8, 9, 29})
            for (int64_t n : {1, 4, 7, 70}) {
              compare<float>(*level, MatmulType::F32, m, n, 37, a, b, c);
              compare<double>(*level, MatmulType::F64, m, n, 37, a, b, c);
            }
}

TEST(MatmulTest, VectorsOfColumnsAreTurned) {
  for (const MatmulLevel *level : getLevels()) {
    // A vector that lies in memory as it may: a column of a matrix, say.
    MatmulTask task{300,
                    1,
                    400,
                    {nullptr, 1, 300},
                    {nullptr, 7, 1},
                    {nullptr, 1, 1},
                    MatmulType::F32,
                    MatmulMethod::Packed,
                    nullptr};
    EXPECT_TRUE(isTurnedRow(task, *level));
    MatmulTask rows = task;
    rows.a.rowStride = 400, rows.a.columnStride = 1;
    EXPECT_FALSE(isTurnedRow(rows, *level)) << "rows are dot products";
    MatmulTask halves = task;
    halves.type = MatmulType::F16;
    EXPECT_FALSE(isTurnedRow(halves, *level)) << "sums are wider than results";
    MatmulTask spread = task;
    spread.c.rowStride = 2;
    EXPECT_FALSE(isTurnedRow(spread, *level)) << "results are not a row";
  }
}

TEST(MatmulTest, BlocksOfB) {
  for (const MatmulLevel *level : getLevels()) {
    compare<float>(*level, MatmulType::F32, 37, 1100, 520, Order::Rows,
                   Order::Columns, Order::Rows);
    compare<float>(*level, MatmulType::F32, 37, 1100, 520, Order::Rows,
                   Order::Rows, Order::Columns);
    compare<float>(*level, MatmulType::F32, 10, 1024, 300, Order::Rows,
                   Order::Rows, Order::Rows);
    // Panels of B for all rows, and blocks of them.
    for (int64_t m : {30, 192, 193})
      compare<float>(*level, MatmulType::F32, m, 210, 300, Order::Rows,
                     Order::Rows, Order::Rows);
    compare<float>(*level, MatmulType::F32, 1, 9000, 20, Order::Rows,
                   Order::Rows, Order::Rows);
    compare<double>(*level, MatmulType::F64, 37, 1100, 520, Order::Rows,
                    Order::Rows, Order::Rows);
  }
}

/// f32 with the bits of a bf16 above them; rounds to nearest even.
uint16_t toBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// The nearest f16, by its definition.
uint16_t toHalf(double value) {
  if (std::isnan(value))
    return 0x7e00;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  int exponent = value == 0 ? -14 : std::max(std::ilogb(value), -14);
  double units = std::nearbyint(std::ldexp(value, 10 - exponent));
  if (value > 1e300 || std::ldexp(units, exponent - 10) > 65504)
    return sign | 0x7c00;
  // A sum of the fields, so that a carry goes into the exponent.
  return uint16_t(sign | (int(units) - 1024 + ((exponent + 15) << 10)));
}

/// 1 x 1 matmuls by 1 show how single values are converted and rounded.
TEST(MatmulTest, HalvesAreWidenedAndRounded) {
  for (const MatmulLevel *level : getLevels()) {
    auto multiply = [&](MatmulType type, uint16_t x, uint16_t y) {
      uint16_t result = 0;
      MatmulTask task{1,          1,
                      1,          {&x, 1, 1},
                      {&y, 1, 1}, {&result, 1, 1},
                      type,       MatmulMethod::Packed,
                      nullptr};
      std::vector<char> scratch(level->getScratchBytes(task) + 64);
      task.scratch = reinterpret_cast<void *>(
          (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
      level->run(task);
      return result;
    };
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      bool isNaN = (bits & 0x7fff) > 0x7c00;
      uint16_t half = multiply(MatmulType::F16, uint16_t(bits), 0x3c00);
      if (isNaN)
        ASSERT_GT(half & 0x7fff, 0x7c00) << bits;
      else
        ASSERT_EQ(half, bits == 0x8000 ? 0 : bits) << level->name;
      bool isNaNB = (bits & 0x7fff) > 0x7f80;
      uint16_t bfloat = multiply(MatmulType::BF16, uint16_t(bits), 0x3f80);
      if (isNaNB)
        ASSERT_GT(bfloat & 0x7fff, 0x7f80) << bits;
      else
        ASSERT_EQ(bfloat, bits == 0x8000 ? 0 : bits) << level->name;
    }
    // Products that are no f16: by a factor with a long mantissa.
    for (unsigned bits = 0; bits < 0x7c00; bits += 7) {
      double value = bits < 0x400 ? std::ldexp(double(bits), -24)
                                  : std::ldexp(double((bits & 0x3ff) + 1024),
                                               int(bits >> 10) - 25);
      const double factor = 1.3330078125; // 0x3d55
      ASSERT_EQ(multiply(MatmulType::F16, uint16_t(bits), 0x3d55),
                toHalf(value * factor))
          << level->name << ' ' << bits;
    }
    for (unsigned bits = 0x80; bits < 0x7f00; bits += 7) {
      uint32_t wide = bits << 16;
      float value;
      std::memcpy(&value, &wide, 4);
      ASSERT_EQ(multiply(MatmulType::BF16, uint16_t(bits), 0x3fab),
                toBFloat(value * 1.3359375f))
          << level->name << ' ' << bits;
    }
  }
}

/// The same where halves are read where they are: sums of zeros and one value.
TEST(MatmulTest, HalvesAreWidenedInPlace) {
  const int64_t n = 5, k = 35;
  Guarded a(k * 2), b(n * k * 2);
  for (const MatmulLevel *level : getLevels())
    for (bool isBFloat : {false, true})
      for (unsigned bits = 0; bits < 0x10000; ++bits) {
        std::memset(a.as<void>(), 0, k * 2);
        std::memset(b.as<void>(), 0, n * k * 2);
        size_t p = bits % k;
        a.as<uint16_t>()[p] = isBFloat ? 0x3f80 : 0x3c00;
        for (size_t j = 0; j < n; ++j)
          b.as<uint16_t>()[j * k + p] = uint16_t(bits);
        uint16_t c[n];
        alignas(64) float scratch[n];
        MatmulTask task{1,
                        n,
                        k,
                        {a.as<void>(), k, 1},
                        {b.as<void>(), 1, k},
                        {c, n, 1},
                        isBFloat ? MatmulType::BF16 : MatmulType::F16,
                        MatmulMethod::Dots,
                        scratch};
        ASSERT_LE(level->getScratchBytes(task), sizeof(scratch));
        level->run(task);
        unsigned infinity = isBFloat ? 0x7f80 : 0x7c00;
        for (uint16_t element : c)
          if ((bits & 0x7fff) > infinity)
            ASSERT_GT(element & 0x7fffu, infinity)
                << level->name << ' ' << bits;
          else
            ASSERT_EQ(element, bits == 0x8000 ? 0 : bits) << level->name;
      }
}

TEST(MatmulTest, InfinityAndNaN) {
  for (const MatmulLevel *level : getLevels())
    for (int64_t m : {1, 20}) {
      std::vector<float> a(size_t(m) * 40, 1), b(40 * 33, 1), c(size_t(m) * 33);
      b[5 * 33 + 7] = INFINITY;
      b[6 * 33 + 8] = NAN;
      a[0] = 0;
      MatmulTask task{m,
                      33,
                      40,
                      {a.data(), 40, 1},
                      {b.data(), 33, 1},
                      {c.data(), 33, 1},
                      MatmulType::F32,
                      MatmulMethod::Packed,
                      nullptr};
      for (MatmulMethod method : {MatmulMethod::Packed, MatmulMethod::InPlace,
                                  MatmulMethod::Unpacked, MatmulMethod::Row}) {
        if (method == MatmulMethod::Row && m != 1)
          continue;
        task.method = method;
        std::vector<float> scratch(level->getScratchBytes(task) / 4 + 1);
        task.scratch = scratch.data();
        level->run(task);
        EXPECT_EQ(c[0], 39);
        EXPECT_EQ(c[7], INFINITY);
        EXPECT_TRUE(std::isnan(c[8]));
        EXPECT_EQ(c[9], 39);
      }
    }
}

TEST(MatmulTest, Batches) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  // b is one matrix for all of the second dimension.
  const int64_t batch[] = {2, 3, 3 * 4 * 5, 4 * 5, 5 * 6, 0, 3 * 4 * 6, 4 * 6};
  std::vector<float> a(2 * 3 * 4 * 5), b(2 * 5 * 6), c(2 * 3 * 4 * 6);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i % 7);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(i % 5);
  tally_rt_host_matmul_args args = {
      4,      6,      5, a.data(), b.data(), c.data(), {5, 1},
      {6, 1}, {6, 1}, 2, batch,    f32,      f32,      nullptr};
  ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
  for (int64_t x = 0; x < 2; ++x)
    for (int64_t y = 0; y < 3; ++y)
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 6; ++j) {
          float sum = 0;
          for (int64_t p = 0; p < 5; ++p)
            sum += a[size_t(((x * 3 + y) * 4 + i) * 5 + p)] *
                   b[size_t((x * 5 + p) * 6 + j)];
          EXPECT_EQ(c[size_t(((x * 3 + y) * 4 + i) * 6 + j)], sum);
        }
  EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
  args.dtype = TALLY_RT_DATA_TYPE(kDLInt, 32);
  EXPECT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "a matmul of a type that the runtime does not know");
  tally_rt_context_destroy(ctx);
}

/// Three matmuls of a batch as the level computes small ones, of which the
/// second operand may be one for all. Returns false where they are not small.
template <typename T>
bool compareBatch(const MatmulLevel &level, MatmulType type, int64_t m,
                  int64_t n, int64_t k, const Order (&orders)[3],
                  bool sharesB) {
  constexpr int64_t count = 3;
  Matrix shapes[] = {
      {m, k, orders[0], 0}, {k, n, orders[1], 0}, {m, n, orders[2], 0}};
  int64_t steps[3];
  for (int i : {0, 1, 2})
    steps[i] = i == 1 && sharesB ? 0 : shapes[i].getElements();
  auto countBytes = [&](int i) {
    return size_t((count - 1) * steps[i] + shapes[i].getElements()) * sizeof(T);
  };
  Guarded memory[] = {Guarded(countBytes(0)), Guarded(countBytes(1)),
                      Guarded(countBytes(2))};
  T *a = memory[0].as<T>(), *b = memory[1].as<T>(), *c = memory[2].as<T>();
  for (int i : {0, 1, 2})
    for (size_t at = 0; at < countBytes(i) / sizeof(T); ++at)
      memory[i].as<T>()[at] = T(int(at * 7 % 17) - 8) / 8;
  MatmulTask task{m,
                  n,
                  k,
                  {a, shapes[0].strides[0], shapes[0].strides[1]},
                  {b, shapes[1].strides[0], shapes[1].strides[1]},
                  {c, shapes[2].strides[0], shapes[2].strides[1]},
                  type,
                  MatmulMethod::Batch,
                  nullptr};
  MatmulBatch batch{count, steps[0], steps[1], steps[2]};
  if (isBetterTurned(task)) {
    task = turnMatmul(task);
    std::swap(batch.stepA, batch.stepB);
  }
  if (!areSmallMatmuls(task, count, level))
    return false;
  std::vector<T> expected(c, c + countBytes(2) / sizeof(T));
  for (int64_t q = 0; q < count; ++q)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += double(a[q * steps[0] + shapes[0].at(i, p)]) *
                 double(b[q * steps[1] + shapes[1].at(p, j)]);
        expected[size_t(q * steps[2] + shapes[2].at(i, j))] = T(sum);
      }
  level.runBatch(task, batch);
  // What is between the elements stays as it is.
  EXPECT_EQ(0, std::memcmp(c, expected.data(), countBytes(2)))
      << level.name << ' ' << m << 'x' << n << 'x' << k << " orders "
      << int(orders[0]) << int(orders[1]) << int(orders[2]);
  return true;
}

TEST(MatmulTest, BatchesOfSmallMatrices) {
  const int64_t sizes[] = {1, 2, 3, 5, 7, 8, 9, 10, 17, 33};
  const Order some[] = {Order::Rows, Order::Columns, Order::Spread},
              result[] = {Order::Rows, Order::Columns, Order::Padded};
  int64_t small = 0;
  for (const MatmulLevel *level : getLevels())
    for (int64_t m : sizes)
      for (int64_t n : sizes)
        for (int64_t k : {1, 2, 3, 8, 16, 17, 64, 65, 128, 300})
          for (Order a : some)
            for (Order b : some) {
              Order c = result[(m + n + k) % 3];
              bool sharesB = m % 2 == 0;
              small += compareBatch<float>(*level, MatmulType::F32, m, n, k,
                                           {a, b, c}, sharesB);
              small += compareBatch<double>(*level, MatmulType::F64, m, n, k,
                                            {a, b, c}, sharesB);
            }
  EXPECT_GT(small, 2000);
}

/// Loops of a batch that go on where others end become one, others do not; and
/// what threads do does not change a result.
TEST(MatmulTest, LoopsOfABatchOfSmallMatrices) {
  const int64_t outer = 300, inner = 200, n = 3;
  std::vector<float> a(size_t(outer * inner * n * n)), c[2];
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i % 23) - 11.5f;
  for (bool sharesB : {false, true})
    for (bool serial : {false, true}) {
      int64_t whole = inner * n * n, one = n * n;
      const int64_t batch[] = {
          outer, inner, whole, one, whole, sharesB ? 0 : one, whole, one};
      tally_rt_config config = TALLY_RT_CONFIG_INIT;
      if (serial)
        config.parallel_for = tally_rt_serial_for;
      tally_rt_context *ctx = tally_rt_context_create(&config);
      c[serial].assign(a.size(), 77);
      tally_rt_host_matmul_args args = {
          n,      n,      n,      a.data(), a.data(), c[serial].data(),
          {n, 1}, {n, 1}, {n, 1}, 2,        batch,    f32,
          f32,    nullptr};
      ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
      tally_rt_context_destroy(ctx);
      for (int64_t q = 0; q < outer * inner; ++q) {
        int64_t right = sharesB ? q / inner * inner : q;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < n; ++j) {
            float sum = 0;
            for (int64_t p = 0; p < n; ++p)
              sum += a[size_t(q * one + i * n + p)] *
                     a[size_t(right * one + p * n + j)];
            ASSERT_EQ(c[serial][size_t(q * one + i * n + j)], sum) << q;
          }
      }
    }
}

/// The sums do not depend on how the work is divided.
TEST(MatmulTest, ThreadsDoNotChangeResults) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{300, 500, 700},
                         {1, 5000, 900},
                         {3, 4000, 700},
                         {20, 3001, 600},
                         {70001, 5, 19}}) {
    std::vector<float> a(size_t(m * k)), b(size_t(k * n)), c(size_t(m * n)),
        d(size_t(m * n));
    for (float &x : a)
      x = normal(random);
    for (float &x : b)
      x = normal(random);
    for (bool serial : {false, true}) {
      tally_rt_config config = TALLY_RT_CONFIG_INIT;
      if (serial)
        config.parallel_for = tally_rt_serial_for;
      tally_rt_context *ctx = tally_rt_context_create(&config);
      tally_rt_host_matmul_args args = {
          m,        n,        k,
          a.data(), b.data(), serial ? c.data() : d.data(),
          {k, 1},   {n, 1},   {n, 1},
          0,        nullptr,  f32,
          f32,      nullptr};
      ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
      tally_rt_context_destroy(ctx);
    }
    EXPECT_EQ(0, std::memcmp(c.data(), d.data(), c.size() * sizeof(float)));
  }
}

/// A constant operand gives the same as one that is packed in each call.
TEST(MatmulTest, PackedOnce) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  tally_rt_library library = {};
  const int64_t n = 3001, k = 600;
  std::vector<float> b(size_t(k * n));
  for (float &x : b)
    x = normal(random);
  tally_rt_packed packed = {};
  for (bool serial : {false, true})
    for (int64_t m : {int64_t(1030), int64_t(9), int64_t(33), int64_t(256)}) {
      tally_rt_config config = TALLY_RT_CONFIG_INIT;
      if (serial)
        config.parallel_for = tally_rt_serial_for;
      tally_rt_context *ctx = tally_rt_context_create(&config);
      ctx->library = &library;
      std::vector<float> a(size_t(m * k)), c(size_t(m * n)), d(size_t(m * n));
      for (float &x : a)
        x = normal(random);
      for (tally_rt_packed *place :
           {static_cast<tally_rt_packed *>(nullptr), &packed}) {
        tally_rt_host_matmul_args args = {
            m,        n,        k,
            a.data(), b.data(), place ? c.data() : d.data(),
            {k, 1},   {1, k},   {n, 1},
            0,        nullptr,  f32,
            f32,      place};
        ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
      }
      EXPECT_EQ(0, std::memcmp(c.data(), d.data(), c.size() * sizeof(float)));
      // Many rows do without: it is packed for the second size.
      EXPECT_EQ(packed.data == nullptr, m == 1030 && !serial);
      tally_rt_context_destroy(ctx);
    }
  tally_rt_release_library(&library);
}

/// Few rows read a constant operand whose columns lie along memory where it is;
/// a few more pack it, and so do not add in the order of one that varies.
TEST(MatmulTest, FewRowsOfAConstant) {
  tally_rt_library library = {};
  const int64_t n = 35, k = 67;
  std::vector<float> a(size_t(9 * k)), b(size_t(k * n));
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(i % 5) - 2;
  for (int64_t m = 1; m <= 9; ++m) {
    tally_rt_packed packed = {};
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    ctx->library = &library;
    std::vector<float> c(size_t(m * n));
    tally_rt_host_matmul_args args = {
        m,      n,      k, a.data(), b.data(), c.data(), {k, 1},
        {1, k}, {n, 1}, 0, nullptr,  f32,      f32,      &packed};
    ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
    EXPECT_EQ(packed.data == nullptr, m <= 4) << m;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += a[size_t(i * k + p)] * b[size_t(j * k + p)];
        ASSERT_EQ(c[size_t(i * n + j)], sum) << m << ": " << i << ", " << j;
      }
    tally_rt_context_destroy(ctx);
  }
  tally_rt_release_library(&library);
}

} // namespace
