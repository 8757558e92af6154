//===- ShapeTable.h - Sizes and values that are known -----------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_SHAPETABLE_H
#define TALLY_LIB_ANALYSIS_SHAPETABLE_H

#include "tally/Symbolic/Expr/Expr.h"

#include "mlir/IR/Value.h"

namespace tally {

/// The sizes and scalars of values; an unknown one has a symbol of its own.
struct ShapeTable {
  using Expr = symbolic::Expr;

  llvm::DenseMap<mlir::Value, llvm::SmallVector<Expr, 4>> dims;
  llvm::DenseMap<mlir::Value, Expr> values;
  /// The residues of the values that may be others (getResidue).
  llvm::DenseMap<mlir::Value, Expr> residues;
  /// The element of arguments of rank 0.
  llvm::DenseMap<mlir::Value, Expr> onlyElements;

  /// The size of a dimension, or null.
  Expr lookupDim(mlir::Value value, unsigned dim) const {
    auto found = dims.find(value);
    return found == dims.end() ? Expr() : found->second[dim];
  }
  void forget(mlir::Value value) {
    dims.erase(value);
    values.erase(value);
    residues.erase(value);
  }
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_SHAPETABLE_H
