//===- ElementRanges.h - Between which values elements lie ------*- C++ -*-===//
//
// The analysis of the data that a program computes with: a lower and an upper
// bound of the elements of a tensor of integers, as expressions of the symbols
// of SymbolicShapes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_ANALYSIS_ELEMENTRANGES_H
#define TALLY_ANALYSIS_ELEMENTRANGES_H

#include "tally/Analysis/SymbolicShapes.h"

namespace tally {

/// Every element is at least `lower` and at most `upper`; a bound that is null
/// is not known. Of a tensor without elements both say nothing: it does not
/// follow that `lower <= upper`.
struct ElementRange {
  symbolic::Expr lower, upper;

  bool isKnown() const { return lower || upper; }
};

/// The ranges of tensors of integers and of integer, index and i1 scalars
/// (seen as signed; i1 as 0 and 1). They are
/// computed when asked for, and kept.
///
/// A range speaks of symbols that exist where its value is made. The range of
/// a value in the body of a structured operation is one for all elements; that
/// of a value in a loop is one for all iterations of it, where they are
/// computed from what the loop carries, and of the current iteration
/// otherwise. What is proven on the way is proven from facts that hold by
/// construction and from declarations, as SymbolicShapes::isKnown does.
class ElementRanges {
public:
  using Expr = symbolic::Expr;

  explicit ElementRanges(SymbolicShapes &shapes);
  ~ElementRanges();
  ElementRanges(const ElementRanges &) = delete;
  ElementRanges &operator=(const ElementRanges &) = delete;

  SymbolicShapes &getShapes();

  /// The range of a value. Of a type that is not among those above nothing is
  /// known.
  ElementRange get(mlir::Value value);
  /// Whether an i1 is always true, or always false.
  std::optional<bool> getTruth(mlir::Value condition);

  /// Adds as facts what is known of the values of scalars that `condition`
  /// mentions, and that the arithmetic of SymbolicShapes says nothing of:
  /// elements of tensors and what is computed from them. They hold where these
  /// values exist, and so belong in a scope. An index that a check before has
  /// found to be in bounds, of all elements of the tensor that it was read
  /// from, is known to be so; `readsChecks` then becomes true. Returns whether
  /// there were any.
  bool addFacts(Expr condition, symbolic::Facts &facts,
                bool *readsChecks = nullptr);

  /// The same of what an operation requires, and of the indices that it reads
  /// or writes at.
  bool addFacts(mlir::Operation *op, Expr condition, symbolic::Facts &facts,
                bool *readsChecks = nullptr);

  //===--------------------------------------------------------------------===//
  // For models
  //===--------------------------------------------------------------------===//

  /// The range of a value that is one expression; nothing is known where that
  /// does not exist at the value that is asked for.
  ElementRange getExact(Expr value);
  /// [0, size - 1] of a dimension.
  ElementRange getPositions(Expr size);
  ElementRange getPositions(mlir::Value tensor, unsigned dim);
  ElementRange getConstant(int64_t lower, int64_t upper);
  /// The elements of either range, or of both.
  ElementRange unite(const ElementRange &a, const ElementRange &b);
  ElementRange intersect(const ElementRange &a, const ElementRange &b);
  /// The range where both bounds fit the type; else that of the type, since
  /// arithmetic may have wrapped around.
  ElementRange fit(const ElementRange &range, mlir::Type type);
  /// Returns true if it can be seen cheaply.
  bool isKnown(Expr condition);
  bool isAtLeast(const ElementRange &range, int64_t least);
  Expr getMin(Expr a, Expr b);
  Expr getMax(Expr a, Expr b);

  struct Impl;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace tally

#include "tally/Analysis/ElementRangeInterface.h.inc"

#endif // TALLY_ANALYSIS_ELEMENTRANGES_H
