//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;

namespace tally::import_pt2 {

/// out[n, g, o, x...] = sum in[n, g, c, x * stride + k * dilation...] *
/// weight[g, o, c, k...], with the dimension g of groups only if there are any.
/// `counts` are the numbers of windows, where they are known already.
static Tensor buildConvolution(Lowering &op, const Tensor &in,
                               const Tensor &weight, const Windows &windows,
                               bool grouped, Dtype dtype,
                               ArrayRef<Expr> counts) {
  int64_t lead = grouped ? 1 : 0;
  int64_t spatial = in.rank() - 2 - lead;
  Sizes sizes{in.sizes[0]};
  if (grouped)
    sizes.push_back(in.sizes[1]);
  // Where nothing comes in, PyTorch's results have no channels either.
  bool isNone = in.sizes[1 + lead].isConstant(0);
  sizes.push_back(isNone ? op.literal(0) : weight.sizes[lead]);
  for (int64_t i = 0; i < spatial; ++i)
    sizes.push_back(counts.empty()
                        ? countWindows(op, in.sizes[2 + lead + i],
                                       weight.sizes[2 + lead + i],
                                       windows.stride[i], windows.dilation[i])
                        : counts[i]);
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

/// The number of groups, which divides that of the channels of the weight.
static Expr getGroups(Lowering &op, const Tensor &weight) {
  Expr groups = op.symInt("groups", 1);
  if (std::optional<int64_t> number = groups.getInt64();
      number && *number < 1) {
    (void)op.error("a positive number of groups is needed");
    return op.literal(1);
  }
  op.check(Comparison::le(op.literal(1), groups),
           Twine(op.target) + ": a positive number of groups is needed");
  op.check(Comparison::le(groups, weight.sizes[0]),
           Twine(op.target) + ": the weight has fewer channels than groups");
  op.checkEqual(op.exprs.mod(weight.sizes[0], groups), op.literal(0),
                Twine(op.target) +
                    ": the number of groups does not divide the channels of "
                    "the weight");
  return groups;
}

/// A dimension of channels as [groups, channels of each]; `each` is the number
/// of these where it is known already.
static Tensor splitChannels(Lowering &op, const Tensor &in, int64_t dim,
                            Expr groups, Expr each = Expr()) {
  Sizes sizes = in.sizes;
  sizes[dim] =
      each ? each : op.state.simplify(op.exprs.floorDiv(in.sizes[dim], groups));
  sizes.insert(sizes.begin() + dim, groups);
  return op.reshape(in, sizes);
}

/// The convolution of a padded tensor, in groups of channels.
static Tensor buildGrouped(Lowering &op, const Tensor &in, const Tensor &weight,
                           const Windows &windows, Expr groups,
                           ArrayRef<Expr> counts = {}) {
  Dtype dtype = getComputeDtype(in.dtype);
  op.checkEqual(in.sizes[1], op.exprs.mul(weight.sizes[1], groups),
                Twine(op.target) + ": the channels differ");
  if (groups.isConstant(1))
    return buildConvolution(op, in, weight, windows, /*grouped=*/false, dtype,
                            counts);
  Tensor product =
      buildConvolution(op, splitChannels(op, in, 1, groups, weight.sizes[1]),
                       splitChannels(op, weight, 0, groups), windows,
                       /*grouped=*/true, dtype, counts);
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
  Tensor result = buildGrouped(op, in, weight, windows, getGroups(op, weight));
  checkNotEmpty(op, ArrayRef(given).drop_front(2), {given[0], given[1]});
  resultConvolved(op, result, isBatched);
}

/// The weight [in, out / groups, ...] of a transposed convolution as that of a
/// convolution: [out, in / groups, ...], mirrored.
static Tensor transposeWeight(Lowering &op, const Tensor &weight, Expr groups) {
  auto spatial = llvm::to_vector(llvm::seq<int64_t>(2, weight.rank()));
  Tensor mirrored = buildFlip(op, weight, spatial);
  if (groups.isConstant(1)) {
    auto exchange = llvm::to_vector(llvm::seq<int64_t>(0, weight.rank()));
    std::swap(exchange[0], exchange[1]);
    return op.permute(mirrored, exchange);
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, weight.rank() + 1));
  std::swap(order[1], order[2]);
  Tensor swapped = op.permute(splitChannels(op, mirrored, 0, groups), order);
  Sizes merged(swapped.sizes.begin() + 1, swapped.sizes.end());
  merged[0] = op.exprs.mul(groups, merged[0]);
  return op.reshape(swapped, merged);
}

/// PyTorch gives no elements where the padding takes all away, and refuses to
/// take away more.
static void checkHasResult(Lowering &op, Expr size) {
  op.check(Comparison::le(op.literal(0), size),
           Twine(op.target) + ": the padding is larger than the result");
}

/// Whether the results of each element of the input are a block of their own.
static bool hasApartBlocks(const Tensor &weight, const Windows &windows,
                           ArrayRef<int64_t> more) {
  for (auto [i, stride] : llvm::enumerate(windows.stride))
    if (!weight.sizes[2 + i].isConstant(stride) || windows.padding[i] != 0 ||
        windows.dilation[i] != 1 || more[i] != 0)
      return false;
  return true;
}

/// A transposed convolution with blocks: each element of a block is a channel
/// of a convolution with windows of one element. The input is read once.
static Tensor buildBlocks(Lowering &op, const Tensor &in, const Tensor &weight,
                          Expr groups) {
  int64_t spatial = weight.rank() - 2;
  Sizes flat{weight.sizes[0], weight.sizes[1]};
  for (Expr size : ArrayRef(weight.sizes).drop_front(2))
    flat[1] = op.exprs.mul(flat[1], size);
  flat.append(spatial, op.literal(1));
  SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0);
  Windows single{ones, zeros, ones};
  Tensor made = buildGrouped(
      op, in, transposeWeight(op, op.reshape(weight, flat), groups), single,
      groups, ArrayRef(in.sizes).drop_front(2));
  Expr channels = op.exprs.mul(weight.sizes[1], groups);
  Sizes split{in.sizes[0], channels}, sizes = split;
  split.append(weight.sizes.begin() + 2, weight.sizes.end());
  SmallVector<int64_t> order{0, 1};
  for (int64_t i = 0; i < spatial; ++i) {
    split.push_back(in.sizes[2 + i]);
    sizes.push_back(
        op.state.simplify(op.exprs.mul(in.sizes[2 + i], weight.sizes[2 + i])));
    order.append({2 + spatial + i, 2 + i});
  }
  return op.reshape(op.permute(op.reshape(made, split), order), sizes);
}

