//===- Convolutions.cpp - Convolutions and pools --------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

/// A parameter for each spatial dimension; one for all may be given.
static SmallVector<int64_t> getSpatial(Lowering &op, StringRef name,
                                       int64_t count, int64_t absent) {
  SmallVector<int64_t> values = op.integers(name);
  if (values.empty())
    values.push_back(absent);
  if (values.size() == 1)
    values.resize(size_t(count), values[0]);
  if (int64_t(values.size()) != count) {
    (void)op.error("the argument '" + name + "' has another length");
    values.assign(size_t(count), absent);
  }
  return values;
}

namespace {
/// How a window moves over the last dimensions of a tensor.
struct Windows {
  SmallVector<int64_t> stride, padding, dilation;
};
} // namespace

/// The number of windows along a dimension of a padded tensor.
static Expr countWindows(Lowering &op, Expr size, Expr window, int64_t stride,
                         int64_t dilation) {
  Expr reach =
      op.exprs.mul(op.literal(dilation), op.exprs.sub(window, op.literal(1)));
  Expr rest = op.exprs.sub(op.exprs.sub(size, reach), op.literal(1));
  op.check(op.exprs.ge(rest, op.literal(0)),
           Twine(op.target) + ": the window is larger than the input");
  return op.state.simplify(
      op.exprs.add(op.exprs.floorDiv(rest, op.literal(stride)), op.literal(1)));
}

static Tensor padSpatial(Lowering &op, const Tensor &in,
                         ArrayRef<int64_t> padding, Value value) {
  if (llvm::all_of(padding, [](int64_t pad) { return pad == 0; }))
    return in;
  Sizes both(in.rank(), op.literal(0));
  int64_t first = in.rank() - int64_t(padding.size());
  for (auto [i, pad] : llvm::enumerate(padding))
    both[first + int64_t(i)] = op.literal(pad);
  return buildPad(op, in, both, both, value);
}

static Windows getWindows(Lowering &op, int64_t spatial) {
  Windows windows;
  windows.stride = getSpatial(op, "stride", spatial, 1);
  windows.dilation = getSpatial(op, "dilation", spatial, 1);
  const Argument *padding = op.find("padding");
  if (padding && padding->kind == Argument::Kind::String) {
    if (padding->text != "valid")
      (void)op.error("the padding '" + padding->text + "' is not supported");
    windows.padding.assign(size_t(spatial), 0);
  } else {
    windows.padding = getSpatial(op, "padding", spatial, 0);
  }
  return windows;
}

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
  sizes.push_back(weight.sizes[lead]);
  for (int64_t i = 0; i < spatial; ++i)
    sizes.push_back(countWindows(op, in.sizes[2 + lead + i],
                                 weight.sizes[2 + lead + i], windows.stride[i],
                                 windows.dilation[i]));
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

static void lowerConvolution(Lowering &op) {
  Tensor in = op.tensor("input"), weight = op.tensor("weight");
  std::optional<Tensor> bias = op.optionalTensor("bias");
  int64_t groups = op.integer("groups", 1);
  int64_t spatial = weight.rank() - 2;
  bool isBatched = in.rank() == weight.rank();
  if (spatial < 1 || (!isBatched && in.rank() != weight.rank() - 1)) {
    (void)op.error("the input does not fit the weight");
    return;
  }
  if (!isBatched)
    in = op.unsqueeze(in, 0);
  Windows windows = getWindows(op, spatial);
  Dtype dtype = getComputeDtype(in.dtype);
  in = padSpatial(op, in, windows.padding,
                  Scalars(op.b, op.loc, in.dtype).integer(0));
  op.checkEqual(in.sizes[1], op.exprs.mul(weight.sizes[1], op.literal(groups)),
                Twine(op.target) + ": the channels differ");
  Sizes merged;
  if (groups > 1) {
    auto split = [&](const Tensor &tensor, int64_t dim) {
      Sizes sizes = tensor.sizes;
      sizes[dim] = op.exprs.floorDiv(tensor.sizes[dim], op.literal(groups));
      sizes.insert(sizes.begin() + dim, op.literal(groups));
      return op.reshape(tensor, sizes);
    };
    in = split(in, 1);
    Expr channels = weight.sizes[0];
    Tensor product = buildConvolution(op, in, split(weight, 0), windows,
                                      /*grouped=*/true, dtype);
    merged = product.sizes;
    merged.erase(merged.begin() + 1);
    merged[1] = channels;
    in = op.reshape(product, merged);
  } else {
    in = buildConvolution(op, in, weight, windows, /*grouped=*/false, dtype);
  }
  if (bias) {
    Sizes along(in.rank(), op.literal(1));
    along[1] = bias->sizes[0];
    in = op.map(
        {in, op.reshape(*bias, along)}, dtype, dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.add(args[0], args[1]);
        },
        in.sizes, op.resultDtype());
  }
  if (!isBatched)
    in = op.squeeze(in, {0});
  op.result(in);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Combines the elements of each window of the last dimensions.
