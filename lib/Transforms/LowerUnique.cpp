//===- LowerUnique.cpp - tally.unique -------------------------------------===//
//
// A sort, then one pass over the sorted elements that counts the runs of equal
// ones, and one that writes them. After the sort nobody reads the source.
//
//===----------------------------------------------------------------------===//

#include "LowerUnique.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally;
using namespace tally::detail;
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

static Value createDiffer(LoopBuilder &loops, Value x, Value y) {
  if (isa<FloatType>(x.getType())) // unordered: NaN equals nothing
    return createFloatCompare(loops, CmpFPredicate::UNE, x, y);
  return loops.compare(CmpIPredicate::ne, x, y);
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

/// The elements of the source in row-major order, of a size that no type tells.
static Value createFlat(LoopBuilder &loops, Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  Type element = type.getElementType();
  if (type.getRank() == 0)
    source = tensor::ExpandShapeOp::create(
        loops.b, loops.loc, RankedTensorType::get({1}, element), source,
        ArrayRef<ReassociationIndices>());
  if (type.getRank() > 1)
    source = tensor::CollapseShapeOp::create(
        loops.b, loops.loc, source,
        ArrayRef<ReassociationIndices>{
            llvm::to_vector(llvm::seq<int64_t>(type.getRank()))});
  auto flat = RankedTensorType::get({ShapedType::kDynamic}, element);
  if (source.getType() == flat)
    return source;
  return tensor::CastOp::create(loops.b, loops.loc, flat, source);
}

Values tally::detail::createSorted(UniqueOp op, LoopBuilder &loops, Value size,
                                   bool withPlaces) {
  Value flat = createFlat(loops, op.getSource());
  Values outputs{loops.empty(getElementTypeOrSelf(flat), size)};
  if (withPlaces)
    outputs.push_back(loops.empty(loops.b.getI64Type(), size));
  auto sort = SortOp::create(
      loops.b, loops.loc, ValueRange(outputs).getTypes(), flat, outputs[0],
      withPlaces ? outputs[1] : Value(), /*first=*/Value(), /*dim=*/0,
      /*descending=*/false, /*is_unsigned=*/false);
  return Values(sort.getResults());
}

Value tally::detail::createIsNew(LoopBuilder &loops, Value sorted, Value at) {
  Value zero = loops.index(0);
  Value before = loops.max(loops.sub(at, loops.index(1)), zero);
  Value isFirst = loops.compare(CmpIPredicate::eq, at, zero);
  return loops.either(isFirst, createDiffer(loops, loops.extract(sorted, at),
                                            loops.extract(sorted, before)));
}

Value tally::detail::createRunCountFacts(LoopBuilder &loops, Value count,
                                         Value size) {
  Value least = loops.min(size, loops.index(1));
  return loops.min(loops.max(count, least), size);
}

/// How many elements from a place on, which is not the first, differ from the
/// one before.
static Value countChanges(LoopBuilder &loops, Value sorted, Value from,
                          Value length) {
  Value zero = loops.index(0), one = loops.index(1);
  return loops
      .forRange(length, zero,
                [&](ValueRange indices, ValueRange carried) {
                  Value at = loops.add(from, indices[0]);
                  Value differs =
                      createDiffer(loops, loops.extract(sorted, at),
                                   loops.extract(sorted, loops.sub(at, one)));
                  Value step = loops.select(differs, one, zero);
                  return Values{loops.add(carried[0], step)};
                })
      .front();
}

static Value createRunCount(LoopBuilder &loops, Value sorted, Value size) {
  Value one = loops.index(1), least = loops.min(size, one);
  Value changes = countChanges(loops, sorted, one, loops.sub(size, least));
  Value count = loops.add(least, changes);
  // Nobody sees through the loop.
  return createRunCountFacts(loops, count, size);
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

Value tally::detail::createInverse(UniqueOp op, LoopBuilder &loops,
                                   Value vector) {
  if (vector)
    return createUnflattened(loops, vector, op.getSource(),
                             cast<RankedTensorType>(op.getInverse().getType()));
  return tensor::EmptyOp::create(
      loops.b, op.getLoc(),
      tensor::getMixedSizes(loops.b, op.getLoc(), op.getSource()),
      loops.b.getI64Type());
}

/// The elements that are searched at once for the start of a run.
static constexpr int64_t kBlock = 256;

/// Whether there are few runs, as few values are different.
static bool hasFewRuns(Value sorted) {
  Type element = getElementTypeOrSelf(sorted);
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8;
}

namespace {
/// The loop over the sorted elements that writes the first of each run, how
/// long the run is, and to which run each element of the source belongs.
struct RunWriter {
  LoopBuilder &loops;
  Values sorted;
  Value count, size;
  bool withCounts;

  /// Takes and returns what is carried: the results, and the number of runs
  /// that have started.
  Values writeElement(Value at, ValueRange carried) const;
  /// The same for a block of elements. Where no run starts in it, the values
  /// need nothing of it; vectors find that out.
  Values writeBlock(Value block, ValueRange carried) const;
  Values writeAll(ValueRange initial) const;

private:
  Value writeValue(Value at, Value run, Value isNew, ValueRange carried) const;
  Values writeRun(Value at, Value run, ValueRange carried) const;
  bool withPlaces() const { return sorted.size() > 1; }
};
} // namespace

/// The values with the element, if it is the first of its run.
Value RunWriter::writeValue(Value at, Value run, Value isNew,
                            ValueRange carried) const {
  Value isFirst = loops.both(isNew, loops.isInside(run, count));
  return loops
      .createIf(isFirst, carried.take_front(),
                [&] {
                  Value element = loops.extract(sorted[0], at);
                  return Values{loops.insert(element, carried[0], run)};
                })
      .front();
}

/// The lengths with one more of a run, and the inverse with the run of the
/// element, of these what is asked for.
Values RunWriter::writeRun(Value at, Value run, ValueRange carried) const {
  ValueRange written = carried.drop_front().drop_back();
  if (written.empty())
    return {};
  Type scalar = loops.b.getI64Type();
  Value one = arith::ConstantIntOp::create(loops.b, loops.loc, scalar, 1);
  return loops.createIf(loops.isInside(run, count), written, [&] {
    Values next;
    if (withCounts) {
      Value length = loops.extract(written.front(), run);
      next.push_back(
          loops.insert(loops.add(length, one), written.front(), run));
    }
    if (withPlaces()) {
      Value place = loops.extract(sorted[1], at);
      place = loops.clamp(loops.cast(place, loops.b.getIndexType()), size);
      next.push_back(
          loops.insert(loops.cast(run, scalar), written.back(), place));
    }
    return next;
  });
}

Values RunWriter::writeElement(Value at, ValueRange carried) const {
  Value one = loops.index(1);
  Value isNew = createIsNew(loops, sorted[0], at);
  Value started =
      loops.add(carried.back(), loops.select(isNew, one, loops.index(0)));
  Value run = loops.sub(started, one);
  Values next{writeValue(at, run, isNew, carried)};
  next.append(writeRun(at, run, carried));
  next.push_back(started);
  return next;
}

Values RunWriter::writeBlock(Value block, ValueRange carried) const {
  Value begin = loops.create<arith::MulIOp>(block, loops.index(kBlock));
  Value length = loops.min(loops.sub(size, begin), loops.index(kBlock));
  // No element is before the first one.
  Value isFirst = loops.compare(CmpIPredicate::eq, begin, loops.index(0));
  Value skipped = loops.select(isFirst, loops.index(1), loops.index(0));
  Value changes = countChanges(loops, sorted[0], loops.add(begin, skipped),
                               loops.sub(length, skipped));
  Value isChanged = loops.compare(CmpIPredicate::ne,
                                  loops.add(changes, skipped), loops.index(0));
  return loops.createIf(isChanged, carried, [&] {
    return loops.forRange(
        length, carried, [&](ValueRange indices, ValueRange inner) {
          return writeElement(loops.add(begin, indices[0]), inner);
        });
  });
}

Values RunWriter::writeAll(ValueRange initial) const {
  if (withCounts || withPlaces() || !hasFewRuns(sorted[0]))
    return loops.forRange(size, initial,
                          [&](ValueRange indices, ValueRange carried) {
                            return writeElement(indices[0], carried);
                          });
  Value padded = loops.add(size, loops.index(kBlock - 1));
  Value blocks = loops.create<arith::DivUIOp>(padded, loops.index(kBlock));
  return loops.forRange(blocks, initial,
                        [&](ValueRange indices, ValueRange carried) {
                          return writeBlock(indices[0], carried);
                        });
}

Values LowerUnique::lower(UniqueOp op, LoopBuilder &loops) const {
  Type number = loops.b.getI64Type();
  bool withInverse = !op.getInverse().use_empty();
  Value size = loops.numElements(op.getSource());
  Values sorted = createSorted(op, loops, size, withInverse);
  Value count = createRunCount(loops, sorted[0], size);

  bool withCounts = !op.getCounts().use_empty();
  Values initial{loops.empty(op.getValues().getType().getElementType(), count)};
  if (withCounts)
    initial.push_back(loops.zeros(number, count));
  if (withInverse)
    initial.push_back(loops.empty(number, size));
  initial.push_back(loops.index(0));
  RunWriter writer{loops, sorted, count, size, withCounts};
  Values filled = writer.writeAll(initial);
  Value places = withInverse ? filled[filled.size() - 2] : Value();
  Value inverse = createInverse(op, loops, places);
  Value counts = withCounts ? filled[1] : loops.empty(number, count);
  return {loops.withSize(filled[0], count), inverse,
          loops.withSize(counts, count)};
}

void tally::populateLowerUniquePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUnique>(patterns.getContext());
}
