//===- BufferizableOps.h - Bufferization of Tally's operations --*- C++ -*-===//

#ifndef TALLY_CODEGEN_KERNELS_BUFFERIZABLEOPS_H
#define TALLY_CODEGEN_KERNELS_BUFFERIZABLEOPS_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir
namespace mlir::bufferization {
struct BufferizationOptions;
} // namespace mlir::bufferization

namespace tally {

/// Adds the external models through which the operations of Tally that run on a
/// device take part in one-shot bufferization.
void registerBufferizableOpInterfaceModels(mlir::DialectRegistry &registry);

/// Reports the operations on tensors that bufferization does not know: those of
/// a dialect that should have lowered them before.
mlir::LogicalResult
verifyIsBufferizable(mlir::Operation *root,
                     const mlir::bufferization::BufferizationOptions &options);

} // namespace tally

#endif // TALLY_CODEGEN_KERNELS_BUFFERIZABLEOPS_H
