//===- LowerDataDependent.h - What lowerings to loops share -----*- C++ -*-===//
//
// A result is counted, allocated once and filled in place: it is carried by
// loops only, so that bufferization finds every insertion in place. Nothing is
// written behind its end, though the source may be memory that somebody else
// writes between the passes over it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_LOWERDATADEPENDENT_H
#define TALLY_LIB_TRANSFORMS_LOWERDATADEPENDENT_H

#include "tally/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <map>

namespace tally {

/// Makes operations at one location, most of them on index values.
class LoopBuilder {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<Value>;
  /// Makes the next values of the carried ones.
  using Body =
      llvm::function_ref<Values(ValueRange indices, ValueRange carried)>;

  /// Makes what stands before `op`.
  LoopBuilder(mlir::OpBuilder &builder, mlir::Operation *op)
      : b(builder), loc(op->getLoc()), op(op) {}

  /// A constant, outside of all loops. The first one stands before `op`, where
  /// there is no loop yet, the others behind it.
  Value index(int64_t value);
  template <typename OpTy>
  Value create(Value x, Value y) {
    return OpTy::create(b, loc, x, y);
  }
  Value add(Value x, Value y) { return create<mlir::arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return create<mlir::arith::SubIOp>(x, y); }
  Value min(Value x, Value y) { return create<mlir::arith::MinSIOp>(x, y); }
  Value max(Value x, Value y) { return create<mlir::arith::MaxSIOp>(x, y); }
  Value both(Value x, Value y) { return create<mlir::arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return create<mlir::arith::OrIOp>(x, y); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// Seen as unsigned, a negative index is beyond every size.
  Value isInside(Value index, Value size) {
    return compare(mlir::arith::CmpIPredicate::ult, index, size);
  }
  /// The index, or what is nearest to it in [0, size): there must be something.
  Value clamp(Value index, Value size);
  /// Between an index and an integer of 64 bits.
  Value cast(Value integer, mlir::Type type);

  Value extract(Value tensor, ValueRange indices) {
    return mlir::tensor::ExtractOp::create(b, loc, tensor, indices);
  }
  Value insert(Value element, Value tensor, ValueRange indices) {
    return mlir::tensor::InsertOp::create(b, loc, element, tensor, indices);
  }
  /// The size of a dimension of a tensor.
  Value size(Value tensor, int64_t dim);
  Value numElements(Value tensor);
  /// A vector of an element type and a size.
  Value empty(mlir::Type element, Value size);
  /// The same, of zeros.
  Value zeros(mlir::Type element, Value size);
  /// All of `tensor`; says to who asks for its first size what that is, which
  /// nobody sees through the loops that filled it.
  Value withSize(Value tensor, Value size);

  /// A nest of loops over the elements of a tensor, in row-major order; returns
  /// what is carried out of it.
  Values forEach(Value tensor, ValueRange initial, Body body);
  /// One loop over [0, size).
  Values forRange(Value size, ValueRange initial, Body body);
  /// The values of `then` where the condition holds, or else `otherwise`.
  Values createIf(Value condition, ValueRange otherwise,
                  llvm::function_ref<Values()> then);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  Values createNest(llvm::ArrayRef<Value> sizes, Values &indices,
                    ValueRange carried, Body body);

  mlir::Operation *op;
  std::map<int64_t, Value> constants;
  Value lastConstant;
};

/// A pattern that lowers an operation whose symbols are bound.
template <typename OpTy>
struct DataDependentPattern : public mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  /// Lowers the operation, and returns the values of its results.
  virtual LoopBuilder::Values lower(OpTy op, LoopBuilder &loops) const = 0;

  mlir::LogicalResult
  matchAndRewrite(OpTy op, mlir::PatternRewriter &rewriter) const override {
    if (op.getBindingsAttr())
      return rewriter.notifyMatchFailure(op, "its symbols are not bound");
    LoopBuilder loops(rewriter, op);
    rewriter.replaceOp(op, lower(op, loops));
    return mlir::success();
  }
};

/// tally.nonzero and tally.masked_select.
void populateLowerCompactionPatterns(mlir::RewritePatternSet &patterns);
/// tally.unique.
void populateLowerUniquePatterns(mlir::RewritePatternSet &patterns);
/// tally.repeat_interleave and tally.bincount.
void populateLowerCountsPatterns(mlir::RewritePatternSet &patterns,
                                 SizeSearch search);
/// tally.slice, tally.select and tally.split.
void populateLowerSlicesPatterns(mlir::RewritePatternSet &patterns);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_LOWERDATADEPENDENT_H
