//===- LongFunctions.cpp - Long functions in pieces -----------------------===//

#include "LongFunctions.h"

#include "ParallelBodies.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <cstdlib>

using namespace llvm;

/// A piece has so many instructions at least, but for the last one. Tests make
/// it smaller.
static size_t getPieceSize() {
  size_t size = 1000;
  if (const char *wanted = std::getenv("TALLY_PIECE_SIZE"))
    if (StringRef(wanted).getAsInteger(10, size) || size == 0)
      size = 1000;
  return size;
}

namespace {

/// Blocks, of which the first dominates the others.
using Piece = SmallSetVector<BasicBlock *, 32>;

/// Cuts one function.
class FunctionSplitter {
public:
  FunctionSplitter(Function &function, size_t pieceSize)
      : function(function), pieceSize(pieceSize), tree(function), loops(tree) {}

  void run() {
    findCandidates();
    chooseCuts();
    for (Piece &piece : pieces)
      dropOtherEntries(piece);
    llvm::erase_if(pieces, [&](Piece &piece) { return !keepStack(piece); });
    for (const Piece &piece : pieces)
      for (BasicBlock *block : piece)
        pieceOf[block] = &piece;
    repeatLoads();
    storeShared();
    CodeExtractorAnalysisCache cache(function);
    for (Piece &piece : pieces)
      extract(piece, cache);
  }

private:
  void findCandidates();
  void chooseCuts();
  void dropOtherEntries(Piece &piece);
  bool keepStack(Piece &piece);
  bool isReadElsewhere(const Use &use) const;
  BasicBlock *getLoadingBlock(const Use &use) const;
  void repeatLoads();
  void storeShared();
  void extract(Piece &piece, const CodeExtractorAnalysisCache &cache);

  Function &function;
  size_t pieceSize;
  DominatorTree tree;
  LoopInfo loops;
  /// The blocks where a piece may begin; each dominates the next.
  SmallVector<BasicBlock *> candidates;
  SmallVector<Piece, 0> pieces;
  DenseMap<const BasicBlock *, const Piece *> pieceOf;
};

} // namespace

/// A piece may begin where everything comes by that does not leave early, but
/// not in a loop.
void FunctionSplitter::findCandidates() {
  const DomTreeNode *last = nullptr;
  for (BasicBlock &block : function)
    if (isa<ReturnInst>(block.getTerminator()))
      if (const DomTreeNode *node = tree.getNode(&block);
          node && (!last || node->getLevel() > last->getLevel()))
        last = node;
  for (; last && last->getIDom(); last = last->getIDom()) {
    BasicBlock *block = last->getBlock();
    Loop *loop = loops.getLoopFor(block);
    if (!loop || (loop->isOutermost() && loop->getHeader() == block))
      candidates.push_back(block);
  }
  std::reverse(candidates.begin(), candidates.end());
}

/// Gives each candidate the blocks that it is the last one to dominate, and
/// puts candidates together until their blocks are a piece.
void FunctionSplitter::chooseCuts() {
  DenseMap<const BasicBlock *, Piece> dominated;
  DenseMap<const BasicBlock *, BasicBlock *> lastOf;
  SmallPtrSet<const BasicBlock *, 32> isCandidate(llvm::from_range, candidates);
  for (const DomTreeNode *node : depth_first(tree.getRootNode())) {
    BasicBlock *block = node->getBlock();
    BasicBlock *&last = lastOf[block];
    if (isCandidate.contains(block))
      last = block;
    else if (const DomTreeNode *parent = node->getIDom())
      last = lastOf.lookup(parent->getBlock());
    if (last)
      dominated[last].insert(block);
  }
  size_t size = pieceSize;
  for (BasicBlock *candidate : candidates) {
    if (size >= pieceSize) {
      pieces.emplace_back();
      size = 0;
    }
    for (BasicBlock *block : dominated[candidate]) {
      pieces.back().insert(block);
      size += block->size();
    }
  }
}

/// Leaves the blocks out that others come to, as that where errors end up.
void FunctionSplitter::dropOtherEntries(Piece &piece) {
  SmallVector<BasicBlock *> work(piece.begin(), piece.end());
  BasicBlock *first = work.front();
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (block == first || !piece.contains(block) ||
        all_of(predecessors(block),
               [&](BasicBlock *from) { return piece.contains(from); }))
      continue;
    piece.remove(block);
    append_range(work, successors(block));
  }
}

