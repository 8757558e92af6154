//===- DecomposeUnique.cpp - tally.unique in parallel ---------------------===//
//
// See the description of the pass in Passes.td. Where an element has gone is
// found by another sort: a permutation in order is its inverse.
//
//===----------------------------------------------------------------------===//

#include "LowerUnique.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tally/IR/Bindings.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

namespace tally {
#define GEN_PASS_DEF_DECOMPOSEUNIQUE
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;
using namespace tally::detail;
using Values = LoopBuilder::Values;
using arith::CmpIPredicate;

namespace {
/// Lowers one operation.
class UniqueDecomposition {
public:
  UniqueDecomposition(UniqueOp op, OpBuilder &builder)
      : op(op), loops(builder, op), number(builder.getI64Type()) {}

  void run();

private:
  Value generate(Type element, Value size, function_ref<Value(Value at)> body);
  Value extractPlace(Value vector, Value at) {
    return loops.cast(loops.extract(vector, at), loops.b.getIndexType());
  }
  Value createFirst();
  Value createValues();
  Value createCounts();
  Value createRun(Value at);
  Value createInverseOfPlaces();

  UniqueOp op;
  LoopBuilder loops;
  Type number;
  Value size, count, sorted, places, first;
};
} // namespace

/// A vector of what the body gives for each index.
Value UniqueDecomposition::generate(Type element, Value length,
                                    function_ref<Value(Value at)> body) {
  Value empty = loops.empty(element, length);
  return linalg::GenericOp::create(
             loops.b, loops.loc, empty.getType(), ValueRange(), empty,
             loops.b.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
             [&](OpBuilder &b, Location loc, ValueRange) {
               Value at = linalg::IndexOp::create(b, loc, 0);
               linalg::YieldOp::create(b, loc, body(at));
             })
      .getResult(0);
}

/// Where each run of equal elements begins.
Value UniqueDecomposition::createFirst() {
  Value starts = generate(loops.b.getI1Type(), size, [&](Value at) {
    return createIsNew(loops, sorted, at);
  });
  auto type = RankedTensorType::get({ShapedType::kDynamic, 1}, number);
  Value rows = NonzeroOp::create(loops.b, loops.loc, type, starts,
                                 /*bindings=*/BindingsAttr());
  return tensor::CollapseShapeOp::create(
      loops.b, loops.loc, rows, ArrayRef<ReassociationIndices>{{0, 1}});
}

Value UniqueDecomposition::createValues() {
  return generate(op.getValues().getType().getElementType(), count,
                  [&](Value run) {
                    Value at = loops.clamp(extractPlace(first, run), size);
                    return loops.extract(sorted, at);
                  });
}

/// From the first of a run to that of the next, or to the end.
Value UniqueDecomposition::createCounts() {
  Value one = loops.index(1);
  return generate(number, count, [&](Value run) {
    Value next = loops.add(run, one);
    Value isLast = loops.compare(CmpIPredicate::sge, next, count);
    Value end = extractPlace(first, loops.min(next, loops.sub(count, one)));
    end = loops.select(isLast, size, end);
    return loops.cast(loops.sub(end, extractPlace(first, run)), number);
  });
}

/// The run that a sorted element belongs to: one less than the number of runs
/// that begin there or before.
Value UniqueDecomposition::createRun(Value at) {
  Value one = loops.index(1), zero = loops.index(0);
  Type index = loops.b.getIndexType();
  auto loop = scf::WhileOp::create(
      loops.b, loops.loc, TypeRange{index, index}, ValueRange{zero, count},
      [&](OpBuilder &b, Location loc, ValueRange range) {
        Value isLeft = loops.compare(CmpIPredicate::slt, range[0], range[1]);
        scf::ConditionOp::create(b, loc, isLeft, range);
      },
      [&](OpBuilder &b, Location loc, ValueRange range) {
        Value half =
            loops.create<arith::ShRUIOp>(loops.sub(range[1], range[0]), one);
        Value middle = loops.add(range[0], half);
        // It always is.
        Value isInside = loops.isInside(middle, count);
        Value begin =
            loops
                .createIf(isInside, size,
                          [&] { return Values{extractPlace(first, middle)}; })
                .front();
        Value isBehind = loops.compare(CmpIPredicate::sgt, begin, at);
        Value low = loops.select(isBehind, range[0], loops.add(middle, one));
        Value high = loops.select(isBehind, middle, range[1]);
        scf::YieldOp::create(b, loc, ValueRange{low, high});
      });
  return loops.sub(loop.getResult(0), one);
}

/// For each element where it is among the sorted ones. Sorts bits of 32, which
/// are faster to sort: there are no more elements.
Value UniqueDecomposition::createInverseOfPlaces() {
  Type word = loops.b.getI32Type();
  Value words = generate(word, size, [&](Value at) {
    Value place = loops.extract(places, at);
    return arith::TruncIOp::create(loops.b, loops.loc, word, place);
  });
  Value empty = loops.empty(number, size);
  auto sort = SortOp::create(loops.b, loops.loc, empty.getType(), words,
                             /*values=*/Value(), empty, /*first=*/Value(),
                             /*dim=*/0, /*descending=*/false,
                             /*is_unsigned=*/true);
  return sort.getIndicesResult();
}

void UniqueDecomposition::run() {
  bool withInverse = !op.getInverse().use_empty();
  size = loops.numElements(op.getSource());
  Values results = createSorted(op, loops, size, withInverse);
  sorted = results.front();
  places = results.back();
  first = createFirst();
  count = createRunCountFacts(loops, loops.size(first, 0), size);
  first = loops.withSize(first, count);
  Value vector;
  if (withInverse) {
    Value gone = createInverseOfPlaces();
    vector = generate(number, size, [&](Value place) {
      return loops.cast(createRun(extractPlace(gone, place)), number);
    });
  }
  Value values = loops.withSize(createValues(), count);
  Value inverse = createInverse(op, loops, vector);
  Value counts = loops.withSize(createCounts(), count);
  op.replaceAllUsesWith(ValueRange{values, inverse, counts});
  op.erase();
}

LogicalResult tally::decomposeUniqueOps(Operation *root) {
  SmallVector<UniqueOp> ops;
  WalkResult result = root->walk([&](UniqueOp op) {
    ops.push_back(op);
    return WalkResult(requireBound(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (UniqueOp op : ops) {
    OpBuilder builder(op);
    UniqueDecomposition(op, builder).run();
  }
  return success();
}

namespace {
struct DecomposeUniquePass
    : public tally::impl::DecomposeUniqueBase<DecomposeUniquePass> {
  void runOnOperation() override {
    if (failed(decomposeUniqueOps(getOperation())))
      signalPassFailure();
  }
};
} // namespace
