//===- Gamma.cpp - The gamma function and the error function's inverse ----===//
//
// Computed in f64, whose results are rounded to the type.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

static Value buildLog(const Scalars &s, Value x) {
  return math::LogOp::create(s.b, s.loc, x);
}

/// c[0] + c[1] x + c[2] x^2 + ...
static Value buildPolynomial(const Scalars &s, Value x, ArrayRef<double> c) {
  Value sum = s.number(c.back());
  for (double factor : llvm::reverse(c.drop_back()))
    sum = s.add(s.mul(sum, x), s.number(factor));
  return sum;
}

/// The difference of x and the nearest integer, exactly; near 0 it is x.
static Value buildFraction(const Scalars &s, Value x) {
  return s.sub(x, math::RoundEvenOp::create(s.b, s.loc, x));
}

//===----------------------------------------------------------------------===//
// Gamma
//===----------------------------------------------------------------------===//

/// log(gamma(x)) for x >= 1/2, by Lanczos' approximation.
static Value buildLogGammaOfLarge(const Scalars &s, Value x) {
  static constexpr double factors[] = {
      676.5203681218851,     -1259.1392167224028,  771.32342877765313,
      -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
      9.9843695780195716e-6, 1.5056327351493116e-7};
  Value y = s.sub(x, s.number(1));
  Value sum = s.number(0.99999999999980993);
  for (auto [i, factor] : llvm::enumerate(factors))
    sum = s.add(
        sum, s.divFloat(s.number(factor), s.add(y, s.number(double(i + 1)))));
  Value t = s.add(y, s.number(7.5));
  Value log = s.sub(s.mul(s.add(y, s.number(0.5)), buildLog(s, t)), t);
  log = s.add(s.add(log, s.number(0.5 * std::log(2 * M_PI))), buildLog(s, sum));
  return s.select(s.compare(Compare::Eq, x, s.highest()), x, log);
}

static Value buildLogGamma(Scalars &s, Value x) {
  Value isSmall = s.compare(Compare::Lt, x, s.number(0.5));
  Value mirrored = s.select(isSmall, s.sub(s.number(1), x), x);
  Value log = buildLogGammaOfLarge(s, mirrored);
  // log(pi / |sin(pi x)|) - log(gamma(1 - x)), which at integers is infinite.
  Value angle = s.mul(buildFraction(s, x), s.number(M_PI));
  Value sine = math::SinOp::create(s.b, s.loc, angle);
  Value reflected =
      s.sub(s.sub(s.number(std::log(M_PI)), buildLog(s, s.abs(sine))), log);
  Value isPole = s.compare(Compare::Eq, buildFraction(s, x), s.number(0));
  isPole = s.bitOr(isPole, s.compare(Compare::Eq, x, s.lowest()));
  return s.select(isSmall, s.select(isPole, s.highest(), reflected), log);
}

/// The derivative of log(gamma(x)) for x > 0: by its series, ten steps further.
static Value buildDigammaOfPositive(const Scalars &s, Value x) {
  Value sum = s.number(0), one = s.number(1);
  for (int step = 0; step < 10; ++step) {
    Value isSmall = s.compare(Compare::Lt, x, s.number(10));
    Value next = s.sub(sum, s.divFloat(one, x));
    sum = s.select(isSmall, next, sum);
    x = s.select(isSmall, s.add(x, one), x);
  }
  Value z = s.divFloat(one, s.mul(x, x));
  Value series =
      buildPolynomial(s, z,
                      {8.33333333333333333333E-2, -8.33333333333333333333E-3,
                       3.96825396825396825397E-3, -4.16666666666666666667E-3,
                       7.57575757575757575758E-3, -2.10927960927960927961E-2,
                       8.33333333333333333333E-2});
  Value half = s.divFloat(s.number(0.5), x);
  Value tail = s.sub(s.sub(buildLog(s, x), half), s.mul(z, series));
  return s.add(sum, tail);
}

static Value buildDigamma(Scalars &s, Value x) {
  Value zero = s.number(0);
  Value isNegative = s.compare(Compare::Lt, x, zero);
  Value mirrored = s.select(isNegative, s.sub(s.number(1), x), x);
  Value plain = buildDigammaOfPositive(s, mirrored);
  Value fraction = buildFraction(s, x);
  Value tangent =
      math::TanOp::create(s.b, s.loc, s.mul(fraction, s.number(M_PI)));
  Value reflected = s.sub(plain, s.divFloat(s.number(M_PI), tangent));
  // There is none at the integers below 0; at 0 it is infinite.
  Value isPole = s.compare(Compare::Eq, fraction, zero);
  reflected = s.select(isPole, s.number(NAN), reflected);
  Value result = s.select(isNegative, reflected, plain);
  Value infinite = math::CopySignOp::create(s.b, s.loc, s.highest(), s.neg(x));
  return s.select(s.compare(Compare::Eq, x, zero), infinite, result);
}

