//===- ExpandMath.cpp - Math functions as arithmetic ----------------------===//
//
// See the description of the pass in Passes.td.
//
// Every function is a reduction of its argument to a small interval and a
// polynomial there, without a branch, so that LLVM's vectorizer takes it. The
// polynomials are minimax in relative error (Lawson's iteration); the
// reductions follow W. J. Cody and W. Waite, "Software Manual for the
// Elementary Functions", 1980. Products whose sums may be fused are marked
// `contract`: processors with fused multiply-add use it, and others compute two
// roundings. Constants of the reductions have trailing zeros, so that their
// products are exact either way.
//
//===----------------------------------------------------------------------===//

#include "FloatPair.h"
#include "PatternPass.h"

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tally {
#define GEN_PASS_DEF_EXPANDMATH
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

using Unary = Value (*)(FloatBuilder &, Value);
using Binary = Value (*)(FloatBuilder &, Value, Value);

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

namespace {
/// 2^n (1 + fraction), with n as an integer.
struct Exponential {
  Value fraction, exponent;
};
} // namespace

/// p where exp(r) is 1 + r + r^2 p(r), for |r| <= ln(2) / 2.
static Value expandExpPolynomial(FloatBuilder &b, Value r) {
  return b.polynomial(
      {0x1.6db8ep-10f, 0x1.123ebcp-7f, 0x1.555458p-5f, 0x1.55548ap-3f, 0x1p-1f},
      r);
}

/// exp(r) - 1 for |r| <= ln(2) / 2.
static Value expandSmallExpM1(FloatBuilder &b, Value r) {
  return b.fma(b.mul(r, r), expandExpPolynomial(b, r), r);
}

/// exp(x), for x up to 89; below -104 it is any number.
static Exponential expandReducedExp(FloatBuilder &b, Value x) {
  auto [n, exponent] = b.roundQuotient(x, 0x1.715476p0f);
  Value r = b.fma(n, -0x1.62e4p-1f, x);
  r = b.fma(n, -0x1.7f7d1cp-20f, r);
  return {expandSmallExpM1(b, r), exponent};
}

static Value expandExp(FloatBuilder &b, Value x) {
  auto [fraction, exponent] = expandReducedExp(b, b.atMost(x, 89));
  Value y = b.scale(b.add(fraction, b.constant(1)), exponent);
  return b.zeroBelow(x, -104, y);
}

static Value expandExp2(FloatBuilder &b, Value x) {
  Value bounded = b.atMost(x, 129);
  auto [n, exponent] = b.roundQuotient(bounded, 1);
  Value rest = b.mul(b.sub(bounded, n), 0x1.62e430p-1f);
  Value y = b.add(expandSmallExpM1(b, rest), b.constant(1));
  return b.zeroBelow(x, -151, b.scale(y, exponent));
}

/// 2^n (f + 1 - 2^-n) where exp(x) is 2^n (f + 1).
static Value expandExpM1(FloatBuilder &b, Value x) {
  // Below, the result rounds to -1.
  auto [fraction, exponent] = expandReducedExp(b, b.clamp(x, -18, 89));
  Value negative = b.combine<arith::SubIOp>(b.integerConstant(127), exponent);
  // 2^-128 is not normal; 0 is as good.
  Value inverse = b.fromBits(b.combine<arith::ShLIOp>(
      b.combine<arith::MaxSIOp>(negative, b.integerConstant(0)),
      b.integerConstant(23)));
  Value y = b.add(fraction, b.sub(b.constant(1), inverse));
  return b.copySign(b.scale(y, exponent), x);
}

/// exp(2 a) + 1, for a in 0..10, as exact as the hyperbolic tangent needs.
static Value expandTwiceExpP1(FloatBuilder &b, Value a) {
  Value magic = b.constant(b.getMagic());
  Value shifted = b.fma(a, 0x1.715476p1f, magic);
  Value r = b.fma(b.sub(shifted, magic), -0x1.62e43p-2f, a);
  Value p = b.polynomial({0x1.6a56c2p-4f, 0x1.123c9ap-2f, 0x1.5558acp-1f,
                          0x1.55548ep0f, 0x1.fffffcp0f, 2, 1},
                         r);
  // The integer stands in the last bits.
  Value bits =
      b.combine<arith::ShLIOp>(b.getBits(shifted), b.integerConstant(23));
  Value power =
      b.fromBits(b.combine<arith::AddIOp>(bits, b.getBits(b.constant(1))));
  return b.fma(p, power, b.constant(1));
}

static Value expandTanh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), square = b.mul(x, x);
  Value p = b.polynomial({-0x1.76ac1ap-8f, 0x1.5256d8p-6f, -0x1.b84448p-5f,
                          0x1.110768p-3f, -0x1.555534p-2f},
                         square);
  Value small = b.fma(b.mul(square, a), p, a);
  // From 10 on the result is 1.
  Value power = expandTwiceExpP1(b, b.atMost(a, 10));
  Value large = b.sub(b.constant(1), b.div(b.constant(2), power));
  Value isSmall = b.compare(arith::CmpFPredicate::OLT, a, 0.625f);
  return b.copySign(b.select(isSmall, small, large), x);
}

