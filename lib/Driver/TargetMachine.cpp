//===- TargetMachine.cpp - The processor to generate code for -------------===//

#include "TargetMachine.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

/// Makes LLVM's code generator for this machine available.
static void initializeTarget() {
  static const bool done = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

Expected<std::unique_ptr<TargetMachine>>
tally::createTargetMachine(StringRef cpu) {
  initializeTarget();
  if (cpu == "native") {
    auto builder = orc::JITTargetMachineBuilder::detectHost();
    if (!builder)
      return builder.takeError();
    builder->setRelocationModel(Reloc::PIC_);
    builder->setCodeGenOptLevel(CodeGenOptLevel::Aggressive);
    return builder->createTargetMachine();
  }
  Triple triple(sys::getDefaultTargetTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, cpu, ""));
  if (!info || !info->isCPUStringValid(cpu))
    return createStringError("unknown processor '" + cpu.str() + "'");
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpu, "", TargetOptions(), Reloc::PIC_,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}
