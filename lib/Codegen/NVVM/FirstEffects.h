//===- FirstEffects.h - What a kernel does first that counts ----*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_NVVM_FIRSTEFFECTS_H
#define TALLY_LIB_CODEGEN_NVVM_FIRSTEFFECTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tally::codegen {

/// Finds operations of which every path through a kernel meets one, or ends,
/// before it does anything else that could do harm if another kernel had
/// failed: what it reads up to there lies at places that its arguments decide.
/// None of them is in a loop but for asserts. Fails where there are no such
/// operations.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
findFirstEffects(mlir::gpu::GPUFuncOp kernel);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_NVVM_FIRSTEFFECTS_H
