//===- BlockEmitter.cpp - Host code that one block runs -------------------===//

#include "BlockEmitter.h"

#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

static bool hasAsserts(Operation *op) {
  return op->walk([](AssertOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

BlockEmitter::BlockEmitter(Kernel &kernel, OpBuilder &builder,
                           unsigned numThreads, bool canFail)
    : kernel(kernel), builder(builder), loc(kernel.function.getLoc()),
      emit(builder, loc), math(builder, loc), numThreads(numThreads) {
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  if (!canFail)
    return;
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  failed = kernel.function.addWorkgroupAttribution(
      MemRefType::get({1}, builder.getI32Type(), MemRefLayoutAttrInterface(),
                      space),
      loc);
  emit.ifThen(isFirstThread(),
              [&] { emit.store(emit.i32(0), failed, emit.index(0)); });
  meet();
}

//===----------------------------------------------------------------------===//
// Where threads meet
//===----------------------------------------------------------------------===//

void BlockEmitter::meet() {
  emit.barrier();
  areReading = false;
}

void BlockEmitter::readState() {
  if (!failed)
    return;
  Value state = emit.load(failed, emit.index(0));
  isRight = emit.compare(arith::CmpIPredicate::eq, state, emit.i32(0));
  areReading = true;
}

/// What writes waits for those who still read, and others wait for it.
void BlockEmitter::write(bool canFail, function_ref<void()> body) {
  if (areReading)
    meet();
  if (isRight)
    emit.ifThen(isRight, body);
  else
    body();
  meet();
  if (canFail)
    readState();
}

Value BlockEmitter::isFirstThread() {
  return emit.compare(arith::CmpIPredicate::eq, thread, emit.index(0));
}

void BlockEmitter::noteFailures() {
  SmallVector<AssertOp> asserts;
  kernel.function.walk([&](AssertOp op) { asserts.push_back(op); });
  OpBuilder::InsertionGuard guard(builder);
  for (AssertOp op : asserts) {
    builder.setInsertionPoint(op);
    Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
    Value fails = emit.compare(arith::CmpIPredicate::eq, op.getCondition(), no);
    emit.ifThen(fails, [&] {
      memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::ori,
                                  emit.i32(1), failed, emit.index(0));
    });
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Which threads take a row: rows of a loop that a block runs are few or short.
static RowTeam chooseTeam(const KernelSpace &space, unsigned numThreads) {
  bool inParts =
      llvm::all_of(space.getPhases(), [](ArrayRef<linalg::GenericOp> phase) {
        return llvm::all_of(phase, canReduceInParts);
      });
  Team team = !inParts                    ? Team::Thread
              : space.getNumRowDims() > 0 ? Team::Warp
                                          : Team::Block;
  return {team, /*lanes=*/1, /*lanesAreRows=*/false, numThreads};
}

void BlockEmitter::emitKernel(KernelOp op) {
  KernelSpace space(op);
  write(hasAsserts(op), [&] {
    OpBuilder inner(builder);
    if (op.getReduced().empty())
      createPointwiseSchedule(space, PointwiseWay(), numThreads)
          ->emit(kernel, inner);
    else
      createRowSchedule(space, chooseTeam(space, numThreads))
          ->emit(kernel, inner);
  });
}

/// All threads copy, each its elements.
void BlockEmitter::emitCopy(Value from, Value to) {
  auto loop = scf::ForOp::create(builder, loc, thread, emit.elementCount(to),
                                 math.constant(numThreads));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < cast<MemRefType>(to.getType()).getRank(); ++dim)
    sizes.push_back(emit.size(to, dim));
  SmallVector<Value> at = math.delinearize(loop.getInductionVar(), sizes);
  emit.store(emit.load(from, at), to, at);
}

void BlockEmitter::emitCopies(ArrayRef<std::pair<Value, Value>> copies) {
  if (copies.empty())
    return;
  write(/*canFail=*/false, [&] {
    for (auto [from, to] : copies)
      emitCopy(from, to);
  });
}

void BlockEmitter::emitInOneThread(Operation &op) {
  write(hasAsserts(&op), [&] {
    emit.ifThen(isFirstThread(), [&] { builder.clone(op, kernel.map); });
  });
}

void BlockEmitter::store(Value value, Value buffer) {
  emit.ifThen(isFirstThread(),
              [&] { emit.store(value, buffer, emit.index(0)); });
}

/// An index may be wrong where an assert has failed.
void BlockEmitter::emitLoad(memref::LoadOp op) {
  areReading = true;
  if (!isRight) {
    builder.clone(*op, kernel.map);
    return;
  }
  SmallVector<Value> values =
      emit.ifElseZero(isRight, op.getType(), [&]() -> SmallVector<Value> {
        return {builder.clone(*op, kernel.map)->getResult(0)};
      });
  kernel.map.map(op.getResult(), values.front());
}

/// All threads assert the same.
void BlockEmitter::emitAssert(AssertOp op) {
  write(/*canFail=*/true, [&] { builder.clone(*op, kernel.map); });
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), op.getGuarded()))
    kernel.map.map(result, get(value));
}

