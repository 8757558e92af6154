//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;

namespace tally::import_pt2 {

/// out[n, g, o, x...] = sum in[n, g, c, x * stride + k * dilation...] *
/// weight[g, o, c, k...], with the dimension g of groups only if there are any.
static Tensor buildConvolution(Lowering &op, const Tensor &in,
                               const Tensor &weight, const Windows &windows,
                               bool grouped, Dtype dtype) {
  int64_t lead = grouped ? 1 : 0;
  int64_t spatial = in.rank() - 2 - lead;
  Sizes sizes{in.sizes[0]};
  if (grouped)
    sizes.push_back(in.sizes[1]);
  // Where nothing comes in, PyTorch's results have no channels either.
  bool isNone = in.sizes[1 + lead].isConstant(0);
  sizes.push_back(isNone ? op.literal(0) : weight.sizes[lead]);
  for (int64_t i = 0; i < spatial; ++i)
    sizes.push_back(countWindows(op, in.sizes[2 + lead + i],
                                 weight.sizes[2 + lead + i], windows.stride[i],
                                 windows.dilation[i]));
  if (isNone)
    return op.fill(sizes, dtype, 0.0);
  // Loops: n, (g), o, x..., then the sum over c, k...
  auto d = [&](int64_t i) { return op.b.getAffineDimExpr(unsigned(i)); };
  int64_t channel = 2 + lead + spatial;
  unsigned loops = unsigned(channel + 1 + spatial);
  SmallVector<AffineExpr> inExprs{d(0)}, weightExprs;
  if (grouped) {
    inExprs.push_back(d(1));
    weightExprs.push_back(d(1));
  }
  inExprs.push_back(d(channel));
  weightExprs.append({d(1 + lead), d(channel)});
  for (int64_t i = 0; i < spatial; ++i) {
    AffineExpr x = d(2 + lead + i), k = d(channel + 1 + i);
    inExprs.push_back(x * windows.stride[i] + k * windows.dilation[i]);
    weightExprs.push_back(k);
  }
  MLIRContext *context = op.b.getContext();
  return op.contract(in, AffineMap::get(loops, 0, inExprs, context), weight,
                     AffineMap::get(loops, 0, weightExprs, context), sizes,
                     loops, dtype);
}

/// There is a channel for each group.
static void checkHasGroups(Lowering &op, const Tensor &weight, int64_t groups) {
  op.check(Comparison::le(op.literal(groups), weight.sizes[0]),
           Twine(op.target) + ": the weight has fewer channels than groups");
}

/// The convolution of a padded tensor, in groups of channels.
static Tensor buildGrouped(Lowering &op, const Tensor &in, const Tensor &weight,
                           const Windows &windows, int64_t groups) {
  Dtype dtype = getComputeDtype(in.dtype);
  op.checkEqual(in.sizes[1], op.exprs.mul(weight.sizes[1], op.literal(groups)),
                Twine(op.target) + ": the channels differ");
  checkHasGroups(op, weight, groups);
  if (groups == 1)
    return buildConvolution(op, in, weight, windows, /*grouped=*/false, dtype);
  auto split = [&](const Tensor &tensor, int64_t dim) {
    Sizes sizes = tensor.sizes;
    sizes[dim] = op.exprs.floorDiv(tensor.sizes[dim], op.literal(groups));
    sizes.insert(sizes.begin() + dim, op.literal(groups));
    return op.reshape(tensor, sizes);
  };
  Tensor product = buildConvolution(op, split(in, 1), split(weight, 0), windows,
                                    /*grouped=*/true, dtype);
  Sizes merged = product.sizes;
  merged.erase(merged.begin() + 1);
  merged[1] = merged[1].isConstant(0) ? merged[1] : weight.sizes[0];
  return op.reshape(product, merged);
}

/// Adds the bias, and takes away the batch that was not there.
static void resultConvolved(Lowering &op, Tensor in, bool isBatched) {
  std::optional<Tensor> bias = op.optionalTensor("bias");
  if (bias && !in.sizes[1].isConstant(0))
    in = op.map(
        {in, alongDim(op, *bias, in.rank(), 1)}, in.dtype, in.dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.add(args[0], args[1]);
        },
        in.sizes, op.resultDtype());
  op.result(isBatched ? in : op.squeeze(in, {0}));
}

/// The input as a batch, of one image where `isBatched` is false then; nothing,
/// with an error, where it does not fit the weight.
static std::optional<Tensor> getInput(Lowering &op, const Tensor &weight,
                                      bool &isBatched) {
  Tensor in = op.tensor("input");
  isBatched = in.rank() == weight.rank();
  if (weight.rank() >= 3 && (isBatched || in.rank() == weight.rank() - 1))
    return isBatched ? in : op.unsqueeze(in, 0);
  (void)op.error("an input of " + Twine(in.rank()) +
                 " dimensions does not fit a weight of " +
                 Twine(weight.rank()));
  return std::nullopt;
}

