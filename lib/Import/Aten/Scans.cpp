//===- Scans.cpp - Results that build on the ones before ------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "tally/IR/TallyScanOps.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Combines two values of an accumulator.
using Step = Value (*)(Scalars &s, Value before, Value next);
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

namespace {
/// A scan along a dimension of a tensor.
struct Scan {
  /// The types of the accumulators, and of what is stored of them.
  SmallVector<Dtype> dtypes, stored;
  SmallVector<Value> starts;
  /// What an element at a position is mapped to, and how two values of the
  /// accumulators are combined, which is associative.
  function_ref<SmallVector<Value>(OpBuilder &, Value position, Value element)>
      element;
  function_ref<SmallVector<Value>(OpBuilder &, ValueRange before,
                                  ValueRange next)>
      combine;
};
} // namespace

static SmallVector<Type> getElementTypes(Lowering &op, ArrayRef<Dtype> dtypes) {
  return llvm::map_to_vector(dtypes, [&](Dtype dtype) -> Type {
    return getElementType(dtype, op.b.getContext());
  });
}

/// Fills a region, which gets values of `types`.
static void
fillRegion(Lowering &op, Region &region, ArrayRef<Type> types,
           function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  Block &block = region.emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), op.loc));
  auto builder = OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, op.loc, body(builder, block.getArguments()));
}

static void fillBody(Lowering &op, PrefixScanOp made, const Tensor &in,
                     const Scan &scan) {
  SmallVector<Type> accumulators = getElementTypes(op, scan.dtypes);
  SmallVector<Type> pairs(accumulators);
  llvm::append_range(pairs, accumulators);
  size_t count = accumulators.size();
  auto combine = [&](OpBuilder &b, ValueRange args) {
    return scan.combine(b, args.take_front(count), args.drop_front(count));
  };
  Type element = getElementType(in.dtype, op.b.getContext());
  fillRegion(op, made.getBody(), {op.b.getIndexType(), element},
             [&](OpBuilder &b, ValueRange args) {
               auto accumulate = AccumulateOp::create(
                   b, op.loc, accumulators, scan.element(b, args[0], args[1]));
               fillRegion(op, accumulate.getCombine(), pairs, combine);
               SmallVector<Value> values;
               for (auto [value, from, to] : llvm::zip(
                        accumulate.getResults(), scan.dtypes, scan.stored))
                 values.push_back(Scalars(b, op.loc, from).castTo(to, value));
               return values;
             });
}

static SmallVector<Tensor> buildScan(Lowering &op, const Tensor &in,
                                     int64_t dim, const Scan &scan) {
  SmallVector<Value> outs;
  for (Dtype dtype : scan.stored)
    outs.push_back(op.empty(in.sizes, dtype));
  if (!isNothing(in.sizes)) {
    auto made = PrefixScanOp::create(op.b, op.loc, ValueRange(outs).getTypes(),
                                     in.value, outs, scan.starts, uint64_t(dim),
                                     /*associative=*/true);
    fillBody(op, made, in, scan);
    outs.assign(made.result_begin(), made.result_end());
  }
  return llvm::map_to_vector(llvm::zip(outs, scan.stored), [&](auto made) {
    return op.make(std::get<0>(made), std::get<1>(made), in.sizes);
  });
}

/// Computed in a wider type of floats: the last of many steps is no less exact
/// than the first.
static Tensor buildRunning(Lowering &op, const Tensor &given, int64_t dim,
                           Dtype out, Step step, int start) {
  Dtype dtype = out == Dtype::F32 ? Dtype::F64 : getComputeDtype(out);
  // Elements are rounded to the type of the result first.
  Tensor in = op.convert(given, out);
  Scalars outer(op.b, op.loc, dtype);
  Value init = start < 0 ? outer.lowest() : outer.integer(start);
  return buildScan(op, in, dim,
                   {{dtype},
                    {out},
                    {init},
                    [&](OpBuilder &b, Value, Value element) {
                      return SmallVector<Value>{
                          Scalars(b, op.loc, in.dtype).castTo(dtype, element)};
                    },
                    [&](OpBuilder &b, ValueRange before, ValueRange next) {
                      Scalars s(b, op.loc, dtype);
                      return SmallVector<Value>{step(s, before[0], next[0])};
                    }})[0];
}

Tensor buildRunningSum(Lowering &op, const Tensor &in, int64_t dim, Dtype out) {
  return buildRunning(op, in, dim, out, stepAdd, 0);
}

template <Step step, int start>
static void lowerCumulative(Lowering &op) {
  Tensor in = op.tensor("self");
  Dtype out = op.resultDtype(0, getSumDtype(in.dtype));
  if (in.rank() == 0)
    return op.result(op.convert(in, out));
  op.result(buildRunning(op, in, op.dim("dim", in.rank()), out, step, start));
}

/// The sum of each element along a dimension and the next, or what is between
/// them, rounded to the type of the elements.
static Tensor buildAdjacent(Lowering &op, const Tensor &in, int64_t dim,
                            bool isSum) {
  Expr zero = op.literal(0), one = op.literal(1), count = in.sizes[dim];
  Expr first = op.state.simplify(op.exprs.min(count, one));
  Expr fewer = op.state.simplify(op.exprs.max(op.exprs.sub(count, one), zero));
  Dtype compute = getComputeDtype(in.dtype);
  return op.map(
      {op.slice(in, dim, first, fewer), op.slice(in, dim, zero, fewer)},
      compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        return isSum ? s.add(args[0], args[1]) : s.sub(args[0], args[1]);
      },
      std::nullopt, in.dtype);
}

