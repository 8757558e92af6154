//===- SignalWindows.cpp - Windows for the analysis of signals ------------===//
//
// Functions of the place in a window: 0 at its start, 1 at its last element, or
// behind that if the window is periodic.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

static constexpr double kPi = 3.14159265358979323846;

/// One element is 1. The arguments `alpha`, `beta` and `periodic` are those of
/// PyTorch.
static void lowerWindow(
    Lowering &op,
    llvm::function_ref<Value(Scalars &s, Value index, Value last)> element) {
  Expr length = op.symInt("window_length");
  op.check(Comparison::le(op.literal(0), length),
           Twine(op.target) + ": the length must not be negative");
  bool isPeriodic = op.flag("periodic", true);
  Dtype dtype = op.resultDtype();
  Dtype compute = isFloating(dtype) ? getComputeDtype(dtype) : Dtype::F32;
  Value count = op.size(length);
  op.result(op.generate({length}, dtype, [&](Scalars &s, ValueRange at) {
    Scalars c(s.b, s.loc, compute);
    auto toNumber = [&](Value index) {
      Value i = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index);
      return Scalars(s.b, s.loc, Dtype::I64).castTo(compute, i);
    };
    Value one = c.number(1), size = toNumber(count);
    Value isOne = c.compare(Compare::Eq, size, one);
    Value last = isPeriodic ? size : c.max(c.sub(size, one), one);
    Value made = element(c, toNumber(at[0]), last);
    return c.castTo(dtype, c.select(isOne, one, made));
  }));
}

static Value buildCosine(Scalars &s, Value index, Value last, double turns) {
  Value angle = s.mul(index, s.divFloat(s.number(2 * kPi * turns), last));
  return math::CosOp::create(s.b, s.loc, angle);
}

/// alpha - beta cos(2 pi x).
static void lowerHamming(Lowering &op) {
  bool isHann = op.target.contains("hann");
  double alpha = isHann ? 0.5 : op.real("alpha", 0.54);
  double beta = isHann ? 0.5 : op.real("beta", 0.46);
  lowerWindow(op, [&](Scalars &s, Value index, Value last) {
    Value cosine = buildCosine(s, index, last, 1);
    return s.sub(s.number(alpha), s.mul(s.number(beta), cosine));
  });
}

static void lowerBlackman(Lowering &op) {
  lowerWindow(op, [](Scalars &s, Value index, Value last) {
    Value first = s.mul(s.number(0.5), buildCosine(s, index, last, 1));
    Value second = s.mul(s.number(0.08), buildCosine(s, index, last, 2));
    return s.add(s.sub(second, first), s.number(0.42));
  });
}

/// Up to the middle and down again.
static void lowerBartlett(Lowering &op) {
  lowerWindow(op, [](Scalars &s, Value index, Value last) {
    Value two = s.number(2), place = s.divFloat(s.mul(two, index), last);
    return s.min(place, s.sub(two, place));
  });
}

/// I0(beta sqrt(1 - y^2)) / I0(beta), with y from -1 to 1.
static void lowerKaiser(Lowering &op) {
  double beta = op.real("beta", 12);
  lowerWindow(op, [&](Scalars &s, Value index, Value last) {
    Value one = s.number(1), zero = s.number(0);
    Value y = s.sub(s.divFloat(s.mul(s.number(2), index), last), one);
    Value root =
        math::SqrtOp::create(s.b, s.loc, s.max(zero, s.sub(one, s.mul(y, y))));
    Scalars wide(s.b, s.loc, Dtype::F64);
    Value x = s.castTo(Dtype::F64, s.mul(s.number(beta), root));
    Value quotient = wide.divFloat(buildBesselI0(wide, x),
                                   buildBesselI0(wide, wide.number(beta)));
    return wide.castTo(s.dtype, quotient);
  });
}

void addSignalWindows(LoweringTable &table) {
  auto add = [&](StringRef name, std::initializer_list<StringRef> overloads,
                 LowerFn lower) {
    for (StringRef overload : overloads)
      table.add(("aten." + name + "." + overload).str(), lower);
  };
  add("hann_window", {"default", "periodic"}, lowerHamming);
  add("hamming_window",
      {"default", "periodic", "periodic_alpha", "periodic_alpha_beta"},
      lowerHamming);
  add("blackman_window", {"default", "periodic"}, lowerBlackman);
  add("bartlett_window", {"default", "periodic"}, lowerBartlett);
  add("kaiser_window", {"default", "periodic", "beta"}, lowerKaiser);
}

} // namespace tally::import_pt2
