//===- MatmulSums.h - Sums of products of two tensors -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_MATMULSUMS_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_MATMULSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// Whether `op` adds products of the elements of two tensors to an output, of
/// types that a library multiplies: those that sum as they are, halves, which
/// it sums in f32, and i8, in i32.
bool isMultiplied(mlir::linalg::LinalgOp op);

/// Whether a tensor is filled with zeros. A sum that starts at -0.0 is -0.0 for
/// a sum over nothing, which no library gives.
bool isZeroFill(mlir::Value tensor);

/// Whether a library multiplies the operands as they are where the result has
/// the type of sums.
bool keepsOperands(mlir::linalg::LinalgOp op);

/// An operation that converts `tensor`, element by element.
mlir::Value extend(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value tensor, mlir::Type type);

/// The operation that rounds a sum of products of halves to their type, if it
/// is the only use of `sums`: of the result of `op`, or that reshaped. Such a
/// sum gets its type; any other one has the type that it is summed in.
mlir::linalg::GenericOp getRounding(mlir::linalg::LinalgOp op,
                                    mlir::Value sums);

/// The sum of a product and what it is added to.
mlir::Value addTo(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value init, mlir::Value product);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_MATMULSUMS_H
