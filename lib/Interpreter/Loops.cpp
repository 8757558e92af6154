//===- Loops.cpp - The loops of scf ---------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

static void setResults(Operation *op, SmallVectorImpl<RuntimeValue> &values,
                       Execution &execution) {
  for (auto [result, value] : zip_equal(op->getResults(), values))
    execution.set(result, std::move(value));
}

//===----------------------------------------------------------------------===//
// scf.for
//===----------------------------------------------------------------------===//

FailureOr<LoopRange> tally::interpreter::readRange(scf::ForOp op,
                                                   Execution &execution) {
  SmallVector<APInt, 3> bounds;
  for (mlir::Value value :
       {op.getLowerBound(), op.getUpperBound(), op.getStep()}) {
    const Scalar &scalar = execution.getScalar(value);
    if (scalar.isPoison())
      return execution.observedPoison(op, "a bound of the loop");
    unsigned width = scalar.getBits().getBitWidth() + 2;
    bounds.push_back(op.getUnsignedCmp() ? scalar.getBits().zext(width)
                                         : scalar.getBits().sext(width));
  }
  LoopRange range{bounds[0], bounds[1], bounds[2]};
  if (!range.step.isStrictlyPositive())
    return execution.refuse(op,
                            "1 <= " + toString(range.step, 10, /*Signed=*/true),
                            "the step of the loop");
  if (range.upper.sle(range.lower))
    return range;
  // The number that is compared after the last iteration must fit the type.
  APInt one(range.lower.getBitWidth(), 1);
  unsigned wide = 2 * range.lower.getBitWidth();
  APInt count = (range.upper - range.lower + range.step - one)
                    .sdiv(range.step)
                    .sext(wide);
  APInt last = range.lower.sext(wide) + count * range.step.sext(wide);
  unsigned width = range.lower.getBitWidth() - 2;
  APInt limit = op.getUnsignedCmp()
                    ? APInt::getMaxValue(width).zext(wide)
                    : APInt::getSignedMaxValue(width).sext(wide);
  if (last.sgt(limit))
    return execution.refuse(
        op, toString(last, 10, true) + " <= " + toString(limit, 10, true),
        "the induction variable of the loop wraps");
  return range;
}

static LogicalResult runFor(scf::ForOp op, Execution &execution) {
  FailureOr<LoopRange> range = readRange(op, execution);
  if (failed(range))
    return failure();
  SmallVector<RuntimeValue> carried;
  for (OpOperand &init : op.getInitArgsMutable())
    carried.push_back(execution.take(init));
  unsigned width = range->lower.getBitWidth() - 2;
  for (APInt iv = range->lower; iv.slt(range->upper); iv += range->step) {
    SmallVector<RuntimeValue> arguments = {
        RuntimeValue(Scalar(iv.trunc(width)))};
    arguments.append(std::make_move_iterator(carried.begin()),
                     std::make_move_iterator(carried.end()));
    carried.clear();
    if (failed(execution.run(op.getRegion(), std::move(arguments), carried)))
      return failure();
  }
  setResults(op, carried, execution);
  return success();
}

//===----------------------------------------------------------------------===//
// scf.while
//===----------------------------------------------------------------------===//

static LogicalResult runWhile(scf::WhileOp op, Execution &execution) {
  SmallVector<RuntimeValue> carried = execution.takeAll(op->getOpOperands());
  while (true) {
    SmallVector<RuntimeValue> decided;
    if (failed(execution.run(op.getBefore(), std::move(carried), decided)))
      return failure();
    const Scalar &condition = decided.front().getScalar();
    if (condition.isPoison())
      return execution.observedPoison(op, "the condition of 'scf.while'");
    bool goesOn = condition.getBool();
    decided.erase(decided.begin());
    if (!goesOn) {
      setResults(op, decided, execution);
      return success();
    }
    carried.clear();
    if (failed(execution.run(op.getAfter(), std::move(decided), carried)))
      return failure();
  }
}

//===----------------------------------------------------------------------===//
// scf.parallel and scf.forall
//===----------------------------------------------------------------------===//

