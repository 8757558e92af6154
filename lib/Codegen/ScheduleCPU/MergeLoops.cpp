//===- MergeLoops.cpp - Neighboring dimensions as one ---------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The size of a loop as an operand that is an allocation has it.
static OpFoldResult findSize(linalg::GenericOp op, unsigned loop) {
  AffineExpr index = getAffineDimExpr(loop, op->getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    auto alloc = operand.get().getDefiningOp<memref::AllocOp>();
    auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(index);
    if (alloc && dim)
      return alloc.getMixedSizes()[*dim];
  }
  return {};
}

/// Whether an operation computes `row * size + column`.
static bool isLinear(Operation *user, Value row, Value column,
                     OpFoldResult size) {
  auto apply = dyn_cast<affine::AffineApplyOp>(user);
  if (!apply || !size)
    return false;
  AffineMap map = apply.getAffineMap();
  auto isOf = [&](AffineExpr expr, OpFoldResult value) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return getConstantIntValue(value) == constant.getValue();
    unsigned operand = 0;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      operand = dim.getPosition();
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      operand = map.getNumDims() + symbol.getPosition();
    else
      return false;
    return OpFoldResult(apply->getOperand(operand)) == value;
  };
  auto isBoth = [&](AffineExpr expr, AffineExprKind kind, auto isFirst,
                    auto isSecond) {
    auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
    return pair && pair.getKind() == kind &&
           ((isFirst(pair.getLHS()) && isSecond(pair.getRHS())) ||
            (isFirst(pair.getRHS()) && isSecond(pair.getLHS())));
  };
  auto isRow = [&](AffineExpr expr) { return isOf(expr, row); };
  auto isSize = [&](AffineExpr expr) { return isOf(expr, size); };
  auto isColumn = [&](AffineExpr expr) { return isOf(expr, column); };
  auto isStart = [&](AffineExpr expr) {
    return isBoth(expr, AffineExprKind::Mul, isRow, isSize);
  };
  return isBoth(map.getResult(0), AffineExprKind::Add, isStart, isColumn);
}

/// How the body uses the indices of a loop and the next one.
enum class IndexUse { None, Linear, Other };

static IndexUse getIndexUse(linalg::GenericOp op, unsigned loop) {
  linalg::IndexOp row, column;
  for (auto index : op.getBody()->getOps<linalg::IndexOp>()) {
    if (index.getDim() != loop && index.getDim() != loop + 1)
      continue;
    linalg::IndexOp &found = index.getDim() == loop ? row : column;
    if (found)
      return IndexUse::Other;
    found = index;
  }
  if (!row && !column)
    return IndexUse::None;
  if (!row || !column)
    return IndexUse::Other;
  OpFoldResult size = findSize(op, loop + 1);
  auto isOfBoth = [&](Operation *user) {
    return isLinear(user, row, column, size);
  };
  return llvm::all_of(row->getUsers(), isOfBoth) &&
                 llvm::all_of(column->getUsers(), isOfBoth)
             ? IndexUse::Linear
             : IndexUse::Other;
}

/// Takes the index of a merged loop where the body puts it together again from
/// a row and a column.
static void joinIndices(linalg::GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(
           op.getBody()->getOps<affine::AffineApplyOp>())) {
    arith::DivSIOp row;
    arith::RemSIOp column;
    for (Value operand : apply->getOperands()) {
      if (auto division = operand.getDefiningOp<arith::DivSIOp>())
        row = division;
      if (auto remainder = operand.getDefiningOp<arith::RemSIOp>())
        column = remainder;
    }
    if (!row || !column || row.getLhs() != column.getLhs() ||
        !isLinear(apply, row, column, column.getRhs()))
      continue;
    apply.getResult().replaceAllUsesWith(row.getLhs());
    apply.erase();
  }
}

/// The loops in groups of those that can be one; none where each is alone.
static SmallVector<ReassociationIndices> groupLoops(linalg::GenericOp op) {
  SmallVector<ReassociationIndices> groups;
  if (!op.hasPureBufferSemantics() || isEmpty(op) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return groups;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    IndexUse use = loop > 0 ? getIndexUse(op, loop - 1) : IndexUse::Other;
    // Of three loops, two would be put together by the index of the third.
    bool canMerge = use == IndexUse::None ||
                    (use == IndexUse::Linear && groups.back().size() == 1);
    bool isOne = canMerge && iterators[loop - 1] == iterators[loop] &&
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
    joinIndices(cast<linalg::GenericOp>(merged->collapsedOp));
    rewriter.eraseOp(op);
  }
}

namespace {
struct MergeLoopsPass : tally::impl::MergeLoopsBase<MergeLoopsPass> {
  void runOnOperation() override { tally::mergeLoops(getOperation()); }
};
} // namespace
