//===- Scans.cpp - Results that build on the ones before ------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Combines what has been accumulated with the next element.
using Step = Value (*)(Scalars &s, Value acc, Value element);
} // namespace

static Value stepAdd(Scalars &s, Value acc, Value x) { return s.add(acc, x); }
static Value stepMul(Scalars &s, Value acc, Value x) { return s.mul(acc, x); }
static Value stepLogAddExp(Scalars &s, Value acc, Value x) {
  Value high = s.max(acc, x), low = s.min(acc, x);
  Value gap = math::ExpOp::create(s.b, s.loc, s.sub(low, high));
  Value sum = s.add(high, math::Log1pOp::create(s.b, s.loc, gap));
  // Equal infinities have no distance.
  return s.select(s.compare(Compare::Eq, acc, x),
                  s.add(x, s.number(0.6931471805599453)), sum);
}

/// Loops over all other dimensions, and inside over `dim` with the accumulated
/// values carried along; `body` gives the next ones, which are also stored.
static SmallVector<Tensor>
buildScan(Lowering &op, const Tensor &in, int64_t dim, ArrayRef<Dtype> dtypes,
          ArrayRef<Value> init, ArrayRef<Dtype> stored,
          function_ref<SmallVector<Value>(OpBuilder &, Value element,
                                          Value position, ValueRange acc)>
              body) {
  SmallVector<Value> outs;
  for (Dtype dtype : stored)
    outs.push_back(op.empty(in.sizes, dtype));
  Sizes others = in.sizes;
  others.erase(others.begin() + dim);
  Value zero = op.index(0), one = op.index(1), count = op.size(in.sizes[dim]);
  size_t n = outs.size();
  SmallVector<Value> results = op.loop(
      others, outs, [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        SmallVector<Value> start(carry);
        llvm::append_range(start, init);
        auto inner = scf::ForOp::create(
            b, op.loc, zero, count, one, start,
            [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
              SmallVector<Value> at(positions);
              at.insert(at.begin() + dim, i);
              Value element = tensor::ExtractOp::create(b, loc, in.value, at);
              SmallVector<Value> acc = body(b, element, i, args.drop_front(n));
              SmallVector<Value> next;
              for (size_t k = 0; k < n; ++k) {
                Value value =
                    Scalars(b, loc, dtypes[k]).castTo(stored[k], acc[k]);
                next.push_back(
                    tensor::InsertOp::create(b, loc, value, args[k], at));
              }
              llvm::append_range(next, acc);
              scf::YieldOp::create(b, loc, next);
            });
        return SmallVector<Value>(inner.getResults().take_front(n));
      });
  SmallVector<Tensor> tensors;
  for (auto [value, dtype] : llvm::zip(results, stored))
    tensors.push_back(op.make(value, dtype, in.sizes));
  return tensors;
}

template <Step step, int start>
static void lowerCumulative(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype out = op.resultDtype(0, getSumDtype(in.dtype));
  Dtype dtype = getComputeDtype(out);
  if (in.rank() == 0)
    return op.result(op.convert(in, out));
  int64_t dim = op.dim("dim", in.rank());
  Scalars outer(op.b, op.loc, dtype);
  Value init = start < 0 ? outer.lowest() : outer.integer(start);
  op.result(buildScan(op, in, dim, {dtype}, {init}, {out},
                      [&](OpBuilder &b, Value element, Value, ValueRange acc) {
                        Value x =
                            Scalars(b, op.loc, in.dtype).castTo(dtype, element);
                        Scalars s(b, op.loc, dtype);
                        return SmallVector<Value>{step(s, acc[0], x)};
                      })[0]);
}

/// The extreme so far, and the last index where it was found.
template <bool isMax>
static void lowerCumulativeExtreme(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    op.result(in, 0);
    return op.result(op.fill({}, Dtype::I64, 0.0), 1);
  }
  int64_t dim = op.dim("dim", in.rank());
  Scalars outer(op.b, op.loc, in.dtype);
  SmallVector<Value> init{isMax ? outer.lowest() : outer.highest(),
                          Scalars(op.b, op.loc, Dtype::I64).integer(0)};
  SmallVector<Tensor> results = buildScan(
      op, in, dim, {in.dtype, Dtype::I64}, init, {in.dtype, Dtype::I64},
      [&](OpBuilder &b, Value x, Value i, ValueRange acc) {
        Scalars s(b, op.loc, in.dtype);
        // A later NaN or an equal value takes over.
        Value better = s.compare(isMax ? Compare::Ge : Compare::Le, x, acc[0]);
        better = s.bitOr(better, s.isNan(x));
        Value index = arith::IndexCastOp::create(b, op.loc, b.getI64Type(), i);
        return SmallVector<Value>{s.select(better, x, acc[0]),
                                  s.select(better, index, acc[1])};
      });
  op.result(results[0], 0);
  op.result(results[1], 1);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Whether x comes before y: NaN counts as the largest.
