//===- FloatPair.h - Sums of two floats -------------------------*- C++ -*-===//
//
// Arithmetic with about twice the bits of a float. Products are exact because
// their factors are cut, with fused multiply-add and without.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_FLOATPAIR_H
#define TALLY_LIB_CODEGEN_COMMON_FLOATPAIR_H

#include "FloatBuilder.h"

namespace tally::codegen {

/// The sum of a number and of a smaller one, which is what the first lacks.
struct FloatPair {
  Value high, low;
};

/// The sum of any two numbers.
FloatPair addExactly(FloatBuilder &b, Value x, Value y);
/// The same where the second number is the smaller one.
FloatPair addSmaller(FloatBuilder &b, Value x, Value y);
/// The same number, but the first part is cut.
FloatPair cutPair(FloatBuilder &b, FloatPair x);
/// The product of two pairs whose first parts are cut.
FloatPair multiplyPairs(FloatBuilder &b, FloatPair x, FloatPair y);
/// The quotient; its first part is cut. The dividend may lack a low part.
FloatPair dividePairs(FloatBuilder &b, FloatPair x, FloatPair y);
/// The root, or NaN.
FloatPair expandSqrtOfPair(FloatBuilder &b, FloatPair x);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_FLOATPAIR_H
