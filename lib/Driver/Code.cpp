//===- Code.cpp - Code in memory ------------------------------------------===//

#include "tally/Driver/Driver.h"

#include "Closures.h"
#include "LargeConstants.h"
#include "LongFunctions.h"
#include "Optimize.h"
#include "SharedBodies.h"
#include "TargetMachine.h"

#include "tally/IR/Tally.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <dlfcn.h>

using namespace mlir;

/// Gives compiled code the functions of this process's runtime.
static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner names) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[names(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                            llvm::JITSymbolFlags::Exported};
  };
#define TALLY_RUNTIME_FUNCTION(NAME, FUNCTION) add(#FUNCTION, &(FUNCTION));
#include "tally/Runtime/RuntimeFunctions.def"
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
          " (--link)");
    functions.emplace_back(name.str(), address);
  }
  return functions;
}

/// Copies the constants, aligned, to memory of a program in memory.
static std::unique_ptr<llvm::WritableMemoryBuffer>
copyConstants(const tally::LargeConstants &constants) {
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      constants.getSize(), "constants", llvm::Align(TALLY_RT_HOST_ALIGNMENT));
  for (const tally::LargeConstants::Constant &constant : constants.get())
    llvm::copy(constant.bytes, copy->getBufferStart() + constant.offset);
  return copy;
}

tally::JitProgram::JitProgram() = default;

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
  auto machine = tally::createTargetMachine("native");
  if (!machine)
    return machine.takeError();
  // Optimizing needs the machine while the engine is made.
  auto transformer = [&](llvm::Module *code) {
    shrinkClosures(*code);
    shareBodies(*code);
    splitLongFunctions(*code);
    optimizeCode(*code, **machine, optimize);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = transformer;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(optimize);
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  LargeConstants constants(module);
  auto bytes = copyConstants(constants);
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner names) {
    llvm::orc::SymbolMap symbols = getRuntimeSymbols(names);
    for (auto &[name, address] : *functions)
      symbols[names(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                              llvm::JITSymbolFlags::Exported};
    for (LargeConstants::Constant constant : constants.get())
      symbols[names(constant.global.getSymName())] = {
          llvm::orc::ExecutorAddr::fromPtr(bytes->getBufferStart() +
                                           constant.offset),
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
  program->constants = std::move(bytes);
  return program;
}
