//===- MaskedTails.cpp - What is left of a loop, in one step --------------===//

#include "MaskedTails.h"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>
#include <optional>

using namespace llvm;

/// The elements of a shorter body take less, one by one, than a mask.
static constexpr unsigned kFewestOperations = 12;
/// So do fewer elements than these.
static constexpr unsigned kFewestMasked = 3;
/// The vectors that are taken at once, so that sums do not wait for each other,
/// and the most elements that these have.
static constexpr unsigned kMostVectors = 4, kMostElements = 64;
/// The bits of a vector where there are registers of masks.
static constexpr unsigned kMaskedBits = 512;

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

namespace {

/// Finds loops whose tails are worth a mask.
class LoopFinder {
public:
  LoopFinder(Function &function, FunctionAnalysisManager &analyses)
      : target(analyses.getResult<TargetIRAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)),
        dominance(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)) {}

  bool hasMasks() const {
    return target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
               .getFixedValue() >= kMaskedBits;
  }

  /// Gives each loop a block before it and one behind it that are its own: two
  /// branches with a loop each may have joined in one. Returns whether code was
  /// changed.
  bool simplify() {
    bool isChanged = false;
    for (Loop *loop : loops)
      isChanged |= simplifyLoop(loop, &dominance, &loops, &evolution,
                                /*AC=*/nullptr, /*MSSAU=*/nullptr,
                                /*PreserveLCSSA=*/false);
    return isChanged;
  }

  /// Pairs of a loop and the number of its elements in a vector.
  SmallVector<std::pair<Loop *, unsigned>> find() {
    SmallVector<std::pair<Loop *, unsigned>> found;
    for (Loop *loop : loops.getLoopsInPreorder())
      if (unsigned lanes = getLanes(*loop))
        found.push_back({loop, lanes});
    return found;
  }

  /// Computes how often a loop runs, in front of it; its results get phis.
  Value *prepare(Loop &loop) {
    formLCSSA(loop, dominance, &loops, &evolution);
    const SCEV *last = evolution.getBackedgeTakenCount(&loop);
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    Value *count = SCEVExpander(evolution, "count")
                       .expandCodeFor(last, last->getType(), before);
    return IRBuilder<>(before).CreateAdd(count,
                                         ConstantInt::get(last->getType(), 1));
  }

