//===- BufferizableOps.h - Bufferization of Tally's operations --*- C++ -*-===//

#ifndef TALLY_CODEGEN_BUFFERIZABLEOPS_H
#define TALLY_CODEGEN_BUFFERIZABLEOPS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tally {

/// Adds the external models through which the operations of Tally that run on a
/// device take part in one-shot bufferization.
void registerBufferizableOpInterfaceModels(mlir::DialectRegistry &registry);

/// Adds that of `tally.foreign_call`.
void registerForeignCallBufferization(mlir::DialectRegistry &registry);

} // namespace tally

#endif // TALLY_CODEGEN_BUFFERIZABLEOPS_H
