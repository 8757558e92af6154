//===- Normalizations.cpp - Softmax and the norms of layers ---------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

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

Tensor buildSoftmax(Lowering &op, Tensor in, int64_t dim, Dtype out,
                    bool isSafe) {
  in = op.convert(in,
                  getComputeDtype(promoteTypes(getFloatDtype(in.dtype), out)));
  Tensor max = buildMax(op, in, dim);
  Tensor shifted = buildShifted(op, in, max);
  Tensor exps = op.map({shifted}, in.dtype, in.dtype,
                       [](Scalars &s, ArrayRef<Value> args) -> Value {
                         return math::ExpOp::create(s.b, s.loc, args[0]);
                       });
  Tensor sum = op.keepDims(op.sum(exps, {dim}, in.dtype), {dim});
  SmallVector<Operand> operands{exps, sum};
  if (isSafe)
    operands.push_back(max);
  return op.map(
      operands, in.dtype, in.dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value share = s.divFloat(args[0], args[1]);
        if (!isSafe)
          return share;
        Value isMasked = s.compare(Compare::Eq, args[2], s.lowest());
        return s.select(isMasked, s.number(0), share);
      },
      in.sizes, out);
}

/// Tensors without dimensions are treated as having one.
static Tensor withDim(Lowering &op, const Tensor &in) {
  return in.rank() == 0 ? op.unsqueeze(in, 0) : in;
}

static void lowerSoftmax(Lowering &op) {
  Tensor self = op.tensor("self"), in = withDim(op, self);
  // As in eager mode: what overflows in the type that was asked for is
  // infinite.
  in = op.convert(in, op.resultDtype());
  Tensor result = buildSoftmax(op, in, op.dim("dim", in.rank()),
                               op.resultDtype(), /*isSafe=*/false);
  op.result(op.reshape(result, self.sizes));
}

Tensor buildLogSoftmax(Lowering &op, const Tensor &in, int64_t dim) {
  Tensor max = buildMax(op, in, dim);
  Tensor shifted = buildShifted(op, in, max);
  Tensor exps = op.map({shifted}, in.dtype, in.dtype,
                       [](Scalars &s, ArrayRef<Value> args) -> Value {
                         return math::ExpOp::create(s.b, s.loc, args[0]);
                       });
  Tensor sum = op.keepDims(op.sum(exps, {dim}, in.dtype), {dim});
  return op.map(
      {shifted, sum}, in.dtype, in.dtype,
      [](Scalars &s, ArrayRef<Value> args) -> Value {
        Value log = math::LogOp::create(s.b, s.loc, args[1]);
        return s.sub(args[0], log);
      },
      in.sizes);
}

static void lowerLogSoftmax(Lowering &op) {
  Tensor self = op.tensor("self"), in = withDim(op, self);
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

/// The dimensions that are normalized, which must have the sizes that are
/// given; nothing if there are more.
static std::optional<SmallVector<int64_t>> getNormalizedDims(Lowering &op,
                                                             const Tensor &in) {
  Sizes shape = op.symInts("normalized_shape");
  int64_t first = in.rank() - int64_t(shape.size());
  if (first < 0) {
    (void)op.error("more normalized dimensions than there are");
    return std::nullopt;
  }
  for (auto [size, expected] :
       llvm::zip(ArrayRef(in.sizes).drop_front(first), shape))
    op.checkEqual(size, expected,
                  Twine(op.target) + ": the normalized sizes differ");
  return llvm::to_vector(llvm::seq<int64_t>(first, in.rank()));
}

static Moments buildMoments(Lowering &op, const Tensor &in,
                            ArrayRef<int64_t> dims, Dtype dtype) {
  SmallVector<Expr> sizes;
  for (int64_t dim : dims)
    sizes.push_back(in.sizes[dim]);
  Expr count = op.product(sizes);
  Tensor mean = op.keepDims(divideBy(op, op.sum(in, dims, dtype), count), dims);
  Tensor squares = op.map(
      {in, mean}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        Value gap = s.sub(args[0], args[1]);
        return s.mul(gap, gap);
      },
      in.sizes);
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
    op.result(op.map({moments.variance}, dtype, dtype,
                     [&](Scalars &s, ArrayRef<Value> args) -> Value {
                       Value sum = s.add(args[0], s.number(op.real("eps", 0)));
                       return math::RsqrtOp::create(s.b, s.loc, sum);
                     }),
              2);
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

static void lowerBatchNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  if (op.flag("training", false) || !op.has("running_mean") ||
      !op.has("running_var") || in.rank() < 2) {
    (void)op.error("batch normalization in training mode is not supported");
    return;
  }
  Dtype dtype = getComputeDtype(in.dtype);
  auto channel = [&](StringRef name) -> std::optional<Tensor> {
    if (std::optional<Tensor> tensor = op.optionalTensor(name))
      return alongDim(op, *tensor, in.rank(), 1);
    return std::nullopt;
  };
  Moments moments{*channel("running_mean"), *channel("running_var")};
  op.result(buildNormalized(op, in, moments, channel("weight"), channel("bias"),
                            op.real("eps", 1e-5), dtype));
}