/// log(gamma_p(x)), the multivariate one.
static void lowerMultivariate(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t p = op.integer("p", 1);
  if (p < 1 || p > kMaxRepetitions) {
    (void)op.error("the dimension must be from 1 to " + Twine(kMaxRepetitions));
    return;
  }
  op.result(op.map(
      {in}, Dtype::F64, Dtype::F64,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value sum = s.number(double(p * (p - 1)) / 4 * std::log(M_PI));
        for (int64_t i = 0; i < p; ++i)
          sum = s.add(
              sum, buildLogGamma(s, s.sub(args[0], s.number(double(i) / 2))));
        return sum;
      },
      std::nullopt, op.resultDtype()));
}

//===----------------------------------------------------------------------===//
// The normal distribution
//===----------------------------------------------------------------------===//

/// x with erf(x) = y: a rational approximation, and two steps of Newton's.
static Value buildErfInverse(Scalars &s, Value y) {
  Value size = s.abs(y), one = s.number(1), z = s.mul(y, y);
  Value middle = s.divFloat(
      s.mul(y,
            buildPolynomial(
                s, z, {0.886226899, -1.645349621, 0.914624893, -0.140543331})),
      buildPolynomial(
          s, z, {1, -2.118377725, 1.442710462, -0.329097515, 0.012229801}));
  Value rest = buildLog(s, s.mul(s.sub(one, size), s.number(0.5)));
  z = math::SqrtOp::create(s.b, s.loc, s.neg(rest));
  Value tail = s.divFloat(
      buildPolynomial(s, z,
                      {-1.970840454, -1.624906493, 3.429567803, 1.641345311}),
      buildPolynomial(s, z, {1, 3.543889200, 1.637067800}));
  tail = math::CopySignOp::create(s.b, s.loc, tail, y);
  Value isMiddle = s.compare(Compare::Le, size, s.number(0.7));
  Value x = s.select(isMiddle, middle, tail);
  for (int step = 0; step < 2; ++step) {
    Value gap = s.sub(math::ErfOp::create(s.b, s.loc, x), y);
    Value slope = s.mul(s.number(M_2_SQRTPI),
                        math::ExpOp::create(s.b, s.loc, s.neg(s.mul(x, x))));
    x = s.sub(x, s.divFloat(gap, slope));
  }
  Value infinite = math::CopySignOp::create(s.b, s.loc, s.highest(), y);
  x = s.select(s.compare(Compare::Eq, size, one), infinite, x);
  return s.select(s.compare(Compare::Gt, size, one), s.number(NAN), x);
}

/// The logarithm of how probable it is that a normal variable is less than x.
static Value buildLogNormalCdf(Scalars &s, Value x) {
  Value scaled = s.mul(x, s.number(-M_SQRT1_2));
  Value lower = math::ErfcOp::create(s.b, s.loc, scaled);
  Value upper = math::ErfcOp::create(s.b, s.loc, s.neg(scaled));
  Value half = s.number(0.5);
  // Where x is far below, by the series.
  Value z = s.divFloat(s.number(1), s.mul(x, x));
  Value series = buildPolynomial(s, z, {0, -1, 3, -15, 105});
  Value far =
      s.sub(s.neg(s.mul(half, s.mul(x, x))),
            s.add(buildLog(s, s.neg(x)), s.number(0.5 * std::log(2 * M_PI))));
  far = s.add(far, math::Log1pOp::create(s.b, s.loc, series));
  Value below = s.select(s.compare(Compare::Lt, x, s.number(-20)), far,
                         buildLog(s, s.mul(half, lower)));
  Value above = math::Log1pOp::create(s.b, s.loc, s.neg(s.mul(half, upper)));
  Value result =
      s.select(s.compare(Compare::Lt, x, s.number(-1)), below, above);
  return s.select(s.compare(Compare::Eq, x, s.lowest()), x, result);
}

using Unary = Value (*)(Scalars &s, Value x);

template <Unary fn>
static void lowerInDouble(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype type = getFloatDtype(in.dtype);
  op.result(op.map(
      {in}, Dtype::F64, Dtype::F64,
      [](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); },
      std::nullopt, op.resultDtype(0, type)));
}

void addGamma(LoweringTable &table) {
  table.add("aten.lgamma.default", lowerInDouble<buildLogGamma>);
  table.add("aten.special_gammaln.default", lowerInDouble<buildLogGamma>);
  table.add("aten.digamma.default", lowerInDouble<buildDigamma>);
  table.add("aten.special_digamma.default", lowerInDouble<buildDigamma>);
  table.add("aten.special_psi.default", lowerInDouble<buildDigamma>);
  table.add("aten.mvlgamma.default", lowerMultivariate);
  table.add("aten.special_multigammaln.default", lowerMultivariate);
  table.add("aten.erfinv.default", lowerInDouble<buildErfInverse>);
  table.add("aten.special_erfinv.default", lowerInDouble<buildErfInverse>);
  table.add("aten.special_log_ndtr.default", lowerInDouble<buildLogNormalCdf>);
}

} // namespace tally::import_pt2
