//===- MatmulWordsTest.cpp - Matmuls of groups of elements ----------------===//
//
// Matmuls of bf16 and of integers at every level, those that multiply pairs of
// bf16 or four bytes in one instruction among them, and with loops in its
// place: at sizes on both sides of groups, tiles and blocks, in any order of
// memory, between inaccessible pages.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Context.h"
#include "../../../lib/Runtime/Matmul.h"
#include "Elements.h"
#include "Guarded.h"
#include "Levels.h"
#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

using namespace tally::runtime;

namespace {

enum class Order { Rows, Columns, Padded, Spread };

/// A matrix of elements in some order of memory.
template <typename T>
struct Matrix {
  Matrix(int64_t rows, int64_t columns, Order order)
      : rows(rows), columns(columns),
        strides{order == Order::Columns  ? 1
                : order == Order::Padded ? columns + 3
                : order == Order::Spread ? 2 * columns + 1
                                         : columns,
                order == Order::Columns  ? rows
                : order == Order::Spread ? 2
                                         : 1},
        memory(rows && columns ? size_t((rows - 1) * strides[0] +
                                        (columns - 1) * strides[1] + 1) *
                                     sizeof(T)
                               : 0) {}

  T &at(int64_t i, int64_t j) {
    return memory.template as<T>()[i * strides[0] + j * strides[1]];
  }
  void fill(std::mt19937 &random) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        at(i, j) = ElementOf<T>::make(int(random() % 17) - 8);
  }

  int64_t rows, columns;
  int64_t strides[2];
  Guarded memory;
};

/// Memory for a level, with its end against an inaccessible page.
size_t roundUp(size_t bytes) { return (bytes + 63) / 64 * 64; }

template <typename T>
class Comparison {
public:
  Comparison(const MatmulLevel &level, int64_t m, int64_t n, int64_t k,
             Order orderA, Order orderB, Order orderC)
      : level(level), a(m, k, orderA), b(k, n, orderB), c(m, n, orderC),
        sums(size_t(m * n)) {
    std::mt19937 random(unsigned(m * 1000003 + n * 1009 + k));
    a.fill(random);
    b.fill(random);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j)
          sums[size_t(i * n + j)] += Sum(a.at(i, p)) * Sum(b.at(p, j));
  }

  void run() {
    MatmulTask task{a.rows,
                    c.columns,
                    a.columns,
                    {a.memory.template as<void>(), a.strides[0], a.strides[1]},
                    {b.memory.template as<void>(), b.strides[0], b.strides[1]},
                    {c.memory.template as<void>(), c.strides[0], c.strides[1]},
                    ElementOf<T>::type,
                    MatmulMethod::Packed,
                    nullptr};
    task.isWide = ElementOf<T>::isWide;
    check(task, "packed");
    if (task.m == 0 || task.n == 0 || task.k == 0)
      return;
    task.method = chooseMatmulMethod(task, level);
    check(task, "as chosen");
    task.method = MatmulMethod::Packed;
    Guarded columns(roundUp(level.getPackedBytes(task)));
    level.packColumns(task, columns.as<void>());
    task.packedB = columns.as<void>();
    check(task, "with B packed before");
    // The last panel may have fewer rows.
    task.panelRows =
        std::min(level.getTileRows(task.type, task.method), task.m);
    Guarded rows(roundUp(level.getPackedRowBytes(task)));
    level.packRows(task, rows.as<void>());
    task.packedA = rows.as<void>();
    check(task, "with both packed before");
    task.packedB = nullptr;
    check(task, "with A packed before");
  }

private:
  using Result = typename ElementOf<T>::Result;
  using Sum = typename ElementOf<T>::Sum;

  void check(MatmulTask task, const char *how) {
    Guarded scratch(roundUp(level.getScratchBytes(task)));
    task.scratch = scratch.as<void>();
    level.run(task);
    for (int64_t i = 0; i < task.m; ++i)
      for (int64_t j = 0; j < task.n; ++j) {
        ASSERT_EQ(c.at(i, j), Result(sums[size_t(i * task.n + j)]))
            << level.name << ' ' << task.m << 'x' << task.n << 'x' << task.k
            << " at " << i << ", " << j << ' ' << how;
        c.at(i, j) = Result(77);
      }
  }

  const MatmulLevel &level;
  Matrix<T> a, b;
  Matrix<Result> c;
  std::vector<Sum> sums;
};

template <typename T>
class MatmulWordsTest : public testing::Test {
public:
  void compare(int64_t m, int64_t n, int64_t k, Order orderA, Order orderB,
               Order orderC) {
    for (const MatmulLevel *level : getLevels(ElementOf<T>::type))
      Comparison<T>(*level, m, n, k, orderA, orderB, orderC).run();
  }
};

using Types = testing::Types<BFloat16, int8_t, Byte, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(MatmulWordsTest, Types, );

