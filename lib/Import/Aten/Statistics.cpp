//===- Statistics.cpp - Order statistics, distances, differences ----------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Sums without NaN
//===----------------------------------------------------------------------===//

static Tensor sumNumbers(Lowering &op, const Tensor &in, ArrayRef<int64_t> dims,
                         Dtype dtype) {
  Tensor numbers =
      op.map({in}, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
        return s.select(s.isNan(args[0]), s.integer(0), args[0]);
      });
  return op.sum(numbers, dims, dtype);
}

static Tensor keepIfAsked(Lowering &op, const Tensor &in,
                          ArrayRef<int64_t> dims) {
  return op.flag("keepdim", false) ? op.keepDims(in, dims) : in;
}

static void lowerNanSum(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", in.rank());
  Dtype dtype = getComputeDtype(op.resultDtype(0, getSumDtype(in.dtype)));
  op.result(keepIfAsked(op, sumNumbers(op, in, dims, dtype), dims));
}

static void lowerNanMean(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", in.rank());
  Dtype dtype = getComputeDtype(op.resultDtype());
  Tensor isNumber =
      op.map({in}, in.dtype, Dtype::Bool, [](Scalars &s, ArrayRef<Value> args) {
        return s.compare(Compare::Eq, args[0], args[0]);
      });
  Tensor mean = op.map(
      {sumNumbers(op, in, dims, dtype), op.sum(isNumber, dims, Dtype::I64)},
      dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
        return s.divFloat(args[0], args[1]);
      });
  op.result(keepIfAsked(op, mean, dims));
}

//===----------------------------------------------------------------------===//
// Order statistics
//===----------------------------------------------------------------------===//

static void checkNotEmpty(Lowering &op, Expr size) {
  op.check(op.exprs.gt(size, op.literal(0)),
           Twine(op.target) + ": the reduced dimension must not be empty");
}

/// The element at a place of the order, and where it was; the dimension
/// vanishes.
static std::pair<Tensor, Tensor> takePlace(Lowering &op, const Tensor &in,
                                           int64_t dim, bool descending,
                                           Expr place) {
  OrderPart part{std::move(place), op.literal(1)};
  auto [values, indices] = buildSort(op, in, dim, descending, &part);
  return {op.squeeze(values, {dim}), op.squeeze(indices, {dim})};
}

static void lowerKthValue(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.withDim(self);
  int64_t dim = op.dim("dim", in.rank(), -1);
  Expr k = op.symInt("k");
  op.check({Comparison::le(op.literal(1), k), Comparison::le(k, in.sizes[dim])},
           Twine(op.target) + ": k is out of range");
  auto [value, index] = takePlace(op, in, dim, /*descending=*/false,
                                  op.exprs.sub(k, op.literal(1)));
  SmallVector<int64_t> kept;
  if (self.rank() != 0)
    kept.push_back(dim);
  op.result(keepIfAsked(op, value, kept), 0);
  op.result(keepIfAsked(op, index, kept), 1);
}

/// The median of no elements is NaN, or what PyTorch makes of it in a type of
/// integers: the smallest one, or 0 where fewer than 32 bits are left of it.
static Tensor withMedianOfNothing(Lowering &op, const Tensor &median,
                                  Expr size) {
  Dtype dtype = median.dtype;
  bool isWide = dtype == Dtype::I32 || dtype == Dtype::I64;
  return op.map(
      {median, size}, dtype, dtype, [&](Scalars &s, ArrayRef<Value> args) {
        Value nothing = s.isFloat() ? s.number(std::nan("")) : s.integer(0);
        if (isWide)
          nothing = s.lowest();
        Value isEmpty = s.compare(Compare::Eq, args[1], s.integer(0));
        return s.select(isEmpty, nothing, args[0]);
      });
}

