//===- ExpandDoubles.h - Exponentials and logarithms of f64 -----*- C++ -*-===//
//
// What other functions of f64 are made of.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_EXPANDDOUBLES_H
#define TALLY_LIB_CODEGEN_COMMON_EXPANDDOUBLES_H

#include "FloatPair.h"

namespace tally::codegen {

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

#endif // TALLY_LIB_CODEGEN_COMMON_EXPANDDOUBLES_H
