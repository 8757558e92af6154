//===- ExpandHyperbolics.cpp - Hyperbolic functions of f32 ----------------===//
//
// Functions of f32 by arithmetic on f64, whose exponent and fraction are wide
// enough for the plain formulas: nothing overflows, and what cancels leaves
// more bits than an f32 has. As in ExpandMath.cpp there is no branch, and
// polynomials are minimax in relative error (Remez).
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

/// Evaluates `function` in f64 and rounds what it returns.
template <typename Function>
static Value expandWide(FloatBuilder &single, Value x, Function function) {
  FloatBuilder b = single.withDoubles();
  return single.narrow(function(b, single.widen(x)));
}

/// exp(|x|); above 100 it is no f32 any more.
static Value expandBoundedExp(FloatBuilder &b, Value x) {
  return expandDoubleExp(b, b.atMost(b.abs(x), 100));
}

/// `y`, or near 0 x + cubic x^3.
static Value selectSmall(FloatBuilder &b, Value x, Value y, double cubic) {
  Value isSmall = b.compare(CmpFPredicate::OLT, b.abs(x), 0x1p-9);
  Value small = b.fma(b.mul(b.mul(x, x), x), cubic, x);
  return b.select(isSmall, b.copySign(small, x), y);
}

Value tally::codegen::expandSinh(FloatBuilder &single, Value x) {
  return expandWide(single, x, [](FloatBuilder &b, Value x) {
    Value power = expandBoundedExp(b, x);
    Value twice = b.sub(power, b.div(b.constant(1), power));
    return selectSmall(b, x, b.copySign(b.mul(twice, 0.5), x), 1.0 / 6);
  });
}

Value tally::codegen::expandCosh(FloatBuilder &single, Value x) {
  return expandWide(single, x, [](FloatBuilder &b, Value x) {
    Value power = expandBoundedExp(b, x);
    return b.mul(b.add(power, b.div(b.constant(1), power)), 0.5);
  });
}

Value tally::codegen::expandAsinh(FloatBuilder &single, Value x) {
  return expandWide(single, x, [](FloatBuilder &b, Value x) {
    Value a = b.abs(x);
    Value root = b.sqrt(b.fma(a, a, b.constant(1)));
    Value y = expandWideLog(b, b.add(a, root));
    return selectSmall(b, x, b.copySign(y, x), -1.0 / 6);
  });
}

Value tally::codegen::expandAcosh(FloatBuilder &single, Value x) {
  return expandWide(single, x, [](FloatBuilder &b, Value x) {
    Value root = b.sqrt(b.fma(x, x, b.constant(-1)));
    Value y = expandWideLog(b, b.add(x, root));
    Value hasNone = b.compare(CmpFPredicate::OLT, x, 1);
    return b.select(hasNone, b.constant(FloatBuilder::kNaN), y);
  });
}

/// log((1 + a) / (1 - a)) / 2, for a = |x|. The difference of the bits of 1 + a
/// and 1 - a is near to the logarithm of the quotient: with p = 2^n, n from
/// there, it is n log(2) / 2 + atanh(s) where s, at most 0.2, is
/// ((1 + a) - p (1 - a)) / ((1 + a) + p (1 - a)).
Value tally::codegen::expandAtanh(FloatBuilder &single, Value x) {
  Value a = single.abs(x), one = single.constant(1);
  Value ratio = single.combine<arith::SubIOp>(
      single.getBits(single.add(one, a)), single.getBits(single.sub(one, a)));
  Value n = single.combine<arith::ShRSIOp>(
      single.combine<arith::AddIOp>(ratio, single.integerConstant(1 << 22)),
      single.integerConstant(23));
  FloatBuilder b = single.withDoubles();
  Value wide = single.widen(a), power = single.widen(single.createPower(n));
  Value sum = b.add(b.constant(1), power), rest = b.sub(b.constant(1), power);
  Value s = b.div(b.fma(wide, sum, rest), b.fma(wide, rest, sum));
  Value z = b.mul(s, s);
  Value p = b.polynomial({0x1.edb6ccbf03be1p-4, 0x1.23e83d2763af1p-3,
                          0x1.999be29fbf7b8p-3, 0x1.5555541da42dap-2},
                         z);
  Value small = b.fma(b.mul(s, z), p, s);
  Value y = single.narrow(
      b.fma(single.widen(single.toFloat(n)), 0x1.62e42fefa39efp-2, small));
  Value end = single.select(single.isEqual(a, 1),
                            single.constant(FloatBuilder::kInfinity),
                            single.constant(FloatBuilder::kNaN));
  Value isInside = single.compare(CmpFPredicate::OLT, a, 1);
  return single.copySign(single.select(isInside, y, end), x);
}

/// For a = |x|, (1 + 2 a) exp(a^2) erfc(a) is a polynomial of
/// (a - 3) / (a + 3); above 11 no f32 is left of erfc(a).
Value tally::codegen::expandErfc(FloatBuilder &single, Value x) {
  return expandWide(single, x, [](FloatBuilder &b, Value x) {
    Value a = b.atMost(b.abs(x), 11);
    Value w = b.div(b.sub(a, b.constant(3)), b.add(a, b.constant(3)));
    Value p = b.polynomial(
        {0x1.36a38d28263c1p-15, -0x1.74ca80c3e8a28p-13, -0x1.82a9c1c8cf735p-11,
         0x1.feee2d43070efp-10, 0x1.4b38e40580da3p-9, -0x1.85bebd2a766b7p-6,
         0x1.17c88d4f0c7aap-4, -0x1.e889375efd171p-4, 0x1.098383c636407p-3,
         -0x1.85a19191fa801p-5, -0x1.15c0858378553p-3, 0x1.40c522db29b6dp0},
        w);
    Value power = expandDoubleExp(b, b.mul(b.mul(a, a), -1));
    Value y = b.div(b.mul(power, p), b.fma(a, 2, b.constant(1)));
    Value isNegative = b.compare(CmpFPredicate::OLT, x, 0);
    return b.select(isNegative, b.sub(b.constant(2), y), y);
  });
}
