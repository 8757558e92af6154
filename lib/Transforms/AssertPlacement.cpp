//===- AssertPlacement.cpp - Where an assert stands -----------------------===//

#include "AssertPlacement.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/Analysis/RegionFlow.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

OpBuilder AssertPlacement::makeBuilder() const {
  OpBuilder builder(block->getParentOp()->getContext());
  if (after)
    builder.setInsertionPointAfter(after);
  else
    builder.setInsertionPointToStart(block);
  return builder;
}

//===----------------------------------------------------------------------===//
// Operations that an assert must not pass
//===----------------------------------------------------------------------===//

/// Returns true if a caller can see that the operation ran even if the call
/// fails.
static bool hasVisibleEffect(Operation *op) {
  if (op->hasTrait<StatesCondition>() || isMemoryEffectFree(op))
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &it) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(it.getEffect()) &&
           !isa<SymbolResource, ErrorResource>(it.getResource());
  });
}

void AssertPlacer::pass(Operation *op) {
  if (isa<AssumeOp, AssertOp>(op))
    notePlaced(op);
  else if (hasVisibleEffect(op))
    effects[op->getBlock()] = op;
}

void AssertPlacer::notePlaced(Operation *assertion) {
  for (Operation *op = assertion; !isa<FunctionOpInterface>(op);
       op = op->getParentOp()) {
    SmallVector<Operation *, 2> &inBlock = barriers[op->getBlock()];
    if (!inBlock.empty() && inBlock.back() == op)
      return;
    // One that was moved out of the last operation stands before it.
    bool isBefore = !inBlock.empty() && shapes.isBefore(op, inBlock.back());
    inBlock.insert(isBefore ? inBlock.end() - 1 : inBlock.end(), op);
  }
}

/// The last barrier of the block that is before an operation of it.
Operation *AssertPlacer::getBarrier(Block *block, Operation *before) {
  auto found = barriers.find(block);
  if (found == barriers.end())
    return nullptr;
  for (Operation *op : llvm::reverse(found->second))
    if (op != before)
      return op;
  return nullptr;
}

/// The last of the barrier of the block and what makes these values.
Operation *AssertPlacer::findLatest(Block *block, ValueRange values,
                                    Operation *before) {
  Operation *latest = getBarrier(block, before);
  for (Value value : values) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == block &&
        (!latest || shapes.isBefore(latest, def)))
      latest = def;
  }
  return latest;
}

/// Returns true if what follows `after` comes before an effect that the walk
/// passed.
bool AssertPlacer::isBeforeEffect(Block *block, Operation *after) {
  Operation *effect = effects.lookup(block);
  return effect && (!after || shapes.isBefore(after, effect));
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

/// The values that the symbols of expressions are read from: the symbol's name
/// where it stands before, else its source.
SmallVector<Value> AssertPlacer::getSources(ArrayRef<Expr> read,
                                            Operation *before) {
  SmallVector<Value> sources;
  for (Expr expr : read)
    for (Expr symbol : shapes.getContext().freeSymbols(expr)) {
      Value named = shapes.getSymbolValue(symbol);
      if (named && dominance.properlyDominates(named, before))
        sources.push_back(named);
      else if (auto origin = shapes.getOrigin(symbol))
        sources.push_back(origin->value);
    }
  return sources;
}

AssertPlacement AssertPlacer::placeInBlock(CheckOp check, ArrayRef<Expr> read) {
  Block *block = check->getBlock();
  Operation *latest = findLatest(block, check.getValues(), check);
  if (effects.contains(block) && !isBeforeEffect(block, latest)) {
    // An operand may be computed behind an effect from what was there before.
    Operation *early = findLatest(block, getSources(read, check), check);
    if (isBeforeEffect(block, early))
      latest = early;
  }
  return {block, latest, /*outOf=*/nullptr, {}};
}

AssertPlacement AssertPlacer::placeOutside(Operation *around,
                                           ArrayRef<Expr> read) {
  Block *block = around->getBlock();
  return {
      block, findLatest(block, getSources(read, around), around), around, {}};
}

AssertPlacement AssertPlacer::place(CheckOp check, Expr condition) {
  // A symbol that cancels out of the condition is told all the same.
  SmallVector<Expr> told = {condition};
  for (Value value : check.getValues())
    told.push_back(shapes.getValue(value));
  AssertPlacement best = placeInBlock(check, told);
  SmallVector<Expr> premises;
  for (Operation *op = check;;) {
    Region *region = op->getParentRegion();
    Operation *around = region->getParentOp();
    if (isa<FunctionOpInterface>(around) || op->getBlock() != &region->front())
      return best;
    Expr premise = shapes.getRegionCondition(*region);
    if (!premise)
      return best;
    if (!premise.isTrue())
      premises.push_back(premise);
    SmallVector<Expr> read(premises);
    read.append(told);
    if (!llvm::all_of(
            read, [&](Expr expr) { return shapes.isAvailable(expr, around); }))
      return best;
    AssertPlacement outside = placeOutside(around, read);
    if (isLoop(around) || isBeforeEffect(outside.block, outside.after)) {
      best = outside;
      best.premises = premises;
    }
    op = around;
  }
}
