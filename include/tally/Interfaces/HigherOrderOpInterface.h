//===- HigherOrderOpInterface.h - Who owns subgraphs ------------*- C++ -*-===//

#ifndef TALLY_INTERFACES_HIGHERORDEROPINTERFACE_H
#define TALLY_INTERFACES_HIGHERORDEROPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace tally {

/// How the results of a higher-order operation come about.
enum class ResultJoin {
  /// Each result is what one of the subgraphs yields.
  Branches,
  /// Each result is what the only subgraph yields.
  Call,
  /// Each result is what the last iteration of the body yields, or the initial
  /// value.
  Loop,
};

/// A value that a loop hands from one iteration to the next, and out in the
/// end.
struct CarriedValue {
  /// The number of the operand that the first iteration starts from.
  unsigned operand;
  /// The argument of the body.
  mlir::Value argument;
  /// The value at the end of an iteration.
  mlir::Value yielded;
};

namespace detail {
/// The carried values of an operation that implements LoopLikeOpInterface, one
/// for each result; nothing if it does not.
std::optional<llvm::SmallVector<CarriedValue>>
getLoopLikeCarriedValues(mlir::Operation *op);
} // namespace detail

} // namespace tally

#include "tally/Interfaces/HigherOrderOpInterface.h.inc"

namespace tally {

/// Returns the operand that an argument of a subgraph is whenever that runs;
/// null for one that no operand feeds, or that a loop carries.
mlir::Value getPassedValue(mlir::BlockArgument argument);

} // namespace tally

#endif // TALLY_INTERFACES_HIGHERORDEROPINTERFACE_H
