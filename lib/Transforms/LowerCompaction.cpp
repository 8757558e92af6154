//===- LowerCompaction.cpp - tally.nonzero and tally.masked_select --------===//

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using Values = LoopBuilder::Values;

namespace {
/// Keeps some elements of a tensor. Counts, allocates, fills: two passes.
class Compaction {
public:
  /// Whether the element at the indices is kept.
  using IsKept = function_ref<Value(ValueRange indices)>;
  /// Writes a row of the result for the element at the indices.
  using Write =
      function_ref<Value(Value result, Value row, ValueRange indices)>;

  Compaction(LoopBuilder &loops, Value tensor, IsKept isKept)
      : loops(loops), tensor(tensor), isKept(isKept) {
    zero = loops.index(0);
    one = loops.index(1);
  }

  Value createCount() {
    Value count = loops
                      .forEach(tensor, zero,
                               [&](ValueRange indices, ValueRange carried) {
                                 Value step =
                                     loops.select(isKept(indices), one, zero);
                                 return Values{loops.add(carried[0], step)};
                               })
                      .front();
    // States what the loops guarantee, which nobody sees through them.
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
                             Value step =
                                 loops.select(isKept(indices), one, zero);
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
    auto isKept = [&](ValueRange indices) {
      return createIsNonzero(loops, loops.extract(op.getSource(), indices));
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
    auto isKept = [&](ValueRange indices) {
      return loops.extract(op.getMask(), indices);
    };
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
