//===- CodeParts.cpp - A module in parts that are compiled apart ----------===//

#include "CodeParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

/// A part has so many instructions at least, before bodies have versions, and
/// there are at most so many parts.
static constexpr size_t kMinInstructions = 500;
static constexpr size_t kMaxParts = 16;
/// Constants up to this size are copied to the parts that read them, so that
/// they can be folded there.
static constexpr uint64_t kMaxCopiedBytes = 256;

namespace {

class CodeSplitter {
public:
  CodeSplitter(Module &module, StringRef prefix)
      : module(module), prefix(prefix) {}

  SmallVector<SmallString<0>> run() {
    findConstructors();
    SmallVector<Function *> alone;
    size_t size = 0;
    for (Function &function : module)
      if (standsAlone(function)) {
        alone.push_back(&function);
        size += function.getInstructionCount();
      }
    size_t count = std::min({size / kMinInstructions, kMaxParts, alone.size()});
    SmallVector<SmallString<0>> parts(count < 2 ? 0 : count);
    if (parts.empty())
      return parts;
    exportWhatIsShared(alone);
    for (size_t part = 0; part < count; ++part) {
      SmallPtrSet<const GlobalValue *, 16> chosen;
      for (size_t i = part; i < alone.size(); i += count)
        chosen.insert(alone[i]);
      writePart(chosen, parts[part]);
    }
    for (Function *function : alone)
      function->deleteBody();
    return parts;
  }

private:
  void findConstructors() {
    if (GlobalVariable *list = module.getNamedGlobal("llvm.global_ctors"))
      if (auto *entries = dyn_cast<ConstantArray>(list->getInitializer()))
        for (Value *entry : entries->operands())
          constructors.insert(cast<Constant>(entry)->getAggregateElement(1u));
  }

  /// Whether a function is only known by its address and calls nothing that
  /// could be inlined.
  bool standsAlone(const Function &function) const {
    if (function.isDeclaration() || !function.hasLocalLinkage() ||
        constructors.contains(&function))
      return false;
    bool isCalled = any_of(function.users(), [&](const User *user) {
      auto *call = dyn_cast<CallBase>(user);
      return call && call->getCalledFunction() == &function;
    });
    return !isCalled && all_of(instructions(function), [](const auto &inner) {
      auto *call = dyn_cast<CallBase>(&inner);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      return !callee || callee->isDeclaration();
    });
  }

  bool isCopied(const GlobalValue &value) const {
    auto *variable = dyn_cast<GlobalVariable>(&value);
    return variable && variable->isConstant() &&
           variable->hasDefinitiveInitializer() &&
           variable->hasLocalLinkage() &&
           isa<ConstantData>(variable->getInitializer()) &&
           module.getDataLayout().getTypeAllocSize(variable->getValueType()) <=
               kMaxCopiedBytes;
  }

  /// Functions that leave, and what they use of the module, become symbols that
  /// the linker knows, of this library alone.
  void exportWhatIsShared(ArrayRef<Function *> alone) {
    SetVector<GlobalValue *> shared(alone.begin(), alone.end());
    SmallVector<const Constant *> work;
    SmallPtrSet<const Constant *, 32> seen;
    auto visit = [&](const Value *value) {
      auto *constant = dyn_cast<Constant>(value);
      if (!constant || !seen.insert(constant).second)
        return;
      if (auto *global = dyn_cast<GlobalValue>(constant))
        shared.insert(const_cast<GlobalValue *>(global));
      else
        work.push_back(constant);
    };
    for (Function *function : alone)
      for (const Instruction &inner : instructions(function))
        for (const Value *operand : inner.operands())
          visit(operand);
    while (!work.empty())
      for (const Value *operand : work.pop_back_val()->operands())
        visit(operand);
    for (GlobalValue *value : shared) {
      if (!value->hasLocalLinkage() || isCopied(*value))
        continue;
      value->setName(prefix + "." + value->getName());
      value->setLinkage(GlobalValue::ExternalLinkage);
      value->setVisibility(GlobalValue::HiddenVisibility);
    }
  }

  void writePart(const SmallPtrSetImpl<const GlobalValue *> &chosen,
                 SmallString<0> &part) const {
    ValueToValueMapTy map;
    std::unique_ptr<Module> copy =
        CloneModule(module, map, [&](const GlobalValue *value) {
          return chosen.contains(value) || isCopied(*value);
        });
    for (GlobalVariable &variable : make_early_inc_range(copy->globals()))
      if (variable.use_empty())
        variable.eraseFromParent();
    for (Function &function : make_early_inc_range(copy->functions()))
      if (function.isDeclaration() && function.use_empty())
        function.eraseFromParent();
    raw_svector_ostream os(part);
    WriteBitcodeToFile(*copy, os);
  }

  Module &module;
  std::string prefix;
  SmallPtrSet<const Value *, 4> constructors;
};

} // namespace

SmallVector<SmallString<0>> tally::splitCode(Module &module, StringRef prefix) {
  return CodeSplitter(module, prefix).run();
}
