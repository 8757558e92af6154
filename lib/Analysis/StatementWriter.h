//===- StatementWriter.h - Expressions into the IR --------------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_STATEMENTWRITER_H
#define TALLY_LIB_ANALYSIS_STATEMENTWRITER_H

#include "BlockOrder.h"
#include "ValueSymbols.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

class StatementWriter {
public:
  using Expr = symbolic::Expr;

  StatementWriter(SymbolicShapes &shapes, symbolic::ExprContext &context,
                  ValueSymbols &symbols)
      : shapes(shapes), context(context), symbols(symbols) {}

  /// The value of a symbol at the insertion point; null for a name of the
  /// table.
  mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc, Expr symbol);
  /// The same number or condition with the operands of an operation in place of
  /// the long sums that they are.
  Expr abbreviate(Expr expr, mlir::Operation *reader);

  /// Gives what stands for a symbol where a text is written.
  using Rename = llvm::function_ref<Expr(Expr symbol)>;
  using WriteText =
      llvm::function_ref<std::string(symbolic::ExprContext &, Rename)>;
  SymbolicShapes::Statement write(mlir::OpBuilder &builder, mlir::Location loc,
                                  llvm::ArrayRef<Expr> written,
                                  WriteText writeText);

  bool isBefore(mlir::Operation *a, mlir::Operation *b) {
    return order.isBefore(a, b);
  }
  /// An operation goes away.
  void forget(mlir::Operation *op) { order.forget(op); }

private:
  bool isAbove(mlir::Value value, mlir::OpBuilder &builder);
  std::string getName(Expr symbol);

  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  ValueSymbols &symbols;
  /// A `tensor.dim` that reads a size, for each block.
  llvm::DenseMap<std::pair<mlir::Block *, ShapeKey>, mlir::Value> readSizes;
  BlockOrder order;
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_STATEMENTWRITER_H
