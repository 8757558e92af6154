//===- ExpandDoubles.cpp - Math functions by arithmetic on f64 ------------===//
//
// As in ExpandMath.cpp there is no branch, and polynomials are minimax
// in relative error (Remez).
//
// Logarithms follow the freely distributable math library of Sun Microsystems
// (fdlibm) and FreeBSD's.
//
//===----------------------------------------------------------------------===//

#include "ExpandDoubles.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

namespace {
/// 2^n (1 + fraction), with n as an integer.
struct Exponential {
  Value fraction, exponent;
};
} // namespace

/// The power, which may be subnormal.
static Value scale(FloatBuilder &b, Exponential power) {
  return b.scale(b.add(power.fraction, b.constant(1)), power.exponent);
}

/// exp(r) - 1 for |r| <= ln(2) / 2; `low`, if any, is added to r.
static Value expandSmallExpM1(FloatBuilder &b, Value r, Value low = nullptr) {
  Value square = b.mul(r, r);
  Value p = b.polynomialInHalves(
      {0x1.1f9ecd05ba6e5p-29, 0x1.af6e55bfae940p-26, 0x1.27e4be98b3ca3p-22,
       0x1.71ddeeb55d5e2p-19, 0x1.a01a01b4a23e0p-16, 0x1.a01a01b412d74p-13,
       0x1.6c16c16c13475p-10, 0x1.111111110ead4p-7, 0x1.555555555555ep-5,
       0x1.555555555555cp-3, 0x1p-1},
      r, square);
  return low ? b.add(r, b.fma(square, p, low)) : b.fma(square, p, r);
}

/// exp(x), for x in -800..800.
static Exponential expandReducedExp(FloatBuilder &b, Value x) {
  auto [n, exponent] = b.roundQuotient(x, 0x1.71547652b82fep0);
  Value r = b.fma(n, -0x1.62e42fefa38p-1, x);
  r = b.fma(n, -0x1.ef35793c7673p-45, r);
  return {expandSmallExpM1(b, r), exponent};
}

/// The same of a sum, whose parts are added where they lose nothing.
static Exponential expandReducedExp(FloatBuilder &b, FloatPair x) {
  auto [n, exponent] = b.roundQuotient(x.high, 0x1.71547652b82fep0);
  Value rest = b.fma(n, -0x1.62e42fefa38p-1, x.high);
  Value tail = b.fma(n, -0x1.ef35793c7673p-45, x.low);
  auto [r, low] = addSmaller(b, rest, tail);
  return {expandSmallExpM1(b, r, low), exponent};
}

/// exp(x), for x in -700..700 or NaN.
static Value expandNormalExp(FloatBuilder &b, Value x) {
  auto [fraction, exponent] = expandReducedExp(b, x);
  Value power = b.createPower(exponent);
  return b.fma(fraction, power, power);
}

Value tally::codegen::expandDoubleExp(FloatBuilder &b, Value x) {
  return b.zeroBelow(x, -746, scale(b, expandReducedExp(b, b.atMost(x, 710))));
}

Value tally::codegen::expandDoubleExp2(FloatBuilder &b, Value x) {
  Value bounded = b.atMost(x, 1025);
  auto [n, exponent] = b.roundQuotient(bounded, 1);
  Value r = b.mul(b.sub(bounded, n), 0x1.62e42fefa39efp-1);
  Value y = scale(b, {expandSmallExpM1(b, r), exponent});
  return b.zeroBelow(x, -1080, y);
}

/// 2^n (f + 1 - 2^-n) where exp(x) is 2^n (f + 1).
Value tally::codegen::expandDoubleExpM1(FloatBuilder &b, Value x) {
  // Below, the result rounds to -1.
  auto [fraction, exponent] = expandReducedExp(b, b.clamp(x, -40, 710));
  Value negative =
      b.combine<arith::SubIOp>(b.integerConstant(b.getBias()), exponent);
  // 2^-1024 is not normal; 0 is as good.
  Value inverse = b.fromBits(b.combine<arith::ShLIOp>(
      b.combine<arith::MaxSIOp>(negative, b.integerConstant(0)),
      b.integerConstant(b.getNumFractionBits())));
  Value y = b.add(fraction, b.sub(b.constant(1), inverse));
  return b.copySign(b.scale(y, exponent), x);
}

