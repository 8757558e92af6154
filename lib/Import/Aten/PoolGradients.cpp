//===- PoolGradients.cpp - Gradients of pools, and their inverses ---------===//
//
//===----------------------------------------------------------------------===//

#include "Pools.h"

using namespace mlir;

namespace tally::import_pt2 {

/// The sizes of what a pool gives.
static Sizes getPooledSizes(const Tensor &in, const Pool &pool) {
  Sizes sizes(in.sizes.begin(), in.sizes.end() - int64_t(pool.kernel.size()));
  sizes.append(pool.counts);
  return sizes;
}

/// Spreads the gradient of each window over the elements it averages: they are
/// the sums of the windows that they are in, of which the gradients are as far
/// apart as the windows.
template <int64_t spatial>
static void lowerAvgPoolBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output"), in = op.tensor("self");
  Pool pool = getPool(op, in, spatial);
  if (op.hasFailed() || !checkSizes(op, grad, getPooledSizes(in, pool)))
    return;
  Dtype dtype = getComputeDtype(grad.dtype);
  Tensor shares = op.map(
      {grad, countElements(op, in, pool, dtype)}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      getPooledSizes(in, pool));
  int64_t lead = in.rank() - spatial;
  Sizes wide = in.sizes;
  SmallVector<OpFoldResult> offsets(in.rank(), op.b.getIndexAttr(0)),
      strides(in.rank(), op.b.getIndexAttr(1));
  Pool back = pool;
  back.counts.assign(in.sizes.begin() + lead, in.sizes.end());
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t last = pool.kernel[i] - 1;
    wide[lead + i] = op.exprs.add(in.sizes[lead + i], op.literal(last));
    offsets[lead + i] = op.b.getIndexAttr(last - pool.windows.padding[i]);
    strides[lead + i] = op.b.getIndexAttr(pool.windows.stride[i]);
    back.windows.stride[i] = 1;
  }
  Tensor apart =
      op.insertSlice(op.fill(wide, dtype, 0.0), shares, offsets, strides);
  op.result(sumWindows(op, apart, back, dtype));
}

/// Spreads the gradient of the mean of each part of a dimension over its
/// elements.
static Tensor spreadParts(Lowering &op, const Tensor &grad, int64_t dim,
                          Expr size) {
  Dtype dtype = grad.dtype;
  Operand inside = findParts(op, grad.rank() + 1, dim, size, grad.sizes[dim]);
  inside.isRaw = true;
  Tensor counts = op.sum(*inside.tensor, {dim + 1}, dtype);
  Tensor shares = op.map(
      {grad, counts}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      grad.sizes);
  Sizes wide = grad.sizes;
  wide.insert(wide.begin() + dim + 1, size);
  Tensor chosen = op.map(
      {op.unsqueeze(shares, dim + 1), inside}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.select(args[1], args[0], s.number(0));
      },
      wide);
  return op.sum(chosen, {dim}, dtype);
}

/// The sizes that the gradient of an adaptive pool has to have: those of the
/// input, but any in the spatial dimensions. Nothing, after an error, if it has
/// another rank.
static std::optional<Sizes> getAdaptiveSizes(Lowering &op, const Tensor &grad,
                                             const Tensor &in,
                                             int64_t spatial) {
  int64_t lead = in.rank() - spatial;
  if (lead < 1 || grad.rank() != in.rank()) {
    (void)op.error("the gradient does not fit the input");
    return std::nullopt;
  }
  Sizes sizes = in.sizes;
  std::copy(grad.sizes.begin() + lead, grad.sizes.end(), sizes.begin() + lead);
  return sizes;
}

template <int64_t spatial>
static void lowerAdaptiveAvgPoolBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output"), in = op.tensor("self");
  auto sizes = getAdaptiveSizes(op, grad, in, spatial);
  if (!sizes)
    return;
  checkNotEmpty(op, ArrayRef(grad.sizes).drop_front(1));
  if (!checkSizes(op, grad, *sizes))
    return;
  Tensor result = op.convert(grad, getComputeDtype(grad.dtype));
  for (int64_t dim = in.rank() - spatial; dim < in.rank(); ++dim)
    result = spreadParts(op, result, dim, in.sizes[dim]);
  op.result(result);
}

