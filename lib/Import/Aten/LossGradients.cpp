//===- LossGradients.cpp - Gradients of losses ----------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

/// Returns true if the loss is a mean, whose gradient is divided by a count.
static bool isMean(Lowering &op) { return op.integer("reduction", 1) == 1; }

/// Computes the gradient of each element from itself, what it should be, and
/// perhaps a weight. It has the given sizes, or those of the broadcast.
static void lowerPairGradient(Lowering &op, ElementFn fn,
                              std::optional<Tensor> weight = std::nullopt,
                              std::optional<Sizes> sizes = std::nullopt) {
  Tensor self = op.tensor("self");
  SmallVector<Operand> operands{self, op.tensor("target"),
                                op.tensor("grad_output")};
  if (weight)
    operands.push_back(*weight);
  Dtype dtype = getComputeDtype(self.dtype);
  bool divides = isMean(op);
  Value count = op.scalar(op.numel(self), dtype);
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value grad = s.mul(fn(s, args), args[2]);
        return divides ? s.divFloat(grad, count) : grad;
      },
      sizes));
}

static void lowerSquaredLossBackward(Lowering &op) {
  lowerPairGradient(op, [](Scalars &s, ArrayRef<Value> args) {
    return s.mul(s.number(2), s.sub(args[0], args[1]));
  });
}

/// `inside` of what is nearer than `limit`, and plus or minus `outside`.
static Value selectByDistance(Scalars &s, Value gap, double limit,
                              double outside, Value inside) {
  Value isBelow = s.compare(Compare::Le, gap, s.number(-limit));
  Value isAbove = s.compare(Compare::Ge, gap, s.number(limit));
  return s.select(isBelow, s.number(-outside),
                  s.select(isAbove, s.number(outside), inside));
}

static void lowerSmoothLossBackward(Lowering &op) {
  double beta = op.real("beta", 1);
  lowerPairGradient(op, [&](Scalars &s, ArrayRef<Value> args) {
    Value gap = s.sub(args[0], args[1]);
    return selectByDistance(s, gap, beta, 1, s.divFloat(gap, s.number(beta)));
  });
}

static void lowerHuberLossBackward(Lowering &op) {
  double delta = op.real("delta", 1);
  lowerPairGradient(op, [&](Scalars &s, ArrayRef<Value> args) {
    Value gap = s.sub(args[0], args[1]);
    return selectByDistance(s, gap, delta, delta, gap);
  });
}

static void lowerSoftMarginLossBackward(Lowering &op) {
  lowerPairGradient(op, [](Scalars &s, ArrayRef<Value> args) {
    Value exp = math::ExpOp::create(s.b, s.loc, s.neg(s.mul(args[0], args[1])));
    Value share = s.divFloat(exp, s.add(s.number(1), exp));
    return s.neg(s.mul(args[1], share));
  });
}

static void lowerBinaryCrossEntropyBackward(Lowering &op) {
  std::optional<Tensor> weight = op.optionalTensor("weight");
  lowerPairGradient(
      op,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value spread = s.mul(s.sub(s.number(1), args[0]), args[0]);
        Value grad =
            s.divFloat(s.sub(args[0], args[1]), s.max(spread, s.number(1e-12)));
        return weight ? s.mul(grad, args[3]) : grad;
      },
      weight, op.tensor("self").sizes);
}

/// The logarithm of one class counts in each place, times its weight.
static void lowerLikelihoodLossBackward(Lowering &op) {
  Tensor self = op.tensor("self", 1), grad = op.tensor("grad_output");
  Tensor target = op.convert(op.tensor("target"), Dtype::I64);
  int64_t dim = self.rank() == 1 ? 0 : 1;
  int64_t ignored = op.integer("ignore_index", -100);
  Sizes places = self.sizes;
  places.erase(places.begin() + dim);
  if (!checkSizes(op, target, places))
    return;
  if (grad.rank() == target.rank() && grad.rank() > 0)
    grad = op.unsqueeze(grad, dim);
  Value limit = op.scalar(self.sizes[dim], Dtype::I64);
  checkAll(op, target, "a class is out of range", [&](Scalars &s, Value x) {
    Value inside = s.bitAnd(s.compare(Compare::Ge, x, s.integer(0)),
                            s.compare(Compare::Lt, x, limit));
    return s.bitOr(inside, s.compare(Compare::Eq, x, s.integer(ignored)));
  });
  Operand isChosen = op.map(
      {op.unsqueeze(target, dim),
       alongDim(op, buildIndices(op, self.sizes[dim]), self.rank(), dim)},
      Dtype::I64, Dtype::Bool, [&](Scalars &s, ArrayRef<Value> args) {
        return s.bitAnd(s.compare(Compare::Eq, args[0], args[1]),
                        s.compare(Compare::Ne, args[0], s.integer(ignored)));
      });
  isChosen.isRaw = true;
  Dtype dtype = getComputeDtype(self.dtype);
  SmallVector<Operand> operands{isChosen, grad, op.tensor("total_weight")};
  std::optional<Tensor> weight = op.optionalTensor("weight");
  if (weight)
    operands.push_back(alongDim(op, *weight, self.rank(), dim));
  bool divides = isMean(op);
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value value = s.neg(divides ? s.divFloat(args[1], args[2]) : args[1]);
        if (weight)
          value = s.mul(value, args[3]);
        return s.select(args[0], value, s.number(0));
      },
      self.sizes));
}

void addLossGradients(LoweringTable &table) {
  auto add = [&](StringRef name, LowerFn lower) {
    table.add(("aten." + name + "_backward.default").str(), lower);
  };
  add("mse_loss", lowerSquaredLossBackward);
  add("smooth_l1_loss", lowerSmoothLossBackward);
  add("huber_loss", lowerHuberLossBackward);
  add("soft_margin_loss", lowerSoftMarginLossBackward);
  add("binary_cross_entropy", lowerBinaryCrossEntropyBackward);
  add("nll_loss", lowerLikelihoodLossBackward);
  add("nll_loss2d", lowerLikelihoodLossBackward);
}

} // namespace tally::import_pt2
