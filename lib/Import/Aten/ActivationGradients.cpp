//===- ActivationGradients.cpp - Gradients of functions of elements -------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// The gradient of x, or what it is multiplied by, from x and the gradient of
/// what the function gives.
using Gradient = Value (*)(Scalars &s, Value grad, Value x);
using GradientFn = function_ref<Value(Scalars &, Value grad, Value x)>;
} // namespace

/// The gradient of a function of one tensor from its argument or its result.
static void lowerGradient(Lowering &op, StringRef known, GradientFn fn) {
  Operand grad = op.tensor(op.has("grad_out") ? "grad_out" : "grad_output");
  Operand x = op.tensor(known);
  Dtype compute = getComputeDtype(getFloatDtype(getResultType({grad, x})));
  op.result(op.map(
      {grad, x}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0], args[1]); },
      std::nullopt, op.resultDtype()));
}

template <Gradient fn>
static void lowerOfArgument(Lowering &op) {
  lowerGradient(op, "self", fn);
}
template <Gradient fn>
static void lowerOfResult(Lowering &op) {
  lowerGradient(op, "output", fn);
}

static Value buildExp(Scalars &s, Value x) {
  return math::ExpOp::create(s.b, s.loc, x);
}

static Value buildTanhGradient(Scalars &s, Value grad, Value y) {
  return s.mul(grad, s.sub(s.number(1), s.mul(y, y)));
}
static Value buildSigmoidGradient(Scalars &s, Value grad, Value y) {
  return s.mul(s.mul(grad, s.sub(s.number(1), y)), y);
}
static Value buildSiluGradient(Scalars &s, Value grad, Value x) {
  Value sigmoid = buildSigmoid(s, x), one = s.number(1);
  Value slope = s.add(one, s.mul(x, s.sub(one, sigmoid)));
  return s.mul(s.mul(grad, sigmoid), slope);
}
static Value buildMishGradient(Scalars &s, Value grad, Value x) {
  Value sigmoid = buildSigmoid(s, x);
  Value soft = math::Log1pOp::create(s.b, s.loc, buildExp(s, x));
  Value tanh = math::TanhOp::create(s.b, s.loc, soft);
  Value rest = s.sub(s.number(1), s.mul(tanh, tanh));
  return s.mul(grad, s.add(tanh, s.mul(s.mul(x, sigmoid), rest)));
}
static Value buildHardsigmoidGradient(Scalars &s, Value grad, Value x) {
  Scalars truth(s.b, s.loc, Dtype::Bool);
  Value isInside = truth.bitAnd(s.compare(Compare::Gt, x, s.number(-3)),
                                s.compare(Compare::Lt, x, s.number(3)));
  return s.select(isInside, s.mul(grad, s.number(1.0 / 6)), s.number(0));
}
static Value buildHardswishGradient(Scalars &s, Value grad, Value x) {
  Value three = s.number(3);
  Value slope = s.add(s.divFloat(x, three), s.number(0.5));
  Value inner =
      s.select(s.compare(Compare::Lt, x, three), s.mul(grad, slope), grad);
  return s.select(s.compare(Compare::Le, x, s.number(-3)), s.number(0), inner);
}

static void lowerGeluBackward(Lowering &op) {
  bool isTanh = op.string("approximate", "none") == "tanh";
  lowerGradient(op, "self", [&](Scalars &s, Value grad, Value x) -> Value {
    Value half = s.number(0.5), one = s.number(1), square = s.mul(x, x);
    if (!isTanh) {
      Value erf =
          math::ErfOp::create(s.b, s.loc, s.mul(x, s.number(M_SQRT1_2)));
      Value cdf = s.mul(half, s.add(one, erf));
      Value pdf = s.mul(buildExp(s, s.mul(square, s.number(-0.5))),
                        s.number(M_2_SQRTPI * M_SQRT1_2 * 0.5));
      return s.mul(grad, s.add(cdf, s.mul(x, pdf)));
    }
    Value scale = s.number(M_SQRT2 * M_2_SQRTPI * 0.5);
    Value inner =
        s.mul(scale, s.add(x, s.mul(s.number(0.044715), s.mul(square, x))));
    Value tanh = math::TanhOp::create(s.b, s.loc, inner);
    Value left = s.mul(half, s.add(one, tanh));
    Value slope =
        s.mul(scale, s.add(one, s.mul(s.number(3 * 0.044715), square)));
    Value right =
        s.mul(s.mul(s.mul(half, x), s.sub(one, s.mul(tanh, tanh))), slope);
    return s.mul(grad, s.add(left, right));
  });
}

