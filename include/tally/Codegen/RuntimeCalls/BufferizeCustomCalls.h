//===- BufferizeCustomCalls.h - Custom calls on buffers ---------*- C++ -*-===//

#ifndef TALLY_CODEGEN_RUNTIMECALLS_BUFFERIZECUSTOMCALLS_H
#define TALLY_CODEGEN_RUNTIMECALLS_BUFFERIZECUSTOMCALLS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tally {

/// Adds the external model through which `tally.custom_call_dps` takes part in
/// one-shot bufferization.
void registerCustomCallBufferization(mlir::DialectRegistry &registry);

} // namespace tally

#endif // TALLY_CODEGEN_RUNTIMECALLS_BUFFERIZECUSTOMCALLS_H
