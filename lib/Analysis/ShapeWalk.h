//===- ShapeWalk.h - Visiting operations in program order -------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_SHAPEWALK_H
#define TALLY_LIB_ANALYSIS_SHAPEWALK_H

#include "Declarations.h"
#include "Joins.h"
#include "LongSums.h"

#include "mlir/IR/SymbolTable.h"
#include "tally/Analysis/RegionFlow.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace tally {

/// Operations are the same if they do the same to the same values, whatever
/// they call the symbols that they make (ValueNumbering.cpp).
struct SameValueNumber : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
};
using ValueNumberTable =
    llvm::ScopedHashTable<mlir::Operation *, mlir::Operation *,
                          SameValueNumber>;

/// Visits operations, each after what it uses, and infers their results.
class ShapeWalk {
public:
  using Expr = symbolic::Expr;

  ShapeWalk(SymbolicShapes &shapes, symbolic::ExprContext &context,
            ShapeTable &sizes, ValueSymbols &symbols, ShapeFacts &facts,
            LongSums &sums, Joins &joins, Declarations &declarations)
      : shapes(shapes), context(context), sizes(sizes), symbols(symbols),
        facts(facts), sums(sums), joins(joins), declarations(declarations) {}

  void visit(mlir::Operation *op);
  /// Visits what was created after the analysis, or stands in a place where
  /// definitions do not come before uses; nothing for what has been visited.
  void visitLate(mlir::Operation *op);
  void visitRegion(mlir::Region &region);
  /// An operation goes away.
  void forget(mlir::Operation *op);

  /// The condition of a statement, as it was at the walk; null for any other
  /// operation.
  Expr getCondition(mlir::Operation *statement);
  /// True in a loop that is walked under an assumption; facts that depend on it
  /// are left out until it is confirmed.
  bool isSpeculating() const { return speculating != 0; }
  mlir::SymbolTableCollection &getSymbolTables() { return symbolTables; }

private:
  // Results of an operation (ShapeWalk.cpp).
  void infer(mlir::Operation *op);
  void inferByTraits(mlir::Operation *op);
  /// Gives an operation the results of one before it that does the same.
  void inferFromTwin(mlir::Operation *op);
  /// Asks an operation to reify its result sizes, and reads them (Reify.cpp).
  void inferByReification(mlir::Operation *op);
  /// Reads result sizes off the signature of a callee (Preconditions.cpp).
  void inferCallResults(mlir::Operation *op);
  /// Returns true if nothing has been said about some dynamic size of a result.
  bool lacksSizes(mlir::Operation *op);
  void copyShape(mlir::Value from, mlir::Value to);
  Expr readCondition(mlir::Operation *statement);

  // Operations with regions (Regions.cpp).
  void visitRegions(mlir::Operation *op);
  void visitLoop(mlir::Operation *op, llvm::ArrayRef<LoopCarry> carries,
                 llvm::function_ref<void()> walk);
  bool isInvariant(mlir::Operation *loop, const LoopCarry &carry, unsigned dim);
  /// The result of a loop is the carry where that never changes.
  void setLoopResult(mlir::Operation *loop, mlir::Value result,
                     const LoopCarry &carry);
  /// Gives `to`, which is outside of `op`, the sizes and the value of `from`,
  /// which is inside, as far as they speak of what is outside.
  void copyOutOf(mlir::Operation *op, mlir::Value from, mlir::Value to);
  void setInductionRange(mlir::Value variable, Expr lower, Expr upper);
  void visitBranchLoop(mlir::Operation *op);
  void visitParallel(mlir::Operation *op);
  /// A loop whose results, if there is one for each, are what it carries.
  void visitCarryingLoop(mlir::Operation *op);
  void visitHigherOrder(mlir::Operation *op);
  void visitBranches(mlir::Operation *op);
  void visitAlternatives(mlir::Operation *op);
  void visitWhereItRuns(mlir::Region &region);

  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  ShapeTable &sizes;
  ValueSymbols &symbols;
  ShapeFacts &facts;
  LongSums &sums;
  Joins &joins;
  Declarations &declarations;

  /// The operations that have run on every way to the one that is visited.
  ValueNumberTable valueNumbers;
  llvm::DenseSet<mlir::Operation *> visited;
  unsigned lateDepth = 0;
  /// How many loops around are walked under an assumption.
  unsigned speculating = 0;
  /// The assumptions of the loops around have been confirmed.
  bool isConfirmed = false;
  /// The carried sizes of each loop that were seen to change.
  llvm::DenseMap<mlir::Operation *,
                 llvm::DenseSet<std::pair<unsigned, unsigned>>>
      varying;
  /// The conditions of the statements that were there at the walk.
  llvm::DenseMap<mlir::Operation *, Expr> conditions;
  mlir::SymbolTableCollection symbolTables;
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_SHAPEWALK_H
