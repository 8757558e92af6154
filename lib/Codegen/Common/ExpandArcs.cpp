//===- ExpandArcs.cpp - Arc functions of f32 and f64 as arithmetic --------===//
//
// An angle is a multiple of a right one and a small angle with a sign, which is
// a number and a smaller rest. As in ExpandMath.cpp there is no branch, and
// polynomials are minimax in relative error (Remez; Lawson's iteration for
// f32).
//
//===----------------------------------------------------------------------===//

#include "FloatPair.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

/// So many right angles, at most 2.
static FloatPair makeRightAngles(FloatBuilder &b, int count) {
  if (b.hasDoubles())
    return {b.constant(0x1.921fb54442d18p0 * count),
            b.constant(0x1.1a62633145c07p-54 * count)};
  return {b.constant(0x1.921fb6p0 * count),
          b.constant(-0x1.777a5cp-25 * count)};
}

static FloatPair negate(FloatBuilder &b, FloatPair x) {
  return {b.mul(x.high, -1), b.mul(x.low, -1)};
}

/// The sum of an angle that is 0 or not below a right one, and a smaller one.
static Value addAngles(FloatBuilder &b, FloatPair x, FloatPair y) {
  auto [sum, rounded] = addSmaller(b, x.high, y.high);
  return b.add(sum, b.add(rounded, b.add(x.low, y.low)));
}

static FloatPair selectPair(FloatBuilder &b, Value condition, FloatPair yes,
                            FloatPair no) {
  return {b.select(condition, yes.high, no.high),
          b.select(condition, yes.low, no.low)};
}

//===----------------------------------------------------------------------===//
// Sines to angles
//===----------------------------------------------------------------------===//

namespace {
/// asin(s) is s + s^3 p(s^2) up to 1/2, and pi/2 - 2 asin(sqrt((1 - x) / 2))
/// above.
struct ArcSine {
  /// asin of the smaller angle, twice that of the one above.
  FloatPair angle;
  Value isLarge;
};
} // namespace

/// p of the formulas above.
static Value expandAsinPolynomial(FloatBuilder &b, Value z) {
  if (b.hasDoubles())
    return b.polynomial(
        {0x1.059c311381337p-5, -0x1.0a5921a1f1115p-6, 0x1.40486323eae31p-6,
         0x1.ab57857e8b832p-8, 0x1.8ed0882917fc3p-7, 0x1.c6fbbe73000a9p-7,
         0x1.1c6bfb0632f8cp-6, 0x1.6e89f29e91dffp-6, 0x1.f1c72c49c642ep-6,
         0x1.6db6db42486b5p-5, 0x1.333333336eca1p-4, 0x1.555555555538ep-3},
        z);
  return b.polynomial(
      {0x1.595c6p-5, 0x1.8c3e5p-6, 0x1.747bb8p-5, 0x1.3302p-4, 0x1.5555c8p-3},
      z);
}

static ArcSine expandReducedAsin(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value isLarge = b.compare(CmpFPredicate::OGT, a, 0.5);
  Value half = b.mul(b.sub(b.constant(1), a), 0.5);
  Value z = b.select(isLarge, half, b.mul(a, a));
  // That of an f32 is exact enough as it is.
  FloatPair root = b.hasDoubles() ? expandSqrtOfPair(b, {half, nullptr})
                                  : FloatPair{b.sqrt(half), b.constant(0)};
  FloatPair s = selectPair(b, isLarge, root, {a, b.constant(0)});
  s.low = b.fma(b.mul(s.high, z), expandAsinPolynomial(b, z), s.low);
  FloatPair twice = {b.add(s.high, s.high), b.add(s.low, s.low)};
  return {selectPair(b, isLarge, twice, s), isLarge};
}

Value tally::codegen::expandAsin(FloatBuilder &b, Value x) {
  auto [angle, isLarge] = expandReducedAsin(b, x);
  FloatPair start =
      selectPair(b, isLarge, makeRightAngles(b, 1), makeRightAngles(b, 0));
  angle = selectPair(b, isLarge, negate(b, angle), angle);
  return b.copySign(addAngles(b, start, angle), x);
}

Value tally::codegen::expandAcos(FloatBuilder &b, Value x) {
  auto [angle, isLarge] = expandReducedAsin(b, x);
  Value isNegative = b.compare(CmpFPredicate::OLT, x, 0);
  FloatPair end =
      selectPair(b, isNegative, makeRightAngles(b, 2), makeRightAngles(b, 0));
  FloatPair start = selectPair(b, isLarge, end, makeRightAngles(b, 1));
  Value isMore = b.combine<arith::XOrIOp>(isLarge, isNegative);
  angle = selectPair(b, isMore, angle, negate(b, angle));
  return addAngles(b, start, angle);
}