/// Returns whether what a piece has on the stack can be in its own frame; a
/// slot that is used elsewhere, too, moves to that of the function.
bool FunctionSplitter::keepStack(Piece &piece) {
  auto isUsedOutside = [&](const Instruction &inner) {
    return any_of(inner.users(), [&](const User *user) {
      return !piece.contains(cast<Instruction>(user)->getParent());
    });
  };
  SmallVector<AllocaInst *> shared;
  for (BasicBlock *block : piece)
    for (Instruction &inner : *block) {
      if (auto *call = dyn_cast<IntrinsicInst>(&inner))
        if (call->getIntrinsicID() == Intrinsic::stacksave ||
            call->getIntrinsicID() == Intrinsic::stackrestore)
          return false;
      auto *slot = dyn_cast<AllocaInst>(&inner);
      if (!slot || !isUsedOutside(inner))
        continue;
      if (loops.getLoopFor(block) || !isa<ConstantInt>(slot->getArraySize()))
        return false;
      shared.push_back(slot);
    }
  for (AllocaInst *slot : shared)
    slot->moveBefore(function.getEntryBlock().getFirstInsertionPt());
  return true;
}

/// The block in which an operand is read.
static BasicBlock *getReadingBlock(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use) : user->getParent();
}

/// Returns whether another piece reads the operand than that which has it.
bool FunctionSplitter::isReadElsewhere(const Use &use) const {
  return pieceOf.lookup(cast<Instruction>(use.get())->getParent()) !=
         pieceOf.lookup(getReadingBlock(use));
}

/// The block where what another piece has is loaded for an operand: that before
/// the loops around it, if it belongs to the piece.
BasicBlock *FunctionSplitter::getLoadingBlock(const Use &use) const {
  BasicBlock *block = getReadingBlock(use);
  Loop *loop = loops.getLoopFor(block);
  BasicBlock *before =
      loop ? loop->getOutermostLoop()->getLoopPredecessor() : nullptr;
  bool isBefore = before && pieceOf.lookup(before) == pieceOf.lookup(block) &&
                  tree.dominates(cast<Instruction>(use.get()), before);
  return isBefore ? before : block;
}

/// Finds what can be computed anywhere in the function from its arguments: what
/// is loaded through them and does not change, and descriptors made of that.
static SetVector<Instruction *> findArgumentLoads(Function &function) {
  SetVector<Instruction *> found;
  for (BasicBlock *block : depth_first(&function))
    for (Instruction &inner : *block) {
      bool mayRepeat =
          isa<CastInst, GetElementPtrInst, InsertValueInst, ExtractValueInst>(
              inner) ||
          (isa<LoadInst>(inner) &&
           inner.hasMetadata(LLVMContext::MD_invariant_load));
      if (mayRepeat && all_of(inner.operands(), [&](Value *operand) {
            auto *computed = dyn_cast<Instruction>(operand);
            return computed ? found.contains(computed)
                            : isa<Argument, Constant>(operand);
          }))
        found.insert(&inner);
    }
  return found;
}

/// Loads what comes from arguments again in each block that reads it, where
/// another piece has it: with hundreds of arguments, what is handed on would
/// meet in one block.
void FunctionSplitter::repeatLoads() {
  SetVector<Instruction *> loads = findArgumentLoads(function);
  DenseMap<std::pair<BasicBlock *, Instruction *>, Instruction *> copies;
  DenseMap<BasicBlock *, Instruction *> places;
  auto getCopy = [&](auto &getCopy, BasicBlock *block,
                     Instruction *load) -> Instruction * {
    auto [entry, isNew] = copies.try_emplace({block, load});
    if (!isNew)
      return entry->second;
    Instruction *copy = load->clone();
    for (Use &operand : copy->operands())
      if (auto *computed = dyn_cast<Instruction>(operand.get()))
        operand.set(getCopy(getCopy, block, computed));
    auto [place, isFirst] = places.try_emplace(block);
    if (isFirst)
      place->second = &*block->getFirstInsertionPt();
    copy->insertBefore(place->second->getIterator());
    return copies[{block, load}] = copy;
  };
  for (Instruction *load : reverse(loads)) {
    for (Use &use : make_early_inc_range(load->uses()))
      if (isReadElsewhere(use))
        use.set(getCopy(getCopy, getLoadingBlock(use), load));
    if (load->use_empty())
      load->eraseFromParent();
  }
}

