//===- ArgumentBinder.h - The symbols of arguments --------------*- C++ -*-===//

#ifndef TALLY_LIB_INTERPRETER_ARGUMENTBINDER_H
#define TALLY_LIB_INTERPRETER_ARGUMENTBINDER_H

#include "tally/Interpreter/Execution.h"

namespace tally::interpreter {

/// Gives the symbols of a function that is in the named form their values, and
/// checks what is declared of the arguments, in the order in which compiled
/// code does. `site` is the call, or null for the entry.
llvm::LogicalResult bindArguments(mlir::FunctionOpInterface function,
                                  llvm::ArrayRef<RuntimeValue> arguments,
                                  mlir::Operation *site, Execution &execution);

} // namespace tally::interpreter

#endif // TALLY_LIB_INTERPRETER_ARGUMENTBINDER_H