/// Writes elements to zeros of `sizes`, by their places among the elements of
/// the spatial dimensions.
static void resultAtPlaces(Lowering &op, const Tensor &elements,
                           ArrayRef<Expr> sizes, int64_t spatial,
                           decltype(buildScatterAdd) build = buildScatterAdd) {
  Tensor places = op.tensor("indices");
  if (!checkSizes(op, places, elements.sizes))
    return;
  int64_t lead = int64_t(sizes.size()) - spatial;
  auto flatten = [&](ArrayRef<Expr> sizes) {
    Sizes flat(sizes.begin(), sizes.begin() + lead);
    flat.push_back(op.product(sizes.drop_front(lead)));
    return flat;
  };
  Sizes flat = flatten(sizes), each = flatten(elements.sizes);
  checkInRange(op, places, flat.back());
  Tensor written = build(op, op.fill(flat, elements.dtype, 0.0), lead,
                         op.reshape(places, each), op.reshape(elements, each));
  op.result(op.reshape(written, sizes));
}

/// Adds the gradients of maxima to where these were found.
static void resultGradients(Lowering &op, const Tensor &grad, const Tensor &in,
                            int64_t spatial) {
  resultAtPlaces(op, op.convert(grad, getComputeDtype(grad.dtype)), in.sizes,
                 spatial);
}

/// Puts maxima back to where they were found, with zeros between them.
template <int64_t spatial>
static void lowerMaxUnpool(Lowering &op) {
  Tensor in = op.tensor("self");
  Sizes spread = op.symInts("output_size");
  // They have been used for the sizes.
  for (StringRef name : {"stride", "padding"})
    (void)op.find(name);
  if (int64_t(spread.size()) != spatial || in.rank() <= spatial ||
      in.rank() > spatial + 2) {
    (void)op.error("the input has one dimension or two before the spatial "
                   "ones, for each of which there is a size");
    return;
  }
  Sizes sizes(in.sizes.begin(), in.sizes.end() - spatial);
  sizes.append(spread);
  resultAtPlaces(op, in, sizes, spatial, buildScatterOver);
}

template <int64_t spatial>
static void lowerMaxPoolBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output"), in = op.tensor("self");
  Pool pool = getPool(op, in, spatial);
  if (!op.hasFailed() && checkSizes(op, grad, getPooledSizes(in, pool)))
    resultGradients(op, grad, in, spatial);
}

template <int64_t spatial>
static void lowerAdaptiveMaxPoolBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output"), in = op.tensor("self");
  auto sizes = getAdaptiveSizes(op, grad, in, spatial);
  if (!sizes)
    return;
  if (checkSizes(op, grad, *sizes))
    resultGradients(op, grad, in, spatial);
}

void addPoolGradients(LoweringTable &table) {
  table.add("aten.max_unpool2d.default", lowerMaxUnpool<2>);
  table.add("aten.max_unpool3d.default", lowerMaxUnpool<3>);
  table.add("aten.avg_pool2d_backward.default", lowerAvgPoolBackward<2>);
  table.add("aten.avg_pool3d_backward.default", lowerAvgPoolBackward<3>);
  table.add("aten._adaptive_avg_pool2d_backward.default",
            lowerAdaptiveAvgPoolBackward<2>);
  table.add("aten._adaptive_avg_pool3d_backward.default",
            lowerAdaptiveAvgPoolBackward<3>);
  table.add("aten.max_pool2d_with_indices_backward.default",
            lowerMaxPoolBackward<2>);
  table.add("aten.max_pool3d_with_indices_backward.default",
            lowerMaxPoolBackward<3>);
  table.add("aten.adaptive_max_pool2d_backward.default",
            lowerAdaptiveMaxPoolBackward<2>);
  table.add("aten.adaptive_max_pool3d_backward.default",
            lowerAdaptiveMaxPoolBackward<3>);
}

} // namespace tally::import_pt2
