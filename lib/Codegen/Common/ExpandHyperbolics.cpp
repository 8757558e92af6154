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
