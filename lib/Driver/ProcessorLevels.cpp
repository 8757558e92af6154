//===- ProcessorLevels.cpp - Kernels for several processors ---------------===//

#include "ProcessorLevels.h"

#include "ParallelBodies.h"

#include "tally/Runtime/RuntimeFunctions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

static constexpr StringLiteral kAVX2 = "x86-64-v3", kAVX512 = "x86-64-v4";

/// The number that the runtime has for a level; 0 if there is none.
static unsigned getNumber(StringRef level) {
  return StringSwitch<unsigned>(level)
      .Case("x86-64", 1)
      .Case(kAVX2, 3)
      .Case(kAVX512, 4)
      .Default(0);
}

namespace {

/// Makes the versions, and what chooses among them.
class LevelBuilder {
public:
  LevelBuilder(Module &module, ArrayRef<StringRef> levels)
      : module(module), levels(levels), builder(module.getContext()),
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
    for (StringRef name : levels)
      hasLevel.push_back(
          builder.CreateICmpSGE(level, builder.getInt32(getNumber(name))));
  }

  Function *cloneFor(Function &body, StringRef level) {
    ValueToValueMapTy map;
    Function *version = CloneFunction(&body, map);
    version->setName(body.getName() + "_" + level.rsplit('-').second);
    version->setLinkage(GlobalValue::InternalLinkage);
    version->addFnAttr("target-cpu", level);
    if (level == kAVX512) {
      // Half of the width is preferred for processors that are slowed down.
      version->addFnAttr("prefer-vector-width", "512");
      version->addFnAttr("target-features",
                         "+prefer-no-gather,+prefer-no-scatter");
    }
    return version;
  }

  void addVersions(Function &body, ArrayRef<Use *> uses) {
    Value *version = &body;
    for (auto [level, isThere] : zip_equal(levels, hasLevel))
      version = builder.CreateSelect(isThere, cloneFor(body, level), version);
    auto *chosen = new GlobalVariable(module, pointer, /*isConstant=*/false,
                                      GlobalValue::InternalLinkage, &body,
                                      body.getName() + "_version");
    builder.CreateStore(version, chosen);
    for (Use *use : uses) {
      IRBuilder<> before(cast<Instruction>(use->getUser()));
      use->set(before.CreateLoad(pointer, chosen));
    }
  }

  Module &module;
  ArrayRef<StringRef> levels;
  IRBuilder<> builder;
  Type *pointer;
  /// Whether the processor has each of the levels.
  SmallVector<Value *> hasLevel;
  MapVector<Function *, SmallVector<Use *>> bodies;
};

} // namespace

void tally::addProcessorLevels(Module &module, ArrayRef<StringRef> levels) {
  if (!levels.empty() &&
      Triple(module.getTargetTriple()).getArch() == Triple::x86_64)
    LevelBuilder(module, levels).run();
}

Expected<tally::Processors> tally::getProcessors(StringRef cpu) {
  if (cpu == "generic")
    return Processors{cpu.str(), {kAVX2, kAVX512}};
  SmallVector<StringRef> names;
  cpu.split(names, ',');
  if (names.size() > 1) {
    auto isAscending = [](ArrayRef<StringRef> names) {
      return is_sorted(names, [](StringRef a, StringRef b) {
        return getNumber(a) <= getNumber(b);
      });
    };
    if (any_of(names, [](StringRef name) { return getNumber(name) == 0; }) ||
        !isAscending(names))
      return createStringError(
          "--cpu=" + cpu.str() +
          " is no list of levels of x86-64: x86-64, x86-64-v3 and x86-64-v4, "
          "the least first");
  }
  return Processors{names.front().str(),
                    SmallVector<StringRef>(drop_begin(names))};
}