Value tally::codegen::expandDoubleTanh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), square = b.mul(x, x);
  Value p = b.polynomial(
      {-0x1.0e3d9d79ab049p-16, 0x1.43e19707b30bdp-14, -0x1.df7a98dfe376ap-13,
       0x1.336ae80345c49p-11, -0x1.7d696ac9c578cp-10, 0x1.d6cf3caf20e8cp-9,
       -0x1.226e16da5e03dp-7, 0x1.664f4781fae72p-6, -0x1.ba1ba1b5311efp-5,
       0x1.111111110b0c9p-3, -0x1.5555555555503p-2},
      square);
  Value small = b.copySign(b.fma(b.mul(square, x), p, x), x);
  // From 22 on the result is 1.
  Value bounded = b.atMost(a, 22);
  Value power = expandNormalExp(b, b.add(bounded, bounded));
  Value large =
      b.sub(b.constant(1), b.div(b.constant(2), b.add(power, b.constant(1))));
  Value isSmall = b.compare(CmpFPredicate::OLT, a, 0.625);
  return b.select(isSmall, small, b.copySign(large, x));
}

/// erf(x) / x - 1 where |x| is below 0.93.
static Value expandSmallErf(FloatBuilder &b, Value x) {
  return b.polynomial(
      {-0x1.c7bf99f81b0ebp-31, 0x1.dfba2cddeaf24p-27, -0x1.5d2bf25bc40b6p-23,
       0x1.b9abb9f4f4f56p-20, -0x1.f4ce6379e4c01p-17, 0x1.f9a2f92ed3c24p-14,
       -0x1.c02db2a3e10c3p-11, 0x1.565bcd07d7c33p-8, -0x1.b82ce31263371p-6,
       0x1.ce2f21a0424f9p-4, -0x1.812746b0379dfp-2, 0x1.06eba8214db69p-3},
      b.mul(x, x));
}

Value tally::codegen::expandDoubleErf(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value small = b.fma(x, expandSmallErf(b, x), x);
  // 1 - erf(a) is exp(-a - a q(a)).
  Value bounded = b.atMost(a, 6);
  Value q = b.polynomial(
      {-0x1.1f2b534617530p-54, 0x1.d0da0bea2f5d1p-43,  -0x1.64143033bd4c4p-37,
       0x1.026b69e3f9956p-32,  -0x1.d6966cdb39913p-29, 0x1.2cf8e4229bf5dp-25,
       -0x1.1ecc2cd704a27p-22, 0x1.a49486e68d306p-20,  -0x1.e176d143ede2ap-18,
       0x1.ac51a2a543f8dp-16,  -0x1.1d1cbf0f0dfb4p-14, 0x1.eca6b8c2f562ap-14,
       -0x1.165eed94208b6p-15, -0x1.19b6068bd4248p-11, 0x1.b2db2798eb583p-10,
       -0x1.8bd0bba4c6e41p-13, -0x1.398990cd82806p-6,  0x1.a4f765a7290e9p-4,
       0x1.45f2f870c1bc4p-1,   0x1.06ebad002185bp-3},
      bounded);
  Value power = expandNormalExp(b, b.mul(b.fma(bounded, q, bounded), -1));
  Value large = b.copySign(b.sub(b.constant(1), power), x);
  Value isSmall = b.compare(CmpFPredicate::OLT, a, 0.93);
  return b.select(isSmall, small, large);
}

Value tally::codegen::expandExpOfPair(FloatBuilder &b, FloatPair x,
                                      FloatPair factor) {
  Exponential power = expandReducedExp(b, x);
  if (!factor.high)
    return scale(b, power);
  auto [fraction, exponent] = power;
  Value low = b.fma(factor.low, fraction, factor.low);
  Value y = b.add(factor.high, b.fma(factor.high, fraction, low));
  return b.scale(y, exponent);
}