/// Elements of sorted rows, at a place that differs from row to row: it is
/// found by comparison.
static Tensor takePlaces(Lowering &op, const Tensor &from, int64_t dim,
                         const Tensor &places) {
  Tensor numbers =
      alongDim(op, buildIndices(op, from.sizes[dim]), from.rank(), dim);
  Tensor isPlace = op.map(
      {numbers, op.keepDims(places, {dim})}, Dtype::I64, Dtype::Bool,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.compare(Compare::Eq, args[0], args[1]);
      },
      from.sizes);
  Operand flag = isPlace;
  flag.isRaw = true;
  Tensor chosen = op.map(
      {from, flag}, from.dtype, from.dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.select(args[1], args[0], s.integer(0));
      },
      from.sizes);
  return op.sum(chosen, {dim}, from.dtype);
}

static Tensor buildIsNan(Lowering &op, const Tensor &in) {
  return op.map(
      {in}, in.dtype, Dtype::Bool,
      [](Scalars &s, ArrayRef<Value> args) { return s.isNan(args[0]); });
}

/// The lower of the two elements in the middle of those that are numbers: how
/// many these are is in the data.
static std::pair<Tensor, Tensor> buildNanMedian(Lowering &op, const Tensor &in,
                                                int64_t dim) {
  auto [values, indices] = buildSort(op, in, dim, /*descending=*/false);
  Tensor nans = op.sum(buildIsNan(op, in), {dim}, Dtype::I64);
  Tensor places =
      op.map({nans, op.exprs.sub(in.sizes[dim], op.literal(1))}, Dtype::I64,
             Dtype::I64, [](Scalars &s, ArrayRef<Value> args) {
               Value end = s.max(s.sub(args[1], args[0]), s.integer(0));
               return s.divTrunc(end, s.integer(2));
             });
  return {takePlaces(op, values, dim, places),
          takePlaces(op, indices, dim, places)};
}

/// The lower of the two elements in the middle, or the first NaN where there is
/// one: it is the first of the descending order.
static std::pair<Tensor, Tensor> buildMedian(Lowering &op, const Tensor &in,
                                             int64_t dim, bool mayBeEmpty) {
  Expr size = in.sizes[dim], one = op.literal(1), zero = op.literal(0);
  OrderPart middle{op.exprs.floorDiv(op.exprs.sub(size, one), op.literal(2)),
                   one},
      front{zero, one};
  if (mayBeEmpty) {
    middle.first = op.exprs.max(middle.first, zero);
    middle.count = front.count = op.exprs.min(size, one);
  }
  auto take = [&](bool descending, const OrderPart &part) {
    auto [values, indices] = buildSort(op, in, dim, descending, &part);
    if (mayBeEmpty) // then there is one element, or none
      return std::pair(op.sum(values, {dim}, in.dtype),
                       op.sum(indices, {dim}, Dtype::I64));
    return std::pair(op.squeeze(values, {dim}), op.squeeze(indices, {dim}));
  };
  auto [value, index] = take(/*descending=*/false, middle);
  if (!isFloating(in.dtype))
    return {value, index};
  auto [largest, where] = take(/*descending=*/true, front);
  Operand flag = buildIsNan(op, largest);
  flag.isRaw = true;
  auto choose = [&](const Tensor &found, const Tensor &usual) {
    return op.map({found, usual, flag}, found.dtype, found.dtype,
                  [](Scalars &s, ArrayRef<Value> args) {
                    return s.select(args[2], args[0], args[1]);
                  });
  };
  return {choose(largest, value), choose(where, index)};
}

template <bool ignoresNan>
static void lowerMedian(Lowering &op) {
  Tensor self = op.tensor("self");
  bool isWhole = !op.has("dim");
  Tensor in = isWhole || self.rank() == 0 ? op.flatten(self) : self;
  int64_t dim = isWhole ? 0 : op.dim("dim", in.rank());
  Expr size = in.sizes[dim];
  if (!isWhole)
    checkNotEmpty(op, size);
  bool mayBeEmpty = isWhole && self.rank() > 0;
  auto [value, index] = ignoresNan ? buildNanMedian(op, in, dim)
                                   : buildMedian(op, in, dim, mayBeEmpty);
  bool keeps = op.flag("keepdim", false) && self.rank() > 0;
  auto finish = [&](const Tensor &tensor) {
    if (self.rank() == 0)
      return op.reshape(tensor, {});
    return keeps ? op.keepDims(tensor, {dim}) : tensor;
  };
  if (isWhole)
    value = withMedianOfNothing(op, value, size);
  op.result(finish(value), 0);
  if (!isWhole)
    op.result(finish(index), 1);
}

