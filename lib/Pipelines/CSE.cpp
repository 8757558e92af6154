//===- CSE.cpp - Upstream's CSE, where bodies tell operations apart -------===//

#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace tally {
#define GEN_PASS_DEF_CSE
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Upstream looks for operations by their attributes, so that one with this
/// tells what is in an operation.
static constexpr StringLiteral kBodyAttr = "tally.body";

/// The hash of an operation without its operands.
static llvm::hash_code hashAlone(Operation *op) {
  return OperationEquivalence::computeHash(
      op, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
}

/// Values that CSE is yet to find the same are, here: those that are computed
/// alike.
static llvm::hash_code hashOperand(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return llvm::hash_combine(hashAlone(result.getOwner()),
                              result.getResultNumber());
  return llvm::hash_value(cast<BlockArgument>(value).getArgNumber());
}

static llvm::hash_code hashBody(Operation *op) {
  SmallVector<llvm::hash_code> inner;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      inner.push_back(OperationEquivalence::computeHash(
          &nested, hashOperand, OperationEquivalence::ignoreHashValue,
          OperationEquivalence::IgnoreLocations));
  return llvm::hash_combine_range(inner);
}

bool tally::eliminateCommonSubexpressions(Operation *root,
                                          DominanceInfo &dominance) {
  MLIRContext *context = root->getContext();
  auto i64 = IntegerType::get(context, 64);
  auto attribute = StringAttr::get(context, kBodyAttr);
  // An operation is visited after those inside of it.
  root->walk([&](Operation *op) {
    if (op != root && op->getNumRegions() != 0)
      op->setAttr(attribute,
                  IntegerAttr::get(i64, int64_t(size_t(hashBody(op)))));
  });
  IRRewriter rewriter(context);
  bool changed = false;
  mlir::eliminateCommonSubExpressions(rewriter, dominance, root, &changed);
  root->walk([&](Operation *op) { op->removeAttr(attribute); });
  return changed;
}

namespace {
struct CSEPass : tally::impl::CSEBase<CSEPass> {
  void runOnOperation() override {
    if (!tally::eliminateCommonSubexpressions(getOperation(),
                                              getAnalysis<DominanceInfo>()))
      return markAllAnalysesPreserved();
    markAnalysesPreserved<DominanceInfo, PostDominanceInfo>();
  }
};
} // namespace
