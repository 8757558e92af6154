//===- ValueSources.h - Where values come from, for messages ----*- C++ -*-===//

#ifndef TALLY_ANALYSIS_VALUESOURCES_H
#define TALLY_ANALYSIS_VALUESOURCES_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"

#include <string>

namespace tally {

/// The name of an argument in messages: its `tally.name`, or `arg0`.
std::string getArgumentName(mlir::FunctionOpInterface function, unsigned index);

/// Where a value comes from, as a person would say it: `x.size(0)`, `n`,
/// `mask[...]`, `tensor.concat(...).size(0)`; empty if there is nothing helpful
/// to say.
std::string describeSource(mlir::Value value);

/// The name of a value, or of a size of it, in an expression that has no other
/// name for it: `x_size_0`, `n`, `mask_element` or `scf_while_1`, after where
/// it comes from; `size`, `ok` (a boolean) or `value` if that makes no name.
/// Neither names in the value nor its users are looked at.
std::string chooseName(mlir::Value value,
                       std::optional<unsigned> dim = std::nullopt);

/// The same for a tensor: the name of an argument, or the operation that makes
/// it.
std::string describeTensor(mlir::Value tensor);

/// Describes what a key path of an operation reads: `tally.nonzero(x).size(0)`.
std::string describeKeyPath(mlir::Operation *op, BindingAttr binding);

/// Returns true if the condition of a check is about a boolean that nobody has
/// a word for: its message says what it means.
bool tellsOnlyMessage(CheckOp check);

/// Describes a precondition in the words of its operation.
std::string describePrecondition(const Precondition &precondition,
                                 SymbolicShapes &shapes);

/// An expression as messages say it: what has no name is called after where it
/// comes from.
std::string describeExpr(symbolic::Expr expr, SymbolicShapes &shapes);

} // namespace tally

#endif // TALLY_ANALYSIS_VALUESOURCES_H
