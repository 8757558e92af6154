//===- SmallMatricesTest.cpp - Factors of small matrices ------------------===//
//
// Every level that the processor supports against one matrix at a time, bit by
// bit: what a matrix gives does not depend on the others of its batch, on how
// its elements lie in memory, or on the processor. Operands lie between
// inaccessible pages. LAPACK gives the same up to rounding.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/SmallMatrices.h"

#include "Guarded.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace tally::runtime;

namespace {

/// The levels that this processor supports.
std::vector<const SmallMatrixLevel *> getLevels() {
  std::vector<const SmallMatrixLevel *> levels{&smallMatrixBaseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back(&smallMatrixV3);
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(&smallMatrixV4);
#endif
  return levels;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// How the elements of a matrix lie: those of a row together, those of a column
/// together, or none.
enum class Layout { Rows, Columns, Gaps };

/// A matrix of each problem.
template <typename Element>
class Operand {
public:
  Operand(int64_t batch, int64_t rows, int64_t columns, Layout layout)
      : batch(batch), rows(rows), columns(columns),
        rowStride(layout == Layout::Rows      ? columns
                  : layout == Layout::Columns ? 1
                                              : 2 * columns + 1),
        columnStride(layout == Layout::Rows      ? 1
                     : layout == Layout::Columns ? rows
                                                 : 2),
        step(std::max<int64_t>(1, (rows - 1) * rowStride +
                                      (columns - 1) * columnStride + 1)),
        memory(
            std::make_unique<Guarded>(size_t(batch * step) * sizeof(Element))) {
    std::fill_n(memory->as<Element>(), batch * step, kGap);
  }

  Element &at(int64_t problem, int64_t row, int64_t column) {
    return memory->template as<Element>()[problem * step + row * rowStride +
                                          column * columnStride];
  }
  tally_rt_host_matrix getView() {
    return {memory->template as<Element>(), rows, columns, rowStride,
            columnStride};
  }
  /// The elements of a problem, row by row.
  std::vector<Element> getElements(int64_t problem) {
    std::vector<Element> elements;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        elements.push_back(at(problem, i, j));
    return elements;
  }
  /// How many elements have the value that all have in the beginning.
  int64_t countGaps() {
    const auto *data = memory->template as<Element>();
    return std::count(data, data + batch * step, kGap);
  }

  static constexpr Element kGap = Element(123456);
  int64_t batch, rows, columns, rowStride, columnStride, step;

private:
  std::unique_ptr<Guarded> memory;
};

/// Calls `run` with what stands for a call of compiled code.
template <typename Run, typename... Operands>
int32_t withArguments(int64_t kind, int64_t dtype, int64_t batch, Run run,
                      Operands &...operands) {
  std::vector<tally_rt_host_matrix> matrices{operands.getView()...};
  std::vector<int64_t> sizes{batch, operands.step...};
  tally_rt_host_linear_algebra_args args{
      kind, dtype, int64_t(matrices.size()), matrices.data(), 1, sizes.data()};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  int32_t status = run(ctx, args);
  tally_rt_context_destroy(ctx);
  return status;
}

template <typename T>
constexpr int64_t kDtype = TALLY_RT_DATA_TYPE(kDLFloat, 8 * sizeof(T));

/// The same bits, or NaN.
template <typename T>
bool areSame(const std::vector<T> &a, const std::vector<T> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) {
    return (std::isnan(double(x)) && std::isnan(double(y))) ||
           std::memcmp(&x, &y, sizeof(T)) == 0;
  });
}

//===----------------------------------------------------------------------===//
// One matrix at a time
//===----------------------------------------------------------------------===//

template <typename T>
struct Factors {
  std::vector<T> matrix;
  std::vector<int32_t> pivots;
  int32_t info = 0;
};

template <typename T>
Factors<T> factorLU(std::vector<T> a, int64_t rows, int64_t columns) {
  Factors<T> made;
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < rows; ++i)
      if (std::abs(a[i * columns + k]) > std::abs(a[pivot * columns + k]))
        pivot = i;
    made.pivots.push_back(int32_t(pivot + 1));
    for (int64_t j = 0; j < columns; ++j)
      std::swap(a[k * columns + j], a[pivot * columns + j]);
    T diagonal = a[k * columns + k];
    if (diagonal == 0 && made.info == 0)
      made.info = int32_t(k + 1);
    T inverse = T(1) / diagonal;
    for (int64_t i = k + 1; i < rows; ++i) {
      T &factor = a[i * columns + k];
      if (std::abs(diagonal) < std::numeric_limits<T>::min())
        factor = diagonal == 0 ? factor : factor / diagonal;
      else
        factor *= inverse;
      for (int64_t j = k + 1; j < columns; ++j)
        a[i * columns + j] -= factor * a[k * columns + j];
    }
  }
  made.matrix = std::move(a);
  return made;
}

