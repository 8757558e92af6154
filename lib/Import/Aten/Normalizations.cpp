//===- Normalizations.cpp - Softmax and the norms of layers ---------------===//
//
//===----------------------------------------------------------------------===//

#include "Normalizations.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static Tensor buildMax(Lowering &op, const Tensor &in, int64_t dim) {
  return op.keepDims(op.max(in, {dim}), {dim});
}

static Tensor buildShifted(Lowering &op, const Tensor &in, const Tensor &max) {
  return op.map(
      {in, max}, in.dtype, in.dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.sub(args[0], args[1]); },
      in.sizes);
}

namespace {
/// The parts of softmax and its logarithm.
struct Exponentials {
  Tensor max;     ///< The largest element, whose dimension is kept.
  Tensor shifted; ///< The operand, less its largest element.
  Tensor exps;
  Tensor sum; ///< The sum of `exps`, whose dimension is kept.
};
} // namespace

static Exponentials buildExponentials(Lowering &op, const Tensor &in,
                                      int64_t dim) {
  Tensor max = buildMax(op, in, dim);
  Tensor shifted = buildShifted(op, in, max);
  Tensor exps = op.map({shifted}, in.dtype, in.dtype,
                       [](Scalars &s, ArrayRef<Value> args) -> Value {
                         return math::ExpOp::create(s.b, s.loc, args[0]);
                       });
  return {max, shifted, exps,
          op.keepDims(op.sum(exps, {dim}, in.dtype), {dim})};
}

/// softmax along a dimension.
static Tensor buildSoftmax(Lowering &op, Tensor in, int64_t dim, Dtype out) {
  in = op.convert(in,
                  getComputeDtype(promoteTypes(getFloatDtype(in.dtype), out)));
  Exponentials parts = buildExponentials(op, in, dim);
  return op.map(
      {parts.exps, parts.sum}, in.dtype, in.dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      in.sizes, out);
}

static void lowerSoftmax(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.withDim(self);
  // As in eager mode: what overflows in the type that was asked for is
  // infinite.
  in = op.convert(in, op.resultDtype());
  Tensor result =
      buildSoftmax(op, in, op.dim("dim", in.rank()), op.resultDtype());
  op.result(op.reshape(result, self.sizes));
}

static Tensor buildLog(Lowering &op, const Tensor &in) {
  return op.map({in}, in.dtype, in.dtype,
                [](Scalars &s, ArrayRef<Value> args) -> Value {
                  return math::LogOp::create(s.b, s.loc, args[0]);
                });
}

Tensor buildLogSoftmax(Lowering &op, const Tensor &in, int64_t dim) {
  Exponentials parts = buildExponentials(op, in, dim);
  // A logarithm of its own, which is not computed for each element again.
  return buildShifted(op, parts.shifted, buildLog(op, parts.sum));
}

LogNormalizer buildLogNormalizer(Lowering &op, const Tensor &in, int64_t dim) {
  Exponentials parts = buildExponentials(op, in, dim);
  return {parts.max, buildLog(op, parts.sum)};
}

/// An operation that subtracts from each element, along a dimension, what
/// another tensor has at its place there; null if a value is not the result of
/// one.
static linalg::GenericOp findDifference(Value value, int64_t dim) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 2 ||
      generic.getNumDpsInits() != 1)
    return {};
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  SmallVector<AffineExpr> along(maps[0].getResults());
  if (!maps[0].isIdentity() || dim >= int64_t(along.size()))
    return {};
  along[dim] = getAffineConstantExpr(0, generic.getContext());
  Block *body = generic.getBody();
  auto sub =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::SubFOp>();
  bool isDifference = maps[1].getResults() == ArrayRef<AffineExpr>(along) &&
                      sub && sub.getLhs() == body->getArgument(0) &&
                      sub.getRhs() == body->getArgument(1);
  return isDifference ? generic : linalg::GenericOp();
}

/// Whether a value has the logarithms of another one.
static bool isLog(Value value) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1)
    return false;
  Block *body = generic.getBody();
  auto log = body->getTerminator()->getOperand(0).getDefiningOp<math::LogOp>();
  return log && log.getOperand() == body->getArgument(0);
}

