//===- Optimize.cpp - LLVM's optimizations --------------------------------===//

#include "Optimize.h"

#include "MaskedTails.h"

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

/// Whether a loop is left to the vectorizer: it runs often enough, and writes
/// what other iterations do not read, which is forgotten when it is unrolled.
static bool isForVectors(const Loop &loop) {
  const BasicBlock *body = loop.getLoopLatch();
  if (!body || loop.getNumBlocks() != 1 || !loop.isAnnotatedParallel() ||
      none_of(*body,
              [](const Instruction &each) { return isa<StoreInst>(each); }))
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
} // namespace

void tally::optimizeCode(Module &code, TargetMachine &machine, unsigned level) {
  static const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  static WithoutStrengthReduction gate;
  if (machine.getTargetTriple().isX86())
    code.getContext().setOptPassGate(gate);
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
  builder
      .buildPerModuleDefaultPipeline(
          levels[std::min<size_t>(level, std::size(levels) - 1)])
      .run(code, modules);
}
