//===- Optimize.cpp - LLVM's optimizations --------------------------------===//

#include "Optimize.h"

#include "ExpandScales.h"
#include "MaskedTails.h"
#include "ProcessorLevels.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <iterator>

using namespace llvm;

static constexpr unsigned kMostInstructions = 500;

/// The fewest elements that are worth a vector.
static constexpr uint64_t kFewestElements = 8;

/// Whether a value is the index of a loop, or that much further for all.
static bool isIndex(const Loop &loop, const Value *value) {
  if (auto *phi = dyn_cast<PHINode>(value))
    return phi->getParent() == loop.getHeader();
  auto *sum = dyn_cast<BinaryOperator>(value);
  if (!sum || sum->getOpcode() != Instruction::Add)
    return false;
  const Value *a = sum->getOperand(0), *b = sum->getOperand(1);
  return (loop.isLoopInvariant(a) && isIndex(loop, b)) ||
         (loop.isLoopInvariant(b) && isIndex(loop, a));
}

/// Whether what an instruction accesses, if it does, are neighbors in memory,
/// or the same for all of a loop.
static bool isAlong(const Loop &loop, const Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer || loop.isLoopInvariant(pointer))
    return true;
  auto *element = dyn_cast<GetElementPtrInst>(pointer);
  return element && element->getNumIndices() == 1 &&
         element->getSourceElementType() == getLoadStoreType(&access) &&
         loop.isLoopInvariant(element->getPointerOperand()) &&
         isIndex(loop, element->getOperand(1));
}

/// Whether a loop is left to the vectorizer: it runs often enough, and writes
/// neighbors that other iterations do not read, which is forgotten when it is
/// unrolled.
static bool isForVectors(const Loop &loop) {
  const BasicBlock *body = loop.getLoopLatch();
  if (!body || loop.getNumBlocks() != 1 || !loop.isAnnotatedParallel() ||
      none_of(*body,
              [](const Instruction &each) { return isa<StoreInst>(each); }) ||
      !all_of(*body,
              [&](const Instruction &each) { return isAlong(loop, each); }))
    return false;
  auto *branch = dyn_cast<BranchInst>(body->getTerminator());
  auto *end = branch && branch->isConditional()
                  ? dyn_cast<ICmpInst>(branch->getCondition())
                  : nullptr;
  auto *count = end ? dyn_cast<ConstantInt>(end->getOperand(1)) : nullptr;
  return count && count->getValue().uge(kFewestElements);
}

static bool isWorthIt(StringRef pass, Any code) {
  if (auto *loop = any_cast<const Loop *>(&code))
    return pass != "LoopFullUnrollPass" || !isForVectors(**loop);
  auto *function = any_cast<const Function *>(&code);
  return pass != "ConstraintEliminationPass" || !function ||
         (*function)->getInstructionCount() <= kMostInstructions;
}

namespace {
/// Leaves out a pass of code generation.
class WithoutStrengthReduction : public OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "Loop Strength Reduction";
  }
};

/// Makes versions for several processors of what has been simplified, and
/// leaves to each what it has instructions for.
class VersionsPass : public PassInfoMixin<VersionsPass> {
public:
  explicit VersionsPass(const TargetMachine &machine) : machine(machine) {}
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &code, ModuleAnalysisManager &) {
    tally::defineVersions(code);
    tally::expandScales(code, machine);
    return PreservedAnalyses::none();
  }

private:
  const TargetMachine &machine;
};
} // namespace

void tally::optimizeCode(Module &code, TargetMachine &machine, unsigned level) {
  static const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  static WithoutStrengthReduction gate;
  if (machine.getTargetTriple().isX86())
    code.getContext().setOptPassGate(gate);
  preferWideVectors(code, machine);
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(isWorthIt);
  PipelineTuningOptions options;
  options.LoopUnrolling = true;
  options.LoopInterleaving = true;
  options.LoopVectorization = true;
  options.SLPVectorization = true;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, options, std::nullopt, &callbacks);
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(MaskTails());
      });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.registerOptimizerEarlyEPCallback(
      [&](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        passes.addPass(VersionsPass(machine));
      });
  builder
      .buildPerModuleDefaultPipeline(
          levels[std::min<size_t>(level, std::size(levels) - 1)])
      .run(code, modules);
}
