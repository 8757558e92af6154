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
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_OVERWRITEOPERANDS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-overwrite-operands"

using namespace mlir;
using linalg::GenericOp;

namespace {
/// Gives elementwise operations their operands' memory.
class OperandOverwriter {
public:
  void run(GenericOp op);

private:
  bool isLastRead(Value tensor, Operation *user) const;
  Operation *findMaker(Value tensor, Operation *user) const;
  Value findOperand(GenericOp op, OpOperand &init) const;

  /// The results that are written over an operand by now.
  llvm::DenseSet<Value> overwriting;
};
} // namespace

/// Whether `user` is the last to read elements of a tensor, of those that do,
/// and no other view of its memory is left.
bool OperandOverwriter::isLastRead(Value tensor, Operation *user) const {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    Operation *owner = use.getOwner();
    if (owner == user || isa<tensor::DimOp>(owner))
      return true;
    auto reader = dyn_cast<DestinationStyleOpInterface>(owner);
    return reader && reader.isDpsInput(&use) &&
           owner->getBlock() == user->getBlock() &&
           owner->isBeforeInBlock(user);
  });
}

/// Whether a tensor has no contents; a reshape of one that has none has none.
static bool isEmpty(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return isa<tensor::EmptyOp>(op);
    tensor = op->getOperand(0);
  }
  return false;
}

/// The operation that makes a tensor, in memory of its own and in the same
/// block, if nobody needs this memory once `user` has read it.
Operation *OperandOverwriter::findMaker(Value tensor, Operation *user) const {
  while (isLastRead(tensor, user)) {
    Operation *op = tensor.getDefiningOp();
    if (!op || op->getBlock() != user->getBlock())
      return nullptr;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      user = op;
      tensor = op->getOperand(0);
      continue;
    }
    auto maker = dyn_cast<DestinationStyleOpInterface>(op);
    if (!maker)
      return nullptr;
    Value init = maker.getTiedOpOperand(cast<OpResult>(tensor))->get();
    return isEmpty(init) || overwriting.contains(tensor) ? op : nullptr;
  }
  return nullptr;
}

/// The input whose elements are read where those of an output are written, and
/// by nobody later: the last one that was made, as more of it is in the cache.
/// Null if there is none.
Value OperandOverwriter::findOperand(GenericOp op, OpOperand &init) const {
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

void OperandOverwriter::run(GenericOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (!isEmpty(init.get()) || !op.getMatchingIndexingMap(&init).isIdentity())
      continue;
    Value operand = findOperand(op, init);
    if (!operand)
      continue;
    LDBG() << tally::codegen::describeLastPart(op)
           << ": is written over its input";
    init.set(operand);
    overwriting.insert(op.getTiedOpResult(&init));
  }
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
  OperandOverwriter overwriter;
  for (GenericOp op : ops)
    overwriter.run(op);
}

namespace {
struct OverwriteOperandsPass
    : tally::impl::OverwriteOperandsBase<OverwriteOperandsPass> {
  void runOnOperation() override { tally::overwriteOperands(getOperation()); }
};
} // namespace
