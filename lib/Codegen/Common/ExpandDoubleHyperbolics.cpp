//===- ExpandDoubleHyperbolics.cpp - Hyperbolic functions of f64 ----------===//
//
// Functions and their inverses, by reductions of their own or by logarithms of
// sums of two numbers. As in ExpandMath.cpp there is no branch, and polynomials
// are minimax in relative error (Remez).
//
//===----------------------------------------------------------------------===//

#include "ExpandDoubles.h"

using namespace mlir;
using namespace tally::codegen;

using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// sinh(n ln(2) + r) is 2^(n - 1) ((1 - q) cosh(r) + (1 + q) sinh(r)) for
/// q = 2^(-2 n), and the other function has the other signs. n is 0 up to 0.8,
/// where a sine is that of r alone, and none cancels from there on.
static Value expandHyperbolic(FloatBuilder &b, Value x, bool isCosine) {
  // From 711 on results are infinite.
  Value a = b.atMost(b.abs(x), 711);
  Value isLarge = b.compare(CmpFPredicate::OGE, a, 0.8);
  auto [n, exponent] =
      b.roundQuotient(b.select(isLarge, a, b.constant(0)), 0x1.71547652b82fep0);
  auto [r, low] = addSmaller(b, b.fma(n, -0x1.62e42fefa38p-1, a),
                             b.mul(n, -0x1.ef35793c7673p-45));
  Value z = b.mul(r, r);
  Value p = b.polynomial({0x1.64e52ea985a44p-33, 0x1.ae5dd05a81067p-26,
                          0x1.71de3fe711519p-19, 0x1.a01a019b4d639p-13,
                          0x1.1111111112f70p-7, 0x1.5555555555545p-3},
                         z);
  Value sine = b.mul(b.mul(r, z), p);
  p = b.polynomial({0x1.97e8c181385f1p-37, 0x1.1ee9151cc01e2p-29,
                    0x1.27e50045a3dabp-22, 0x1.a01a019a6f1f5p-16,
                    0x1.6c16c16c1a548p-10, 0x1.5555555555533p-5, 0x1p-1},
                   z);
  Value cosine = b.mul(z, p);
  // 2^-1022 and less are as good as 0.
  Value biased =
      b.combine<arith::SubIOp>(b.integerConstant(b.getBias()),
                               b.combine<arith::AddIOp>(exponent, exponent));
  Value q = b.fromBits(b.combine<arith::ShLIOp>(
      b.combine<arith::MaxSIOp>(biased, b.integerConstant(0)),
      b.integerConstant(b.getNumFractionBits())));
  Value one = b.constant(1), more = b.add(one, q), less = b.sub(one, q);
  if (isCosine)
    std::swap(more, less);
  Value rounded = b.add(b.sub(one, less), isCosine ? q : b.mul(q, -1));
  Value y = b.fma(less, cosine, b.fma(more, b.add(sine, low), rounded));
  y = b.add(less, b.fma(more, r, y));
  y = b.scale(y, b.combine<arith::SubIOp>(exponent, b.integerConstant(1)));
  return isCosine ? y : b.copySign(y, x);
}

Value tally::codegen::expandDoubleSinh(FloatBuilder &b, Value x) {
  return expandHyperbolic(b, x, /*isCosine=*/false);
}

Value tally::codegen::expandDoubleCosh(FloatBuilder &b, Value x) {
  return expandHyperbolic(b, x, /*isCosine=*/true);
}

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

/// sqrt(x^2 + addend).
static FloatPair expandLeg(FloatBuilder &b, Value x, double addend) {
  Value most = b.cut(x);
  auto [high, rest] = addExactly(b, b.mul(most, most), b.constant(addend));
  Value low = b.mul(b.sub(x, most), b.add(x, most));
  FloatPair square = addSmaller(b, high, low);
  return expandSqrtOfPair(b, {square.high, b.add(square.low, rest)});
}

/// log(x + root), where the root is that of x^2 and 1, or without 1.
static Value expandLogOfSum(FloatBuilder &b, Value x, FloatPair root) {
  // From 2^28 on the sum is 2 x.
  Value isHuge = b.compare(CmpFPredicate::OGE, x, 0x1p28);
  Value one = b.constant(1), zero = b.constant(0);
  auto [high, rest] = addExactly(b, x, root.high);
  Value low = b.select(isHuge, zero, b.add(rest, root.low));
  return expandLogOfPair(b, {b.select(isHuge, x, high), low},
                         b.select(isHuge, one, zero));
}