template <typename T>
Factors<T> factorCholesky(std::vector<T> a, int64_t n) {
  Factors<T> made;
  for (int64_t j = 0; j < n && made.info == 0; ++j) {
    std::vector<T> column;
    for (int64_t i = j; i < n; ++i) {
      T sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= a[i * n + k] * a[j * n + k];
      column.push_back(sum);
    }
    if (!(column[0] > 0)) {
      a[j * n + j] = column[0];
      made.info = int32_t(j + 1);
      break;
    }
    T root = std::sqrt(column[0]), inverse = T(1) / root;
    a[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i)
      a[i * n + j] = column[i - j] * inverse;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j)
      a[i * n + j] = 0;
  made.matrix = std::move(a);
  return made;
}

template <typename T>
void substitute(const std::vector<T> &a, int64_t n, bool isUpper, bool isUnit,
                std::vector<T> &x) {
  for (int64_t done = 0; done < n; ++done) {
    int64_t k = isUpper ? n - 1 - done : done;
    if (x[k] == 0)
      continue;
    if (!isUnit)
      x[k] /= a[k * n + k];
    for (int64_t i = isUpper ? 0 : k + 1; i < (isUpper ? k : n); ++i)
      x[i] -= x[k] * a[i * n + k];
  }
}

template <typename T>
void substituteTransposed(const std::vector<T> &a, int64_t n, bool isUpper,
                          bool isUnit, std::vector<T> &x) {
  for (int64_t done = 0; done < n; ++done) {
    int64_t i = isUpper ? done : n - 1 - done;
    for (int64_t k = isUpper ? 0 : i + 1; k < (isUpper ? i : n); ++k)
      x[i] -= a[k * n + i] * x[k];
    if (!isUnit)
      x[i] /= a[i * n + i];
  }
}