/// The elements at one place of each row along a dimension, which vanishes.
static Tensor takeFromRows(Lowering &op, const Tensor &from, int64_t dim,
                           const Tensor &places) {
  Value last = op.size(op.exprs.sub(from.sizes[dim], op.literal(1)));
  return op.generate(
      places.sizes, from.dtype, [&](Scalars &s, ValueRange row) -> Value {
        Value place = tensor::ExtractOp::create(s.b, s.loc, places.value, row);
        SmallVector<Value> at(row);
        at.insert(at.begin() + dim, buildClampedIndex(s.b, s.loc, place, last));
        return tensor::ExtractOp::create(s.b, s.loc, from.value, at);
      });
}

/// Where the first of the longest runs of equal elements ends, in rows along a
/// dimension that are in order.
static Tensor findLongestRuns(Lowering &op, const Tensor &sorted, int64_t dim) {
  Sizes sizes = sorted.sizes;
  sizes.erase(sizes.begin() + dim);
  Value zero = op.index(0), one = op.index(1);
  Value count = op.size(sorted.sizes[dim]);
  return op.generate(sizes, Dtype::I64, [&](Scalars &s, ValueRange row) {
    auto read = [&](Scalars &s, Value place) -> Value {
      SmallVector<Value> at(row);
      at.insert(at.begin() + dim, place);
      return tensor::ExtractOp::create(s.b, s.loc, sorted.value, at);
    };
    Value none = s.integer(0);
    // The length of this run, of the longest one, and where that ends.
    auto loop = scf::ForOp::create(
        s.b, s.loc, zero, count, one, ValueRange{none, none, none},
        [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
          Scalars c(b, loc, Dtype::I64), v(b, loc, sorted.dtype);
          Value number = arith::IndexCastOp::create(b, loc, c.type(), i);
          Value isFirst = c.compare(Compare::Eq, number, c.integer(0));
          Value before = arith::SelectOp::create(
              b, loc, isFirst, zero, arith::SubIOp::create(b, loc, i, one));
          Value isSame = v.compare(Compare::Eq, read(v, i), read(v, before));
          isSame = arith::SelectOp::create(
              b, loc, isFirst, Scalars(b, loc, Dtype::Bool).integer(0), isSame);
          Value length =
              c.select(isSame, c.add(args[0], c.integer(1)), c.integer(1));
          Value isLonger = c.compare(Compare::Gt, length, args[1]);
          scf::YieldOp::create(b, loc,
                               ValueRange{length,
                                          c.select(isLonger, length, args[1]),
                                          c.select(isLonger, number, args[2])});
        });
    return loop.getResult(2);
  });
}

/// The smallest of the elements that are there most often, and the last place
/// where it is.
static void lowerMode(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.withDim(self);
  int64_t dim = op.dim("dim", in.rank(), -1);
  checkNotEmpty(op, in.sizes[dim]);
  auto [values, indices] = buildSort(op, in, dim, /*descending=*/false);
  Tensor ends = findLongestRuns(op, values, dim);
  SmallVector<int64_t> kept;
  if (self.rank() != 0)
    kept.push_back(dim);
  op.result(keepIfAsked(op, takeFromRows(op, values, dim, ends), kept), 0);
  op.result(keepIfAsked(op, takeFromRows(op, indices, dim, ends), kept), 1);
}

namespace {
/// The operands of a quantile: rows in order, how many of their elements are
/// numbers, and which quantiles of each are wanted.
struct QuantileRows {
  Tensor sorted, counts, places;
  bool ignoresNan;
};
} // namespace

