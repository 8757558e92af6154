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

/// ` at model.py:41` for messages; empty if the place is not known.
std::string describePlace(mlir::Location loc);

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

  /// For `visit`: a condition that was checked before `op`, an operation around
  /// the visited one; it is a fact for what comes after `op`.
  void addBehind(mlir::Operation *op, symbolic::Expr fact,
                 llvm::StringRef source) {
    behind[op].emplace_back(fact, source.str());
  }

private:
  void walkRegion(mlir::Region &region);
  void walkBlockTree(mlir::DominanceInfoNode *node);
  void walkBlock(mlir::Block &block);
  void walkSubregions(mlir::Operation *op);
  void addLoopBounds(mlir::Operation *op);
  void addElementIndices(mlir::Operation *op);
  void establish(mlir::Operation *op);
  void establishDeclaration(SymbolOp symbol);

  SymbolicShapes &shapes;
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<std::pair<symbolic::Expr, std::string>, 1>>
      behind;
  mlir::DominanceInfo dominance;
  llvm::function_ref<bool(mlir::Operation *)> visit;
};

} // namespace tally

#endif // TALLY_ANALYSIS_SCOPEDFACTS_H