template <typename T>
std::vector<T> solveLU(const std::vector<T> &a,
                       const std::vector<int32_t> &pivots, bool isTransposed,
                       std::vector<T> x) {
  int64_t n = int64_t(x.size());
  for (int64_t k = 0; k < n && !isTransposed; ++k)
    std::swap(x[k], x[pivots[k] - 1]);
  if (isTransposed) {
    substituteTransposed(a, n, true, false, x);
    substituteTransposed(a, n, false, true, x);
  } else {
    substitute(a, n, false, true, x);
    substitute(a, n, true, false, x);
  }
  for (int64_t k = n; k-- > 0 && isTransposed;)
    std::swap(x[k], x[pivots[k] - 1]);
  return x;
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// Any, of a lower rank, with pivots that tie, with NaN and infinities, or of
/// subnormal numbers.
enum class Contents { Random, Singular, Ties, NotFinite, Tiny };
constexpr Contents kContents[] = {Contents::Random, Contents::Singular,
                                  Contents::Ties, Contents::NotFinite,
                                  Contents::Tiny};

template <typename T>
void fill(Operand<T> &operand, Contents contents, std::mt19937 &random) {
  std::uniform_real_distribution<T> any(-1, 1);
  auto pick = [&](int64_t count) { return int64_t(random() % count); };
  for (int64_t b = 0; b < operand.batch; ++b)
    for (int64_t i = 0; i < operand.rows; ++i)
      for (int64_t j = 0; j < operand.columns; ++j) {
        T &element = operand.at(b, i, j);
        element = any(random);
        if (contents == Contents::Tiny)
          element *= std::numeric_limits<T>::min();
        if (contents == Contents::Ties)
          element = T(pick(3) - 1);
        if (contents == Contents::Singular && i > 1)
          element = T(i) * operand.at(b, i % 2, j);
        // What is 0 is multiplied with some of them, or not.
        if (contents == Contents::NotFinite && pick(3) == 0)
          element = 0;
        if (contents == Contents::NotFinite && pick(40) == 0)
          element = pick(2) ? std::numeric_limits<T>::quiet_NaN()
                            : -std::numeric_limits<T>::infinity();
      }
}

/// Makes matrices symmetric; positive where every third problem says so.
template <typename T>
void makeSymmetric(Operand<T> &operand) {
  for (int64_t b = 0; b < operand.batch; ++b)
    for (int64_t i = 0; i < operand.rows; ++i) {
      for (int64_t j = 0; j < i; ++j)
        operand.at(b, j, i) = operand.at(b, i, j);
      if (b % 3 != 2)
        operand.at(b, i, i) += T(operand.rows);
    }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The problems of one batch, at one level.
template <typename T>
class BatchCheck {
public:
  BatchCheck(const SmallMatrixLevel &level, int64_t batch, Layout layout,
             Contents contents, std::mt19937 &random)
      : level(level), batch(batch), layout(layout), contents(contents),
        random(random) {}

  void checkLU(int64_t rows, int64_t columns);
  void checkSolveLU(int64_t n, int64_t width, bool isTransposed);
  void checkCholesky(int64_t n);
  void checkTriangle(int64_t n, int64_t width, bool isUpper, bool isUnit);
  /// The elements of the matrix are as large as `scale`.
  void checkQR(int64_t rows, int64_t columns, bool isComplete, T scale);

private:
  template <typename... Operands>
  void run(int64_t kind, Operands &...operands) {
    auto call = [&](tally_rt_context *ctx,
                    const tally_rt_host_linear_algebra_args &args) {
      return runSmallMatrices(ctx, args, level);
    };
    ASSERT_EQ(withArguments(kind, kDtype<T>, batch, call, operands...),
              TALLY_RT_OK);
  }
  Operand<T> make(int64_t rows, int64_t columns) {
    return Operand<T>(batch, rows, columns, layout);
  }
  /// The elements between those of a result are as they were. No result has
  /// their value.
  template <typename Element>
  void checkGaps(Operand<Element> &operand) {
    EXPECT_EQ(operand.countGaps(),
              batch * (operand.step - operand.rows * operand.columns));
  }

  const SmallMatrixLevel &level;
  int64_t batch;
  Layout layout;
  Contents contents;
  std::mt19937 &random;
};

template <typename T>
void BatchCheck<T>::checkLU(int64_t rows, int64_t columns) {
  int64_t least = std::min(rows, columns);
  Operand<T> a = make(rows, columns), factors = make(rows, columns);
  Operand<int32_t> pivots(batch, least, 1, layout), info(batch, 1, 1, layout);
  fill(a, contents, random);
  run(TALLY_RT_LU, a, factors, pivots, info);
  for (int64_t b = 0; b < batch; ++b) {
    Factors<T> wanted = factorLU(a.getElements(b), rows, columns);
    EXPECT_TRUE(areSame(factors.getElements(b), wanted.matrix));
    EXPECT_EQ(pivots.getElements(b), wanted.pivots);
    EXPECT_EQ(info.at(b, 0, 0), wanted.info);
  }
  if (least > 0) {
    checkGaps(factors);
    checkGaps(pivots);
  }
}

template <typename T>
void BatchCheck<T>::checkSolveLU(int64_t n, int64_t width, bool isTransposed) {
  Operand<T> a = make(n, n), right = make(n, width), x = make(n, width);
  Operand<int32_t> pivots(batch, n, 1, layout);
  fill(a, contents, random);
  fill(right, contents, random);
  // Some are before the diagonal, which no factorization makes.
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t k = 0; k < n; ++k)
      pivots.at(b, k, 0) = int32_t(
          1 + (b % 4 == 0 ? int64_t(random() % n) : k + random() % (n - k)));
  run(TALLY_RT_SOLVE_LU | (isTransposed ? TALLY_RT_TRANSPOSED : 0), a, pivots,
      right, x);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t j = 0; j < width; ++j) {
      std::vector<T> own, wanted;
      for (int64_t i = 0; i < n; ++i) {
        own.push_back(x.at(b, i, j));
        wanted.push_back(right.at(b, i, j));
      }
      wanted = solveLU(a.getElements(b), pivots.getElements(b), isTransposed,
                       std::move(wanted));
      EXPECT_TRUE(areSame(own, wanted));
    }
  if (n > 0 && width > 0)
    checkGaps(x);
}

