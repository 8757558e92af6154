//===- GPUThread.cpp - A thread of a kernel -------------------------------===//

#include "GPUThread.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

Meeting tally::interpreter::getMeeting(Operation *op) {
  if (isa<gpu::BarrierOp>(op))
    return Meeting::Block;
  return isa<gpu::ShuffleOp, NVVM::VoteSyncOp>(op) ? Meeting::Warp
                                                   : Meeting::None;
}

MeetingPlaces::MeetingPlaces(Operation *kernel) {
  kernel->walk([&](Operation *op) {
    if (getMeeting(op) == Meeting::None)
      return;
    for (Operation *parent = op->getParentOp(); parent != kernel;
         parent = parent->getParentOp())
      around.insert(parent);
  });
}

void GPUThread::start(Region &body, ArrayRef<RuntimeValue> arguments) {
  frames.push_back(
      Frame{body.getParentOp(), body.front().begin(), LoopRange()});
  for (auto [argument, value] : zip_equal(body.getArguments(), arguments))
    values[argument] = value;
}

LogicalResult GPUThread::run(Execution &execution) {
  Environment *outer = execution.enterThread(&values, &place);
  LogicalResult result = success();
  while (succeeded(result) && !hasEnded() &&
         getMeeting(&*frames.back().next) == Meeting::None)
    result = step(execution);
  execution.enterThread(outer, nullptr);
  return result;
}

LogicalResult GPUThread::step(Execution &execution) {
  Operation *op = &*frames.back().next;
  if (places.areInside(op))
    return enter(op, execution);
  if (failed(execution.runOperation(op)))
    return failure();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return leaveBlock(execution);
  pass();
  return success();
}

/// Starts with a branch or a loop in which threads meet.
LogicalResult GPUThread::enter(Operation *op, Execution &execution) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    FailureOr<bool> condition =
        execution.observeBool(op, branch.getCondition());
    if (failed(condition))
      return failure();
    Region &region =
        *condition ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      pass();
    else
      frames.push_back(Frame{op, region.front().begin(), LoopRange()});
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    SmallVector<RuntimeValue> inits = execution.takeAll(op->getOpOperands());
    frames.push_back(Frame{op, loop.getBeforeBody()->begin(), LoopRange()});
    enterBlock(loop.getBeforeBody(), inits);
    return success();
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return execution.unsupported(
        op, "threads can meet only in 'scf.if', 'scf.for' and 'scf.while', "
            "not in '" +
                op->getName().getStringRef() + "'");
  FailureOr<LoopRange> range = readRange(loop, execution);
  if (failed(range))
    return failure();
  frames.push_back(Frame{op, loop.getBody()->begin(), std::move(*range)});
  iterate(execution.takeAll(loop.getInitArgsMutable()));
  return success();
}

void GPUThread::enterBlock(Block *block, MutableArrayRef<RuntimeValue> args) {
  for (auto [argument, value] : zip_equal(block->getArguments(), args))
    set(argument, std::move(value));
  frames.back().next = block->begin();
}

/// Goes on with a loop, or ends it.
void GPUThread::iterate(SmallVector<RuntimeValue> carried) {
  Frame &frame = frames.back();
  LoopRange &range = frame.range;
  if (range.lower.slt(range.upper)) {
    RuntimeValue iv(Scalar(range.lower.trunc(range.lower.getBitWidth() - 2)));
    carried.insert(carried.begin(), std::move(iv));
    enterBlock(cast<scf::ForOp>(frame.owner).getBody(), carried);
    return;
  }
  leave(carried);
}

/// Goes on behind a branch or a loop.
void GPUThread::leave(ArrayRef<RuntimeValue> results) {
  Operation *owner = frames.back().owner;
  for (auto [result, value] : zip_equal(owner->getResults(), results))
    set(result, value);
  frames.pop_back();
  pass();
}

/// From one region of a 'scf.while' to the other, or behind it.
LogicalResult GPUThread::goRound(Operation *op,
                                 MutableArrayRef<RuntimeValue> passed,
                                 Execution &execution) {
  auto loop = cast<scf::WhileOp>(op);
  if (frames.back().next->getBlock() == loop.getAfterBody()) {
    enterBlock(loop.getBeforeBody(), passed);
    return success();
  }
  const Scalar &condition = passed.front().getScalar();
  if (condition.isPoison())
    return execution.observedPoison(op, "the condition of 'scf.while'");
  bool goesOn = condition.getBool();
  passed = passed.drop_front();
  if (goesOn)
    enterBlock(loop.getAfterBody(), passed);
  else
    leave(passed);
  return success();
}

/// Goes where a terminator leads.
LogicalResult GPUThread::leaveBlock(Execution &execution) {
  auto [block, passed] = execution.takeBranch();
  Frame &frame = frames.back();
  if (block)
    enterBlock(block, passed);
  else if (frames.size() == 1)
    end();
  else if (isa<scf::WhileOp>(frame.owner))
    return goRound(frame.owner, passed, execution);
  else if (isa<scf::ForOp>(frame.owner)) {
    frame.range.lower += frame.range.step;
    iterate(std::move(passed));
  } else {
    leave(passed);
  }
  return success();
}