/// The areas below the lines from each element along a dimension to the next.
static Tensor buildTrapezoids(Lowering &op, const Tensor &y, int64_t dim) {
  SmallVector<Operand> operands{buildAdjacent(op, y, dim, /*isSum=*/true)};
  if (std::optional<Tensor> x = op.optionalTensor("x")) {
    if (x->rank() == 1)
      x = alongDim(op, *x, y.rank(), dim);
    if (x->rank() != y.rank()) {
      (void)op.error("the places must be a vector, or have as many dimensions "
                     "as the elements");
      return y;
    }
    op.checkEqual(x->sizes[dim], y.sizes[dim],
                  Twine(op.target) +
                      ": there must be a place for each element");
    operands.push_back(buildAdjacent(op, *x, dim, /*isSum=*/false));
  } else {
    operands.push_back(op.number("dx", 1));
  }
  Dtype dtype = getComputeDtype(getFloatDtype(getResultType(operands)));
  return op.map(operands, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
    return s.mul(s.mul(args[0], args[1]), s.number(0.5));
  });
}

template <bool isCumulative>
static void lowerTrapezoids(Lowering &op) {
  Tensor in = op.tensor("y", 1);
  int64_t dim = op.dim("dim", in.rank(), -1);
  Tensor areas = buildTrapezoids(op, in, dim);
  if (op.hasFailed())
    return;
  op.result(isCumulative
                ? buildRunning(op, areas, dim, op.resultDtype(), stepAdd, 0)
                : op.sum(areas, {dim}, areas.dtype));
}

/// Whether a number, which `next` has taken over or not, is another one. That
/// is no condition of floats, which x86 would have to move to another register
/// to choose an index, and what is carried would wait for it.
static Value haveOtherBits(OpBuilder &b, Location loc, Value x, Value next) {
  if (auto type = dyn_cast<FloatType>(x.getType())) {
    Type bits = b.getIntegerType(type.getWidth());
    x = arith::BitcastOp::create(b, loc, bits, x);
    next = arith::BitcastOp::create(b, loc, bits, next);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, next);
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
      op, in, dim,
      {{in.dtype, Dtype::I64},
       {in.dtype, Dtype::I64},
       init,
       [&](OpBuilder &b, Value i, Value x) {
         Value index = arith::IndexCastOp::create(b, op.loc, b.getI64Type(), i);
         return SmallVector<Value>{x, index};
       },
       [&](OpBuilder &b, ValueRange before, ValueRange next) {
         Scalars s(b, op.loc, in.dtype);
         // A later NaN or an equal value takes over.
         Value better =
             s.compare(isMax ? Compare::Ge : Compare::Le, next[0], before[0]);
         better = s.bitOr(better, s.isNan(next[0]));
         Value extreme = s.select(better, next[0], before[0]);
         Value stays = haveOtherBits(b, op.loc, extreme, next[0]);
         return SmallVector<Value>{extreme,
                                   s.select(stays, before[1], next[1])};
       }});
  op.result(results[0], 0);
  op.result(results[1], 1);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

std::pair<Tensor, Tensor> buildSort(Lowering &op, const Tensor &in, int64_t dim,
                                    bool descending, const OrderPart *part) {
  Sizes sizes = in.sizes;
  Value first;
  if (part) {
    first = op.size(part->first);
    sizes[dim] = part->count;
  }
  Value values = op.empty(sizes, in.dtype),
        indices = op.empty(sizes, Dtype::I64);
  auto sort = SortOp::create(
      op.b, op.loc, TypeRange{values.getType(), indices.getType()}, in.value,
      values, indices, first, uint64_t(dim), descending,
      /*is_unsigned=*/in.dtype == Dtype::U8);
  return {op.make(sort.getValuesResult(), in.dtype, sizes),
          op.make(sort.getIndicesResult(), Dtype::I64, sizes)};
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
  Tensor self = op.tensor("self"), in = op.withDim(self);
  int64_t dim = op.dim("dim", in.rank(), -1);
  Expr k = op.symInt("k");
  op.check({Comparison::le(op.literal(0), k), Comparison::le(k, in.sizes[dim])},
           Twine(op.target) + ": k is out of range");
  OrderPart part{op.literal(0), k};
  auto [values, indices] =
      buildSort(op, in, dim, op.flag("largest", true), &part);
  auto likeSelf = [&](const Tensor &part) {
    return self.rank() == 0 ? op.reshape(part, {}) : part;
  };
  op.result(likeSelf(values), 0);
  op.result(likeSelf(indices), 1);
}

void addScans(LoweringTable &table) {
  table.add("aten.cumsum.default", lowerCumulative<stepAdd, 0>);
  table.add("aten.cumprod.default", lowerCumulative<stepMul, 1>);
  table.add("aten.logcumsumexp.default", lowerCumulative<stepLogAddExp, -1>);
  table.add("aten.trapezoid.x", lowerTrapezoids<false>);
  table.add("aten.trapz.x", lowerTrapezoids<false>);
  table.add("aten.cumulative_trapezoid.x", lowerTrapezoids<true>);
  table.add("aten.cumulative_trapezoid.dx", lowerTrapezoids<true>);
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