template <typename T>
void BatchCheck<T>::checkCholesky(int64_t n) {
  Operand<T> a = make(n, n), factors = make(n, n);
  Operand<int32_t> info(batch, 1, 1, layout);
  fill(a, contents, random);
  makeSymmetric(a);
  run(TALLY_RT_CHOLESKY, a, factors, info);
  for (int64_t b = 0; b < batch; ++b) {
    Factors<T> wanted = factorCholesky(a.getElements(b), n);
    EXPECT_TRUE(areSame(factors.getElements(b), wanted.matrix));
    EXPECT_EQ(info.at(b, 0, 0), wanted.info);
  }
  if (n > 0)
    checkGaps(factors);
}

template <typename T>
void BatchCheck<T>::checkTriangle(int64_t n, int64_t width, bool isUpper,
                                  bool isUnit) {
  Operand<T> a = make(n, n), right = make(n, width), x = make(n, width);
  fill(a, contents, random);
  fill(right, contents, random);
  run(TALLY_RT_SOLVE_TRIANGULAR | (isUpper ? TALLY_RT_UPPER : 0) |
          (isUnit ? TALLY_RT_UNIT : 0),
      a, right, x);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t j = 0; j < width; ++j) {
      std::vector<T> own, wanted;
      for (int64_t i = 0; i < n; ++i) {
        own.push_back(x.at(b, i, j));
        wanted.push_back(right.at(b, i, j));
      }
      substitute(a.getElements(b), n, isUpper, isUnit, wanted);
      EXPECT_TRUE(areSame(own, wanted));
    }
  if (n > 0 && width > 0)
    checkGaps(x);
}

/// Q has orthogonal columns and R is a triangle, whose product is the matrix.
template <typename T>
void BatchCheck<T>::checkQR(int64_t rows, int64_t columns, bool isComplete,
                            T scale) {
  int64_t width = isComplete ? rows : std::min(rows, columns);
  Operand<T> a = make(rows, columns), q = make(rows, width),
             r = make(width, columns);
  fill(a, contents, random);
  double largest = 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        a.at(b, i, j) *= scale;
        largest = std::max(largest, std::abs(double(a.at(b, i, j))));
      }
  run(TALLY_RT_QR, a, q, r);
  double limit = 8 * std::numeric_limits<T>::epsilon() * double(rows + columns);
  // Of the smallest numbers there is no fraction.
  double ofProduct = std::max(limit * largest,
                              double(rows + columns) *
                                  double(std::numeric_limits<T>::denorm_min()));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < width; ++i)
      for (int64_t j = 0; j < width; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < rows; ++k)
          sum += double(q.at(b, k, i)) * double(q.at(b, k, j));
        ASSERT_NEAR(sum, i == j, limit);
      }
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        long double sum = 0;
        for (int64_t k = 0; k < width; ++k)
          sum += static_cast<long double>(q.at(b, i, k)) * r.at(b, k, j);
        ASSERT_NEAR(double(sum), double(a.at(b, i, j)), ofProduct);
      }
    for (int64_t i = 0; i < width; ++i)
      for (int64_t j = 0; j < std::min(i, columns); ++j)
        ASSERT_EQ(r.at(b, i, j), T(0));
  }
  if (rows > 0 && columns > 0) {
    checkGaps(q);
    checkGaps(r);
  }
}

