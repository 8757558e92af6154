//===- SymbolicShapeOpInterface.h - Sizes as expressions --------*- C++ -*-===//

#ifndef TALLY_INTERFACES_SYMBOLICSHAPEOPINTERFACE_H
#define TALLY_INTERFACES_SYMBOLICSHAPEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "tally/Symbolic/Expr/Expr.h"

namespace tally {
class Preconditions;
class SymbolicShapes;

/// The start of an induction variable, and the bound that it stays below.
struct LoopBounds {
  symbolic::Expr lower, upper;
};
} // namespace tally

#include "tally/Interfaces/SymbolicShapeOpInterface.h.inc"

#endif // TALLY_INTERFACES_SYMBOLICSHAPEOPINTERFACE_H
