//===- OrderLoops.cpp - Inner loops that walk through memory --------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "Fusion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_ORDERLOOPS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-order-loops"

using namespace mlir;

/// Returns whether neighbors along `dim` are neighbors in memory: only the
/// last index depends on it.
static bool walksAlong(AffineMap map, unsigned dim) {
  return map.getNumResults() > 0 &&
         map.getResults().back().isFunctionOfDim(dim) &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr index) {
           return index.isFunctionOfDim(dim);
         });
}

/// Returns whether the body looks up elements that are no neighbors in memory
/// along `dim`.
static bool looksUpApart(linalg::GenericOp op, unsigned dim) {
  llvm::SmallDenseSet<Value> varying;
  auto isVarying = [&](Value value) { return varying.contains(value); };
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
      varying.insert(op.getMatchingBlockArgument(&operand));
  for (Operation &inner : op.getBody()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if ((index && index.getDim() == dim) ||
        llvm::any_of(inner.getOperands(), isVarying))
      varying.insert(inner.result_begin(), inner.result_end());
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (!extract || llvm::none_of(extract.getIndices(), isVarying))
      continue;
    auto last = extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
    if (!last || last.getDim() != dim ||
        llvm::any_of(extract.getIndices().drop_back(), isVarying))
      return true;
  }
  return false;
}

/// Returns the last dimension of a kind, where one of the other kind is the
/// innermost.
static std::optional<unsigned> findLast(linalg::GenericOp op,
                                        utils::IteratorType kind) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators.empty() || iterators.back() == kind)
    return std::nullopt;
  auto last = llvm::find(llvm::reverse(iterators), kind);
  if (last == iterators.rend())
    return std::nullopt;
  return std::distance(last, iterators.rend()) - 1;
}

/// Whether elements are read by a dimension, and each map that does so is fine.
static bool readsBy(linalg::GenericOp op, unsigned dim,
                    llvm::function_ref<bool(AffineMap)> isFine) {
  bool reads = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(dim))
      continue;
    if (!isFine(map))
      return false;
    reads = true;
  }
  return reads && !looksUpApart(op, dim);
}

/// Returns the parallel dimension that is to be the innermost, where reductions
/// are now and everything it reads and writes lies along it.
static std::optional<unsigned> findInnerDim(linalg::GenericOp op) {
  std::optional<unsigned> dim = findLast(op, utils::IteratorType::parallel);
  if (!dim)
    return std::nullopt;
  auto isAlong = [&](AffineMap map) { return walksAlong(map, *dim); };
  for (OpOperand &output : op.getDpsInitsMutable())
    if (!isAlong(op.getMatchingIndexingMap(&output)))
      return std::nullopt;
  return readsBy(op, *dim, isAlong) ? dim : std::nullopt;
}

/// Returns the last of the reductions, where a parallel loop is the innermost
/// now but everything that is read lies along the reduction, and not along that
/// loop.
static std::optional<unsigned> findInnerReduction(linalg::GenericOp op) {
  std::optional<unsigned> dim = findLast(op, utils::IteratorType::reduction);
  if (!dim)
    return std::nullopt;
  // A window lies along both.
  auto isAlong = [&](AffineMap map) {
    return walksAlong(map, *dim) && !walksAlong(map, op.getNumLoops() - 1);
  };
  return readsBy(op, *dim, isAlong) ? dim : std::nullopt;
}

LogicalResult tally::orderLoops(func::FuncOp function) {
  IRRewriter rewriter(function->getContext());
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : ops) {
    std::optional<unsigned> inner = findInnerDim(op);
    if (!inner)
      inner = findInnerReduction(op);
    if (!inner)
      continue;
    SmallVector<unsigned> order;
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (dim != *inner)
        order.push_back(dim);
    order.push_back(*inner);
    LDBG() << codegen::describeLastPart(op) << ": loop " << *inner
           << " becomes the innermost";
    rewriter.setInsertionPoint(op);
    if (failed(linalg::interchangeGenericOp(rewriter, op, order)))
      return failure();
  }
  return success();
}

namespace {
struct OrderLoopsPass : tally::impl::OrderLoopsBase<OrderLoopsPass> {
  void runOnOperation() override {
    if (failed(tally::orderLoops(getOperation())))
      signalPassFailure();
  }
};

} // namespace
