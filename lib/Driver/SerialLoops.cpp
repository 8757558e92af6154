//===- SerialLoops.cpp - Loops of one thread as functions -----------------===//
//
// A scan along one row, for instance, is a loop between calls of the runtime. A
// function of its own can have versions for several processors, as the bodies
// of parallel loops have, without all that is around it.
//
//===----------------------------------------------------------------------===//

#include "SerialLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

/// Whether an instruction calls no function of this module or of the runtime,
/// and leaves the stack as it is.
static bool isSimple(const Instruction &inner) {
  if (isa<AllocaInst>(inner))
    return false;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&inner))
    return intrinsic->getIntrinsicID() != Intrinsic::stacksave &&
           intrinsic->getIntrinsicID() != Intrinsic::stackrestore;
  auto *call = dyn_cast<CallBase>(&inner);
  if (!call)
    return true;
  const Function *callee = call->getCalledFunction();
  return callee && callee->isDeclaration() &&
         !callee->getName().starts_with("tally_rt_");
}

namespace {

/// Makes functions of the loops of one.
class LoopExtractor {
public:
  explicit LoopExtractor(Function &function)
      : function(function), tree(function), loops(tree) {}

  void run(SmallVectorImpl<Function *> &made) {
    find(loops.getTopLevelLoops());
    CodeExtractorAnalysisCache cache(function);
    for (ArrayRef<BasicBlock *> blocks : found) {
      CodeExtractor extractor(blocks, /*DT=*/nullptr, /*AggregateArgs=*/false,
                              /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                              /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                              /*AllocationBlock=*/nullptr, "loop");
      if (!extractor.isEligible())
        continue;
      if (Function *loop = extractor.extractCodeRegion(cache))
        made.push_back(loop);
    }
  }

private:
  /// Looks for outer loops that are simple, and have one exit.
  void find(ArrayRef<Loop *> candidates) {
    for (Loop *loop : candidates)
      if (loop->getUniqueExitBlock() &&
          all_of(loop->blocks(),
                 [](BasicBlock *block) { return all_of(*block, isSimple); }))
        add(*loop);
      else
        find(loop->getSubLoops());
  }

  /// A result is stored when the loop has ended, not in each step.
  void add(Loop &loop) {
    formDedicatedExitBlocks(&loop, &tree, &loops, /*MSSAU=*/nullptr,
                            /*PreserveLCSSA=*/false);
    formLCSSA(loop, tree, &loops, /*SE=*/nullptr);
    BasicBlock *exit = loop.getUniqueExitBlock();
    SplitBlock(exit, exit->getFirstNonPHIIt(), &tree, &loops);
    SmallVector<BasicBlock *> &blocks = found.emplace_back(loop.blocks());
    blocks.push_back(exit);
  }

  Function &function;
  DominatorTree tree;
  LoopInfo loops;
  SmallVector<SmallVector<BasicBlock *>> found;
};

} // namespace

SmallVector<Function *> tally::extractSerialLoops(Module &module,
                                                  ArrayRef<Function *> bodies) {
  SmallVector<Function *> functions, made;
  for (Function &function : module)
    if (!function.isDeclaration() && !is_contained(bodies, &function))
      functions.push_back(&function);
  for (Function *function : functions)
    LoopExtractor(*function).run(made);
  return made;
}
