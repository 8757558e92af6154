//===- NormalizationGradients.cpp - Gradients of norms and softmax --------===//
//
//===----------------------------------------------------------------------===//

#include "Normalizations.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// y = (x - mean) * root * weight + bias, of which the gradient of y is known.
/// All tensors have the dimensions of x, or broadcast to it.
struct NormGradient {
  Tensor grad, in, mean, root;
  std::optional<Tensor> weight;
  /// The dimensions that the mean and the root come from.
  SmallVector<int64_t> dims;
  Dtype dtype;

  /// x with the mean taken away, and scaled.
  Tensor buildNormal(Lowering &op) const;
  /// The gradient of the normalized x.
  Tensor buildScaled(Lowering &op) const;
  /// The gradient of x.
  Tensor buildInput(Lowering &op) const;
  /// The same where the mean and the root come from elsewhere.
  Tensor buildInputOfFixed(Lowering &op) const;
};
} // namespace

static Tensor multiply(Lowering &op, const Tensor &x, const Tensor &y,
                       Dtype dtype) {
  return op.map(
      {x, y}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.mul(args[0], args[1]); },
      x.sizes);
}

Tensor NormGradient::buildNormal(Lowering &op) const {
  return op.map(
      {in, mean, root}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.mul(s.sub(args[0], args[1]), args[2]);
      },
      in.sizes);
}

Tensor NormGradient::buildScaled(Lowering &op) const {
  return weight ? multiply(op, grad, *weight, dtype) : op.convert(grad, dtype);
}

Tensor NormGradient::buildInput(Lowering &op) const {
  Tensor normal = buildNormal(op), scaled = buildScaled(op);
  Tensor sum = op.keepDims(op.sum(scaled, dims, dtype), dims);
  Tensor along = op.keepDims(
      op.sum(multiply(op, scaled, normal, dtype), dims, dtype), dims);
  SmallVector<Expr> counted;
  for (int64_t dim : dims)
    counted.push_back(in.sizes[dim]);
  return op.map(
      {scaled, normal, sum, along, root, op.product(counted)}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        Value mean =
            s.divFloat(s.add(args[2], s.mul(args[1], args[3])), args[5]);
        return s.mul(s.sub(args[0], mean), args[4]);
      },
      in.sizes);
}

Tensor NormGradient::buildInputOfFixed(Lowering &op) const {
  return multiply(op, buildScaled(op), root, dtype);
}

/// Gives the gradients that are asked for: of the input, whose own sizes may be
/// others, and of the weight and the bias, which are sums over some dimensions.
static void resultGradients(Lowering &op, const NormGradient &norm,
                            ArrayRef<Expr> inSizes, ArrayRef<int64_t> summed,
                            ArrayRef<Expr> sizes, bool isFixed = false) {
  SmallVector<int64_t> mask = op.integers("output_mask");
  mask.resize(3, 1);
  if (mask[0])
    op.result(
        op.reshape(isFixed ? norm.buildInputOfFixed(op) : norm.buildInput(op),
                   inSizes),
        0);
  Tensor grad = op.convert(norm.grad, norm.dtype);
  auto sum = [&](const Tensor &of) {
    return op.reshape(summed.empty() ? of : op.sum(of, summed, norm.dtype),
                      sizes);
  };
  if (mask[1])
    op.result(sum(multiply(op, grad, norm.buildNormal(op), norm.dtype)), 1);
  if (mask[2])
    op.result(sum(grad), 2);
}

static void lowerLayerNormBackward(Lowering &op) {
  Tensor in = op.tensor("input"), grad = op.tensor("grad_out");
  std::optional<SmallVector<int64_t>> dims = getNormalizedDims(op, in);
  (void)op.find("bias");
  if (!dims || !checkSizes(op, grad, in.sizes))
    return;
  Sizes outer = in.sizes;
  for (int64_t dim : *dims)
    outer[dim] = op.literal(1);
  NormGradient norm{grad,
                    in,
                    op.tensor("mean"),
                    op.tensor("rstd"),
                    op.optionalTensor("weight"),
                    *dims,
                    getComputeDtype(in.dtype)};
  if (!checkSizes(op, norm.mean, outer) || !checkSizes(op, norm.root, outer))
    return;
  int64_t first = in.rank() - int64_t(dims->size());
  ArrayRef<Expr> inner = ArrayRef(in.sizes).drop_front(first);
  if (norm.weight && !checkSizes(op, *norm.weight, inner))
    return;
  resultGradients(op, norm, in.sizes,
                  llvm::to_vector(llvm::seq<int64_t>(0, first)), inner);
}

