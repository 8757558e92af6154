//===- FloatPair.h - Sums of two f64 ----------------------------*- C++ -*-===//
//
// Arithmetic with about twice the bits of an f64. Products are exact because
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
/// The same number, but the first part has 26 bits.
FloatPair cutPair(FloatBuilder &b, FloatPair x);
/// The product of two pairs whose first parts have 26 bits.
FloatPair multiplyPairs(FloatBuilder &b, FloatPair x, FloatPair y);
/// The quotient; its first part has 26 bits. The dividend may lack a low part.
FloatPair dividePairs(FloatBuilder &b, FloatPair x, FloatPair y);
/// The root, or NaN.
FloatPair expandSqrtOfPair(FloatBuilder &b, FloatPair x);

/// exp(x), for x in -800..800, times a factor, if any.
Value expandExpOfPair(FloatBuilder &b, FloatPair x, FloatPair factor = {});
/// Returns f and an exponent, as an integer, for which an f64 is
/// (1 + f) 2^exponent, where 1 + f is in sqrt(1/2)..sqrt(2). It is positive and
/// normal.
std::pair<Value, Value> splitFloat(FloatBuilder &b, Value x);
/// The same of one that is positive and finite; the exponent is an f64.
std::pair<Value, Value> splitAnyFloat(FloatBuilder &b, Value x);
/// log(2^doublings x) for x that is positive and finite.
Value expandLogOfPair(FloatBuilder &b, FloatPair x, Value doublings);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_FLOATPAIR_H
