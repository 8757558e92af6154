//===- Pools.cpp - Extremes and means of windows --------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Pools.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// The loops over the windows of a tensor that is padded, and over the elements
/// of each of them.
struct PoolLoops {
  Sizes sizes;
  /// Only the shape of the window counts.
  Value window;
  /// Of the tensor, the window and the result.
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

static PoolLoops getPoolLoops(Lowering &op, const Tensor &in,
                              const Pool &pool) {
  int64_t spatial = int64_t(pool.kernel.size());
  int64_t lead = in.rank() - spatial;
  PoolLoops result;
  result.sizes.assign(in.sizes.begin(), in.sizes.begin() + lead);
  result.sizes.append(pool.counts);
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
  result.window = op.empty(kernelSizes, in.dtype);
  result.maps = {AffineMap::get(loops, 0, inExprs, context),
                 AffineMap::get(loops, 0, kernelExprs, context),
                 op.firstLoops(loops, unsigned(in.rank()))};
  result.iterators = op.parallel(in.rank());
  result.iterators.resize(loops, utils::IteratorType::reduction);
  return result;
}

/// Combines the elements of each window of a tensor that is padded.
static Tensor buildPool(Lowering &op, const Tensor &in, const Pool &pool,
                        Dtype dtype, Value init, CombineFn combine) {
  PoolLoops loops = getPoolLoops(op, in, pool);
  Tensor start = op.fill(loops.sizes, dtype, init);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{start.value.getType()},
      ValueRange{in.value, loops.window}, ValueRange{start.value}, loops.maps,
      loops.iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value x = Scalars(b, loc, in.dtype).castTo(dtype, args[0]);
        Scalars s(b, loc, dtype);
        linalg::YieldOp::create(b, loc, combine(s, x, args[2]));
      });
  return op.make(generic.getResult(0), dtype, loops.sizes);
}

/// The place of the largest element of a window of which none was looked at.
static constexpr int64_t kNoPlace = -1;

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

Pool getPool(Lowering &op, const Tensor &in, int64_t spatial) {
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

/// The largest elements of windows, and where the first of them, or the last
/// NaN, is among the elements of the spatial dimensions.
static std::pair<Tensor, Tensor> buildArgMaxPool(Lowering &op, const Tensor &in,
                                                 const Pool &pool) {
  int64_t spatial = int64_t(pool.kernel.size());
  int64_t lead = in.rank() - spatial;
  Value lowest = Scalars(op.b, op.loc, in.dtype).lowest();
  Tensor padded = padForPool(op, in, pool, lowest);
  PoolLoops loops = getPoolLoops(op, padded, pool);
  Tensor values = op.fill(loops.sizes, in.dtype, lowest);
  Tensor places = op.fill(loops.sizes, Dtype::I64,
                          Scalars(op.b, op.loc, Dtype::I64).integer(kNoPlace));
  SmallVector<Value> limits;
  for (int64_t i = 0; i < spatial; ++i)
    limits.push_back(op.scalar(in.sizes[lead + i], Dtype::I64));
  SmallVector<AffineMap> maps = loops.maps;
  maps.push_back(maps.back());
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{values.value.getType(), places.value.getType()},
      ValueRange{padded.value, loops.window},
      ValueRange{values.value, places.value}, maps, loops.iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, in.dtype), n(b, loc, Dtype::I64);
        Scalars truth(b, loc, Dtype::Bool);
        auto getLoop = [&](int64_t dim) -> Value {
          return arith::IndexCastOp::create(
              b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, dim));
        };
        Value place = n.integer(0), inside;
        for (int64_t i = 0; i < spatial; ++i) {
          Value x = n.mul(getLoop(lead + i), n.integer(pool.windows.stride[i]));
          Value k = n.mul(getLoop(in.rank() + i),
                          n.integer(pool.windows.dilation[i]));
          x = n.sub(n.add(x, k), n.integer(pool.windows.padding[i]));
          place = n.add(n.mul(place, limits[i]), x);
          // A negative place is a large one without a sign.
          Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             x, limits[i]);
          inside = inside ? truth.bitAnd(inside, fits) : fits;
        }
        Value element = args[0], most = args[2], known = args[3];
        Value isFirst = n.compare(Compare::Eq, known, n.integer(kNoPlace));
        Value isMore = s.compare(Compare::Gt, element, most);
        if (s.isFloat())
          isMore = truth.bitOr(isMore, s.isNan(element));
        Value chosen = truth.bitAnd(inside, truth.bitOr(isFirst, isMore));
        linalg::YieldOp::create(b, loc,
                                ValueRange{s.select(chosen, element, most),
                                           n.select(chosen, place, known)});
      });
  return {op.make(generic.getResult(0), in.dtype, loops.sizes),
          op.make(generic.getResult(1), Dtype::I64, loops.sizes)};
}

template <int64_t spatial>
static void lowerArgMaxPool(Lowering &op) {
  Tensor in = op.tensor("self");
  Pool pool = getPool(op, in, spatial);
  if (op.hasFailed())
    return;
  auto [values, places] = buildArgMaxPool(op, in, pool);
  op.result(values, 0);
  op.result(places, 1);
}

