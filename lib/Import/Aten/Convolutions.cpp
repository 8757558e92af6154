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
  // Where nothing stands for 0, it may be 0.
  for (int64_t &value : values) {
    if (value >= std::min<int64_t>(absent, 1) && value <= INT32_MAX)
      continue;
    (void)op.error("the argument '" + name + "' is out of range");
    value = absent;
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
  op.check(Comparison::le(op.exprs.add(reach, op.literal(1)), size),
           Twine(op.target) + ": the window is larger than the input");
  return op.state.simplify(
      op.exprs.add(op.exprs.floorDiv(rest, op.literal(stride)), op.literal(1)));
}

/// Pads the last dimensions at both ends, and at the end by some more.
static Tensor padSpatial(Lowering &op, const Tensor &in,
                         ArrayRef<int64_t> padding, Value value,
                         ArrayRef<int64_t> more = {}) {
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(padding, isZero) && llvm::all_of(more, isZero))
    return in;
  Sizes low(in.rank(), op.literal(0)), high = low;
  int64_t first = in.rank() - int64_t(padding.size());
  for (auto [i, pad] : llvm::enumerate(padding)) {
    low[first + int64_t(i)] = op.literal(pad);
    high[first + int64_t(i)] = op.literal(pad + (more.empty() ? 0 : more[i]));
  }
  return buildPad(op, in, low, high, value);
}

/// PyTorch has no windows over dimensions that are empty, but for the batch; a
/// convolution has where there is no batch or no channel.
static void checkNotEmpty(Lowering &op, ArrayRef<Expr> sizes,
                          ArrayRef<Expr> exceptions = {}) {
  Expr zero = op.literal(0);
  for (Expr size : sizes) {
    SmallVector<Expr> cases{op.exprs.gt(size, zero)};
    for (Expr exception : exceptions)
      cases.push_back(op.exprs.eq(exception, zero));
    op.check(op.exprs.logicalOr(cases),
             Twine(op.target) + ": the input is empty");
  }
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
  Sizes given = in.sizes;
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  in = windows.keepsSize ? padToKeepSize(op, in, weight, windows, zero)
                         : padSpatial(op, in, windows.padding, zero);
  Tensor result =
      buildGrouped(op, in, weight, windows, op.integer("groups", 1));
  checkNotEmpty(op, ArrayRef(given).drop_front(2), {given[0], given[1]});
  resultConvolved(op, result, isBatched);
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
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(2),
                {in.sizes[0], in.sizes[1]});
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

namespace {
/// The windows of a pool over the last dimensions.
struct Pool {
  SmallVector<int64_t> kernel;
  Windows windows;
  /// How many windows there are along each dimension.
  Sizes counts;
  /// What the last window may reach beyond the padding.
  SmallVector<int64_t> beyond;
};
} // namespace

/// Combines the elements of each window of a tensor that is padded.
static Tensor buildPool(Lowering &op, const Tensor &in, const Pool &pool,
                        Dtype dtype, Value init, CombineFn combine) {
  int64_t spatial = int64_t(pool.kernel.size());
  int64_t lead = in.rank() - spatial;
  Sizes sizes(in.sizes.begin(), in.sizes.begin() + lead);
  sizes.append(pool.counts);
  Sizes kernelSizes;
  SmallVector<AffineExpr> inExprs, kernelExprs;
  for (int64_t i = 0; i < lead; ++i)
    inExprs.push_back(op.b.getAffineDimExpr(unsigned(i)));
  for (int64_t i = 0; i < spatial; ++i) {
    kernelSizes.push_back(op.literal(pool.kernel[i]));
    AffineExpr x = op.b.getAffineDimExpr(unsigned(lead + i));
    AffineExpr k = op.b.getAffineDimExpr(unsigned(in.rank() + i));
    inExprs.push_back(x * pool.windows.stride[i] +
                      k * pool.windows.dilation[i]);
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

/// The number of windows along a dimension where it is rounded up. Windows are
/// `stride` apart; the last one starts inside of the input or the padding in
/// front of it, and ends less than a stride beyond the padding behind it. Each
/// of both is a bound that grows with the size alike, so that one of them is
/// the tighter one at every size.
static Expr countWindowsUp(Lowering &op, Expr size, int64_t reach,
                           int64_t stride, int64_t padding) {
  int64_t more =
      std::min(2 * padding + 2 * stride - 1 - reach, padding + stride - 1);
  Expr count = op.state.simplify(op.exprs.floorDiv(
      op.exprs.add(size, op.literal(more)), op.literal(stride)));
  op.check(Comparison::le(op.literal(1), count),
           Twine(op.target) + ": the window is larger than the input");
  return count;
}

static Pool getPool(Lowering &op, const Tensor &in, int64_t spatial) {
  Pool pool;
  pool.kernel = getKernel(op, spatial);
  pool.windows = getWindows(op, spatial);
  const Windows &windows = pool.windows;
  // Windows are side by side unless told otherwise.
  if (op.integers("stride").empty())
    pool.windows.stride = pool.kernel;
  int64_t lead = in.rank() - spatial;
  if (lead < 1) {
    (void)op.error("the tensor has too few dimensions");
    pool.counts.assign(size_t(spatial), op.literal(1));
    pool.beyond.assign(size_t(spatial), 0);
    return pool;
  }
  bool up = op.flag("ceil_mode", false);
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(lead - 1));
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t kernel = pool.kernel[i], stride = windows.stride[i];
    int64_t dilation = windows.dilation[i], padding = windows.padding[i];
    Expr size = in.sizes[lead + i];
    Expr padded = op.exprs.add(size, op.literal(2 * padding));
    pool.counts.push_back(
        up ? countWindowsUp(op, size, dilation * (kernel - 1) + 1, stride,
                            padding)
           : countWindows(op, padded, op.literal(kernel), stride, dilation));
    pool.beyond.push_back(up ? stride - 1 : 0);
  }
  return pool;
}

