//===- Segments.cpp - Reductions of the parts of a dimension --------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// The parts of a dimension: where each of them starts, and where it ends.
struct Segments {
  Tensor starts, ends;
};
} // namespace

/// Sums of what is before each element of the last dimension.
static Tensor sumBefore(Lowering &op, const Tensor &counts) {
  Value zero = Scalars(op.b, op.loc, Dtype::I64).integer(0);
  SmallVector<Value> loop = op.loop(
      counts.sizes, ValueRange{op.empty(counts.sizes, Dtype::I64), zero},
      [&](OpBuilder &b, ValueRange at, ValueRange carry) {
        Scalars s(b, op.loc, Dtype::I64);
        Value first = arith::ConstantIndexOp::create(b, op.loc, 0);
        Value isFirst = arith::CmpIOp::create(
            b, op.loc, arith::CmpIPredicate::eq, at.back(), first);
        Value sum = s.select(isFirst, s.integer(0), carry[1]);
        Value count = tensor::ExtractOp::create(b, op.loc, counts.value, at);
        return SmallVector<Value>{
            tensor::InsertOp::create(b, op.loc, sum, carry[0], at),
            s.add(sum, count)};
      });
  return op.make(loop[0], Dtype::I64, counts.sizes);
}

static Segments getSegments(Lowering &op, const Tensor &data, int64_t axis) {
  bool isChecked = !op.flag("unsafe", false);
  if (op.has("offsets")) {
    Tensor offsets = op.convert(op.tensor("offsets", axis + 1), Dtype::I64);
    Expr count =
        op.state.simplify(op.exprs.sub(offsets.sizes[axis], op.literal(1)));
    op.check(op.exprs.ge(count, op.literal(0)),
             Twine(op.target) + ": the offsets must not be empty");
    return {op.slice(offsets, axis, op.literal(0), count),
            op.slice(offsets, axis, op.literal(1), count)};
  }
  Tensor lengths = op.convert(op.tensor("lengths", axis + 1), Dtype::I64);
  if (isChecked) {
    checkAll(op, lengths, "a length is negative", [](Scalars &s, Value x) {
      return s.compare(Compare::Ge, x, s.integer(0));
    });
    Value size = op.scalar(data.sizes[axis], Dtype::I64);
    checkAll(
        op, op.sum(lengths, {axis}, Dtype::I64),
        "the lengths do not add up to the size of the dimension",
        [&](Scalars &s, Value x) { return s.compare(Compare::Eq, x, size); });
  }
  Tensor starts = sumBefore(op, lengths);
  return {starts, op.map({starts, lengths}, Dtype::I64, Dtype::I64,
                         [](Scalars &s, ArrayRef<Value> args) {
                           return s.add(args[0], args[1]);
                         })};
}

namespace {
/// What a reduction of segments starts from, and does with each element.
struct SegmentReduction {
  double start;
  Value (*combine)(Scalars &s, Value acc, Value x);
};
} // namespace

static std::optional<SegmentReduction> getReduction(StringRef name) {
  if (name == "sum" || name == "mean")
    return SegmentReduction{
        0, [](Scalars &s, Value acc, Value x) { return s.add(acc, x); }};
  if (name == "prod")
    return SegmentReduction{
        1, [](Scalars &s, Value acc, Value x) { return s.mul(acc, x); }};
  if (name == "max")
    return SegmentReduction{-INFINITY, [](Scalars &s, Value acc, Value x) {
                              return s.max(acc, x);
                            }};
  if (name == "min")
    return SegmentReduction{
        INFINITY, [](Scalars &s, Value acc, Value x) { return s.min(acc, x); }};
  return std::nullopt;
}

/// Reduces the elements of each part of a dimension.
static void lowerSegmentReduce(Lowering &op) {
  Tensor data = op.tensor("data", 1);
  int64_t axis = op.dim("axis", data.rank());
  StringRef name = op.string("reduce");
  std::optional<SegmentReduction> reduction = getReduction(name);
  if (!reduction || !isFloating(data.dtype)) {
    (void)op.error("only sums, means, products and extremes of floats are "
                   "supported");
    return;
  }
  bool isMean = name == "mean", hasInitial = op.has("initial");
  double start = op.real("initial", reduction->start);
  Segments segments = getSegments(op, data, axis);
  if (op.hasFailed() || segments.starts.rank() != axis + 1) {
    (void)op.error("the lengths must have the dimensions up to the axis");
    return;
  }
  for (int64_t dim = 0; dim < axis; ++dim)
    op.checkEqual(segments.starts.sizes[dim], data.sizes[dim],
                  Twine(op.target) + ": the sizes do not fit");
  Sizes sizes = data.sizes;
  sizes[axis] = segments.starts.sizes[axis];
  Value size = op.scalar(data.sizes[axis], Dtype::I64);
  Dtype compute = getComputeDtype(data.dtype);
  op.result(op.generate(sizes, data.dtype, [&](Scalars &s, ValueRange at) {
    Scalars c(s.b, s.loc, compute), places(s.b, s.loc, Dtype::I64);
    ValueRange row = at.take_front(axis + 1);
    auto bound = [&](const Tensor &bounds) -> Value {
      Value place = tensor::ExtractOp::create(s.b, s.loc, bounds.value, row);
      place = places.min(places.max(place, places.integer(0)), size);
      return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), place);
    };
    Value first = bound(segments.starts), end = bound(segments.ends);
    Value step = arith::ConstantIndexOp::create(s.b, s.loc, 1);
    auto loop = scf::ForOp::create(
        s.b, s.loc, first, end, step, ValueRange{c.number(start)},
        [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
          SmallVector<Value> from(at);
          from[axis] = i;
          Scalars inner(b, loc, compute);
          Value x = tensor::ExtractOp::create(b, loc, data.value, from);
          x = Scalars(b, loc, data.dtype).castTo(compute, x);
          scf::YieldOp::create(b, loc, reduction->combine(inner, args[0], x));
        });
    Value result = loop.getResult(0);
    if (isMean) {
      auto toNumber = [&](Value index) -> Value {
        return arith::IndexCastOp::create(s.b, s.loc, places.type(), index);
      };
      Value count = places.sub(toNumber(end), toNumber(first));
      Value isEmpty = places.compare(Compare::Le, count, places.integer(0));
      Value mean = c.divFloat(result, places.castTo(compute, count));
      result = c.select(isEmpty, hasInitial ? result : c.number(NAN), mean);
    }
    return c.castTo(data.dtype, result);
  }));
}

void addSegments(LoweringTable &table) {
  table.add("aten.segment_reduce.default", lowerSegmentReduce);
}

} // namespace tally::import_pt2