/// Pads by what a window reaches beyond its first element: half of it in front,
/// rounded down.
static Tensor padToKeepSize(Lowering &op, const Tensor &in,
                            const Tensor &weight, const Windows &windows,
                            Value value) {
  Sizes low(in.rank(), op.literal(0)), high = low;
  for (auto [i, dilation] : llvm::enumerate(windows.dilation)) {
    int64_t dim = 2 + int64_t(i);
    Expr reach = op.exprs.mul(op.literal(dilation),
                              op.exprs.sub(weight.sizes[dim], op.literal(1)));
    low[dim] = op.state.simplify(op.exprs.floorDiv(reach, op.literal(2)));
    high[dim] = op.state.simplify(op.exprs.sub(reach, low[dim]));
  }
  return buildPad(op, in, low, high, value);
}

static void lowerConvolution(Lowering &op) {
  Tensor weight = op.tensor("weight");
  bool isBatched = true;
  std::optional<Tensor> input = getInput(op, weight, isBatched);
  if (!input)
    return;
  Tensor in = *input;
  Windows windows = getWindows(op, weight.rank() - 2);
  Sizes given = in.sizes;
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  in = windows.keepsSize ? padToKeepSize(op, in, weight, windows, zero)
                         : padSpatial(op, in, windows.padding, zero);
  Tensor result =
      buildGrouped(op, in, weight, windows, op.integer("groups", 1));
  checkNotEmpty(op, ArrayRef(given).drop_front(2), {given[0], given[1]});
  resultConvolved(op, result, isBatched);
}

/// Puts zeros behind each element of a dimension, which are `stride` apart
/// then.
static Tensor spread(Lowering &op, const Tensor &in, int64_t dim,
                     int64_t stride) {
  if (stride == 1)
    return in;
  Sizes sizes = in.sizes;
  sizes[dim] = op.exprs.mul(in.sizes[dim], op.literal(stride));
  Tensor zeros = op.fill(sizes, in.dtype, 0.0);
  return op.insertSlice(zeros, in, dim, op.literal(0), stride);
}

/// The weight [in, out / groups, ...] of a transposed convolution as that of a
/// convolution: [out, in / groups, ...], mirrored.
static Tensor transposeWeight(Lowering &op, const Tensor &weight,
                              int64_t groups) {
  auto spatial = llvm::to_vector(llvm::seq<int64_t>(2, weight.rank()));
  Tensor mirrored = buildFlip(op, weight, spatial);
  Sizes split = mirrored.sizes;
  split[0] = op.exprs.floorDiv(mirrored.sizes[0], op.literal(groups));
  split.insert(split.begin(), op.literal(groups));
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, weight.rank() + 1));
  std::swap(order[1], order[2]);
  Tensor swapped = op.permute(op.reshape(mirrored, split), order);
  Sizes merged(swapped.sizes.begin() + 1, swapped.sizes.end());
  merged[0] = op.exprs.mul(op.literal(groups), merged[0]);
  return op.reshape(swapped, merged);
}

/// A convolution of the input with zeros put between its elements.
static void lowerTransposedConvolution(Lowering &op) {
  Tensor weight = op.tensor("weight");
  bool isBatched = true;
  std::optional<Tensor> input = getInput(op, weight, isBatched);
  if (!input)
    return;
  Tensor in = *input;
  int64_t spatial = weight.rank() - 2, groups = op.integer("groups", 1);
  checkHasGroups(op, weight, groups);
  Windows windows = getWindows(op, spatial);
  SmallVector<int64_t> more = getSpatial(op, "output_padding", spatial, 0);
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(2),
                {in.sizes[0], in.sizes[1]});
  Sizes low(in.rank(), op.literal(0)), high = low;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t dim = 2 + i;
    in = spread(op, in, dim, windows.stride[i]);
    Expr reach = op.exprs.mul(op.literal(windows.dilation[i]),
                              op.exprs.sub(weight.sizes[dim], op.literal(1)));
    low[dim] = op.exprs.sub(reach, op.literal(windows.padding[i]));
    // The zeros behind the last element are not between two.
    high[dim] =
        op.exprs.add(low[dim], op.literal(more[i] - (windows.stride[i] - 1)));
    windows.stride[i] = 1;
  }
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  in = buildPad(op, in, low, high, zero);
  resultConvolved(op,
                  buildGrouped(op, in, transposeWeight(op, weight, groups),
                               windows, groups),
                  isBatched);
}

/// The form that decompositions leave of both.
static void lowerAnyConvolution(Lowering &op) {
  if (op.flag("transposed", false))
    return lowerTransposedConvolution(op);
  (void)op.find("output_padding");
  lowerConvolution(op);
}

void addConvolutions(LoweringTable &table) {
  for (StringRef name : {"conv1d", "conv2d", "conv3d"})
    for (StringRef overload : {"default", "padding"})
      table.add(("aten." + name + "." + overload).str(), lowerConvolution);
  table.add("aten.convolution.default", lowerAnyConvolution);
  table.add("aten.conv_transpose1d.default", lowerTransposedConvolution);
  table.add("aten.conv_transpose2d.input", lowerTransposedConvolution);
  table.add("aten.conv_transpose3d.input", lowerTransposedConvolution);
}

} // namespace tally::import_pt2