std::optional<std::pair<Tensor, LogNormalizer>>
findLogNormalizer(Lowering &op, const Tensor &logs, int64_t dim) {
  linalg::GenericOp last = findDifference(logs.value, dim);
  if (!last || !isLog(last.getDpsInputs()[1]))
    return std::nullopt;
  linalg::GenericOp first = findDifference(last.getDpsInputs()[0], dim);
  if (!first)
    return std::nullopt;
  Sizes kept = logs.sizes;
  kept[dim] = op.literal(1);
  Tensor in = op.make(first.getDpsInputs()[0], logs.dtype, logs.sizes);
  Tensor max = op.make(first.getDpsInputs()[1], logs.dtype, kept);
  return std::pair(in, LogNormalizer{max, op.make(last.getDpsInputs()[1],
                                                  logs.dtype, kept)});
}

/// softmax, but of a row of which nothing may be chosen it is 0.
static void lowerSafeSoftmax(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.withDim(self);
  int64_t dim = op.dim("dim", in.rank());
  Dtype dtype = op.resultDtype();
  Tensor soft = buildSoftmax(op, in, dim, dtype);
  op.result(op.reshape(op.map(
                           {soft, buildMax(op, in, dim)},
                           getComputeDtype(dtype), getComputeDtype(dtype),
                           [](Scalars &s, ArrayRef<Value> args) {
                             Value isNone =
                                 s.compare(Compare::Eq, args[1], s.lowest());
                             return s.select(isNone, s.number(0), args[0]);
                           },
                           in.sizes, dtype),
                       self.sizes));
}

static void lowerLogSoftmax(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.withDim(self);
  int64_t dim = op.dim("dim", in.rank());
  Dtype dtype = getFloatDtype(op.resultDtype());
  in = op.convert(op.convert(in, dtype), getComputeDtype(dtype));
  op.result(op.reshape(buildLogSoftmax(op, in, dim), self.sizes));
}

//===----------------------------------------------------------------------===//
// Norms of layers
//===----------------------------------------------------------------------===//

namespace {
struct Moments {
  Tensor mean, variance; ///< With reduced dimensions kept.
};
} // namespace

static Tensor divideBy(Lowering &op, const Tensor &sum, Expr count) {
  return op.map({sum, count}, sum.dtype, sum.dtype,
                [](Scalars &s, ArrayRef<Value> args) {
                  return s.divFloat(args[0], args[1]);
                });
}

std::optional<SmallVector<int64_t>> getNormalizedDims(Lowering &op,
                                                      const Tensor &in) {
  Sizes shape = op.symInts("normalized_shape");
  int64_t first = in.rank() - int64_t(shape.size());
  if (first < 0) {
    (void)op.error("there are more normalized dimensions than the tensor has");
    return std::nullopt;
  }
  for (auto [size, expected] :
       llvm::zip(ArrayRef(in.sizes).drop_front(first), shape))
    op.checkEqual(size, expected,
                  Twine(op.target) + ": the normalized sizes differ");
  return llvm::to_vector(llvm::seq<int64_t>(first, in.rank()));
}

Tensor buildSquaredDistances(Lowering &op, const Tensor &in, const Tensor &mean,
                             Dtype dtype) {
  return op.map(
      {in, mean}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        Value gap = s.sub(args[0], args[1]);
        return s.mul(gap, gap);
      },
      in.sizes);
}

static Moments buildMoments(Lowering &op, const Tensor &in,
                            ArrayRef<int64_t> dims, Dtype dtype) {
  SmallVector<Expr> sizes;
  for (int64_t dim : dims)
    sizes.push_back(in.sizes[dim]);
  Expr count = op.product(sizes);
  Tensor mean = op.keepDims(divideBy(op, op.sum(in, dims, dtype), count), dims);
  Tensor squares = buildSquaredDistances(op, in, mean, dtype);
  Tensor variance =
      op.keepDims(divideBy(op, op.sum(squares, dims, dtype), count), dims);
  return {mean, variance};
}

/// (x - mean) / sqrt(variance + eps) * weight + bias; both may be missing.
static Tensor buildNormalized(Lowering &op, const Tensor &in,
                              const Moments &moments,
                              std::optional<Tensor> weight,
                              std::optional<Tensor> bias, double eps,
                              Dtype dtype) {
  SmallVector<Operand> operands{in, moments.mean, moments.variance};
  if (weight)
    operands.push_back(*weight);
  if (bias)
    operands.push_back(*bias);
  return op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value root =
            math::RsqrtOp::create(s.b, s.loc, s.add(args[2], s.number(eps)));
        Value y = s.mul(s.sub(args[0], args[1]), root);
        if (weight)
          y = s.mul(y, args[3]);
        if (bias)
          y = s.add(y, args.back());
        return y;
      },
      in.sizes, op.resultDtype());
}

