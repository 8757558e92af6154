//===- SpeculationBarriers.h - What must stay in its loop -------*- C++ -*-===//
//
// A precondition of an operation may hold in every iteration of a loop and yet
// not where the loop has no iteration: its assert says only that much, or
// nothing was asserted because the bounds of the loop imply it. Passes of MLIR
// lift pure operations out of loops without asking for an iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_SPECULATIONBARRIERS_H
#define TALLY_LIB_TRANSFORMS_SPECULATIONBARRIERS_H

#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// Puts a `tally.speculation_barrier` before each operation that requires
/// something and could be lifted out of its loop. Operations are visited in
/// program order.
class SpeculationBarriers {
public:
  explicit SpeculationBarriers(SymbolicShapes &shapes) : shapes(shapes) {}

  void visit(mlir::Operation *op);

private:
  mlir::Operation *getLoop(mlir::Block *block);
  bool isLiftable(mlir::Operation *op, mlir::Operation *loop);
  bool hasPreconditions(mlir::Operation *op);
  void hold(mlir::Operation *op);

  SymbolicShapes &shapes;
  /// The innermost loop around each block, or null.
  llvm::DenseMap<mlir::Block *, mlir::Operation *> loops;
  /// The operations in loops that could be lifted out of them.
  llvm::DenseSet<mlir::Operation *> liftable;
};

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_SPECULATIONBARRIERS_H
