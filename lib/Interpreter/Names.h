//===- Names.h - Symbols of the named form ----------------------*- C++ -*-===//

#ifndef TALLY_LIB_INTERPRETER_NAMES_H
#define TALLY_LIB_INTERPRETER_NAMES_H

#include "tally/IR/Tally.h"
#include "tally/Interpreter/Execution.h"

namespace tally::interpreter {

/// Gives the symbols that an operation has made their values.
llvm::LogicalResult bindResults(tally::UnbackedBindingOpInterface op,
                                Execution &execution);

/// A scalar as a value of the expression language.
symbolic::Value toSymbolic(const Scalar &scalar, mlir::Type type,
                           bool isUnsigned = false);

/// The name of an argument in messages: its `tally.name`, or `arg0`.
std::string getArgumentName(mlir::FunctionOpInterface function, unsigned index);

/// Whether every name of a text has a value in this call.
bool hasValues(llvm::StringRef text, Execution &execution);

/// Prints a value as messages show it.
std::string printSymbolic(const symbolic::Value &value);

/// The value of a text whose names mean what `locals` or, failing these, the
/// names of this call say. Nothing, after the run has ended with an error, if
/// it mentions a name that has no value.
std::optional<symbolic::EvalResult> evaluateText(
    llvm::StringRef text, const NameTable &locals, mlir::Operation *op,
    Execution &execution,
    std::vector<std::pair<std::string, std::string>> *mentioned = nullptr);

} // namespace tally::interpreter

#endif // TALLY_LIB_INTERPRETER_NAMES_H
