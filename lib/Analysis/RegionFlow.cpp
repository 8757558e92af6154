//===- RegionFlow.cpp - How values go through regions ---------------------===//

#include "tally/Analysis/RegionFlow.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "tally/Interfaces/HigherOrderOpInterface.h"

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static SmallVector<Region *> getRegions(ArrayRef<RegionSuccessor> successors) {
  return llvm::map_to_vector(successors, [](const RegionSuccessor &successor) {
    return successor.getSuccessor();
  });
}

/// The boolean operand that decides whether `op` goes on to `target` (null: out
/// of the operation around), given where it goes on to for constant operands.
/// With one value it always does, with the other it never does.
static BranchDecision findDecision(
    Operation *op, Region *target,
    function_ref<SmallVector<Region *>(ArrayRef<Attribute>)> getTargets) {
  SmallVector<Attribute> operands(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!operand.get().getType().isInteger(1))
      continue;
    Attribute &constant = operands[operand.getOperandNumber()];
    for (bool value : {true, false}) {
      constant = BoolAttr::get(op->getContext(), !value);
      bool goesElsewhere = !llvm::is_contained(getTargets(operands), target);
      constant = BoolAttr::get(op->getContext(), value);
      SmallVector<Region *> targets = getTargets(operands);
      if (goesElsewhere && targets.size() == 1 && targets.front() == target)
        return {operand.get(), value};
    }
    constant = {};
  }
  return {};
}

SmallVector<Region *> tally::getEntryRegions(RegionBranchOpInterface branch,
                                             ArrayRef<Attribute> operands) {
  SmallVector<RegionSuccessor> successors;
  branch.getEntrySuccessorRegions(operands, successors);
  return getRegions(successors);
}

BranchDecision tally::getEntryDecision(RegionBranchOpInterface branch,
                                       Region &region) {
  return findDecision(branch, &region, [&](ArrayRef<Attribute> operands) {
    return getEntryRegions(branch, operands);
  });
}

/// The operand of a terminator that sends it to a region, or out of the
/// operation.
static BranchDecision
getExitDecision(RegionBranchTerminatorOpInterface terminator, Region *target) {
  return findDecision(terminator, target, [&](ArrayRef<Attribute> operands) {
    SmallVector<RegionSuccessor> successors;
    terminator.getSuccessorRegions(operands, successors);
    return getRegions(successors);
  });
}

//===----------------------------------------------------------------------===//
// Where values come from
//===----------------------------------------------------------------------===//

/// The values that the regions of an operation give for result `index`, in
/// order; empty if one of them does not say.
static SmallVector<RegionPredecessor> getYieldedValues(Operation *op,
                                                       unsigned index) {
  SmallVector<RegionPredecessor> yielded;
  for (Region &region : op->getRegions()) {
    size_t before = yielded.size();
    for (Block &block : region) {
      Operation *terminator = block.empty() ? nullptr : &block.back();
      if (terminator && terminator->getNumSuccessors() == 0 &&
          terminator->getNumOperands() == op->getNumResults())
        yielded.push_back({terminator->getOperand(index), {}});
    }
    if (yielded.size() == before)
      return {};
  }
  return yielded;
}

/// The two ways into what a loop carries, and into its results.
static SmallVector<RegionPredecessor> getCarriedPredecessors(Operation *loop,
                                                             Value input) {
  SmallVector<LoopCarry> carries = getLoopCarries(loop);
  auto result = dyn_cast<OpResult>(input);
  for (auto [index, carry] : llvm::enumerate(carries))
    if (result ? carries.size() == loop->getNumResults() &&
                     result.getResultNumber() == index
               : carry.argument == input)
      return {{carry.init, {}}, {carry.yielded, {}}};
  return {};
}

/// The ways into an argument, or to a result, of a higher-order operation.
static SmallVector<RegionPredecessor> getHandedValues(HigherOrderOpInterface op,
                                                      Value input) {
  auto argument = dyn_cast<BlockArgument>(input);
  if (Value passed = argument ? getPassedValue(argument) : Value())
    return {{passed, {}}};
  if (op.getResultJoin() == ResultJoin::Loop)
    return getCarriedPredecessors(op, input);
  return argument
             ? SmallVector<RegionPredecessor>()
             : getYieldedValues(op, cast<OpResult>(input).getResultNumber());
}

