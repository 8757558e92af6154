//===- ContractTest.cpp - Contractions and convolutions on the CPU --------===//
//
// Convolutions of every rank, stride, dilation and layout, and contractions,
// against loops in double precision, with operands between inaccessible pages.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Context.h"
#include "../../../lib/Runtime/Matmul.h"
#include "Elements.h"
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

namespace {

using Loop = tally_rt_host_loop;
using Loops = std::vector<Loop>;

/// A contraction by its loops, and the numbers of elements of the operands.
struct Problem {
  Loops batch, m, n, k;

  static int64_t count(const Loops &loops) {
    int64_t product = 1;
    for (const Loop &loop : loops)
      product *= loop.size;
    return product;
  }

  int64_t getElements(int64_t Loop::*stride) const {
    int64_t last = 0;
    for (const Loops *loops : {&batch, &m, &n, &k})
      for (const Loop &loop : *loops) {
        if (loop.size == 0)
          return 0;
        last += (loop.size - 1) * std::abs(loop.*stride);
      }
    return last + 1;
  }

  /// Where the iteration with all numbers 0 is: loops with negative strides end
  /// at the first element.
  int64_t getStart(int64_t Loop::*stride) const {
    int64_t start = 0;
    for (const Loop &loop : getLoops())
      start += (loop.size - 1) * std::max<int64_t>(-(loop.*stride), 0);
    return start;
  }

  int64_t getElementsOfC() const {
    Problem other = *this;
    other.k.clear();
    return other.getElements(&Loop::c_stride);
  }

  Loops getLoops() const {
    Loops all;
    for (const Loops *loops : {&batch, &m, &n, &k})
      all.insert(all.end(), loops->begin(), loops->end());
    return all;
  }
};

/// Calls `use` with the offsets of a, b and c for all iterations.
template <typename Use>
void iterate(const Loops &loops, Use use, size_t depth = 0, int64_t a = 0,
             int64_t b = 0, int64_t c = 0) {
  if (depth == loops.size())
    return use(a, b, c);
  const Loop &loop = loops[depth];
  for (int64_t i = 0; i < loop.size; ++i)
    iterate(loops, use, depth + 1, a + i * loop.a_stride, b + i * loop.b_stride,
            c + i * loop.c_stride);
}

/// Operands of small integers divided by 8, exact in every type, and the result
/// that loops compute.
template <typename T>
struct Operands {
  using Result = typename ElementOf<T>::Result;
  using Sum = typename ElementOf<T>::Sum;

  explicit Operands(const Problem &problem)
      : sizeA(problem.getElements(&Loop::a_stride)),
        sizeB(problem.getElements(&Loop::b_stride)),
        sizeC(problem.getElementsOfC()),
        startA(problem.getStart(&Loop::a_stride)), a(size_t(sizeA) * sizeof(T)),
        b(size_t(sizeB) * sizeof(T)), c(size_t(sizeC) * sizeof(Result)),
        expected(size_t(sizeC), 0), isWritten(size_t(sizeC), false) {
    std::mt19937 random{unsigned(sizeA * 31 + sizeB)};
    for (int64_t i = 0; i < sizeA; ++i)
      a.as<T>()[i] = ElementOf<T>::make(int(random() % 17) - 8);
    for (int64_t i = 0; i < sizeB; ++i)
      b.as<T>()[i] = ElementOf<T>::make(int(random() % 17) - 8);
    clear();
    Problem results = problem;
    results.k.clear();
    iterate(results.getLoops(), [&](int64_t, int64_t, int64_t at) {
      isWritten[size_t(at)] = true;
    });
    iterate(problem.getLoops(), [&](int64_t i, int64_t j, int64_t at) {
      expected[size_t(at)] += Sum(a.as<T>()[startA + i]) * Sum(b.as<T>()[j]);
    });
  }

  void clear() {
    std::memset(c.as<void>(), 0x7f, size_t(sizeC) * sizeof(Result));
  }

  /// Every order of the sums is exact, as all terms are multiples of 1/64.
  void check() {
    Result untouched;
    std::memset(&untouched, 0x7f, sizeof(Result));
    for (size_t i = 0; i < size_t(sizeC); ++i)
      ASSERT_EQ(c.as<Result>()[i],
                isWritten[i] ? Result(expected[i]) : untouched)
          << "at " << i;
  }