static Value comesBefore(Scalars &s, Value x, Value y, bool descending) {
  if (descending)
    std::swap(x, y);
  Value less = s.compare(Compare::Lt, x, y);
  if (!s.isFloat())
    return less;
  Value xNumber = s.compare(Compare::Eq, x, x);
  return s.bitOr(less, s.bitAnd(xNumber, s.isNan(y)));
}

namespace {
/// Sorts the rows of a matrix from the bottom up: each pass merges sorted
/// blocks of `width` elements into blocks of twice as many, in O(n log n)
/// comparisons, and keeps the order of what is equal.
class MergeSort {
public:
  MergeSort(Lowering &op, const Tensor &rows, bool descending)
      : op(op), sizes(rows.sizes), dtype(rows.dtype), descending(descending),
        count(op.size(rows.sizes.back())) {}

  /// Sorts vectors of the rows' sizes; the first one, the rows, decides.
  SmallVector<Value> build(ValueRange vectors);

private:
  Value add(Value a, Value b) {
    return arith::AddIOp::create(op.b, op.loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(op.b, op.loc, a, b);
  }
  Value min(Value a, Value b) {
    return arith::MinSIOp::create(op.b, op.loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(op.b, op.loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(op.b, op.loc, condition, a, b);
  }
  /// The position of an element of the same row, at a place that exists.
  SmallVector<Value> at(ValueRange position, Value place);
  SmallVector<Value> buildPass(ValueRange from, ValueRange to, Value width);
  SmallVector<Value> buildStep(ValueRange from, ValueRange carry, Value width,
                               ValueRange position);

  Lowering &op;
  Sizes sizes;
  Dtype dtype;
  bool descending;
  Value count;
};
} // namespace

SmallVector<Value> MergeSort::at(ValueRange position, Value place) {
  SmallVector<Value> result(position.drop_back());
  Value last = sub(count, op.index(1));
  result.push_back(
      arith::MaxSIOp::create(op.b, op.loc, min(place, last), op.index(0)));
  return result;
}

/// Writes one element of a merged block. It carries the vectors that are
/// written, and the place that is next in the first block.
SmallVector<Value> MergeSort::buildStep(ValueRange from, ValueRange carry,
                                        Value width, ValueRange position) {
  using arith::CmpIPredicate;
  // The blocks are [low, middle) and [middle, high); widths are powers of 2.
  Value place = position.back(), one = op.index(1), zero = op.index(0);
  Value both = add(width, width);
  Value mask = sub(both, one);
  Value offset = arith::AndIOp::create(op.b, op.loc, place, mask);
  Value low = sub(place, offset);
  Value middle = min(add(low, width), count), high = min(add(low, both), count);
  Value isStart = compare(CmpIPredicate::eq, offset, zero);
  Value left = select(isStart, low, carry.back());
  // What was written and is not of the first block is of the second one.
  Value right = sub(add(middle, place), left);

  SmallVector<Value> leftAt = at(position, left), rightAt = at(position, right);
  Scalars s(op.b, op.loc, dtype);
  auto extract = [&](Value vector, ValueRange from) -> Value {
    return tensor::ExtractOp::create(op.b, op.loc, vector, from);
  };
  Value isBefore = comesBefore(s, extract(from[0], rightAt),
                               extract(from[0], leftAt), descending);
  Value leftEnds = compare(CmpIPredicate::sge, left, middle);
  Value rightGoesOn = compare(CmpIPredicate::slt, right, high);
  Value takesRight = s.bitAnd(rightGoesOn, s.bitOr(leftEnds, isBefore));
  SmallVector<Value> source =
      at(position, select(takesRight, rightAt.back(), leftAt.back()));
  SmallVector<Value> next;
  for (auto [vector, target] : llvm::zip_equal(from, carry.drop_back()))
    next.push_back(tensor::InsertOp::create(
        op.b, op.loc, extract(vector, source), target, position));
  next.push_back(add(left, select(takesRight, zero, one)));
  return next;
}

/// Merges each two blocks of `width` elements.
SmallVector<Value> MergeSort::buildPass(ValueRange from, ValueRange to,
                                        Value width) {
  SmallVector<Value> init(to);
  init.push_back(op.index(0));
  SmallVector<Value> results = op.loop(
      sizes, init, [&](OpBuilder &, ValueRange position, ValueRange carry) {
        return buildStep(from, carry, width, position);
      });
  results.pop_back();
  return results;
}

/// Each iteration has two passes, there and back, so that both copies of the
/// vectors stay where they are.
SmallVector<Value> MergeSort::build(ValueRange vectors) {
  size_t number = vectors.size();
  SmallVector<Value> init(vectors);
  llvm::append_range(init, vectors);
  init.push_back(op.index(1));
  auto loop = scf::WhileOp::create(
      op.b, op.loc, TypeRange(ValueRange(init)), init,
      [&](OpBuilder &b, Location loc, ValueRange carry) {
        Value goesOn = compare(arith::CmpIPredicate::slt, carry.back(), count);
        scf::ConditionOp::create(b, loc, goesOn, carry);
      },
      [&](OpBuilder &b, Location loc, ValueRange carry) {
        Value width = carry.back(), twice = add(width, width);
        SmallVector<Value> there =
            buildPass(carry.take_front(number),
                      carry.drop_back().take_back(number), width);
        SmallVector<Value> next =
            buildPass(there, carry.take_front(number), twice);
        llvm::append_range(next, there);
        next.push_back(add(twice, twice));
        scf::YieldOp::create(b, loc, next);
      });
  return SmallVector<Value>(loop.getResults().take_front(number));
}

std::pair<Tensor, Tensor> buildSort(Lowering &op, const Tensor &in, int64_t dim,
                                    bool descending) {
  int64_t last = in.rank() - 1;
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, in.rank()));
  std::swap(order[dim], order[last]);
  Tensor moved = op.permute(in, order);
  Expr count = op.literal(1), length = moved.sizes[last];
  for (Expr size : ArrayRef(moved.sizes).drop_back())
    count = op.exprs.mul(count, size);
  Tensor rows = op.reshape(moved, {count, length});
  Tensor places =
      op.expand(op.unsqueeze(buildIndices(op, length), 0), rows.sizes);
  SmallVector<Value> sorted =
      MergeSort(op, rows, descending).build({rows.value, places.value});
  auto finish = [&](Value value, Dtype dtype) {
    Tensor result = op.make(value, dtype, rows.sizes);
    return op.permute(op.reshape(result, moved.sizes), order);
  };
  return {finish(sorted[0], in.dtype), finish(sorted[1], Dtype::I64)};
}

static void lowerSort(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    op.result(in, 0);
    return op.result(op.fill({}, Dtype::I64, 0.0), 1);
  }
  auto [values, indices] = buildSort(op, in, op.dim("dim", in.rank(), -1),
                                     op.flag("descending", false));
  op.result(values, 0);
  op.result(indices, 1);
}