/// The elements around place q * (count - 1) of a row, mixed.
static Value buildQuantile(Scalars &s, const QuantileRows &rows, StringRef mode,
                           ValueRange row, Value which) {
  auto read = [&](const Tensor &from, SmallVector<Value> at, Value last = {}) {
    if (last)
      at.push_back(last);
    return tensor::ExtractOp::create(s.b, s.loc, from.value, at).getResult();
  };
  Scalars wide(s.b, s.loc, Dtype::I64);
  Value one = wide.integer(1), zero = wide.integer(0);
  Value size = arith::IndexCastOp::create(
      s.b, s.loc, s.b.getI64Type(),
      tensor::DimOp::create(s.b, s.loc, rows.sorted.value,
                            rows.sorted.rank() - 1));
  Value numbers = read(rows.counts, SmallVector<Value>(row));
  Value used = rows.ignoresNan ? numbers : size;
  Value last = wide.castTo(s.dtype, wide.sub(used, one));
  Value place = s.mul(read(rows.places, {which}), last);
  Value below = math::FloorOp::create(s.b, s.loc, place);
  if (mode == "nearest")
    below = math::RoundEvenOp::create(s.b, s.loc, place);
  else if (mode == "higher")
    below = math::CeilOp::create(s.b, s.loc, place);
  auto element = [&](Value number) {
    // In range whatever the quantile is.
    Value at = wide.min(wide.max(s.castTo(Dtype::I64, number), zero),
                        wide.sub(size, one));
    return read(rows.sorted, SmallVector<Value>(row),
                arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), at));
  };
  Value low = element(below), result = low;
  if (mode == "linear" || mode == "midpoint") {
    Value high = element(math::CeilOp::create(s.b, s.loc, place));
    Value share = mode == "linear" ? s.sub(place, below) : s.number(0.5);
    result = s.add(low, s.mul(share, s.sub(high, low)));
  }
  Value isKnown = rows.ignoresNan ? wide.compare(Compare::Gt, numbers, zero)
                                  : wide.compare(Compare::Eq, numbers, size);
  return s.select(isKnown, result, s.sub(s.highest(), s.highest()));
}

template <bool ignoresNan>
static void lowerQuantile(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor in = op.has("dim") ? op.withDim(self) : op.flatten(self);
  int64_t dim = op.dim("dim", in.rank());
  op.check(op.exprs.gt(op.numel(in), op.literal(0)),
           Twine(op.target) + ": the input must not be empty");
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < in.rank(); ++i)
    if (i != dim)
      order.push_back(i);
  order.push_back(dim);
  Operand q = op.operand("q");
  bool isVector = q.tensor && q.tensor->rank() == 1;
  Tensor moved = op.permute(in, order);
  Tensor isNumber = op.map({moved}, in.dtype, Dtype::Bool,
                           [](Scalars &s, ArrayRef<Value> args) {
                             return s.compare(Compare::Eq, args[0], args[0]);
                           });
  int64_t last = moved.rank() - 1;
  QuantileRows rows;
  rows.ignoresNan = ignoresNan;
  rows.sorted = buildSort(op, moved, last, /*descending=*/false).first;
  rows.counts = op.sum(isNumber, {last}, Dtype::I64);
  rows.places = q.tensor ? op.flatten(op.convert(*q.tensor, in.dtype))
                         : op.fill({op.literal(1)}, in.dtype,
                                   op.scalar(q.expr, in.dtype));
  checkAll(op, rows.places, "a quantile is not in [0, 1]",
           [](Scalars &s, Value x) {
             return s.bitAnd(s.compare(Compare::Ge, x, s.number(0)),
                             s.compare(Compare::Le, x, s.number(1)));
           });
  Sizes sizes(moved.sizes.begin(), moved.sizes.end() - 1);
  sizes.insert(sizes.begin(), rows.places.sizes[0]);
  StringRef mode = op.string("interpolation", "linear");
  Tensor result =
      op.generate(sizes, in.dtype, [&](Scalars &s, ValueRange indices) {
        return buildQuantile(s, rows, mode, indices.drop_front(), indices[0]);
      });
  if (op.flag("keepdim", false)) {
    if (op.has("dim") && self.rank() != 0)
      result = op.unsqueeze(result, dim + 1);
    else
      for (int64_t i = 0; i < self.rank(); ++i)
        result = op.unsqueeze(result, 1);
  }
  op.result(isVector ? result : op.squeeze(result, {0}));
}

//===----------------------------------------------------------------------===//
// Contiguous
//===----------------------------------------------------------------------===//

