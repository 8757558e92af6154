//===- Loops.h - The induction variables of loops ---------------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_LOOPS_H
#define TALLY_LIB_ANALYSIS_LOOPS_H

#include "tally/Analysis/SymbolicShapes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tally::detail {

/// A bound of a loop: a value, or what its model tells where no value is the
/// bound.
struct LoopBound {
  mlir::OpFoldResult value;
  symbolic::Expr told;

  symbolic::Expr getExpr(SymbolicShapes &shapes) const {
    return value ? shapes.getValue(value) : told;
  }
};

/// One induction variable of a loop: it goes from `lower` in steps, and stays
/// below `upper`.
struct InductionVariable {
  mlir::Value variable;
  LoopBound lower, upper;
  mlir::OpFoldResult step;
};

/// The induction variables of an operation that tells them and their steps
/// through LoopLikeOpInterface, and their bounds through that or
/// SymbolicShapeOpInterface: scf.for, scf.parallel, scf.forall, affine.for,
/// ...; none of any other.
llvm::SmallVector<InductionVariable>
getInductionVariables(mlir::Operation *op, SymbolicShapes &shapes);

/// Returns true if the bounds of a loop are compared as unsigned numbers, so
/// that they say nothing about signed ones.
bool comparesUnsigned(mlir::Operation *loop);

/// Returns true if an argument is an induction variable of its loop, whether or
/// not its bounds are told.
bool isInductionVariable(mlir::BlockArgument argument);

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_LOOPS_H