static void lowerGroupNormBackward(Lowering &op) {
  Tensor in = op.tensor("input", 2), grad = op.tensor("grad_out");
  int64_t groups = op.integer("group", 1);
  if (groups <= 0) {
    (void)op.error("a positive number of groups is needed");
    return;
  }
  checkGroupSizes(op, in);
  op.checkEqual(op.exprs.mod(in.sizes[1], op.literal(groups)), op.literal(0),
                Twine(op.target) + ": the channels do not fit");
  Tensor mean = op.tensor("mean"), root = op.tensor("rstd");
  Sizes perGroup{in.sizes[0], op.literal(groups)};
  if (!checkSizes(op, grad, in.sizes) || !checkSizes(op, mean, perGroup) ||
      !checkSizes(op, root, perGroup))
    return;
  // [n, c, ...] as [n, groups, c / groups, ...].
  Expr channels =
      op.state.simplify(op.exprs.floorDiv(in.sizes[1], op.literal(groups)));
  Expr area = op.product(ArrayRef(in.sizes).drop_front(2));
  Sizes split{in.sizes[0], op.literal(groups), channels, area};
  Sizes wide{in.sizes[0], op.literal(groups), op.literal(1), op.literal(1)};
  NormGradient norm{op.reshape(grad, split),     op.reshape(in, split),
                    op.reshape(mean, wide),      op.reshape(root, wide),
                    op.optionalTensor("weight"), {2, 3},
                    getComputeDtype(in.dtype)};
  if (norm.weight) {
    if (!checkSizes(op, *norm.weight, {in.sizes[1]}))
      return;
    norm.weight = op.reshape(*norm.weight, {op.literal(1), op.literal(groups),
                                            channels, op.literal(1)});
  }
  resultGradients(op, norm, in.sizes, {0, 3}, {in.sizes[1]});
}

/// The statistics are those of the batch in training, else the running ones.
static void lowerBatchNormBackward(Lowering &op) {
  Tensor in = op.tensor("input", 2), grad = op.tensor("grad_out");
  bool isTraining = op.flag("train", false);
  auto get = [&](StringRef own, StringRef running) {
    (void)op.find(own);
    (void)op.find(running);
    return getChannels(op, isTraining ? own : running, in);
  };
  std::optional<Tensor> mean = get("save_mean", "running_mean");
  std::optional<Tensor> root = get("save_invstd", "running_var");
  if (!mean || !root) {
    (void)op.error("statistics are missing");
    return;
  }
  if (!checkSizes(op, grad, in.sizes))
    return;
  Dtype dtype = getComputeDtype(in.dtype);
  double eps = op.real("eps", 1e-5);
  if (!isTraining)
    root = op.map({*root}, dtype, dtype,
                  [&](Scalars &s, ArrayRef<Value> args) -> Value {
                    return math::RsqrtOp::create(s.b, s.loc,
                                                 s.add(args[0], s.number(eps)));
                  });
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    if (dim != 1)
      dims.push_back(dim);
  NormGradient norm{grad, in,   *mean, *root, getChannels(op, "weight", in),
                    dims, dtype};
  resultGradients(op, norm, in.sizes, dims, {in.sizes[1]},
                  /*isFixed=*/!isTraining);
}

/// The gradient of a softmax, or of its logarithm, from that of its result.
template <bool isLog>
static void lowerSoftmaxBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output"), output = op.tensor("output");
  Dtype dtype = getComputeDtype(output.dtype);
  if (!checkSizes(op, grad, output.sizes))
    return;
  // A tensor without dimensions is treated as having one.
  Sizes sizes = output.sizes;
  if (sizes.empty())
    sizes.push_back(op.literal(1));
  grad = op.reshape(op.convert(grad, dtype), sizes);
  output = op.reshape(op.convert(output, dtype), sizes);
  int64_t dim = op.dim("dim", grad.rank());
  (void)op.find("input_dtype");
  Tensor terms = isLog ? grad : multiply(op, grad, output, dtype);
  Tensor sum = op.keepDims(op.sum(terms, {dim}, dtype), {dim});
  Tensor result = op.map(
      {terms, output, sum}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        Value share = args[1];
        if (isLog)
          share = math::ExpOp::create(s.b, s.loc, share);
        return s.sub(args[0], s.mul(share, args[2]));
      },
      sizes);
  op.result(op.reshape(result, op.tensor("output").sizes));
}

void addNormalizationGradients(LoweringTable &table) {
  table.add("aten.native_layer_norm_backward.default", lowerLayerNormBackward);
  table.add("aten.native_group_norm_backward.default", lowerGroupNormBackward);
  table.add("aten.native_batch_norm_backward.default", lowerBatchNormBackward);
  table.add("aten._softmax_backward_data.default", lowerSoftmaxBackward<false>);
  table.add("aten._log_softmax_backward_data.default",
            lowerSoftmaxBackward<true>);
}

} // namespace tally::import_pt2