private:
  /// How many elements a vector has; 0 where the loop is left alone.
  unsigned getLanes(Loop &loop) {
    BasicBlock *body = loop.getHeader();
    if (!loop.isInnermost() || loop.getLoopDepth() == 1 ||
        loop.getNumBlocks() != 1 || !loop.getLoopPreheader() ||
        !loop.hasDedicatedExits() || !loop.getExitBlock() ||
        !isa<BranchInst>(body->getTerminator()))
      return 0;
    const SCEV *last = evolution.getBackedgeTakenCount(&loop);
    if (isa<SCEVCouldNotCompute>(last) || !last->getType()->isIntegerTy(64) ||
        !SCEVExpander(evolution, "count").isSafeToExpand(last))
      return 0;
    unsigned widest = 0, operations = 0;
    bool stores = false;
    for (Instruction &instruction : *body) {
      std::optional<unsigned> bits = getBits(instruction, loop);
      if (!bits)
        return 0;
      widest = std::max(widest, *bits);
      stores |= isa<StoreInst>(instruction);
      operations += !isa<PHINode>(instruction) &&
                    instruction.getType()->isFloatingPointTy();
    }
    // The vectorizer would ask twice whether buffers overlap.
    if (widest == 0 || operations < kFewestOperations ||
        (stores && !loop.isAnnotatedParallel()))
      return 0;
    unsigned lanes = kMaskedBits / widest;
    const SCEV *count =
        evolution.getAddExpr(last, evolution.getOne(last->getType()));
    bool isWhole =
        evolution
            .getURemExpr(count, evolution.getConstant(last->getType(), lanes))
            ->isZero();
    return isWhole ? 0 : lanes;
  }

  /// The bits of an element that an instruction reads, writes or carries; 0 for
  /// others, none for those that are not vectorized.
  std::optional<unsigned> getBits(Instruction &instruction, Loop &loop) {
    if (auto *phi = dyn_cast<PHINode>(&instruction))
      return getCarriedBits(*phi, loop);
    if (isa<LoadInst, StoreInst>(instruction))
      return getAccessedBits(instruction, loop);
    if (instruction.mayReadOrWriteMemory() ||
        (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)))
      return std::nullopt;
    return 0;
  }

  std::optional<unsigned> getCarriedBits(PHINode &phi, Loop &loop) {
    InductionDescriptor induction;
    if (InductionDescriptor::isInductionPHI(&phi, &loop, &evolution, induction))
      return 0;
    RecurrenceDescriptor reduction;
    if (!RecurrenceDescriptor::isReductionPHI(&phi, &loop, reduction) ||
        reduction.hasExactFPMath())
      return std::nullopt;
    return phi.getType()->getScalarSizeInBits();
  }

  /// Whether an access is of neighbors in memory, or of the same for all of the
  /// loop: a mask for others is a branch for each element.
  bool isAlong(Instruction &access, const Loop &loop) {
    const SCEV *place = evolution.getSCEV(getLoadStorePointerOperand(&access));
    if (evolution.isLoopInvariant(place, &loop))
      return isa<LoadInst>(access);
    auto *moving = dyn_cast<SCEVAddRecExpr>(place);
    auto *step =
        moving && moving->getLoop() == &loop
            ? dyn_cast<SCEVConstant>(moving->getStepRecurrence(evolution))
            : nullptr;
    return step && step->getAPInt() ==
                       getLoadStoreType(&access)->getScalarSizeInBits() / 8;
  }

  std::optional<unsigned> getAccessedBits(Instruction &access,
                                          const Loop &loop) {
    Type *type = getLoadStoreType(&access);
    unsigned bits = type->getScalarSizeInBits();
    if (bits < 8 || kMaskedBits % bits != 0 || !isAlong(access, loop))
      return std::nullopt;
    auto *vector = FixedVectorType::get(type, kMaskedBits / bits);
    Align alignment = getLoadStoreAlignment(&access);
    unsigned space = getLoadStoreAddressSpace(&access);
    bool isLegal = isa<LoadInst>(access)
                       ? target.isLegalMaskedLoad(vector, alignment, space)
                       : target.isLegalMaskedStore(vector, alignment, space);
    return isLegal ? std::optional(bits) : std::nullopt;
  }

  const TargetTransformInfo &target;
  LoopInfo &loops;
  DominatorTree &dominance;
  ScalarEvolution &evolution;
};

} // namespace

//===----------------------------------------------------------------------===//
// Splitting them
//===----------------------------------------------------------------------===//

/// Gives a loop of one block an identity of its own, and a wish.
static void setWish(BasicBlock &body, StringRef name, unsigned value) {
  Instruction &branch = *body.getTerminator();
  LLVMContext &context = branch.getContext();
  SmallVector<Metadata *> wishes{nullptr};
  if (MDNode *old = branch.getMetadata(LLVMContext::MD_loop))
    append_range(wishes, drop_begin(old->operands()));
  wishes.push_back(
      MDNode::get(context, {MDString::get(context, name),
                            ConstantAsMetadata::get(ConstantInt::get(
                                Type::getInt32Ty(context), value))}));
  MDNode *loop = MDNode::getDistinct(context, wishes);
  loop->replaceOperandWith(0, loop);
  branch.setMetadata(LLVMContext::MD_loop, loop);
}

/// Has a loop of one block run `count` times.
static void setTripCount(BasicBlock &body, BasicBlock &before,
                         BasicBlock &after, Value *count) {
  Type *type = count->getType();
  auto *phi = PHINode::Create(type, 2, "", body.begin());
  auto *branch = cast<BranchInst>(body.getTerminator());
  IRBuilder<> builder(branch);
  Value *next = builder.CreateAdd(phi, ConstantInt::get(type, 1), "",
                                  /*HasNUW=*/true);
  phi->addIncoming(ConstantInt::get(type, 0), &before);
  phi->addIncoming(next, &body);
  branch->setCondition(builder.CreateICmpEQ(next, count));
  branch->setSuccessor(0, &after);
  branch->setSuccessor(1, &body);
}

namespace {

/// Splits a loop of one block:
///
///   before:  br (count is less), between, whole
///   whole:   ...                    ; whole times, vectors
///   middle:  br (rest == 0), exit, between
///   between: br (rest < kFewestMasked), few, body
///   few:     ...                    ; rest times, one by one
///   body:    ...                    ; rest times, with masks
class LoopSplitter {
public:
  LoopSplitter(Loop &loop, Value *count, unsigned lanes)
      : body(loop.getHeader()), before(loop.getLoopPreheader()),
        exit(loop.getExitBlock()), count(count), lanes(lanes),
        vectors(std::clamp(kMostElements / lanes, 1u, kMostVectors)),
        builder(before->getTerminator()) {}