TYPED_TEST(MatmulWordsTest, SizesAroundGroupsAndTiles) {
  for (int64_t m : {0, 1, 4, 13, 15, 16, 29, 33})
    for (int64_t n : {0, 1, 4, 5, 31, 32, 33, 65})
      for (int64_t k : {0, 1, 2, 3, 4, 5, 31, 33, 63, 65}) {
        this->compare(m, n, k, Order::Rows, Order::Rows, Order::Rows);
        this->compare(m, n, k, Order::Rows, Order::Columns, Order::Rows);
      }
}

TYPED_TEST(MatmulWordsTest, SizesAroundBlocks) {
  for (int64_t k : {511, 512, 513, 1023, 1025, 2050, 4101})
    for (Order order : {Order::Rows, Order::Columns})
      for (int64_t m : {15, 64, 65})
        this->compare(m, 33, k, Order::Rows, order, Order::Rows);
  this->compare(3, 1100, 1030, Order::Rows, Order::Rows, Order::Rows);
}

TYPED_TEST(MatmulWordsTest, OrdersOfMemory) {
  const Order orders[] = {Order::Rows, Order::Columns, Order::Padded,
                          Order::Spread};
  for (Order a : orders)
    for (Order b : orders)
      for (Order c : orders)
        for (int64_t m : {1, 5, 29})
          for (int64_t n : {1, 7, 70})
            this->compare(m, n, 37, a, b, c);
}

TYPED_TEST(MatmulWordsTest, RandomSizesAndOrders) {
  std::mt19937 random(9);
  auto pick = [&](int64_t most) { return 1 + int64_t(random()) % most; };
  auto pickOrder = [&] { return Order(random() % 4); };
  for (int i = 0; i < 100; ++i) {
    int64_t depth = i % 10 ? 150 : 1500;
    this->compare(pick(40), pick(100), pick(depth), pickOrder(), pickOrder(),
                  pickOrder());
  }
}

/// All sums of a level for operands of any bits, as bf16.
std::vector<uint16_t> multiply(const MatmulLevel &level,
                               const std::vector<uint16_t> &a,
                               const std::vector<uint16_t> &b, int64_t m,
                               int64_t n, int64_t k) {
  std::vector<uint16_t> c(size_t(m * n));
  MatmulTask task{m,
                  n,
                  k,
                  {a.data(), k, 1},
                  {b.data(), n, 1},
                  {c.data(), n, 1},
                  MatmulType::BF16,
                  MatmulMethod::Packed,
                  nullptr};
  Guarded scratch(roundUp(level.getScratchBytes(task)));
  task.scratch = scratch.as<void>();
  level.run(task);
  return c;
}

/// Loops compute the bits that an instruction does.
void compareBits(const MatmulLevel &level, const MatmulLevel &loops) {
  std::mt19937 random(5);
  const int64_t m = 17, n = 37, k = 603;
  // Numbers of one size, numbers around the subnormal ones, and all bits.
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<uint16_t> a(size_t(m * k)), b(size_t(k * n));
    for (auto *values : {&a, &b})
      for (uint16_t &value : *values) {
        auto bits = uint16_t(random());
        value = kind == 0   ? uint16_t((bits & 0x83ff) | 0x3c00)
                : kind == 1 ? uint16_t((bits & 0x83ff) | (values == &a) << 12)
                : random() % 64 ? uint16_t((bits & 0x87ff) | 0x3c00)
                                : bits;
      }
    std::vector<uint16_t> ours = multiply(level, a, b, m, n, k),
                          theirs = multiply(loops, a, b, m, n, k);
    for (size_t i = 0; i < ours.size(); ++i) {
      bool areNaN =
          (ours[i] & 0x7fff) > 0x7f80 && (theirs[i] & 0x7fff) > 0x7f80;
      ASSERT_TRUE(areNaN || ours[i] == theirs[i])
          << kind << ": " << ours[i] << " for " << theirs[i] << " at " << i;
    }
  }
}

TEST(MatmulPairsTest, InstructionAndLoopsAgree) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512bf16"))
    GTEST_SKIP() << "the processor has no AVX512-BF16";
  compareBits(matmulPairs, matmulPairsReference);
#endif
}

TEST(MatmulPairsTest, SquaresAndLoopsAgree) {
#if defined(__x86_64__)
  if (!multipliesPairSquares())
    GTEST_SKIP() << "the processor has no AMX-BF16";
  compareBits(matmulPairSquares, matmulPairSquaresReference);
#endif
}

