//===- TallyHigherOrderOps.cpp - Operations that own subgraphs ------------===//

#include "mlir/IR/Builders.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

/// Adds an argument for each value to a block and returns the arguments.
static SmallVector<Value> addArguments(Block &block, ValueRange values) {
  SmallVector<Value> arguments;
  for (Value value : values)
    arguments.push_back(block.addArgument(value.getType(), value.getLoc()));
  return arguments;
}

//===----------------------------------------------------------------------===//
// CondOp
//===----------------------------------------------------------------------===//

void CondOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getBindingsAttr())
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}

YieldOp CondOp::getYield(bool branch) {
  Region &region = branch ? getThenRegion() : getElseRegion();
  return cast<YieldOp>(region.front().getTerminator());
}

LogicalResult CondOp::verifyRegions() {
  for (bool branch : {true, false}) {
    StringRef name = branch ? "then" : "else";
    Region &region = branch ? getThenRegion() : getElseRegion();
    if (region.getArgumentTypes() != getInputs().getTypes())
      return emitOpError() << "passes (" << getInputs().getTypes()
                           << ") to its '" << name << "' region, which takes ("
                           << region.getArgumentTypes() << ")";
    auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
    if (!yield)
      return emitOpError() << "needs a tally.yield at the end of its '" << name
                           << "' region";
    if (yield.getOperandTypes() != getResultTypes())
      return yield.emitOpError()
             << "yields (" << yield.getOperandTypes() << ") from the '" << name
             << "' region of a tally.cond that "
             << "returns (" << getResultTypes() << ")";
  }
  return success();
}

SmallVector<Region *> CondOp::getSubgraphs() {
  return {&getThenRegion(), &getElseRegion()};
}

OperandRange CondOp::getSubgraphOperands(unsigned) { return getInputs(); }

SmallVector<SmallVector<Value>> CondOp::appendCaptures(ValueRange captures) {
  getInputsMutable().append(captures);
  return {addArguments(getThenRegion().front(), captures),
          addArguments(getElseRegion().front(), captures)};
}

ResultJoin CondOp::getResultJoin() { return ResultJoin::Branches; }

//===----------------------------------------------------------------------===//
// InvokeSubgraphOp
//===----------------------------------------------------------------------===//

LogicalResult
InvokeSubgraphOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls '" << getCallee()
                         << "', which is not a function of this module";
  if (!llvm::equal(callee.getArgumentTypes(), getInputs().getTypes()))
    return emitOpError() << "passes (" << getInputs().getTypes() << ") to '"
                         << getCallee() << "', which takes ("
                         << callee.getArgumentTypes() << ")";
  if (!llvm::equal(callee.getResultTypes(), getResultTypes()))
    return emitOpError() << "expects (" << getResultTypes() << ") from '"
                         << getCallee() << "', which returns ("
                         << callee.getResultTypes() << ")";
  return success();
}

SmallVector<Region *> InvokeSubgraphOp::getSubgraphs() {
  auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee || callee.isExternal())
    return {};
  return {&callee.getFunctionBody()};
}

OperandRange InvokeSubgraphOp::getSubgraphOperands(unsigned) {
  return getInputs();
}

// A callee is a function: nothing can be captured in it. The interface asks for
// a closed subgraph to be left alone, so this is never called with values.
SmallVector<SmallVector<Value>>
InvokeSubgraphOp::appendCaptures(ValueRange captures) {
  assert(captures.empty() && "a function captures nothing");
  return {SmallVector<Value>{}};
}

ResultJoin InvokeSubgraphOp::getResultJoin() { return ResultJoin::Call; }
