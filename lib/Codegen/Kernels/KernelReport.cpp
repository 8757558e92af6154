//===- KernelReport.cpp - Which kernels there are, and why ----------------===//

#include "KernelReport.h"

#include "tally/Analysis/ValueSources.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/IR/TallyLinearAlgebraOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-form-kernels"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

KernelReport::KernelReport(func::FuncOp function, SymbolicShapes &shapes,
                           bool runtimeSorts)
    : function(function), shapes(shapes), runtimeSorts(runtimeSorts),
      isWanted(function.getContext()->getRemarkEngine() != nullptr) {
  LLVM_DEBUG(isWanted = true);
}

/// Returns whether `op` is no structured operation, but computes as much: with
/// a kernel of its own, or by the runtime.
static bool isRunAsWhole(Operation *op) {
  return isa_and_nonnull<TallyDialect>(op->getDialect()) &&
         isa<DestinationStyleOpInterface>(op) && !isa<KernelOp>(op);
}

/// Returns whether `op` is one of a kernel's operations, or what a kernel has a
/// copy of.
static bool isStructured(Operation *op) {
  return isa<linalg::GenericOp>(op) && !getFillValue(op);
}

namespace {
/// Where elements that an operation reads come from.
struct Producer {
  /// The structured operation or the call; null if there is none.
  Operation *op;
  /// Whether elements are moved on the way.
  bool isMoved;
};
} // namespace

/// Looks through views, slices and insertions of a tensor.
static Producer findProducer(Value value) {
  bool isMoved = false;
  while (Operation *op = value.getDefiningOp()) {
    if (isStructured(op) || isRunAsWhole(op))
      return {op, isMoved};
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp>(op))
      break;
    isMoved |= !isa<tensor::CastOp>(op);
    value = op->getOperand(0);
  }
  return {nullptr, isMoved};
}

/// The reason, other than grouping, why the producer of an operand stays apart
/// from its owner.
static std::optional<GroupObstacle> findPlainObstacle(Producer producer,
                                                      Operation *consumer) {
  if (isRunAsWhole(producer.op) || isRunAsWhole(consumer))
    return FusionObstacle::RunAsWhole;
  if (producer.op->getBlock() != consumer->getBlock())
    return FusionObstacle::OtherBlock;
  if (producer.isMoved)
    return FusionObstacle::Reshape;
  return std::nullopt;
}

/// Reports what the body of an operation looks up.
void KernelReport::reportLookups(linalg::GenericOp op) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getRegion(), used);
  for (Value value : used)
    if (isa<RankedTensorType>(value.getType()))
      if (Producer producer = findProducer(value); producer.op)
        reportObstacle(producer.op, op, FusionObstacle::LookedUp);
}

