//===- PlaceInDestination.h - Tensors that are a part of another --*- C++ -*-=//

#ifndef TALLY_CODEGEN_KERNELS_PLACEINDESTINATION_H
#define TALLY_CODEGEN_KERNELS_PLACEINDESTINATION_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

namespace tally {

/// Creates the part of the destination of `op` that `empty`, which `user`
/// reads, may stand for: for `bufferization::eliminateEmptyTensors`. Returns
/// null where the part may be outside of its destination, as an assert between
/// the two or a branch around `op` says that it is not, and where the
/// destination is there before a loop that `op` is in: every iteration inserts
/// into what it was then.
mlir::Value createPlaceInDestination(mlir::RewriterBase &rewriter,
                                     mlir::SubsetInsertionOpInterface op,
                                     mlir::tensor::EmptyOp empty,
                                     mlir::Operation *user);

} // namespace tally

#endif // TALLY_CODEGEN_KERNELS_PLACEINDESTINATION_H
