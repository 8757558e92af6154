//===- LookupColumns.cpp - Reductions of what is looked up ----------------===//

#include "LookupColumns.h"

#include "LaneDivision.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-carry-reductions"

using namespace mlir;
using namespace tally::codegen;

/// Whether an access whose indices are given takes neighbors in memory along a
/// loop, or the same element all along it.
static bool isAlongOrSame(MemRefType type, ValueRange indices, unsigned loop,
                          function_ref<bool(Value)> isVarying) {
  if (llvm::none_of(indices, isVarying))
    return true;
  auto last = indices.back().getDefiningOp<linalg::IndexOp>();
  return last && last.getDim() == loop && type.isLastDimUnitStride() &&
         llvm::none_of(indices.drop_back(), isVarying);
}

/// The same of an operand.
static bool isAlongOrSame(linalg::GenericOp op, OpOperand &operand,
                          unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isFunctionOfDim(loop))
    return true;
  return map.getResults().back() == getAffineDimExpr(loop, op.getContext()) &&
         cast<MemRefType>(operand.get().getType()).isLastDimUnitStride() &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr index) {
           return index.isFunctionOfDim(loop);
         });
}

/// Whether lanes along the last loop can compute the body, which looks
/// something up: `tally-vectorize-loops` makes vectors of them then.
static bool canLookUpByLanes(linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  llvm::SmallDenseSet<Value> varying;
  auto isVarying = [&](Value value) { return varying.contains(value); };
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isAlongOrSame(op, operand, last))
      return false;
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(last))
      varying.insert(op.getMatchingBlockArgument(&operand));
  }
  bool looksUp = false;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (index.getDim() == last)
        varying.insert(index);
      continue;
    }
    auto load = dyn_cast<memref::LoadOp>(inner);
    looksUp |= bool(load);
    if (load && !isAlongOrSame(load.getMemRefType(), load.getIndices(), last,
                               isVarying))
      return false;
    if (inner.getNumRegions() != 0 ||
        (!load && !isPure(&inner) && !isIntegerDivision(&inner)))
      return false;
    if (llvm::none_of(inner.getOperands(), isVarying))
      continue;
    if (inner.getNumResults() != 1 || isIntegerDivision(&inner) ||
        (!load && !OpTrait::hasElementwiseMappableTraits(&inner)))
      return false;
    varying.insert(inner.getResult(0));
  }
  // A boolean in memory is no bit.
  return looksUp && llvm::all_of(varying, [&](Value value) {
           Type type = value.getType();
           bool isComputed = value.getDefiningOp() &&
                             !isa<memref::LoadOp>(value.getDefiningOp());
           return type.isF32() || type.isF64() || type.isIndex() ||
                  type.isInteger(8) || type.isInteger(16) ||
                  type.isInteger(32) || type.isInteger(64) ||
                  (type.isInteger(1) && isComputed);
         });
}

void tally::codegen::moveReductionsInside(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (op.hasPureBufferSemantics() && op.getNumReductionLoops() != 0 &&
        op.getIteratorTypesArray().back() == utils::IteratorType::parallel &&
        canLookUpByLanes(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::GenericOp op : ops) {
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    SmallVector<unsigned> order;
    for (utils::IteratorType type :
         {utils::IteratorType::parallel, utils::IteratorType::reduction})
      for (auto [loop, iterator] : llvm::enumerate(iterators))
        if (iterator == type)
          order.push_back(unsigned(loop));
    LDBG() << "reductions become the inner loops";
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> made =
        linalg::interchangeGenericOp(rewriter, op, order);
    if (failed(made))
      continue;
    // An index is one of a loop, and no map of all of them.
    for (auto apply : llvm::make_early_inc_range(
             made->getBody()->getOps<affine::AffineApplyOp>()))
      if (auto loop = dyn_cast<AffineDimExpr>(apply.getMap().getResult(0)))
        rewriter.replaceOp(apply, apply.getOperand(loop.getPosition()));
  }
}
