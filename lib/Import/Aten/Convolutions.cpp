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
  /// The padding makes the result as large as the input.
  bool keepsSize = false;
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
    windows.keepsSize = padding->text == "same";
    if (padding->text != "valid" && !windows.keepsSize)
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

/// The convolution of a padded tensor, in groups of channels.
static Tensor buildGrouped(Lowering &op, const Tensor &in, const Tensor &weight,
                           const Windows &windows, int64_t groups) {
  Dtype dtype = getComputeDtype(in.dtype);
  op.checkEqual(in.sizes[1], op.exprs.mul(weight.sizes[1], op.literal(groups)),
                Twine(op.target) + ": the channels differ");
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
  merged[1] = weight.sizes[0];
  return op.reshape(product, merged);
}

/// Adds the bias, and takes away the batch that was not there.
static void resultConvolved(Lowering &op, Tensor in, bool isBatched) {
  if (std::optional<Tensor> bias = op.optionalTensor("bias"))
    in = op.map(
        {in, alongDim(op, *bias, in.rank(), 1)}, in.dtype, in.dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.add(args[0], args[1]);
        },
        in.sizes, op.resultDtype());
  op.result(isBatched ? in : op.squeeze(in, {0}));
}

/// True if the input has a batch dimension; reports what does not fit.
static bool checkInput(Lowering &op, const Tensor &in, const Tensor &weight,
                       bool &isBatched) {
  isBatched = in.rank() == weight.rank();
  if (weight.rank() >= 3 && (isBatched || in.rank() == weight.rank() - 1))
    return true;
  (void)op.error("the input does not fit the weight");
  return false;
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
  Tensor in = op.tensor("input"), weight = op.tensor("weight");
  bool isBatched = true;
  if (!checkInput(op, in, weight, isBatched))
    return;
  if (!isBatched)
    in = op.unsqueeze(in, 0);
  Windows windows = getWindows(op, weight.rank() - 2);
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  in = windows.keepsSize ? padToKeepSize(op, in, weight, windows, zero)
                         : padSpatial(op, in, windows.padding, zero);
  resultConvolved(
      op, buildGrouped(op, in, weight, windows, op.integer("groups", 1)),
      isBatched);
}

/// Puts zeros between the elements of a dimension, `stride` apart.
static Tensor spread(Lowering &op, const Tensor &in, int64_t dim,
                     int64_t stride) {
  if (stride == 1)
    return in;
  Sizes sizes = in.sizes;
  Expr gaps = op.exprs.sub(in.sizes[dim], op.literal(1));
  op.check(op.exprs.ge(gaps, op.literal(0)),
           Twine(op.target) + ": the input is empty");
  sizes[dim] =
      op.exprs.add(op.exprs.mul(gaps, op.literal(stride)), op.literal(1));
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
  Tensor in = op.tensor("input"), weight = op.tensor("weight");
  bool isBatched = true;
  if (!checkInput(op, in, weight, isBatched))
    return;
  if (!isBatched)
    in = op.unsqueeze(in, 0);
  int64_t spatial = weight.rank() - 2, groups = op.integer("groups", 1);
  Windows windows = getWindows(op, spatial);
  SmallVector<int64_t> more = getSpatial(op, "output_padding", spatial, 0);
  Sizes low(in.rank(), op.literal(0)), high = low;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t dim = 2 + i;
    in = spread(op, in, dim, windows.stride[i]);
    Expr reach = op.exprs.mul(op.literal(windows.dilation[i]),
                              op.exprs.sub(weight.sizes[dim], op.literal(1)));
    low[dim] = op.exprs.sub(reach, op.literal(windows.padding[i]));
    high[dim] = op.exprs.add(low[dim], op.literal(more[i]));
    windows.stride[i] = 1;
  }
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  in = buildPad(op, in, low, high, zero);
  resultConvolved(op,
                  buildGrouped(op, in, transposeWeight(op, weight, groups),
                               windows, groups),
                  isBatched);
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
  return windows;
}

