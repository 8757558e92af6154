//===- FloatValues.h - Functions of float numbers ---------------*- C++ -*-===//
//
// Python's arithmetic on doubles, with its errors as explicit results.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_EXPR_FLOATVALUES_H
#define TALLY_LIB_SYMBOLIC_EXPR_FLOATVALUES_H

#include "tally/Symbolic/Expr/Expr.h"

namespace tally::symbolic {

/// A double, or the reason why there is none.
struct FloatResult {
  double value = 0;
  EvalError error = EvalError::None;
};

/// The double nearest to a / b, halves to even; Python's `/` of integers. With
/// b = 1 the double nearest to an integer.
FloatResult divideIntegers(const DynamicAPInt &a, const DynamicAPInt &b);

/// Python's `math` function.
FloatResult applyFunction(FloatFunction function, double value);

/// Python's `**` of floats; a complex result is no number.
FloatResult raiseToPower(double base, double exponent);

/// Python's `round(value, digits)`.
FloatResult roundToDigits(double value, int digits);

/// The integer next to a float.
EvalResult roundToInteger(double value, RoundingMode rounding);

/// The operation on the two's complements.
DynamicAPInt applyBitwise(BitwiseOp op, const DynamicAPInt &a,
                          const DynamicAPInt &b);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_EXPR_FLOATVALUES_H
