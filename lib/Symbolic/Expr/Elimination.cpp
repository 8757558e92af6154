//===- Elimination.cpp - Integer row operations ---------------------------===//
//
// Euclid's algorithm on the rows of a matrix, column by column.
//
//===----------------------------------------------------------------------===//

#include "Elimination.h"

#include "ContextImpl.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::DynamicAPInt;

/// The row from `firstRow` on whose entry is closest to zero without being
/// zero, or the number of rows.
static size_t findPivot(const std::vector<IntegerRow> &rows, size_t column,
                        size_t firstRow) {
  size_t pivot = rows.size();
  for (size_t i = firstRow; i != rows.size(); ++i)
    if (rows[i][column] != 0 &&
        (pivot == rows.size() ||
         abs(rows[i][column]) < abs(rows[pivot][column])))
      pivot = i;
  return pivot;
}

/// Subtracts multiples of the pivot row from those after it. True if the column
/// is zero in them.
static bool reduceBelow(std::vector<IntegerRow> &rows, size_t column,
                        size_t pivot) {
  bool isClear = true;
  for (size_t i = pivot + 1; i != rows.size(); ++i) {
    DynamicAPInt factor = rows[i][column] / rows[pivot][column];
    if (factor != 0)
      for (size_t j = 0; j != rows[i].size(); ++j)
        rows[i][j] -= factor * rows[pivot][j];
    isClear &= rows[i][column] == 0;
  }
  return isClear;
}

/// Returns true if an entry is too large to go on with.
static bool hasHugeEntry(const std::vector<IntegerRow> &rows) {
  static const DynamicAPInt limit(llvm::APInt::getOneBitSet(1026, 1024));
  for (const IntegerRow &row : rows)
    for (const DynamicAPInt &entry : row)
      if (abs(entry) > limit)
        return true;
  return false;
}

std::optional<size_t>
tally::symbolic::clearColumns(std::vector<IntegerRow> &rows,
                              ArrayRef<size_t> columns, size_t firstRow) {
  for (size_t column : columns) {
    bool isClear = false;
    while (!isClear) {
      size_t pivot = findPivot(rows, column, firstRow);
      if (pivot == rows.size())
        break;
      std::swap(rows[firstRow], rows[pivot]);
      isClear = reduceBelow(rows, column, firstRow);
    }
    if (!isClear)
      continue;
    ++firstRow;
    if (hasHugeEntry(rows))
      return std::nullopt;
  }
  return firstRow;
}

PolynomialMatrix::PolynomialMatrix(ArrayRef<Expr> polynomials,
                                   ExprContext &context) {
  llvm::DenseMap<Expr, size_t> position;
  for (Expr polynomial : polynomials)
    for (const Term &term : getTerms(polynomial, context))
      if (position.try_emplace(term.monomial, monomials.size()).second)
        monomials.push_back(term.monomial);
  for (Expr polynomial : polynomials) {
    rows.emplace_back(monomials.size(), DynamicAPInt(0));
    for (const Term &term : getTerms(polynomial, context))
      rows.back()[position.lookup(term.monomial)] = term.coefficient;
  }
}

Expr PolynomialMatrix::getRow(size_t index, ExprContext &context) const {
  TermList terms;
  for (size_t j = 0; j != monomials.size(); ++j)
    if (rows[index][j] != 0)
      terms.push_back({rows[index][j], monomials[j]});
  return makeSum(context, std::move(terms));
}