/// One over the square root of the variance and a small number.
static Tensor buildInverseDeviation(Lowering &op, const Tensor &variance) {
  double eps = op.real("eps", 1e-5);
  return op.map({variance}, variance.dtype, variance.dtype,
                [&](Scalars &s, ArrayRef<Value> args) -> Value {
                  return math::RsqrtOp::create(s.b, s.loc,
                                               s.add(args[0], s.number(eps)));
                });
}

static void lowerLayerNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  auto given = getNormalizedDims(op, in);
  if (!given)
    return;
  ArrayRef<int64_t> dims = *given;
  Dtype dtype = getComputeDtype(in.dtype);
  Moments moments = buildMoments(op, in, dims, dtype);
  op.result(buildNormalized(op, in, moments, op.optionalTensor("weight"),
                            op.optionalTensor("bias"), op.real("eps", 1e-5),
                            dtype));
  if (op.numResults() == 3) {
    op.result(moments.mean, 1);
    op.result(buildInverseDeviation(op, moments.variance), 2);
  }
}

static void lowerRmsNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  auto given = getNormalizedDims(op, in);
  if (!given)
    return;
  ArrayRef<int64_t> dims = *given;
  Dtype dtype = getComputeDtype(in.dtype);
  // That of the type which is computed in, also for halves.
  double eps = op.real("eps", dtype == Dtype::F64 ? 2.220446049250313e-16
                                                  : 1.1920928955078125e-07);
  Tensor squares =
      op.map({in}, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
        return s.mul(args[0], args[0]);
      });
  SmallVector<Expr> sizes;
  for (int64_t dim : dims)
    sizes.push_back(in.sizes[dim]);
  Tensor mean = op.keepDims(
      divideBy(op, op.sum(squares, dims, dtype), op.product(sizes)), dims);
  std::optional<Tensor> weight = op.optionalTensor("weight");
  SmallVector<Operand> operands{in, mean};
  if (weight)
    operands.push_back(*weight);
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value root =
            math::RsqrtOp::create(s.b, s.loc, s.add(args[1], s.number(eps)));
        Value y = s.mul(args[0], root);
        return weight ? s.mul(y, args[2]) : y;
      },
      in.sizes, op.resultDtype()));
}

std::optional<Tensor> getChannels(Lowering &op, StringRef name,
                                  const Tensor &in) {
  std::optional<Tensor> tensor = op.optionalTensor(name);
  if (!tensor)
    return std::nullopt;
  if (tensor->rank() != 1) {
    (void)op.error("the argument '" + name + "' must be a vector");
    return std::nullopt;
  }
  op.checkEqual(tensor->sizes[0], in.sizes[1],
                Twine(op.target) + ": the channels do not fit");
  return alongDim(op, *tensor, in.rank(), 1);
}

/// The running statistics after a step: a mean, and a variance of which one
/// element was not free. A batch of nothing leaves them as they are.
static Tensor buildRunning(Lowering &op, const Tensor &old, const Tensor &now,
                           Expr count, bool isVariance) {
  double momentum = op.real("momentum", 0.1);
  Tensor flat = op.reshape(now, old.sizes);
  return op.map(
      {old, flat, count}, flat.dtype, flat.dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value value = args[1];
        if (isVariance)
          value =
              s.mul(value, s.divFloat(args[2], s.sub(args[2], s.number(1))));
        Value kept = s.mul(args[0], s.number(1 - momentum));
        Value next = s.add(s.mul(value, s.number(momentum)), kept);
        Value isEmpty = s.compare(Compare::Eq, args[2], s.number(0));
        return s.select(isEmpty, args[0], next);
      },
      old.sizes, old.dtype);
}