static Value expandErf(FloatBuilder &b, Value x) {
  Value a = b.abs(x), square = b.mul(x, x);
  Value p = b.polynomial({-0x1.395c8ap-11f, 0x1.4716c4p-8f, -0x1.b686eep-6f,
                          0x1.ce1a46p-4f, -0x1.8126e6p-2f, 0x1.06eba6p-3f},
                         square);
  Value small = b.fma(x, p, x);
  // 1 - erf(a) is q(a)^4; from 4 on the result is 1.
  Value q = b.polynomial({-0x1.cfd5ccp-16f, 0x1.143b9ep-12f, 0x1.9b57cp-13f,
                          -0x1.59fc62p-7f, 0x1.3d884ap-5f, -0x1.4e9fep-7f,
                          -0x1.987bacp-4f, -0x1.296abap-2f, 0x1.0063a4p0f},
                         b.atMost(a, 4));
  Value power = b.mul(q, q);
  Value large = b.copySign(b.sub(b.constant(1), b.mul(power, power)), x);
  Value isSmall = b.compare(arith::CmpFPredicate::OLT, a, 0.93f);
  return b.select(isSmall, small, large);
}

/// exp(-a^2), for a in 0..11, is 2^exponent (1 + high + low).
static FloatPair expandGauss(FloatBuilder &b, Value a, Value &exponent) {
  // a^2 is square + more; the product is exact.
  Value most = b.cut(a), square = b.mul(most, most);
  Value more = b.mul(b.sub(a, most), b.add(a, most));
  auto [n, integer] = b.roundQuotient(b.add(square, more), -0x1.715476p0f);
  exponent = integer;
  Value r = b.sub(b.mul(n, -0x1.62e4p-1f), square);
  auto [sum, rest] = addSmaller(b, r, b.sub(b.mul(n, -0x1.7f7d1cp-20f), more));
  auto [fraction, low] =
      addSmaller(b, sum, b.mul(b.mul(sum, sum), expandExpPolynomial(b, sum)));
  return {fraction, b.add(rest, low)};
}

/// For a = |x|, (1 + 2 a) exp(a^2) erfc(a) is a polynomial of a / (a + 2);
/// above 10.25 no f32 is left of erfc(a).
static Value expandErfc(FloatBuilder &b, Value x) {
  Value a = b.atMost(b.abs(x), 10.25f);
  Value u = b.sub(b.div(a, b.add(a, b.constant(2))), b.constant(0.4f));
  Value tail =
      b.polynomialInHalves({-0x1.a6fcfcp-3f, -0x1.09c07p-3f, 0x1.62f6c2p-2f,
                            0x1.745e96p-2f, -0x1.13ffd2p-1f, -0x1.5397p-1f,
                            0x1.9f8de4p+0f, -0x1.1b4598p+0f, -0x1.485fap-7f},
                           u, b.mul(u, u));
  FloatPair p = addSmaller(b, b.constant(0x1.499932p0f), b.mul(tail, u));
  p.low = b.add(p.low, b.constant(0x1.b96e4cp-25f));
  // Of 1 and 2 a, any may be the greater one.
  FloatPair divisor = addExactly(b, b.constant(1), b.add(a, a));
  FloatPair y = dividePairs(b, p, divisor);
  Value exponent;
  FloatPair gauss = expandGauss(b, a, exponent);
  y.low = b.fma(y.high, gauss.low, y.low);
  Value whole = b.add(y.high, y.low);
  Value product = b.add(y.high, b.fma(gauss.high, whole, y.low));
  Value scaled = b.scale(product, exponent);
  Value isNegative = b.compare(arith::CmpFPredicate::OLT, x, 0);
  return b.select(isNegative, b.sub(b.constant(2), scaled), scaled);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// log(x) = log1p(f) + exponent ln(2); log1p(f) is f + rest.
struct Logarithm {
  Value f, rest, exponent;
};
} // namespace

