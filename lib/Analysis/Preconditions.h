//===- Preconditions.h - What operations require, by interface --*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_PRECONDITIONS_H
#define TALLY_LIB_ANALYSIS_PRECONDITIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally::detail {

/// The size of a loop of a structured operation: that of the first operand
/// dimension it indexes alone; null if there is none.
symbolic::Expr getLoopSize(mlir::linalg::LinalgOp op, unsigned loop,
                           SymbolicShapes &shapes);
/// What every structured operation requires: operands that are indexed by a
/// loop alone agree on its size, other indices are in bounds.
void collectLinalgPreconditions(mlir::linalg::LinalgOp op,
                                SymbolicShapes &shapes,
                                Preconditions &preconditions);

/// What every loop with bounds and steps requires: it moves upwards, and its
/// variable ends it before it wraps.
void collectLoopPreconditions(mlir::LoopLikeOpInterface loop,
                              SymbolicShapes &shapes,
                              Preconditions &preconditions);

/// The function that a call names, or null.
mlir::FunctionOpInterface
resolveCallee(mlir::CallOpInterface call,
              mlir::SymbolTableCollection &symbolTables);
/// Reads the sizes of a call's results off the signature of the callee.
void inferCall(mlir::CallOpInterface call, mlir::FunctionOpInterface callee,
               SymbolicShapes &shapes);
/// What a private function declares of its arguments, its callers owe.
void collectCallPreconditions(mlir::CallOpInterface call,
                              mlir::FunctionOpInterface callee,
                              SymbolicShapes &shapes,
                              Preconditions &preconditions);

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_PRECONDITIONS_H
