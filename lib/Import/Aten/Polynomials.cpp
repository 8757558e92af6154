//===- Polynomials.cpp - Orthogonal polynomials ---------------------------===//
//
// All of them are computed by their recurrence in f64: the next one is
// (a(k) x + b(k)) times the last one, less c(k) times the one before.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// A family of polynomials, of which the first is 1.
struct Family {
  /// The second, as a function of x.
  double slope, offset;
  /// The one after the k-th from the k-th and the one before it.
  Value (*next)(Scalars &s, Value x, Value k, Value last, Value before);
  /// Whether x is to be between 0 and 1, instead of between -1 and 1.
  bool isShifted = false;
  /// Whether, between -1 and 1, it is cos(k acos(x)).
  bool isCosine = false;
};
} // namespace

static Value stepChebyshev(Scalars &s, Value x, Value, Value last,
                           Value before) {
  return s.sub(s.mul(s.add(x, x), last), before);
}
static Value stepHermite(Scalars &s, Value x, Value k, Value last,
                         Value before) {
  return s.sub(s.mul(s.add(x, x), last), s.mul(s.add(k, k), before));
}
static Value stepProbabilists(Scalars &s, Value x, Value k, Value last,
                              Value before) {
  return s.sub(s.mul(x, last), s.mul(k, before));
}
/// ((2k + 1) x p - k q) / (k + 1), and with (2k + 1 - x) p.
static Value stepLegendre(Scalars &s, Value x, Value k, Value last,
                          Value before) {
  Value odd = s.add(s.add(k, k), s.number(1));
  Value sum = s.sub(s.mul(s.mul(odd, x), last), s.mul(k, before));
  return s.divFloat(sum, s.add(k, s.number(1)));
}
static Value stepLaguerre(Scalars &s, Value x, Value k, Value last,
                          Value before) {
  Value odd = s.sub(s.add(s.add(k, k), s.number(1)), x);
  Value sum = s.sub(s.mul(odd, last), s.mul(k, before));
  return s.divFloat(sum, s.add(k, s.number(1)));
}

/// The polynomial of a degree, which is rounded toward zero; 0 for a negative
/// one. A value that is infinite or no number ends the recurrence.
static Value buildOrthogonal(Scalars &s, const Family &family, Value x,
                             Value degree) {
  Value zero = s.number(0), one = s.number(1);
  degree = math::TruncOp::create(s.b, s.loc, degree);
  if (family.isShifted)
    x = s.sub(s.add(x, x), one);
  Value second =
      s.add(s.mul(x, s.number(family.slope)), s.number(family.offset));
  Value last = degree;
  Value isInside = s.compare(Compare::Le, s.abs(x), one);
  if (family.isCosine)
    last = s.select(isInside, zero, degree);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{x.getType(), x.getType(), x.getType()},
      ValueRange{one, second, one},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars c(b, loc, s.dtype);
        Value isFinite = c.compare(Compare::Lt, c.abs(args[1]), c.highest());
        Value go = c.bitAnd(c.compare(Compare::Lt, args[2], last), isFinite);
        scf::ConditionOp::create(b, loc, go, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars c(b, loc, s.dtype);
        Value next = family.next(c, x, args[2], args[1], args[0]);
        scf::YieldOp::create(
            b, loc, ValueRange{args[1], next, c.add(args[2], c.number(1))});
      });
  Value result = loop.getResult(1);
  if (family.isCosine) {
    Value angle = s.mul(degree, math::AcosOp::create(s.b, s.loc, x));
    result = s.select(isInside, math::CosOp::create(s.b, s.loc, angle), result);
  }
  result = s.select(s.compare(Compare::Eq, degree, zero), one, result);
  return s.select(s.compare(Compare::Lt, degree, zero), zero, result);
}

static constexpr std::pair<StringLiteral, Family> kFamilies[] = {
    {"chebyshev_polynomial_t", {1, 0, stepChebyshev, false, true}},
    {"chebyshev_polynomial_u", {2, 0, stepChebyshev}},
    {"chebyshev_polynomial_v", {2, -1, stepChebyshev}},
    {"chebyshev_polynomial_w", {2, 1, stepChebyshev}},
    {"shifted_chebyshev_polynomial_t", {1, 0, stepChebyshev, true, true}},
    {"shifted_chebyshev_polynomial_u", {2, 0, stepChebyshev, true}},
    {"shifted_chebyshev_polynomial_v", {2, -1, stepChebyshev, true}},
    {"shifted_chebyshev_polynomial_w", {2, 1, stepChebyshev, true}},
    {"hermite_polynomial_h", {2, 0, stepHermite}},
    {"hermite_polynomial_he", {1, 0, stepProbabilists}},
    {"laguerre_polynomial_l", {-1, 1, stepLaguerre}},
    {"legendre_polynomial_p", {1, 0, stepLegendre}},
};

static void lowerOrthogonal(Lowering &op) {
  StringRef name = op.target.split("special_").second.split('.').first;
  for (const auto &[known, family] : kFamilies)
    if (known == name)
      return lowerDoublePair(
          op, op.operand("x"), op.operand("n"),
          [&, &family = family](Scalars &s, Value x, Value degree) {
            return buildOrthogonal(s, family, x, degree);
          });
}

void addPolynomials(LoweringTable &table) {
  for (const auto &[name, family] : kFamilies)
    for (StringRef overload : {"default", "x_scalar", "n_scalar"})
      table.add(("aten.special_" + name + "." + overload).str(),
                lowerOrthogonal);
}

} // namespace tally::import_pt2