/// All elements of a dimension but the first, and all but the last.
static std::pair<Tensor, Tensor> getAdjacent(Lowering &op, const Tensor &in,
                                             int64_t dim) {
  Expr one = op.literal(1);
  Expr count = op.state.simplify(
      op.exprs.max(op.exprs.sub(in.sizes[dim], one), op.literal(0)));
  Expr first = op.state.simplify(op.exprs.min(in.sizes[dim], one));
  return {op.slice(in, dim, first, count),
          op.slice(in, dim, op.literal(0), count)};
}

static void lowerDiff(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank(), -1);
  SmallVector<Tensor> parts;
  int64_t times = op.integer("n", 1);
  if (std::optional<Tensor> before = op.optionalTensor("prepend"))
    parts.push_back(op.convert(*before, in.dtype));
  parts.push_back(in);
  if (std::optional<Tensor> after = op.optionalTensor("append"))
    parts.push_back(op.convert(*after, in.dtype));
  // Nothing is joined to what stays as it is.
  if (parts.size() > 1 && times != 0)
    in = op.concat(parts, dim);
  if (times < 0 || times > kMaxRepetitions) {
    (void)op.error("differences of order " + Twine(times) +
                   " are not supported");
    return;
  }
  for (int64_t i = 0; i < times; ++i) {
    auto [next, previous] = getAdjacent(op, in, dim);
    Dtype compute = getComputeDtype(in.dtype);
    in = op.map(
        {next, previous}, compute, compute,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.dtype == Dtype::Bool ? s.bitXor(args[0], args[1])
                                        : s.sub(args[0], args[1]);
        },
        next.sizes, in.dtype);
  }
  op.result(in);
}

/// The area under a line through points at equal distances.
static void lowerTrapezoid(Lowering &op) {
  Tensor in = op.tensor("y");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank(), -1);
  double dx = op.real("dx", 1);
  // As in eager mode, also where that overflows: the sum of all less half of
  // the first and the last, each rounded to the type.
  Dtype sums = isFloating(in.dtype) ? in.dtype : Dtype::I64;
  Dtype compute = getComputeDtype(sums),
        result = op.resultDtype(0, getFloatDtype(in.dtype));
  Expr zero = op.literal(0), one = op.literal(1), count = in.sizes[dim];
  Expr few = op.state.simplify(op.exprs.min(count, one));
  Expr last = op.state.simplify(op.exprs.max(op.exprs.sub(count, one), zero));
  Tensor total = op.convert(op.sum(in, {dim}, compute), sums);
  Tensor first = op.sum(op.slice(in, dim, zero, few), {dim}, compute);
  Tensor end = op.sum(op.slice(in, dim, last, few), {dim}, compute);
  Tensor ends = op.map(
      {first, end}, compute, compute,
      [](Scalars &s, ArrayRef<Value> args) { return s.add(args[0], args[1]); },
      total.sizes, in.dtype);
  Dtype dtype = getComputeDtype(result);
  op.result(op.map(
      {total, ends}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value area = s.sub(args[0], s.mul(args[1], s.number(0.5)));
        return s.mul(area, s.number(dx));
      },
      total.sizes, result));
}

void addStatistics(LoweringTable &table) {
  table.add("aten.nansum.default", lowerNanSum);
  table.add("aten.nanmean.default", lowerNanMean);
  table.add("aten.kthvalue.default", lowerKthValue);
  table.add("aten.mode.default", lowerMode);
  for (StringRef overload : {"default", "dim"}) {
    table.add(("aten.median." + overload).str(), lowerMedian<false>);
    table.add(("aten.nanmedian." + overload).str(), lowerMedian<true>);
  }
  for (StringRef overload : {"default", "scalar"}) {
    table.add(("aten.quantile." + overload).str(), lowerQuantile<false>);
    table.add(("aten.nanquantile." + overload).str(), lowerQuantile<true>);
  }
  table.add("aten.diff.default", lowerDiff);
  table.add("aten.trapezoid.dx", lowerTrapezoid);
  table.add("aten.trapz.dx", lowerTrapezoid);
}

} // namespace tally::import_pt2
