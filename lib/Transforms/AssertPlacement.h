//===- AssertPlacement.h - Where an assert stands ---------------*- C++ -*-===//
//
// As early as its symbols exist and its check is certain to execute. Out of a
// loop, and before an effect, an assert is moved as `the check executes implies
// that it holds`, so that a loop of no iteration or a branch that is not taken
// is never refused.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_ASSERTPLACEMENT_H
#define TALLY_LIB_TRANSFORMS_ASSERTPLACEMENT_H

#include "mlir/IR/Dominance.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"

namespace tally {

/// A place for an assert.
struct AssertPlacement {
  mlir::Block *block = nullptr;
  /// The operation that it follows; null at the start of the block.
  mlir::Operation *after = nullptr;
  /// The outermost operation that it was moved out of; null if it stays in its
  /// block.
  mlir::Operation *outOf = nullptr;
  /// The conditions that are true at the place if the check is going to
  /// execute.
  llvm::SmallVector<symbolic::Expr> premises;

  mlir::OpBuilder makeBuilder() const;
};

/// Finds places for the asserts of one function, in the order of its checks.
class AssertPlacer {
public:
  AssertPlacer(mlir::Operation *function, SymbolicShapes &shapes)
      : shapes(shapes), dominance(function) {}

  /// The walk goes past an operation.
  void pass(mlir::Operation *op);
  /// An assert has been made: those of later checks come after it.
  void notePlaced(mlir::Operation *assertion);
  /// Where the assert of a check goes.
  AssertPlacement place(CheckOp check, symbolic::Expr condition);

private:
  AssertPlacement placeInBlock(CheckOp check,
                               llvm::ArrayRef<symbolic::Expr> read);
  AssertPlacement placeOutside(mlir::Operation *around,
                               llvm::ArrayRef<symbolic::Expr> read);
  mlir::Operation *findLatest(mlir::Block *block, mlir::ValueRange values,
                              mlir::Operation *before);
  mlir::Operation *getBarrier(mlir::Block *block, mlir::Operation *before);
  llvm::SmallVector<mlir::Value> getSources(llvm::ArrayRef<symbolic::Expr> read,
                                            mlir::Operation *before);
  bool isBeforeEffect(mlir::Block *block, mlir::Operation *after);

  SymbolicShapes &shapes;
  mlir::DominanceInfo dominance;
  /// In each block, the asserts, and the operations that have some inside:
  /// later asserts come after them, or they would make them superfluous.
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *, 2>>
      barriers;
  /// In each block, the last operation that did something that can be seen from
  /// outside.
  llvm::DenseMap<mlir::Block *, mlir::Operation *> effects;
};

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_ASSERTPLACEMENT_H
