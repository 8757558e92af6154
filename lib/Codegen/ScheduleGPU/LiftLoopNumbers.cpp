//===- LiftLoopNumbers.cpp - Loops that the host counts -------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LIFTLOOPNUMBERS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lift-loop-numbers"

using namespace mlir;

/// Whether a value is an integer, or a tensor of one without dimensions.
static bool isNumber(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getRank() == 0 && tensor.getElementType().isIntOrIndex();
  return type.isIntOrIndex();
}

/// Whether an operation computes an integer of others and does nothing else.
static bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         op->getResult(0).getType().isIntOrIndex() && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) { return type.isIntOrIndex(); });
}

namespace {

/// One loop.
class LoopNumbers {
public:
  explicit LoopNumbers(scf::WhileOp loop)
      : loop(loop), condition(loop.getConditionOp()), yield(loop.getYieldOp()),
        builder(loop) {}

  /// Finds what the loop has to carry as numbers; false if that is nothing, or
  /// if the host cannot know when the loop ends.
  bool find();
  void lift();

private:
  bool isOutside(Value value) const {
    return !loop->isAncestor(value.getParentRegion()->getParentOp());
  }
  bool canCompute(Value value);
  bool canInline(linalg::GenericOp op);
  bool addCarry(BlockArgument argument);
  bool isLifted(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getBeforeBody() &&
           carries.contains(argument.getArgNumber());
  }

  Value readBefore(Value tensor);
  Value compute(Value value);
  Value inlineBody(linalg::GenericOp op);
  void replaceArgument(BlockArgument argument);

  scf::WhileOp loop;
  scf::ConditionOp condition;
  scf::YieldOp yield;
  OpBuilder builder;
  /// Places of carries that become numbers.
  llvm::SetVector<unsigned> carries;
  llvm::DenseMap<Value, Value> readTensors;
};

} // namespace

//===----------------------------------------------------------------------===//
// What can be lifted
//===----------------------------------------------------------------------===//

bool LoopNumbers::addCarry(BlockArgument argument) {
  if (argument.getOwner() == loop.getAfterBody()) {
    argument =
        dyn_cast<BlockArgument>(condition.getArgs()[argument.getArgNumber()]);
    if (!argument)
      return false;
  }
  if (argument.getOwner() != loop.getBeforeBody())
    return false;
  if (isa<TensorType>(argument.getType()))
    carries.insert(argument.getArgNumber());
  return true;
}

/// Whether the body of an operation on numbers can be run by the host.
bool LoopNumbers::canInline(linalg::GenericOp op) {
  if (op.getNumLoops() != 0 || op->getNumResults() != 1 ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isArithmetic(&inner) ||
        !llvm::all_of(inner.getOperands(), [&](Value operand) {
          return operand.getParentBlock() == op.getBody() || isOutside(operand);
        }))
      return false;
  return llvm::all_of(op.getInputs(),
                      [&](Value input) { return canCompute(input); });
}

/// Whether a number follows from what the loop carries and what is outside of
/// it; adds what it depends on.
bool LoopNumbers::canCompute(Value value) {
  if (!isNumber(value.getType()))
    return false;
  if (isOutside(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addCarry(argument);
  Operation *op = value.getDefiningOp();
  if (op->getParentOp() != loop)
    return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return canInline(generic);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return canCompute(fill.getInputs().front());
  return (isa<tensor::ExtractOp, tensor::FromElementsOp>(op) ||
          isArithmetic(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canCompute(operand); });
}

bool LoopNumbers::find() {
  if (!canCompute(condition.getCondition()) || carries.empty())
    return false;
  // More are found on the way.
  for (unsigned i = 0; i < carries.size(); ++i)
    if (!canCompute(yield.getOperand(carries[i])))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Lifting
//===----------------------------------------------------------------------===//

/// The number in a tensor that is there before the loop.
Value LoopNumbers::readBefore(Value tensor) {
  Operation *maker = tensor.getDefiningOp();
  if (isa_and_nonnull<linalg::FillOp, tensor::FromElementsOp>(maker))
    return maker->getOperand(0);
  Value &number = readTensors[tensor];
  if (!number) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop);
    number =
        tensor::ExtractOp::create(builder, loop.getLoc(), tensor, ValueRange());
  }
  return number;
}

Value LoopNumbers::inlineBody(linalg::GenericOp op) {
  IRMapping map;
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), op.getBody()->getArguments()))
    map.map(argument, compute(input));
  for (Operation &inner : op.getBody()->without_terminator())
    builder.clone(inner, map);
  return map.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