void BlockEmitter::emitBranch(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(builder, loc, op.getResultTypes(),
                                  get(op.getCondition()), hasElse);
  bool wasReading = areReading, isReading = areReading;
  Value wasRight = isRight;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    if (region->empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    bool isThen = region == &op.getThenRegion();
    builder.setInsertionPointToStart(isThen ? branch.thenBlock()
                                            : branch.elseBlock());
    areReading = wasReading;
    isRight = wasRight;
    emitBlock(region->front());
    isReading |= areReading;
    SmallVector<Value> results =
        llvm::map_to_vector(region->front().getTerminator()->getOperands(),
                            [&](Value value) { return get(value); });
    if (!results.empty())
      scf::YieldOp::create(builder, loc, results);
  }
  areReading = isReading;
  isRight = wasRight;
  kernel.map.map(op.getResults(), branch.getResults());
  if (hasAsserts(op)) {
    meet();
    readState();
  }
}

void BlockEmitter::emitOp(Operation &op) {
  if (isa<memref::AllocOp, memref::DeallocOp>(op))
    return;
  if (auto inner = dyn_cast<KernelOp>(op))
    return emitKernel(inner);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return emitCopies({{get(copy.getSource()), get(copy.getTarget())}});
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return emitLoad(load);
  if (auto assertion = dyn_cast<AssertOp>(op))
    return emitAssert(assertion);
  if (isa<memref::StoreOp, scf::ForOp>(op))
    return emitInOneThread(op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!isRelease(branch))
      emitBranch(branch);
    return;
  }
  builder.clone(op, kernel.map);
}

void BlockEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(op);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The numbers among values.
static SmallVector<Value> getNumbers(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) {
    return !isa<BaseMemRefType>(value.getType());
  });
}

/// Starts a region that has the numbers among `arguments`.
void BlockEmitter::startRegion(Region &region, ValueRange arguments) {
  SmallVector<Value> numbers = getNumbers(arguments);
  Block *block =
      builder.createBlock(&region, {}, TypeRange(ValueRange(numbers)),
                          SmallVector<Location>(numbers.size(), loc));
  kernel.map.map(ValueRange(numbers), ValueRange(block->getArguments()));
}

SmallVector<Value> BlockEmitter::getInside(ValueRange values) {
  return llvm::map_to_vector(getNumbers(values),
                             [&](Value value) { return get(value); });
}

void BlockEmitter::emitNext(const DeviceLoop &device,
                            ArrayRef<Value> temporaries) {
  scf::WhileOp loop = device.getLoop();
  SmallVector<std::pair<Value, Value>> first, second;
  for (auto [number, next] : llvm::enumerate(loop.getYieldOp().getOperands())) {
    DeviceLoop::Carry carry = device.getCarry(number);
    if (carry == DeviceLoop::Carry::Number || carry == DeviceLoop::Carry::Kept)
      continue;
    Value from = get(next);
    if (Value temporary = temporaries[number]) {
      first.push_back({from, temporary});
      from = temporary;
    }
    second.push_back({from, get(loop.getBeforeArguments()[number])});
  }
  emitCopies(first);
  emitCopies(second);
  if (areReading)
    meet();
}

SmallVector<Value> BlockEmitter::emitLoop(const DeviceLoop &device,
                                          ArrayRef<Value> temporaries) {
  scf::WhileOp loop = device.getLoop();
  scf::ConditionOp condition = loop.getConditionOp();
  auto inside = scf::WhileOp::create(
      builder, loc, TypeRange(ValueRange(getNumbers(condition.getArgs()))),
      getInside(loop.getInits()));
  OpBuilder::InsertionGuard guard(builder);
  startRegion(inside.getBefore(), loop.getBeforeArguments());
  readState();
  emitBlock(*loop.getBeforeBody());
  Value goesOn = get(condition.getCondition());
  if (isRight)
    goesOn = emit.create<arith::AndIOp>(goesOn, isRight);
  scf::ConditionOp::create(builder, loc, goesOn,
                           getInside(condition.getArgs()));
  startRegion(inside.getAfter(), loop.getAfterArguments());
  // Nothing has failed, or the loop would have ended.
  isRight = Value();
  for (auto [argument, value] :
       llvm::zip_equal(loop.getAfterArguments(), condition.getArgs()))
    if (isa<BaseMemRefType>(value.getType()))
      kernel.map.map(argument, get(value));
  emitBlock(*loop.getAfterBody());
  emitNext(device, temporaries);
  scf::YieldOp::create(builder, loc,
                       getInside(loop.getYieldOp().getOperands()));
  return llvm::to_vector_of<Value>(inside.getResults());
}