/// Every number of rows up to where the columns of what is factored fill the
/// lanes, and some up to where those of a right side do.
std::vector<int64_t> getSizes() {
  std::vector<int64_t> sizes(kMostRowsAside + 2);
  std::iota(sizes.begin(), sizes.end(), 0);
  sizes.insert(sizes.end(), {47, kMostEquationsAside});
  return sizes;
}

/// Calls `check` with these numbers of rows, in batches around the number of
/// lanes, with contents and layouts in turns.
template <typename T, typename Check>
void forEachBatch(Check check) {
  std::mt19937 random(7);
  for (const SmallMatrixLevel *level : getLevels()) {
    int64_t lanes = level->vectorBytes / int64_t(sizeof(T));
    int64_t turn = 0;
    for (int64_t n : getSizes())
      for (int64_t batch :
           {int64_t(0), int64_t(1), lanes - 1, lanes, lanes + 1, 2 * lanes + 1})
        for (Contents contents : kContents) {
          SCOPED_TRACE(std::string(level->title) + ", " + std::to_string(n) +
                       " rows, a batch of " + std::to_string(batch) +
                       ", contents " + std::to_string(int(contents)));
          auto layout = Layout(turn++ % 3);
          BatchCheck<T> batchCheck(*level, batch, layout, contents, random);
          check(batchCheck, n, lanes, turn);
          if (::testing::Test::HasFailure())
            return;
        }
  }
}

template <typename T>
class SmallMatricesTest : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SmallMatricesTest, Floats);

} // namespace

TYPED_TEST(SmallMatricesTest, FactorsLU) {
  forEachBatch<TypeParam>([](auto &batch, int64_t n, int64_t, int64_t turn) {
    batch.checkLU(n, n);
    batch.checkLU(n, turn * 7 % (kMostRowsAside + 5));
  });
}

TYPED_TEST(SmallMatricesTest, SolvesWithFactors) {
  forEachBatch<TypeParam>([](auto &batch, int64_t n, int64_t lanes,
                             int64_t turn) {
    // On both sides of where columns fill the lanes.
    const int64_t widths[] = {1,        0, lanes - 1, lanes, 3, 5 * lanes + 1,
                              2 * lanes};
    batch.checkSolveLU(n, widths[turn % 7], false);
    batch.checkSolveLU(n, widths[turn % 7], true);
  });
}

TYPED_TEST(SmallMatricesTest, FactorsCholesky) {
  forEachBatch<TypeParam>(
      [](auto &batch, int64_t n, int64_t, int64_t) { batch.checkCholesky(n); });
}

/// Columns fill the lanes, and the last ones are no vector.
TYPED_TEST(SmallMatricesTest, TakesLargerMatrices) {
  std::mt19937 random(13);
  int64_t turn = 0;
  for (const SmallMatrixLevel *level : getLevels())
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{65, 65},
                                 {65, 70},
                                 {100, 33},
                                 {33, 100},
                                 {1, 200},
                                 {200, 1},
                                 {129, 129},
                                 {kMostRows, 40}})
      for (Contents contents : kContents) {
        SCOPED_TRACE(std::string(level->title) + ", " + std::to_string(rows) +
                     " x " + std::to_string(columns) + ", contents " +
                     std::to_string(int(contents)));
        auto layout = Layout(turn++ % 3);
        BatchCheck<TypeParam> batch(*level, 1 + turn % 2, layout, contents,
                                    random);
        batch.checkLU(rows, columns);
        batch.checkCholesky(columns);
        batch.checkSolveLU(rows, turn % 5, turn & 1);
        batch.checkTriangle(rows, columns % 19, turn & 2, turn & 1);
        if (::testing::Test::HasFailure())
          return;
      }
}

