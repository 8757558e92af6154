//===- Gamma.cpp - The gamma function and the error function's inverse ----===//
//
// Computed in f64, whose results are rounded to the type.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

using Unary = Value (*)(Scalars &s, Value x);

Value buildLog(const Scalars &s, Value x) {
  return math::LogOp::create(s.b, s.loc, x);
}

Value buildExp(const Scalars &s, Value x) {
  return math::ExpOp::create(s.b, s.loc, x);
}

Value buildPolynomial(const Scalars &s, Value x, ArrayRef<double> c) {
  constexpr auto contract = arith::FastMathFlags::contract;
  Value sum = s.number(c.back());
  for (double factor : llvm::reverse(c.drop_back())) {
    sum = arith::MulFOp::create(s.b, s.loc, sum, x, contract);
    sum = arith::AddFOp::create(s.b, s.loc, sum, s.number(factor), contract);
  }
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

Value buildLogGamma(Scalars &s, Value x) {
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

Value buildDigamma(Scalars &s, Value x) {
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

/// x / y with erf(x) = y, from z = -log(1 - y^2), for an f64: polynomials
/// (Remez) of z, or of its root. The last one is infinite where z is.
static Value buildErfInverseRatio(Scalars &s, Value z) {
  Value root = math::SqrtOp::create(s.b, s.loc, z);
  Value start = buildPolynomial(
      s, s.sub(z, s.number(3.125)),
      {0x1.a755e7c99ae86p0,    0x1.ebd80d9b13df7p-3,   -0x1.8b6c33114ee40p-8,
       -0x1.8457694834117p-11, 0x1.879c2a20d6bd7p-13,  -0x1.d1d1f7cb07a04p-17,
       -0x1.6e8a53ee36c75p-20, 0x1.c6b4f8af22141p-22,  -0x1.f36ce541b62e7p-26,
       -0x1.1a9eb6f0ea958p-28, 0x1.20f4eb23c6084p-30,  -0x1.dc3dd35ce850bp-35,
       -0x1.c8960c36f20b3p-37, 0x1.723085007d4d3p-39,  -0x1.6d8ec3ac07bfap-44,
       -0x1.68323f34fec7ep-45, 0x1.db32c84a2af36p-48,  -0x1.8b527714aca39p-55,
       -0x1.2bd996dcd6d4bp-53, 0x1.22b5e35fc018ep-56,  0x1.51c58cfa9b0fbp-60,
       -0x1.a61ad6a576ec1p-62, -0x1.30fc60e86dc76p-70, 0x1.fe183e9b58b9ep-69});
  Value middle = buildPolynomial(
      s, s.sub(root, s.number(3.25)),
      {0x1.8abcc380d5a48p1,    0x1.0158a6d641d55p0,    0x1.5ffcfe5b6d637p-8,
       -0x1.ebadabba06b15p-9,  0x1.468eeca900d5ap-9,   -0x1.ba9240d784f96p-10,
       0x1.f3cc54764669bp-11,  -0x1.7448bcfd053e5p-12, 0x1.932e6bb209f42p-16,
       0x1.1e6ac1f3f0b7bp-14,  -0x1.8cf3ea52efc23p-15, 0x1.a240f48353464p-17,
       0x1.897bed5e2540ap-19,  -0x1.0b759b2d2f04ap-18, 0x1.8e506a183b179p-20,
       -0x1.e11f44ffcb67dp-26, -0x1.0b3ab5692998cp-22, 0x1.1b48a6088d328p-23,
       -0x1.36e515850527bp-26, -0x1.08f135c529d2ap-26, 0x1.cb3c89710b171p-28});
  Value end = buildPolynomial(
      s, s.sub(root, s.number(5.125)),
      {0x1.3e79eb73b06f4p2, 0x1.02a027c1f3379p0, -0x1.bdda7d4bfe0bap-13,
       -0x1.795c0dd76c4fbp-13, 0x1.0f552c13888fep-14, -0x1.16550c980bfa1p-16,
       0x1.f6fdd2967c2c4p-19, -0x1.ab7c15b964285p-21, 0x1.6bacea87113cdp-23,
       -0x1.64891e275baefp-25, 0x1.f229e522bb98ap-27, -0x1.e66e4c4bd58c0p-28,
       0x1.efd107cf06cfcp-29, -0x1.c22ca44a8b546p-30, 0x1.ad1643e3f7363p-31,
       -0x1.74df511998e3ep-32, 0x1.4c0d8de31d527p-35, 0x1.a1e1b704155d7p-36});
  Value ratio =
      s.select(s.compare(Compare::Lt, z, s.number(6.25)), start, middle);
  return s.select(s.compare(Compare::Lt, z, s.number(16.5)), ratio, end);
}

/// The same, as exact as an f32 needs.
static Value buildShortErfInverseRatio(Scalars &s, Value z) {
  Value root = math::SqrtOp::create(s.b, s.loc, z);
  Value start = buildPolynomial(
      s, s.sub(z, s.number(3.125)),
      {0x1.a755e7dcda82cp0, 0x1.ebd80b848d08dp-3, -0x1.8b6cc9d790750p-8,
       -0x1.8452a947f11a4p-11, 0x1.87b3afc45a3dap-13, -0x1.d29adee95b6b6p-17,
       -0x1.73dcd45e11721p-20, 0x1.cdf22b35d15f3p-22, -0x1.ae09e3be84d43p-26,
       -0x1.5d7168c211ddep-28, 0x1.71f78fd075ad0p-31, 0x1.3e48477d21fa7p-36});
  Value end = buildPolynomial(s, s.sub(root, s.number(3.25)),
                              {0x1.8abcc36f4588fp1, 0x1.0158a63247674p0,
                               0x1.60077a06f8436p-8, -0x1.eb8b7fe4b4c3fp-9,
                               0x1.45895f914edefp-9, -0x1.bc4e7bd658b11p-10,
                               0x1.030fe76697d2ap-10, -0x1.65f18c978fde1p-12,
                               -0x1.62c13210f1f90p-15, 0x1.11ef1b1385f69p-14});
  return s.select(s.compare(Compare::Lt, z, s.number(6.25)), start, end);
}

/// x with erf(x) = y. Beyond 1 the logarithm is no number.
template <Unary ratio>
static Value buildErfInverse(Scalars &s, Value y) {
  Value one = s.number(1);
  Value rest = s.mul(s.sub(one, y), s.add(one, y));
  return s.mul(y, ratio(s, s.neg(buildLog(s, rest))));
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

/// x with a probability p that a normal variable is less: quotients of
/// polynomials by Wichura (Applied Statistics 37, 1988, AS 241), within a few
/// units in the last place of an f64. Near a half they are of p, elsewhere of
/// the root of the logarithm of what the tail has.
static Value buildNormalQuantile(Scalars &s, Value p) {
  Value half = s.number(0.5), one = s.number(1);
  Value offset = s.sub(p, half);
  Value isMiddle = s.compare(Compare::Le, s.abs(offset), s.number(0.425));
  Value isUpper = s.compare(Compare::Gt, offset, s.number(0));
  Value tail = s.select(isUpper, s.sub(one, p), p);
  Value root = math::SqrtOp::create(s.b, s.loc, s.neg(buildLog(s, tail)));
  Value isNear = s.compare(Compare::Le, root, s.number(5));
  Value start = s.select(isNear, s.number(1.6), s.number(5));
  Value z = s.select(isMiddle, s.sub(s.number(0.180625), s.mul(offset, offset)),
                     s.sub(root, start));
  // One division, whichever polynomials it is of.
  auto choose = [&](ArrayRef<double> middle, ArrayRef<double> near,
                    ArrayRef<double> far) {
    Value ofTail = s.select(isNear, buildPolynomial(s, z, near),
                            buildPolynomial(s, z, far));
    return s.select(isMiddle, buildPolynomial(s, z, middle), ofTail);
  };
  Value upper = choose({3.3871328727963666080e0, 1.3314166789178437745e2,
                        1.9715909503065514427e3, 1.3731693765509461125e4,
                        4.5921953931549871457e4, 6.7265770927008700853e4,
                        3.3430575583588128105e4, 2.5090809287301226727e3},
                       {1.42343711074968357734e0, 4.63033784615654529590e0,
                        5.76949722146069140550e0, 3.64784832476320460504e0,
                        1.27045825245236838258e0, 2.41780725177450611770e-1,
                        2.27238449892691845833e-2, 7.74545014278341407640e-4},
                       {6.65790464350110377720e0, 5.46378491116411436990e0,
                        1.78482653991729133580e0, 2.96560571828504891230e-1,
                        2.65321895265761230930e-2, 1.24266094738807843860e-3,
                        2.71155556874348757815e-5, 2.01033439929228813265e-7});
  Value lower = choose({1, 4.2313330701600911252e1, 6.8718700749205790830e2,
                        5.3941960214247511077e3, 2.1213794301586595867e4,
                        3.9307895800092710610e4, 2.8729085735721942674e4,
                        5.2264952788528545610e3},
                       {1, 2.05319162663775882187e0, 1.67638483018380384940e0,
                        6.89767334985100004550e-1, 1.48103976427480074590e-1,
                        1.51986665636164571966e-2, 5.47593808499534494600e-4,
                        1.05075007164441684324e-9},
                       {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
                        1.48753612908506148525e-2, 7.86869131145613259100e-4,
                        1.84631831751005468180e-5, 1.42151175831644588870e-7,
                        2.04426310338993978564e-15});
  Value quotient = s.divFloat(upper, lower);
  Value ofTail = s.select(isUpper, quotient, s.neg(quotient));
  Value result = s.select(isMiddle, s.mul(offset, quotient), ofTail);
  result = s.select(s.compare(Compare::Eq, p, s.number(0)), s.lowest(), result);
  result = s.select(s.compare(Compare::Eq, p, one), s.highest(), result);
  Value isOutside = s.bitOr(s.compare(Compare::Lt, p, s.number(0)),
                            s.compare(Compare::Gt, p, one));
  return s.select(isOutside, s.number(NAN), result);
}

/// exp(x^2) erfc(x), whose square is computed to twice as many digits.
static Value buildScaledErfc(Scalars &s, Value x) {
  Value square = s.mul(x, x);
  Value rest = s.fma(x, x, s.neg(square));
  Value erfc = math::ErfcOp::create(s.b, s.loc, x);
  Value near =
      s.mul(s.mul(buildExp(s, square), erfc), s.add(rest, s.number(1)));
  // By the series where x is large: 1, -1/2, 3/4, -15/8, ... of 1 / x^2.
  Value z = s.divFloat(s.number(1), square);
  Value far = s.mul(s.divFloat(s.number(M_2_SQRTPI / 2), x),
                    buildPolynomial(s, z,
                                    {1, -0.5, 0.75, -1.875, 6.5625, -29.53125,
                                     162.421875, -1055.7421875}));
  Value result = s.select(s.compare(Compare::Gt, x, s.number(25)), far, near);
  return s.select(s.compare(Compare::Lt, x, s.number(-27)), s.highest(),
                  result);
}

void lowerDouble(Lowering &op, function_ref<Value(Scalars &s, Value x)> fn) {
  Tensor in = op.tensor(op.has("self") ? "self" : "x");
  Dtype type = getFloatDtype(in.dtype);
  op.result(op.map(
      {in}, Dtype::F64, Dtype::F64,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); },
      std::nullopt, op.resultDtype(0, type)));
}

void lowerDoublePair(Lowering &op, Operand x, Operand y,
                     function_ref<Value(Scalars &s, Value x, Value y)> fn) {
  SmallVector<Operand> operands{std::move(x), std::move(y)};
  Dtype type = getFloatDtype(getResultType(operands));
  roundTo(type, operands);
  op.result(op.map(
      operands, Dtype::F64, Dtype::F64,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0], args[1]); },
      std::nullopt, op.resultDtype(0, type)));
}

