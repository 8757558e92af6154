//===- ExpandPowers.cpp - Powers as arithmetic ----------------------------===//
//
// x^y is exp(y log(x)), where the product needs the bits of the exponent on top
// of those of the fraction: powers of f32 are computed in f64, and those of f64
// by sums of two numbers. As in ExpandMath.cpp there is no branch, and
// polynomials are minimax in relative error (Remez).
//
//===----------------------------------------------------------------------===//

#include "ExpandDoubles.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

/// x^y from `z`, which is |x|^y, and right where |x| is 1. The size of y has
/// the parity of `size`, which is at most 2^52, and is an integer where that
/// is.
static Value selectSpecialPowers(FloatBuilder &b, Value x, Value y, Value z,
                                 Value size) {
  Value shift = b.constant(0x1p52), shifted = b.add(size, shift);
  Value isFraction = b.compare(CmpFPredicate::ONE, b.sub(shifted, shift), size);
  Value odd =
      b.combine<arith::ShLIOp>(b.getBits(shifted), b.integerConstant(63));
  odd = b.select(isFraction, b.integerConstant(0), odd);
  Value sign = b.combine<arith::AndIOp>(b.getBits(x), odd);
  z = b.fromBits(b.combine<arith::XOrIOp>(b.getBits(z), sign));
  // A root of a negative number is none.
  Value isNegative = b.combine<arith::AndIOp>(
      b.compare(CmpFPredicate::OLT, x, 0),
      b.compare(CmpFPredicate::OGT, x, -FloatBuilder::kInfinity));
  Value hasNone = b.combine<arith::AndIOp>(isNegative, isFraction);
  Value isNaN = b.compare(CmpFPredicate::UNO, x, y);
  z = b.select(b.combine<arith::OrIOp>(hasNone, isNaN),
               b.constant(FloatBuilder::kNaN), z);
  Value isOne = b.combine<arith::OrIOp>(b.isEqual(x, 1), b.isEqual(y, 0));
  return b.select(isOne, b.constant(1), z);
}

//===----------------------------------------------------------------------===//
// Functions of f32
//===----------------------------------------------------------------------===//

/// log2(x) for x that is positive, finite and normal, as exact as an f32 needs.
static Value expandWideLog2(FloatBuilder &b, Value x) {
  auto [f, exponent] = splitFloat(b, x);
  Value p = b.polynomial(
      {-0x1.25ba982bfd87cp-4, 0x1.129119123ae57p-3, -0x1.133cb14721166p-3,
       0x1.09f7bbd5aa172p-3, -0x1.23cd173406480p-3, 0x1.4835239347debp-3,
       -0x1.718acb6c84605p-3, 0x1.a61a79f806975p-3, -0x1.ec6f14f68fd2ap-3,
       0x1.2776b9ab5f3c1p-2, -0x1.715478c092b94p-2, 0x1.ec709ddd100c4p-2,
       -0x1.71547651961bep-1, 0x1.71547652b61f4p0},
      f);
  return b.fma(p, f, b.toFloat(exponent));
}

Value tally::codegen::expandWideLog(FloatBuilder &b, Value x) {
  Value y = b.mul(expandWideLog2(b, x), 0x1.62e42fefa39efp-1);
  return selectSpecialLogs(b, x, y);
}

/// 2^x as an f64, where x is in -1000..1000 or NaN.
static Value expandWideExp2(FloatBuilder &b, Value x) {
  auto [n, exponent] = b.roundQuotient(x, 1);
  Value p = b.polynomial({0x1.00f8cca9e4be8p-16, 0x1.446dee8f98a63p-13,
                          0x1.5d8713d0a88aap-10, 0x1.3b29d6e66c30ap-7,
                          0x1.c6b08e08c5be0p-5, 0x1.ebfbe0ac3aca2p-3,
                          0x1.62e42fef6bf1ep-1, 0x1.ffffffffa594cp-1},
                         b.sub(x, n));
  return b.mul(p, b.createPower(exponent));
}

