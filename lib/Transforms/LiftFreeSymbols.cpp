//===- LiftFreeSymbols.cpp - Close subgraphs ------------------------------===//
//
// Works from the inside out: when an operation is closed, what its subgraphs
// used from outside has become its operands, so that the operation around it
// finds these uses in its own subgraph.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LIFTFREESYMBOLS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;

#define DEBUG_TYPE "tally-lift-free-symbols"

namespace {
/// A subgraph that is a region of the operation itself.
struct Subgraph {
  Region *region;
  unsigned index;
};
} // namespace

/// The subgraphs that can use something from outside; a function cannot.
static SmallVector<Subgraph> getOwnedSubgraphs(HigherOrderOpInterface op) {
  SmallVector<Subgraph> subgraphs;
  // Another thread may be at work in a callee.
  if (op->getNumRegions() == 0)
    return subgraphs;
  for (auto [index, region] : llvm::enumerate(op.getSubgraphs()))
    if (region->getParentOp() == op.getOperation() && !region->empty())
      subgraphs.push_back({region, static_cast<unsigned>(index)});
  return subgraphs;
}

/// A constant, or what is made of nothing, as `tensor.empty` of a static shape.
static bool isRepeatable(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op);
}

/// Gives the subgraph constants of its own.
static void cloneConstants(Region &region) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  for (Value value : used) {
    if (!isRepeatable(value))
      continue;
    Operation *clone = builder.clone(*value.getDefiningOp());
    unsigned number = cast<OpResult>(value).getResultNumber();
    replaceAllUsesInRegionWith(value, clone->getResult(number), region);
  }
}

/// The arguments through which every subgraph gets `value` already, one for
/// each, or none.
static SmallVector<Value> findArguments(ArrayRef<Subgraph> subgraphs,
                                        Value value) {
  SmallVector<Value> arguments;
  for (Subgraph subgraph : subgraphs)
    for (BlockArgument argument : subgraph.region->getArguments())
      if (getPassedValue(argument) == value &&
          argument.getType() == value.getType()) {
        arguments.push_back(argument);
        break;
      }
  if (arguments.size() != subgraphs.size())
    arguments.clear();
  return arguments;
}

/// Replaces the uses of `value` in the subgraph by `argument`. A symbol stays
/// a symbol: its name and facts are stated anew.
static void replaceInSubgraph(Value value, Value argument, Region &region) {
  auto isInside = [&](OpOperand &use) {
    return region.isAncestor(use.getOwner()->getParentRegion());
  };
  if (llvm::none_of(value.getUses(), isInside))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  if (auto symbol = value.getDefiningOp<SymbolOp>()) {
    IRMapping mapping;
    mapping.map(symbol.getSource(), argument);
    argument = builder.clone(*symbol, mapping)->getResult(0);
  }
  replaceAllUsesInRegionWith(value, argument, region);
}

LogicalResult tally::closeSubgraphs(HigherOrderOpInterface op) {
  SmallVector<Subgraph> subgraphs = getOwnedSubgraphs(op);
  llvm::SetVector<Value> captures;
  for (Subgraph subgraph : subgraphs) {
    cloneConstants(*subgraph.region);
    getUsedValuesDefinedAbove(*subgraph.region, captures);
  }
  if (captures.empty())
    return success();

  SmallVector<Value> toPass;
  DenseMap<Value, SmallVector<Value>> passed;
  for (Value value : captures) {
    SmallVector<Value> arguments = findArguments(subgraphs, value);
    if (arguments.empty())
      toPass.push_back(value);
    else
      passed[value] = arguments;
  }
  LDBG() << op->getName() << describePlace(op->getLoc()) << ": "
         << toPass.size() << " values become arguments of its subgraphs, "
         << passed.size() << " are already";
  if (!toPass.empty()) {
    SmallVector<SmallVector<Value>> added = op.appendCaptures(toPass);
    auto isWhole = [&](Subgraph subgraph) {
      return subgraph.index < added.size() &&
             added[subgraph.index].size() == toPass.size();
    };
    if (!llvm::all_of(subgraphs, isWhole))
      return op->emitOpError("does not pass on all that its subgraphs use from "
                             "outside: 'appendCaptures' must return one "
                             "argument for each value and subgraph");
    for (auto [i, value] : llvm::enumerate(toPass))
      for (Subgraph subgraph : subgraphs)
        passed[value].push_back(added[subgraph.index][i]);
  }
  // Backwards, so that the symbols stand in the order of their first use.
  for (Value value : llvm::reverse(captures))
    for (auto [subgraph, argument] : llvm::zip(subgraphs, passed[value]))
      replaceInSubgraph(value, argument, *subgraph.region);
  return success();
}

/// Reports operations of the subgraph that mention names of the function's
/// table: these come from outside as well, and cannot be passed on.
static LogicalResult verifyNoNames(Region &region) {
  WalkResult result = region.walk([](Operation *op) {
    std::string name = getMentionedName(op);
    if (name.empty())
      return WalkResult::advance();
    op->emitOpError() << "mentions '" << name
                      << "' by name inside of a subgraph; run "
                         "'tally-bind-symbols' first";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tally::liftFreeSymbols(Operation *root) {
  SmallVector<HigherOrderOpInterface> work;
  root->walk([&](HigherOrderOpInterface op) { work.push_back(op); });
  for (HigherOrderOpInterface op : work) {
    for (Subgraph subgraph : getOwnedSubgraphs(op))
      if (failed(verifyNoNames(*subgraph.region)))
        return failure();
    if (failed(closeSubgraphs(op)))
      return failure();
  }
  return success();
}

namespace {
struct LiftFreeSymbols
    : public tally::impl::LiftFreeSymbolsBase<LiftFreeSymbols> {
  using LiftFreeSymbolsBase::LiftFreeSymbolsBase;

  void runOnOperation() override {
    if (failed(liftFreeSymbols(getOperation())))
      signalPassFailure();
  }
};
} // namespace