/// Pads the input of a pool, and where the number of windows is rounded up also
/// what the last window reaches beyond that. The last window starts inside of
/// the input or its first padding.
static Tensor padForPool(Lowering &op, const Tensor &in,
                         ArrayRef<int64_t> kernel, const Windows &windows,
                         Value value) {
  Tensor padded = padSpatial(op, in, windows.padding, value);
  if (!op.flag("ceil_mode", false))
    return padded;
  Sizes low(in.rank(), op.literal(0)), high = low;
  for (auto [i, size] : llvm::enumerate(kernel)) {
    int64_t dim = in.rank() - int64_t(kernel.size()) + int64_t(i);
    Expr stride = op.literal(windows.stride[i]), one = op.literal(1);
    Expr reach = op.literal(windows.dilation[i] * (size - 1) + 1);
    Expr steps =
        op.exprs.ceilDiv(op.exprs.sub(padded.sizes[dim], reach), stride);
    Expr start = op.exprs.mul(steps, stride);
    Expr limit = op.exprs.add(in.sizes[dim], op.literal(windows.padding[i]));
    steps = op.exprs.select(op.exprs.ge(start, limit), op.exprs.sub(steps, one),
                            steps);
    Expr end = op.exprs.add(op.exprs.mul(steps, stride), reach);
    high[dim] = op.state.simplify(
        op.exprs.max(op.exprs.sub(end, padded.sizes[dim]), op.literal(0)));
  }
  return buildPad(op, padded, low, high, value);
}

template <int64_t spatial>
static void lowerMaxPool(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> kernel = getKernel(op, spatial);
  Windows windows = getPoolWindows(op, kernel);
  Value lowest = Scalars(op.b, op.loc, in.dtype).lowest();
  Tensor padded = padForPool(op, in, kernel, windows, lowest);
  op.result(buildPool(op, padded, kernel, windows, in.dtype, lowest,
                      [](Scalars &s, Value element, Value acc) {
                        return s.max(acc, element);
                      }));
}

static Tensor addWindows(Lowering &op, const Tensor &in,
                         ArrayRef<int64_t> kernel, const Windows &windows,
                         Dtype dtype) {
  Value zero = Scalars(op.b, op.loc, dtype).integer(0);
  return buildPool(
      op, in, kernel, windows, dtype, zero,
      [](Scalars &s, Value element, Value acc) { return s.add(acc, element); });
}

/// How many elements each window has: those of the input, and its padding if
/// that counts, but never what is beyond.
static Operand countElements(Lowering &op, const Tensor &in,
                             ArrayRef<int64_t> kernel, const Windows &windows,
                             Dtype dtype) {
  bool countsPadding = op.flag("count_include_pad", true);
  bool isPadded =
      llvm::any_of(windows.padding, [](int64_t pad) { return pad != 0; });
  int64_t area = 1;
  for (int64_t size : kernel)
    area *= size;
  if (op.has("divisor_override"))
    return op.number("divisor_override");
  if (!op.flag("ceil_mode", false) && (countsPadding || !isPadded))
    return op.literal(area);
  // The spatial dimensions alone.
  Sizes sizes(in.sizes.end() - int64_t(kernel.size()), in.sizes.end());
  Windows counted = windows;
  if (countsPadding) {
    for (auto [size, pad] : llvm::zip(sizes, counted.padding)) {
      size = op.exprs.add(size, op.literal(2 * pad));
      pad = 0;
    }
  }
  Value zero = Scalars(op.b, op.loc, dtype).integer(0);
  Tensor ones = op.fill(sizes, dtype, 1.0);
  Tensor padded = padForPool(op, ones, kernel, counted, zero);
  return addWindows(op, padded, kernel, windows, dtype);
}

template <int64_t spatial>
static void lowerAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> kernel = getKernel(op, spatial);
  Windows windows = getPoolWindows(op, kernel);
  Dtype dtype = getComputeDtype(in.dtype);
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  Tensor padded = padForPool(op, in, kernel, windows, zero);
  Tensor sum = addWindows(op, padded, kernel, windows, dtype);
  op.result(op.map(
      {sum, countElements(op, in, kernel, windows, dtype)}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      sum.sizes, op.resultDtype()));
}

/// The means of `count` parts of a dimension, which overlap where its size is
/// no multiple: part i goes from i * n / count, rounded down, to (i + 1) * n /
/// count, rounded up.
static Tensor averageParts(Lowering &op, const Tensor &in, int64_t dim,
                           Expr count) {
  Expr size = in.sizes[dim];
  op.check(op.exprs.gt(size, op.literal(0)),
           Twine(op.target) + ": the input is empty");
  Value n = op.scalar(size, Dtype::I64), parts = op.scalar(count, Dtype::I64);
  Sizes wide = in.sizes;
  wide.insert(wide.begin() + dim, count);
  int64_t rank = in.rank() + 1;
  Operand part = alongDim(op, buildIndices(op, count), rank, dim);
  Operand place = alongDim(op, buildIndices(op, size), rank, dim + 1);
  Operand inside =
      op.map({part, place}, Dtype::I64, Dtype::Bool,
             [&](Scalars &s, ArrayRef<Value> args) {
               Value start = s.divFloor(s.mul(args[0], n), parts);
               Value next = s.mul(s.add(args[0], s.integer(1)), n);
               Value end =
                   s.divFloor(s.add(next, s.sub(parts, s.integer(1))), parts);
               return s.bitAnd(s.compare(Compare::Ge, args[1], start),
                               s.compare(Compare::Lt, args[1], end));
             });
  inside.isRaw = true;
  Dtype dtype = in.dtype;
  Tensor chosen = op.map(
      {op.unsqueeze(in, dim), inside}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.select(args[1], args[0], s.number(0));
      },
      wide);
  Tensor counts = op.sum(*inside.tensor, {dim + 1}, dtype);
  Tensor sum = op.sum(chosen, {dim + 1}, dtype);
  return op.map(
      {sum, counts}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      sum.sizes);
}