static void lowerThresholdBackward(Lowering &op) {
  Dtype compute = getComputeDtype(getFloatDtype(op.tensor("self").dtype));
  Value threshold = op.parameter(op.number("threshold"), compute);
  lowerGradient(op, "self", [&](Scalars &s, Value grad, Value x) {
    return s.select(s.compare(Compare::Le, x, threshold), s.number(0), grad);
  });
}

static void lowerHardtanhBackward(Lowering &op) {
  double low = op.real("min_val", -1), high = op.real("max_val", 1);
  lowerGradient(op, "self", [&](Scalars &s, Value grad, Value x) {
    Scalars truth(s.b, s.loc, Dtype::Bool);
    Value isCut = truth.bitOr(s.compare(Compare::Le, x, s.number(low)),
                              s.compare(Compare::Ge, x, s.number(high)));
    return s.select(isCut, s.number(0), grad);
  });
}

/// Of a shrinkage: nothing comes through where x is small.
static void lowerShrinkBackward(Lowering &op) {
  double limit = op.real("lambd", 0.5);
  lowerGradient(op, "self", [&](Scalars &s, Value grad, Value x) {
    Scalars truth(s.b, s.loc, Dtype::Bool);
    Value isSmall = truth.bitAnd(s.compare(Compare::Ge, x, s.number(-limit)),
                                 s.compare(Compare::Le, x, s.number(limit)));
    return s.select(isSmall, s.number(0), grad);
  });
}

static void lowerLeakyReluBackward(Lowering &op) {
  double slope = op.real("negative_slope", 0.01);
  // The sign of the result is that of the argument.
  (void)op.find("self_is_result");
  lowerGradient(op, "self", [&](Scalars &s, Value grad, Value x) {
    Value isPositive = s.compare(Compare::Gt, x, s.number(0));
    return s.select(isPositive, grad, s.mul(grad, s.number(slope)));
  });
}

static void lowerEluBackward(Lowering &op) {
  double alpha = op.real("alpha", 1), scale = op.real("scale", 1);
  double inputScale = op.real("input_scale", 1);
  bool isResult = op.flag("is_result", false);
  lowerGradient(op, "self_or_result", [&](Scalars &s, Value grad, Value x) {
    Value negative;
    if (isResult) {
      negative = s.mul(s.mul(grad, s.number(inputScale)),
                       s.add(x, s.number(alpha * scale)));
    } else {
      Value exp = buildExp(s, s.mul(x, s.number(inputScale)));
      negative = s.mul(s.mul(grad, s.number(inputScale * alpha * scale)), exp);
    }
    Value isNegative = s.compare(Compare::Le, x, s.number(0));
    return s.select(isNegative, negative, s.mul(grad, s.number(scale)));
  });
}

static void lowerSoftplusBackward(Lowering &op) {
  double beta = op.real("beta", 1), threshold = op.real("threshold", 20);
  lowerGradient(op, "self", [&](Scalars &s, Value grad, Value x) {
    Value scaled = s.mul(x, s.number(beta));
    Value exp = buildExp(s, scaled);
    Value soft = s.divFloat(s.mul(grad, exp), s.add(exp, s.number(1)));
    Value isLarge = s.compare(Compare::Gt, scaled, s.number(threshold));
    return s.select(isLarge, grad, soft);
  });
}