Value tally::codegen::expandPow(FloatBuilder &single, Value x, Value y) {
  constexpr double infinity = FloatBuilder::kInfinity;
  FloatBuilder b = single.withDoubles();
  Value base = single.widen(x), exponent = single.widen(y);
  Value magnitude = b.abs(base);
  Value log = expandWideLog2(b, magnitude);
  log = b.select(b.isEqual(magnitude, 0), b.constant(-infinity), log);
  log = b.select(b.isEqual(magnitude, infinity), magnitude, log);
  Value z = expandWideExp2(b, b.clamp(b.mul(log, exponent), -1000, 1000));
  z = b.select(b.isEqual(magnitude, 1), b.constant(1), z);
  // From 2^25 on an f32 is even.
  Value size = b.atMost(b.abs(exponent), 0x1p25);
  return single.narrow(selectSpecialPowers(b, base, exponent, z, size));
}

//===----------------------------------------------------------------------===//
// Functions of f64
//===----------------------------------------------------------------------===//

/// log(x) for x that is positive and finite, with 12 bits more than an f64 has.
/// With s = f / (2 + f), log(1 + f) is 2/3 s (3 + s^2 + s^4 p(s^2)).
static FloatPair expandPreciseLog(FloatBuilder &b, Value x) {
  auto [f, n] = splitAnyFloat(b, x);
  FloatPair s = dividePairs(b, {f, nullptr}, addSmaller(b, b.constant(2), f));
  Value square = b.mul(s.high, s.high), whole = b.add(s.high, s.low);
  Value z = b.mul(whole, whole), fourth = b.mul(z, z);
  Value p = b.polynomialInHalves({0x1.95687a5266ac6p-3, 0x1.973f6706f33a2p-3,
                                  0x1.d8ae670439d39p-3, 0x1.1745af5d43febp-2,
                                  0x1.555555a232055p-2, 0x1.b6db6db6838d8p-2,
                                  0x1.3333333333465p-1},
                                 z, fourth);
  // Most of the sum is known, and cut, before the polynomial is; 3 is exact in
  // it, and so are the differences.
  Value early = b.fma(b.mul(square, square), 0.6, square);
  Value most = b.cut(b.add(early, b.constant(3)));
  Value excess = b.sub(b.sub(most, b.constant(3)), square);
  Value rest = b.mul(s.low, b.fma(s.high, 2, s.low));
  Value low = b.sub(b.fma(fourth, p, rest), excess);
  FloatPair series = multiplyPairs(b, {most, low}, s);
  // 2/3 in two parts.
  FloatPair log = multiplyPairs(
      b, cutPair(b, series),
      {b.constant(0x1.5555558p-1), b.constant(-0x1.5555555555555p-28)});
  FloatPair sum = addSmaller(b, b.mul(n, 0x1.62e42fefa38p-1), log.high);
  log.low = b.add(sum.low, log.low);
  return {sum.high, b.fma(n, 0x1.ef35793c7673p-45, log.low)};
}

/// A smaller number with the parity of |y|, an integer where that is one.
static Value reduceParity(FloatBuilder &b, Value y) {
  // From 2^53 on an f64 is even.
  Value size = b.atMost(b.abs(y), 0x1p53);
  Value isLarge = b.compare(CmpFPredicate::OGE, size, 0x1p52);
  return b.select(isLarge, b.sub(size, b.constant(0x1p52)), size);
}

Value tally::codegen::expandDoublePow(FloatBuilder &b, Value x, Value y) {
  Value magnitude = b.abs(x);
  FloatPair log = cutPair(b, expandPreciseLog(b, magnitude));
  // A larger exponent leaves no f64 of any base but 1.
  Value exponent = b.clamp(y, -0x1p70, 0x1p70);
  Value most = b.cut(exponent);
  FloatPair product = multiplyPairs(b, log, {most, b.sub(exponent, most)});
  Value z = expandExpOfPair(
      b, {b.clamp(product.high, -800, 800), b.clamp(product.low, -1, 1)});
  constexpr double infinity = FloatBuilder::kInfinity;
  Value isInverse = b.compare(CmpFPredicate::OLT, y, 0);
  Value none = b.constant(0), unbounded = b.constant(infinity);
  z = b.select(b.isEqual(magnitude, 0), b.select(isInverse, unbounded, none),
               z);
  z = b.select(b.isEqual(magnitude, infinity),
               b.select(isInverse, none, unbounded), z);
  return selectSpecialPowers(b, x, y, z, reduceParity(b, y));
}
