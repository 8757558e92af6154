//===- ExpandSines.cpp - Sines and tangents as arithmetic -----------------===//
//
// Those of f32 are computed in f32 where angles are near 0, else in f64. As in
// ExpandMath.cpp there is no branch, and polynomials are minimax in relative
// error (Remez).
//
//===----------------------------------------------------------------------===//

#include "FloatPair.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Functions of f32
//===----------------------------------------------------------------------===//

/// The turns that an angle makes, without most whole ones. 1 / (2 pi) is cut
/// into parts of 29 bits, whose products with an f32 are exact; of each, only
/// what exceeds an integer counts. Where two neighbors have anything, what the
/// next have is so small that sums which cancel are exact.
static Value expandTurns(FloatBuilder &b, Value x) {
  constexpr double parts[] = {0x1.45f306dp-3, 0x1.9391054p-32, 0x1.4fe13abp-61,
                              0x1.d1f534dp-90, 0x1.b81b6c5p-119};
  Value turns;
  for (double part : parts) {
    Value product = b.mul(x, part);
    Value rest = b.sub(product, b.roundEven(product));
    turns = turns ? b.add(turns, rest) : rest;
  }
  return b.add(turns, b.mul(x, 0x1.5993cp-150));
}

/// sin(2 pi t) where t is `turns` and a quarter, if `isCosine`, and `more`,
/// what is too small to be rounded with them. The polynomial serves half a
/// turn.
static Value expandSineOfTurns(FloatBuilder &b, Value turns, bool isCosine,
                               Value more = nullptr) {
  Value shifted = isCosine ? b.add(turns, b.constant(0.25)) : turns;
  auto [nearest, half] = b.roundQuotient(shifted, 2);
  Value t = b.fma(nearest, -0.5, turns);
  if (isCosine)
    t = b.add(t, b.constant(0.25));
  if (more)
    t = b.add(t, more);
  Value y = b.mul(t, b.polynomial({-0x1.cc1d05a22a10cp3, 0x1.500f20549a142p5,
                                   -0x1.32d10c97d917ap6, 0x1.466bbfa61cca0p6,
                                   -0x1.4abbce4eb42a6p5, 0x1.921fb5441d5f7p2},
                                  b.mul(t, t)));
  Value sign = b.combine<arith::ShLIOp>(half, b.integerConstant(63));
  return b.fromBits(b.combine<arith::XOrIOp>(b.getBits(y), sign));
}

static Value expandSine(FloatBuilder &single, Value angle, bool isCosine) {
  FloatBuilder b = single.withDoubles();
  Value turns = expandTurns(b, single.widen(angle));
  return single.narrow(expandSineOfTurns(b, turns, isCosine));
}

/// The turns of an angle below `kSmallAngle`, and more: behind the first part
/// of 1 / (2 pi), the rest makes less than 2^-10 turns, and is rounded by 2^-64
/// turns at most.
static std::pair<Value, Value> expandSmallTurns(FloatBuilder &b, Value angle) {
  Value more = b.mul(angle, 0x1.9391054a7f09dp-32);
  return {b.mul(angle, 0x1.45f306dp-3), more};
}

/// Of an angle below `kSmallAngle` half turns are taken off, as many as are
/// nearest, and for a cosine those and a quarter. The first part of pi has so
/// few bits that its product is exact; what that of the second is rounded by is
/// too small for an f32.
static Value expandSmallSingleSine(FloatBuilder &single, Value angle,
                                   bool isCosine) {
  FloatBuilder b = single.withDoubles();
  constexpr double inverse = 0x1.45f306dc9c883p-2;
  Value x = single.widen(angle);
  auto [n, half] = isCosine
                       ? b.roundQuotient(b.fma(x, inverse, b.constant(0.5)), 1)
                       : b.roundQuotient(x, inverse);
  if (isCosine)
    n = b.sub(n, b.constant(0.5));
  Value rest = b.fma(n, -0x1.921fb544p1, x);
  rest = b.fma(n, -0x1.0b4611a626331p-33, rest);
  // The polynomial of `expandSineOfTurns`, in another unit.
  Value p = b.polynomial({-0x1.99f94f4218d39p-26, 0x1.716ab7f981dd0p-19,
                          -0x1.a017a1a6a3310p-13, 0x1.11110b5d16cbcp-7,
                          -0x1.555555410c576p-3, 0x1.ffffffffd052ap-1},
                         b.mul(rest, rest));
  Value y = b.mul(rest, p);
  Value sign = b.combine<arith::ShLIOp>(half, b.integerConstant(63));
  return single.narrow(
      b.fromBits(b.combine<arith::XOrIOp>(b.getBits(y), sign)));
}

/// What is left of an angle when quarters of a circle are taken off, their
/// number, and what the rest exceeds the exact one by.
struct NearAngle {
  Value rest, quarters, excess;
};

