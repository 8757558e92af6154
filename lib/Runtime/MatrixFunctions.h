//===- MatrixFunctions.h - Linear algebra by LAPACK -------------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_MATRIXFUNCTIONS_H
#define TALLY_LIB_RUNTIME_MATRIXFUNCTIONS_H

#include "MatrixProblem.h"

namespace tally::runtime {

/// Kinds from TALLY_RT_GEQRF on, for matrices of real or complex numbers.
int32_t runMatrixFunction(tally_rt_context *ctx,
                          const MatrixProblem::Args &args);

/// The kind TALLY_RT_MATRIX_EXP.
int32_t runMatrixExponential(tally_rt_context *ctx,
                             const MatrixProblem::Args &args);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_MATRIXFUNCTIONS_H
