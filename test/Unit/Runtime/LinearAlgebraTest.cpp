//===- LinearAlgebraTest.cpp - Factors of matrices on the CPU -------------===//
//
// Results are compared with those of PyTorch and of the interpreter elsewhere;
// here is what compiled code does not do.
//
//===----------------------------------------------------------------------===//

#include "tally/Runtime/tally_runtime.h"

#include <gtest/gtest.h>
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
}
