//===- ProcessorLevels.cpp - Kernels for several processors ---------------===//

#include "ProcessorLevels.h"

#include "GatheringLoops.h"
#include "ParallelBodies.h"
#include "SerialLoops.h"

#include "tally/Runtime/RuntimeFunctions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

/// Followed by a level, the attribute of a body that names its version.
static constexpr StringLiteral kVersionAttr = "tally-version-";
static constexpr StringLiteral kAVX2 = "x86-64-v3", kAVX512 = "x86-64-v4";
/// AVX-512 of a processor that gathers elements faster than it loads them one
/// by one.
static constexpr StringLiteral kGathers = "x86-64-v4-gathers";

/// The number that the runtime has for a level that can be asked for; 0 if
/// there is none.
static unsigned getNumber(StringRef level) {
  return StringSwitch<unsigned>(level)
      .Case("x86-64", 1)
      .Case(kAVX2, 3)
      .Case(kAVX512, 4)
      .Default(0);
}

/// `x86-64-v3` makes `_v3`, `x86-64-v4-gathers` makes `_gathers`.
static std::string getSuffix(StringRef level) {
  return ("_" + level.rsplit('-').second).str();
}

namespace {

/// Declares the versions, and makes what chooses among them.
class LevelBuilder {
public:
  LevelBuilder(Module &module, StringRef prefix, ArrayRef<StringRef> wanted)
      : module(module), prefix(prefix), levels(wanted),
        builder(module.getContext()), pointer(builder.getPtrTy()) {
    if (is_contained(levels, kAVX512))
      levels.push_back(kGathers);
  }

  void run() {
    bodies = tally::findParallelBodies(module);
    SmallVector<Function *> parallel(make_first_range(bodies));
    for (Function *loop : tally::extractSerialLoops(module, parallel))
      bodies[loop].push_back(
          &cast<CallBase>(*loop->user_begin())->getCalledOperandUse());
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
      hasLevel.push_back(builder.CreateICmpSGE(
          level, builder.getInt32(name == kGathers ? 5 : getNumber(name))));
  }

  /// Declares the version of a body for a level, and notes it at the body.
  Function *declareVersion(Function &body, StringRef level) {
    std::string name = (prefix + "." + body.getName() + getSuffix(level)).str();
    body.addFnAttr((kVersionAttr + level).str(), name);
    auto *version = cast<Function>(
        module.getOrInsertFunction(name, body.getFunctionType()).getCallee());
    version->setVisibility(GlobalValue::HiddenVisibility);
    return version;
  }

  void addVersions(Function &body, ArrayRef<Use *> uses) {
    Value *version = &body;
    bool gathers = tally::gathersElements(body);
    for (auto [level, isThere] : zip_equal(levels, hasLevel))
      if (level != kGathers || gathers)
        version =
            builder.CreateSelect(isThere, declareVersion(body, level), version);
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
  StringRef prefix;
  SmallVector<StringRef> levels;
  IRBuilder<> builder;
  Type *pointer;
  /// Whether the processor has each of the levels.
  SmallVector<Value *> hasLevel;
  MapVector<Function *, SmallVector<Use *>> bodies;
};

} // namespace

void tally::declareVersions(Module &module, StringRef prefix,
                            ArrayRef<StringRef> levels) {
  if (!levels.empty() &&
      Triple(module.getTargetTriple()).getArch() == Triple::x86_64)
    LevelBuilder(module, prefix, levels).run();
}

/// LLVM prefers half of the width that AVX-512 has, for processors that it
/// slows down. Single accesses are as fast as a gather or a scatter on those
/// that are slow at it.
static void tuneForWideVectors(Function &function, StringRef processor) {
  function.addFnAttr("prefer-vector-width", "512");
  if (processor == kAVX512)
    function.addFnAttr("target-features",
                       "+prefer-no-gather,+prefer-no-scatter");
  else if (processor == kGathers)
    function.addFnAttr("target-features", "+prefer-no-scatter");
}

void tally::preferWideVectors(Module &module, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() ||
      !machine.getMCSubtargetInfo()->checkFeatures("+avx512vl"))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      tuneForWideVectors(function, machine.getTargetCPU());
}

static void defineVersion(Function &body, StringRef level, StringRef name) {
  ValueToValueMapTy map;
  Function *version = CloneFunction(&body, map);
  for (StringRef each : {kAVX2, kAVX512, kGathers})
    version->removeFnAttr((kVersionAttr + each).str());
  version->addFnAttr("target-cpu",
                     level == kGathers ? StringRef(kAVX512) : level);
  if (level != kAVX2)
    tuneForWideVectors(*version, level);
  Module &module = *body.getParent();
  if (Function *declared = module.getFunction(name)) {
    // The constructor is here, too.
    declared->replaceAllUsesWith(version);
    declared->eraseFromParent();
    version->setName(body.getName() + getSuffix(level));
    version->setLinkage(GlobalValue::InternalLinkage);
    version->setVisibility(GlobalValue::DefaultVisibility);
    return;
  }
  version->setName(name);
  version->setLinkage(GlobalValue::ExternalLinkage);
  version->setVisibility(GlobalValue::HiddenVisibility);
}

void tally::defineVersions(Module &module) {
  SmallVector<Function *> bodies;
  for (Function &function : module)
    if (!function.isDeclaration())
      bodies.push_back(&function);
  for (Function *body : bodies)
    for (StringRef level : {kAVX2, kAVX512, kGathers})
      if (Attribute name = body->getFnAttribute((kVersionAttr + level).str());
          name.isValid())
        defineVersion(*body, level, name.getValueAsString());
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
