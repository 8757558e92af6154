//===- Polygamma.cpp - The derivatives of digamma -------------------------===//
//
// That of order n is (-1)^(n+1) n! times the sum of (x + k)^-(n+1) for k from 0
// on. The first powers are summed as one fraction, and the others are by the
// formula of Euler and Maclaurin: two divisions, whatever the order is.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

static Value buildPower(const Scalars &s, Value x, int64_t exponent) {
  if (exponent == 1)
    return x;
  Value root = buildPower(s, x, exponent / 2);
  Value square = s.mul(root, root);
  return exponent % 2 ? s.mul(square, x) : square;
}

/// c[0] + c[1] x^2 + c[2] x^4 + ... for |x| <= 1/2, where the sum times x is
/// sin(pi x) / pi: the terms of the series that an f64 tells from zero.
static Value buildSineQuotient(const Scalars &s, Value square) {
  SmallVector<double> factors = {1};
  for (int k = 1; k <= 11; ++k)
    factors.push_back(factors.back() * -(M_PI * M_PI) / (2 * k * (2 * k + 1)));
  return buildPolynomial(s, square, factors);
}

/// How many powers of exponent `-m` are summed one by one, so that what the
/// formula leaves out behind them is less than 2^-55 of the rest.
static double getFirstCount(int64_t m) {
  double left = std::abs(std::end(kBernoulliQuotients)[-1]) * double(m - 1);
  for (int64_t i = m; i <= m + 18; ++i)
    left *= double(i);
  return std::ceil(std::pow(left * 0x1p55, 1.0 / 20));
}

/// The sum of (z + k)^-m for k from 0 on, where z is large.
static Value buildTail(const Scalars &s, Value z, int64_t m) {
  SmallVector<double> factors = {1 / double(m - 1), 0.5};
  double rising = double(m);
  for (auto [k, factor] :
       llvm::enumerate(ArrayRef(kBernoulliQuotients).drop_back())) {
    factors.push_back(factor * rising);
    rising *= double(m + 2 * k + 1) * double(m + 2 * k + 2);
  }
  Value r = s.divFloat(s.number(1), z);
  Value even = buildPolynomial(s, s.mul(r, r), ArrayRef(factors).drop_front(2));
  Value sum = buildMultiplyAdd(s, r, even, s.number(factors[1]));
  sum = buildMultiplyAdd(s, r, sum, s.number(factors[0]));
  return s.mul(buildPower(s, r, m - 1), sum);
}

namespace {
/// A sum that is not divided yet.
struct Fraction {
  Value above, below;
};
} // namespace

/// The sum of (y + k)^-m for k less than `count`. The largest power comes last:
/// by what is rounded before, both parts of the fraction are multiplied.
static Fraction buildFirst(const Scalars &s, Value y, double count, int64_t m) {
  Value last = s.add(y, s.number(count - 1));
  Fraction sum{s.number(1), buildPower(s, last, m)};
  for (double k = count - 2; k >= 0; --k) {
    Value power = buildPower(s, k > 0 ? s.add(y, s.number(k)) : y, m);
    sum.above = buildMultiplyAdd(s, sum.above, power, sum.below);
    sum.below = s.mul(sum.below, power);
  }
  return sum;
}

/// The factors of q in the sum of (x + k)^-m for all integers k, which is
/// q(cos(pi x)) / (sin(pi x) / pi)^m: it is the derivative of the one for
/// m - 1, divided by 1 - m.
static SmallVector<double> getLatticeFactors(int64_t m) {
  SmallVector<double> q = {0, 1};
  for (int64_t i = 1; i < m; ++i) {
    // (1 - c^2) q'(c) / i + c q(c).
    SmallVector<double> next(q.size() + 1);
    for (auto [power, factor] : llvm::enumerate(q)) {
      double slope = factor * double(power) / double(i);
      if (power > 0)
        next[power - 1] += slope;
      next[power + 1] += factor - slope;
    }
    while (next.back() == 0)
      next.pop_back();
    q = std::move(next);
  }
  return q;
}

/// The same sum of all integers, where x differs by `fraction` from one.
static Fraction buildLattice(const Scalars &s, Value fraction, int64_t m) {
  Value square = s.mul(fraction, fraction);
  Value sine = s.mul(fraction, buildSineQuotient(s, square));
  SmallVector<double> factors = getLatticeFactors(m);
  Value above = s.number(1);
  if (factors.size() > 1) {
    Value rest = s.sub(s.number(0.5), s.abs(fraction));
    Value ratio = buildSineQuotient(s, s.mul(rest, rest));
    Value cosine = s.mul(s.mul(rest, s.number(M_PI)), ratio);
    above = buildPolynomial(s, cosine, factors);
  }
  return {above, buildPower(s, sine, m)};
}

/// The sum of (x + k)^-m for k from 0 on. Up to 0 it is that of all integers
/// without those of 1 - x.
static Value buildPowerSum(const Scalars &s, Value x, int64_t m) {
  Value zero = s.number(0), one = s.number(1);
  double count = getFirstCount(m);
  Value isMirrored = s.compare(Compare::Le, x, zero);
  Value y = s.select(isMirrored, s.sub(one, x), x);
  Value isNear = s.compare(Compare::Lt, y, s.number(count));
  Fraction first = buildFirst(s, y, count, m);
  first.above = s.select(isNear, first.above, zero);
  first.below = s.select(isNear, first.below, one);
  Value tail = buildTail(s, s.select(isNear, s.add(y, s.number(count)), y), m);

  Value fraction = s.sub(x, math::RoundEvenOp::create(s.b, s.loc, x));
  Fraction lattice = buildLattice(s, fraction, m);
  Value ofMirrored = s.mul(first.above, lattice.below);
  if (m % 2 == 0) {
    ofMirrored = s.neg(ofMirrored);
    tail = s.select(isMirrored, s.neg(tail), tail);
  }
  ofMirrored = buildMultiplyAdd(s, lattice.above, first.below, ofMirrored);
  Value above = s.select(isMirrored, ofMirrored, first.above);
  Value below = s.mul(first.below, s.select(isMirrored, lattice.below, one));
  return s.add(s.divFloat(above, below), tail);
}

/// The derivative of digamma of an order.
static void lowerPolygamma(Lowering &op) {
  // From 10 on the denominator would not be an f64.
  constexpr int64_t kMaxSummed = 9;
  int64_t order = op.integer("n", 0);
  if (order < 0) {
    (void)op.error("the order must not be negative");
    return;
  }
  if (order == 0)
    return lowerDouble(op, buildDigamma);
  double factor = std::exp(std::lgamma(double(order) + 1));
  lowerDouble(op, [&](Scalars &s, Value x) {
    Value sum = order > kMaxSummed
                    ? buildZeta(s, s.number(double(order + 1)), x)
                    : buildPowerSum(s, x, order + 1);
    return s.mul(s.number(order % 2 ? factor : -factor), sum);
  });
}

void addPolygamma(LoweringTable &table) {
  table.add("aten.polygamma.default", lowerPolygamma);
  table.add("aten.special_polygamma.default", lowerPolygamma);
}

} // namespace tally::import_pt2