  int64_t sizeA, sizeB, sizeC, startA;
  Guarded a, b, c;
  std::vector<Sum> expected;
  std::vector<bool> isWritten;
};

struct Convolution {
  int64_t images, groups, outputs, channels;
  std::vector<int64_t> sizes, window, stride, dilation;
};

/// A convolution, a being the weights: [n, g, c, ...] * [g, o, c, ...].
Problem makeChannelsFirst(const Convolution &conv) {
  size_t rank = conv.sizes.size();
  std::vector<int64_t> in(rank + 1, 1), window(rank + 1, 1), out(rank + 1, 1);
  for (size_t dim = rank; dim-- > 0;) {
    int64_t reach = conv.dilation[dim] * (conv.window[dim] - 1) + 1;
    int64_t size = conv.sizes[dim] == 0
                       ? 0
                       : (conv.sizes[dim] - 1) * conv.stride[dim] + reach;
    in[dim] = in[dim + 1] * size;
    window[dim] = window[dim + 1] * conv.window[dim];
    out[dim] = out[dim + 1] * conv.sizes[dim];
  }
  Problem problem;
  int64_t all = conv.groups * conv.outputs;
  problem.batch = {
      {conv.images, 0, conv.groups * conv.channels * in[0], all * out[0]},
      {conv.groups, conv.outputs * conv.channels * window[0],
       conv.channels * in[0], conv.outputs * out[0]}};
  problem.m = {{conv.outputs, conv.channels * window[0], 0, out[0]}};
  problem.k = {{conv.channels, window[0], in[0], 0}};
  for (size_t dim = 0; dim < rank; ++dim) {
    problem.n.push_back(
        {conv.sizes[dim], 0, in[dim + 1] * conv.stride[dim], out[dim + 1]});
    problem.k.push_back({conv.window[dim], window[dim + 1],
                         in[dim + 1] * conv.dilation[dim], 0});
  }
  return problem;
}

/// The same, with images as columns: what the compiler makes of it.
Problem makeImagesColumns(const Convolution &conv) {
  Problem problem = makeChannelsFirst(conv);
  problem.n.insert(problem.n.begin(), problem.batch.front());
  problem.batch.erase(problem.batch.begin());
  return problem;
}

/// The gradient of a convolution's weights, a being that of its results.
Problem makeWeightGradient(const Convolution &conv) {
  Problem forward = makeChannelsFirst(conv), problem;
  const Loop &images = forward.batch[0], &groups = forward.batch[1],
             &outputs = forward.m[0];
  problem.batch = {
      {groups.size, groups.c_stride, groups.b_stride, groups.a_stride}};
  problem.m = {{outputs.size, outputs.c_stride, 0, outputs.a_stride}};
  for (const Loop &loop : forward.k)
    problem.n.push_back({loop.size, 0, loop.b_stride, loop.a_stride});
  problem.k = {{images.size, images.c_stride, images.b_stride, 0}};
  for (const Loop &loop : forward.n)
    problem.k.push_back({loop.size, loop.c_stride, loop.b_stride, 0});
  return problem;
}

/// What reads a convolution's images backwards, as the gradient of them does: a
/// is the weights with windows that are mirrored and channels that are
/// exchanged.
Problem makeMirrored(const Convolution &conv) {
  Problem problem = makeImagesColumns(conv);
  Loop &outputs = problem.m.front(), &channels = problem.k.front();
  for (size_t dim = 1; dim < problem.k.size(); ++dim)
    problem.k[dim].a_stride *= -1;
  // [c, o, ...] in the place of [o, c, ...].
  outputs.a_stride = channels.a_stride;
  channels.a_stride *= conv.outputs;
  return problem;
}

/// A convolution, b being the weights: [n, y, x, c] * [i, j, c, o].
Problem makeChannelsLast(const Convolution &conv) {
  Problem problem;
  int64_t o = conv.outputs, c = conv.channels;
  int64_t width = (conv.sizes[1] - 1) * conv.stride[1] +
                  conv.dilation[1] * (conv.window[1] - 1) + 1;
  int64_t height = (conv.sizes[0] - 1) * conv.stride[0] +
                   conv.dilation[0] * (conv.window[0] - 1) + 1;
  problem.m = {
      {conv.images, height * width * c, 0, conv.sizes[0] * conv.sizes[1] * o},
      {conv.sizes[0], width * c * conv.stride[0], 0, conv.sizes[1] * o},
      {conv.sizes[1], c * conv.stride[1], 0, o}};
  problem.n = {{o, 0, 1, 1}};
  problem.k = {
      {conv.window[0], width * c * conv.dilation[0], conv.window[1] * c * o, 0},
      {conv.window[1], c * conv.dilation[1], c * o, 0},
      {c, 1, o, 0}};
  return problem;
}

template <typename T>
void compare(const Problem &problem, int64_t dtype) {
  Operands<T> operands(problem);
  tally_rt_library library = {};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  ctx->library = &library;
  Loops loops = problem.getLoops();
  tally_rt_host_contract_args args = {operands.a.template as<T>() +
                                          operands.startA,
                                      operands.b.template as<void>(),
                                      operands.c.template as<void>(),
                                      int64_t(problem.batch.size()),
                                      int64_t(problem.m.size()),
                                      int64_t(problem.n.size()),
                                      int64_t(problem.k.size()),
                                      loops.data(),
                                      dtype,
                                      dtype,
                                      nullptr};
  // A is packed in each call, in the first of several, before.
  tally_rt_packed packed = {};
  for (tally_rt_packed *place :
       {static_cast<tally_rt_packed *>(nullptr), &packed, &packed}) {
    args.packed_a = place;
    ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
    EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
    operands.check();
    operands.clear();
  }
  tally_rt_context_destroy(ctx);
  tally_rt_release_library(&library);
}

constexpr int64_t f32 = TALLY_RT_DATA_TYPE(kDLFloat, 32),
                  f64 = TALLY_RT_DATA_TYPE(kDLFloat, 64);

std::vector<Convolution> getConvolutions() {
  std::vector<Convolution> result{
      {1, 1, 3, 2, {9}, {3}, {1}, {1}},
      {2, 2, 5, 3, {33}, {2}, {3}, {2}},
      {1, 1, 16, 3, {5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {2, 1, 3}},
      {2, 3, 1, 1, {8, 9}, {3, 3}, {1, 1}, {1, 1}},
      {1, 1, 30, 40, {7, 7}, {3, 3}, {1, 1}, {1, 1}},
      {1, 1, 70, 5, {33, 40}, {1, 1}, {1, 1}, {1, 1}},
      {1, 1, 4, 3, {6, 5}, {8, 8}, {8, 8}, {1, 1}},
      {0, 1, 4, 3, {6, 5}, {2, 2}, {1, 1}, {1, 1}},
      {1, 1, 0, 3, {6, 5}, {2, 2}, {1, 1}, {1, 1}},
      {2, 1, 4, 0, {6, 5}, {2, 2}, {1, 1}, {1, 1}},
      {2, 1, 4, 3, {0, 5}, {2, 2}, {1, 1}, {1, 1}},
      {1, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {2, 1, 30, 3, {9, 40}, {3, 3}, {1, 1}, {1, 1}},
      {2, 2, 15, 3, {30, 20}, {3, 2}, {1, 1}, {2, 1}},
      {2, 1, 7, 3, {5, 4, 32}, {2, 3, 2}, {1, 1, 1}, {1, 2, 1}},
      {2, 1, 5, 90, {300}, {5}, {1}, {3}},
      // Lines of the image that several lines of a window share, in blocks.
      {1, 1, 1, 60, {45, 9}, {3, 3}, {2, 2}, {1, 1}},
      {2, 1, 5, 2, {9, 33}, {5, 4}, {2, 2}, {3, 1}},
      {1, 1, 9, 3, {7, 30}, {4, 5}, {3, 2}, {2, 1}},
      {1, 1, 9, 3, {7, 30}, {3, 5}, {1, 2}, {2, 3}},
      {1, 1, 9, 3, {9, 30}, {5, 5}, {4, 3}, {2, 1}},
      {1, 1, 3, 3, {4, 3, 20}, {3, 3, 3}, {2, 2, 2}, {1, 2, 1}}};
  for (int64_t stride : {1, 2, 3})
    for (int64_t dilation : {1, 2})
      for (int64_t width : {1, 2, 15, 16, 17, 33})
        result.push_back(
            {2, 2, 9, 4, {5, width}, {3, 2}, {2, stride}, {1, dilation}});
  return result;
}

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
      tally_rt_host_contract_args args = {weight,
                                          operands.b.as<void>(),
                                          operands.c.as<void>(),
                                          int64_t(problem.batch.size()),
                                          int64_t(problem.m.size()),
                                          int64_t(problem.n.size()),
                                          int64_t(problem.k.size()),
                                          loops.data(),
                                          f32,
                                          f32,
                                          &packed};
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

void append(MatmulIndex &index, const Loops &loops, int64_t Loop::*stride) {
  for (const Loop &loop : loops) {
    index.sizes[index.rank] = loop.size;
    index.strides[index.rank++] = loop.*stride;
  }
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

/// The gradient of the weights of a group at a level, from lines of both
/// operands, in tasks of some rows and columns.
template <typename T>
void compareLinesAt(const MatmulLevel &level, const Problem &problem,
                    int64_t rows, int64_t columns) {
  Operands<T> operands(problem);
  MatmulLayout layoutOfA{}, layoutOfB{};
  append(layoutOfA.outer, problem.m, &Loop::a_stride);
  append(layoutOfA.depth, problem.k, &Loop::a_stride);
  append(layoutOfB.outer, problem.n, &Loop::b_stride);
  append(layoutOfB.depth, problem.k, &Loop::b_stride);
  int64_t m = problem.m[0].size, n = Problem::count(problem.n);
  for (int64_t row = 0; row < m; row += rows)
    for (int64_t column = 0; column < n; column += columns) {
      MatmulTask task{
          std::min(rows, m - row),
          std::min(columns, n - column),
          Problem::count(problem.k),
          {operands.a.template as<void>(), 0, 0, &layoutOfA, row},
          {operands.b.template as<void>(), 0, 0, &layoutOfB, column},
          {operands.c.template as<T>() + row * n + column, n, 1},
          ElementOf<T>::type,
          MatmulMethod::Lines,
          nullptr};
      Guarded scratch((level.getScratchBytes(task) + 63) / 64 * 64);
      task.scratch = scratch.as<void>();
      level.run(task);
    }
  operands.check();
}

std::vector<Convolution> getConvolutionsOfLines() {
  std::vector<Convolution> result{
      {2, 1, 9, 5, {40}, {3}, {1}, {1}},
      {1, 1, 2, 1, {2500}, {7}, {1}, {3}},
      {1, 1, 2, 1, {1100}, {7}, {2}, {1}},
      {3, 1, 5, 2, {3, 4, 17}, {2, 1, 3}, {1, 1, 1}, {1, 1, 2}},
      // As many lines as a block has, and one more.
      {1, 1, 3, 1, {257, 4}, {3, 3}, {1, 1}, {1, 1}}};
  for (int64_t stride : {1, 2, 3})
    for (int64_t width : {4, 7, 8, 15, 16, 17, 33, 56})
      result.push_back({3, 1, 9, 2, {21, width}, {3, 5}, {2, stride}, {1, 2}});
  return result;
}

TEST(ContractTest, LinesAtEveryLevel) {
  for (const MatmulLevel *level : getLevels(MatmulType::F32))
    for (const Convolution &conv : getConvolutionsOfLines()) {
      SCOPED_TRACE(std::string(level->name) + " " +
                   testing::PrintToString(conv.sizes) + " stride " +
                   testing::PrintToString(conv.stride));
      Problem problem = makeWeightGradient(conv);
      for (auto [rows, columns] : {std::pair(100, 1000), {4, 8}, {1, 3}}) {
        compareLinesAt<float>(*level, problem, rows, columns);
        compareLinesAt<double>(*level, problem, rows, columns);
      }
    }
}

TEST(ContractTest, GradientsOfWeights) {
  std::vector<Convolution> convolutions = getConvolutions();
  for (Convolution conv : getConvolutionsOfLines()) {
    convolutions.push_back(conv);
    conv.groups = 3;
    conv.outputs = conv.channels = 1;
    convolutions.push_back(conv);
  }
  for (const Convolution &conv : convolutions) {
    SCOPED_TRACE(testing::PrintToString(conv.sizes) + " stride " +
                 testing::PrintToString(conv.stride));
    compare<float>(makeWeightGradient(conv), f32);
    compare<double>(makeWeightGradient(conv), f64);
  }
}

/// What is masked is no zero that is multiplied: an infinity beside a line
/// makes no NaN of it.
TEST(ContractTest, LinesAreReadAlone) {
  Problem problem =
      makeWeightGradient({1, 1, 1, 1, {40, 17}, {1, 1}, {1, 1}, {1, 1}});
  // Lines of both are 20 elements apart.
  problem.k[1].a_stride = problem.k[1].b_stride = 20;
  Operands<float> operands(problem);
  for (int64_t line = 0; line + 1 < 40; ++line)
    for (int64_t x = 17; x < 20; ++x)
      operands.a.as<float>()[line * 20 + x] =
          operands.b.as<float>()[line * 20 + x] = INFINITY;
  for (const MatmulLevel *level : getLevels(MatmulType::F32)) {
    operands.clear();
    MatmulLayout layout{};
    append(layout.outer, problem.m, &Loop::a_stride);
    append(layout.depth, problem.k, &Loop::a_stride);
    MatmulTask task{1,
                    1,
                    Problem::count(problem.k),
                    {operands.a.as<void>(), 0, 0, &layout},
                    {operands.b.as<void>(), 0, 0, &layout},
                    {operands.c.as<void>(), 1, 1},
                    MatmulType::F32,
                    MatmulMethod::Lines,
                    nullptr};
    Guarded scratch((level->getScratchBytes(task) + 63) / 64 * 64);
    task.scratch = scratch.as<void>();
    level->run(task);
    operands.check();
  }
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
      tally_rt_host_contract_args args = {a.as<void>(),
                                          b.as<void>(),
                                          c.as<void>(),
                                          int64_t(problem.batch.size()),
                                          int64_t(problem.m.size()),
                                          int64_t(problem.n.size()),
                                          int64_t(problem.k.size()),
                                          loops.data(),
                                          dtype,
                                          dtype,
                                          nullptr};
      ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
      tally_rt_context_destroy(ctx);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(c.as<uint16_t>()[i], convert(expected[i])) << expected[i];
    }
  }
}

void compareThreads(const Problem &problem, bool packs = true) {
  Loops loops = problem.getLoops();
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> a(size_t(problem.getElements(&Loop::a_stride))),
      b(size_t(problem.getElements(&Loop::b_stride)));
  for (std::vector<float> *values : {&a, &b})
    for (float &value : *values)
      value = normal(random);
  std::vector<float> results[2];
  for (bool serial : {false, true}) {
    std::vector<float> &c = results[serial];
    c.resize(size_t(problem.getElementsOfC()));
    tally_rt_config config = TALLY_RT_CONFIG_INIT;
    if (serial)
      config.parallel_for = tally_rt_serial_for;
    tally_rt_context *ctx = tally_rt_context_create(&config);
    tally_rt_library library = {};
    ctx->library = &library;
    tally_rt_packed packed = {};
    tally_rt_host_contract_args args = {a.data(),
                                        b.data(),
                                        c.data(),
                                        int64_t(problem.batch.size()),
                                        int64_t(problem.m.size()),
                                        int64_t(problem.n.size()),
                                        int64_t(problem.k.size()),
                                        loops.data(),
                                        f32,
                                        f32,
                                        &packed};
    ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
    // Panels of windows that are of another height are kept elsewhere.
    const MatmulLevel &level = getMatmulLevel(MatmulType::F32);
    if (packs && level.getTileRows(MatmulType::F32, MatmulMethod::Windows) ==
                     level.getTileRows(MatmulType::F32, MatmulMethod::Packed))
      EXPECT_NE(packed.data, nullptr);
    tally_rt_context_destroy(ctx);
    tally_rt_release_library(&library);
  }
  EXPECT_EQ(results[0], results[1]);
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

/// Lines are read in place where few rows would use what is packed, or lines
/// are long.
TEST(ContractTest, LongLinesAreReadInPlace) {
  for (const MatmulLevel *level : getLevels(MatmulType::F32))
    for (auto [m, channels, length, isInPlace] : {std::tuple(1, 1, 4, true),
                                                  {1, 1, 3, false},
                                                  {32, 32, 112, true},
                                                  {256, 256, 7, false}}) {
      SCOPED_TRACE(std::string(level->name) + " " + std::to_string(m) +
                   " rows, lines of " + std::to_string(length));
      int64_t width = length + 2, area = width * width;
      MatmulLayout layoutOfA{}, layoutOfB{};
      layoutOfA.outer = {1, {m}, {length * length}};
      layoutOfA.depth = {2, {64, length * length}, {m * length * length, 1}};
      layoutOfB.outer = {3, {channels, 3, 3}, {area, width, 1}};
      layoutOfB.depth = {3, {64, length, length}, {channels * area, width, 1}};
      MatmulTask whole{};
      whole.m = m;
      whole.n = 9 * channels;
      whole.k = 64 * length * length;
      whole.a = {nullptr, 0, 0, &layoutOfA};
      whole.b = {nullptr, 0, 0, &layoutOfB};
      whole.c = {nullptr, whole.n, 1};
      EXPECT_EQ(chooseMatmulMethod(whole, *level) == MatmulMethod::Lines,
                isInPlace);
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

TEST(ContractTest, ThreadsDoNotChangeLines) {
  compareThreads(
      makeWeightGradient({3, 1, 50, 40, {37, 41}, {3, 3}, {1, 1}, {1, 1}}),
      /*packs=*/false);
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
