//===- PropagateShapes.h - State what operations need -----------*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_PROPAGATESHAPES_H
#define TALLY_LIB_TRANSFORMS_PROPAGATESHAPES_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// States preconditions of operations in the bound or checked form as checks
/// before them.
void statePreconditions(mlir::FunctionOpInterface function,
                        SymbolicShapes &shapes,
                        llvm::ArrayRef<Precondition> wanted);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_PROPAGATESHAPES_H
