//===- LinearAlgebraTest.cpp - Factors of matrices on the CPU -------------===//
//
// Results are compared with those of PyTorch and of the interpreter elsewhere;
// here is what compiled code does not do.
//
//===----------------------------------------------------------------------===//

#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

TEST(LinearAlgebraTest, RefusesWhatIsWrong) {
  auto getError = [](int64_t size, int64_t dtype) {
    tally_rt_host_matrix matrices[3] = {{nullptr, size, size, size, 1},
                                        {nullptr, size, size, size, 1},
                                        {nullptr, 1, 1, 1, 1}};
    tally_rt_host_linear_algebra_args args{TALLY_RT_CHOLESKY, dtype, 3,
                                           matrices,          0,     nullptr};
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    EXPECT_EQ(tally_rt_host_linear_algebra(ctx, &args),
              TALLY_RT_INVALID_ARGUMENT);
    std::string message = tally_rt_last_error(ctx)->message;
    tally_rt_context_destroy(ctx);
    return message;
  };
  EXPECT_EQ(getError(1, TALLY_RT_DATA_TYPE(kDLFloat, 16)),
            "linear algebra of a type that LAPACK does not know");
  EXPECT_EQ(getError(40000, TALLY_RT_DATA_TYPE(kDLFloat, 32)),
            "linear algebra of matrices of more than 32766 rows or columns");
  EXPECT_EQ(getError(40000, TALLY_RT_DATA_TYPE(kDLComplex, 64)),
            "linear algebra of matrices of more than 32766 rows or columns");
}

// Pivots of blocks are negative, two of a kind; others are rows of somebody
// else's memory.
TEST(LinearAlgebraTest, RefusesPivotsOfBlocks) {
  auto solve = [](int32_t first, int32_t second) {
    double factors[4] = {0, 1, 1, 0}, right[2] = {3, 5}, solution[2] = {};
    int32_t pivots[2] = {first, second};
    tally_rt_host_matrix matrices[4] = {{factors, 2, 2, 2, 1},
                                        {pivots, 2, 1, 1, 1},
                                        {right, 2, 1, 1, 1},
                                        {solution, 2, 1, 1, 1}};
    tally_rt_host_linear_algebra_args args{TALLY_RT_SOLVE_LDL,
                                           TALLY_RT_DATA_TYPE(kDLFloat, 64),
                                           4,
                                           matrices,
                                           0,
                                           nullptr};
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    int32_t status = tally_rt_host_linear_algebra(ctx, &args);
    if (status != TALLY_RT_OK)
      EXPECT_STREQ(tally_rt_last_error(ctx)->user_message,
                   "linear algebra: a pivot is no row of the matrix");
    tally_rt_context_destroy(ctx);
    // The only right pivots are those of one block.
    if (status == TALLY_RT_OK) {
      EXPECT_EQ(solution[0], 5);
      EXPECT_EQ(solution[1], 3);
    }
    return status;
  };
  EXPECT_EQ(solve(-2, -2), TALLY_RT_OK);
  EXPECT_EQ(solve(-2, 2), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(solve(1, -2), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(solve(-3, -2), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(solve(-2, -3), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(solve(0, 1), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(solve(3, 1), TALLY_RT_CHECK_FAILED);
}

// No more reflections than columns, and no more of these than rows.
TEST(LinearAlgebraTest, RefusesReflections) {
  double matrix[4] = {}, factors[3] = {}, product[4] = {};
  tally_rt_host_matrix matrices[3] = {
      {matrix, 2, 2, 2, 1}, {factors, 3, 1, 1, 1}, {product, 2, 2, 2, 1}};
  tally_rt_host_linear_algebra_args args{TALLY_RT_REFLECTIONS,
                                         TALLY_RT_DATA_TYPE(kDLFloat, 64),
                                         3,
                                         matrices,
                                         0,
                                         nullptr};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  EXPECT_EQ(tally_rt_host_linear_algebra(ctx, &args),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "linear algebra: there are more reflections than columns, or "
               "more columns than rows");
  tally_rt_context_destroy(ctx);
}

// What is not finite has no factors.
TEST(LinearAlgebraTest, RefusesNumbersThatAreNotFinite) {
  auto getError = [](int64_t kind, int64_t count) {
    double nan = std::numeric_limits<double>::quiet_NaN();
    double matrix[2] = {nan, nan}, values[2] = {}, u[2] = {}, v[2] = {};
    tally_rt_host_matrix matrices[4] = {{matrix, 1, 1, 2, 2},
                                        {values, 1, 1, 2, 2},
                                        {u, 1, 1, 2, 2},
                                        {v, 1, 1, 2, 2}};
    int64_t parts[4] = {1, 1, 1, 1};
    tally_rt_host_linear_algebra_args args{
        kind, TALLY_RT_DATA_TYPE(kDLComplex, 128), count, matrices, 0, parts};
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    EXPECT_EQ(tally_rt_host_linear_algebra(ctx, &args), TALLY_RT_CHECK_FAILED);
    std::string message = tally_rt_last_error(ctx)->user_message;
    tally_rt_context_destroy(ctx);
    return message;
  };
  EXPECT_EQ(getError(TALLY_RT_EIG, 3),
            "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  EXPECT_EQ(getError(TALLY_RT_SVD, 4),
            "linalg.svd: The algorithm failed to converge because the input "
            "matrix contained non-finite values.");
}

/// How far the exponential is from that of a turn by an angle and a growth.
template <typename T>
static double getExponentialError(double angle, double growth) {
  auto a = T(growth), b = T(angle);
  T matrix[4] = {a, -b, b, a}, result[4] = {};
  tally_rt_host_matrix matrices[2] = {{matrix, 2, 2, 2, 1},
                                      {result, 2, 2, 2, 1}};
  tally_rt_host_linear_algebra_args args{
      TALLY_RT_MATRIX_EXP,
      TALLY_RT_DATA_TYPE(kDLFloat, 8 * int64_t(sizeof(T))),
      2,
      matrices,
      0,
      nullptr};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  EXPECT_EQ(tally_rt_host_linear_algebra(ctx, &args), TALLY_RT_OK);
  tally_rt_context_destroy(ctx);
  long double scale = std::exp(static_cast<long double>(a)),
              turn = static_cast<long double>(b);
  long double expected[4] = {scale * std::cos(turn), -scale * std::sin(turn),
                             scale * std::sin(turn), scale * std::cos(turn)};
  long double error = 0;
  for (int i = 0; i < 4; ++i)
    error = std::max(error, std::fabs(result[i] - expected[i]));
  return double(error / scale) / std::numeric_limits<T>::epsilon();
}

// Norms on both sides of those where a polynomial of another degree, or a
// square, takes over. A rounded operand is off by a part of its norm.
TEST(LinearAlgebraTest, Exponentials) {
  for (double norm = 0; norm < 50; norm = norm == 0 ? 1e-5 : norm * 1.3)
    for (double part : {0.0, 0.5, 0.9}) {
      double angle = norm * (1 - part), growth = norm * part;
      for (double sign : {1.0, -1.0}) {
        EXPECT_LT(getExponentialError<float>(angle, sign * growth), 1)
            << norm << " " << part;
        EXPECT_LT(getExponentialError<double>(angle, sign * growth),
                  2 + 4 * norm)
            << norm << " " << part;
      }
    }
}