Value tally::codegen::expandDoubleAsinh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), z = b.mul(a, a);
  Value p = b.polynomial(
      {-0x1.1e39c1eb6bd29p-9, 0x1.7bad5cf1ef068p-8, -0x1.23e8f24cdd690p-7,
       0x1.746646a423d7bp-7, -0x1.c8b0c1adaa12cp-7, 0x1.1c431bee74b08p-6,
       -0x1.6e8add46e422fp-6, 0x1.f1c7142b32459p-6, -0x1.6db6db53d7fbep-5,
       0x1.333333330ac40p-4, -0x1.55555555553f5p-3},
      z);
  Value small = b.fma(b.mul(a, z), p, a);
  Value large = expandLogOfSum(b, a, expandLeg(b, a, 1));
  large = selectSpecialLogs(b, a, large);
  Value isSmall = b.compare(CmpFPredicate::OLT, a, 0.5);
  return b.copySign(b.select(isSmall, small, large), x);
}

/// With d = x - 1, it is sqrt(2 d) (1 + d p(d)) up to 1/2.
Value tally::codegen::expandDoubleAcosh(FloatBuilder &b, Value x) {
  Value d = b.sub(x, b.constant(1));
  Value p = b.polynomial(
      {-0x1.1e8e9c12a0718p-20, 0x1.7be6d8e110b28p-18, -0x1.23f9bdd6c9f8cp-16,
       0x1.746bcffff5cb8p-15, -0x1.c8b1e3203d215p-14, 0x1.1c432eda7bdaap-12,
       -0x1.6e8adedb8cf13p-11, 0x1.f1c7144017f0bp-10, -0x1.6db6db54274fap-8,
       0x1.333333330b591p-6, -0x1.55555555553fbp-4},
      d);
  auto [root, rest] = expandSqrtOfPair(b, {b.add(d, d), nullptr});
  Value small = b.add(root, b.fma(b.mul(root, d), p, rest));
  Value large = expandLogOfSum(b, x, expandLeg(b, x, -1));
  large = selectSpecialLogs(b, x, large);
  Value isSmall = b.compare(CmpFPredicate::OLT, d, 0.5);
  return b.select(isSmall, small, large);
}

/// log((1 + a) / (1 - a)) / 2, for a = |x|. The difference of the bits of 1 + a
/// and 1 - a is near to the logarithm of the quotient: with p = 2^n, n from
/// there, or 0 up to 0.4, it is n log(2) / 2 + atanh(s) where s is
/// ((1 + a) - p (1 - a)) / ((1 + a) + p (1 - a)).
Value tally::codegen::expandDoubleAtanh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), one = b.constant(1);
  Value less = b.sub(one, a), rounded = b.sub(b.sub(one, less), a);
  Value ratio =
      b.combine<arith::SubIOp>(b.getBits(b.add(one, a)), b.getBits(less));
  Value n = b.combine<arith::ShRSIOp>(
      b.combine<arith::AddIOp>(ratio, b.integerConstant(int64_t(1) << 51)),
      b.integerConstant(52));
  Value isSmall = b.compare(CmpFPredicate::OLT, a, 0.4);
  n = b.select(isSmall, b.integerConstant(0), n);
  Value power = b.createPower(n);
  Value rest = b.mul(power, less), low = b.mul(power, rounded);
  Value above = b.add(b.sub(b.sub(one, rest), low), a);
  Value quotient = b.div(above, b.add(b.add(one, rest), a));
  Value s = b.select(isSmall, a, quotient);
  Value z = b.mul(s, s);
  Value p = b.polynomial(
      {0x1.c85d594a4e64dp-4, 0x1.ce7fb93287170p-7, 0x1.f6bee73808583p-5,
       0x1.d66d4f90d769bp-5, 0x1.11a94b9a200c3p-4, 0x1.3b0946dbe0e43p-4,
       0x1.745d8e1c5e2e4p-4, 0x1.c71c6e75b9879p-4, 0x1.2492492b714dfp-3,
       0x1.999999998b6f0p-3, 0x1.55555555555a6p-2},
      z);
  Value count = b.toFloat(n), whole = b.mul(count, 0x1.62e42fefa38p-2);
  auto [sum, sumRest] = addSmaller(b, whole, s);
  Value tail = b.fma(count, 0x1.ef35793c7673p-46, b.mul(b.mul(s, z), p));
  Value y = b.add(sum, b.add(sumRest, tail));
  Value end = b.select(b.isEqual(a, 1), b.constant(FloatBuilder::kInfinity),
                       b.constant(FloatBuilder::kNaN));
  Value isInside = b.compare(CmpFPredicate::OLT, a, 1);
  return b.copySign(b.select(isInside, y, end), x);
}
