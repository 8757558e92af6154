//===- Elimination.h - Integer row operations -------------------*- C++ -*-===//
//
// Echelon forms of integer matrices by row operations that can be undone over
// the integers, so that a system of equations keeps exactly its solutions.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_EXPR_ELIMINATION_H
#define TALLY_LIB_SYMBOLIC_EXPR_ELIMINATION_H

#include "tally/Symbolic/Expr/Expr.h"

#include <vector>

namespace tally::symbolic {

/// A row of a matrix.
using IntegerRow = std::vector<llvm::DynamicAPInt>;

/// Clears `columns`, one after the other, from all but one of the rows from
/// `firstRow` on, each time setting the row that keeps the column aside as the
/// next of the first rows. Adds multiples of rows to others and swaps rows, no
/// more: the steps of a Hermite normal form (Cohen, A Course in Computational
/// Algebraic Number Theory, 2.4.2) without the reduction above the pivots. So
/// the rows after those that were set aside span every integer combination of
/// the rows that is zero in `columns`.
///
/// Gives the number of the first row after those set aside, or nothing if the
/// coefficients grow beyond a limit; the rows are equivalent even then.
std::optional<size_t> clearColumns(std::vector<IntegerRow> &rows,
                                   llvm::ArrayRef<size_t> columns,
                                   size_t firstRow);

/// Polynomials as the rows of a matrix, a column for each monomial.
struct PolynomialMatrix {
  PolynomialMatrix(llvm::ArrayRef<Expr> polynomials, ExprContext &context);

  Expr getRow(size_t index, ExprContext &context) const;

  llvm::SmallVector<Expr, 16> monomials;
  std::vector<IntegerRow> rows;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_EXPR_ELIMINATION_H