static Tensor padForPool(Lowering &op, const Tensor &in, const Pool &pool,
                         Value value) {
  return padSpatial(op, in, pool.windows.padding, value, pool.beyond);
}

template <int64_t spatial>
static void lowerMaxPool(Lowering &op) {
  Tensor in = op.tensor("self");
  Pool pool = getPool(op, in, spatial);
  if (op.hasFailed())
    return;
  Value lowest = Scalars(op.b, op.loc, in.dtype).lowest();
  Tensor padded = padForPool(op, in, pool, lowest);
  op.result(buildPool(op, padded, pool, in.dtype, lowest,
                      [](Scalars &s, Value element, Value acc) {
                        return s.max(acc, element);
                      }));
}

static Tensor addWindows(Lowering &op, const Tensor &in, const Pool &pool,
                         Dtype dtype) {
  Value zero = Scalars(op.b, op.loc, dtype).integer(0);
  return buildPool(
      op, in, pool, dtype, zero,
      [](Scalars &s, Value element, Value acc) { return s.add(acc, element); });
}

/// How many elements each window has: those of the input, and its padding if
/// that counts, but never what is beyond.
static Operand countElements(Lowering &op, const Tensor &in, const Pool &pool,
                             Dtype dtype) {
  bool countsPadding = op.flag("count_include_pad", true);
  auto isZero = [](int64_t count) { return count == 0; };
  if (op.has("divisor_override"))
    return op.symInt("divisor_override");
  if (llvm::all_of(pool.beyond, isZero) &&
      (countsPadding || llvm::all_of(pool.windows.padding, isZero))) {
    Expr area = op.literal(1);
    for (int64_t size : pool.kernel)
      area = op.exprs.mul(area, op.literal(size));
    return area;
  }
  // The spatial dimensions alone.
  Sizes sizes(in.sizes.end() - int64_t(pool.kernel.size()), in.sizes.end());
  SmallVector<int64_t> padding = pool.windows.padding;
  if (countsPadding) {
    for (auto [size, pad] : llvm::zip(sizes, padding)) {
      size = op.exprs.add(size, op.exprs.mul(op.literal(2), op.literal(pad)));
      pad = 0;
    }
  }
  Value zero = Scalars(op.b, op.loc, dtype).integer(0);
  Tensor ones = op.fill(sizes, dtype, 1.0);
  return addWindows(op, padSpatial(op, ones, padding, zero, pool.beyond), pool,
                    dtype);
}

template <int64_t spatial>
static void lowerAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  Pool pool = getPool(op, in, spatial);
  if (op.hasFailed())
    return;
  Dtype dtype = getComputeDtype(in.dtype);
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  Tensor sum = addWindows(op, padForPool(op, in, pool, zero), pool, dtype);
  op.result(op.map(
      {sum, countElements(op, in, pool, dtype)}, dtype, dtype,
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

/// The mean over the last dimensions, which stay with size 1. That of nothing
/// is NaN.
static Tensor averageAll(Lowering &op, const Tensor &in, int64_t spatial) {
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(in.rank() - spatial, in.rank()));
  Tensor sum = op.keepDims(op.sum(in, dims, in.dtype), dims);
  Expr count = op.product(ArrayRef(in.sizes).take_back(spatial));
  return op.map({sum, count}, in.dtype, in.dtype,
                [](Scalars &s, ArrayRef<Value> args) {
                  return s.divFloat(args[0], args[1]);
                });
}

template <int64_t spatial>
static void lowerAdaptiveAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  Sizes sizes = op.symInts("output_size");
  if (sizes.size() == 1)
    sizes.resize(spatial, sizes[0]);
  if (int64_t(sizes.size()) != spatial || in.rank() <= spatial) {
    (void)op.error("the output size does not fit the input");
    return;
  }
  Tensor result = op.convert(in, getComputeDtype(in.dtype));
  auto isOne = [](Expr size) { return size.isConstant(1); };
  if (llvm::all_of(sizes, isOne))
    return op.result(averageAll(op, result, spatial));
  // Of three dimensions also that of the channels must have elements.
  int64_t channels = spatial == 3 ? 1 : 0;
  checkNotEmpty(op,
                ArrayRef(in.sizes).drop_front(in.rank() - spatial - channels));
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
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(1));
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
