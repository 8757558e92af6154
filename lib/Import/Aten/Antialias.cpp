//===- Antialias.cpp - Resizing by means of all that is covered -----------===//
//
// Each dimension is resized on its own: where the windows of its elements are
// and what they weigh is computed once for each of them, not for each row.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "Pools.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// The weight of an element at a distance; none from `support` on.
struct Filter {
  double support;
  Value (*weigh)(const Scalars &f, Value distance);
};
} // namespace

static Value weighLinear(const Scalars &f, Value distance) {
  return f.max(f.sub(f.number(1), distance), f.number(0));
}

static Value weighCubic(const Scalars &f, Value distance) {
  auto [near, far] = getCubicWeight(f, distance, -0.5);
  Value isNear = f.compare(Compare::Lt, distance, f.number(1));
  Value isFar = f.compare(Compare::Lt, distance, f.number(2));
  return f.select(isNear, near, f.select(isFar, far, f.number(0)));
}

static constexpr Filter kLinearFilter{1, weighLinear};
static constexpr Filter kCubicFilter{2, weighCubic};

namespace {
/// For each element of the output those of the input that it is a mean of:
/// `count` of them from `first` on, with weights [output, tap]. No others are
/// read, as a weight of 0 does not hide an infinity.
struct TapTables {
  Tensor first, count, weights;
};

/// The least and the last place, this one excluded, that an element of the
/// output covers; its center and the width of the filter.
struct Window {
  Value low, high, center, width;
};
} // namespace

static Window getWindow(const Scalars &f, Value index, Value step,
                        const Filter &filter) {
  Window window;
  // Where the input has more elements, all of them count.
  window.width = f.max(step, f.number(1));
  Value support = f.mul(f.number(filter.support), window.width);
  Value half = f.number(0.5);
  window.center = f.mul(step, f.add(toFloat(f.b, f.loc, index, f.dtype), half));
  auto truncate = [&](Value x) -> Value {
    return math::TruncOp::create(f.b, f.loc, f.add(x, half));
  };
  window.low = f.max(truncate(f.sub(window.center, support)), f.number(0));
  window.high = truncate(f.add(window.center, support));
  return window;
}

/// No window has more elements than this; one may have less.
static Expr getNumTaps(Lowering &op, Expr from, Expr to,
                       std::optional<double> given, bool alignsCorners,
                       const Filter &filter) {
  symbolic::ExprContext &exprs = op.exprs;
  Expr one = op.literal(1);
  Expr width = one;
  if (alignsCorners)
    width =
        exprs.ceilDiv(exprs.sub(from, one), exprs.max(exprs.sub(to, one), one));
  else if (given)
    width = op.literal(int64_t(std::ceil(std::min(*given, double(INT32_MAX)))));
  else
    width = exprs.ceilDiv(from, exprs.max(to, one));
  Expr twice = op.literal(int64_t(2 * filter.support));
  Expr most = exprs.add(exprs.mul(twice, exprs.max(width, one)), twice);
  return op.state.simplify(exprs.min(most, from));
}

/// Where windows start, and how many elements they have. One operation makes
/// both, which is not repeated where they are read.
static void buildBounds(Lowering &op, Expr from, Expr to, Value step,
                        const Filter &filter, Dtype dtype, TapTables &windows) {
  Value isSame = isSameSize(op, from, to);
  Value end = op.scalar(from, dtype);
  Value places = op.empty({to}, Dtype::I64);
  AffineMap along = op.identityMap(1);
  auto bounds = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{places.getType(), places.getType()}, ValueRange(),
      ValueRange{places, places}, {along, along}, op.parallel(1),
      [&](OpBuilder &b, Location loc, ValueRange) {
        Scalars f(b, loc, dtype);
        Value index = linalg::IndexOp::create(b, loc, 0);
        Window window = getWindow(f, index, step, filter);
        Value first =
            f.select(isSame, toFloat(b, loc, index, dtype), window.low);
        Value count = f.select(isSame, f.number(1),
                               f.sub(f.min(window.high, end), window.low));
        linalg::YieldOp::create(b, loc,
                                ValueRange{f.castTo(Dtype::I64, first),
                                           f.castTo(Dtype::I64, count)});
      });
  windows.first = op.make(bounds.getResult(0), Dtype::I64, {to});
  windows.count = op.make(bounds.getResult(1), Dtype::I64, {to});
}

