//===- Gamma.cpp - The gamma function and the error function's inverse ----===//
//
// Computed in f64, whose results are rounded to the type, but for erfinv.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

Value buildLog(const Scalars &s, Value x) {
  return math::LogOp::create(s.b, s.loc, x);
}

Value buildExp(const Scalars &s, Value x) {
  return math::ExpOp::create(s.b, s.loc, x);
}

Value buildMultiplyAdd(const Scalars &s, Value x, Value y, Value z) {
  constexpr auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(s.b, s.loc, x, y, contract);
  return arith::AddFOp::create(s.b, s.loc, product, z, contract);
}

Value buildPolynomial(const Scalars &s, Value x, ArrayRef<double> c) {
  Value sum = s.number(c.back());
  for (double factor : llvm::reverse(c.drop_back()))
    sum = buildMultiplyAdd(s, sum, x, s.number(factor));
  return sum;
}

/// The difference of x and the nearest integer, exactly; near 0 it is x.
static Value buildFraction(const Scalars &s, Value x) {
  return s.sub(x, math::RoundEvenOp::create(s.b, s.loc, x));
}

//===----------------------------------------------------------------------===//
// Gamma
//===----------------------------------------------------------------------===//

/// The factor of gamma(x) that is a sum of quotients in Lanczos' approximation,
/// as one quotient of two polynomials, none of whose factors is negative.
static Value buildLanczosQuotient(const Scalars &s, Value x) {
  // Beyond, the quotient is 1, and powers stay numbers.
  Value bounded = s.min(x, s.number(1e18));
  Value above = buildPolynomial(
      s, bounded,
      {0x1.a037f53e1fe8fp+21, 0x1.fc1a9f213adebp+21, 0x1.0f59035b1f7b8p+21,
       0x1.4b323672b505ep+19, 0x1.f943422ef05adp+16, 0x1.ed470b2ce188dp+13,
       0x1.2cf5638e38a0ep+10, 0x1.a3aaaaaaab049p+5, 0x1.ffffffffff950p-1});
  // x (x + 1) ... (x + 7).
  Value below = buildPolynomial(
      s, bounded, {0, 5040, 13068, 13132, 6769, 1960, 322, 28, 1});
  return s.divFloat(above, below);
}

