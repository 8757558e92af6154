//===- AffineExprs.h - Affine expressions of MLIR ---------------*- C++ -*-===//
//
// Symbolic expressions to and from MLIR's affine expressions and maps. Affine
// expressions have 64 bits and no names; both directions are exact, and refuse
// what the other side has no word for.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_ANALYSIS_AFFINEEXPRS_H
#define TALLY_ANALYSIS_AFFINEEXPRS_H

#include "mlir/IR/AffineMap.h"
#include "tally/Symbolic/Expr/Expr.h"

namespace tally {

/// Whether a dividend is what it is at run time: it has not wrapped around.
using IsExact = llvm::function_ref<bool(symbolic::Expr dividend)>;

/// The expression of an affine expression whose dimensions and symbols stand
/// for these; null where one of them is null or no integer, where a divisor is
/// no positive literal, and where a dividend is not exact.
symbolic::Expr fromAffine(
    mlir::AffineExpr expr, llvm::ArrayRef<symbolic::Expr> dims,
    llvm::ArrayRef<symbolic::Expr> symbols, symbolic::ExprContext &context,
    IsExact isExact = [](symbolic::Expr) { return true; });

/// The results of a map at these operands, dimensions first; nothing where one
/// of them has no expression.
std::optional<llvm::SmallVector<symbolic::Expr>>
fromAffineMap(mlir::AffineMap map, llvm::ArrayRef<symbolic::Expr> operands,
              symbolic::ExprContext &context);

/// Gives a symbol, or anything else that cannot be taken apart, a dimension or
/// symbol; null where it has none.
using AffineAtom = llvm::function_ref<mlir::AffineExpr(symbolic::Expr atom)>;

/// The affine expression of an integer expression: sums with literal
/// coefficients, and floordiv and mod by positive literals. Null for what is
/// not affine, and where a literal does not fit in 64 bits.
mlir::AffineExpr toAffine(symbolic::Expr expr, AffineAtom atom,
                          mlir::MLIRContext *mlirContext);

/// A map whose results are these, as functions of the dimensions and symbols;
/// a null map where one of them has no affine expression.
mlir::AffineMap toAffineMap(llvm::ArrayRef<symbolic::Expr> results,
                            llvm::ArrayRef<symbolic::Expr> dims,
                            llvm::ArrayRef<symbolic::Expr> symbols,
                            mlir::MLIRContext *mlirContext);

} // namespace tally

#endif // TALLY_ANALYSIS_AFFINEEXPRS_H
