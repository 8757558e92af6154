//===- ContractTest.cpp - Contractions and convolutions on the CPU --------===//
//
// Convolutions of every rank, stride, dilation and layout, and contractions,
// against loops in double precision, with operands between inaccessible pages.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Matmul.h"
#include "Contractions.h"
#include "Guarded.h"
#include "Levels.h"
#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tally::runtime;
using namespace contractions;

namespace {

TEST(ContractTest, ConvolutionsWithChannelsFirst) {
  for (const Convolution &conv : getConvolutions()) {
    SCOPED_TRACE(testing::PrintToString(conv.sizes) + " by " +
                 testing::PrintToString(conv.window) + " stride " +
                 testing::PrintToString(conv.stride));
    compare<float>(makeChannelsFirst(conv), f32);
    compare<double>(makeChannelsFirst(conv), f64);
    compare<float>(makeImagesColumns(conv), f32);
  }
}

/// A convolution of one weight and images of several sizes, for which the
/// runtime reads the weight, packed once, in different ways.
TEST(ContractTest, PackedOnceForAllSizes) {
  std::vector<Convolution> sizes;
  for (int64_t size : {40, 5, 1})
    sizes.push_back({1, 1, 26, 3, {size, size}, {3, 3}, {1, 1}, {1, 1}});
  for (bool isTurned : {false, true}) {
    tally_rt_library library = {};
    tally_rt_packed packed = {};
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    ctx->library = &library;
    Operands<float> first(makeChannelsFirst(sizes.front()));
    for (const Convolution &conv : sizes) {
      Problem problem = makeChannelsFirst(conv);
      Operands<float> operands(problem);
      const auto *weight = first.a.as<float>();
      std::fill(operands.expected.begin(), operands.expected.end(), 0);
      iterate(problem.getLoops(), [&](int64_t i, int64_t j, int64_t at) {
        operands.expected[size_t(at)] += weight[i] * operands.b.as<float>()[j];
      });
      Loops loops = problem.getLoops();
      tally_rt_host_contract_args args =
          makeArguments(problem, loops, weight, operands.b.as<void>(),
                        operands.c.as<void>(), f32, &packed);
      ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
      operands.check();
    }
    tally_rt_context_destroy(ctx);
    tally_rt_release_library(&library);
    if (!isTurned)
      std::reverse(sizes.begin(), sizes.end());
  }
}

/// The same where results lie `apart` from each other in each dimension, as
/// those of one remainder of a transposed convolution do.
Problem spread(Problem problem, int64_t apart) {
  int64_t step = apart;
  for (auto loop = problem.n.rbegin(); loop != problem.n.rend(); ++loop) {
    loop->c_stride = step;
    step *= loop->size * apart;
  }
  for (Loops *loops : {&problem.m, &problem.batch})
    for (auto loop = loops->rbegin(); loop != loops->rend(); ++loop) {
      loop->c_stride = step;
      step *= loop->size;
    }
  return problem;
}

// Panels have columns of several groups: lines of a result that is spread, and
// images of few elements.
TEST(ContractTest, NarrowGroupsOfColumns) {
  for (int64_t images : {1, 2, 3, 5})
    for (int64_t width : {1, 3, 4, 7, 8, 15, 17})
      for (int64_t channels : {1, 40, 200}) {
        Convolution conv{images,     1,      13,     channels,
                         {4, width}, {2, 2}, {1, 1}, {1, 1}};
        SCOPED_TRACE(testing::PrintToString(conv.sizes) + " of " +
                     std::to_string(images));
        compare<float>(spread(makeChannelsFirst(conv), 2), f32);
        compare<double>(spread(makeChannelsFirst(conv), 3), f64);
        compare<float>(makeImagesColumns(conv), f32);
        compare<double>(makeImagesColumns(conv), f64);
      }
}

TEST(ContractTest, ConvolutionsWithChannelsLast) {
  for (const Convolution &conv : getConvolutions()) {
    if (conv.groups != 1 || conv.sizes.size() != 2 || conv.sizes[0] == 0)
      continue;
    SCOPED_TRACE(testing::PrintToString(conv.sizes));
    compare<float>(makeChannelsLast(conv), f32);
    compare<double>(makeChannelsLast(conv), f64);
  }
}

TEST(ContractTest, MirroredWindows) {
  std::vector<Convolution> convolutions = getConvolutions();
  // More weights than are packed for windows.
  convolutions.push_back({2, 1, 130, 900, {4, 4}, {3, 3}, {1, 1}, {1, 1}});
  for (const Convolution &conv : convolutions) {
    if (conv.groups != 1)
      continue;
    SCOPED_TRACE(testing::PrintToString(conv.sizes));
    compare<float>(makeMirrored(conv), f32);
    compare<double>(makeMirrored(conv), f64);
    compare<BFloat16>(makeMirrored(conv), TALLY_RT_DATA_TYPE(kDLBfloat, 16));
  }
}

TEST(ContractTest, LoopsOfAnyKindAndOrder) {
  // c[x, i, y, j] = sum over p, q of a[p, i, x, q] * b[j, q, y, p].
  compare<float>({{},
                  {{3, 5, 0, 4 * 6 * 7}, {4, 3 * 5, 0, 6 * 7}},
                  {{6, 0, 2, 7}, {7, 0, 6 * 2 * 5, 1}},
                  {{2, 4 * 3 * 5, 1, 0}, {5, 1, 6 * 2, 0}}},
                 f32);
  // A result with its rows inside of its columns.
  compare<float>({{}, {{5, 7, 0, 1}}, {{9, 0, 7, 5}}, {{7, 1, 1, 0}}}, f32);
  // No row, no column, nothing to sum.
  compare<float>({{}, {}, {{9, 0, 7, 1}}, {{7, 1, 1, 0}}}, f32);
  compare<float>({{}, {{9, 7, 0, 1}}, {}, {{7, 1, 1, 0}}}, f32);
  compare<float>({{}, {}, {}, {{70, 1, 1, 0}}}, f32);
  compare<float>({{}, {{3, 1, 0, 4}}, {{4, 0, 1, 1}}, {}}, f32);
  // The same element of b for all columns.
  compare<float>({{}, {{3, 8, 0, 4}}, {{4, 0, 0, 1}}, {{8, 1, 1, 0}}}, f32);
}

/// One image and group of a convolution at a level, its columns from `start` on
/// as a task of their own; packed, or as the runtime chooses.
template <typename T>
void compareAt(const MatmulLevel &level, const Problem &problem, int64_t start,
               bool chooses) {
  Operands<T> operands(problem);
  MatmulLayout layout{};
  append(layout.outer, problem.n, &Loop::b_stride);
  append(layout.depth, problem.k, &Loop::b_stride);
  layout.last = operands.sizeB - 1;
  int64_t m = problem.m[0].size, n = Problem::count(problem.n),
          k = Problem::count(problem.k);
  MatmulTask whole{m,
                   n,
                   k,
                   {operands.a.template as<void>(), k, 1},
                   {operands.b.template as<void>(), 0, 0, &layout},
                   {operands.c.template as<void>(), n, 1},
                   ElementOf<T>::type,
                   MatmulMethod::Packed,
                   nullptr};
  whole.isWide = ElementOf<T>::isWide;
  if (chooses)
    whole.method = chooseMatmulMethod(whole, level);
  int64_t parts[] = {0, std::min(start, n), n};
  for (int part = 0; part < 2; ++part) {
    int64_t first = parts[part];
    MatmulTask task = whole;
    task.n = parts[part + 1] - first;
    task.b.start = first;
    task.c.data =
        operands.c.template as<typename Operands<T>::Result>() + first;
    Guarded scratch((level.getScratchBytes(task) + 63) / 64 * 64);
    task.scratch = scratch.as<void>();
    level.run(task);
  }
  operands.check();
}

template <typename T>
void compareLevels() {
  for (const MatmulLevel *level : getLevels(ElementOf<T>::type))
    for (Convolution conv : getConvolutions()) {
      conv.images = conv.groups = 1;
      Problem problem = makeChannelsFirst(conv);
      if (problem.getElements(&Loop::b_stride) == 0)
        continue;
      SCOPED_TRACE(std::string(level->name) + " " +
                   testing::PrintToString(conv.sizes) + " stride " +
                   testing::PrintToString(conv.stride));
      for (bool chooses : {false, true})
        for (int64_t start : {0, 7, 40})
          compareAt<T>(*level, problem, start, chooses);
    }
}

TEST(ContractTest, ColumnsOfWindowsAtEveryLevel) {
  compareLevels<float>();
  compareLevels<double>();
  compareLevels<BFloat16>();
  compareLevels<int8_t>();
  compareLevels<Byte>();
  compareLevels<int16_t>();
  compareLevels<int32_t>();
  compareLevels<int64_t>();
}

/// Values that are integers, as bf16 and f16.
TEST(ContractTest, Halves) {
  auto toBFloat = [](int value) {
    float wide = float(value);
    uint32_t bits;
    std::memcpy(&bits, &wide, 4);
    return uint16_t(bits >> 16);
  };
  auto toHalf = [](int value) {
    if (value == 0)
      return uint16_t(0);
    int exponent = std::ilogb(std::abs(value));
    int mantissa = (std::abs(value) << (10 - exponent)) - 1024;
    return uint16_t((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 |
                    mantissa);
  };
  for (int64_t stride : {1, 2, 3}) {
    Problem problem =
        makeChannelsFirst({2, 1, 3, 2, {4, 19}, {3, 3}, {1, stride}, {1, 1}});
    Loops loops = problem.getLoops();
    Operands<float> operands(problem);
    for (bool isBFloat : {false, true}) {
      Guarded a(size_t(operands.sizeA) * 2), b(size_t(operands.sizeB) * 2),
          c(size_t(operands.sizeC) * 2);
      auto convert = [&](int value) {
        return isBFloat ? toBFloat(value) : toHalf(value);
      };
      for (int64_t i = 0; i < operands.sizeA; ++i)
        a.as<uint16_t>()[i] = convert(int(8 * operands.a.as<float>()[i]) / 3);
      for (int64_t i = 0; i < operands.sizeB; ++i)
        b.as<uint16_t>()[i] = convert(int(8 * operands.b.as<float>()[i]) / 3);
      std::vector<int> expected(size_t(operands.sizeC), 0);
      iterate(loops, [&](int64_t i, int64_t j, int64_t at) {
        expected[size_t(at)] += (int(8 * operands.a.as<float>()[i]) / 3) *
                                (int(8 * operands.b.as<float>()[j]) / 3);
      });
      tally_rt_context *ctx = tally_rt_context_create(nullptr);
      int64_t dtype = isBFloat ? TALLY_RT_DATA_TYPE(kDLBfloat, 16)
                               : TALLY_RT_DATA_TYPE(kDLFloat, 16);
      tally_rt_host_contract_args args =
          makeArguments(problem, loops, a.as<void>(), b.as<void>(),
                        c.as<void>(), dtype, nullptr);
      ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
      tally_rt_context_destroy(ctx);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(c.as<uint16_t>()[i], convert(expected[i])) << expected[i];
    }
  }
}

/// Windows are read in place where what a block of them reads stays in the
/// second cache.
TEST(ContractTest, WindowsOfManyChannelsArePacked) {
  constexpr int64_t m = 32, width = 4000, taps = 3, stride = 2, cache = 1 << 20;
  for (const MatmulLevel *level : getLevels(MatmulType::F32)) {
    SCOPED_TRACE(level->name);
    int64_t columns =
        kWindowBlockPanels *
        level->getTileColumns(MatmulType::F32, MatmulMethod::Windows);
    int64_t most = cache / (stride * columns * int64_t(sizeof(float)));
    for (int64_t channels : {most, most + 1}) {
      MatmulLayout layout{};
      layout.outer = {1, {width}, {stride}};
      layout.depth = {2, {channels, taps}, {stride * width + taps, 1}};
      MatmulTask whole{};
      whole.m = m;
      whole.n = width;
      whole.k = channels * taps;
      whole.a = {nullptr, whole.k, 1};
      whole.b = {nullptr, 0, 0, &layout};
      whole.c = {nullptr, width, 1};
      whole.type = MatmulType::F32;
      EXPECT_EQ(chooseMatmulMethod(whole, *level), channels == most
                                                       ? MatmulMethod::Windows
                                                       : MatmulMethod::Packed);
    }
  }
}

TEST(ContractTest, ThreadsDoNotChangeResults) {
  compareThreads(
      makeChannelsFirst({3, 1, 50, 40, {37, 41}, {3, 3}, {1, 1}, {1, 1}}));
  // Few columns, in groups.
  compareThreads(
      makeImagesColumns({7, 1, 50, 40, {7, 9}, {3, 3}, {1, 1}, {1, 1}}));
  compareThreads(
      makeImagesColumns({9, 1, 50, 40, {3, 3}, {3, 3}, {1, 1}, {1, 1}}));
}

TEST(ContractTest, WhatTheRuntimeRefuses) {
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  tally_rt_host_contract_args args = {};
  args.dtype = TALLY_RT_DATA_TYPE(kDLBool, 8);
  EXPECT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "a contraction of a type that the runtime does not know");
  tally_rt_context_destroy(ctx);
  ctx = tally_rt_context_create(nullptr);
  args.dtype = args.c_dtype = f32;
  args.k_rank = TALLY_RT_MAX_CONTRACT_RANK + 1;
  EXPECT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "a contraction with more than 8 loops of one kind");
  tally_rt_context_destroy(ctx);
}

} // namespace