/// The sizes of what a convolution gives.
static Sizes getConvolvedSizes(Lowering &op, const Tensor &in,
                               const Tensor &weight, const Windows &windows,
                               Expr groups, bool isTransposed) {
  Sizes sizes = in.sizes;
  sizes[1] =
      isTransposed ? op.exprs.mul(weight.sizes[1], groups) : weight.sizes[0];
  SmallVector<int64_t> more =
      getSpatial(op, "output_padding", weight.rank() - 2, 0);
  for (auto [i, padding] : llvm::enumerate(windows.padding)) {
    int64_t dim = 2 + int64_t(i), stride = windows.stride[i];
    if (!isTransposed) {
      sizes[dim] =
          countWindows(op, op.exprs.add(in.sizes[dim], op.literal(2 * padding)),
                       weight.sizes[dim], stride, windows.dilation[i]);
      continue;
    }
    // (size - 1) * stride - 2 * padding + dilation * (window - 1) + more + 1.
    Expr reach = op.exprs.mul(op.literal(windows.dilation[i]),
                              op.exprs.sub(weight.sizes[dim], op.literal(1)));
    sizes[dim] = op.state.simplify(
        op.exprs.sum({op.exprs.mul(in.sizes[dim], op.literal(stride)), reach,
                      op.literal(more[i] + 1 - stride - 2 * padding)}));
  }
  return sizes;
}

/// The gradient of what a convolution reads: a convolution of the gradient of
/// what it gives, whose elements are as far apart as the windows, with zeros
/// around it for windows that reach beyond.
static Tensor buildReadGradient(Lowering &op, const Tensor &grad,
                                const Tensor &weight, const Windows &windows,
                                Expr groups, ArrayRef<Expr> sizes) {
  Sizes wide = grad.sizes;
  SmallVector<OpFoldResult> offsets(grad.rank(), op.b.getIndexAttr(0)),
      strides(grad.rank(), op.b.getIndexAttr(1));
  SmallVector<Expr> reaches;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t dim = 2 + int64_t(i);
    Expr reach = op.state.simplify(
        op.exprs.mul(op.literal(windows.dilation[i]),
                     op.exprs.sub(weight.sizes[dim], op.literal(1))));
    reaches.push_back(reach);
    wide[dim] = op.state.simplify(
        op.exprs.sum({size, reach, op.literal(2 * windows.padding[i])}));
    offsets[dim] = op.sizeOrLiteral(reach);
    strides[dim] = op.b.getIndexAttr(windows.stride[i]);
  }
  Tensor source =
      op.insertSlice(op.fill(wide, grad.dtype, 0.0), grad, offsets, strides);
  Windows dense = windows;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    source = op.slice(source, 2 + int64_t(i), op.literal(windows.padding[i]),
                      op.state.simplify(op.exprs.add(size, reaches[i])));
    dense.stride[i] = 1;
  }
  return buildGrouped(op, source, transposeWeight(op, weight, groups), dense,
                      groups, sizes);
}

