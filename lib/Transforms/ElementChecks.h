//===- ElementChecks.h - Demands per element of a loop nest -----*- C++ -*-===//
//
// An operation in the body of a structured operation demands something of every
// element. No check can stand in such a body (fusion copies bodies); it is
// reduced to one condition before the operation (design D5).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_ELEMENTCHECKS_H
#define TALLY_LIB_TRANSFORMS_ELEMENTCHECKS_H

#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// The condition for all elements of the loop nest `around`, as one on what is
/// outside of it; exact. Null if `around` is no loop nest over indices, or the
/// condition is not linear in them. With `elide`, `true` where it is known.
symbolic::Expr quantifyOverElements(mlir::Operation *around,
                                    symbolic::Expr condition,
                                    SymbolicShapes &shapes, bool elide = true);

/// True if the condition follows, for every element, from the ranges of the
/// indices and the conditions that are known to hold before.
bool isProvenForElements(mlir::Operation *around, symbolic::Expr condition,
                         llvm::ArrayRef<symbolic::Expr> known,
                         SymbolicShapes &shapes);

/// Computes before `around` whether the indices of the `tensor.extract` in its
/// body that depend on data are in bounds for all elements, and returns that as
/// a condition. Null, with nothing changed, if this is not possible.
symbolic::Expr reduceOverElements(mlir::Operation *around,
                                  mlir::Operation *extract,
                                  llvm::ArrayRef<symbolic::Expr> known,
                                  SymbolicShapes &shapes);

/// Computes before a `tensor.gather` or `tensor.scatter` whether all of its
/// coordinates are in bounds, and returns that as a condition. Null, with
/// nothing changed, for any other operation and where the coordinates are
/// known: these are demands like others.
symbolic::Expr reduceOverCoordinates(mlir::Operation *op,
                                     SymbolicShapes &shapes);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_ELEMENTCHECKS_H
