//===- LongSums.h - Sums that grow term by term -----------------*- C++ -*-===//
//
// Where pieces are packed one behind the other, each starts at the sum of all
// sizes before: written out, N such sums have N * N / 2 terms. A sum of many
// terms is a number of its own instead, which the sums after it start from. Of
// how it came about its range is kept, so that less can be proven about it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_ANALYSIS_LONGSUMS_H
#define TALLY_LIB_ANALYSIS_LONGSUMS_H

#include "ValueSymbols.h"

namespace tally {

class LongSums {
public:
  using Expr = symbolic::Expr;

  LongSums(symbolic::ExprContext &context, ValueSymbols &symbols,
           ShapeFacts &facts)
      : context(context), symbols(symbols), facts(facts) {}

  /// The expression for a value, in which a long sum has a symbol.
  Expr limitLength(ShapeKey key, Expr value);
  /// The same with symbols that exist at `op` in place of the long sums that
  /// they stand for.
  Expr shorten(Expr expr, mlir::Operation *op);
  /// An operation is visited (again), or goes away.
  void forget(mlir::Operation *op);
  /// States the ranges of the sums that an operation's results are.
  void establish(mlir::Operation *op, symbolic::Facts &into) const;

private:
  /// A symbol goes away; if it stands for a long sum, nobody finds it any more.
  void forgetSymbol(Expr symbol);

  symbolic::ExprContext &context;
  ValueSymbols &symbols;
  ShapeFacts &facts;
  /// The first size or scalar that has a long sum.
  llvm::DenseMap<Expr, ShapeKey> keyOfSum;
  llvm::DenseMap<Expr, Expr> sumOfSymbol;
  /// The symbols that stand for sums, in order.
  llvm::SmallVector<Expr, 0> longSymbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Expr, 1>>
      symbolsOfOperation;
};

/// A sum in which `part`, another sum, is replaced by a symbol; null if that
/// leaves as many terms.
symbolic::Expr replacePart(symbolic::Expr sum, symbolic::Expr part,
                           symbolic::Expr symbol,
                           symbolic::ExprContext &context);

/// Returns true if an expression is a sum that is too long to be written out.
bool isLong(symbolic::Expr expr);

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_LONGSUMS_H