/// Takes quarters off an angle of f32 below `kNearAngle`. The first three
/// parts of pi / 2 have so few bits that their products are exact, and so are
/// the first two differences; what the third is rounded by is kept.
static NearAngle reduceNearAngle(FloatBuilder &b, Value x) {
  auto [n, quarters] = b.roundQuotient(x, 0x1.45f306p-1);
  Value most = b.sub(b.sub(x, b.mul(n, 0x1.92p0)), b.mul(n, 0x1.fb4p-12));
  Value third = b.mul(n, 0x1.444p-24), rest = b.sub(most, third);
  Value excess = b.add(b.sub(rest, most), third);
  return {rest, quarters, b.fma(n, 0x1.68c234p-39, excess)};
}

/// The same of an f16 of any size. It has so few bits that three parts are
/// enough, and that what the last is rounded by does not count. The last is
/// added as something negative: -0 + -0 is -0.
static NearAngle reduceHalfAngle(FloatBuilder &b, Value x) {
  auto [n, quarters] = b.roundQuotient(x, 0x1.45f306p-1);
  Value most = b.sub(b.sub(x, b.mul(n, 0x1.92p0)), b.mul(n, 0x1.fap-12));
  return {b.fma(n, -0x1.54442ep-20, most), quarters, nullptr};
}

/// The sine of an angle, or its cosine: one polynomial, whose coefficients are
/// those of a sine or a cosine of the rest. A cosine of the rest needs no
/// excess. Coefficients are negated, as -0 - 0 is -0.
static Value expandSineOfRest(FloatBuilder &b, NearAngle angle, bool isCosine) {
  constexpr std::pair<double, double> coefficients[] = {
      {-0x1.99e80cp-16, -0x1.7c2d52p-19},
      {0x1.6c0c28p-10, 0x1.a05956p-13},
      {-0x1.55554ap-5, -0x1.111174p-7},
      {0.5, 0x1.555556p-3}};
  Value quarters = angle.quarters, rest = angle.rest;
  if (isCosine)
    quarters = b.combine<arith::AddIOp>(quarters, b.integerConstant(1));
  Value isOdd = b.compareBits(
      arith::CmpIPredicate::ne,
      b.combine<arith::AndIOp>(quarters, b.integerConstant(1)), 0);
  Value square = b.mul(rest, rest), p;
  for (auto [even, odd] : coefficients) {
    Value next = b.select(isOdd, b.constant(even), b.constant(odd));
    p = p ? b.fma(p, square, next) : next;
  }
  Value most = b.select(isOdd, b.constant(1), rest);
  Value less = b.mul(b.mul(most, square), p);
  // Without an excess too, something positive is added: -0 - -0 is 0.
  Value excess = b.constant(0);
  if (angle.excess)
    excess = b.select(isOdd, excess, angle.excess);
  less = b.add(less, excess);
  Value sign = b.combine<arith::ShLIOp>(
      b.combine<arith::AndIOp>(quarters, b.integerConstant(2)),
      b.integerConstant(30));
  Value y = b.sub(most, less);
  return b.fromBits(b.combine<arith::XOrIOp>(b.getBits(y), sign));
}

static Value expandNearSine(FloatBuilder &b, Value x, bool isCosine) {
  return expandSineOfRest(b, reduceNearAngle(b, x), isCosine);
}

/// The sine of an f32: `far` where the angle is not near 0.
static Value selectNearSine(FloatBuilder &b, Value x, bool isCosine,
                            Value far) {
  Value isNear = b.compare(CmpFPredicate::OLT, b.abs(x), kNearAngle);
  return b.select(isNear, expandNearSine(b, x, isCosine), far);
}

/// The tangent of an angle: that of the rest, t, or -1 / t. The excess, which a
/// tangent enlarges by 1 + t^2, is taken off before the quotient, as it may be
/// a tenth of a rest next to 0; by what is rounded then, the quotient is
/// corrected. The tangent is a difference, as -0 - 0 is -0.
static Value expandTangentOfRest(FloatBuilder &b, NearAngle angle) {
  Value rest = angle.rest, square = b.mul(rest, rest);
  Value p = b.polynomial({0x1.350bd2p-7, 0x1.8eeb00p-9, 0x1.9107f6p-6,
                          0x1.b57086p-5, 0x1.112e86p-3, 0x1.5554dcp-2},
                         square);
  Value more = b.mul(b.mul(rest, square), p), most = b.add(rest, more);
  Value excess = b.sub(b.sub(most, rest), more);
  if (angle.excess)
    excess =
        b.add(excess, b.fma(b.mul(angle.excess, most), most, angle.excess));
  Value t = b.sub(most, excess);
  Value rounded = b.add(b.sub(t, most), excess);
  Value quotient = b.div(b.constant(-1), t);
  quotient = b.sub(quotient, b.mul(b.mul(quotient, quotient), rounded));
  Value isOdd = b.compareBits(
      arith::CmpIPredicate::ne,
      b.combine<arith::AndIOp>(angle.quarters, b.integerConstant(1)), 0);
  return b.select(isOdd, quotient, t);
}

