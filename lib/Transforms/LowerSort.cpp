//===- LowerSort.cpp - tally.sort to loops --------------------------------===//
//
// A merge sort from the bottom up, which does O(n log n) comparisons and keeps
// the order of what is equal.
//
//===----------------------------------------------------------------------===//

#include "LowerDataDependent.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERSORT
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-sort"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

namespace {
/// Sorts tensors along their last dimension, all of them as the first one.
class MergeSort {
public:
  MergeSort(LoopBuilder &loops, SortOp op, Value rows)
      : loops(loops), op(op), rows(rows),
        size(loops.size(rows, cast<RankedTensorType>(rows.getType()).getRank() -
                                  1)) {}

  Values create(Values tensors);

private:
  Value createIsBefore(Value x, Value y);
  Values createPass(ValueRange from, ValueRange to, Value width);
  Values createStep(ValueRange from, ValueRange carried, Value width,
                    ValueRange position);

  LoopBuilder &loops;
  SortOp op;
  Value rows, size;
};
} // namespace

/// Whether x comes before y: NaN is the largest, `false` less than `true`.
Value MergeSort::createIsBefore(Value x, Value y) {
  if (op.getDescending())
    std::swap(x, y);
  Type type = x.getType();
  if (!isa<FloatType>(type)) {
    bool isUnsigned = op.getIsUnsigned() || type.isInteger(1);
    return loops.compare(isUnsigned ? CmpIPredicate::ult : CmpIPredicate::slt,
                         x, y);
  }
  auto compare = [&](CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(loops.b, loops.loc, predicate, a, b);
  };
  Value less = compare(CmpFPredicate::OLT, x, y);
  Value isNumber = compare(CmpFPredicate::ORD, x, x);
  Value isNaN = compare(CmpFPredicate::UNO, y, y);
  return loops.either(less, loops.both(isNumber, isNaN));
}

/// One element of the merged blocks. Carries the tensors that are written and
/// the place that is next in the first block.
Values MergeSort::createStep(ValueRange from, ValueRange carried, Value width,
                             ValueRange position) {
  // The blocks are [low, middle) and [middle, high); widths are powers of 2.
  Value at = position.back(), both = loops.add(width, width);
  Value offset = loops.both(at, loops.sub(both, loops.index(1)));
  Value low = loops.sub(at, offset);
  Value middle = loops.min(loops.add(low, width), size);
  Value high = loops.min(loops.add(low, both), size);
  Value isStart = loops.compare(CmpIPredicate::eq, offset, loops.index(0));
  Value left = loops.select(isStart, low, carried.back());
  // A written element that is not of the first block is of the second one.
  Value right = loops.sub(loops.add(middle, at), left);

  auto extract = [&](Value tensor, Value place) {
    Values indices(position.drop_back());
    indices.push_back(place);
    return loops.extract(tensor, indices);
  };
  Value leftAt = loops.clamp(left, size), rightAt = loops.clamp(right, size);
  Value isBefore =
      createIsBefore(extract(from[0], rightAt), extract(from[0], leftAt));
  Value leftEnds = loops.compare(CmpIPredicate::sge, left, middle);
  Value rightGoesOn = loops.compare(CmpIPredicate::slt, right, high);
  Value takesRight = loops.both(rightGoesOn, loops.either(leftEnds, isBefore));
  Value source = loops.select(takesRight, rightAt, leftAt);
  Values next;
  for (auto [tensor, target] : llvm::zip_equal(from, carried.drop_back()))
    next.push_back(loops.insert(extract(tensor, source), target, position));
  Value step = loops.select(takesRight, loops.index(0), loops.index(1));
  next.push_back(loops.add(left, step));
  return next;
}

/// Merges each two blocks of `width` elements.
Values MergeSort::createPass(ValueRange from, ValueRange to, Value width) {
  Values initial(to);
  initial.push_back(loops.index(0));
  Values results = loops.forEach(
      rows, initial, [&](ValueRange position, ValueRange carried) {
        return createStep(from, carried, width, position);
      });
  results.pop_back();
  return results;
}

