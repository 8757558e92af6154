//===- DecomposeTensorOps.cpp - What cannot be bufferized in one piece ----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "DecomposeGather.h"
#include "Fusion.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_DECOMPOSETENSOROPS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-decompose-tensor-ops"

using namespace mlir;

namespace {

// %r = linalg.softmax ... -> the operations that it stands for
struct DecomposeAggregate
    : public OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "cannot be decomposed");
    LDBG() << tally::codegen::describeLastPart(op)
           << ": becomes the operations that it stands for";
    rewriter.replaceOp(op, *results);
    return success();
  }
};

// %r = arith.select %p, %x, %y -> a branch. %x and %y may differ in size: this
// is no operation on elements.
struct BranchBetweenTensors : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || type.hasStaticShape() ||
        isa<TensorType>(op.getCondition().getType()))
      return failure();
    LDBG() << tally::codegen::describeLastPart(op)
           << ": becomes a branch, as the sizes of its tensors may differ";
    auto yield = [](Value value) {
      return [value](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, value);
      };
    };
    rewriter.replaceOpWithNewOp<scf::IfOp>(op, op.getCondition(),
                                           yield(op.getTrueValue()),
                                           yield(op.getFalseValue()));
    return success();
  }
};

// %r = scf.index_switch %i -> tensor<?xf32> -> branches. Bufferization does not
// know that its result is what a case yields.
struct BranchOfSwitch : public OpRewritePattern<scf::IndexSwitchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IndexSwitchOp op,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      return failure();
    LDBG() << tally::codegen::describeLastPart(op) << ": becomes "
           << op.getNumCases() << " branches, as its results are tensors";
    Location loc = op.getLoc();
    auto move = [&](Region &from, Region &into) {
      rewriter.inlineRegionBefore(from, into, into.end());
    };
    ValueRange results;
    for (auto [value, region] :
         llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
      Value constant = arith::ConstantIndexOp::create(rewriter, loc, value);
      Value isCase = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::eq, op.getArg(), constant);
      auto branch = scf::IfOp::create(rewriter, loc, op.getResultTypes(),
                                      isCase, /*addThenBlock=*/false,
                                      /*addElseBlock=*/true);
      move(region, branch.getThenRegion());
      if (results.empty())
        results = branch.getResults();
      else
        scf::YieldOp::create(rewriter, loc, branch.getResults());
      rewriter.setInsertionPointToStart(branch.elseBlock());
    }
    Block &last = op.getDefaultBlock();
    Operation *yield = last.getTerminator();
    if (results.empty()) {
      SmallVector<Value> yielded(yield->getOperands());
      rewriter.eraseOp(yield);
      rewriter.inlineBlockBefore(&last, op);
      rewriter.replaceOp(op, yielded);
      return success();
    }
    rewriter.inlineBlockBefore(&last, rewriter.getInsertionBlock(),
                               rewriter.getInsertionPoint());
    rewriter.replaceOp(op, results);
    return success();
  }
};

// cf.switch %i : i32, [default: ^a, 1: ^b(%x : tensor<?xf32>)] -> conditional
// branches, which are all that bufferization knows.
struct BranchOfBlocks : public OpRewritePattern<cf::SwitchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::SwitchOp op,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
      return failure();
    Location loc = op.getLoc();
    SmallVector<APInt> values;
    if (std::optional<DenseIntElementsAttr> cases = op.getCaseValues())
      llvm::append_range(values, cases->getValues<APInt>());
    LDBG() << tally::codegen::describeLastPart(op) << ": becomes "
           << values.size() << " branches, as it passes tensors";
    for (auto [i, value] : llvm::enumerate(values)) {
      Value constant = arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getIntegerAttr(op.getFlag().getType(), value));
      Value isCase = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::eq, op.getFlag(), constant);
      Block *next = rewriter.createBlock(
          op->getParentRegion(), std::next(op->getBlock()->getIterator()));
      rewriter.setInsertionPointAfterValue(isCase);
      cf::CondBranchOp::create(rewriter, loc, isCase,
                               op.getCaseDestinations()[i],
                               op.getCaseOperands(i), next, ValueRange());
      rewriter.setInsertionPointToEnd(next);
    }
    cf::BranchOp::create(rewriter, loc, op.getDefaultDestination(),
                         op.getDefaultOperands());
    rewriter.eraseOp(op);
    return success();
  }
};

// %j = tally.speculation_barrier %i -> %i. Nothing moves an access any more
// that was verified where it stands.
struct EraseSpeculationBarrier
    : public OpRewritePattern<tally::SpeculationBarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tally::SpeculationBarrierOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
};