Tensor sumWindows(Lowering &op, const Tensor &in, const Pool &pool,
                  Dtype dtype) {
  Value zero = Scalars(op.b, op.loc, dtype).integer(0);
  return buildPool(
      op, in, pool, dtype, zero,
      [](Scalars &s, Value element, Value acc) { return s.add(acc, element); });
}

Operand countElements(Lowering &op, const Tensor &in, const Pool &pool,
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
  return sumWindows(op, padSpatial(op, ones, padding, zero, pool.beyond), pool,
                    dtype);
}

template <int64_t spatial>
static void lowerAvgPool(Lowering &op) {
  Tensor in = op.tensor("self");
  Pool pool = getPool(op, in, spatial);
  if (op.hasFailed())
    return;
  // Of three dimensions the input must be as large as the window, whatever the
  // padding is.
  for (int64_t i = 0; spatial == 3 && i < spatial; ++i)
    op.check(Comparison::le(op.literal(pool.kernel[i]),
                            in.sizes[in.rank() - spatial + i]),
             Twine(op.target) + ": the window is larger than the input");
  Dtype dtype = getComputeDtype(in.dtype);
  Value zero = Scalars(op.b, op.loc, in.dtype).integer(0);
  Tensor sum = sumWindows(op, padForPool(op, in, pool, zero), pool, dtype);
  op.result(op.map(
      {sum, countElements(op, in, pool, dtype)}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      },
      sum.sizes, op.resultDtype()));
}

Tensor findParts(Lowering &op, int64_t rank, int64_t dim, Expr size,
                 Expr count) {
  Value n = op.scalar(size, Dtype::I64), parts = op.scalar(count, Dtype::I64);
  Operand part = alongDim(op, buildIndices(op, count), rank, dim);
  Operand place = alongDim(op, buildIndices(op, size), rank, dim + 1);
  return op.map({part, place}, Dtype::I64, Dtype::Bool,
                [&](Scalars &s, ArrayRef<Value> args) {
                  Value start = s.divFloor(s.mul(args[0], n), parts);
                  Value next = s.mul(s.add(args[0], s.integer(1)), n);
                  Value end = s.divFloor(
                      s.add(next, s.sub(parts, s.integer(1))), parts);
                  return s.bitAnd(s.compare(Compare::Ge, args[1], start),
                                  s.compare(Compare::Lt, args[1], end));
                });
}

/// The means of `count` parts of a dimension (see findParts).
static Tensor averageParts(Lowering &op, const Tensor &in, int64_t dim,
                           Expr count) {
  Sizes wide = in.sizes;
  wide.insert(wide.begin() + dim, count);
  Operand inside = findParts(op, in.rank() + 1, dim, in.sizes[dim], count);
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
  // Of three dimensions all but the first one must have elements.
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(
                        spatial == 3 ? 1 : in.rank() - spatial));
  for (int64_t i = 0; i < spatial; ++i)
    result = averageParts(op, result, in.rank() - spatial + i, sizes[i]);
  op.result(result);
}

/// Where the parts of a dimension start and end (see findParts).
static std::pair<Tensor, Tensor> getParts(Lowering &op, Expr size, Expr count) {
  Value n = op.scalar(size, Dtype::I64), parts = op.scalar(count, Dtype::I64);
  Tensor part = buildIndices(op, count);
  Tensor start = op.map({part}, Dtype::I64, Dtype::I64,
                        [&](Scalars &s, ArrayRef<Value> args) {
                          return s.divFloor(s.mul(args[0], n), parts);
                        });
  Tensor end = op.map(
      {part}, Dtype::I64, Dtype::I64, [&](Scalars &s, ArrayRef<Value> args) {
        Value next = s.mul(s.add(args[0], s.integer(1)), n);
        return s.divFloor(s.add(next, s.sub(parts, s.integer(1))), parts);
      });
  return {start, end};
}

/// The body of a loop over a dimension: an element, the start and the end of
/// the part, the element's place behind the dimension if it has one, and what
/// has been found.
static void yieldLarger(const Scalars &s, ValueRange args, unsigned loop,
                        Value step) {
  Scalars n(s.b, s.loc, Dtype::I64), truth(s.b, s.loc, Dtype::Bool);
  Value element = args[0], best = args.drop_back().back(), known = args.back();
  Value at = arith::IndexCastOp::create(
      s.b, s.loc, s.b.getI64Type(), linalg::IndexOp::create(s.b, s.loc, loop));
  Value inside = truth.bitAnd(n.compare(Compare::Ge, at, args[1]),
                              n.compare(Compare::Lt, at, args[2]));
  Value place = n.mul(at, step);
  if (args.size() > 5)
    place = n.add(place, args[3]);
  Value isFirst = n.compare(Compare::Eq, known, n.integer(kNoPlace));
  Value isMore = s.compare(Compare::Gt, element, best);
  if (s.isFloat())
    isMore = truth.bitOr(isMore, s.isNan(element));
  Value chosen = truth.bitAnd(inside, truth.bitOr(isFirst, isMore));
  linalg::YieldOp::create(s.b, s.loc,
                          ValueRange{s.select(chosen, element, best),
                                     n.select(chosen, place, known)});
}

