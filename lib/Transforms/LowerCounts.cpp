//===- LowerCounts.cpp - tally.repeat_interleave and tally.bincount -------===//
//
// A negative element has failed a check before; here it counts for nothing, so
// that no access depends on the check.
//
//===----------------------------------------------------------------------===//

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"
#include "tally/IR/TallyScanOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;

namespace {
struct LowerRepeatInterleave : public DataDependentPattern<RepeatInterleaveOp> {
  LowerRepeatInterleave(MLIRContext *context, SizeSearch search)
      : DataDependentPattern(context), search(search) {}

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

  /// Where the repetitions of each index end: the sums of counts up to it, or
  /// what no memory holds.
  static Value createEnds(RepeatInterleaveOp op, LoopBuilder &loops) {
    OpBuilder &b = loops.b;
    Location loc = loops.loc;
    Type number = op.getCounts().getType().getElementType();
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
    Value size = loops.size(op.getCounts(), 0);
    Value ends = loops.empty(number, size);
    auto scan = PrefixScanOp::create(b, loc, ends.getType(), op.getCounts(),
                                     ends, zero, /*dim=*/0,
                                     /*associative=*/true);
    auto addBlock = [&](OpBuilder &builder, Region &region, TypeRange types) {
      Block &block = region.emplaceBlock();
      block.addArguments(types, SmallVector<Location>(types.size(), loc));
      builder.setInsertionPointToEnd(&block);
      return block.getArguments();
    };
    OpBuilder inner(b.getContext());
    auto arguments =
        addBlock(inner, scan.getBody(), {b.getIndexType(), number});
    Value element = arguments[1];
    Value none = arith::ConstantIntOp::create(inner, loc, 0, 64);
    element = arith::MaxSIOp::create(inner, loc, element, none);
    auto sum = AccumulateOp::create(inner, loc, number, element);
    YieldOp::create(inner, loc, sum.getResults());
    auto pair = addBlock(inner, sum.getCombine(), {number, number});
    Value largest = arith::ConstantIntOp::create(inner, loc, INT64_MAX, 64);
    Value limit = arith::SubIOp::create(inner, loc, largest, pair[0]);
    Value added = arith::MinSIOp::create(inner, loc, pair[1], limit);
    Value both = arith::AddIOp::create(inner, loc, pair[0], added);
    YieldOp::create(inner, loc, both);
    return scan.getResult(0);
  }

  /// The first index whose repetitions end behind a position.
  static Value createSearch(OpBuilder &b, Location loc, Value ends, Value size,
                            Value position) {
    Type index = b.getIndexType();
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto search = scf::WhileOp::create(
        b, loc, TypeRange{index, index}, ValueRange{zero, size},
        [&](OpBuilder &b, Location loc, ValueRange range) {
          Value goesOn = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, range[0], range[1]);
          scf::ConditionOp::create(b, loc, goesOn, range);
        },
        [&](OpBuilder &b, Location loc, ValueRange range) {
          Value sum = arith::AddIOp::create(b, loc, range[0], range[1]);
          Value middle = arith::ShRUIOp::create(b, loc, sum, one);
          Value end = tensor::ExtractOp::create(b, loc, ends, middle);
          Value isBehind = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::sgt, end, position);
          Value next = arith::AddIOp::create(b, loc, middle, one);
          Value low = arith::SelectOp::create(b, loc, isBehind, range[0], next);
          Value high =
              arith::SelectOp::create(b, loc, isBehind, middle, range[1]);
          scf::YieldOp::create(b, loc, ValueRange{low, high});
        });
    return search.getResult(0);
  }

  /// Each element of the result by itself.
  static Values lowerBySearch(RepeatInterleaveOp op, LoopBuilder &loops) {
    OpBuilder &b = loops.b;
    Location loc = loops.loc;
    Type number = op.getType().getElementType();
    Value size = loops.size(op.getCounts(), 0);
    Value ends = createEnds(op, loops);
    Value isThere =
        loops.compare(arith::CmpIPredicate::sgt, size, loops.index(0));
    Value total = loops.createIf(isThere, loops.index(0), [&] {
      Value last = loops.extract(ends, loops.sub(size, loops.index(1)));
      return Values{loops.cast(last, b.getIndexType())};
    })[0];
    Value empty = loops.empty(number, total);
    auto made = linalg::GenericOp::create(
        b, loc, empty.getType(), ValueRange(), empty,
        b.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
        [&](OpBuilder &b, Location loc, ValueRange) {
          Value at = linalg::IndexOp::create(b, loc, 0);
          at = arith::IndexCastOp::create(b, loc, b.getI64Type(), at);
          Value found = createSearch(b, loc, ends, size, at);
          linalg::YieldOp::create(
              b, loc,
              arith::IndexCastOp::create(b, loc, number, found).getResult());
        });
    return {loops.withSize(made.getResult(0), total)};
  }

  Values lower(RepeatInterleaveOp op, LoopBuilder &loops) const override {
    if (search == SizeSearch::Reduction)
      return lowerBySearch(op, loops);
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

  SizeSearch search;
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
  patterns.add<LowerRepeatInterleave, LowerBincount>(patterns.getContext(),
                                                     search);
}
