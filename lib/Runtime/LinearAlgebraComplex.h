//===- LinearAlgebraComplex.h - Linear algebra by LAPACK --------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_LINEARALGEBRACOMPLEX_H
#define TALLY_LIB_RUNTIME_LINEARALGEBRACOMPLEX_H

#include "MatrixProblem.h"

namespace tally::runtime {

/// Factors of matrices of complex numbers.
int32_t runComplexLinearAlgebra(tally_rt_context *ctx,
                                const MatrixProblem::Args &args);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_LINEARALGEBRACOMPLEX_H
