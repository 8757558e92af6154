//===- Comparison.h - Conditions as they are told ---------------*- C++ -*-===//
//
// A condition has one canonical form, which need not be what its author would
// say: `5 < n` is `6 <= n`, and terms move from one side to the other. Messages
// tell the author's own two sides.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_FACTS_COMPARISON_H
#define TALLY_SYMBOLIC_FACTS_COMPARISON_H

#include "tally/Symbolic/Expr/Expr.h"

#include <string>

namespace tally::symbolic {

/// Two sides and how they compare.
struct Comparison {
  enum class Relation : uint8_t { Eq, Ne, Le, Lt };

  Expr lhs;
  Relation relation;
  Expr rhs;

  static Comparison eq(Expr a, Expr b) { return {a, Relation::Eq, b}; }
  static Comparison ne(Expr a, Expr b) { return {a, Relation::Ne, b}; }
  static Comparison le(Expr a, Expr b) { return {a, Relation::Le, b}; }
  static Comparison lt(Expr a, Expr b) { return {a, Relation::Lt, b}; }

  /// The condition in its canonical form.
  Expr getCondition(ExprContext &context) const;
};

/// The condition that all of them hold.
Expr getCondition(llvm::ArrayRef<Comparison> comparisons, ExprContext &context);

/// The symbols of all sides in order of definition.
llvm::SmallVector<Expr> freeSymbols(llvm::ArrayRef<Comparison> comparisons,
                                    const ExprContext &context);

/// The same comparisons of other sides.
llvm::SmallVector<Comparison, 2>
mapSides(llvm::ArrayRef<Comparison> comparisons,
         llvm::function_ref<Expr(Expr side)> change);

/// The text that parses as the condition that all of them hold, with the sides
/// as they are: `0 <= i < n`, `a == b and c <= d`.
std::string toString(llvm::ArrayRef<Comparison> comparisons);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_FACTS_COMPARISON_H