SmallVector<RegionPredecessor> tally::getPredecessors(Operation *op,
                                                      Value input) {
  if (auto higherOrder = dyn_cast<HigherOrderOpInterface>(op))
    return getHandedValues(higherOrder, input);
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return getCarriedPredecessors(op, input);
  auto argument = dyn_cast<BlockArgument>(input);
  Region *target = argument ? argument.getOwner()->getParent() : nullptr;
  SmallVector<RegionPredecessor> predecessors;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (const RegionSuccessor &successor : successors) {
      if (successor.getSuccessor() != target)
        continue;
      ValueRange inputs = successor.getSuccessorInputs();
      OperandRange operands = branch.getSuccessorOperands(point, successor);
      auto position = llvm::find(inputs, input) - inputs.begin();
      if (operands.size() != inputs.size() ||
          static_cast<size_t>(position) == inputs.size())
        return {};
      auto terminator = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(
          point.getTerminatorPredecessorOrNull());
      predecessors.push_back(
          {operands[position], terminator ? getExitDecision(terminator, target)
                                          : BranchDecision()});
    }
  }
  return predecessors;
}

SmallVector<Value> tally::getPredecessorValues(Operation *op, Value input) {
  return llvm::map_to_vector(
      getPredecessors(op, input),
      [](const RegionPredecessor &predecessor) { return predecessor.value; });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool tally::isLoop(Operation *op) {
  if (auto higherOrder = dyn_cast<HigherOrderOpInterface>(op))
    return higherOrder.getResultJoin() == ResultJoin::Loop;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return isa<LoopLikeOpInterface>(op) || (branch && branch.hasLoop());
}

bool tally::isBranchLoop(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return branch && !isa<HigherOrderOpInterface>(op) && branch.hasLoop() &&
         (op->getNumRegions() > 1 || !isa<LoopLikeOpInterface>(op));
}

bool tally::isParallelLoop(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return false;
  SmallVector<Region *> regions = loop.getLoopRegions();
  return !regions.empty() && llvm::all_of(regions, [](Region *region) {
    return !region->empty() && !region->front().empty() &&
           isa<InParallelOpInterface>(region->front().back());
  });
}

/// Of the arguments of a branch loop, one that comes from two places, first
/// from outside, is carried.
static SmallVector<LoopCarry> getBranchLoopCarries(Operation *op) {
  SmallVector<LoopCarry> carries;
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments()) {
      SmallVector<RegionPredecessor> sources = getPredecessors(op, argument);
      if (sources.size() == 2 &&
          llvm::is_contained(op->getOperands(), sources[0].value))
        carries.push_back({sources[0].value, argument, sources[1].value,
                           sources[1].decision});
    }
  return carries;
}

SmallVector<LoopCarry> tally::getLoopCarries(Operation *op) {
  SmallVector<LoopCarry> carries;
  if (auto higherOrder = dyn_cast<HigherOrderOpInterface>(op)) {
    std::optional<SmallVector<CarriedValue>> carried;
    if (higherOrder.getResultJoin() == ResultJoin::Loop)
      carried = higherOrder.getCarriedValues();
    if (carried)
      for (const CarriedValue &value : *carried)
        carries.push_back(
            {op->getOperand(value.operand), value.argument, value.yielded, {}});
    return carries;
  }
  if (isBranchLoop(op))
    return getBranchLoopCarries(op);
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return {};
  auto inits = loop.getInits();
  auto arguments = loop.getRegionIterArgs();
  auto yields = loop.getYieldedValues();
  if (inits.size() == arguments.size() && inits.size() == yields.size())
    for (auto [init, argument, yielded] : llvm::zip(inits, arguments, yields))
      carries.push_back({init, argument, yielded, {}});
  return carries;
}