static void lowerLogSigmoidBackward(Lowering &op) {
  (void)op.find("buffer");
  lowerGradient(op, "self", [](Scalars &s, Value grad, Value x) {
    // exp(-|x|), of which the sign of x tells what it is a part of.
    Value tail = buildExp(s, s.neg(s.abs(x)));
    Value isNegative = s.compare(Compare::Lt, x, s.number(0));
    Value share = s.divFloat(tail, s.add(s.number(1), tail));
    Value slope = s.select(isNegative, s.sub(s.number(1), share), share);
    return s.mul(grad, slope);
  });
}

/// The gradients of elements that were kept are scaled as these were.
static void lowerDropoutBackward(Lowering &op) {
  Operand grad = op.tensor("grad_output"), mask = op.tensor("mask");
  mask.isRaw = mask.dtype == Dtype::Bool;
  bool isBool = mask.isRaw;
  double scale = op.real("scale", 1);
  Dtype compute = getComputeDtype(grad.dtype);
  op.result(op.map(
      {grad, mask}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value factor =
            isBool ? s.select(args[1], s.number(1), s.number(0)) : args[1];
        return s.mul(s.mul(args[0], factor), s.number(scale));
      },
      std::nullopt, op.resultDtype()));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The gradient of a part of a tensor is that of the tensor, where the others
/// have none.
static void lowerSelectBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output");
  Sizes sizes = op.symInts("input_sizes"), part = sizes;
  if (sizes.empty()) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", int64_t(sizes.size()));
  part.erase(part.begin() + dim);
  if (!checkSizes(op, grad, part))
    return;
  Expr start = wrapIndex(op, op.symInt("index"), sizes[dim]);
  checkIndex(op, start, sizes[dim]);
  op.result(op.insertSlice(op.fill(sizes, grad.dtype, 0.0),
                           op.unsqueeze(grad, dim), dim, start));
}

static void lowerSliceBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output");
  Sizes sizes = op.symInts("input_sizes"), part = sizes;
  int64_t step = op.integer("step", 1);
  if (sizes.empty() || step < 1) {
    (void)op.error("a dimension and a positive step are needed");
    return;
  }
  int64_t dim = op.dim("dim", int64_t(sizes.size()));
  Expr size = sizes[dim];
  Expr start = clampIndex(op, op.symInt("start"), size);
  Expr end = clampIndex(op, op.symInt("end"), size);
  Expr span = op.exprs.max(op.exprs.sub(end, start), op.literal(0));
  part[dim] = op.state.simplify(op.exprs.ceilDiv(span, op.literal(step)));
  if (!checkSizes(op, grad, part))
    return;
  grad.sizes = part;
  grad.value = op.cast(grad.value, op.tensorType(part, grad.dtype));
  op.result(
      op.insertSlice(op.fill(sizes, grad.dtype, 0.0), grad, dim, start, step));
}

void addActivationGradients(LoweringTable &table) {
  auto add = [&](StringRef name, LowerFn lower) {
    table.add(("aten." + name + "_backward.default").str(), lower);
  };
  add("tanh", lowerOfResult<buildTanhGradient>);
  add("sigmoid", lowerOfResult<buildSigmoidGradient>);
  add("silu", lowerOfArgument<buildSiluGradient>);
  add("mish", lowerOfArgument<buildMishGradient>);
  add("hardsigmoid", lowerOfArgument<buildHardsigmoidGradient>);
  add("hardswish", lowerOfArgument<buildHardswishGradient>);
  add("gelu", lowerGeluBackward);
  add("threshold", lowerThresholdBackward);
  add("hardtanh", lowerHardtanhBackward);
  add("hardshrink", lowerShrinkBackward);
  add("softshrink", lowerShrinkBackward);
  add("leaky_relu", lowerLeakyReluBackward);
  add("elu", lowerEluBackward);
  add("softplus", lowerSoftplusBackward);
  add("log_sigmoid", lowerLogSigmoidBackward);
  add("native_dropout", lowerDropoutBackward);
  add("select", lowerSelectBackward);
  add("slice", lowerSliceBackward);
}

} // namespace tally::import_pt2
