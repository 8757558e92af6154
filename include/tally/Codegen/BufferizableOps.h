//===- BufferizableOps.h - Bufferization of Tally's operations --*- C++ -*-===//

#ifndef TALLY_CODEGEN_BUFFERIZABLEOPS_H
#define TALLY_CODEGEN_BUFFERIZABLEOPS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir
namespace mlir::bufferization {
struct BufferizationOptions;
} // namespace mlir::bufferization

namespace tally {

/// Adds the external models through which the operations of Tally that run on a
/// device take part in one-shot bufferization.
void registerBufferizableOpInterfaceModels(mlir::DialectRegistry &registry);

/// Adds that of `tally.custom_call_dps`.
void registerCustomCallBufferization(mlir::DialectRegistry &registry);

/// Reports the operations on tensors that bufferization does not know: those of
/// a dialect that should have lowered them before.
mlir::LogicalResult
verifyIsBufferizable(mlir::Operation *root,
                     const mlir::bufferization::BufferizationOptions &options);

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

#endif // TALLY_CODEGEN_BUFFERIZABLEOPS_H