/// Reports a loop that is no kernel, unless it is in a loop of the same
/// operator; operations in its body are told with their block.
void KernelReport::reportLoop(Operation *loop) {
  std::string text = "loop: " + describeLastPart(loop);
  auto hasOperations = [](Operation *op) {
    return isStructured(op) || isRunAsWhole(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
  };
  if (loop->walk(hasOperations).wasInterrupted())
    return;
  if (auto outer = loop->getParentOfType<LoopLikeOpInterface>();
      outer && "loop: " + describeLastPart(outer) == text)
    return;
  if (told.insert(text).second)
    reportKernel(loop, "loop");
}

/// Of a group that is no kernel, what keeps two of its operations apart.
static GroupObstacle findRowObstacle(const KernelGroup &group,
                                     OpOperand &operand,
                                     FusionObstacle ofGroup) {
  bool hasRows =
      llvm::any_of(group.dims,
                   [](const KernelDim &dim) { return dim.isReduced; }) &&
      !llvm::all_of(group.dims,
                    [](const KernelDim &dim) { return dim.isReduced; });
  if (hasRows)
    return ofGroup;
  return findElementwiseObstacle(&operand).value_or(ofGroup);
}

void KernelReport::reportKernel(ArrayRef<Operation *> ops, StringRef kind) {
  std::string text = (kind + ": " + llvm::join(describeParts(ops), ", ")).str();
  LDBG() << text;
  remark::passed(getLastPartLoc(ops.back()), remark::RemarkOpts::name("Kernel")
                                                 .category(DEBUG_TYPE)
                                                 .function(function.getName()))
      << text;
}

std::string KernelReport::describe(const GroupObstacle &obstacle) {
  if (obstacle.inBetween) {
    // An assert made by a pass has the location of what it is for.
    std::string other = describeLastPart(obstacle.inBetween);
    if (isa<AssertOp>(obstacle.inBetween) &&
        !StringRef(other).starts_with(AssertOp::getOperationName()))
      other = "a check of " + other;
    return other + " has to run between them";
  }
  std::string text = toString(obstacle.kind).str();
  if (obstacle.sizes)
    text += " (" + describeExpr(obstacle.sizes->first, shapes) + " and " +
            describeExpr(obstacle.sizes->second, shapes) + " times)";
  return text;
}

void KernelReport::reportObstacle(Operation *producer, Operation *consumer,
                                  const GroupObstacle &obstacle) {
  std::string made = describeLastPart(producer),
              reader = describeLastPart(consumer);
  std::string text = reader + " is not fused with " + made;
  Operation *at = consumer;
  if (llvm::is_contained(describeParts(consumer), made)) {
    text = "parts of " + made + " are not fused";
    at = producer;
  }
  text += ": " + describe(obstacle);
  if (!told.insert(text).second)
    return;
  LDBG() << text;
  remark::missed(getLastPartLoc(at), remark::RemarkOpts::name("NotFused")
                                         .category(DEBUG_TYPE)
                                         .function(function.getName()))
      << text;
}

void KernelReport::reportBlock(Block &block, ArrayRef<KernelGroup> groups,
                               const GroupObstacles &obstacles,
                               FindGroupObstacle findGroupObstacle) {
  if (!isWanted)
    return;
  llvm::DenseMap<Operation *, const KernelGroup *> groupOf;
  llvm::DenseMap<const KernelGroup *, FusionObstacle> broken;
  for (const KernelGroup &group : groups) {
    if (auto obstacle = findGroupObstacle(group))
      broken.insert({&group, *obstacle});
    for (linalg::GenericOp op : group.ops)
      groupOf[op] = &group;
  }
  auto findObstacle = [&](OpOperand &operand,
                          Producer producer) -> std::optional<GroupObstacle> {
    Operation *consumer = operand.getOwner();
    if (auto obstacle = findPlainObstacle(producer, consumer))
      return obstacle;
    const KernelGroup *group = groupOf.lookup(consumer);
    if (!group || !groupOf.contains(producer.op))
      return FusionObstacle::UnknownLoops;
    if (group != groupOf.lookup(producer.op)) {
      auto it = obstacles.find({producer.op, consumer});
      return it == obstacles.end() ? std::nullopt : std::optional(it->second);
    }
    auto it = broken.find(group);
    if (it == broken.end())
      return std::nullopt;
    return findRowObstacle(*group, operand, it->second);
  };
  for (Operation &op : block) {
    if (isa<LoopLikeOpInterface>(op))
      reportLoop(&op);
    if (!isStructured(&op) && !isRunAsWhole(&op))
      continue;
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      reportLookups(generic);
    for (OpOperand &operand : op.getOpOperands())
      if (Producer producer = findProducer(operand.get()); producer.op)
        if (auto obstacle = findObstacle(operand, producer))
          reportObstacle(producer.op, &op, *obstacle);
    const KernelGroup *group = groupOf.lookup(&op);
    if (isa<AttentionOp, ContractOp, CustomCallDpsOp, FFTOp, LinearAlgebraOp,
            MatmulOp>(op) ||
        (runtimeSorts && isa<SortOp>(op)))
      reportKernel(&op, "call of the runtime");
    else if (!group || broken.contains(group))
      reportKernel(&op, "kernel");
    else if (group->ops.back() == &op)
      reportKernel(llvm::to_vector_of<Operation *>(group->ops), "kernel");
  }
}