/// Each channel of each element of the batch by itself.
static void lowerInstanceNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  if (!op.flag("use_input_stats", true) || in.rank() < 3) {
    (void)op.error("running statistics are not supported");
    return;
  }
  if (op.has("running_mean") || op.has("running_var")) {
    (void)op.error("the update of running statistics is not supported");
    return;
  }
  Dtype dtype = getComputeDtype(in.dtype);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, in.rank()));
  auto channel = [&](StringRef name) -> std::optional<Tensor> {
    if (std::optional<Tensor> tensor = op.optionalTensor(name))
      return alongDim(op, *tensor, in.rank(), 1);
    return std::nullopt;
  };
  op.result(buildNormalized(op, in, buildMoments(op, in, dims, dtype),
                            channel("weight"), channel("bias"),
                            op.real("eps", 1e-5), dtype));
}

static void lowerGroupNorm(Lowering &op) {
  Tensor in = op.tensor("input");
  int64_t groups = op.integer("num_groups", 1);
  if (in.rank() < 2 || groups <= 0) {
    (void)op.error("the groups do not fit the tensor");
    return;
  }
  auto checkChannels = [&](Expr a, Expr b) {
    op.checkEqual(a, b, Twine(op.target) + ": the channels do not fit");
  };
  checkChannels(op.exprs.mod(in.sizes[1], op.literal(groups)), op.literal(0));
  Dtype dtype = getComputeDtype(in.dtype);
  // [n, c, ...] as [n, groups, c / groups, ...].
  Sizes split = in.sizes;
  split[1] =
      op.state.simplify(op.exprs.floorDiv(in.sizes[1], op.literal(groups)));
  split.insert(split.begin() + 1, op.literal(groups));
  Tensor grouped = op.reshape(in, split);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, grouped.rank()));
  Moments moments = buildMoments(op, grouped, dims, dtype);
  Tensor plain = op.map(
      {grouped, moments.mean, moments.variance}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value root = math::RsqrtOp::create(
            s.b, s.loc, s.add(args[2], s.number(op.real("eps", 1e-5))));
        return s.mul(s.sub(args[0], args[1]), root);
      },
      grouped.sizes);
  Tensor result = op.reshape(plain, in.sizes);
  std::optional<Tensor> weight = op.optionalTensor("weight");
  std::optional<Tensor> bias = op.optionalTensor("bias");
  SmallVector<Operand> operands{result};
  for (const std::optional<Tensor> &channels : {weight, bias}) {
    if (!channels)
      continue;
    if (channels->rank() != 1) {
      (void)op.error("the weight and the bias must be vectors");
      return;
    }
    checkChannels(channels->sizes[0], in.sizes[1]);
    operands.push_back(alongDim(op, *channels, in.rank(), 1));
  }
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value y = args[0];
        if (weight)
          y = s.mul(y, args[1]);
        return bias ? s.add(y, args.back()) : y;
      },
      in.sizes, op.resultDtype()));
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
}

void addNormalizations(LoweringTable &table) {
  table.add("aten._weight_norm.default", lowerWeightNorm);
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
  table.add("aten.group_norm.default", lowerGroupNorm);
  table.add("aten.instance_norm.default", lowerInstanceNorm);
}

} // namespace tally::import_pt2
