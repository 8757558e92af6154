//===- ExponentialSums.h - The sum of a softmax in one pass -----*- C++ -*-===//
//
// A softmax finds the largest element m of a row, then sums up exp(x - m). Both
// take one pass together: the sum is that of the largest element so far, and is
// scaled where a larger one comes (M. Milakov and N. Gimelshein, "Online
// normalizer calculation for softmax", 2018).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_EXPONENTIALSUMS_H
#define TALLY_LIB_CODEGEN_KERNELS_EXPONENTIALSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// Returns the operation of a kernel that finds the largest element m of a row,
/// if `sum` sums up exp(x - m) over the same elements x, as f32 or f64; null if
/// it does not.
mlir::linalg::GenericOp findMaximumOfSum(mlir::linalg::GenericOp sum);

/// The largest of some elements, and the sum of exp(x - maximum) over them. Of
/// no element they are -infinity and 0.
struct ExponentialSum {
  mlir::Value maximum, sum;
};

/// Adds elements to sums that have one maximum: those of `elements[i]` to
/// `sums[i]`. Takes an exponential for each element, and one for all.
void addElements(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::MutableArrayRef<ExponentialSum> sums,
                 llvm::ArrayRef<llvm::SmallVector<mlir::Value>> elements);

/// Joins the sums of two sets of elements.
ExponentialSum joinSums(mlir::OpBuilder &builder, mlir::Location loc,
                        const ExponentialSum &a, const ExponentialSum &b);

/// The sum that two passes give: it is NaN where the largest element is
/// infinite, as exp(inf - inf) is, unless there is no element at all.
mlir::Value getSumOfTwoPasses(mlir::OpBuilder &builder, mlir::Location loc,
                              const ExponentialSum &sum, mlir::Value isEmpty);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_EXPONENTIALSUMS_H
