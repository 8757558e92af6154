//===- LowerCompaction.cpp - tally.nonzero and tally.masked_select --------===//

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;

namespace {
/// Keeps some elements of a tensor. Counts, allocates, fills: two passes.
class Compaction {
public:
  /// Whether an element of the tensor is kept.
  using IsKept = function_ref<Value(Value element)>;
  /// Writes a row of the result for the element at the indices.
  using Write =
      function_ref<Value(Value result, Value row, ValueRange indices)>;

  Compaction(LoopBuilder &loops, Value tensor, IsKept isKept)
      : loops(loops), tensor(tensor), isKept(isKept) {
    zero = loops.index(0);
    one = loops.index(1);
  }

  /// A reduction, which threads can share.
  Value createCount() {
    auto type = cast<RankedTensorType>(tensor.getType());
    auto i64 = loops.b.getI64Type();
    Value none = arith::ConstantOp::create(loops.b, loops.loc,
                                           loops.b.getI64IntegerAttr(0));
    Value init =
        linalg::FillOp::create(loops.b, loops.loc, none,
                               tensor::EmptyOp::create(loops.b, loops.loc,
                                                       ArrayRef<int64_t>(), i64)
                                   .getResult())
            .getResult(0);
    auto map = loops.b.getMultiDimIdentityMap(unsigned(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::reduction);
    auto sum = linalg::GenericOp::create(
        loops.b, loops.loc, init.getType(), tensor, init,
        {map, AffineMap::get(map.getNumDims(), 0, loops.b.getContext())},
        iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          Value step = arith::ExtUIOp::create(b, loc, i64, isKept(args[0]));
          linalg::YieldOp::create(b, loc, loops.add(args[1], step));
        });
    Value count =
        loops.cast(loops.extract(sum.getResult(0), {}), loops.b.getIndexType());
    // States what the sum guarantees, which nobody sees through it.
    return loops.min(loops.max(count, zero), loops.numElements(tensor));
  }

  Value fill(Value empty, Value count, Write write) {
    Value filled =
        loops
            .forEach(tensor, {empty, zero},
                     [&](ValueRange indices, ValueRange carried) {
                       // A row is written until its element is found: which
                       // elements are kept, no branch can tell before.
                       Value row = carried[1];
                       return loops.createIf(
                           loops.isInside(row, count), carried, [&] {
                             Value next = write(carried[0], row, indices);
                             Value step = loops.select(
                                 isKept(loops.extract(tensor, indices)), one,
                                 zero);
                             return Values{next, loops.add(row, step)};
                           });
                     })
            .front();
    return loops.withSize(filled, count);
  }

private:
  LoopBuilder &loops;
  Value tensor, zero, one;
  IsKept isKept;
};

/// A row holds the indices of its element.
struct LowerNonzero : public DataDependentPattern<NonzeroOp> {
  using DataDependentPattern::DataDependentPattern;

  /// Whether an element is not zero; a boolean is its own answer.
  static Value createIsNonzero(LoopBuilder &loops, Value element) {
    Type type = element.getType();
    if (type.isInteger(1))
      return element;
    Value zero = arith::ConstantOp::create(loops.b, loops.loc,
                                           loops.b.getZeroAttr(type));
    if (isa<FloatType>(type)) // unordered: NaN is not zero
      return arith::CmpFOp::create(loops.b, loops.loc,
                                   arith::CmpFPredicate::UNE, element, zero);
    return loops.compare(arith::CmpIPredicate::ne, element, zero);
  }

  Values lower(NonzeroOp op, LoopBuilder &loops) const override {
    auto isKept = [&](Value element) {
      return createIsNonzero(loops, element);
    };
    Compaction compaction(loops, op.getSource(), isKept);
    Value count = compaction.createCount();
    RankedTensorType type = op.getType();
    Value empty = tensor::EmptyOp::create(loops.b, op.getLoc(), type, count);
    if (type.getDimSize(1) == 0)
      return {empty};
    return {compaction.fill(
        empty, count, [&](Value rows, Value row, ValueRange indices) {
          for (auto [column, index] : llvm::enumerate(indices))
            rows = loops.insert(loops.cast(index, type.getElementType()), rows,
                                {row, loops.index(column)});
          return rows;
        })};
  }
};

struct LowerMaskedSelect : public DataDependentPattern<MaskedSelectOp> {
  using DataDependentPattern::DataDependentPattern;

  Values lower(MaskedSelectOp op, LoopBuilder &loops) const override {
    auto isKept = [](Value element) { return element; };
    Compaction compaction(loops, op.getMask(), isKept);
    Value count = compaction.createCount();
    Value empty = loops.empty(op.getType().getElementType(), count);
    return {compaction.fill(
        empty, count, [&](Value result, Value row, ValueRange indices) {
          Value element = loops.extract(op.getSource(), indices);
          return loops.insert(element, result, row);
        })};
  }
};
} // namespace

void tally::populateLowerCompactionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerNonzero, LowerMaskedSelect>(patterns.getContext());
}
