//===- MatrixBatch.h - What a library takes as matrices ---------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_MATRIXBATCH_H
#define TALLY_LIB_CODEGEN_COMMON_MATRIXBATCH_H

#include "mlir/IR/BuiltinTypes.h"

namespace tally::codegen {

/// Returns whether a buffer is a batch of matrices for `tally_rt_matmul`: the
/// elements of a row lie close together, and the matrices, however many
/// dimensions count them, at one distance from each other.
bool isMatrixBatch(mlir::MemRefType type);

/// Returns whether the elements of a buffer lie in row-major order, as those of
/// a convolution do.
bool isWithoutGaps(mlir::MemRefType type);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_MATRIXBATCH_H