/// For x that is positive and finite.
static Logarithm expandReducedLog(FloatBuilder &b, Value x) {
  Value isSubnormal = b.compare(arith::CmpFPredicate::OLT, x, 0x1p-126f);
  Value normal = b.select(isSubnormal, b.mul(x, 0x1p23f), x);
  Value bits = b.getBits(normal);
  // The fraction lies in sqrt(1/2)..sqrt(2).
  Value exponent = b.combine<arith::ShRSIOp>(
      b.combine<arith::SubIOp>(bits, b.integerConstant(0x3f3504f3)),
      b.integerConstant(23));
  Value fraction = b.combine<arith::SubIOp>(
      bits, b.combine<arith::ShLIOp>(exponent, b.integerConstant(23)));
  Value f = b.sub(b.fromBits(fraction), b.constant(1));
  Value e = b.sub(b.toFloat(exponent),
                  b.select(isSubnormal, b.constant(23), b.constant(0)));
  Value square = b.mul(f, f);
  Value p =
      b.polynomialInHalves({0x1.1b4184p-4f, -0x1.e2e962p-4f, 0x1.e6510ep-4f,
                            -0x1.fb434p-4f, 0x1.2332bap-3f, -0x1.5562e2p-3f,
                            0x1.99a546p-3f, -0x1.ffffeep-3f, 0x1.555546p-2f},
                           f, square);
  Value rest = b.fma(square, -0.5f, b.mul(b.mul(square, f), p));
  return {f, rest, e};
}

static Value expandLog(FloatBuilder &b, Value x) {
  auto [f, rest, exponent] = expandReducedLog(b, x);
  Value y = b.add(b.fma(exponent, -0x1.bd0106p-13f, rest), f);
  return selectSpecialLogs(b, x, b.fma(exponent, 0x1.63p-1f, y));
}

/// log(x) times a constant that is `high + low`; `exponentHigh + exponentLow`
/// is ln(2) times it. The high parts have few bits.
static Value expandScaledLog(FloatBuilder &b, Value x, float high, float low,
                             float exponentHigh, float exponentLow) {
  auto [f, rest, exponent] = expandReducedLog(b, x);
  // f cut to 12 bits, so that its product is exact.
  Value cut = b.fromBits(b.combine<arith::AndIOp>(
      b.getBits(f), b.integerConstant(~int32_t(0xfff))));
  Value tail = b.add(b.sub(f, cut), rest);
  Value y = b.mul(cut, low);
  y = b.fma(tail, high + low, y);
  if (exponentLow != 0)
    y = b.fma(exponent, exponentLow, y);
  y = b.fma(cut, high, y);
  return selectSpecialLogs(b, x, b.fma(exponent, exponentHigh, y));
}

static Value expandLog2(FloatBuilder &b, Value x) {
  return expandScaledLog(b, x, 0x1.714p0f, 0x1.47652cp-12f, 1, 0);
}

static Value expandLog10(FloatBuilder &b, Value x) {
  return expandScaledLog(b, x, 0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.344p-2f,
                         0x1.3509f8p-18f);
}