/// The number that a value is, computed at the end of a region.
Value LoopNumbers::compute(Value value) {
  bool isTensor = isa<TensorType>(value.getType());
  if (isOutside(value))
    return isTensor ? readBefore(value) : value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return inlineBody(generic);
  if (isa<tensor::ExtractOp, tensor::FromElementsOp, linalg::FillOp>(op))
    return compute(op->getOperand(0));
  IRMapping map;
  for (Value operand : op->getOperands())
    map.map(operand, compute(operand));
  return builder.clone(*op, map)->getResult(0);
}

/// Makes an argument a number, and a tensor of it for what wants one.
void LoopNumbers::replaceArgument(BlockArgument argument) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(argument.getOwner());
  auto type = cast<RankedTensorType>(argument.getType());
  argument.setType(type.getElementType());
  auto tensor = tensor::FromElementsOp::create(builder, loop.getLoc(), type,
                                               ValueRange(argument));
  argument.replaceAllUsesExcept(tensor.getResult(), tensor);
  // Kernels get the number itself.
  for (OpOperand &use : llvm::make_early_inc_range(tensor->getUses()))
    if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
        generic && generic.isDpsInput(&use))
      use.set(argument);
}

void LoopNumbers::lift() {
  LDBG() << "while" << tally::describePlace(loop.getLoc()) << ": the host has "
         << carries.size() << " of its numbers";
  Location loc = loop.getLoc();
  SmallVector<Value> inits(loop.getInits());
  for (unsigned carry : carries)
    inits[carry] = readBefore(inits[carry]);
  SmallVector<Type> types(loop.getResultTypes());
  SmallVector<unsigned> passedOn;
  for (auto [position, value] : llvm::enumerate(condition.getArgs()))
    if (isLifted(value)) {
      passedOn.push_back(position);
      types[position] = getElementTypeOrSelf(types[position]);
    }
  SmallVector<Value> passed(condition.getArgs());
  for (unsigned carry : carries)
    replaceArgument(loop.getBeforeArguments()[carry]);
  for (unsigned position : passedOn) {
    condition.getArgsMutable()[position].set(passed[position]);
    replaceArgument(loop.getAfterArguments()[position]);
  }
  builder.setInsertionPoint(condition);
  condition.getConditionMutable().set(compute(condition.getCondition()));
  builder.setInsertionPoint(yield);
  SmallVector<Value> next;
  for (unsigned carry : carries)
    next.push_back(compute(yield.getOperand(carry)));
  for (auto [carry, value] : llvm::zip_equal(carries, next))
    yield->setOperand(carry, value);

  builder.setInsertionPoint(loop);
  auto lifted =
      scf::WhileOp::create(builder, loc, types, inits, nullptr, nullptr);
  lifted->setAttrs(loop->getAttrs());
  lifted.getBefore().takeBody(loop.getBefore());
  lifted.getAfter().takeBody(loop.getAfter());
  for (auto [old, result] :
       llvm::zip_equal(loop.getResults(), lifted.getResults())) {
    Value replacement = result;
    if (old.getType() != result.getType())
      replacement = tensor::FromElementsOp::create(builder, loc, old.getType(),
                                                   ValueRange(result));
    old.replaceAllUsesWith(replacement);
  }
  loop.erase();
}

void tally::liftLoopNumbers(Operation *root) {
  SmallVector<scf::WhileOp> loops;
  root->walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops)
    if (LoopNumbers numbers(loop); numbers.find())
      numbers.lift();
}

namespace {
struct LiftLoopNumbersPass
    : tally::impl::LiftLoopNumbersBase<LiftLoopNumbersPass> {
  void runOnOperation() override { tally::liftLoopNumbers(getOperation()); }
};
} // namespace