static void lowerErfInverse(Lowering &op) {
  if (op.tensor("self").dtype == Dtype::F64)
    lowerInDouble<buildErfInverse<buildErfInverseRatio>>(op);
  else
    lowerInDouble<buildErfInverse<buildShortErfInverseRatio>>(op);
}

void addGamma(LoweringTable &table) {
  table.add("aten.lgamma.default", lowerInDouble<buildLogGamma>);
  table.add("aten.special_gammaln.default", lowerInDouble<buildLogGamma>);
  table.add("aten.digamma.default", lowerInDouble<buildDigamma>);
  table.add("aten.special_digamma.default", lowerInDouble<buildDigamma>);
  table.add("aten.special_psi.default", lowerInDouble<buildDigamma>);
  table.add("aten.mvlgamma.default", lowerMultivariate);
  table.add("aten.special_multigammaln.default", lowerMultivariate);
  table.add("aten.erfinv.default", lowerErfInverse);
  table.add("aten.special_erfinv.default", lowerErfInverse);
  table.add("aten.special_log_ndtr.default", lowerInDouble<buildLogNormalCdf>);
  table.add("aten.special_ndtri.default", lowerInDouble<buildNormalQuantile>);
  table.add("aten.special_erfcx.default", lowerInDouble<buildScaledErfc>);
  addBessel(table);
  addIncompleteGamma(table);
  addPolynomials(table);
  addSignalWindows(table);
  addZeta(table);
}

} // namespace tally::import_pt2
