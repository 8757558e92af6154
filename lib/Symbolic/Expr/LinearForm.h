//===- LinearForm.h - What is linear in one symbol --------------*- C++ -*-===//
//
// Taking expressions apart around a symbol, and putting its value in.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_EXPR_LINEARFORM_H
#define TALLY_LIB_SYMBOLIC_EXPR_LINEARFORM_H

#include "tally/Symbolic/Expr/Expr.h"

namespace tally::symbolic {

/// coefficient * symbol + rest, neither of which mentions the symbol.
struct LinearForm {
  Expr coefficient, rest;
};

/// Writes an integer as a linear form, if it is one. The branches of `select`
/// may mention the symbol, its condition may not.
std::optional<LinearForm> getLinearForm(ExprContext &context, Expr expr,
                                        Expr symbol);

/// Turns the form of an equation `coefficient * symbol + rest == 0` into that
/// of `coefficient * symbol == rest`, with a positive first coefficient.
void moveRest(ExprContext &context, LinearForm &form);

/// The value of a symbol: denominator * symbol == numerator. A boolean has no
/// denominator.
struct Fraction {
  Expr symbol, numerator, denominator, value;
  /// The denominator is known to be positive.
  bool isPositive = false;
};

/// Puts the value of a symbol into a condition, equivalent where the fraction
/// has no remainder: comparisons are multiplied with a positive denominator.
Expr putIn(ExprContext &context, Expr condition, const Fraction &fraction);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_EXPR_LINEARFORM_H