Value tally::codegen::expandNearTan(FloatBuilder &b, Value x) {
  return expandTangentOfRest(b, reduceNearAngle(b, x));
}

/// The tangent of an f32: `far` where the angle is not near 0.
static Value selectNearTangent(FloatBuilder &b, Value x, Value far) {
  Value isNear = b.compare(CmpFPredicate::OLT, b.abs(x), kNearAngle);
  return b.select(isNear, expandNearTan(b, x), far);
}

/// tan(2 pi t): what is added to the turns is that of a sine and a cosine.
static Value expandTangentOfTurns(FloatBuilder &b, Value turns,
                                  Value more = nullptr) {
  return b.div(expandSineOfTurns(b, turns, /*isCosine=*/false, more),
               expandSineOfTurns(b, turns, /*isCosine=*/true, more));
}

bool tally::codegen::isHalfAngle(Value x) {
  auto widened = x.getDefiningOp<arith::ExtFOp>();
  return widened && getElementTypeOrSelf(widened.getIn().getType()).isF16();
}

Value tally::codegen::expandTan(FloatBuilder &single, Value x) {
  FloatBuilder b = single.withDoubles();
  Value turns = expandTurns(b, single.widen(x));
  Value far = single.narrow(expandTangentOfTurns(b, turns));
  return selectNearTangent(single, x, far);
}

static Value expandAnySine(FloatBuilder &b, Value x, bool isCosine) {
  if (isHalfAngle(x))
    return expandSineOfRest(b, reduceHalfAngle(b, x), isCosine);
  return selectNearSine(b, x, isCosine, expandSine(b, x, isCosine));
}

Value tally::codegen::expandSin(FloatBuilder &b, Value x) {
  return expandAnySine(b, x, /*isCosine=*/false);
}

Value tally::codegen::expandCos(FloatBuilder &b, Value x) {
  return expandAnySine(b, x, /*isCosine=*/true);
}

Value tally::codegen::expandNearSin(FloatBuilder &b, Value x) {
  return expandNearSine(b, x, /*isCosine=*/false);
}

Value tally::codegen::expandNearCos(FloatBuilder &b, Value x) {
  return expandNearSine(b, x, /*isCosine=*/true);
}

//===----------------------------------------------------------------------===//
// Functions of f64
//===----------------------------------------------------------------------===//

namespace {
/// The remainder of an angle, as a sum, and how many quarters were taken off.
struct ReducedAngle {
  Value high, low, quarters;
};
} // namespace

/// Takes quarters of a circle off an angle below `kSmallAngle`. Of the parts of
/// pi / 2, all but the last have so few bits that their products are exact.
/// What the first difference leaves is exact, and what the others round off is
/// kept: a remainder may be as small as the second or the third product.
static ReducedAngle reduceAngle(FloatBuilder &b, Value x) {
  auto [n, quarters] = b.roundQuotient(x, 0x1.45f306dc9c883p-1);
  Value rest = b.fma(n, -0x1.921fb544p0, x);
  Value second = b.mul(n, 0x1.0b4611a6p-34);
  Value high = b.sub(rest, second);
  Value low = b.sub(b.sub(rest, high), second);
  Value third = b.mul(n, 0x1.3198a2ep-69);
  rest = high;
  high = b.sub(rest, third);
  low = b.add(b.sub(b.sub(rest, high), third), low);
  return {high, b.fma(n, -0x1.b839a252049c1p-104, low), quarters};
}