/// Normalizes by the statistics of the batch, and gives the running statistics
/// after it: as results, or in place.
static void lowerTrainedBatchNorm(Lowering &op, const Tensor &in) {
  Dtype dtype = getComputeDtype(in.dtype);
  SmallVector<int64_t> dims;
  SmallVector<Expr> sizes;
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    if (dim != 1) {
      dims.push_back(dim);
      sizes.push_back(in.sizes[dim]);
    }
  Moments moments = buildMoments(op, in, dims, dtype);
  Expr count = op.product(sizes);
  static constexpr StringLiteral names[] = {"running_mean", "running_var"};
  for (auto [i, name] : llvm::enumerate(names)) {
    std::optional<Tensor> old = op.optionalTensor(name);
    if (!old)
      continue;
    Tensor next = buildRunning(op, *old, i ? moments.variance : moments.mean,
                               count, /*isVariance=*/i == 1);
    if (op.numResults() == 5)
      op.result(next, unsigned(3 + i));
    else
      op.update(name, next);
  }
  op.result(buildNormalized(op, in, moments, getChannels(op, "weight", in),
                            getChannels(op, "bias", in), op.real("eps", 1e-5),
                            dtype));
  if (op.numResults() < 3)
    return;
  op.result(op.reshape(moments.mean, {in.sizes[1]}), 1);
  op.result(
      op.reshape(buildInverseDeviation(op, moments.variance), {in.sizes[1]}),
      2);
}

static void lowerBatchNorm(Lowering &op) {
  Tensor in = op.tensor("input", 2);
  // Some forms exist only for one of both.
  bool isTraining = op.flag("training", !op.has("running_mean"));
  if (isTraining)
    return lowerTrainedBatchNorm(op, in);
  std::optional<Tensor> mean = getChannels(op, "running_mean", in);
  std::optional<Tensor> variance = getChannels(op, "running_var", in);
  if (!mean || !variance) {
    (void)op.error("running statistics are missing");
    return;
  }
  op.result(buildNormalized(op, in, {*mean, *variance},
                            getChannels(op, "weight", in),
                            getChannels(op, "bias", in), op.real("eps", 1e-5),
                            getComputeDtype(in.dtype)));
  // The statistics of the batch are for a gradient only.
  for (unsigned i = 1; i < std::min(op.numResults(), 3u); ++i)
    op.result(op.fill({op.literal(0)}, op.resultDtype(i), 0.0), i);
}

/// Each channel of each element of the batch by itself, or by the running
/// statistics, which otherwise take over the mean of all elements.
static void lowerInstanceNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  bool usesInput = op.flag("use_input_stats", true);
  if (in.rank() < (usesInput ? 3 : 2)) {
    (void)op.error("the input must have a batch, channels, and elements");
    return;
  }
  Dtype dtype = getComputeDtype(in.dtype);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, in.rank()));
  Moments moments;
  if (usesInput) {
    moments = buildMoments(op, in, dims, dtype);
    Expr count = op.product(ArrayRef(in.sizes).drop_front(2));
    static constexpr StringLiteral names[] = {"running_mean", "running_var"};
    for (auto [i, name] : llvm::enumerate(names)) {
      std::optional<Tensor> old = op.optionalTensor(name);
      if (!old)
        continue;
      const Tensor &each = i ? moments.variance : moments.mean;
      Tensor mean = divideBy(op, op.sum(each, {0}, dtype), in.sizes[0]);
      op.update(name,
                buildRunning(op, *old, mean, count, /*isVariance=*/i == 1));
    }
  } else {
    std::optional<Tensor> mean = getChannels(op, "running_mean", in);
    std::optional<Tensor> variance = getChannels(op, "running_var", in);
    if (!mean || !variance) {
      (void)op.error("running statistics are missing");
      return;
    }
    moments = {*mean, *variance};
  }
  op.result(buildNormalized(op, in, moments, getChannels(op, "weight", in),
                            getChannels(op, "bias", in), op.real("eps", 1e-5),
                            dtype));
}

void checkGroupSizes(Lowering &op, const Tensor &in) {
  auto check = [&](StringRef name, Expr size) {
    if (op.has(name))
      op.checkEqual(op.symInt(name), size,
                    Twine(op.target) + ": the sizes do not fit the input");
  };
  check("N", in.sizes[0]);
  check("C", in.sizes[1]);
  check("HxW", op.product(ArrayRef(in.sizes).drop_front(2)));
}

