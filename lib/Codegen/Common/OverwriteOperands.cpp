//===- OverwriteOperands.cpp - Results in the place of operands -----------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Tally.h"

#include "Fusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_OVERWRITEOPERANDS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-overwrite-operands"

using namespace mlir;
using linalg::GenericOp;

/// Whether nothing but `user` reads elements of a tensor.
static bool isReadOnlyBy(Value tensor, Operation *user) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    return use.getOwner() == user || isa<tensor::DimOp>(use.getOwner());
  });
}

/// The operation that makes a tensor, from nothing and in the same block, if
/// nobody needs its memory once `user` has read it.
static Operation *findMaker(Value tensor, Operation *user) {
  while (isReadOnlyBy(tensor, user)) {
    Operation *op = tensor.getDefiningOp();
    if (!op || op->getBlock() != user->getBlock())
      return nullptr;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      user = op;
      tensor = op->getOperand(0);
      continue;
    }
    auto maker = dyn_cast<DestinationStyleOpInterface>(op);
    if (!maker || !maker.getTiedOpOperand(cast<OpResult>(tensor))
                       ->get()
                       .getDefiningOp<tensor::EmptyOp>())
      return nullptr;
    return op;
  }
  return nullptr;
}

/// The input whose elements are read where those of an output are written, and
/// by nobody else: the last one that was made, as more of it is in the cache.
/// Null if there is none.
static Value findOperand(GenericOp op, OpOperand &init) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  Value last;
  Operation *maker = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    auto isSame = [&](OpOperand &operand) { return operand.get() == value; };
    if (value.getType() != init.get().getType() ||
        op.getMatchingIndexingMap(input) != map ||
        llvm::count_if(op->getOpOperands(), isSame) != 1)
      continue;
    Operation *made = findMaker(value, op);
    if (!made || (maker && made->isBeforeInBlock(maker)))
      continue;
    last = value;
    maker = made;
  }
  return last;
}

void tally::overwriteOperands(func::FuncOp function) {
  SmallVector<GenericOp> ops;
  function.walk([&](Operation *op) {
    // The body of a kernel has no memory of its own.
    if (isa<tally::KernelOp>(op))
      return WalkResult::skip();
    if (auto generic = dyn_cast<GenericOp>(op))
      ops.push_back(generic);
    return WalkResult::advance();
  });
  for (GenericOp op : ops) {
    if (!op.hasPureTensorSemantics() ||
        op.getNumParallelLoops() != op.getNumLoops())
      continue;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (!init.get().getDefiningOp<tensor::EmptyOp>() ||
          !op.getMatchingIndexingMap(&init).isIdentity())
        continue;
      Value operand = findOperand(op, init);
      if (!operand)
        continue;
      LDBG() << codegen::describeLastPart(op) << ": is written over its input";
      init.set(operand);
    }
  }
}

namespace {
struct OverwriteOperandsPass
    : tally::impl::OverwriteOperandsBase<OverwriteOperandsPass> {
  void runOnOperation() override { tally::overwriteOperands(getOperation()); }
};
} // namespace