/// log(1 + x), corrected by what the sum was rounded by.
template <Unary log>
static Value expandLog1p(FloatBuilder &b, Value x) {
  Value sum = b.add(b.constant(1), x);
  Value error = b.sub(x, b.sub(sum, b.constant(1)));
  Value corrected = b.add(log(b, sum), b.div(error, sum));
  Value isRegular = b.compare(arith::CmpFPredicate::OGT, sum, 0);
  Value isInfinite =
      b.compare(arith::CmpFPredicate::OEQ, sum, FloatBuilder::kInfinity);
  Value y =
      b.select(isRegular, corrected, selectSpecialLogs(b, sum, corrected));
  y = b.select(isInfinite, sum, y);
  return b.select(b.compare(arith::CmpFPredicate::OEQ, x, 0), x, y);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// Expands an operation on f32 or f64; null where it stays as it is.
template <typename MathOp, typename Expansion>
struct Expand : OpRewritePattern<MathOp> {
  Expand(MLIRContext *context, Expansion single, Expansion wide)
      : OpRewritePattern<MathOp>(context), single(single), wide(wide) {}

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    Expansion expansion = element.isF32()   ? single
                          : element.isF64() ? wide
                                            : nullptr;
    if (!expansion)
      return rewriter.notifyMatchFailure(op, "has no expansion");
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    if constexpr (std::is_same_v<Expansion, Unary>)
      rewriter.replaceOp(op, expansion(builder, op.getOperand()));
    else
      rewriter.replaceOp(op, expansion(builder, op.getLhs(), op.getRhs()));
    return success();
  }

  Expansion single, wide;
};
} // namespace

template <typename MathOp>
static void addUnary(RewritePatternSet &patterns, Unary single, Unary wide) {
  patterns.add<Expand<MathOp, Unary>>(patterns.getContext(), single, wide);
}

void tally::populateExpandMathPatterns(RewritePatternSet &patterns) {
  addUnary<math::ExpOp>(patterns, expandExp, expandDoubleExp);
  addUnary<math::Exp2Op>(patterns, expandExp2, expandDoubleExp2);
  addUnary<math::ExpM1Op>(patterns, expandExpM1, expandDoubleExpM1);
  addUnary<math::LogOp>(patterns, expandLog, expandDoubleLog);
  addUnary<math::Log2Op>(patterns, expandLog2, expandDoubleLog2);
  addUnary<math::Log10Op>(patterns, expandLog10, expandDoubleLog10);
  addUnary<math::Log1pOp>(patterns, expandLog1p<expandLog>,
                          expandLog1p<expandDoubleLog>);
  addUnary<math::TanhOp>(patterns, expandTanh, expandDoubleTanh);
  addUnary<math::ErfOp>(patterns, expandErf, expandDoubleErf);
  addUnary<math::SinOp>(patterns, expandSin, expandDoubleSin);
  addUnary<math::CosOp>(patterns, expandCos, expandDoubleCos);
  addUnary<math::TanOp>(patterns, expandTan, expandDoubleTan);
  addUnary<math::AsinOp>(patterns, expandAsin, expandAsin);
  addUnary<math::AcosOp>(patterns, expandAcos, expandAcos);
  addUnary<math::AtanOp>(patterns, expandAtan, expandAtan);
  addUnary<math::SinhOp>(patterns, expandSinh, expandDoubleSinh);
  addUnary<math::CoshOp>(patterns, expandCosh, expandDoubleCosh);
  addUnary<math::AsinhOp>(patterns, expandAsinh, expandDoubleAsinh);
  addUnary<math::AcoshOp>(patterns, expandAcosh, expandDoubleAcosh);
  addUnary<math::AtanhOp>(patterns, expandAtanh, expandDoubleAtanh);
  addUnary<math::ErfcOp>(patterns, expandErfc, expandDoubleErfc);
  patterns.add<Expand<math::PowFOp, Binary>>(patterns.getContext(), expandPow,
                                             expandDoublePow);
  patterns.add<Expand<math::Atan2Op, Binary>>(patterns.getContext(),
                                              expandAtan2, expandAtan2);
}

void tally::expandMath(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateExpandMathPatterns(patterns);
  walkAndApplyPatterns(root, std::move(patterns));
}

namespace {
struct ExpandMathPass
    : tally::PatternPass<tally::impl::ExpandMathBase<ExpandMathPass>,
                         tally::populateExpandMathPatterns> {};
} // namespace