//===----------------------------------------------------------------------===//
// Slopes to angles
//===----------------------------------------------------------------------===//

/// p where atan(t) is t + t^3 p(t^2), for t in 0..1. The terms of the highest
/// degrees are added side by side, the others, which are larger, one by one.
static Value expandAtanPolynomial(FloatBuilder &b, Value z) {
  static constexpr double kDouble[] = {
      0x1.bbc34caffecc2p-17, -0x1.3f1b3415bf9f9p-13, 0x1.b3daa419d37b9p-11,
      -0x1.7a222595ddee2p-9, 0x1.d7a19c076e565p-8,   -0x1.c77e90915640ap-7,
      0x1.6833441c52a87p-6,  -0x1.e9f1f48dda926p-6,  0x1.2c2bae3e437f0p-5,
      -0x1.59a29b4114547p-5, 0x1.82da474358671p-5,   -0x1.ae5e453115bb3p-5,
      0x1.e1bb9b590ea6ep-5,  -0x1.110e502207153p-4,  0x1.3b136676a7c0ap-4,
      -0x1.745d11ab02663p-4, 0x1.c71c717f957e1p-4,   -0x1.249249237e280p-3,
      0x1.9999999995549p-3,  -0x1.5555555555526p-2};
  static constexpr double kSingle[] = {
      0x1.7eb1a4p-9f, -0x1.0c1c26p-6f, 0x1.61f14p-5f,  -0x1.35519p-4f,
      0x1.b4dedep-4f, -0x1.230a96p-3f, 0x1.9978ecp-3f, -0x1.5554dcp-2f};
  ArrayRef<double> all = b.hasDoubles() ? ArrayRef(kDouble) : ArrayRef(kSingle);
  size_t count = b.hasDoubles() ? 4 : 2;
  Value p = b.polynomialInHalves(all.drop_back(count), z, b.mul(z, z));
  for (double coefficient : all.take_back(count))
    p = b.fma(p, z, b.constant(coefficient));
  return p;
}

/// The angle whose tangent is t, in 0..1, or that of the direction across: it
/// starts from that one where it is steep, and on the other side where behind.
static Value expandDirection(FloatBuilder &b, Value t, Value isSteep,
                             Value isBehind = nullptr) {
  Value z = b.mul(t, t);
  Value p = expandAtanPolynomial(b, z);
  FloatPair angle = {t, b.mul(b.mul(t, z), p)};
  FloatPair start = makeRightAngles(b, 0);
  Value isLess = isSteep;
  if (isBehind) {
    start = selectPair(b, isBehind, makeRightAngles(b, 2), start);
    isLess = b.combine<arith::XOrIOp>(isSteep, isBehind);
  }
  start = selectPair(b, isSteep, makeRightAngles(b, 1), start);
  angle = selectPair(b, isLess, negate(b, angle), angle);
  return addAngles(b, start, angle);
}

Value tally::codegen::expandAtan(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value isSteep = b.compare(CmpFPredicate::OGT, a, 1);
  Value t = b.select(isSteep, b.div(b.constant(1), a), a);
  return b.copySign(expandDirection(b, t, isSteep), x);
}

Value tally::codegen::expandAtan2(FloatBuilder &b, Value y, Value x) {
  Value across = b.abs(x), up = b.abs(y);
  Value isSteep = b.compare(CmpFPredicate::OGT, up, across);
  Value most = b.select(isSteep, up, across);
  Value least = b.select(isSteep, across, up);
  // Of two zeros the quotient is taken for 0, of two infinities for 1.
  Value t = b.div(least, b.select(b.isEqual(most, 0), b.constant(1), most));
  constexpr double infinity = FloatBuilder::kInfinity;
  t = b.select(b.isEqual(least, infinity), b.constant(1), t);
  // A NaN is neither, and stays one.
  t = b.select(b.compare(CmpFPredicate::UNO, x, y),
               b.constant(FloatBuilder::kNaN), t);
  // The sign of -0 counts.
  Value isBehind = b.compareBits(arith::CmpIPredicate::slt, b.getBits(x), 0);
  return b.copySign(expandDirection(b, t, isSteep, isBehind), y);
}
