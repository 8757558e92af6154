//===- MergeLoops.cpp - Neighboring dimensions as one ---------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_MERGELOOPS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-merge-loops"

using namespace mlir;

/// Whether a loop and the next one run, in an operand, over neighboring
/// dimensions that lie in memory like one, or over none.
static bool areOneDimension(linalg::GenericOp op, OpOperand &operand,
                            unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto find = [&](unsigned number) {
    return map.getResultPosition(getAffineDimExpr(number, op->getContext()));
  };
  std::optional<unsigned> first = find(loop), second = find(loop + 1);
  if (!first && !second)
    return true;
  if (!first || !second || *second != *first + 1)
    return false;
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    if (dim == *second)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return memref::CollapseShapeOp::isGuaranteedCollapsible(
      cast<MemRefType>(operand.get().getType()), groups);
}

/// Whether nothing runs at all, which upstream's types of merged dimensions do
/// not know.
static bool isEmpty(linalg::GenericOp op) {
  return llvm::is_contained(op.getStaticLoopRanges(), 0);
}

/// The loops in groups of those that can be one; none where each is alone.
static SmallVector<ReassociationIndices> groupLoops(linalg::GenericOp op) {
  SmallVector<ReassociationIndices> groups;
  if (!op.hasPureBufferSemantics() || op.hasIndexSemantics() || isEmpty(op) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return groups;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool isOne = loop > 0 && iterators[loop - 1] == iterators[loop] &&
                 llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
                   return areOneDimension(op, operand, loop - 1);
                 });
    if (isOne)
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
  }
  if (groups.size() == op.getNumLoops())
    groups.clear();
  return groups;
}

void tally::mergeLoops(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  IRRewriter rewriter(function.getContext());
  for (linalg::GenericOp op : ops) {
    SmallVector<ReassociationIndices> groups = groupLoops(op);
    if (groups.empty())
      continue;
    rewriter.setInsertionPoint(op);
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    unsigned before = op.getNumLoops();
    FailureOr<linalg::CollapseResult> merged =
        linalg::collapseOpIterationDims(op, groups, rewriter);
    if (failed(merged))
      continue;
    LDBG() << before << " loops become " << groups.size();
    merged->collapsedOp->setDiscardableAttrs(attributes);
    rewriter.eraseOp(op);
  }
}

namespace {
struct MergeLoopsPass : tally::impl::MergeLoopsBase<MergeLoopsPass> {
  void runOnOperation() override { tally::mergeLoops(getOperation()); }
};
} // namespace
