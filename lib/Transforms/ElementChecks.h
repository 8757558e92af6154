//===- ElementChecks.h - Preconditions per element of a loop nest -*- C++
//-*-===//
//
// An operation in the body of a structured operation requires something of
// every element. No check can stand in such a body (fusion copies bodies); it
// is reduced to one condition before the operation (design D5).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_ELEMENTCHECKS_H
#define TALLY_LIB_TRANSFORMS_ELEMENTCHECKS_H

#include "tally/Analysis/ElementRanges.h"

namespace tally {

/// The condition for all elements of the loop nest `around`, as one on what is
/// outside of it; exact. Null if `around` is no loop nest over indices, or the
/// condition is not linear in them. With `elide`, `true` where it is known.
symbolic::Expr quantifyOverElements(mlir::Operation *around,
                                    symbolic::Expr condition,
                                    SymbolicShapes &shapes, bool elide = true);

/// Returns true if the precondition follows, for every element, from the ranges
/// of the indices and of the elements that are read, and the conditions that
/// are known to hold before. `byCheck` becomes true if it took a check of all
/// elements of the tensor that an index is read from.
bool isProvenForElements(mlir::Operation *around,
                         const Precondition &precondition,
                         llvm::ArrayRef<symbolic::Expr> known,
                         ElementRanges &ranges, bool &byCheck);

/// Computes before `around` whether the indices of the `tensor.extract` in its
/// body that depend on data are in bounds for all elements, and returns that as
/// a condition. Null, with nothing changed, if this is not possible.
symbolic::Expr reduceOverElements(mlir::Operation *around,
                                  mlir::Operation *extract,
                                  llvm::ArrayRef<symbolic::Expr> known,
                                  ElementRanges &ranges);

/// Computes before a `tensor.gather` or `tensor.scatter` whether all of its
/// coordinates are in bounds, and returns that as a condition. Null, with
/// nothing changed, for any other operation, where the range of the coordinates
/// shows it if `elide`, and where the coordinates are known: these are
/// preconditions like others.
symbolic::Expr reduceOverCoordinates(mlir::Operation *op, ElementRanges &ranges,
                                     bool elide);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_ELEMENTCHECKS_H