static TapTables buildWindows(Lowering &op, Expr from, Expr to, Expr numTaps,
                              Value step, const Filter &filter, Dtype dtype) {
  TapTables windows;
  buildBounds(op, from, to, step, filter, dtype, windows);
  Value isSame = isSameSize(op, from, to);
  Value end = op.scalar(from, dtype);
  windows.weights = op.generate(
      {to, numTaps}, dtype, [&](Scalars &f, ValueRange indices) -> Value {
        Window window = getWindow(f, indices[0], step, filter);
        Value tap = toFloat(f.b, f.loc, indices[1], dtype);
        Value place = f.add(window.low, tap);
        Value distance =
            f.divFloat(f.abs(f.add(f.sub(place, window.center), f.number(0.5))),
                       window.width);
        Value isInside = f.compare(Compare::Lt, place, f.min(window.high, end));
        Value weight =
            f.select(isInside, filter.weigh(f, distance), f.number(0));
        Value isFirst = f.compare(Compare::Eq, tap, f.number(0));
        return f.select(isSame, f.select(isFirst, f.number(1), f.number(0)),
                        weight);
      });
  Tensor sums = op.keepDims(op.sum(windows.weights, {1}, dtype), {1});
  windows.weights = op.map({windows.weights, sums}, dtype, dtype,
                           [](Scalars &s, ArrayRef<Value> args) {
                             return s.divFloat(args[0], args[1]);
                           });
  return windows;
}

/// The sums of what windows have of the second of two or three dimensions, in
/// the type of the sums.
static Tensor addWindows(Lowering &op, const Tensor &in,
                         const TapTables &windows, Dtype dtype) {
  Sizes sizes = in.sizes;
  sizes[1] = windows.first.sizes[0];
  unsigned rank = unsigned(in.rank());
  Scalars scalars(op.b, op.loc, Dtype::I64);
  Value last =
      scalars.sub(op.scalar(in.sizes[1], Dtype::I64), scalars.integer(1));
  Value start = op.fill(sizes, dtype, 0.0).value;
  // Only its size counts.
  Value window = op.empty({windows.weights.sizes[1]}, dtype);
  MLIRContext *context = op.b.getContext();
  AffineMap perOutput =
      AffineMap::get(rank + 1, 0, op.b.getAffineDimExpr(1), context);
  AffineMap perTap =
      AffineMap::get(rank + 1, 0, op.b.getAffineDimExpr(rank), context);
  SmallVector<AffineMap> maps = {perOutput, perOutput, perTap,
                                 op.firstLoops(rank + 1, rank)};
  SmallVector<utils::IteratorType> iterators = op.parallel(in.rank());
  iterators.push_back(utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{start.getType()},
      ValueRange{windows.first.value, windows.count.value, window},
      ValueRange{start}, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, dtype), n(b, loc, Dtype::I64);
        SmallVector<Value> at;
        for (unsigned i = 0; i < rank; ++i)
          at.push_back(linalg::IndexOp::create(b, loc, i));
        Value tap = linalg::IndexOp::create(b, loc, rank);
        // What is read is no operand, as its makers are not to be repeated.
        Value weight = tensor::ExtractOp::create(b, loc, windows.weights.value,
                                                 ValueRange{at[1], tap});
        Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), tap);
        Value isInside = n.compare(Compare::Lt, number, args[1]);
        Value place = n.max(n.min(n.add(args[0], number), last), n.integer(0));
        at[1] = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
        Value x = tensor::ExtractOp::create(b, loc, in.value, at);
        x = Scalars(b, loc, in.dtype).castTo(dtype, x);
        Value term = s.select(isInside, s.mul(weight, x), s.number(-0.0));
        linalg::YieldOp::create(b, loc, s.add(args.back(), term));
      });
  return op.make(generic.getResult(0), dtype, sizes);
}

