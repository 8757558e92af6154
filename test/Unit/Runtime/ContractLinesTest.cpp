//===- ContractLinesTest.cpp - Sums over lines of two images --------------===//
//
// Gradients of the weights of convolutions, at every level.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "Levels.h"

#include <algorithm>
#include <cmath>

using namespace tally::runtime;
using namespace contractions;

namespace {

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

TEST(ContractLinesTest, LinesAtEveryLevel) {
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

TEST(ContractLinesTest, GradientsOfWeights) {
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
TEST(ContractLinesTest, LinesAreReadAlone) {
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

/// Lines are read in place where few rows would use what is packed, or lines
/// are long.
TEST(ContractLinesTest, LongLinesAreReadInPlace) {
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

TEST(ContractLinesTest, ThreadsDoNotChangeLines) {
  compareThreads(
      makeWeightGradient({3, 1, 50, 40, {37, 41}, {3, 3}, {1, 1}, {1, 1}}),
      /*packs=*/false);
}

} // namespace
