//===- ProcessorLevels.cpp - Kernels for several processors ---------------===//

#include "ProcessorLevels.h"

#include "ParallelBodies.h"

#include "tally/Runtime/RuntimeFunctions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

/// Makes the versions, and what chooses among them.
class LevelBuilder {
public:
  explicit LevelBuilder(Module &module)
      : module(module), builder(module.getContext()),
        pointer(builder.getPtrTy()) {}

  void run() {
    bodies = tally::findParallelBodies(module);
    if (bodies.empty())
      return;
    startConstructor();
    for (auto &[body, uses] : bodies)
      addVersions(*body, uses);
    builder.CreateRetVoid();
  }

private:
  void startConstructor() {
    auto *constructor = Function::Create(
        FunctionType::get(builder.getVoidTy(), false),
        GlobalValue::InternalLinkage, "tally_choose_versions", module);
    appendToGlobalCtors(module, constructor, /*Priority=*/65535);
    builder.SetInsertPoint(
        BasicBlock::Create(module.getContext(), "", constructor));
    FunctionCallee getLevel = module.getOrInsertFunction(
        tally::runtime_functions::kProcessorLevel.name,
        FunctionType::get(builder.getInt32Ty(), false));
    Value *level = builder.CreateCall(getLevel);
    hasV3 = builder.CreateICmpSGE(level, builder.getInt32(3));
    hasV4 = builder.CreateICmpSGE(level, builder.getInt32(4));
  }

  Function *cloneFor(Function &body, StringRef cpu, StringRef suffix) {
    ValueToValueMapTy map;
    Function *version = CloneFunction(&body, map);
    version->setName(body.getName() + suffix);
    version->setLinkage(GlobalValue::InternalLinkage);
    version->addFnAttr("target-cpu", cpu);
    return version;
  }

  void addVersions(Function &body, ArrayRef<Use *> uses) {
    Function *v3 = cloneFor(body, "x86-64-v3", "_v3");
    Function *v4 = cloneFor(body, "x86-64-v4", "_v4");
    // Half of the width is preferred for processors that are slowed down.
    v4->addFnAttr("prefer-vector-width", "512");
    v4->addFnAttr("target-features", "+prefer-no-gather,+prefer-no-scatter");
    auto *chosen = new GlobalVariable(module, pointer, /*isConstant=*/false,
                                      GlobalValue::InternalLinkage, &body,
                                      body.getName() + "_version");
    Value *version = builder.CreateSelect(hasV3, v3, &body);
    builder.CreateStore(builder.CreateSelect(hasV4, v4, version), chosen);
    for (Use *use : uses) {
      IRBuilder<> before(cast<Instruction>(use->getUser()));
      use->set(before.CreateLoad(pointer, chosen));
    }
  }

  Module &module;
  IRBuilder<> builder;
  Type *pointer;
  Value *hasV3 = nullptr, *hasV4 = nullptr;
  MapVector<Function *, SmallVector<Use *>> bodies;
};

} // namespace

void tally::addProcessorLevels(Module &module) {
  if (Triple(module.getTargetTriple()).getArch() == Triple::x86_64)
    LevelBuilder(module).run();
}
