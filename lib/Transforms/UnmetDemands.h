//===- UnmetDemands.h - Demands that nothing guarantees ---------*- C++ -*-===//
//
// What operations of the checked form demand and what is neither known where
// they stand nor asserted before them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_UNMETDEMANDS_H
#define TALLY_LIB_TRANSFORMS_UNMETDEMANDS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// Recomputes what every operation of a function in the checked form demands
/// and calls `use` with what does not follow from what is known there, in
/// program order; not if all does. Looks a second time, with every means,
/// before it says that a demand is not met.
void findUnmetDemands(mlir::FunctionOpInterface function,
                      llvm::function_ref<void(SymbolicShapes &shapes,
                                              llvm::ArrayRef<Demand> unmet)>
                          use);

/// The same as an analysis: whether all demands below an operation are met.
struct MetDemands {
  explicit MetDemands(mlir::Operation *op);

  bool areMet = true;
};

/// States demands of operations in the bound or checked form as checks before
/// them (PropagateShapes.cpp).
void stateDemands(mlir::FunctionOpInterface function, SymbolicShapes &shapes,
                  llvm::ArrayRef<Demand> wanted);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_UNMETDEMANDS_H
