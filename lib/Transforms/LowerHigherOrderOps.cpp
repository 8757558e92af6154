//===- LowerHigherOrderOps.cpp - Subgraphs to control flow and calls ------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tally/IR/Bindings.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tally {
#define GEN_PASS_DEF_LOWERHIGHERORDEROPS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;

namespace {
/// `tally.cond` becomes `scf.if`; the arguments of its regions become what was
/// passed for them.
struct LowerCond : public OpRewritePattern<CondOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CondOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBindingsAttr())
      return rewriter.notifyMatchFailure(op, "its symbols are not bound");
    auto branch = scf::IfOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), op.getPredicate(),
        /*addThenBlock=*/false, /*addElseBlock=*/false);
    branch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    moveRegion(op, op.getThenRegion(), branch.getThenRegion(), rewriter);
    moveRegion(op, op.getElseRegion(), branch.getElseRegion(), rewriter);
    rewriter.replaceOp(op, branch);
    return success();
  }

private:
  static void moveRegion(CondOp op, Region &from, Region &to,
                         PatternRewriter &rewriter) {
    Block &block = from.front();
    rewriter.replaceAllUsesWith(block.getArguments(), op.getInputs());
    block.eraseArguments(0, block.getNumArguments());
    auto yield = cast<YieldOp>(block.getTerminator());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, yield.getOperands());
    rewriter.inlineRegionBefore(from, to, to.end());
  }
};

/// `tally.invoke_subgraph` becomes `func.call`.
struct LowerInvokeSubgraph : public OpRewritePattern<InvokeSubgraphOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InvokeSubgraphOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBindingsAttr())
      return rewriter.notifyMatchFailure(op, "its symbols are not bound");
    if (!SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op,
                                                            op.getCalleeAttr()))
      return rewriter.notifyMatchFailure(op, "its callee is no func.func");
    auto call = func::CallOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                                     op.getCalleeAttr(), op.getInputs());
    call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (ArrayAttr attrs = op.getArgAttrsAttr())
      call.setArgAttrsAttr(attrs);
    if (ArrayAttr attrs = op.getResAttrsAttr())
      call.setResAttrsAttr(attrs);
    rewriter.replaceOp(op, call);
    return success();
  }
};

/// An operation from elsewhere lowers itself.
struct LowerCustom : public OpInterfaceRewritePattern<HigherOrderOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(HigherOrderOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (isa<CondOp, InvokeSubgraphOp>(op))
      return failure();
    return op.lowerToControlFlow(rewriter);
  }
};

/// Notes whether anything was rewritten.
struct ChangeListener : public RewriterBase::Listener {
  void notifyOperationErased(Operation *) override { changed = true; }
  bool changed = false;
};
} // namespace

void tally::populateLowerHigherOrderOpsPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerCond, LowerInvokeSubgraph, LowerCustom>(
      patterns.getContext());
}

/// Says why an operation is left.
static void reportLeftOver(HigherOrderOpInterface op) {
  if (failed(requireBound(op)))
    return;
  if (auto invoke = dyn_cast<InvokeSubgraphOp>(op.getOperation())) {
    invoke.emitOpError() << "cannot be lowered: '" << invoke.getCallee()
                         << "' is not a func.func";
    return;
  }
  op->emitOpError("cannot be lowered: its 'lowerToControlFlow' failed or is "
                  "not implemented");
}

LogicalResult tally::lowerHigherOrderOps(Operation *root) {
  RewritePatternSet set(root->getContext());
  populateLowerHigherOrderOpsPatterns(set);
  FrozenRewritePatternSet patterns(std::move(set));
  // An operation may become others of its kind: go on while something changes.
  ChangeListener listener;
  SmallVector<HigherOrderOpInterface> left;
  do {
    listener.changed = false;
    walkAndApplyPatterns(root, patterns, &listener);
    left.clear();
    root->walk([&](HigherOrderOpInterface op) { left.push_back(op); });
  } while (!left.empty() && listener.changed);
  for (HigherOrderOpInterface op : left)
    reportLeftOver(op);
  return success(left.empty());
}

namespace {
struct LowerHigherOrderOps
    : public tally::impl::LowerHigherOrderOpsBase<LowerHigherOrderOps> {
  using LowerHigherOrderOpsBase::LowerHigherOrderOpsBase;

  void runOnOperation() override {
    if (failed(lowerHigherOrderOps(getOperation())))
      signalPassFailure();
  }
};
} // namespace