  void run() {
    auto *zero = ConstantInt::get(count->getType(), 0);
    Value *rest = builder.CreateAnd(count, lanes * vectors - 1);
    Value *wholeCount = builder.CreateSub(count, rest);
    Value *isShort = builder.CreateICmpULT(
        count, ConstantInt::get(count->getType(), lanes * vectors));
    BasicBlock *middle = createBlock("middle"),
               *between = createBlock("between");
    ValueToValueMapTy wholeMap, fewMap;
    BasicBlock *whole = cloneBody(".whole", wholeMap, middle),
               *few = cloneBody(".few", fewMap, body);
    builder.CreateCondBr(isShort, between, whole);
    before->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(middle);
    builder.CreateCondBr(builder.CreateICmpEQ(rest, zero), exit, between);
    builder.SetInsertPoint(between);
    for (auto [phi, ofWhole, ofFew] :
         zip_equal(body->phis(), whole->phis(), few->phis())) {
      Value *carried = phi.getIncomingValueForBlock(body);
      PHINode *joined = builder.CreatePHI(phi.getType(), 2);
      joined->addIncoming(phi.getIncomingValueForBlock(before), before);
      joined->addIncoming(lookUp(carried, wholeMap), middle);
      for (PHINode *each : {&phi, &ofFew}) {
        each->setIncomingValueForBlock(before, joined);
        each->replaceIncomingBlockWith(before, between);
      }
    }
    Value *areFew = builder.CreateICmpULT(
        rest, ConstantInt::get(count->getType(), kFewestMasked));
    builder.CreateCondBr(areFew, few, body);
    for (PHINode &phi : exit->phis()) {
      Value *value = phi.getIncomingValueForBlock(body);
      phi.addIncoming(lookUp(value, wholeMap), middle);
      phi.addIncoming(lookUp(value, fewMap), few);
    }
    setTripCount(*whole, *before, *middle, wholeCount);
    setTripCount(*few, *between, *exit, rest);
    setTripCount(*body, *between, *exit, rest);
    setWish(*whole, "llvm.loop.interleave.count", vectors);
    // Nothing is left, which the vectorizer finds out only so.
    setWish(*whole, "llvm.loop.vectorize.predicate.enable", 1);
    setWish(*few, "llvm.loop.vectorize.width", 1);
    setWish(*few, "llvm.loop.unroll.disable", 1);
    setWish(*body, "llvm.loop.vectorize.predicate.enable", 1);
  }

private:
  BasicBlock *createBlock(StringRef name) {
    return BasicBlock::Create(body->getContext(), name, body->getParent(),
                              body);
  }

  BasicBlock *cloneBody(StringRef suffix, ValueToValueMapTy &map,
                        BasicBlock *next) {
    BasicBlock *clone = CloneBasicBlock(body, map, suffix, body->getParent());
    map[body] = clone;
    remapInstructionsInBlocks({clone}, map);
    clone->moveBefore(next);
    return clone;
  }

  /// What a clone has for a value; values from outside stay what they are.
  static Value *lookUp(Value *value, const ValueToValueMapTy &map) {
    Value *mapped = map.lookup(value);
    return mapped ? mapped : value;
  }

  BasicBlock *body, *before, *exit;
  Value *count;
  unsigned lanes, vectors;
  IRBuilder<> builder;
};

} // namespace

PreservedAnalyses tally::MaskTails::run(Function &function,
                                        FunctionAnalysisManager &analyses) {
  LoopFinder finder(function, analyses);
  if (!finder.hasMasks())
    return PreservedAnalyses::all();
  bool isChanged = finder.simplify();
  auto found = finder.find();
  // While the analysis knows all of the code.
  SmallVector<Value *> counts;
  for (auto [loop, lanes] : found)
    counts.push_back(finder.prepare(*loop));
  for (auto [tailed, count] : zip_equal(found, counts))
    LoopSplitter(*tailed.first, count, tailed.second).run();
  return found.empty() && !isChanged ? PreservedAnalyses::all()
                                     : PreservedAnalyses::none();
}
