//===- UnmetPreconditions.h - What nothing guarantees -----------*- C++ -*-===//
//
// Preconditions of operations of the checked form that are neither known where
// they stand nor asserted before them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_UNMETPRECONDITIONS_H
#define TALLY_LIB_TRANSFORMS_UNMETPRECONDITIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// Recomputes what every operation of a function in the checked form requires
/// and calls `use` with what does not follow from what is known there, in
/// program order; not if all does. Looks a second time, with every means,
/// before it says that a precondition is not met.
void findUnmetPreconditions(
    mlir::FunctionOpInterface function,
    llvm::function_ref<void(SymbolicShapes &shapes,
                            llvm::ArrayRef<Precondition> unmet)>
        use);

/// The same as an analysis: whether all preconditions below an operation are
/// met.
struct MetPreconditions {
  explicit MetPreconditions(mlir::Operation *op);

  bool areMet = true;
};

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_UNMETPRECONDITIONS_H
