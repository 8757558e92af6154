//===- FirstEffects.cpp - What a kernel does first that counts ------------===//

#include "FirstEffects.h"

#include "tally/IR/Tally.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace {

/// Follows the paths through a kernel up to the first operation on each that
/// writes, or that depends on what has been read.
class EffectFinder {
public:
  explicit EffectFinder(gpu::GPUFuncOp kernel) : kernel(kernel) { findRead(); }

  FailureOr<SmallVector<Operation *>> run() {
    SmallVector<Block *> open{&kernel.front()};
    llvm::DenseSet<Block *> seen{&kernel.front()};
    SmallVector<Operation *> effects;
    while (!open.empty()) {
      Block *block = open.pop_back_val();
      Operation *effect = findEffect(*block);
      if (!effect) {
        for (Block *next : block->getSuccessors())
          if (seen.insert(next).second)
            open.push_back(next);
        continue;
      }
      if (!isa<tally::AssertOp>(effect) && isInLoop(block))
        return failure();
      effects.push_back(effect);
    }
    return effects;
  }

private:
  bool isRead(ValueRange values) const {
    return llvm::any_of(values,
                        [&](Value value) { return read.contains(value); });
  }

  /// Finds the values that depend on memory.
  void findRead() {
    for (bool changes = true; changes;) {
      changes = false;
      kernel.walk([&](Operation *op) {
        bool depends = !isPure(op) || isRead(op->getOperands());
        for (Value result : op->getResults())
          changes |= depends && read.insert(result).second;
        auto branch = dyn_cast<BranchOpInterface>(op);
        for (unsigned i = 0; branch && i < op->getNumSuccessors(); ++i) {
          SuccessorOperands operands = branch.getSuccessorOperands(i);
          Block::BlockArgListType arguments =
              op->getSuccessor(i)->getArguments();
          for (unsigned j = 0; j < operands.size(); ++j)
            if (!operands[j] || read.contains(operands[j]))
              changes |= read.insert(arguments[j]).second;
        }
      });
    }
  }

  /// Whether a load reads an argument, at a place that does not depend on
  /// memory.
  bool isSafe(memref::LoadOp load) {
    Value buffer = load.getMemRef();
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
      if (isRead(view->getOperands()))
        return false;
      buffer = view.getViewSource();
    }
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument && argument.getOwner() == &kernel.front() &&
           argument.getArgNumber() < kernel.getNumArguments() &&
           !isRead(load.getIndices());
  }

  Operation *findEffect(Block &block) {
    for (Operation &op : block) {
      if (isa<gpu::ReturnOp>(op))
        return nullptr;
      auto load = dyn_cast<memref::LoadOp>(op);
      bool isHarmless =
          load ? isSafe(load)
          : op.hasTrait<OpTrait::IsTerminator>()
              ? isa<BranchOpInterface>(op) && isPure(&op) && !dependsOnRead(op)
              : op.getNumRegions() == 0 && isPure(&op);
      if (!isHarmless)
        return &op;
    }
    return nullptr;
  }

  /// Whether memory decides where a branch goes.
  bool dependsOnRead(Operation &terminator) const {
    if (terminator.getNumSuccessors() < 2)
      return false;
    llvm::DenseSet<Value> passed;
    auto branch = cast<BranchOpInterface>(terminator);
    for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i)
      passed.insert_range(
          branch.getSuccessorOperands(i).getForwardedOperands());
    return llvm::any_of(terminator.getOperands(), [&](Value operand) {
      return read.contains(operand) && !passed.contains(operand);
    });
  }

  static bool isInLoop(Block *block) {
    SmallVector<Block *> open(block->getSuccessors());
    llvm::DenseSet<Block *> seen(open.begin(), open.end());
    while (!open.empty()) {
      Block *next = open.pop_back_val();
      if (next == block)
        return true;
      for (Block *after : next->getSuccessors())
        if (seen.insert(after).second)
          open.push_back(after);
    }
    return false;
  }

  gpu::GPUFuncOp kernel;
  /// The values that depend on memory.
  llvm::DenseSet<Value> read;
};

} // namespace

FailureOr<SmallVector<Operation *>>
tally::codegen::findFirstEffects(gpu::GPUFuncOp kernel) {
  return EffectFinder(kernel).run();
}