template <int64_t spatial>
static void lowerAdaptiveAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  Sizes sizes = op.numbers("output_size");
  if (sizes.size() == 1)
    sizes.resize(spatial, sizes[0]);
  if (int64_t(sizes.size()) != spatial || in.rank() <= spatial) {
    (void)op.error("the output size does not fit the input");
    return;
  }
  Tensor result = op.convert(in, getComputeDtype(in.dtype));
  for (int64_t i = 0; i < spatial; ++i)
    result = averageParts(op, result, in.rank() - spatial + i, sizes[i]);
  op.result(result);
}

/// The elements of each window as a column.
static void lowerIm2Col(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor in = self.rank() == 3 ? op.unsqueeze(self, 0) : self;
  if (in.rank() != 4) {
    (void)op.error("three or four dimensions are needed");
    return;
  }
  SmallVector<int64_t> kernel = getKernel(op, 2);
  Windows windows = getWindows(op, 2);
  Tensor padded = padSpatial(op, in, windows.padding,
                             Scalars(op.b, op.loc, in.dtype).integer(0));
  Sizes sizes{in.sizes[0], in.sizes[1], op.literal(kernel[0]),
              op.literal(kernel[1])};
  for (int64_t i = 0; i < 2; ++i)
    sizes.push_back(countWindows(op, padded.sizes[2 + i], op.literal(kernel[i]),
                                 windows.stride[i], windows.dilation[i]));
  Tensor columns = op.generate(
      sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at{indices[0], indices[1]};
        auto times = [&](Value index, int64_t by) -> Value {
          Value factor = arith::ConstantIndexOp::create(s.b, s.loc, by);
          return arith::MulIOp::create(s.b, s.loc, index, factor);
        };
        for (int64_t i = 0; i < 2; ++i)
          at.push_back(arith::AddIOp::create(
              s.b, s.loc, times(indices[2 + i], windows.dilation[i]),
              times(indices[4 + i], windows.stride[i])));
        return tensor::ExtractOp::create(s.b, s.loc, padded.value, at);
      });
  Tensor merged =
      op.reshape(columns, {sizes[0], op.product({sizes[1], sizes[2], sizes[3]}),
                           op.exprs.mul(sizes[4], sizes[5])});
  op.result(self.rank() == 3 ? op.squeeze(merged, {0}) : merged);
}

void addConvolutions(LoweringTable &table) {
  for (StringRef name : {"conv1d", "conv2d", "conv3d"})
    for (StringRef overload : {"default", "padding"})
      table.add(("aten." + name + "." + overload).str(), lowerConvolution);
  table.add("aten.conv_transpose1d.default", lowerTransposedConvolution);
  table.add("aten.conv_transpose2d.input", lowerTransposedConvolution);
  table.add("aten.conv_transpose3d.input", lowerTransposedConvolution);
  table.add("aten.max_pool1d.default", lowerMaxPool<1>);
  table.add("aten.max_pool2d.default", lowerMaxPool<2>);
  table.add("aten.max_pool3d.default", lowerMaxPool<3>);
  table.add("aten.avg_pool1d.default", lowerAvgPool<1>);
  table.add("aten.avg_pool2d.default", lowerAvgPool<2>);
  table.add("aten.avg_pool3d.default", lowerAvgPool<3>);
  table.add("aten.adaptive_avg_pool1d.default", lowerAdaptiveAvgPool<1>);
  table.add("aten.adaptive_avg_pool2d.default", lowerAdaptiveAvgPool<2>);
  table.add("aten.adaptive_avg_pool3d.default", lowerAdaptiveAvgPool<3>);
  table.add("aten.im2col.default", lowerIm2Col);
}

} // namespace tally::import_pt2