/// Also where squares of elements are too large, or too small.
TYPED_TEST(SmallMatricesTest, FactorsQR) {
  using T = TypeParam;
  std::mt19937 random(17);
  int64_t turn = 0;
  for (const SmallMatrixLevel *level : getLevels())
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{0, 3},
                                 {3, 0},
                                 {1, 1},
                                 {5, 5},
                                 {8, 3},
                                 {3, 8},
                                 {17, 16},
                                 {16, 33},
                                 {33, 31},
                                 {64, 64},
                                 {70, 9},
                                 {9, 70},
                                 {kMostRows, 20}})
      for (T scale : {T(1), std::numeric_limits<T>::max() / T(4096),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::min() / T(1000), T(0)})
        for (bool isComplete : {false, true}) {
          SCOPED_TRACE(std::string(level->title) + ", " + std::to_string(rows) +
                       " x " + std::to_string(columns) + " times " +
                       std::to_string(double(scale)));
          auto layout = Layout(turn++ % 3);
          BatchCheck<T> batch(*level, 1 + turn % 3, layout, Contents::Random,
                              random);
          batch.checkQR(rows, columns, isComplete, scale);
          if (::testing::Test::HasFailure())
            return;
        }
}

TYPED_TEST(SmallMatricesTest, SolvesTriangles) {
  forEachBatch<TypeParam>(
      [](auto &batch, int64_t n, int64_t lanes, int64_t turn) {
        const int64_t widths[] = {1, 0,         lanes + 3,    lanes - 1,
                                  2, 7 * lanes, 3 * lanes - 1};
        batch.checkTriangle(n, widths[turn % 7], turn & 1, turn & 2);
        batch.checkTriangle(n, widths[turn % 7], !(turn & 1), turn & 2);
      });
}

/// Also beyond the sizes that kernels take.
TYPED_TEST(SmallMatricesTest, AgreesWithLapack) {
  using T = TypeParam;
  std::mt19937 random(11);
  for (int64_t n :
       {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65, 150, 257}) {
    constexpr int64_t batch = 9;
    Operand<T> a(batch, n, n, Layout::Rows);
    Operand<T> right(batch, n, 2, Layout::Rows);
    fill(a, Contents::Random, random);
    fill(right, Contents::Random, random);
    std::vector<Operand<T>> made;
    std::vector<std::vector<int32_t>> numbers;
    for (int64_t flag : {0, int(TALLY_RT_BY_LAPACK)}) {
      Operand<T> factors(batch, n, n, Layout::Rows);
      Operand<T> x(batch, n, 2, Layout::Rows);
      Operand<int32_t> pivots(batch, n, 1, Layout::Rows);
      Operand<int32_t> info(batch, 1, 1, Layout::Rows);
      auto call = [](tally_rt_context *ctx,
                     const tally_rt_host_linear_algebra_args &args) {
        return tally_rt_host_linear_algebra(ctx, &args);
      };
      int32_t status = withArguments(TALLY_RT_LU | flag, kDtype<T>, batch, call,
                                     a, factors, pivots, info);
      if (status == TALLY_RT_DEVICE_ERROR)
        GTEST_SKIP() << "there is no LAPACK";
      ASSERT_EQ(status, TALLY_RT_OK);
      ASSERT_EQ(withArguments(TALLY_RT_SOLVE_LU | flag, kDtype<T>, batch, call,
                              factors, pivots, right, x),
                TALLY_RT_OK);
      made.push_back(std::move(factors));
      made.push_back(std::move(x));
      numbers.push_back(pivots.getElements(batch - 1));
      numbers.push_back(info.getElements(batch - 1));
    }
    EXPECT_EQ(numbers[0], numbers[2]);
    EXPECT_EQ(numbers[1], numbers[3]);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t which : {0, 1}) {
        std::vector<T> own = made[which].getElements(b),
                       theirs = made[which + 2].getElements(b);
        double largest = 1;
        for (T x : theirs)
          largest = std::max(largest, std::abs(double(x)));
        // Of solutions of matrices that are not well conditioned, too.
        double limit = 1e4 * std::numeric_limits<T>::epsilon() * largest *
                       (which == 0 ? 1 : largest);
        for (size_t i = 0; i < own.size(); ++i)
          EXPECT_NEAR(own[i], theirs[i], limit) << n << " rows";
      }
  }
}

