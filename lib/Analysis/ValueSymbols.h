//===- ValueSymbols.h - The symbols that stand for values -------*- C++ -*-===//
//
// Which symbol belongs to a value, or to one size of it, and where the value of
// a symbol can be read.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_ANALYSIS_VALUESYMBOLS_H
#define TALLY_LIB_ANALYSIS_VALUESYMBOLS_H

#include "ShapeFacts.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Value.h"

namespace tally {

/// One value, or one size of it: the dimension is -1 for the value itself.
using ShapeKey = std::pair<mlir::Value, int>;

class ValueSymbols {
public:
  using Expr = symbolic::Expr;

  ValueSymbols(mlir::Operation *root, symbolic::ExprContext &context,
               ShapeFacts &facts)
      : root(root), context(context), facts(facts) {}

  /// The symbol of a key, made where there is none.
  Expr get(ShapeKey key);
  /// The symbol of a key, or null.
  Expr lookup(ShapeKey key) const { return symbols.lookup(key); }
  /// The key of a symbol; nothing for names of the table.
  std::optional<ShapeKey> getOrigin(Expr symbol) const;
  /// Calls the key by a symbol; `reader` has its value.
  void name(ShapeKey key, Expr symbol, mlir::Value reader);
  /// A further value that is that of a symbol.
  void addReader(Expr symbol, mlir::Value reader) {
    readers.try_emplace(symbol, reader);
  }
  /// The result of the first `tally.symbol` that names it, or null.
  mlir::Value getReader(Expr symbol) const { return readers.lookup(symbol); }
  /// The operation whose `bind` makes a name of the table, or null.
  mlir::Operation *getBindingOp(Expr symbol) const {
    return bindingOps.lookup(symbol);
  }
  void setBindingOp(Expr symbol, mlir::Operation *op) {
    bindingOps.try_emplace(symbol, op);
  }
  /// The value goes away.
  void forget(mlir::Value value);

  /// Returns true if something in the expression is made in a region of `op`.
  bool isDefinedInside(Expr expr, mlir::Operation *op) const;
  /// Returns true if everything in the expression is made in this block. What
  /// is declared of it there then holds in every run that goes on behind the
  /// block; of a value from outside, a branch tells nothing.
  bool isDefinedInBlock(Expr expr, mlir::Block *block) const;
  /// Returns true if every symbol of the expression exists before `op` runs.
  bool isAvailable(Expr expr, mlir::Operation *op);
  bool isAvailable(mlir::Value value, mlir::Operation *op) {
    return op && getDominance().properlyDominates(value, op);
  }

private:
  mlir::DominanceInfo &getDominance();

  mlir::Operation *root;
  symbolic::ExprContext &context;
  ShapeFacts &facts;
  llvm::DenseMap<ShapeKey, Expr> symbols;
  llvm::DenseMap<Expr, ShapeKey> origins;
  llvm::DenseMap<Expr, mlir::Value> readers;
  llvm::DenseMap<Expr, mlir::Operation *> bindingOps;
  std::unique_ptr<mlir::DominanceInfo> dominance;
};

/// The values that a type can hold, seen as signed.
symbolic::Interval getTypeRange(mlir::Type type);

/// The sizes of a ranked tensor or memref, or null.
mlir::ShapedType getRankedType(mlir::Value value);

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_VALUESYMBOLS_H