static Tensor buildPool(Lowering &op, const Tensor &in,
                        ArrayRef<int64_t> kernel, const Windows &windows,
                        Dtype dtype, Value init, CombineFn combine) {
  int64_t spatial = int64_t(kernel.size());
  int64_t lead = in.rank() - spatial;
  Sizes sizes(in.sizes.begin(), in.sizes.begin() + lead);
  Sizes kernelSizes;
  SmallVector<AffineExpr> inExprs, kernelExprs;
  for (int64_t i = 0; i < lead; ++i)
    inExprs.push_back(op.b.getAffineDimExpr(unsigned(i)));
  for (int64_t i = 0; i < spatial; ++i) {
    kernelSizes.push_back(op.literal(kernel[i]));
    sizes.push_back(countWindows(op, in.sizes[lead + i], kernelSizes.back(),
                                 windows.stride[i], windows.dilation[i]));
    AffineExpr x = op.b.getAffineDimExpr(unsigned(lead + i));
    AffineExpr k = op.b.getAffineDimExpr(unsigned(in.rank() + i));
    inExprs.push_back(x * windows.stride[i] + k * windows.dilation[i]);
    kernelExprs.push_back(k);
  }
  unsigned loops = unsigned(in.rank() + spatial);
  MLIRContext *context = op.b.getContext();
  Tensor start = op.fill(sizes, dtype, init);
  // Only the shape of the window counts.
  Value window = op.empty(kernelSizes, dtype);
  AffineMap outMap = op.firstLoops(loops, unsigned(in.rank()));
  auto iterators = op.parallel(in.rank());
  iterators.resize(loops, utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{start.value.getType()},
      ValueRange{in.value, window}, ValueRange{start.value},
      ArrayRef<AffineMap>{AffineMap::get(loops, 0, inExprs, context),
                          AffineMap::get(loops, 0, kernelExprs, context),
                          outMap},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value x = Scalars(b, loc, in.dtype).castTo(dtype, args[0]);
        Scalars s(b, loc, dtype);
        linalg::YieldOp::create(b, loc, combine(s, x, args[2]));
      });
  return op.make(generic.getResult(0), dtype, sizes);
}

static SmallVector<int64_t> getKernel(Lowering &op, int64_t spatial) {
  return getSpatial(op, "kernel_size", spatial, 1);
}

static Windows getPoolWindows(Lowering &op, ArrayRef<int64_t> kernel) {
  Windows windows = getWindows(op, int64_t(kernel.size()));
  // Windows are side by side unless told otherwise.
  if (op.integers("stride").empty())
    windows.stride.assign(kernel.begin(), kernel.end());
  if (op.flag("ceil_mode", false))
    (void)op.error("ceil_mode is not supported");
  return windows;
}

template <int64_t spatial>
static void lowerMaxPool(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> kernel = getKernel(op, spatial);
  Windows windows = getPoolWindows(op, kernel);
  Value lowest = Scalars(op.b, op.loc, in.dtype).lowest();
  Tensor padded = padSpatial(op, in, windows.padding, lowest);
  op.result(buildPool(op, padded, kernel, windows, in.dtype, lowest,
                      [](Scalars &s, Value element, Value acc) {
                        return s.max(acc, element);
                      }));
}

template <int64_t spatial>
static void lowerAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> kernel = getKernel(op, spatial);
  Windows windows = getPoolWindows(op, kernel);
  bool isPadded =
      llvm::any_of(windows.padding, [](int64_t pad) { return pad != 0; });
  if (op.has("divisor_override") ||
      (isPadded && !op.flag("count_include_pad", true))) {
    (void)op.error("this way to count elements is not supported");
    return;
  }
  Dtype dtype = getComputeDtype(in.dtype);
  Tensor padded = padSpatial(op, in, windows.padding,
                             Scalars(op.b, op.loc, in.dtype).integer(0));
  Value zero = Scalars(op.b, op.loc, dtype).integer(0);
  Tensor sum = buildPool(
      op, padded, kernel, windows, dtype, zero,
      [](Scalars &s, Value element, Value acc) { return s.add(acc, element); });
  double count = 1;
  for (int64_t size : kernel)
    count *= double(size);
  op.result(op.map(
      {sum}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], s.number(count));
      },
      std::nullopt, op.resultDtype()));
}

/// A mean over everything; other output sizes are not supported.
template <int64_t spatial>
static void lowerAdaptiveAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims;
  SmallVector<Expr> counts;
  for (int64_t dim = in.rank() - spatial; dim < in.rank(); ++dim) {
    dims.push_back(dim);
    counts.push_back(in.sizes[dim]);
  }
  for (int64_t size : op.integers("output_size"))
    if (size != 1) {
      (void)op.error("only outputs of size 1 are supported");
      return;
    }
  Dtype dtype = getComputeDtype(in.dtype);
  Tensor sum = op.keepDims(op.sum(in, dims, dtype), dims);
  op.result(op.map(
      {sum, op.product(counts)}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      std::nullopt, op.resultDtype()));
}

void addConvolutions(LoweringTable &table) {
  table.add("aten.conv1d.default", lowerConvolution);
  table.add("aten.conv1d.padding", lowerConvolution);
  table.add("aten.conv2d.default", lowerConvolution);
  table.add("aten.conv2d.padding", lowerConvolution);
  table.add("aten.conv3d.default", lowerConvolution);
  table.add("aten.max_pool1d.default", lowerMaxPool<1>);
  table.add("aten.max_pool2d.default", lowerMaxPool<2>);
  table.add("aten.avg_pool1d.default", lowerAvgPool<1>);
  table.add("aten.avg_pool2d.default", lowerAvgPool<2>);
  table.add("aten.adaptive_avg_pool1d.default", lowerAdaptiveAvgPool<1>);
  table.add("aten.adaptive_avg_pool2d.default", lowerAdaptiveAvgPool<2>);
}

} // namespace tally::import_pt2
