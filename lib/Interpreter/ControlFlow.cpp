//===- ControlFlow.cpp - Branches and calls -------------------------------===//

#include "Handlers.h"
#include "Names.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

/// Runs a region that takes nothing, and sets the results.
static LogicalResult runForResults(Operation *op, Region &region,
                                   SmallVector<RuntimeValue> arguments,
                                   Execution &execution) {
  SmallVector<RuntimeValue> yielded;
  if (failed(execution.run(region, std::move(arguments), yielded)))
    return failure();
  for (auto [result, value] : zip_equal(op->getResults(), yielded))
    execution.set(result, std::move(value));
  return success();
}

/// Leaves the region with the operands.
static LogicalResult leaveWithOperands(Operation *op, Execution &execution) {
  return execution.leave(execution.takeAll(op->getOpOperands()));
}

//===----------------------------------------------------------------------===//
// cf
//===----------------------------------------------------------------------===//

static LogicalResult runBranch(cf::BranchOp op, Execution &execution) {
  return execution.branch(op.getDest(), execution.takeAll(op->getOpOperands()));
}

static SmallVector<RuntimeValue> getAll(ValueRange values,
                                        Execution &execution) {
  return map_to_vector(values,
                       [&](mlir::Value value) { return execution.get(value); });
}

static LogicalResult runCondBranch(cf::CondBranchOp op, Execution &execution) {
  FailureOr<bool> condition = execution.observeBool(op, op.getCondition());
  if (failed(condition))
    return failure();
  return *condition
             ? execution.branch(op.getTrueDest(),
                                getAll(op.getTrueDestOperands(), execution))
             : execution.branch(op.getFalseDest(),
                                getAll(op.getFalseDestOperands(), execution));
}

static LogicalResult runSwitch(cf::SwitchOp op, Execution &execution) {
  FailureOr<int64_t> flag = execution.observeInt(op, op.getFlag());
  if (failed(flag))
    return failure();
  const APInt &bits = execution.getScalar(op.getFlag()).getBits();
  if (op.getCaseValues())
    for (auto [index, value] :
         enumerate(op.getCaseValues()->getValues<APInt>()))
      if (value == bits)
        return execution.branch(op.getCaseDestinations()[index],
                                getAll(op.getCaseOperands(index), execution));
  return execution.branch(op.getDefaultDestination(),
                          getAll(op.getDefaultOperands(), execution));
}

static LogicalResult runCfAssert(cf::AssertOp op, Execution &execution) {
  FailureOr<bool> condition = execution.observeBool(op, op.getArg());
  if (failed(condition) || *condition)
    return success(succeeded(condition));
  CheckFailure failure(op.getLoc());
  failure.message = op.getMsg().str();
  return execution.fail(std::move(failure));
}

//===----------------------------------------------------------------------===//
// func
//===----------------------------------------------------------------------===//

/// In the named form a function returns what it declares.
static LogicalResult checkResultShapes(func::ReturnOp op,
                                       Execution &execution) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (execution.getNames().empty())
    return success();
  for (auto [index, operand] : enumerate(op.getOperands())) {
    auto shape = function.getResultAttrOfType<tally::ShapeAttr>(
        index, tally::attr_names::kShape);
    if (!shape)
      continue;
    for (auto [dim, size] : enumerate(shape.getSizes())) {
      // The word of a symbol that nothing has bound says nothing.
      if (!hasValues(size.getText(), execution))
        continue;
      std::vector<std::pair<std::string, std::string>> values;
      std::optional<tally::symbolic::EvalResult> declared =
          evaluateText(size.getText(), {}, op, execution, &values);
      if (!declared)
        return failure();
      int64_t actual = execution.getTensor(operand).getDim(dim);
      if (declared->isDefined() &&
          declared->value == tally::symbolic::Value::ofInt(actual))
        continue;
      CheckFailure failure(op.getLoc());
      failure.kind = CheckFailure::Kind::Precondition;
      failure.expression =
          size.getText().str() + " == " + std::to_string(actual);
      failure.values = std::move(values);
      failure.requiredBy = op->getName().getStringRef().str();
      return execution.fail(std::move(failure));
    }
  }
  return success();
}

static LogicalResult runReturn(func::ReturnOp op, Execution &execution) {
  if (failed(checkResultShapes(op, execution)))
    return failure();
  return leaveWithOperands(op, execution);
}

/// `func.call` and `tally.invoke_subgraph`.
static LogicalResult runCall(Operation *op, Execution &execution) {
  auto call = cast<CallOpInterface>(op);
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  FunctionOpInterface callee =
      name ? execution.lookupFunction(op, name) : FunctionOpInterface();
  assert(callee && "the verifier wants a function of that name");
  SmallVector<RuntimeValue> results;
  if (failed(execution.call(callee, execution.takeAll(op->getOpOperands()),
                            results, op)))
    return failure();
  for (auto [result, value] : zip_equal(op->getResults(), results))
    execution.set(result, std::move(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions of which one runs
//===----------------------------------------------------------------------===//

static LogicalResult runIf(scf::IfOp op, Execution &execution) {
  FailureOr<bool> condition = execution.observeBool(op, op.getCondition());
  if (failed(condition))
    return failure();
  Region &region = *condition ? op.getThenRegion() : op.getElseRegion();
  return region.empty() ? success() : runForResults(op, region, {}, execution);
}

static LogicalResult runIndexSwitch(scf::IndexSwitchOp op,
                                    Execution &execution) {
  FailureOr<int64_t> chosen = execution.observeInt(op, op.getArg());
  if (failed(chosen))
    return failure();
  for (auto [value, region] : zip_equal(op.getCases(), op.getCaseRegions()))
    if (value == *chosen)
      return runForResults(op, region, {}, execution);
  return runForResults(op, op.getDefaultRegion(), {}, execution);
}

static LogicalResult runExecuteRegion(scf::ExecuteRegionOp op,
                                      Execution &execution) {
  return runForResults(op, op.getRegion(), {}, execution);
}

static LogicalResult runCond(tally::CondOp op, Execution &execution) {
  FailureOr<bool> predicate = execution.observeBool(op, op.getPredicate());
  if (failed(predicate))
    return failure();
  Region &region = *predicate ? op.getThenRegion() : op.getElseRegion();
  return runForResults(op, region, getAll(op.getInputs(), execution),
                       execution);
}

void tally::interpreter::registerControlFlow(HandlerTable &table) {
  addHandler<cf::BranchOp>(table, runBranch);
  addHandler<cf::CondBranchOp>(table, runCondBranch);
  addHandler<cf::SwitchOp>(table, runSwitch);
  addHandler<cf::AssertOp>(table, runCfAssert);
  addHandler<func::ReturnOp>(table, runReturn);
  table.add(func::CallOp::getOperationName(), runCall);
  table.add(tally::InvokeSubgraphOp::getOperationName(), runCall);
  addHandler<scf::IfOp>(table, runIf);
  addHandler<scf::IndexSwitchOp>(table, runIndexSwitch);
  addHandler<scf::ExecuteRegionOp>(table, runExecuteRegion);
  addHandler<tally::CondOp>(table, runCond);
  table.add(scf::YieldOp::getOperationName(), leaveWithOperands);
  table.add(scf::ConditionOp::getOperationName(), leaveWithOperands);
  table.add(scf::ReduceOp::getOperationName(), leaveWithOperands);
  table.add(scf::ReduceReturnOp::getOperationName(), leaveWithOperands);
  table.add(scf::InParallelOp::getOperationName(), leaveWithOperands);
  table.add("tally.yield", leaveWithOperands);
  table.add("linalg.yield", leaveWithOperands);
}