/// Hands what one piece computes and another one reads on through a structure
/// on the stack: as arguments, hundreds of values would meet in one block.
void FunctionSplitter::storeShared() {
  MapVector<Instruction *, SmallVector<Use *>> shared;
  for (BasicBlock &block : function)
    for (Instruction &inner : block)
      for (Use &use : inner.uses())
        if (!isa<AllocaInst>(inner) && isReadElsewhere(use))
          shared[&inner].push_back(&use);
  SmallVector<Type *> types;
  for (auto &[value, uses] : shared)
    types.push_back(value->getType());
  if (types.empty())
    return;
  auto *type = StructType::get(function.getContext(), types);
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  Value *frame = builder.CreateAlloca(type, nullptr, "shared");
  for (auto [field, entry] : enumerate(shared)) {
    auto &[value, uses] = entry;
    DenseMap<BasicBlock *, Value *> loads;
    for (Use *use : uses) {
      BasicBlock *block = getLoadingBlock(*use);
      Value *&load = loads[block];
      if (!load) {
        builder.SetInsertPoint(block, block->getFirstInsertionPt());
        load = builder.CreateLoad(value->getType(),
                                  builder.CreateStructGEP(type, frame, field));
      }
      use->set(load);
    }
    builder.SetInsertPoint(*value->getInsertionPointAfterDef());
    builder.CreateStore(value, builder.CreateStructGEP(type, frame, field));
  }
}

void FunctionSplitter::extract(Piece &piece,
                               const CodeExtractorAnalysisCache &cache) {
  CodeExtractor extractor(piece.getArrayRef(), /*DT=*/nullptr,
                          /*AggregateArgs=*/false, /*BFI=*/nullptr,
                          /*BPI=*/nullptr, /*AC=*/nullptr,
                          /*AllowVarArgs=*/false, /*AllowAlloca=*/true,
                          /*AllocationBlock=*/nullptr, "piece");
  if (!extractor.isEligible())
    return;
  if (Function *made = extractor.extractCodeRegion(cache))
    made->addFnAttr(Attribute::NoInline);
}

/// Simplifies first: a value in the stack, or one that is computed twice, would
/// be handed from piece to piece.
static void simplify(Function &function) {
  PassBuilder builder;
  FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass());
  passes.run(function, analyses);
}

/// Has each way to the end of a function return by itself: nothing but what
/// they meet in is behind all of them.
static void separateReturns(Function &function) {
  SmallVector<BasicBlock *> exits;
  for (BasicBlock &block : function)
    if (isa<ReturnInst>(block.getTerminator()) && !block.phis().empty())
      exits.push_back(&block);
  for (BasicBlock *exit : exits)
    for (BasicBlock *from :
         drop_begin(SmallVector<BasicBlock *>(predecessors(exit)))) {
      ValueToValueMapTy copies;
      BasicBlock *copy = CloneBasicBlock(exit, copies, "", &function);
      for (PHINode &phi : exit->phis()) {
        cast<Instruction>(copies[&phi])->eraseFromParent();
        copies[&phi] = phi.getIncomingValueForBlock(from);
      }
      for (Instruction &inner : *copy)
        RemapInstruction(&inner, copies,
                         RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      from->getTerminator()->replaceSuccessorWith(exit, copy);
      exit->removePredecessor(from, /*KeepOneInputPHIs=*/true);
    }
}

/// Puts a function into what calls it from its only place, as the thunk of an
/// entry, where each argument is several values.
static void inlineIntoCaller(Function &function) {
  if (!function.hasLocalLinkage() || !function.hasOneUse() ||
      function.hasFnAttribute(Attribute::NoInline))
    return;
  auto *call = dyn_cast<CallInst>(*function.user_begin());
  if (!call || call->getCalledFunction() != &function ||
      call->getFunction() == &function)
    return;
  Function &caller = *call->getFunction();
  InlineFunctionInfo info;
  if (!InlineFunction(*call, info).isSuccess())
    return;
  function.eraseFromParent();
  separateReturns(caller);
}

void tally::splitLongFunctions(Module &module) {
  size_t pieceSize = getPieceSize();
  // The bodies of parallel loops are whole for each processor.
  auto bodies = findParallelBodies(module);
  auto isLong = [&](Function &function) {
    return !bodies.contains(&function) &&
           function.getInstructionCount() > 2 * pieceSize;
  };
  for (Function &function : make_early_inc_range(module))
    if (isLong(function))
      inlineIntoCaller(function);
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (isLong(function))
      functions.push_back(&function);
  for (Function *function : functions) {
    EliminateUnreachableBlocks(*function);
    simplify(*function);
    FunctionSplitter(*function, pieceSize).run();
  }
}