/// Calls `body` for each point of a space of loops.
static LogicalResult
forEachPoint(Operation *op, ArrayRef<int64_t> lower, ArrayRef<int64_t> upper,
             ArrayRef<int64_t> steps, Execution &execution,
             llvm::function_ref<LogicalResult(ArrayRef<RuntimeValue>)> body) {
  SmallVector<int64_t> counts;
  for (auto [low, high, step] : zip_equal(lower, upper, steps)) {
    if (step <= 0)
      return execution.refuse(op, "1 <= " + Twine(step), "the step of a loop");
    __int128 distance = static_cast<__int128>(high) - low;
    __int128 count = distance <= 0 ? 0 : (distance + step - 1) / step;
    constexpr int64_t limit = std::numeric_limits<int64_t>::max();
    if (count > 0 && low + count * step > limit)
      return execution.refuse(op, "", "the variable of a loop wraps");
    if (distance > limit)
      return execution.refuse(op, "", "a loop has too many iterations");
    counts.push_back(static_cast<int64_t>(count));
  }
  return forEachIndex(counts, [&](ArrayRef<int64_t> indices) -> LogicalResult {
    if (failed(execution.spend(op)))
      return failure();
    SmallVector<RuntimeValue> values;
    for (auto [index, low, step] : zip_equal(indices, lower, steps))
      values.emplace_back(Scalar::ofIndex(low + index * step));
    return body(values);
  });
}

static LogicalResult runParallel(scf::ParallelOp op, Execution &execution) {
  auto lower = execution.observeInts(op, op.getLowerBound()),
       upper = execution.observeInts(op, op.getUpperBound()),
       steps = execution.observeInts(op, op.getStep());
  if (failed(lower) || failed(upper) || failed(steps))
    return failure();
  SmallVector<RuntimeValue> reduced;
  for (mlir::Value init : op.getInitVals())
    reduced.push_back(execution.get(init));
  auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
  if (failed(forEachPoint(
          op, *lower, *upper, *steps, execution,
          [&](ArrayRef<RuntimeValue> indices) -> LogicalResult {
            SmallVector<RuntimeValue> values;
            if (failed(execution.run(op.getRegion(),
                                     SmallVector<RuntimeValue>(indices),
                                     values)))
              return failure();
            for (auto [number, region] : enumerate(reduce.getReductions())) {
              SmallVector<RuntimeValue> combined;
              if (failed(execution.run(
                      region, {reduced[number], values[number]}, combined)))
                return failure();
              reduced[number] = combined.front();
            }
            return success();
          })))
    return failure();
  setResults(op, reduced, execution);
  return success();
}

/// Puts what a point of an `scf.forall` has computed into the results.
static LogicalResult insertInParallel(scf::ForallOp op,
                                      SmallVectorImpl<RuntimeValue> &outputs,
                                      Execution &execution) {
  for (Operation &inner : op.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(inner);
    if (!insert)
      return execution.unsupported(&inner, "the interpreter does not know '" +
                                               inner.getName().getStringRef() +
                                               "'");
    auto argument = cast<BlockArgument>(insert.getDest());
    unsigned number = argument.getArgNumber() - op.getRank();
    Tensor &output = outputs[number].getTensor();
    const Tensor &source = execution.getTensor(insert.getSource());
    FailureOr<Slice> slice = readSlice(insert, output.getShape(), execution);
    if (failed(slice))
      return failure();
    SmallVector<int64_t> kept;
    SmallBitVector dropped = insert.getDroppedDims();
    for (auto [dim, size] : enumerate(slice->sizes))
      if (!dropped.test(dim))
        kept.push_back(size);
    if (failed(execution.requireSameShape(insert, source.getShape(), kept)))
      return failure();
    writeSlice(output, *slice, source);
  }
  return success();
}

static LogicalResult runForall(scf::ForallOp op, Execution &execution) {
  auto lower = execution.observeInts(op, op.getMixedLowerBound()),
       upper = execution.observeInts(op, op.getMixedUpperBound()),
       steps = execution.observeInts(op, op.getMixedStep());
  if (failed(lower) || failed(upper) || failed(steps))
    return failure();
  SmallVector<RuntimeValue> inits;
  for (mlir::Value output : op.getOutputs())
    inits.push_back(execution.get(output));
  SmallVector<RuntimeValue> outputs = inits;
  if (failed(forEachPoint(op, *lower, *upper, *steps, execution,
                          [&](ArrayRef<RuntimeValue> indices) -> LogicalResult {
                            SmallVector<RuntimeValue> arguments(indices);
                            arguments.append(inits.begin(), inits.end());
                            SmallVector<RuntimeValue> nothing;
                            if (failed(execution.run(op.getRegion(), arguments,
                                                     nothing)))
                              return failure();
                            return insertInParallel(op, outputs, execution);
                          })))
    return failure();
  setResults(op, outputs, execution);
  return success();
}

void tally::interpreter::registerLoops(HandlerTable &table) {
  addHandler<scf::ForOp>(table, runFor);
  addHandler<scf::WhileOp>(table, runWhile);
  addHandler<scf::ParallelOp>(table, runParallel);
  addHandler<scf::ForallOp>(table, runForall);
}
