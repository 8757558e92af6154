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
        return isFloating(dtype) ? s.divFloat(args[0], args[1])
                                 : s.divTrunc(args[0], args[1]);
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

namespace {
/// The parts of a dimension (see findParts), and the loops over a tensor and
/// the elements of each part: those over the other dimensions, the parts in the
/// place of the dimension, and the elements of one behind that.
struct PartLoops {
  Sizes sizes;
  /// Where each part starts, and how many elements it has.
  Tensor start, length;
  /// The last place along the dimension.
  Value last;
  /// Has as many elements as a part at most; only its shape counts.
  Value window;
  SmallVector<AffineMap> inputMaps;
  AffineMap resultMap;
  SmallVector<utils::IteratorType> iterators;
  unsigned dim;

  SmallVector<Value> getInputs() const {
    return {start.value, length.value, window};
  }
};
} // namespace

static PartLoops getPartLoops(Lowering &op, const Tensor &in, int64_t dim,
                              Expr count) {
  PartLoops loops;
  loops.dim = unsigned(dim);
  loops.sizes = in.sizes;
  loops.sizes[dim] = count;
  Expr size = in.sizes[dim];
  Value n = op.scalar(size, Dtype::I64), parts = op.scalar(count, Dtype::I64);
  // One operation makes both, which is not repeated where they are read: its
  // divisions take longer than what follows.
  Value places = op.empty({count}, Dtype::I64);
  AffineMap along = op.identityMap(1);
  auto bounds = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{places.getType(), places.getType()}, ValueRange(),
      ValueRange{places, places}, {along, along}, op.parallel(1),
      [&](OpBuilder &b, Location loc, ValueRange) {
        Scalars s(b, loc, Dtype::I64);
        Value part = arith::IndexCastOp::create(
            b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, 0));
        Value next = s.mul(s.add(part, s.integer(1)), n);
        next = s.add(next, s.sub(parts, s.integer(1)));
        Value start = s.divFloor(s.mul(part, n), parts);
        Value length = s.sub(s.divFloor(next, parts), start);
        linalg::YieldOp::create(b, loc, ValueRange{start, length});
      });
  loops.start = op.make(bounds.getResult(0), Dtype::I64, {count});
  loops.length = op.make(bounds.getResult(1), Dtype::I64, {count});
  Scalars scalars(op.b, op.loc, Dtype::I64);
  loops.last = scalars.sub(n, scalars.integer(1));
  // A part may have one element more at each of its ends where the size is no
  // multiple.
  Expr divisor = op.exprs.max(count, op.literal(1));
  Expr whole = op.exprs.floorDiv(size, divisor);
  Expr rest = op.exprs.min(op.exprs.mod(size, divisor), op.literal(2));
  Expr longest = op.state.simplify(op.exprs.add(whole, rest));
  loops.window = op.empty({longest}, in.dtype);
  unsigned rank = unsigned(in.rank());
  AffineMap partMap =
      AffineMap::get(rank + 1, 0, op.b.getAffineDimExpr(loops.dim));
  AffineMap windowMap =
      AffineMap::get(rank + 1, 0, op.b.getAffineDimExpr(loops.dim + 1));
  loops.inputMaps = {partMap, partMap, windowMap};
  loops.resultMap = op.identityMap(rank + 1).dropResult(loops.dim + 1);
  loops.iterators = op.parallel(rank + 1);
  loops.iterators[loops.dim + 1] = utils::IteratorType::reduction;
  return loops;
}

namespace {
/// An element of a part, in the body of loops over parts.
struct PartElement {
  /// Where it is along the dimension, and whether that is in the part.
  Value place, inside;
  SmallVector<Value> indices;
};
} // namespace

/// What stands for an element behind the last one of a part.
enum class Behind { Last, Any };

static PartElement getPartElement(OpBuilder &b, Location loc,
                                  const PartLoops &loops, ValueRange args,
                                  Behind behind) {
  Scalars n(b, loc, Dtype::I64);
  auto getLoop = [&](unsigned loop) -> Value {
    return linalg::IndexOp::create(b, loc, loop);
  };
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                            getLoop(loops.dim + 1));
  PartElement element;
  element.inside = n.compare(Compare::Lt, number, args[1]);
  if (behind == Behind::Last)
    number = n.min(number, n.sub(args[1], n.integer(1)));
  // It is known of this that it is no less than 0, and no more than the last.
  element.place =
      n.max(n.min(n.add(args[0], number), loops.last), n.integer(0));
  for (unsigned loop = 0; loop < loops.iterators.size(); ++loop)
    if (loop != loops.dim + 1)
      element.indices.push_back(
          loop == loops.dim ? arith::IndexCastOp::create(
                                  b, loc, b.getIndexType(), element.place)
                            : getLoop(loop));
  return element;
}

/// Combines the elements of each part of a dimension; the last one of a part
/// may be combined several times, or is `init` then.
static Tensor reduceParts(Lowering &op, const Tensor &in,
                          const PartLoops &loops, Value init, bool canRepeat,
                          CombineFn combine) {
  SmallVector<AffineMap> maps = loops.inputMaps;
  maps.push_back(loops.resultMap);
  Tensor start = op.fill(loops.sizes, in.dtype, init);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{start.value.getType()}, loops.getInputs(),
      ValueRange{start.value}, maps, loops.iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, in.dtype);
        PartElement at = getPartElement(b, loc, loops, args,
                                        canRepeat ? Behind::Last : Behind::Any);
        Value x = tensor::ExtractOp::create(b, loc, in.value, at.indices);
        if (!canRepeat)
          x = s.select(at.inside, x, init);
        linalg::YieldOp::create(b, loc, combine(s, x, args.back()));
      });
  return op.make(generic.getResult(0), in.dtype, loops.sizes);
}