/// Along the first dimension, values only.
static void lowerMsort(Lowering &op) {
  Tensor in = op.tensor("self");
  op.result(in.rank() == 0 ? in : buildSort(op, in, 0, false).first);
}

static void lowerArgsort(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0)
    return op.result(op.fill({}, Dtype::I64, 0.0));
  op.result(buildSort(op, in, op.dim("dim", in.rank(), -1),
                      op.flag("descending", false))
                .second);
}

static void lowerTopk(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("tensors without dimensions are not supported");
    return;
  }
  int64_t dim = op.dim("dim", in.rank(), -1);
  Expr k = op.symInt("k");
  op.check({Comparison::le(op.literal(0), k), Comparison::le(k, in.sizes[dim])},
           Twine(op.target) + ": k is out of range");
  auto [values, indices] = buildSort(op, in, dim, op.flag("largest", true));
  op.result(op.slice(values, dim, op.literal(0), k), 0);
  op.result(op.slice(indices, dim, op.literal(0), k), 1);
}

void addScans(LoweringTable &table) {
  table.add("aten.cumsum.default", lowerCumulative<stepAdd, 0>);
  table.add("aten.cumprod.default", lowerCumulative<stepMul, 1>);
  table.add("aten.logcumsumexp.default", lowerCumulative<stepLogAddExp, -1>);
  table.add("aten.cummax.default", lowerCumulativeExtreme<true>);
  table.add("aten.cummin.default", lowerCumulativeExtreme<false>);
  table.add("aten.sort.default", lowerSort);
  table.add("aten.sort.stable", lowerSort);
  table.add("aten.msort.default", lowerMsort);
  table.add("aten.argsort.default", lowerArgsort);
  table.add("aten.argsort.stable", lowerArgsort);
  table.add("aten.topk.default", lowerTopk);
}

} // namespace tally::import_pt2