/// (1 + 2 a) exp(a^2) erfc(a) is a polynomial of (a - 4) / (a + 4), for a in
/// 0.5..27.3; above no f64 is left of erfc(a).
static Value expandLargeErfc(FloatBuilder &b, Value a) {
  Value w = b.div(b.sub(a, b.constant(4)), b.add(a, b.constant(4)));
  Value p = b.polynomialInHalves(
      {-0x1.5ce9bc6c50d4dp-27, -0x1.a3593d731e966p-27, 0x1.c18d3af907120p-24,
       0x1.1fa0f3aec5e16p-24,  -0x1.b8e1145f7a8bdp-21, 0x1.41b841fb37a4bp-22,
       0x1.7f0837331c4e1p-18,  -0x1.78a417777d946p-17, -0x1.9956d2a59ffbep-16,
       0x1.3be0d86d5bc46p-13,  -0x1.a1df34e008e97p-13, -0x1.8d4aa193335b5p-11,
       0x1.49c67296003b4p-8,   -0x1.0962387d85f01p-6,  0x1.3079edf65a19bp-5,
       -0x1.0fb06dfe6be2ep-4,  0x1.7fee004e1344cp-4,   -0x1.9ddb23c3e7c86p-4,
       0x1.16ecefcfa533fp-4,   0x1.f7f5df66fd569p-7,   -0x1.1df1ad154a28ep-3},
      w, b.mul(w, w));
  FloatPair factor = dividePairs(
      b, addSmaller(b, b.constant(0x1.3ba5916e9fd7fp0), b.mul(w, p)),
      addSmaller(b, b.add(a, a), b.constant(1)));
  // The square of the first bits is exact.
  Value most = b.cut(a), sum = b.add(a, most), rest = b.sub(most, a);
  return expandExpOfPair(b, {b.mul(b.mul(most, most), -1), b.mul(rest, sum)},
                         factor);
}

Value tally::codegen::expandDoubleErfc(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value large = expandLargeErfc(b, b.atMost(a, 27.3));
  Value isNegative = b.compare(CmpFPredicate::OLT, x, 0);
  large = b.select(isNegative, b.sub(b.constant(2), large), large);
  // From 1/4 on, 1/2 is taken off x before it is rounded.
  Value isAbove = b.compare(CmpFPredicate::OGE, x, 0.25);
  Value half = b.select(isAbove, b.constant(0.5), b.constant(0));
  Value erf = b.fma(x, expandSmallErf(b, x), b.sub(x, half));
  Value small = b.sub(b.sub(b.constant(1), half), erf);
  return b.select(b.compare(CmpFPredicate::OLT, a, 0.5), small, large);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// log(x) = log1p(f) + exponent ln(2); log1p(f) is f - halfSquare + rest.
struct Logarithm {
  Value f, halfSquare, rest, exponent;
};
} // namespace

std::pair<Value, Value> tally::codegen::splitFloat(FloatBuilder &b, Value x) {
  Value bits = b.getBits(x);
  Value exponent = b.combine<arith::ShRSIOp>(
      b.combine<arith::SubIOp>(bits, b.integerConstant(0x3fe6a09e667f3bcd)),
      b.integerConstant(52));
  Value fraction = b.combine<arith::SubIOp>(
      bits, b.combine<arith::ShLIOp>(exponent, b.integerConstant(52)));
  return {b.sub(b.fromBits(fraction), b.constant(1)), exponent};
}

std::pair<Value, Value> tally::codegen::splitAnyFloat(FloatBuilder &b,
                                                      Value x) {
  Value isSubnormal = b.compare(CmpFPredicate::OLT, x, 0x1p-1022);
  Value normal = b.select(isSubnormal, b.mul(x, 0x1p54), x);
  auto [f, exponent] = splitFloat(b, normal);
  Value shift = b.select(isSubnormal, b.constant(54), b.constant(0));
  return {f, b.sub(b.toFloat(exponent), shift)};
}

