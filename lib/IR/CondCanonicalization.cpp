//===- CondCanonicalization.cpp - Simplify tally.cond ---------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tally;

/// Whether a symbol of the function's table is defined in the region.
static bool makesSymbols(Region &region) {
  return region
      .walk([](UnbackedBindingOpInterface op) {
        return op.getSymbolBindings() ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Only one region can run where the predicate is known. Bindings, and symbols
/// that are defined in the other region, keep the operation: a name would be
/// left without its definition.
struct InlineKnownBranch : public OpRewritePattern<CondOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CondOp op,
                                PatternRewriter &rewriter) const override {
    APInt predicate;
    if (!matchPattern(op.getPredicate(), m_ConstantInt(&predicate)))
      return rewriter.notifyMatchFailure(op, "the predicate is not known");
    bool branch = predicate.isOne();
    Region &taken = branch ? op.getThenRegion() : op.getElseRegion();
    Region &dropped = branch ? op.getElseRegion() : op.getThenRegion();
    if (op.getBindingsAttr() || makesSymbols(dropped))
      return rewriter.notifyMatchFailure(op, "symbols are defined in it");
    YieldOp yield = op.getYield(branch);
    rewriter.inlineBlockBefore(&taken.front(), op, op.getInputs());
    rewriter.replaceOp(op, yield.getOperands());
    rewriter.eraseOp(yield);
    return success();
  }
};

/// Drops results that nobody uses. Bindings count by results, so that an
/// operation with bindings keeps all of them.
struct DropUnusedResults : public OpRewritePattern<CondOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CondOp op,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector unused(op.getNumResults());
    SmallVector<Type> types;
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      if (result.use_empty())
        unused.set(index);
      else
        types.push_back(result.getType());
    }
    if (op.getBindingsAttr() || unused.none())
      return rewriter.notifyMatchFailure(op, "every result is needed");
    auto cond = CondOp::create(rewriter, op.getLoc(), types, op.getPredicate(),
                               op.getInputs(), /*bindings=*/BindingsAttr());
    cond->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (bool branch : {true, false}) {
      YieldOp yield = op.getYield(branch);
      rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unused); });
      Region &from = branch ? op.getThenRegion() : op.getElseRegion();
      Region &to = branch ? cond.getThenRegion() : cond.getElseRegion();
      rewriter.inlineRegionBefore(from, to, to.end());
    }
    SmallVector<Value> replacements(op.getNumResults());
    unsigned next = 0;
    for (unsigned index = 0; index < replacements.size(); ++index)
      if (!unused[index])
        replacements[index] = cond.getResult(next++);
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

/// Drops inputs that no region needs from outside: those that neither uses,
/// those that are passed twice, and constants, which move inside.
struct DropInputs : public OpRewritePattern<CondOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CondOp op,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector dropped(op.getInputs().size());
    llvm::SmallDenseMap<Value, unsigned> kept;
    rewriter.startOpModification(op);
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      if (isConstantLike(input))
        moveInside(op, index, rewriter);
      if (isUnused(op, index)) {
        dropped.set(index);
        continue;
      }
      auto [entry, isFirst] = kept.try_emplace(input, index);
      if (isFirst)
        continue;
      for (Region &region : op->getRegions())
        rewriter.replaceAllUsesWith(region.getArgument(index),
                                    region.getArgument(entry->second));
      dropped.set(index);
    }
    if (dropped.none()) {
      rewriter.cancelOpModification(op);
      return rewriter.notifyMatchFailure(op, "every input is needed");
    }
    for (Region &region : op->getRegions())
      region.front().eraseArguments(dropped);
    for (int index = dropped.find_last(); index >= 0;
         index = dropped.find_prev(index))
      op.getInputsMutable().erase(index);
    rewriter.finalizeOpModification(op);
    return success();
  }

private:
  static bool isUnused(CondOp op, unsigned index) {
    return llvm::all_of(op->getRegions(), [&](Region &region) {
      return region.getArgument(index).use_empty();
    });
  }

  static void moveInside(CondOp op, unsigned index, PatternRewriter &rewriter) {
    auto constant = cast<OpResult>(op.getInputs()[index]);
    for (Region &region : op->getRegions()) {
      BlockArgument argument = region.getArgument(index);
      if (argument.use_empty())
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&region.front());
      Operation *clone = rewriter.clone(*constant.getDefiningOp());
      rewriter.replaceAllUsesWith(argument,
                                  clone->getResult(constant.getResultNumber()));
    }
  }
};
} // namespace

void CondOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<InlineKnownBranch, DropUnusedResults, DropInputs>(context);
}
