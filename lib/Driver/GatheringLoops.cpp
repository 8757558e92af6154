//===- GatheringLoops.cpp - Loops that load from anywhere -----------------===//

#include "GatheringLoops.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {
/// What is known of the instructions of innermost loops, each of which is
/// visited behind its operands.
class LoopInstructions {
public:
  explicit LoopInstructions(const LoopInfo &loops) : loops(loops) {}

  /// Returns whether an instruction loads from a scattered place.
  bool visit(const Instruction &each) {
    const Loop *loop = loops.getLoopFor(each.getParent());
    if (!loop || !loop->isInnermost())
      return false;
    auto isOneOf = [&](const SmallPtrSetImpl<const Value *> &values) {
      return any_of(each.operands(), [&](const Value *operand) {
        auto *source = dyn_cast<Instruction>(operand);
        return source && values.contains(source) && loop->contains(source);
      });
    };
    if (isa<PHINode>(each)) {
      varying.insert(&each);
      return false;
    }
    bool isPlaced = isOneOf(scattered), varies = isOneOf(varying);
    bool isRead = isa<LoadInst>(each);
    if (varies)
      varying.insert(&each);
    if (isPlaced || (varies && (isRead || isa<FPToSIInst, FPToUIInst>(each))))
      scattered.insert(&each);
    return isPlaced && isRead;
  }

private:
  const LoopInfo &loops;
  /// What differs between iterations, and what of it no progression gives.
  SmallPtrSet<const Value *, 32> varying, scattered;
};
} // namespace

bool tally::gathersElements(Function &function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  LoopInstructions instructions(loops);
  for (const BasicBlock *block :
       ReversePostOrderTraversal<Function *>(&function))
    for (const Instruction &each : *block)
      if (instructions.visit(each))
        return true;
  return false;
}
