//===- TargetMachine.cpp - The processor to generate code for -------------===//

#include "TargetMachine.h"
#include "tally/Driver/Driver.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

/// Makes LLVM's code generator for this machine available.
static void initializeNativeTarget() {
  static const bool done = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

/// Makes those for all machines available that LLVM was built for.
static void initializeAllTargets() {
  static const bool done = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
    return true;
  }();
  (void)done;
}

static Expected<std::unique_ptr<TargetMachine>> createNativeMachine() {
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setRelocationModel(Reloc::PIC_);
  builder->setCodeGenOptLevel(CodeGenOptLevel::Aggressive);
  return builder->createTargetMachine();
}

Expected<std::unique_ptr<TargetMachine>>
tally::createTargetMachine(StringRef cpu, StringRef wanted) {
  Triple triple(wanted.empty() ? sys::getDefaultTargetTriple()
                               : Triple::normalize(wanted));
  bool isNative = isThisMachine(wanted);
  isNative ? initializeNativeTarget() : initializeAllTargets();
  if (cpu == "native") {
    if (isNative)
      return createNativeMachine();
    return createStringError(
        "'native' is a processor of this machine, not of '" + triple.str() +
        "'");
  }
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError("no code can be generated for '" + triple.str() +
                             "': " + error);
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!info || !info->isCPUStringValid(cpu))
    return createStringError("unknown processor '" + cpu.str() + "'" +
                             (isNative ? "" : " of '" + triple.str() + "'"));
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpu, "", TargetOptions(), Reloc::PIC_,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}

bool tally::isThisMachine(StringRef triple) {
  if (triple.empty())
    return true;
  Triple wanted(Triple::normalize(triple));
  Triple here(sys::getDefaultTargetTriple());
  return wanted.getArch() == here.getArch() && wanted.getOS() == here.getOS() &&
         wanted.getEnvironment() == here.getEnvironment();
}
