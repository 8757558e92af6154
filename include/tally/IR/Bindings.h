//===- Bindings.h - Whether symbols are bound -------------------*- C++ -*-===//

#ifndef TALLY_IR_BINDINGS_H
#define TALLY_IR_BINDINGS_H

#include "mlir/IR/Operation.h"

namespace tally {

/// Reports an operation that makes symbols, as those of the named form do: it
/// is not bound yet.
llvm::LogicalResult requireBound(mlir::Operation *op);

} // namespace tally

#endif // TALLY_IR_BINDINGS_H