/// The same of any dimension.
static Tensor addWindowsAlong(Lowering &op, const Tensor &in, int64_t dim,
                              const TapTables &windows, Dtype dtype) {
  return mapAlong(op, in, dim, [&](const Tensor &along) {
    return addWindows(op, along, windows, dtype);
  });
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// The bits behind the point of weights that are integers of 16 bits: as many
/// as the largest weight allows, and PyTorch has.
static Tensor countBits(Lowering &op, const Tensor &weights) {
  constexpr int64_t most = 22;
  constexpr double limit = 1 << 15;
  return op.map({op.max(weights, {0, 1})}, Dtype::F64, Dtype::I32,
                [](Scalars &f, ArrayRef<Value> args) {
                  Scalars n(f.b, f.loc, Dtype::I32);
                  Value count = n.integer(0);
                  for (int64_t bits = 1; bits <= most; ++bits) {
                    Value scaled = f.mul(args[0], f.number(double(1 << bits)));
                    Value fits =
                        f.compare(Compare::Lt, f.add(scaled, f.number(0.5)),
                                  f.number(limit));
                    count = n.select(fits, n.integer(bits), count);
                  }
                  return count;
                });
}

/// As PyTorch does, bytes are summed up in integers, and rounded in each
/// dimension.
static Tensor resizeBytes(Lowering &op, const Tensor &in, int64_t dim,
                          TapTables windows) {
  Tensor bits = countBits(op, windows.weights);
  auto getScale = [](const Scalars &n, Value count) {
    return n.shiftLeft(n.integer(1), count);
  };
  Tensor scale = op.map(
      {bits}, Dtype::I32, Dtype::I32,
      [&](Scalars &n, ArrayRef<Value> args) { return getScale(n, args[0]); });
  windows.weights = op.map({windows.weights, scale}, Dtype::F64, Dtype::I32,
                           [](Scalars &f, ArrayRef<Value> args) {
                             Value scaled = f.mul(args[0], args[1]);
                             Value half = f.select(
                                 f.compare(Compare::Lt, scaled, f.number(0)),
                                 f.number(-0.5), f.number(0.5));
                             return f.castTo(Dtype::I32, f.add(scaled, half));
                           });
  Tensor sum = addWindowsAlong(op, in, dim, windows, Dtype::I32);
  return op.map({sum, bits}, Dtype::I32, Dtype::U8,
                [&](Scalars &n, ArrayRef<Value> args) {
                  Value one = n.integer(1);
                  Value half = getScale(n, n.sub(args[1], one));
                  Value rounded = n.shiftRight(n.add(args[0], half), args[1]);
                  rounded = n.max(n.min(rounded, n.integer(255)), n.integer(0));
                  return n.castTo(Dtype::U8, rounded);
                });
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// Each element is a mean of those of the input that it covers.
template <const Filter &filter>
static Tensor resizeSmoothly(Lowering &op, const Tensor &in, int64_t dim,
                             Expr size, std::optional<double> given,
                             bool alignsCorners) {
  Expr from = in.sizes[dim];
  bool isByte = in.dtype == Dtype::U8;
  Dtype dtype = isByte ? Dtype::F64 : getComputeDtype(in.dtype);
  Value step = getStepBetween(op, from, size, given, alignsCorners, dtype);
  Expr numTaps = getNumTaps(op, from, size, given, alignsCorners, filter);
  TapTables windows =
      buildWindows(op, from, size, numTaps, step, filter, dtype);
  return isByte ? resizeBytes(op, in, dim, windows)
                : addWindowsAlong(op, in, dim, windows, dtype);
}

void addAntialias(LoweringTable &table) {
  for (StringRef overload : {"vec", "default"}) {
    table.add(("aten._upsample_bilinear2d_aa." + overload).str(),
              lowerResize<2, resizeSmoothly<kLinearFilter>>);
    table.add(("aten._upsample_bicubic2d_aa." + overload).str(),
              lowerResize<2, resizeSmoothly<kCubicFilter>>);
  }
}

} // namespace tally::import_pt2
