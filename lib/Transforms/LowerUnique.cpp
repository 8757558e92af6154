//===- LowerUnique.cpp - tally.unique -------------------------------------===//
//
// A merge sort from the bottom up, which does O(n log n) comparisons and keeps
// the order of what is equal; then one pass over the sorted elements that
// counts the runs of equal ones, and one that writes them. After the first copy
// nobody reads the source.
//
//===----------------------------------------------------------------------===//

#include "LowerDataDependent.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Comparing elements
//===----------------------------------------------------------------------===//

static Value createFloatCompare(LoopBuilder &loops, CmpFPredicate predicate,
                                Value x, Value y) {
  return arith::CmpFOp::create(loops.b, loops.loc, predicate, x, y);
}

/// Whether x comes before y: NaN is behind all numbers, `false` before `true`.
static Value createIsLess(LoopBuilder &loops, Value x, Value y) {
  Type type = x.getType();
  if (!isa<FloatType>(type))
    return loops.compare(
        type.isInteger(1) ? CmpIPredicate::ult : CmpIPredicate::slt, x, y);
  Value less = createFloatCompare(loops, CmpFPredicate::OLT, x, y);
  Value isNumber = createFloatCompare(loops, CmpFPredicate::ORD, x, x);
  Value isNaN = createFloatCompare(loops, CmpFPredicate::UNO, y, y);
  return loops.either(less, loops.both(isNumber, isNaN));
}

static Value createDiffer(LoopBuilder &loops, Value x, Value y) {
  if (isa<FloatType>(x.getType())) // unordered: NaN equals nothing
    return createFloatCompare(loops, CmpFPredicate::UNE, x, y);
  return loops.compare(CmpIPredicate::ne, x, y);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

namespace {
/// Sorts a vector of values, and others along with it.
class MergeSort {
public:
  MergeSort(LoopBuilder &loops, Value size) : loops(loops), size(size) {}

  /// The sorted vectors; the first one decides.
  Values create(Values vectors);

private:
  Values createPass(ValueRange from, ValueRange to, Value width);
  Values createStep(ValueRange from, ValueRange carried, Value width, Value at);

  LoopBuilder &loops;
  Value size;
};
} // namespace

/// One element of the merged blocks. Carries the vectors that are written and
/// the places that are next in the two blocks.
Values MergeSort::createStep(ValueRange from, ValueRange carried, Value width,
                             Value at) {
  // The blocks are [low, middle) and [middle, high).
  Value both = loops.add(width, width);
  Value offset = loops.both(at, loops.sub(both, loops.index(1)));
  Value low = loops.sub(at, offset);
  Value middle = loops.min(loops.add(low, width), size);
  Value high = loops.min(loops.add(low, both), size);
  Value isStart = loops.compare(CmpIPredicate::eq, offset, loops.index(0));
  ValueRange vectors = carried.drop_back(2);
  Value left = loops.select(isStart, low, carried[vectors.size()]);
  Value right = loops.select(isStart, middle, carried.back());

  Value leftAt = loops.clamp(left, size), rightAt = loops.clamp(right, size);
  Value isBefore = createIsLess(loops, loops.extract(from[0], rightAt),
                                loops.extract(from[0], leftAt));
  Value leftEnds = loops.compare(CmpIPredicate::sge, left, middle);
  Value rightGoesOn = loops.compare(CmpIPredicate::slt, right, high);
  Value takesRight = loops.both(rightGoesOn, loops.either(leftEnds, isBefore));
  Value source = loops.select(takesRight, rightAt, leftAt);
  Values next;
  for (auto [vector, target] : llvm::zip_equal(from, vectors))
    next.push_back(loops.insert(loops.extract(vector, source), target, at));
  Value one = loops.index(1), zero = loops.index(0);
  next.push_back(loops.add(left, loops.select(takesRight, zero, one)));
  next.push_back(loops.add(right, loops.select(takesRight, one, zero)));
  return next;
}

/// Merges each two blocks of `width` elements.
Values MergeSort::createPass(ValueRange from, ValueRange to, Value width) {
  Values initial(to);
  initial.append(2, loops.index(0));
  Values results =
      loops.forRange(size, initial, [&](ValueRange at, ValueRange carried) {
        return createStep(from, carried, width, at[0]);
      });
  results.pop_back_n(2);
  return results;
}

/// Two passes an iteration, there and back, so that both copies of the vectors
/// stay where they are. The second copy starts as the first one: two empty
/// tensors of one type and size would become one, and one buffer.
Values MergeSort::create(Values vectors) {
  size_t count = vectors.size();
  Values initial = vectors;
  initial.append(vectors);
  initial.push_back(loops.index(1));
  auto loop = scf::WhileOp::create(
      loops.b, loops.loc, TypeRange(ValueRange(initial)), initial,
      [&](OpBuilder &, Location, ValueRange carried) {
        Value goesOn = loops.compare(CmpIPredicate::slt, carried.back(), size);
        scf::ConditionOp::create(loops.b, loops.loc, goesOn, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Value width = carried.back(), twice = loops.add(width, width);
        Values there = createPass(carried.take_front(count),
                                  carried.drop_back().take_back(count), width);
        Values next = createPass(there, carried.take_front(count), twice);
        next.append(there);
        next.push_back(loops.add(twice, twice));
        scf::YieldOp::create(loops.b, loops.loc, next);
      });
  return Values(loop.getResults().take_front(count));
}

//===----------------------------------------------------------------------===//
// Runs of equal elements
//===----------------------------------------------------------------------===//

namespace {
struct LowerUnique : public DataDependentPattern<UniqueOp> {
  using DataDependentPattern::DataDependentPattern;
  Values lower(UniqueOp op, LoopBuilder &loops) const override;
};
} // namespace

/// Copies the source into a vector, in row-major order; and the places 0, 1,
/// ... if they are asked for.
static Values createCopy(UniqueOp op, LoopBuilder &loops, Value size,
                         bool withPlaces) {
  Type number = loops.b.getI64Type();
  Values initial{loops.empty(getElementTypeOrSelf(op.getSource()), size)};
  if (withPlaces)
    initial.push_back(loops.empty(number, size));
  initial.push_back(loops.index(0));
  Values copied = loops.forEach(
      op.getSource(), initial, [&](ValueRange indices, ValueRange carried) {
        Value at = loops.clamp(carried.back(), size);
        Value element = loops.extract(op.getSource(), indices);
        Values next{loops.insert(element, carried[0], at)};
        if (withPlaces)
          next.push_back(loops.insert(loops.cast(at, number), carried[1], at));
        next.push_back(loops.add(carried.back(), loops.index(1)));
        return next;
      });
  copied.pop_back();
  return copied;
}

/// Whether the sorted element at an index differs from the one before it.
static Value createIsNew(LoopBuilder &loops, Value sorted, Value at) {
  Value zero = loops.index(0);
  Value before = loops.max(loops.sub(at, loops.index(1)), zero);
  Value isFirst = loops.compare(CmpIPredicate::eq, at, zero);
  return loops.either(isFirst, createDiffer(loops, loops.extract(sorted, at),
                                            loops.extract(sorted, before)));
}

static Value createRunCount(LoopBuilder &loops, Value sorted, Value size) {
  Value zero = loops.index(0), one = loops.index(1);
  Value count = loops
                    .forRange(size, zero,
                              [&](ValueRange at, ValueRange carried) {
                                Value isNew = createIsNew(loops, sorted, at[0]);
                                Value step = loops.select(isNew, one, zero);
                                return Values{loops.add(carried[0], step)};
                              })
                    .front();
  // States what the loop guarantees, which nobody sees through it.
  return loops.min(loops.max(count, loops.min(size, one)), size);
}

/// A vector in the shape of the source.
static Value createUnflattened(LoopBuilder &loops, Value vector, Value source,
                               RankedTensorType type) {
  if (type.getRank() == 1)
    return type.isDynamicDim(0)
               ? loops.withSize(vector, loops.size(source, 0))
               : tensor::CastOp::create(loops.b, loops.loc, type, vector)
                     .getResult();
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 0) {
    vector = tensor::CastOp::create(
        loops.b, loops.loc, RankedTensorType::get({1}, type.getElementType()),
        vector);
    return tensor::CollapseShapeOp::create(loops.b, loops.loc, type, vector,
                                           groups);
  }
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(type.getRank())));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(loops.b, loops.loc, source);
  if (type.hasStaticShape())
    vector = tensor::CastOp::create(
        loops.b, loops.loc,
        RankedTensorType::get({type.getNumElements()}, type.getElementType()),
        vector);
  return tensor::ExpandShapeOp::create(loops.b, loops.loc, type, vector, groups,
                                       sizes);
}

