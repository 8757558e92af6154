//===- LowerDataDependent.cpp - Data-dependent operations to loops --------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

namespace tally {
#define GEN_PASS_DEF_LOWERDATADEPENDENT
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// tally.item
//===----------------------------------------------------------------------===//

namespace {
struct LowerItem : public OpRewritePattern<ItemOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ItemOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBindingsAttr())
      return rewriter.notifyMatchFailure(op, "its symbol is not bound");
    SmallVector<Value> indices;
    if (int64_t rank = op.getSource().getType().getRank())
      indices.assign(rank, arith::ConstantIndexOp::create(rewriter, op.getLoc(),
                                                          /*value=*/0));
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, op.getSource(), indices);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// tally.nonzero
//===----------------------------------------------------------------------===//

/// Whether an element is not `zero`, which is null for booleans.
static Value createIsNonzero(OpBuilder &builder, Location loc, Value element,
                             Value zero) {
  if (!zero)
    return element;
  if (isa<FloatType>(zero.getType())) // unordered: NaN is not zero
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                 element, zero);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, element,
                               zero);
}

namespace {
/// A nest of loops over the elements of a tensor, in row-major order.
class ElementLoops {
public:
  /// Makes the next values of the carried ones for the element at `indices`.
  using Body = function_ref<SmallVector<Value>(
      Value isNonzero, ValueRange indices, ValueRange carried)>;

  ElementLoops(OpBuilder &builder, Location loc, Value tensor)
      : loc(loc), tensor(tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    zero = arith::ConstantIndexOp::create(builder, loc, 0);
    one = arith::ConstantIndexOp::create(builder, loc, 1);
    Type element = type.getElementType();
    if (!element.isInteger(1))
      zeroElement =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back(
          type.isDynamicDim(dim)
              ? tensor::DimOp::create(builder, loc, tensor, dim).getResult()
              : arith::ConstantIndexOp::create(builder, loc,
                                               type.getDimSize(dim))
                    .getResult());
  }

  /// Creates one nest and returns what is carried out of it.
  SmallVector<Value> create(OpBuilder &builder, ValueRange initial, Body body) {
    indices.clear();
    return createFrom(builder, initial, body);
  }

  Value createNumElements(OpBuilder &builder) const {
    if (sizes.empty())
      return one;
    Value number = sizes.front();
    for (Value size : ArrayRef(sizes).drop_front())
      number = arith::MulIOp::create(builder, loc, number, size);
    return number;
  }

  Value getZero() const { return zero; }
  Value getOne() const { return one; }

private:
  SmallVector<Value> createFrom(OpBuilder &builder, ValueRange carried,
                                Body body) {
    if (indices.size() == sizes.size()) {
      Value element = tensor::ExtractOp::create(builder, loc, tensor, indices);
      Value isNonzero = createIsNonzero(builder, loc, element, zeroElement);
      return body(isNonzero, indices, carried);
    }
    auto loop = scf::ForOp::create(builder, loc, zero, sizes[indices.size()],
                                   one, carried);
    indices.push_back(loop.getInductionVar());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> next =
        createFrom(builder, loop.getRegionIterArgs(), body);
    scf::YieldOp::create(builder, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  Location loc;
  Value tensor, zero, one, zeroElement;
  SmallVector<Value> sizes, indices;
};

/// Counts, allocates, fills: two passes over the source. The rows are inserted
/// into a tensor that only the loops carry, so that bufferization finds every
/// insertion in place. No row is written behind the last one, though the source
/// may be memory that somebody else writes between the passes.
struct LowerNonzero : public OpRewritePattern<NonzeroOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NonzeroOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBindingsAttr())
      return rewriter.notifyMatchFailure(op, "its symbol is not bound");
    Location loc = op.getLoc();
    ElementLoops loops(rewriter, loc, op.getSource());
    Value count = createCount(rewriter, loc, loops);
    Value rows = createRows(rewriter, loc, loops, op.getType(), count);
    rewriter.replaceOp(op, rows);
    return success();
  }

private:
  static Value createCount(OpBuilder &builder, Location loc,
                           ElementLoops &loops) {
    auto body = [&](Value isNonzero, ValueRange,
                    ValueRange carried) -> SmallVector<Value> {
      Value increment = arith::SelectOp::create(
          builder, loc, isNonzero, loops.getOne(), loops.getZero());
      return {arith::AddIOp::create(builder, loc, carried[0], increment)};
    };
    Value count = loops.create(builder, loops.getZero(), body).front();
    // States what the loops guarantee, which nobody sees through them.
    count = arith::MaxSIOp::create(builder, loc, count, loops.getZero());
    return arith::MinSIOp::create(builder, loc, count,
                                  loops.createNumElements(builder));
  }

  static Value createRows(OpBuilder &builder, Location loc, ElementLoops &loops,
                          RankedTensorType type, Value count) {
    Value empty = tensor::EmptyOp::create(builder, loc, type, count);
    if (type.getDimSize(1) == 0)
      return empty;
    SmallVector<Value> columns;
    for (int64_t column = 0; column < type.getDimSize(1); ++column)
      columns.push_back(arith::ConstantIndexOp::create(builder, loc, column));
    auto body = [&](Value isNonzero, ValueRange indices,
                    ValueRange carried) -> SmallVector<Value> {
      Value rows = carried[0], row = carried[1];
      Value isInside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, row, count);
      Value isRow = arith::AndIOp::create(builder, loc, isNonzero, isInside);
      auto branch = scf::IfOp::create(builder, loc, carried.getTypes(), isRow,
                                      /*addThenBlock=*/true,
                                      /*addElseBlock=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(branch.thenBlock());
      for (auto [column, index] : llvm::zip_equal(columns, indices)) {
        Value coordinate = arith::IndexCastOp::create(
            builder, loc, type.getElementType(), index);
        rows = tensor::InsertOp::create(builder, loc, coordinate, rows,
                                        ValueRange{row, column});
      }
      row = arith::AddIOp::create(builder, loc, row, loops.getOne());
      scf::YieldOp::create(builder, loc, ValueRange{rows, row});
      builder.setInsertionPointToEnd(branch.elseBlock());
      scf::YieldOp::create(builder, loc, carried);
      return llvm::to_vector_of<Value>(branch.getResults());
    };
    Value rows = loops.create(builder, {empty, loops.getZero()}, body).front();
    // All of it; says to who asks for the size of the result that it is the
    // count, which nobody sees through the loops.
    SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes{count,
                                    builder.getIndexAttr(type.getDimSize(1))};
    return tensor::ExtractSliceOp::create(builder, loc, type, rows, offsets,
                                          sizes, strides);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void tally::populateLowerDataDependentPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerItem, LowerNonzero>(patterns.getContext());
}

LogicalResult tally::lowerDataDependentOps(Operation *root) {
  WalkResult result = root->walk([](UnbackedBindingOpInterface op) {
    if (!isa<ItemOp, NonzeroOp>(op.getOperation()) || !op.getSymbolBindings())
      return WalkResult::advance();
    op->emitOpError("makes symbols that are not bound; run "
                    "'tally-bind-symbols' first");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  RewritePatternSet patterns(root->getContext());
  populateLowerDataDependentPatterns(patterns);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}

namespace {
struct LowerDataDependent
    : public tally::impl::LowerDataDependentBase<LowerDataDependent> {
  using LowerDataDependentBase::LowerDataDependentBase;

  void runOnOperation() override {
    if (failed(lowerDataDependentOps(getOperation())))
      signalPassFailure();
  }
};
} // namespace
