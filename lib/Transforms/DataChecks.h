//===- DataChecks.h - Whether indices read from data are in bounds -*- C++ -*-//

#ifndef TALLY_LIB_TRANSFORMS_DATACHECKS_H
#define TALLY_LIB_TRANSFORMS_DATACHECKS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// Builds whether a condition holds for an element of a tensor.
using BuildCondition =
    llvm::function_ref<mlir::Value(mlir::OpBuilder &body, mlir::Value element)>;

/// Builds a reduction, an i1: whether a condition holds for every element of
/// `input`. What it combines for an element is one conjunction, so that parts
/// can be reduced apart.
mlir::Value buildForAll(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value input, BuildCondition condition);

/// Builds whether each of some indices is below the size beside
/// it. Seen as unsigned, a negative index is beyond every size.
mlir::Value buildAreBelow(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ValueRange indices, mlir::ValueRange sizes);

/// Builds loops over the elements that `around`, a `tensor.generate` or
/// `tensor.pad`, computes. The result, an i1, says whether the indices `dims`
/// of the `tensor.extract` in its body are in bounds in every iteration;
/// `slice` is what computes them there.
mlir::Value buildBodyBounds(mlir::OpBuilder &builder, mlir::Operation *around,
                            mlir::tensor::ExtractOp extract,
                            llvm::ArrayRef<unsigned> dims,
                            llvm::ArrayRef<mlir::Operation *> slice);

/// Builds a reduction over `coordinates`, the operand of a `tensor.gather` or
/// `tensor.scatter`, that says whether each is in bounds of the dimension of
/// `tensor` that it is for.
mlir::Value buildCoordinateBounds(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value tensor, mlir::Value coordinates,
                                  llvm::ArrayRef<int64_t> dims);

/// If the block computes `value` a second time, perhaps with sizes of another
/// tensor that are the same, erases what was built for it after `above` (from
/// the start of the block if that is null), and returns what was there; else
/// `value`.
mlir::Value reuseComputation(mlir::Value value, mlir::Operation *above,
                             SymbolicShapes &shapes);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_DATACHECKS_H
