//===- Lookups.h - Elements that a body looks up itself ---------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_LOOKUPS_H
#define TALLY_LIB_CODEGEN_KERNELS_LOOKUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// Whether an operation on tensors knows its loops without one of its inputs.
bool knowsLoopsWithout(mlir::linalg::GenericOp op, mlir::OpOperand &input);

/// Replaces `op` by an operation that does not have `input`: where the body
/// needs an element of it, `create` makes one of the indices there.
void replaceInput(mlir::linalg::GenericOp op, mlir::OpOperand &input,
                  llvm::function_ref<mlir::Value(
                      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                      create);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_LOOKUPS_H