/// 1 x 1 matmuls by 1: what is subnormal becomes zero, all else stays.
TEST(MatmulPairsTest, SubnormalNumbersAreZero) {
  for (const MatmulLevel *level : getLevels(MatmulType::BF16)) {
    bool flushes = std::strstr(level->name, "pair") != nullptr ||
                   std::strstr(level->name, "-BF16") != nullptr;
    for (unsigned bits = 0; bits < 0x10000; bits += bits & 0x7f80 ? 37 : 1) {
      uint16_t result =
          multiply(*level, {uint16_t(bits)}, {0x3f80}, 1, 1, 1)[0];
      if ((bits & 0x7fff) > 0x7f80)
        ASSERT_GT(result & 0x7fff, 0x7f80) << level->name << ' ' << bits;
      else if (bits & (flushes ? 0x7f80 : 0x7fff))
        ASSERT_EQ(result, bits) << level->name;
      else
        ASSERT_EQ(result, 0) << level->name << ' ' << bits;
    }
  }
}

/// Sums wrap, as integers of 32 bits do.
TEST(MatmulQuadsTest, SumsWrap) {
  const int64_t k = (int64_t(1) << 17) + 3;
  std::vector<int8_t> a(size_t(k), -128), b(size_t(k), -128);
  for (const MatmulLevel *level : getLevels(MatmulType::I8))
    for (MatmulMethod method : {MatmulMethod::Packed, MatmulMethod::Dots}) {
      uint32_t c = 0;
      MatmulTask task{1,
                      1,
                      k,
                      {a.data(), k, 1},
                      {b.data(), 1, k},
                      {&c, 1, 1},
                      MatmulType::I8,
                      method,
                      nullptr};
      task.isWide = true;
      Guarded scratch(roundUp(level->getScratchBytes(task)));
      task.scratch = scratch.as<void>();
      level->run(task);
      EXPECT_EQ(c, uint32_t(k << 14)) << level->name;
    }
}

/// Halves with results of f32, which are summed up where they go, and what the
/// runtime refuses.
TEST(MatmulPairsTest, WideResults) {
  const int64_t f32 = TALLY_RT_DATA_TYPE(kDLFloat, 32),
                f16 = TALLY_RT_DATA_TYPE(kDLFloat, 16),
                bf16 = TALLY_RT_DATA_TYPE(kDLBfloat, 16),
                i8 = TALLY_RT_DATA_TYPE(kDLInt, 8);
  const int64_t m = 31, n = 45, k = 67;
  for (int64_t dtype : {f16, bf16}) {
    // The first bits of a number and the last ones of 1.
    auto one = uint16_t(dtype == f16 ? 0x3c00 : 0x3f80);
    std::vector<uint16_t> a(size_t(m * k), one), b(size_t(k * n), one + 1);
    std::vector<float> c(size_t(m * n));
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    tally_rt_host_matmul_args args = {
        m,      n,      k, a.data(), b.data(), c.data(), {k, 1},
        {n, 1}, {n, 1}, 0, nullptr,  dtype,    f32,      nullptr};
    ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
    for (float sum : c)
      ASSERT_EQ(sum, k * (1 + (dtype == f16 ? 0x1p-10F : 0x1p-7F)));
    for (auto [from, to] : {std::pair{dtype, i8}, {f32, dtype}, {i8, f32}}) {
      args.dtype = from;
      args.c_dtype = to;
      EXPECT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_INVALID_ARGUMENT);
    }
    tally_rt_context_destroy(ctx);
  }
}

/// Bytes through the C interface: a batch, and parts for threads.
TEST(MatmulQuadsTest, Calls) {
  const int64_t m = 300, n = 200, k = 130, batch[] = {2, m * k, 0, m * n};
  std::mt19937 random(3);
  std::vector<int8_t> a(size_t(2 * m * k)), b(size_t(k * n));
  for (auto *values : {&a, &b})
    for (int8_t &value : *values)
      value = int8_t(random());
  tally_rt_library library = {};
  tally_rt_packed packed = {};
  for (tally_rt_packed *place :
       {static_cast<tally_rt_packed *>(nullptr), &packed}) {
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    ctx->library = &library;
    std::vector<int32_t> c(size_t(2 * m * n));
    tally_rt_host_matmul_args args = {m,
                                      n,
                                      k,
                                      a.data(),
                                      b.data(),
                                      c.data(),
                                      {k, 1},
                                      {n, 1},
                                      {n, 1},
                                      1,
                                      batch,
                                      TALLY_RT_DATA_TYPE(kDLInt, 8),
                                      TALLY_RT_DATA_TYPE(kDLInt, 32),
                                      place};
    ASSERT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
    for (int64_t i = 0; i < 2 * m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int32_t sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += a[size_t(i * k + p)] * b[size_t(p * n + j)];
        ASSERT_EQ(c[size_t(i * n + j)], sum) << i << ", " << j;
      }
    tally_rt_context_destroy(ctx);
  }
  EXPECT_NE(packed.data, nullptr);
  tally_rt_release_library(&library);
}

} // namespace
