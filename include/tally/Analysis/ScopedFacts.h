//===- ScopedFacts.h - What is known at each operation ----------*- C++ -*-===//
//
// Walks a function in the order of dominance with the facts that hold at each
// operation: what asserts, assumptions and symbols before it establish, and
// what the branches and loops around it imply.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_ANALYSIS_SCOPEDFACTS_H
#define TALLY_ANALYSIS_SCOPEDFACTS_H

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"

namespace tally {

/// Facts in scope while a function is walked. The facts are those of the
/// SymbolicShapes, which must have been made without declarations as facts.
class ScopedFacts {
public:
  explicit ScopedFacts(SymbolicShapes &shapes) : shapes(shapes) {}

  /// Calls `visit` for every operation, an operation before its regions, with
  /// the facts that hold right before it. `visit` may insert operations before
  /// its operation and may erase it; then it returns false and has itself
  /// stated what still holds.
  void walk(mlir::FunctionOpInterface function,
            llvm::function_ref<bool(mlir::Operation *)> visit);

private:
  void walkRegion(mlir::Region &region);
  void walkBlockTree(mlir::DominanceInfoNode *node);
  void walkBlock(mlir::Block &block);
  void walkSubregions(mlir::Operation *op);
  void addCondition(mlir::Value condition, bool holds);
  void addLoopBounds(mlir::Operation *op);
  void addElementIndices(mlir::Operation *op);
  void establish(mlir::Operation *op);
  void establishDeclaration(SymbolOp symbol);

  SymbolicShapes &shapes;
  mlir::DominanceInfo dominance;
  llvm::function_ref<bool(mlir::Operation *)> visit;
};

} // namespace tally

#endif // TALLY_ANALYSIS_SCOPEDFACTS_H
