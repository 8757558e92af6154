//===- AccessHolder.h - Accesses that must stay in their loop ---*- C++ -*-===//
//
// What an operation demands may hold in every trip of a loop and yet not where
// the loop has no trip: its assert says only that much, or nothing was asserted
// because the bounds of the loop imply it. Passes of MLIR lift pure operations
// out of loops without asking for a trip.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_ACCESSHOLDER_H
#define TALLY_LIB_TRANSFORMS_ACCESSHOLDER_H

#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// Puts a `tally.hold` before each operation that demands something and could
/// be lifted out of its loop. Operations are visited in program order.
class AccessHolder {
public:
  explicit AccessHolder(SymbolicShapes &shapes) : shapes(shapes) {}

  void visit(mlir::Operation *op);

private:
  mlir::Operation *getLoop(mlir::Block *block);
  bool isLiftable(mlir::Operation *op, mlir::Operation *loop);
  bool hasDemands(mlir::Operation *op);
  void hold(mlir::Operation *op);

  SymbolicShapes &shapes;
  /// The innermost loop around each block, or null.
  llvm::DenseMap<mlir::Block *, mlir::Operation *> loops;
  /// What was seen in a loop and could be lifted out of it.
  llvm::DenseSet<mlir::Operation *> liftable;
};

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_ACCESSHOLDER_H
