//===- Signatures.h - What functions take and give --------------*- C++ -*-===//

#ifndef TALLY_IR_SIGNATURES_H
#define TALLY_IR_SIGNATURES_H

#include "mlir/IR/Types.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Runtime/tally_runtime.h"

namespace tally {

/// Returns true if a number of this type, or a tensor of such elements, can be
/// passed through the C interface, which describes it as DLPack does.
bool isPassable(mlir::Type elementType);

/// The data type at the C interface of elements of a passable type: an index is
/// an i64, a boolean a byte. Integers of the IR have no sign; the signature
/// tells which are unsigned.
DLDataType getDataType(mlir::Type elementType, bool isUnsigned = false);

/// Returns true if a call can tell every symbol that the function declares of
/// its arguments: each stands alone somewhere. The calls of a private function
/// check what it declares then.
bool tellsItsSymbols(mlir::FunctionOpInterface function);

/// Where an argument of a function is declared: its own place in a file, or the
/// function's if that is not known.
mlir::Location getDeclarationLoc(mlir::BlockArgument argument);

} // namespace tally

#endif // TALLY_IR_SIGNATURES_H