/// The size of a dimension, as early as it is known.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value tensor,
                     int64_t dim) {
  Value from = tensor;
  while (auto op = from.getDefiningOp<DestinationStyleOpInterface>())
    from = op.getTiedOpOperand(cast<OpResult>(from))->get();
  if (auto empty = from.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[dim];
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

/// A sum of sizes. Equal ones are counted, so that it has few terms.
class SizeSum {
public:
  SizeSum(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), expr(builder.getAffineConstantExpr(0)) {}

  void add(OpFoldResult size) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      expr = expr + *constant;
      return;
    }
    // A sum of sizes itself, or one.
    Value value = cast<Value>(size);
    AffineExpr term = builder.getAffineSymbolExpr(0);
    SmallVector<Value> operands = {value};
    if (auto apply = value.getDefiningOp<affine::AffineApplyOp>();
        apply && apply.getAffineMap().getNumDims() == 0) {
      term = apply.getAffineMap().getResult(0);
      operands = apply.getMapOperands();
    }
    llvm::SmallSetVector<Value, 8> both(symbols.begin(), symbols.end());
    both.insert(operands.begin(), operands.end());
    if (both.size() > kMostTerms) {
      // Affine operations are composed with each other; this is none.
      Value sum = getValueOrCreateConstantIndexOp(builder, loc, get());
      symbols.assign({arith::AddIOp::create(builder, loc, sum, value)});
      expr = builder.getAffineSymbolExpr(0);
      return;
    }
    symbols.assign(both.begin(), both.end());
    SmallVector<AffineExpr> places;
    for (Value operand : operands)
      places.push_back(builder.getAffineSymbolExpr(
          llvm::find(symbols, operand) - symbols.begin()));
    expr = expr + term.replaceSymbols(places);
  }

  OpFoldResult get() {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(0, symbols.size(), expr),
        getAsOpFoldResult(symbols));
  }

private:
  static constexpr unsigned kMostTerms = 8;

  OpBuilder &builder;
  Location loc;
  AffineExpr expr;
  SmallVector<Value> symbols;
};

/// The concatenation that alone uses the elements of `op`, along the same
/// dimension.
tensor::ConcatOp getOuterConcat(tensor::ConcatOp op) {
  Operation *only = nullptr;
  for (OpOperand &use : op->getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    if (only)
      return {};
    only = use.getOwner();
  }
  auto outer = dyn_cast_if_present<tensor::ConcatOp>(only);
  return outer && outer->getBlock() == op->getBlock() &&
                 outer.getDim() == op.getDim()
             ? outer
             : tensor::ConcatOp();
}

/// The parts of a concatenation, and of those that are its parts, in order.
void collectParts(tensor::ConcatOp op, SmallVectorImpl<Value> &parts) {
  for (Value part : op.getInputs())
    if (auto inner = part.getDefiningOp<tensor::ConcatOp>();
        inner && getOuterConcat(inner) == op)
      collectParts(inner, parts);
    else
      parts.push_back(part);
}

// %r = tensor.concat dim(0) %x, %y -> both are inserted into an empty tensor.
// Upstream's pattern reads the size of each part from the part: sums of
// thousands of terms, until they are simplified. What is concatenated again is
// inserted once, where it ends up.
struct DecomposeConcat : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (getOuterConcat(op))
      return rewriter.notifyMatchFailure(op, "its parts go into another one");
    Location loc = op.getLoc();
    int64_t dim = op.getDim();
    RankedTensorType type = op.getType();
    SmallVector<Value> parts;
    collectParts(op, parts);
    LDBG() << tally::codegen::describeLastPart(op) << ": " << parts.size()
           << " parts are inserted into one tensor";
    SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
    SmallVector<SmallVector<OpFoldResult>> starts, sizes;
    SizeSum sum(rewriter, loc);
    for (Value part : parts) {
      starts.push_back(offsets);
      starts.back()[dim] = sum.get();
      SmallVector<OpFoldResult> &own = sizes.emplace_back();
      for (int64_t i = 0; i < type.getRank(); ++i)
        own.push_back(getSize(rewriter, loc, part, i));
      sum.add(own[dim]);
    }
    SmallVector<OpFoldResult> whole = sizes.front();
    whole[dim] = sum.get();
    Value result =
        tensor::EmptyOp::create(rewriter, loc, whole, type.getElementType());
    for (auto [part, start, size] : llvm::zip_equal(parts, starts, sizes))
      result = tensor::InsertSliceOp::create(rewriter, loc, part, result, start,
                                             size, strides);
    if (result.getType() != op.getType())
      result = tensor::CastOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void tally::populateDecomposeTensorOpsPatterns(RewritePatternSet &patterns) {
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  tally::populateDecomposeGatherPatterns(patterns);
  patterns.add<DecomposeAggregate, BranchOfSwitch, BranchOfBlocks,
               DecomposeConcat, EraseSpeculationBarrier>(patterns.getContext());
  // Before the patterns above, which would take it for an elementwise one.
  patterns.add<BranchBetweenTensors>(patterns.getContext(), /*benefit=*/2);
}

LogicalResult tally::decomposeTensorOps(func::FuncOp function) {
  RewritePatternSet patterns(function->getContext());
  populateDecomposeTensorOpsPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

namespace {
struct DecomposeTensorOpsPass
    : tally::impl::DecomposeTensorOpsBase<DecomposeTensorOpsPass> {
  void runOnOperation() override {
    if (failed(tally::decomposeTensorOps(getOperation())))
      signalPassFailure();
  }
};

} // namespace