static void lowerGroupNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  int64_t groups = op.integer(op.has("group") ? "group" : "num_groups", 1);
  if (in.rank() < 2 || groups <= 0) {
    (void)op.error("two dimensions and a positive number of groups are needed");
    return;
  }
  checkGroupSizes(op, in);
  op.checkEqual(op.exprs.mod(in.sizes[1], op.literal(groups)), op.literal(0),
                Twine(op.target) + ": the channels do not fit");
  Dtype dtype = getComputeDtype(in.dtype);
  // [n, c, ...] as [n, groups, c / groups, ...].
  Sizes split = in.sizes;
  split[1] =
      op.state.simplify(op.exprs.floorDiv(in.sizes[1], op.literal(groups)));
  split.insert(split.begin() + 1, op.literal(groups));
  Tensor grouped = op.reshape(in, split);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, grouped.rank()));
  Moments moments = buildMoments(op, grouped, dims, dtype);
  Tensor root = buildInverseDeviation(op, moments.variance);
  Tensor plain = op.map(
      {grouped, moments.mean, root}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        return s.mul(s.sub(args[0], args[1]), args[2]);
      },
      grouped.sizes);
  std::optional<Tensor> weight = getChannels(op, "weight", in);
  std::optional<Tensor> bias = getChannels(op, "bias", in);
  SmallVector<Operand> operands{op.reshape(plain, in.sizes)};
  for (const std::optional<Tensor> &channels : {weight, bias})
    if (channels)
      operands.push_back(*channels);
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value y = args[0];
        if (weight)
          y = s.mul(y, args[1]);
        return bias ? s.add(y, args.back()) : y;
      },
      in.sizes, op.resultDtype()));
  if (op.numResults() != 3)
    return;
  Sizes perGroup{in.sizes[0], op.literal(groups)};
  op.result(op.reshape(moments.mean, perGroup), 1);
  op.result(op.reshape(root, perGroup), 2);
}

/// v times g over the norm of v: over all of it where `dim` is -1, else over
/// each of its slices along a dimension.
static void lowerWeightNorm(Lowering &op) {
  Tensor in = op.tensor("v", 1), scale = op.tensor("g");
  bool isWhole = op.integer("dim", 0) == -1;
  int64_t dim = isWhole ? -1 : op.dim("dim", in.rank(), 0);
  // There is always a dimension to reduce.
  Tensor wide = op.unsqueeze(in, in.rank());
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < wide.rank(); ++i)
    if (i != dim)
      dims.push_back(i);
  Tensor norm = buildNorm(op, wide, dims, 2);
  if (!isWhole)
    norm = alongDim(op, norm, in.rank(), dim);
  Dtype dtype = getComputeDtype(in.dtype);
  op.result(op.map(
      {in, scale, norm}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.mul(args[0], s.divFloat(args[1], args[2]));
      },
      in.sizes, op.resultDtype()));
  if (op.numResults() == 2)
    op.result(op.reshape(norm, scale.sizes), 1);
}

void addNormalizations(LoweringTable &table) {
  table.add("aten._weight_norm.default", lowerWeightNorm);
  table.add("aten._weight_norm_interface.default", lowerWeightNorm);
  table.add("aten._safe_softmax.default", lowerSafeSoftmax);
  table.add("aten.softmax.int", lowerSoftmax);
  table.add("aten._softmax.default", lowerSoftmax);
  table.add("aten.special_softmax.default", lowerSoftmax);
  table.add("aten.special_log_softmax.default", lowerLogSoftmax);
  table.add("aten.log_softmax.int", lowerLogSoftmax);
  table.add("aten._log_softmax.default", lowerLogSoftmax);
  table.add("aten.layer_norm.default", lowerLayerNorm);
  table.add("aten.native_layer_norm.default", lowerLayerNorm);
  table.add("aten.rms_norm.default", lowerRmsNorm);
  table.add("aten.batch_norm.default", lowerBatchNorm);
  table.add("aten.native_batch_norm.default", lowerBatchNorm);
  for (StringRef name :
       {"_native_batch_norm_legit.default", "_native_batch_norm_legit.no_stats",
        "_native_batch_norm_legit_functional.default",
        "_native_batch_norm_legit_no_training.default"})
    table.add(("aten." + name).str(), lowerBatchNorm);
  table.add("aten.group_norm.default", lowerGroupNorm);
  table.add("aten.native_group_norm.default", lowerGroupNorm);
  table.add("aten.instance_norm.default", lowerInstanceNorm);
}

} // namespace tally::import_pt2
