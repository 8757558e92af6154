//===- Joins.h - What comes out of branches and loops -----------*- C++ -*-===//
//
// The result of a branch, and what a loop carries, is one of several values. If
// these are equal it is what they are; if not it is a symbol of its own, and
// that it is one of them is a fact where it can be used.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_ANALYSIS_JOINS_H
#define TALLY_LIB_ANALYSIS_JOINS_H

#include "ValueSymbols.h"
#include "tally/Analysis/SymbolicShapes.h"

#include "llvm/ADT/DenseSet.h"

namespace tally {

class Joins {
public:
  using Expr = symbolic::Expr;

  Joins(SymbolicShapes &shapes, symbolic::ExprContext &context,
        ValueSymbols &symbols, ShapeFacts &facts)
      : shapes(shapes), context(context), symbols(symbols), facts(facts) {}

  /// Gives a result of a branch what its alternatives have in common. Facts are
  /// taken in only where `isCertain`: what was walked is not an assumption.
  void join(mlir::Operation *op, mlir::OpResult result, bool isCertain);
  /// States that each carried value is the one before the loop or that of some
  /// iteration.
  void joinLoop(mlir::Operation *loop);
  /// Neither the value nor the residue of a result wraps around: that they are
  /// the same holds behind the operation.
  void addAgreement(mlir::Operation *op, Expr fact) {
    agreements[op].push_back(fact);
  }
  /// An operation is visited (again), or goes away.
  void forget(mlir::Operation *op);

  /// States what holds behind an operation, or in a region.
  void establish(mlir::Operation *op, symbolic::Facts &into) const;
  void establish(mlir::Region &region, symbolic::Facts &into) const;

private:
  bool addLeaves(Expr expr, mlir::Operation *op, llvm::DenseSet<Expr> &seen,
                 llvm::SmallVectorImpl<Expr> &leaves);
  Expr isOneOf(Expr symbol, llvm::ArrayRef<Expr> leaves);
  Expr selectRegion(mlir::Operation *op, llvm::ArrayRef<Expr> exprs);
  void addAlternatives(mlir::Operation *op, Expr symbol,
                       llvm::ArrayRef<Expr> exprs);
  Expr findCommon(mlir::Operation *op, llvm::ArrayRef<Expr> exprs);
  Expr joinExprs(mlir::Operation *op, llvm::ArrayRef<Expr> exprs, Expr symbol,
                 bool isCertain);
  void joinCarried(mlir::Operation *loop, mlir::Value value,
                   llvm::SmallVectorImpl<Expr> &into);
  void addEntryCondition(mlir::Operation *loop, mlir::Region &region);

  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  ValueSymbols &symbols;
  ShapeFacts &facts;
  /// Which of several values the results of an operation are: what holds behind
  /// it. What a loop carries: what holds in a region.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Expr, 2>> alternativesOf;
  llvm::DenseMap<mlir::Region *, llvm::SmallVector<Expr, 2>> alternativesInside;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Expr, 1>> agreements;
  /// The result of a branch as a choice between values from outside.
  llvm::DenseMap<Expr, Expr> definitions;
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_JOINS_H
