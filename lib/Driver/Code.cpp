//===- Code.cpp - Code in memory and in files -----------------------------===//

#include "tally/Driver/Driver.h"

#include "ProcessorLevels.h"

#include "tally/IR/Tally.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <dlfcn.h>

using namespace mlir;

/// How hard LLVM optimizes; vectorization needs it.
static constexpr unsigned kOptLevel = 3;

/// Makes LLVM's code generator for this machine available.
static void initializeTarget() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

/// Makes a target machine for this system.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(StringRef cpu) {
  initializeTarget();
  if (cpu == "native") {
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder)
      return builder.takeError();
    builder->setRelocationModel(llvm::Reloc::PIC_);
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
    return builder->createTargetMachine();
  }
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, cpu, ""));
  if (!info || !info->isCPUStringValid(cpu))
    return llvm::createStringError("unknown processor '" + cpu.str() + "'");
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

//===----------------------------------------------------------------------===//
// In memory
//===----------------------------------------------------------------------===//

/// Gives compiled code the functions of this process's runtime.
static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner names) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[names(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                            llvm::JITSymbolFlags::Exported};
  };
  add("tally_rt_alloc", &tally_rt_alloc);
  add("tally_rt_free", &tally_rt_free);
  add("tally_rt_fail", &tally_rt_fail);
  add("tally_rt_custom_call", &tally_rt_custom_call);
  add("tally_rt_host_contract", &tally_rt_host_contract);
  add("tally_rt_host_matmul", &tally_rt_host_matmul);
  add("tally_rt_parallel_for", &tally_rt_parallel_for);
  add("tally_rt_invoke", &tally_rt_invoke);
  add("tally_rt_launch", &tally_rt_launch);
  add("tally_rt_read_back", &tally_rt_read_back);
  add("tally_rt_constant", &tally_rt_constant);
  add("tally_rt_copy", &tally_rt_copy);
  add("tally_rt_device_errors", &tally_rt_device_errors);
  add("tally_rt_check_device", &tally_rt_check_device);
  add("tally_rt_matmul", &tally_rt_matmul);
  return symbols;
}

llvm::SmallVector<StringRef> tally::getCustomFunctions(ModuleOp module) {
  SmallVector<StringRef> names;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(attr_names::kCustom))
      names.push_back(function.getName());
  return names;
}

llvm::Expected<void *> tally::loadCustomLibrary(StringRef path) {
  // A name without a folder would be looked for elsewhere.
  llvm::SmallString<128> absolute(path);
  if (!llvm::sys::fs::exists(path) || llvm::sys::fs::make_absolute(absolute))
    return llvm::createStringError("'" + path + "' does not exist");
  // Its functions are there for compiled libraries that are loaded later, too.
  if (void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return handle;
  return llvm::createStringError("'" + path +
                                 "' cannot be loaded: " + dlerror());
}

/// Looks up the custom functions of a module.
static llvm::Expected<std::vector<std::pair<std::string, void *>>>
findCustomFunctions(ModuleOp module, ArrayRef<void *> libraries) {
  std::vector<std::pair<std::string, void *>> functions;
  for (StringRef name : tally::getCustomFunctions(module)) {
    void *address = nullptr;
    for (void *library : libraries)
      if (!address)
        address = dlsym(library, name.str().c_str());
    if (!address)
      return llvm::createStringError(
          "the program calls '" + name + "', which " +
          (libraries.empty() ? "a library has to provide: load it"
                             : "no loaded library has") +
          " (--load)");
    functions.emplace_back(name.str(), address);
  }
  return functions;
}

tally::JitProgram::~JitProgram() {
  // Its kernels and constants go with it.
  if (library)
    tally_rt_release_library(library);
}

llvm::Expected<std::unique_ptr<tally::JitProgram>>
tally::JitProgram::create(ModuleOp module, ArrayRef<void *> libraries,
                          unsigned optimize) {
  auto functions = findCustomFunctions(module, libraries);
  if (!functions)
    return functions.takeError();
  auto machine = createTargetMachine("native");
  if (!machine)
    return machine.takeError();
  // Optimising needs the machine while the engine is made.
  auto transformer =
      makeOptimizingTransformer(optimize, /*sizeLevel=*/0, machine->get());
  ExecutionEngineOptions options;
  options.transformer = transformer;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(optimize);
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner names) {
    llvm::orc::SymbolMap symbols = getRuntimeSymbols(names);
    for (auto &[name, address] : *functions)
      symbols[names(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                              llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  (*engine)->initialize();
  auto entry = (*engine)->lookup("tally_library");
  if (!entry)
    return entry.takeError();
  std::unique_ptr<JitProgram> program(new JitProgram());
  program->library = reinterpret_cast<const tally_rt_library *(*)()>(*entry)();
  program->engine = std::move(*engine);
  return program;
}

//===----------------------------------------------------------------------===//
// In a file
//===----------------------------------------------------------------------===//

llvm::Error tally::emitObjectFile(ModuleOp module,
                                  const CompileOptions &options,
                                  StringRef path) {
  auto machine = createTargetMachine(options.cpu);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, path);
  if (!code)
    return llvm::createStringError("cannot translate the program to LLVM IR");
  code->setDataLayout((*machine)->createDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setPICLevel(llvm::PICLevel::BigPIC);
  if (options.cpu == "generic" && options.target == "cpu")
    addProcessorLevels(*code);
  auto optimize =
      makeOptimizingTransformer(kOptLevel, /*sizeLevel=*/0, machine->get());
  if (llvm::Error error = optimize(code.get()))
    return error;

  std::error_code error;
  llvm::raw_fd_ostream os(path, error, llvm::sys::fs::OF_None);
  if (error)
    return llvm::createStringError(error, "cannot write '" + path.str() + "'");
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("this machine cannot write object files");
  passes.run(*code);
  os.close();
  if (os.has_error())
    return llvm::createStringError(os.error(),
                                   "cannot write '" + path.str() + "'");
  return llvm::Error::success();
}
