//===- AssertPlacement.cpp - Where an assert stands -----------------------===//

#include "AssertPlacement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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
// What an assert must not pass
//===----------------------------------------------------------------------===//

/// True if a caller can see that the operation ran even if the call fails.
static bool hasVisibleEffect(Operation *op) {
  if (isa<CheckOp, AssumeOp, AssertOp>(op) || isMemoryEffectFree(op))
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

/// True if what follows `after` comes before an effect that the walk passed.
bool AssertPlacer::isBeforeEffect(Block *block, Operation *after) {
  Operation *effect = effects.lookup(block);
  return effect && (!after || shapes.isBefore(after, effect));
}

//===----------------------------------------------------------------------===//
// When a region is certain to run
//===----------------------------------------------------------------------===//

/// A region that runs for one value of its argument, or for all that no other
/// region is for.
static std::optional<Expr> getCasePremise(scf::IndexSwitchOp op, Region *region,
                                          SymbolicShapes &shapes) {
  symbolic::ExprContext &context = shapes.getContext();
  Expr argument = shapes.getValue(op.getArg());
  SmallVector<Expr> others;
  for (auto [value, caseRegion] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    if (&caseRegion == region)
      return context.eq(argument, context.constant(value));
    others.push_back(context.ne(argument, context.constant(value)));
  }
  return context.logicalAnd(others);
}

/// A loop that counts upwards has a trip if its bounds are apart.
static std::optional<Expr> getTripPremise(LoopLikeOpInterface loop,
                                          SymbolicShapes &shapes) {
  auto lowers = loop.getLoopLowerBounds(), uppers = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!lowers || !uppers || !steps || loop->hasAttr("unsignedCmp"))
    return std::nullopt;
  symbolic::ExprContext &context = shapes.getContext();
  SmallVector<Expr> parts;
  for (auto [lower, upper] : llvm::zip_equal(*lowers, *uppers))
    parts.push_back(context.lt(shapes.getValue(lower), shapes.getValue(upper)));
  return context.logicalAnd(parts);
}

/// What is true right before the operation around if its region is going to run
/// (at least once); nothing if that cannot be told.
std::optional<Expr> AssertPlacer::getPremise(Region *region) {
  Operation *around = region->getParentOp();
  symbolic::ExprContext &context = shapes.getContext();
  if (isa<scf::ExecuteRegionOp>(around))
    return context.trueExpr();
  if (auto loop = dyn_cast<scf::WhileOp>(around))
    return region == &loop.getBefore() ? std::optional<Expr>(context.trueExpr())
                                       : std::nullopt;
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(around))
    return getCasePremise(choice, region, shapes);
  if (Value condition = getBranchCondition(around)) {
    Expr holds = shapes.getValue(condition);
    return region->getRegionNumber() == 0 ? holds : context.logicalNot(holds);
  }
  if (isa<scf::ForOp, scf::ParallelOp, scf::ForallOp>(around))
    return getTripPremise(cast<LoopLikeOpInterface>(around), shapes);
  return std::nullopt;
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

AssertPlacement AssertPlacer::placeInBlock(CheckOp check, Expr condition) {
  Block *block = check->getBlock();
  Operation *latest = findLatest(block, check.getValues(), check);
  if (effects.contains(block) && !isBeforeEffect(block, latest)) {
    // An operand may be computed behind an effect from what was there before.
    Operation *early = findLatest(block, getSources(condition, check), check);
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
  AssertPlacement best = placeInBlock(check, condition);
  SmallVector<Expr> premises;
  for (Operation *op = check;;) {
    Region *region = op->getParentRegion();
    Operation *around = region->getParentOp();
    if (isa<FunctionOpInterface>(around) || op->getBlock() != &region->front())
      return best;
    std::optional<Expr> premise = getPremise(region);
    if (!premise)
      return best;
    if (!premise->isTrue())
      premises.push_back(*premise);
    SmallVector<Expr> read(premises);
    read.push_back(condition);
    if (!llvm::all_of(
            read, [&](Expr expr) { return shapes.isAvailable(expr, around); }))
      return best;
    AssertPlacement outside = placeOutside(around, read);
    if (isa<LoopLikeOpInterface>(around) ||
        isBeforeEffect(outside.block, outside.after)) {
      best = outside;
      best.premises = premises;
    }
    op = around;
  }
}