static Value expandSmallDoubleSine(FloatBuilder &b, Value x, bool isCosine) {
  auto [high, low, quarters] = reduceAngle(b, x);
  if (isCosine)
    quarters = b.combine<arith::AddIOp>(quarters, b.integerConstant(1));
  Value square = b.mul(high, high), half = b.mul(square, 0.5);
  Value most = b.sub(b.constant(1), half);
  // high + high^3 p + low cos(high).
  Value p = b.polynomial({0x1.5d8fa1579eab9p-33, -0x1.ae5e59eef37b2p-26,
                          0x1.71de35670951ap-19, -0x1.a01a019bfd0d6p-13,
                          0x1.111111110f7c9p-7, -0x1.5555555555548p-3},
                         square);
  Value sine = b.add(high, b.fma(b.mul(high, square), p, b.mul(low, most)));
  // 1 - high^2 / 2 + high^4 q - low sin(high).
  Value q = b.polynomial({-0x1.8fa4667aacf72p-37, 0x1.1ee9d753af332p-29,
                          -0x1.27e4f7ea39575p-22, 0x1.a01a019c83939p-16,
                          -0x1.6c16c16c14f8ap-10, 0x1.555555555554bp-5},
                         square);
  Value rounded = b.sub(b.sub(b.constant(1), most), half);
  Value rest = b.sub(b.mul(b.mul(square, square), q), b.mul(high, low));
  Value cosine = b.add(most, b.add(rounded, rest));
  Value isEven = b.compareBits(
      arith::CmpIPredicate::eq,
      b.combine<arith::AndIOp>(quarters, b.integerConstant(1)), 0);
  Value y = b.select(isEven, sine, cosine);
  Value sign = b.combine<arith::ShLIOp>(
      b.combine<arith::AndIOp>(quarters, b.integerConstant(2)),
      b.integerConstant(62));
  y = b.fromBits(b.combine<arith::XOrIOp>(b.getBits(y), sign));
  // The remainder of -0 is +0.
  return isCosine ? y : b.select(b.isEqual(x, 0), x, y);
}

static Value expandSmallDoubleTan(FloatBuilder &b, Value x) {
  auto [high, low, quarters] = reduceAngle(b, x);
  Value square = b.mul(high, high);
  Value p = b.polynomial(
      {0x1.462c0151cee56p-17, -0x1.915bcbf9829fbp-16, 0x1.920f597abef6ap-15,
       -0x1.9fe804fd9c696p-16, 0x1.1728e3923ca93p-14, 0x1.5fff97da74212p-14,
       0x1.fee2b8f4ef7e8p-13, 0x1.34c162212d683p-11, 0x1.7db108807b58dp-10,
       0x1.d6d2f1141f3b7p-9, 0x1.226e3a4834cf6p-7, 0x1.664f485ee6f31p-6,
       0x1.ba1ba1bab709dp-5, 0x1.111111111066bp-3, 0x1.555555555555ep-2},
      square);
  // high + high^3 p + low (1 + tan(high)^2).
  Value rest = b.mul(b.mul(high, square), p), most = b.add(high, rest);
  rest = b.add(rest, b.fma(b.mul(low, most), most, low));
  FloatPair t = addSmaller(b, high, rest);
  // -1 / (high + low) is a quotient and its square times low.
  Value inverse = b.div(b.constant(-1), t.high);
  inverse = b.fma(b.mul(inverse, inverse), t.low, inverse);
  Value isEven = b.compareBits(
      arith::CmpIPredicate::eq,
      b.combine<arith::AndIOp>(quarters, b.integerConstant(1)), 0);
  Value y = b.select(isEven, t.high, inverse);
  // The remainder of -0 is +0.
  return b.select(b.isEqual(x, 0), x, y);
}

/// Large angles, and what is no number, are left to the C library.
template <typename MathOp, Value (*small)(FloatBuilder &, Value)>
static Value expandAnyAngle(FloatBuilder &b, Value x) {
  Value isSmall = b.compare(CmpFPredicate::OLT, b.abs(x), kSmallAngle);
  Value large = b.apply<MathOp>(b.select(isSmall, b.constant(0), x));
  return b.select(isSmall, small(b, x), large);
}

Value tally::codegen::expandDoubleSin(FloatBuilder &b, Value x) {
  return expandAnyAngle<math::SinOp, expandSmallSin>(b, x);
}

Value tally::codegen::expandDoubleCos(FloatBuilder &b, Value x) {
  return expandAnyAngle<math::CosOp, expandSmallCos>(b, x);
}

Value tally::codegen::expandDoubleTan(FloatBuilder &b, Value x) {
  return expandAnyAngle<math::TanOp, expandSmallTan>(b, x);
}

//===----------------------------------------------------------------------===//
// Small angles
//===----------------------------------------------------------------------===//

Value tally::codegen::expandSmallTan(FloatBuilder &single, Value x) {
  if (single.hasDoubles())
    return expandSmallDoubleTan(single, x);
  FloatBuilder b = single.withDoubles();
  auto [turns, more] = expandSmallTurns(b, single.widen(x));
  Value far = single.narrow(expandTangentOfTurns(b, turns, more));
  return selectNearTangent(single, x, far);
}

static Value expandSmallSine(FloatBuilder &b, Value x, bool isCosine) {
  if (b.hasDoubles())
    return expandSmallDoubleSine(b, x, isCosine);
  return selectNearSine(b, x, isCosine, expandSmallSingleSine(b, x, isCosine));
}

Value tally::codegen::expandSmallSin(FloatBuilder &b, Value x) {
  return expandSmallSine(b, x, /*isCosine=*/false);
}

Value tally::codegen::expandSmallCos(FloatBuilder &b, Value x) {
  return expandSmallSine(b, x, /*isCosine=*/true);
}