/// For x >= 1/2 gamma(x) is t^(x - 1/2) exp(-t) sqrt(2 pi) times a quotient,
/// where t = x + 13/2; below, gamma(x) is pi / (sin(pi x) gamma(1 - x)). The
/// logarithms of the sine and of the quotient are one.
Value buildLogGamma(Scalars &s, Value x) {
  Value isSmall = s.compare(Compare::Lt, x, s.number(0.5));
  Value mirrored = s.select(isSmall, s.sub(s.number(1), x), x);
  Value fraction = buildFraction(s, x);
  Value sine =
      s.abs(math::SinOp::create(s.b, s.loc, s.mul(fraction, s.number(M_PI))));
  Value quotient = buildLanczosQuotient(s, mirrored);
  Value logQuotient =
      buildLog(s, s.select(isSmall, s.mul(quotient, sine), quotient));
  Value t = s.add(mirrored, s.number(6.5));
  Value log = s.sub(s.mul(s.sub(mirrored, s.number(0.5)), buildLog(s, t)), t);
  log = s.add(s.add(log, s.number(0.5 * std::log(2 * M_PI))), logQuotient);
  Value reflected = s.sub(s.number(std::log(M_PI)), log);
  Value isPole = s.compare(Compare::Eq, fraction, s.number(0));
  log = s.select(isSmall, s.select(isPole, s.highest(), reflected), log);
  Value isInfinite = s.compare(Compare::Eq, s.abs(x), s.highest());
  log = s.select(isInfinite, s.highest(), log);
  // That of 1 and of 2 is 0, where the sum may have a last digit.
  Value distance = s.abs(s.sub(x, s.number(1.5)));
  return s.select(s.compare(Compare::Eq, distance, s.number(0.5)), s.number(0),
                  log);
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

/// x with erf(x) = y. Beyond 1 the logarithm is no number.
static Value buildErfInverse(Scalars &s, Value y) {
  Value one = s.number(1);
  Value rest = s.mul(s.sub(one, y), s.add(one, y));
  return s.mul(y, buildErfInverseRatio(s, s.neg(buildLog(s, rest))));
}

/// The same of an f32. The ratio is the sum of the first factor of a polynomial
/// and of the others; the first one is rounded by what is added to these. The
/// logarithm is that of 4 (1 - y^2), which is nearer to 0, and so rounded
/// less, where the ratio depends on it most.
static Value buildSingleErfInverse(Scalars &s, Value y) {
  // 1 - y^2, by the number whose square is the smaller part of it: `away` is
  // exact from 1/2 on.
  Value near = s.abs(y), away = s.sub(s.number(1), near);
  Value isNear = s.compare(Compare::Lt, near, s.number(0.5));
  Value squared = s.select(isNear, near, away);
  Value rest =
      buildMultiplyAdd(s, s.neg(squared), squared,
                       s.select(isNear, s.number(1), s.add(away, away)));
  Value w = s.neg(buildLog(s, s.mul(rest, s.number(4))));
  Value start =
      buildPolynomial(s, w,
                      {0x1.001504p-2f, 0x1.a53cb8p-10f, -0x1.1c684cp-9f,
                       0x1.56b8aep-13f, 0x1.c1cbdep-16f, -0x1.61992cp-18f,
                       -0x1.1a7666p-23f, 0x1.dab99ap-24f, -0x1.2ab2f6p-27f});
  // The square root of -log(1 - y^2) is infinite where that is.
  Value root = math::SqrtOp::create(s.b, s.loc, s.add(w, s.number(2 * M_LN2)));
  Value distance = s.sub(root, s.number(3));
  Value end =
      buildPolynomial(s, distance,
                      {0x1.006dcap+0f, 0x1.35814ep-7f, -0x1.f4c520p-8f,
                       0x1.748dc8p-8f, -0x1.d571a2p-9f, 0x1.8754c2p-10f,
                       -0x1.5a6eaap-14f, -0x1.4bd816p-12f, 0x1.120916p-13f});
  start = buildMultiplyAdd(s, start, w, s.number(-0x1.f19b16p-25f));
  end = s.mul(end, distance);
  Value isStart = s.compare(Compare::Lt, w, s.number(5 - 2 * M_LN2));
  Value first =
      s.select(isStart, s.number(0x1.393e8ep+0f), s.number(0x1.6a9efcp+1f));
  Value x =
      buildMultiplyAdd(s, y, first, s.mul(y, s.select(isStart, start, end)));
  return math::CopySignOp::create(s.b, s.loc, x, y);
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
  // A polynomial with the factors of the part that p is in: three of them take
  // longer, and wait for no less.
  auto choose = [&](ArrayRef<double> middle, ArrayRef<double> near,
                    ArrayRef<double> far) {
    Value sum;
    for (auto [inMiddle, inNear, inFar] : llvm::zip(
             llvm::reverse(middle), llvm::reverse(near), llvm::reverse(far))) {
      Value ofTail = s.select(isNear, s.number(inNear), s.number(inFar));
      Value factor = s.select(isMiddle, s.number(inMiddle), ofTail);
      sum = sum ? buildMultiplyAdd(s, sum, z, factor) : factor;
    }
    return sum;
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
  Tensor in = op.tensor("self");
  if (in.dtype == Dtype::F64) {
    lowerInDouble<buildErfInverse>(op);
    return;
  }
  op.result(op.map(
      {in}, Dtype::F32, Dtype::F32,
      [](Scalars &s, ArrayRef<Value> args) {
        return buildSingleErfInverse(s, args[0]);
      },
      std::nullopt, op.resultDtype(0, getFloatDtype(in.dtype))));
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
  addPolygamma(table);
  addPolynomials(table);
  addSignalWindows(table);
  addZeta(table);
}

} // namespace tally::import_pt2