/// The largest elements of `count` parts of a dimension, and where the first of
/// them, or the last NaN, is: `behind` elements for each step along the
/// dimension, from where `places` says for what has been reduced before.
static std::pair<Tensor, Tensor> maxParts(Lowering &op, const Tensor &in,
                                          const std::optional<Tensor> &places,
                                          int64_t dim, Expr count,
                                          Expr behind) {
  Sizes sizes = in.sizes;
  sizes[dim] = count;
  Tensor most =
      op.fill(sizes, in.dtype, Scalars(op.b, op.loc, in.dtype).lowest());
  Tensor known = op.fill(sizes, Dtype::I64,
                         Scalars(op.b, op.loc, Dtype::I64).integer(kNoPlace));
  auto [start, end] = getParts(op, in.sizes[dim], count);
  unsigned rank = unsigned(in.rank());
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < rank; ++i)
    exprs.push_back(op.b.getAffineDimExpr(i == dim ? rank : i));
  MLIRContext *context = op.b.getContext();
  AffineMap inMap = AffineMap::get(rank + 1, 0, exprs, context);
  AffineMap partMap =
      AffineMap::get(rank + 1, 0, op.b.getAffineDimExpr(unsigned(dim)));
  AffineMap outMap = op.firstLoops(rank + 1, rank);
  SmallVector<Value> inputs{in.value, start.value, end.value};
  SmallVector<AffineMap> maps{inMap, partMap, partMap};
  if (places) {
    inputs.push_back(places->value);
    maps.push_back(inMap);
  }
  maps.append({outMap, outMap});
  auto iterators = op.parallel(rank);
  iterators.push_back(utils::IteratorType::reduction);
  Value step = op.scalar(behind, Dtype::I64);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{most.value.getType(), known.value.getType()},
      inputs, ValueRange{most.value, known.value}, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        yieldLarger(Scalars(b, loc, in.dtype), args, rank, step);
      });
  return {op.make(generic.getResult(0), in.dtype, sizes),
          op.make(generic.getResult(1), Dtype::I64, sizes)};
}

template <int64_t spatial>
static void lowerAdaptiveMaxPool(Lowering &op) {
  Tensor values = op.tensor("self");
  Sizes sizes = op.symInts("output_size");
  if (sizes.size() == 1)
    sizes.resize(spatial, sizes[0]);
  int64_t lead = values.rank() - spatial;
  if (int64_t(sizes.size()) != spatial || lead < 1 || lead > 2) {
    (void)op.error("the output size does not fit the input");
    return;
  }
  checkNotEmpty(op, ArrayRef(values.sizes).drop_front(1));
  std::optional<Tensor> places;
  Expr behind = op.literal(1);
  for (int64_t i = spatial - 1; i >= 0; --i) {
    Expr size = values.sizes[lead + i];
    std::tie(values, places) =
        maxParts(op, values, places, lead + i, sizes[i], behind);
    behind = op.exprs.mul(behind, size);
  }
  op.result(values, 0);
  op.result(*places, 1);
}

void addPools(LoweringTable &table) {
  table.add("aten.adaptive_max_pool1d.default", lowerAdaptiveMaxPool<1>);
  table.add("aten.adaptive_max_pool2d.default", lowerAdaptiveMaxPool<2>);
  table.add("aten.adaptive_max_pool3d.default", lowerAdaptiveMaxPool<3>);
  table.add("aten.max_pool1d.default", lowerMaxPool<1>);
  table.add("aten.max_pool2d.default", lowerMaxPool<2>);
  table.add("aten.max_pool3d.default", lowerMaxPool<3>);
  table.add("aten.max_pool2d_with_indices.default", lowerArgMaxPool<2>);
  table.add("aten.max_pool3d_with_indices.default", lowerArgMaxPool<3>);
  table.add("aten.max_pool1d_with_indices.default", lowerArgMaxPool<1>);
  table.add("aten.avg_pool1d.default", lowerAvgPool<1>);
  table.add("aten.avg_pool2d.default", lowerAvgPool<2>);
  table.add("aten.avg_pool3d.default", lowerAvgPool<3>);
  table.add("aten.adaptive_avg_pool1d.default", lowerAdaptiveAvgPool<1>);
  table.add("aten.adaptive_avg_pool2d.default", lowerAdaptiveAvgPool<2>);
  table.add("aten.adaptive_avg_pool3d.default", lowerAdaptiveAvgPool<3>);
  table.add("aten._adaptive_avg_pool2d.default", lowerAdaptiveAvgPool<2>);
  table.add("aten._adaptive_avg_pool3d.default", lowerAdaptiveAvgPool<3>);
}

} // namespace tally::import_pt2
