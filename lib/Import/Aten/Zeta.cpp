//===- Zeta.cpp - Hurwitz' zeta function ----------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

/// Adds q^-x for q, q + 1, ... up to what is beyond `kFirst`, where the formula
/// of Euler and Maclaurin takes over. Gives the sum, and where it ended.
static std::pair<Value, Value> buildFirstPowers(Scalars &s, Value x, Value q) {
  constexpr double kFirst = 12;
  Value power = s.neg(x);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{x.getType(), x.getType()},
      ValueRange{s.number(0), q},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars inner(b, loc, s.dtype);
        Value go = inner.compare(Compare::Lt, args[1], inner.number(kFirst));
        scf::ConditionOp::create(b, loc, go, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars inner(b, loc, s.dtype);
        Value sum = inner.add(args[0], inner.pow(args[1], power));
        Value next = inner.add(args[1], inner.number(1));
        scf::YieldOp::create(b, loc, ValueRange{sum, next});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

Value buildZeta(Scalars &s, Value x, Value q) {
  Value one = s.number(1), zero = s.number(0);
  Value isPole =
      s.bitAnd(s.compare(Compare::Le, q, zero),
               s.compare(Compare::Eq, q, math::FloorOp::create(s.b, s.loc, q)));
  Value isBelow =
      s.bitAnd(s.compare(Compare::Lt, q, zero),
               s.compare(Compare::Ne, x, math::FloorOp::create(s.b, s.loc, x)));
  // Far below 0 the terms are all alike: what is added for each of them ends.
  Value isFar = s.compare(Compare::Lt, q, s.number(-0x1p20));
  Value start = s.select(s.bitOr(isPole, isFar), one, q);
  auto [sum, end] = buildFirstPowers(s, x, start);
  Value power = s.pow(end, s.neg(x));
  Value area = s.divFloat(s.mul(power, end), s.sub(x, one));
  Value result = s.add(s.add(sum, area), s.mul(s.number(0.5), power));
  Value term = s.divFloat(s.mul(power, x), end);
  Value square = s.mul(end, end);
  for (auto [k, factor] :
       llvm::enumerate(ArrayRef(kBernoulliQuotients).drop_back())) {
    result = s.add(result, s.mul(s.number(factor), term));
    Value next = s.mul(s.add(x, s.number(double(2 * k + 1))),
                       s.add(x, s.number(double(2 * k + 2))));
    term = s.divFloat(s.mul(term, next), square);
  }
  // Where the power is 0, so is every other term.
  result = s.select(s.compare(Compare::Eq, power, zero), sum, result);
  result = s.select(isFar, s.number(NAN), result);
  result = s.select(isBelow, s.number(NAN), result);
  result = s.select(isPole, s.highest(), result);
  result = s.select(s.compare(Compare::Lt, x, one), s.number(NAN), result);
  result = s.select(s.compare(Compare::Eq, x, one), s.highest(), result);
  Value isNan = s.bitOr(s.isNan(x), s.isNan(q));
  return s.select(isNan, s.add(x, q), result);
}

static void lowerZeta(Lowering &op) {
  lowerDoublePair(op, op.operand("self"), op.operand("other"), buildZeta);
}

void addZeta(LoweringTable &table) {
  for (StringRef overload : {"default", "self_scalar", "other_scalar"})
    table.add(("aten.special_zeta." + overload).str(), lowerZeta);
}

} // namespace tally::import_pt2