TEST(SmallMatricesTest, LeavesTheRestToLapack) {
  auto areSmall = [](int64_t kind, int64_t rows, int64_t columns,
                     std::vector<int64_t> batch) {
    tally_rt_host_matrix matrices[4] = {{nullptr, rows, columns, columns, 1}};
    tally_rt_host_linear_algebra_args args{
        kind, kDtype<float>, 4, matrices, int64_t(batch.size()), batch.data()};
    return areSmallMatrices(args);
  };
  EXPECT_TRUE(areSmall(TALLY_RT_LU, 32, 32, {}));
  EXPECT_TRUE(areSmall(TALLY_RT_LU, 256, 256, {1, 1}));
  EXPECT_FALSE(areSmall(TALLY_RT_LU, 32, 257, {1, 2}));
  EXPECT_TRUE(areSmall(TALLY_RT_CHOLESKY, 256, 256, {2}));
  EXPECT_FALSE(areSmall(TALLY_RT_CHOLESKY, 257, 257, {1}));
  EXPECT_TRUE(areSmall(TALLY_RT_SOLVE_LU | TALLY_RT_TRANSPOSED, 256, 256, {1}));
  EXPECT_FALSE(areSmall(TALLY_RT_SOLVE_TRIANGULAR, 257, 257, {5}));
  EXPECT_TRUE(areSmall(TALLY_RT_QR, 256, 2, {5}));
  EXPECT_FALSE(areSmall(TALLY_RT_QR, 2, 257, {}));
  EXPECT_FALSE(areSmall(TALLY_RT_SVD, 2, 2, {5}));
  EXPECT_FALSE(areSmall(TALLY_RT_LU | TALLY_RT_BY_LAPACK, 2, 2, {5}));
}

TEST(SmallMatricesTest, RefusesPivotsThatAreNoRows) {
  for (const SmallMatrixLevel *level : getLevels())
    for (int64_t width : {1, 40})
      for (int32_t wrong : {0, 4, -1}) {
        Operand<float> a(5, 3, 3, Layout::Rows), x(5, 3, width, Layout::Rows);
        Operand<float> right(5, 3, width, Layout::Rows);
        Operand<int32_t> pivots(5, 3, 1, Layout::Rows);
        for (int64_t b = 0; b < 5; ++b)
          for (int64_t i = 0; i < 3; ++i)
            pivots.at(b, i, 0) = b == 4 && i == 1 ? wrong : int32_t(i + 1);
        std::string message;
        auto call = [&](tally_rt_context *ctx,
                        const tally_rt_host_linear_algebra_args &args) {
          int32_t status = runSmallMatrices(ctx, args, *level);
          message = tally_rt_last_error(ctx)->user_message;
          return status;
        };
        EXPECT_EQ(withArguments(TALLY_RT_SOLVE_LU, kDtype<float>, 5, call, a,
                                pivots, right, x),
                  TALLY_RT_CHECK_FAILED);
        EXPECT_EQ(message, "linear algebra: a pivot is no row of the matrix");
      }
}