/// In blocks, or as what the gradient of a convolution is.
static void lowerTransposedConvolution(Lowering &op) {
  Tensor weight = op.tensor("weight");
  bool isBatched = true;
  std::optional<Tensor> input = getInput(op, weight, isBatched);
  if (!input)
    return;
  Tensor in = *input;
  int64_t spatial = weight.rank() - 2;
  Expr groups = getGroups(op, weight);
  Windows windows = getWindows(op, spatial);
  SmallVector<int64_t> more = getSpatial(op, "output_padding", spatial, 0);
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(2),
                {in.sizes[0], in.sizes[1]});
  if (!in.sizes[1].isConstant(0) && hasApartBlocks(weight, windows, more))
    return resultConvolved(op, buildBlocks(op, in, weight, groups), isBatched);
  Sizes sizes = getConvolvedSizes(op, in, weight, windows, groups,
                                  /*isTransposed=*/true);
  for (Expr size : ArrayRef(sizes).drop_front(2))
    checkHasResult(op, size);
  resultConvolved(op,
                  buildReadGradient(op, in, weight, windows, groups,
                                    ArrayRef(sizes).drop_front(2)),
                  isBatched);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// The gradient of the weight: out[o, c, k...] = sum grad[n, o, x...] *
/// in[n, c, x * stride + k * dilation...], for each group by itself. The input
/// is padded.
static Tensor buildWeightGradient(Lowering &op, const Tensor &grad,
                                  const Tensor &in, const Windows &windows,
                                  Expr groups, ArrayRef<Expr> sizes) {
  bool isGrouped = !groups.isConstant(1);
  unsigned lead = isGrouped ? 1 : 0, spatial = unsigned(sizes.size()) - 2;
  Tensor written = isGrouped ? splitChannels(op, grad, 1, groups) : grad;
  Tensor read = isGrouped ? splitChannels(op, in, 1, groups) : in;
  // Loops: (g), o, c, k..., then the sum over n, x...
  auto d = [&](unsigned i) { return op.b.getAffineDimExpr(i); };
  unsigned batch = lead + 2 + spatial, loops = batch + 1 + spatial;
  SmallVector<AffineExpr> writtenExprs{d(batch)}, readExprs{d(batch)};
  Sizes made;
  if (isGrouped) {
    writtenExprs.push_back(d(0));
    readExprs.push_back(d(0));
    made.push_back(groups);
  }
  writtenExprs.push_back(d(lead));
  readExprs.push_back(d(lead + 1));
  made.append({written.sizes[1 + lead], read.sizes[1 + lead]});
  for (unsigned i = 0; i < spatial; ++i) {
    AffineExpr x = d(batch + 1 + i), k = d(lead + 2 + i);
    writtenExprs.push_back(x);
    readExprs.push_back(x * windows.stride[i] + k * windows.dilation[i]);
    made.push_back(sizes[2 + i]);
  }
  MLIRContext *context = op.b.getContext();
  Tensor result =
      op.contract(read, AffineMap::get(loops, 0, readExprs, context), written,
                  AffineMap::get(loops, 0, writtenExprs, context), made, loops,
                  getComputeDtype(in.dtype));
  return op.reshape(result, sizes);
}

/// A transposed convolution writes where a convolution reads.
static void lowerConvolutionBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output"), in = op.tensor("input");
  Tensor weight = op.tensor("weight");
  if (weight.rank() < 3 || in.rank() != weight.rank()) {
    (void)op.error("an input of " + Twine(in.rank()) +
                   " dimensions does not fit a weight of " +
                   Twine(weight.rank()));
    return;
  }
  Windows windows = getWindows(op, weight.rank() - 2);
  bool isTransposed = op.flag("transposed", false);
  SmallVector<int64_t> mask = op.integers("output_mask");
  mask.resize(3, 1);
  (void)op.find("bias_sizes");
  Expr groups = getGroups(op, weight);
  op.checkEqual(in.sizes[1],
                isTransposed ? weight.sizes[0]
                             : op.exprs.mul(weight.sizes[1], groups),
                Twine(op.target) + ": the channels differ");
  if (!checkSizes(
          op, grad,
          getConvolvedSizes(op, in, weight, windows, groups, isTransposed)))
    return;
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  Tensor padded =
      padSpatial(op, isTransposed ? grad : in, windows.padding, zero);
  ArrayRef<Expr> spatial = ArrayRef(in.sizes).drop_front(2);
  if (mask[0])
    op.result(
        isTransposed
            ? buildGrouped(op, padded, weight, windows, groups, spatial)
            : buildReadGradient(op, grad, weight, windows, groups, spatial),
        0);
  if (mask[1])
    op.result(buildWeightGradient(op, isTransposed ? in : grad, padded, windows,
                                  groups, weight.sizes),
              1);
  if (!mask[2])
    return;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, in.rank()));
  dims.insert(dims.begin(), 0);
  op.result(op.sum(grad, dims, getComputeDtype(grad.dtype)), 2);
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
  table.add("aten.convolution_backward.default", lowerConvolutionBackward);
  table.add("aten.conv_transpose1d.default", lowerTransposedConvolution);
  table.add("aten.conv_transpose2d.input", lowerTransposedConvolution);
  table.add("aten.conv_transpose3d.input", lowerTransposedConvolution);
}

} // namespace tally::import_pt2
