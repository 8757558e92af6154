//===- Scans.cpp - Results that build on those before ---------------------===//
//
// Follows the definition, element by element, in its order.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "tally/IR/TallyScanOps.h"

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

namespace {

/// Runs one operation.
class ScanRun {
public:
  ScanRun(PrefixScanOp op, Execution &execution)
      : op(op), execution(execution), body(op.getBody(), execution) {}

  LogicalResult run();

private:
  LogicalResult makeOutputs();
  LogicalResult runRow(ArrayRef<int64_t> start);

  PrefixScanOp op;
  Execution &execution;
  ElementRuns body;
  SmallVector<Tensor> inputs, outputs;
};

} // namespace

LogicalResult ScanRun::makeOutputs() {
  SmallVector<int64_t> shape(
      execution.getTensor(op.getOutputs().front()).getShape());
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) &&
        failed(execution.requireSameShape(
            op, shape, execution.getTensor(operand.get()).getShape())))
      return failure();
  for (mlir::Value input : op.getInputs())
    inputs.push_back(execution.getTensor(input));
  for (mlir::Value result : op.getResults()) {
    FailureOr<Tensor> made = execution.makeResult(op, result, shape);
    if (failed(made))
      return failure();
    outputs.push_back(*made);
  }
  return success();
}

LogicalResult ScanRun::runRow(ArrayRef<int64_t> start) {
  SmallVector<int64_t> indices(start);
  AccumulateOp accumulate = op.getAccumulate();
  for (auto [result, value] :
       zip_equal(accumulate.getResults(), op.getStarts()))
    execution.set(result, execution.get(value));
  int64_t &position = indices[op.getDim()];
  int64_t size = outputs.front().getDim(op.getDim());
  for (position = 0; position < size; ++position) {
    int64_t place = *outputs.front().getPosition(indices);
    SmallVector<RuntimeValue> arguments, yielded;
    arguments.emplace_back(Scalar::ofIndex(position));
    for (const Tensor &input : inputs)
      arguments.emplace_back(input.get(place));
    if (failed(execution.spend(op)) ||
        failed(body.run(indices, std::move(arguments), yielded)))
      return failure();
    // What failed ends the run behind the last element.
    for (auto [output, result] : zip(outputs, yielded))
      output.set(place, result.getScalar());
  }
  return success();
}

LogicalResult ScanRun::run() {
  if (op->getNumResults() == 0)
    return execution.error(RunError::Kind::Unsupported, op,
                           "scans of buffers are not interpreted");
  if (failed(makeOutputs()))
    return failure();
  SmallVector<int64_t> rows(outputs.front().getShape());
  if (rows[op.getDim()] != 0)
    rows[op.getDim()] = 1;
  if (failed(forEachIndex(
          rows, [&](ArrayRef<int64_t> start) { return runRow(start); })) ||
      failed(body.finish()))
    return failure();
  for (auto [result, output] : zip_equal(op.getResults(), outputs))
    execution.set(result, std::move(output));
  return success();
}

static LogicalResult runScan(PrefixScanOp op, Execution &execution) {
  return ScanRun(op, execution).run();
}

/// Its results are the accumulators; the row has set them before.
static LogicalResult runAccumulate(AccumulateOp op, Execution &execution) {
  SmallVector<RuntimeValue> arguments;
  for (mlir::Value result : op.getResults())
    arguments.push_back(execution.get(result));
  for (mlir::Value value : op.getValues())
    arguments.push_back(execution.get(value));
  SmallVector<RuntimeValue> next;
  if (failed(execution.run(op.getCombine(), std::move(arguments), next)))
    return failure();
  for (auto [result, value] : zip_equal(op.getResults(), next))
    execution.set(result, value);
  return success();
}

void tally::interpreter::registerScans(HandlerTable &table) {
  addHandler<PrefixScanOp>(table, runScan);
  addHandler<AccumulateOp>(table, runAccumulate);
}
