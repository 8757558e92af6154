//===- IncompleteGamma.cpp - The incomplete gamma functions ---------------===//
//
// P(a, x) and Q(a, x) = 1 - P(a, x), by a series where x is less than a, else
// by a continued fraction, and by Temme's expansion where a is so large that
// these are too long.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

/// From where on Temme's expansion is used.
static constexpr double kLarge = 0x1p20;
/// More steps than either sum takes below.
static constexpr double kMostSteps = 32768;

/// log(1 + x) - x.
static Value buildLog1pLess(Scalars &s, Value x) {
  Value plain = s.sub(math::Log1pOp::create(s.b, s.loc, x), x);
  // x^2 (-1/2 + x/3 - x^2/4 + ...) near 0.
  SmallVector<double> factors;
  for (int k = 2; k < 20; ++k)
    factors.push_back((k % 2 ? 1.0 : -1.0) / k);
  Value series = s.mul(s.mul(x, x), buildPolynomial(s, x, factors));
  Value isNear = s.compare(Compare::Lt, s.abs(x), s.number(0.125));
  return s.select(isNear, series, plain);
}

/// x^a exp(-x) / gamma(a): where a is large by Stirling's series, so that
/// nothing large is subtracted.
static Value buildPrefix(Scalars &s, Value a, Value x) {
  Value small = buildExp(
      s, s.sub(s.sub(s.mul(a, buildLog(s, x)), x), buildLogGamma(s, a)));
  Value distance = s.divFloat(s.sub(x, a), a);
  Value exponent = s.mul(a, buildLog1pLess(s, distance));
  Value inverse = s.divFloat(s.number(1), a);
  Value stirling = s.mul(
      inverse, buildPolynomial(s, s.mul(inverse, inverse),
                               {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                1.0 / 1188, -691.0 / 360360, 1.0 / 156}));
  Value root =
      math::SqrtOp::create(s.b, s.loc, s.divFloat(a, s.number(2 * M_PI)));
  Value large = s.mul(root, buildExp(s, s.sub(exponent, stirling)));
  return s.select(s.compare(Compare::Lt, a, s.number(12)), small, large);
}