Tensor mapAlong(Lowering &op, const Tensor &in, int64_t dim,
                function_ref<Tensor(const Tensor &)> fn) {
  ArrayRef<Expr> sizes = in.sizes;
  Sizes merged{op.product(sizes.take_front(dim)), sizes[dim]};
  if (dim + 1 < in.rank())
    merged.push_back(op.product(sizes.drop_front(dim + 1)));
  Tensor out = fn(op.reshape(in, merged));
  Sizes result = in.sizes;
  result[dim] = out.sizes[1];
  return op.reshape(out, result);
}

/// The means of `count` parts of the second dimension (see findParts).
static Tensor averageParts(Lowering &op, const Tensor &in, Expr count) {
  constexpr int64_t dim = 1;
  Dtype dtype = in.dtype;
  PartLoops loops = getPartLoops(op, in, dim, count);
  Tensor sum = reduceParts(
      op, in, loops, Scalars(op.b, op.loc, dtype).number(0),
      /*canRepeat=*/false,
      [](Scalars &s, Value element, Value acc) { return s.add(acc, element); });
  return op.map(
      {sum, alongDim(op, loops.length, in.rank(), dim)}, dtype, dtype,
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
    result =
        mapAlong(op, result, in.rank() - spatial + i, [&](const Tensor &along) {
          return averageParts(op, along, sizes[i]);
        });
  op.result(result);
}

/// The largest elements of `count` parts of a dimension, and where the first of
/// them, or the last NaN, is: `behind` elements for each step along the
/// dimension, from where `places` says for what has been reduced before.
static std::pair<Tensor, Tensor> maxParts(Lowering &op, const Tensor &in,
                                          const std::optional<Tensor> &places,
                                          int64_t dim, Expr count,
                                          Expr behind) {
  PartLoops loops = getPartLoops(op, in, dim, count);
  Tensor most =
      op.fill(loops.sizes, in.dtype, Scalars(op.b, op.loc, in.dtype).lowest());
  Tensor known = op.fill(loops.sizes, Dtype::I64,
                         Scalars(op.b, op.loc, Dtype::I64).integer(kNoPlace));
  SmallVector<AffineMap> maps = loops.inputMaps;
  maps.append({loops.resultMap, loops.resultMap});
  Value step = op.scalar(behind, Dtype::I64);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{most.value.getType(), known.value.getType()},
      loops.getInputs(), ValueRange{most.value, known.value}, maps,
      loops.iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, in.dtype), n(b, loc, Dtype::I64);
        Scalars truth(b, loc, Dtype::Bool);
        PartElement at = getPartElement(b, loc, loops, args, Behind::Last);
        Value element = tensor::ExtractOp::create(b, loc, in.value, at.indices);
        Value place = n.mul(at.place, step);
        if (places)
          place = n.add(place, tensor::ExtractOp::create(b, loc, places->value,
                                                         at.indices));
        Value best = args.drop_back().back(), found = args.back();
        Value isFirst = n.compare(Compare::Eq, found, n.integer(kNoPlace));
        Value chosen =
            truth.bitOr(isFirst, s.compare(Compare::Gt, element, best));
        if (s.isFloat())
          chosen = truth.bitOr(chosen, s.isNan(element));
        linalg::YieldOp::create(b, loc,
                                ValueRange{s.select(chosen, element, best),
                                           n.select(chosen, place, found)});
      });
  return {op.make(generic.getResult(0), in.dtype, loops.sizes),
          op.make(generic.getResult(1), Dtype::I64, loops.sizes)};
}

/// The largest elements of parts of the last dimensions, as many as there are
/// sizes. Those of which a part is all are reduced at once.
static Tensor maxOfParts(Lowering &op, Tensor in, ArrayRef<Expr> sizes) {
  int64_t lead = in.rank() - int64_t(sizes.size());
  SmallVector<int64_t> whole;
  Value lowest = Scalars(op.b, op.loc, in.dtype).lowest();
  for (size_t i = 0; i < sizes.size(); ++i) {
    Expr count = sizes[i];
    if (count.isConstant(1))
      whole.push_back(lead + int64_t(i));
    else
      in = mapAlong(op, in, lead + int64_t(i), [&](const Tensor &along) {
        return reduceParts(op, along, getPartLoops(op, along, 1, count), lowest,
                           /*canRepeat=*/true,
                           [](Scalars &s, Value element, Value acc) {
                             return s.max(acc, element);
                           });
      });
  }
  return whole.empty() ? in : op.keepDims(op.max(in, whole), whole);
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
  // Most programs ask for no places.
  if (isUnused(op.resultName(1), op.scope.graph)) {
    Tensor largest = maxOfParts(op, values, sizes);
    op.result(op.fill(largest.sizes, Dtype::I64, 0.0), 1);
    return op.result(largest, 0);
  }
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