/// Two passes an iteration, there and back, so that both copies of the tensors
/// stay where they are. The second copy starts as the first one: two empty
/// tensors of one type and size would become one, and one buffer.
Values MergeSort::create(Values tensors) {
  size_t count = tensors.size();
  Values initial = tensors;
  initial.append(tensors);
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
// Rows
//===----------------------------------------------------------------------===//

/// Swaps two dimensions.
static Value createSwapped(LoopBuilder &loops, Value tensor, int64_t a,
                           int64_t b) {
  if (a == b)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(order[a], order[b]);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(loops.b, loops.loc, tensor);
  std::swap(sizes[a], sizes[b]);
  Value empty =
      tensor::EmptyOp::create(loops.b, loops.loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(loops.b, loops.loc, tensor, empty, order)
      ->getResult(0);
}

/// For each element its index in the last dimension.
static Value createPlaces(LoopBuilder &loops, Value rows) {
  int64_t rank = cast<RankedTensorType>(rows.getType()).getRank();
  Type number = loops.b.getI64Type();
  Value empty = tensor::EmptyOp::create(
      loops.b, loops.loc, tensor::getMixedSizes(loops.b, loops.loc, rows),
      number);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             loops.b, loops.loc, empty.getType(), ValueRange(), empty,
             loops.b.getMultiDimIdentityMap(rank), iterators,
             [&](OpBuilder &b, Location loc, ValueRange) {
               Value place = linalg::IndexOp::create(b, loc, rank - 1);
               place = arith::IndexCastOp::create(b, loc, number, place);
               linalg::YieldOp::create(b, loc, place);
             })
      .getResult(0);
}

/// The part of a sorted tensor that the operation asks for.
static Value createPart(LoopBuilder &loops, SortOp op, Value sorted,
                        Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  if (op.getFirst()) {
    SmallVector<OpFoldResult> offsets(type.getRank(), loops.b.getIndexAttr(0)),
        strides(type.getRank(), loops.b.getIndexAttr(1)),
        sizes = tensor::getMixedSizes(loops.b, loops.loc, output);
    offsets[op.getDim()] = getAsOpFoldResult(op.getFirst());
    return tensor::ExtractSliceOp::create(loops.b, loops.loc, type, sorted,
                                          offsets, sizes, strides);
  }
  if (sorted.getType() == type)
    return sorted;
  return tensor::CastOp::create(loops.b, loops.loc, type, sorted);
}

static void lowerSort(SortOp op) {
  OpBuilder builder(op);
  LoopBuilder loops(builder, op);
  auto type = cast<RankedTensorType>(op.getSource().getType());
  auto dim = int64_t(op.getDim()), last = type.getRank() - 1;
  Value rows = createSwapped(loops, op.getSource(), dim, last);
  Values tensors{rows};
  if (op.getIndices())
    tensors.push_back(createPlaces(loops, rows));
  Values sorted = MergeSort(loops, op, rows).create(tensors);
  auto finish = [&](Value result, Value from, Value output) {
    from = createSwapped(loops, from, dim, last);
    result.replaceAllUsesWith(createPart(loops, op, from, output));
  };
  if (Value values = op.getValuesResult())
    finish(values, sorted[0], op.getValues());
  if (Value indices = op.getIndicesResult())
    finish(indices, sorted[1], op.getIndices());
  op->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether `tally_rt_host_sort` sorts such elements.
static bool isKnownToRuntime(Type element) {
  if (element.isIndex() || element.isF16() || element.isBF16() ||
      element.isF32() || element.isF64())
    return true;
  return llvm::any_of(ArrayRef<unsigned>{1, 8, 16, 32, 64}, [&](unsigned bits) {
    return element.isSignlessInteger(bits);
  });
}

void tally::lowerSorts(Operation *root, bool unknownTypesOnly) {
  SmallVector<SortOp> sorts;
  root->walk([&](SortOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!type || op.getResults().size() != op.getDpsInitsMutable().size())
      return;
    bool stays = unknownTypesOnly && isKnownToRuntime(type.getElementType());
    LDBG() << op->getName() << describePlace(op.getLoc())
           << (stays ? ": stays for the runtime" : ": a merge sort in loops");
    if (!stays)
      sorts.push_back(op);
  });
  for (SortOp op : sorts)
    lowerSort(op);
}

namespace {
struct LowerSortPass : public tally::impl::LowerSortBase<LowerSortPass> {
  using LowerSortBase::LowerSortBase;

  void runOnOperation() override {
    lowerSorts(getOperation(), unknownTypesOnly);
  }
};
} // namespace
