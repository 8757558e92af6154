//===- LowerCounts.cpp - tally.repeat_interleave and tally.bincount -------===//
//
// A negative element has failed a check before; here it counts for nothing, so
// that no access depends on the check.
//
//===----------------------------------------------------------------------===//

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"

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
  using DataDependentPattern::DataDependentPattern;

  /// One more than the largest value, and at least `minlength`.
  static Value createSize(BincountOp op, LoopBuilder &loops) {
    Value none = loops.index(-1);
    Value largest =
        loops
            .forEach(op.getValues(), none,
                     [&](ValueRange indices, ValueRange carried) {
                       Value value = loops.extract(op.getValues(), indices);
                       value = loops.cast(value, loops.b.getIndexType());
                       return Values{loops.max(carried[0], value)};
                     })
            .front();
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
};
} // namespace

void tally::populateLowerCountsPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRepeatInterleave, LowerBincount>(patterns.getContext());
}
