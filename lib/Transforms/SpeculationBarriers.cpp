//===- SpeculationBarriers.cpp - Accesses that must stay in their loop ----===//

#include "SpeculationBarriers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tally/Analysis/RegionFlow.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-insert-runtime-asserts"

using namespace mlir;
using namespace tally;

Operation *SpeculationBarriers::getLoop(Block *block) {
  auto found = loops.find(block);
  if (found != loops.end())
    return found->second;
  Operation *op = block->getParentOp();
  Operation *loop = nullptr;
  if (!isa<FunctionOpInterface>(op))
    loop = isLoop(op) ? op : getLoop(op->getBlock());
  loops[block] = loop;
  return loop;
}

/// Returns true if nothing holds the operation in the loop: it is pure, and so
/// is what it uses from there.
bool SpeculationBarriers::isLiftable(Operation *op, Operation *loop) {
  if (!isMemoryEffectFree(op) || !isSpeculatable(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  auto isFree = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def ? !loop->isProperAncestor(def) || liftable.contains(def)
               : !loop->isAncestor(value.getParentBlock()->getParentOp());
  };
  llvm::SetVector<Value> captured;
  if (op->getNumRegions() != 0)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(op->getOperands(), isFree) &&
         llvm::all_of(captured, isFree);
}

/// Returns true if the operation, or one in its body, requires what does not
/// hold everywhere in the function.
bool SpeculationBarriers::hasPreconditions(Operation *op) {
  auto isOpen = [&](const Precondition &precondition) {
    return !shapes.isKnown(precondition.condition);
  };
  return op
      ->walk([&](Operation *inner) {
        // The facts of the place are what is not relied on.
        Preconditions preconditions(shapes, /*elide=*/false);
        shapes.collectPreconditions(inner, preconditions);
        return inner->hasAttr(attr_names::kChecked) ||
                       llvm::any_of(preconditions.getPreconditions(), isOpen)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void SpeculationBarriers::visit(Operation *op) {
  Operation *loop = getLoop(op->getBlock());
  if (!loop || !isLiftable(op, loop))
    return;
  if (!hasPreconditions(op)) {
    liftable.insert(op);
    return;
  }
  LDBG() << op->getName() << describePlace(op->getLoc())
         << ": has to stay in its loop, where what it requires holds";
  hold(op);
}

/// Through an index, or the size of what the result is written to. What has
/// neither is left to tally-verify-form, which sees where it ends up.
void SpeculationBarriers::hold(Operation *op) {
  if (isa_and_nonnull<affine::AffineDialect>(op->getDialect()))
    return;
  OpBuilder builder(op);
  auto holdOperand = [&](Operation *user) {
    for (OpOperand &use : user->getOpOperands())
      if (use.get().getType().isIndex()) {
        use.set(SpeculationBarrierOp::create(builder, op->getLoc(), use.get()));
        return true;
      }
    return false;
  };
  if (holdOperand(op))
    return;
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destination)
    return;
  for (OpOperand &init : destination.getDpsInitsMutable())
    if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
        empty && !empty.getDynamicSizes().empty()) {
      Operation *own = builder.clone(*empty);
      builder.setInsertionPoint(own);
      holdOperand(own);
      init.set(own->getResult(0));
      return;
    }
}