/// A loop over values while the last one, a number of steps, is left and `go`
/// holds.
static ValueRange
buildSteps(Scalars &s, ValueRange init,
           function_ref<Value(Scalars &, ValueRange)> go,
           function_ref<SmallVector<Value>(Scalars &, ValueRange)> step) {
  auto loop = scf::WhileOp::create(
      s.b, s.loc, init.getTypes(), init,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars inner(b, loc, s.dtype);
        Value isLeft =
            inner.compare(Compare::Lt, args.back(), inner.number(kMostSteps));
        scf::ConditionOp::create(b, loc, inner.bitAnd(isLeft, go(inner, args)),
                                 args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars inner(b, loc, s.dtype);
        SmallVector<Value> next = step(inner, args.drop_back());
        next.push_back(inner.add(args.back(), inner.number(1)));
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResults();
}

/// P(a, x) / prefix = 1/a (1 + x/(a + 1) (1 + x/(a + 2) (1 + ...))).
static Value buildSeries(Scalars &s, Value a, Value x) {
  Value one = s.number(1), zero = s.number(0);
  ValueRange results = buildSteps(
      s, {one, one, a, zero},
      [](Scalars &s, ValueRange args) {
        return s.compare(Compare::Gt, args[1],
                         s.mul(args[0], s.number(0x1p-54)));
      },
      [&](Scalars &s, ValueRange args) {
        Value place = s.add(args[2], s.number(1));
        Value term = s.mul(args[1], s.divFloat(x, place));
        return SmallVector<Value>{s.add(args[0], term), term, place};
      });
  return s.divFloat(results[0], a);
}

/// Q(a, x) / prefix = 1 / (x + 1 - a - 1(1 - a) / (x + 3 - a - ...)), by
/// Lentz's method.
static Value buildFraction(Scalars &s, Value a, Value x) {
  constexpr double tiny = 1e-290;
  Value one = s.number(1), zero = s.number(0);
  auto keepOff = [&](Scalars &s, Value value) {
    Value isTiny = s.compare(Compare::Lt, s.abs(value), s.number(tiny));
    return s.select(isTiny, s.number(tiny), value);
  };
  Value start = s.add(s.sub(x, a), one);
  Value first = s.divFloat(one, keepOff(s, start));
  // The result, its last factor, C, D, and the denominator.
  ValueRange results = buildSteps(
      s, {first, zero, s.number(1 / tiny), first, start, one},
      [](Scalars &s, ValueRange args) {
        Value change = s.abs(s.sub(args[1], s.number(1)));
        return s.compare(Compare::Gt, change, s.number(0x1p-53));
      },
      [&](Scalars &s, ValueRange args) {
        // The number of the step is half of what the denominator has grown by.
        Value denominator = s.add(args[4], s.number(2));
        Value step = s.mul(s.sub(denominator, start), s.number(0.5));
        Value numerator = s.mul(step, s.sub(a, step));
        Value d = keepOff(s, s.add(s.mul(numerator, args[3]), denominator));
        d = s.divFloat(s.number(1), d);
        Value c =
            keepOff(s, s.add(denominator, s.divFloat(numerator, args[2])));
        Value factor = s.mul(c, d);
        return SmallVector<Value>{s.mul(args[0], factor), factor, c, d,
                                  denominator};
      });
  return results[0];
}

/// The lesser of P and Q where a is large, and x near it.
static Value buildTemme(Scalars &s, Value a, Value x) {
  Value distance = s.divFloat(s.sub(x, a), a);
  Value square = s.mul(s.number(-2), buildLog1pLess(s, distance));
  Value magnitude =
      math::SqrtOp::create(s.b, s.loc, s.max(square, s.number(0)));
  Value eta = math::CopySignOp::create(s.b, s.loc, magnitude, distance);
  Value exponent = s.mul(s.mul(a, s.number(0.5)), s.mul(eta, eta));
  Value root = math::SqrtOp::create(s.b, s.loc, exponent);
  Value normal = s.mul(s.number(0.5), math::ErfcOp::create(s.b, s.loc, root));
  Value c0 =
      buildPolynomial(s, eta,
                      {-1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864, 1.0 / 2835,
                       -139.0 / 777600, 1.0 / 25515, -571.0 / 261273600});
  Value c1 = buildPolynomial(
      s, eta, {-1.0 / 540, -1.0 / 288, 1.0 / 378, -77.0 / 77760});
  Value sum = s.add(c0, s.divFloat(c1, a));
  Value scale = math::SqrtOp::create(s.b, s.loc, s.mul(a, s.number(2 * M_PI)));
  Value rest = s.mul(s.divFloat(buildExp(s, s.neg(exponent)), scale), sum);
  // The upper one is 1/2 erfc + rest, the lower one has the other sign.
  Value isUpper = s.compare(Compare::Ge, distance, s.number(0));
  return s.add(normal, s.select(isUpper, rest, s.neg(rest)));
}

/// P(a, x), or Q(a, x).
template <bool isUpper>
static Value buildIncompleteGamma(Scalars &s, Value a, Value x) {
  Value zero = s.number(0), one = s.number(1), infinity = s.highest();
  auto is = [&](Compare kind, Value value, Value other) {
    return s.compare(kind, value, other);
  };
  // Elsewhere the sums stop soon.
  Value isUsual = s.bitAnd(
      s.bitAnd(is(Compare::Gt, a, zero), is(Compare::Gt, x, zero)),
      s.bitAnd(is(Compare::Lt, a, infinity), is(Compare::Lt, x, infinity)));
  Value usualA = s.select(isUsual, a, one), usualX = s.select(isUsual, x, one);
  Value isLarge = is(Compare::Gt, usualA, s.number(kLarge));
  Value shortA = s.select(isLarge, one, usualA);
  Value shortX = s.select(isLarge, one, usualX);
  // Which of them is computed, and which is 1 less that one.
  Value byFraction = is(Compare::Gt, shortX, s.add(shortA, one));
  Value seriesX = s.select(byFraction, zero, shortX);
  Value fractionX =
      s.select(byFraction, shortX, s.add(s.add(shortA, shortA), s.number(64)));
  Value prefix = buildPrefix(s, shortA, shortX);
  Value part =
      s.mul(prefix, s.select(byFraction, buildFraction(s, shortA, fractionX),
                             buildSeries(s, shortA, seriesX)));
  part = s.select(isLarge, buildTemme(s, usualA, usualX), part);
  Value isUpperPart =
      s.select(isLarge, is(Compare::Ge, usualX, usualA), byFraction);
  Value other = s.sub(one, part);
  Value result = isUpper ? s.select(isUpperPart, part, other)
                         : s.select(isUpperPart, other, part);
  // The limits: of no x at all, of every a, of every x.
  Value none = isUpper ? one : zero, all = isUpper ? zero : one;
  Value nan = s.number(NAN);
  Value aIsInfinite = is(Compare::Eq, a, infinity);
  Value xIsInfinite = is(Compare::Eq, x, infinity);
  result = s.select(xIsInfinite, all, result);
  result = s.select(aIsInfinite, s.select(xIsInfinite, nan, none), result);
  result = s.select(is(Compare::Eq, x, zero), none, result);
  Value isPositive = is(Compare::Gt, x, zero);
  result = s.select(is(Compare::Eq, a, zero), s.select(isPositive, all, nan),
                    result);
  Value isBad =
      s.bitOr(s.bitOr(is(Compare::Lt, a, zero), is(Compare::Lt, x, zero)),
              s.bitOr(s.isNan(a), s.isNan(x)));
  return s.select(isBad, nan, result);
}

template <bool isUpper>
static void lowerIncompleteGamma(Lowering &op) {
  lowerDoublePair(op, op.operand("self"), op.operand("other"),
                  buildIncompleteGamma<isUpper>);
}

void addIncompleteGamma(LoweringTable &table) {
  for (StringRef name : {"igamma", "special_gammainc"})
    table.add(("aten." + name + ".default").str(), lowerIncompleteGamma<false>);
  for (StringRef name : {"igammac", "special_gammaincc"})
    table.add(("aten." + name + ".default").str(), lowerIncompleteGamma<true>);
}

} // namespace tally::import_pt2
