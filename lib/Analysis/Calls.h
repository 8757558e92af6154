//===- Calls.h - What a call says of sizes ----------------------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_CALLS_H
#define TALLY_LIB_ANALYSIS_CALLS_H

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally::detail {

/// The function that a call names, or null.
mlir::FunctionOpInterface
resolveCallee(mlir::CallOpInterface call,
              mlir::SymbolTableCollection &symbolTables);
/// Reads the sizes of a call's results off the signature of the callee.
void inferCall(mlir::CallOpInterface call, mlir::FunctionOpInterface callee,
               SymbolicShapes &shapes);
/// Adds what a private function declares of its arguments: its callers check
/// that.
void collectCallPreconditions(mlir::CallOpInterface call,
                              mlir::FunctionOpInterface callee,
                              SymbolicShapes &shapes,
                              Preconditions &preconditions);

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_CALLS_H
