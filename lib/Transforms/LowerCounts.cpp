//===- LowerCounts.cpp - tally.repeat_interleave and tally.bincount -------===//
//
// A negative element has failed a check before; here it counts for nothing, so
// that no access depends on the check.
//
//===----------------------------------------------------------------------===//

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;

namespace {
struct LowerRepeatInterleave : public DataDependentPattern<RepeatInterleaveOp> {
  using DataDependentPattern::DataDependentPattern;

  /// How often an index is repeated, at most `limit` times.
  static Value createCount(RepeatInterleaveOp op, LoopBuilder &loops,
                           ValueRange indices, Value limit) {
    Value count = loops.extract(op.getCounts(), indices);
    count = loops.cast(count, loops.b.getIndexType());
    return loops.min(loops.max(count, loops.index(0)), limit);
  }

  /// The sum of the counts; what no memory holds if it is too large.
  static Value createTotal(RepeatInterleaveOp op, LoopBuilder &loops) {
    Value largest = loops.index(INT64_MAX);
    Values total = loops.forEach(op.getCounts(), loops.index(0),
                                 [&](ValueRange indices, ValueRange carried) {
                                   Value limit = loops.sub(largest, carried[0]);
                                   Value count =
                                       createCount(op, loops, indices, limit);
                                   return Values{loops.add(carried[0], count)};
                                 });
    return loops.max(total.front(), loops.index(0));
  }

  Values lower(RepeatInterleaveOp op, LoopBuilder &loops) const override {
    Type number = op.getType().getElementType();
    Value total = createTotal(op, loops);
    Values initial{loops.empty(number, total), loops.index(0)};
    Values filled = loops.forEach(
        op.getCounts(), initial, [&](ValueRange indices, ValueRange carried) {
          Value index = loops.cast(indices[0], number);
          Value limit = loops.sub(total, carried[1]);
          Value count = createCount(op, loops, indices, limit);
          auto repeat = [&](ValueRange, ValueRange carried) {
            Value at = carried[1];
            return loops.createIf(loops.isInside(at, total), carried, [&] {
              return Values{loops.insert(index, carried[0], at),
                            loops.add(at, loops.index(1))};
            });
          };
          return loops.forRange(count, carried, repeat);
        });
    return {loops.withSize(filled[0], total)};
  }
};

struct LowerBincount : public DataDependentPattern<BincountOp> {
  LowerBincount(MLIRContext *context, SizeSearch search)
      : DataDependentPattern(context), search(search) {}

  /// The largest value, or -1.
  static Value createLargest(BincountOp op, LoopBuilder &loops) {
    return loops
        .forEach(op.getValues(), loops.index(-1),
                 [&](ValueRange indices, ValueRange carried) {
                   Value value = loops.extract(op.getValues(), indices);
                   value = loops.cast(value, loops.b.getIndexType());
                   return Values{loops.max(carried[0], value)};
                 })
        .front();
  }

  /// The same, by a reduction.
  static Value reduceToLargest(BincountOp op, LoopBuilder &loops) {
    OpBuilder &b = loops.b;
    Location loc = loops.loc;
    Type number = op.getValues().getType().getElementType();
    Value none = arith::ConstantIntOp::create(b, loc, number, -1);
    Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), number);
    Value start = linalg::FillOp::create(b, loc, none, empty).getResult(0);
    SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(1),
                                   AffineMap::get(1, 0, b.getContext())};
    auto reduction = linalg::GenericOp::create(
        b, loc, start.getType(), op.getValues(), start, maps,
        utils::IteratorType::reduction,
        [](OpBuilder &inner, Location loc, ValueRange elements) {
          Value larger =
              arith::MaxSIOp::create(inner, loc, elements[1], elements[0]);
          linalg::YieldOp::create(inner, loc, larger);
        });
    Value largest =
        tensor::ExtractOp::create(b, loc, reduction.getResult(0), ValueRange());
    return loops.cast(largest, b.getIndexType());
  }

  /// One more than the largest value, and at least `minlength`.
  Value createSize(BincountOp op, LoopBuilder &loops) const {
    Value largest = search == SizeSearch::Reduction ? reduceToLargest(op, loops)
                                                    : createLargest(op, loops);
    largest = loops.min(largest, loops.index(INT64_MAX - 1));
    Value size = loops.add(largest, loops.index(1));
    return loops.max(size, loops.max(op.getMinlength(), loops.index(0)));
  }

  /// The addend of a value in its sum.
  static Value createAddend(BincountOp op, LoopBuilder &loops,
                            ValueRange indices) {
    if (Value weights = op.getWeights())
      return loops.extract(weights, indices);
    return arith::ConstantIntOp::create(loops.b, loops.loc,
                                        loops.b.getI64Type(), 1);
  }

  Values lower(BincountOp op, LoopBuilder &loops) const override {
    Type element = op.getType().getElementType();
    Value size = createSize(op, loops);
    Values sums = loops.forEach(
        op.getValues(), loops.zeros(element, size),
        [&](ValueRange indices, ValueRange carried) {
          Value at = loops.extract(op.getValues(), indices);
          at = loops.cast(at, loops.b.getIndexType());
          return loops.createIf(loops.isInside(at, size), carried, [&] {
            Value sum = loops.extract(carried[0], at);
            Value addend = createAddend(op, loops, indices);
            sum = isa<FloatType>(element)
                      ? loops.create<arith::AddFOp>(sum, addend)
                      : loops.add(sum, addend);
            return Values{loops.insert(sum, carried[0], at)};
          });
        });
    return {loops.withSize(sums[0], size)};
  }

  SizeSearch search;
};
} // namespace

void tally::populateLowerCountsPatterns(RewritePatternSet &patterns,
                                        SizeSearch search) {
  patterns.add<LowerRepeatInterleave>(patterns.getContext());
  patterns.add<LowerBincount>(patterns.getContext(), search);
}
