//===- PlacementOpInterface.cpp - Where operations may run ----------------===//

#include "tally/Interfaces/PlacementOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tally/Interfaces/PlacementOpInterface.cpp.inc"

using namespace mlir;
using namespace tally;

static bool isMemRef(Type type) { return isa<BaseMemRefType>(type); }

/// The effects of `op` on memrefs; nothing where it does not tell.
static std::optional<SmallVector<MemoryEffects::EffectInstance>>
getMemRefEffects(Operation *op) {
  auto effecting = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effecting)
    return std::nullopt;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effecting.getEffects(effects);
  llvm::erase_if(effects, [](const MemoryEffects::EffectInstance &effect) {
    return !effect.getValue() || !isMemRef(effect.getValue().getType());
  });
  return effects;
}

bool tally::accessesMemRef(Operation *op) {
  auto effects = getMemRefEffects(op);
  return effects &&
         llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &it) {
           return isa<MemoryEffects::Read, MemoryEffects::Write>(
               it.getEffect());
         });
}

bool tally::runsInThread(Operation *op) {
  if (auto placed = dyn_cast<PlacementOpInterface>(op))
    return placed.getPlacement() == Placement::Thread;
  auto isTensor = llvm::IsaPred<TensorType>;
  if (llvm::any_of(op->getOperandTypes(), isTensor) ||
      llvm::any_of(op->getResultTypes(), isTensor))
    return false;
  if (op->getNumRegions() == 0)
    return isMemoryEffectFree(op);
  return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(op);
}

bool tally::runsOnHost(Operation *op) {
  if (llvm::none_of(op->getOperandTypes(), isMemRef))
    return true;
  if (auto placed = dyn_cast<PlacementOpInterface>(op))
    return placed.getPlacement() == Placement::Host;
  if (isa<CallOpInterface, RegionBranchOpInterface,
          RegionBranchTerminatorOpInterface>(op) ||
      isMemoryEffectFree(op))
    return true;
  // An operation that frees memory has that effect alone.
  return op->getNumResults() == 0 && getMemRefEffects(op) &&
         !accessesMemRef(op);
}