Values LowerUnique::lower(UniqueOp op, LoopBuilder &loops) const {
  Type number = loops.b.getI64Type();
  bool withInverse = !op.getInverse().use_empty();
  Value size = loops.numElements(op.getSource());
  Values sorted =
      MergeSort(loops, size).create(createCopy(op, loops, size, withInverse));
  Value count = createRunCount(loops, sorted[0], size);
  Value one = loops.index(1);
  Value oneElement =
      arith::ConstantIntOp::create(loops.b, loops.loc, number, 1);

  // Carries the results and the number of runs that have started.
  Values initial{loops.empty(op.getValues().getType().getElementType(), count),
                 loops.zeros(number, count)};
  if (withInverse)
    initial.push_back(loops.empty(number, size));
  initial.push_back(loops.index(0));
  Values filled = loops.forRange(
      size, initial, [&](ValueRange indices, ValueRange carried) -> Values {
        Value at = indices[0];
        Value isNew = createIsNew(loops, sorted[0], at);
        Value started =
            loops.add(carried.back(), loops.select(isNew, one, loops.index(0)));
        Value run = loops.sub(started, one);
        Value isFirst = loops.both(isNew, loops.isInside(run, count));
        Value values =
            loops
                .createIf(isFirst, carried.take_front(),
                          [&] {
                            Value element = loops.extract(sorted[0], at);
                            return Values{
                                loops.insert(element, carried[0], run)};
                          })
                .front();
        Values rest = loops.createIf(
            loops.isInside(run, count), carried.drop_front().drop_back(), [&] {
              Value length = loops.extract(carried[1], run);
              Values next{
                  loops.insert(loops.add(length, oneElement), carried[1], run)};
              if (withInverse) {
                Value place = loops.extract(sorted[1], at);
                place = loops.clamp(loops.cast(place, loops.b.getIndexType()),
                                    size);
                next.push_back(
                    loops.insert(loops.cast(run, number), carried[2], place));
              }
              return next;
            });
        Values next{values};
        next.append(rest);
        next.push_back(started);
        return next;
      });
  Value inverse =
      withInverse
          ? createUnflattened(loops, filled[2], op.getSource(),
                              cast<RankedTensorType>(op.getInverse().getType()))
          : tensor::EmptyOp::create(
                loops.b, op.getLoc(),
                tensor::getMixedSizes(loops.b, op.getLoc(), op.getSource()),
                number)
                .getResult();
  return {loops.withSize(filled[0], count), inverse,
          loops.withSize(filled[1], count)};
}

void tally::populateLowerUniquePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUnique>(patterns.getContext());
}