/// For x that is positive and finite: with s = f / (2 + f), log1p(f) is the odd
/// series 2 s + 2/3 s^3 + ...
static Logarithm expandReducedLog(FloatBuilder &b, Value x) {
  auto [f, exponent] = splitAnyFloat(b, x);
  Value s = b.div(f, b.add(f, b.constant(2)));
  Value square = b.mul(s, s);
  Value p = b.polynomial({0x1.2f561d565cd23p-3, 0x1.399a15d757ce3p-3,
                          0x1.746686e3a5ff0p-3, 0x1.c71c50be76b20p-3,
                          0x1.249249436e42bp-2, 0x1.999999997e4c1p-2,
                          0x1.5555555555597p-1},
                         square);
  Value halfSquare = b.mul(b.mul(f, 0.5), f);
  return {f, halfSquare, b.mul(s, b.fma(square, p, halfSquare)), exponent};
}

Value tally::codegen::selectSpecialLogs(FloatBuilder &b, Value x, Value y) {
  y = b.select(b.isEqual(x, FloatBuilder::kInfinity), x, y);
  y = b.select(b.isEqual(x, 0), b.constant(-FloatBuilder::kInfinity), y);
  return b.select(b.compare(CmpFPredicate::OGE, x, 0), y,
                  b.constant(FloatBuilder::kNaN));
}

Value tally::codegen::expandDoubleLog(FloatBuilder &b, Value x) {
  auto [f, halfSquare, rest, exponent] = expandReducedLog(b, x);
  Value low = b.fma(exponent, 0x1.a39ef35793c76p-33, rest);
  Value y = b.sub(b.sub(halfSquare, low), f);
  return selectSpecialLogs(b, x, b.sub(b.mul(exponent, 0x1.62e42feep-1), y));
}

Value tally::codegen::expandLogOfPair(FloatBuilder &b, FloatPair x,
                                      Value doublings) {
  auto [f, halfSquare, rest, exponent] = expandReducedLog(b, x.high);
  exponent = b.add(exponent, doublings);
  Value low = b.fma(exponent, 0x1.a39ef35793c76p-33, rest);
  low = b.add(low, b.div(x.low, x.high));
  Value y = b.sub(b.sub(halfSquare, low), f);
  return b.sub(b.mul(exponent, 0x1.62e42feep-1), y);
}

/// log(x) times a constant that is `high + low`; `exponentHigh + exponentLow`
/// is ln(2) times it. The high parts have few bits.
static Value expandScaledLog(FloatBuilder &b, Value x, double high, double low,
                             double exponentHigh, double exponentLow) {
  auto [f, halfSquare, rest, exponent] = expandReducedLog(b, x);
  // The sum cut to 20 bits, so that its product is exact.
  Value cut = b.fromBits(
      b.combine<arith::AndIOp>(b.getBits(b.sub(f, halfSquare)),
                               b.integerConstant(~int64_t(0xffffffff))));
  Value tail = b.add(b.sub(b.sub(f, cut), halfSquare), rest);
  Value product = b.mul(cut, high);
  Value y = b.fma(b.add(tail, cut), low, b.mul(tail, high));
  if (exponentLow != 0)
    y = b.fma(exponent, exponentLow, y);
  Value whole = b.mul(exponent, exponentHigh);
  Value sum = b.add(whole, product);
  y = b.add(y, b.add(b.sub(whole, sum), product));
  return selectSpecialLogs(b, x, b.add(sum, y));
}

Value tally::codegen::expandDoubleLog2(FloatBuilder &b, Value x) {
  return expandScaledLog(b, x, 0x1.71547652p0, 0x1.705fc2eefa2p-33, 1, 0);
}

Value tally::codegen::expandDoubleLog10(FloatBuilder &b, Value x) {
  return expandScaledLog(b, x, 0x1.bcb7b152p-2, 0x1.b9438ca9aadd5p-36,
                         0x1.34413509f6p-2, 0x1.9fef311f12b36p-42);
}
