//===- ObjectFiles.cpp - Code in files ------------------------------------===//

#include "ObjectFiles.h"

#include "Closures.h"
#include "CodeParts.h"
#include "LargeConstants.h"
#include "LongFunctions.h"
#include "Optimize.h"
#include "ProcessorLevels.h"
#include "SharedBodies.h"
#include "TargetMachine.h"
#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/Driver/WriteFile.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

/// Has accesses of memory reported to ThreadSanitizer. It knows of scalars
/// only.
static void instrument(Module &code, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  FunctionPassManager passes;
  passes.addPass(ScalarizeMaskedMemIntrinPass());
  ScalarizerPassOptions scalars;
  scalars.ScalarizeLoadStore = true;
  passes.addPass(ScalarizerPass(scalars));
  passes.addPass(ThreadSanitizerPass());
  ModulePassManager pipeline;
  pipeline.addPass(ModuleThreadSanitizerPass());
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  pipeline.run(code, modules);
}

/// Optimizes a module and writes it as an object file.
static Error writeObjectFile(Module &code, TargetMachine &machine,
                             const tally::CompileOptions &options,
                             StringRef path) {
  bool isSanitized = options.sanitize == "thread";
  // LLVM must not add accesses where accesses are reported.
  for (Function &function : code)
    if (isSanitized && !function.isDeclaration())
      function.addFnAttr(Attribute::SanitizeThread);
  tally::optimizeCode(code, machine, options.optimize);
  if (isSanitized)
    instrument(code, machine);
  return tally::writeFile(path, [&](raw_pwrite_stream &os) -> Error {
    legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, os, nullptr,
                                    CodeGenFileType::ObjectFile))
      return createStringError("this machine cannot write object files");
    passes.run(code);
    return Error::success();
  });
}

/// Compiles a part of a module, on any thread.
static Error writePart(StringRef bitcode, const tally::CompileOptions &options,
                       StringRef path) {
  auto machine = tally::createTargetMachine(options.cpu, options.triple);
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  auto code = parseBitcodeFile(MemoryBufferRef(bitcode, path), context);
  if (!code)
    return code.takeError();
  return writeObjectFile(**code, **machine, options, path);
}

/// Leaves the names that begin as the C interface's do visible.
static void hideOtherNames(Module &code, StringRef prefix) {
  std::string visible = tally::getCName(prefix, "");
  for (GlobalObject &object : code.global_objects())
    if (!object.isDeclaration() && object.hasExternalLinkage() &&
        !object.getName().starts_with(visible))
      object.setLinkage(GlobalValue::InternalLinkage);
}

Expected<SmallVector<std::string>>
tally::emitObjectFiles(mlir::ModuleOp module, const CompileOptions &given,
                       OutputKind kind, StringRef path) {
  auto processors = getProcessors(given.cpu);
  if (!processors)
    return processors.takeError();
  CompileOptions options = given;
  options.cpu = processors->least;
  auto machine = createTargetMachine(options.cpu, options.triple);
  if (!machine)
    return machine.takeError();
  LargeConstants constants(module);
  LLVMContext context;
  std::unique_ptr<Module> code = translateModuleToLLVMIR(module, context, path);
  if (!code)
    return createStringError("cannot translate the program to LLVM IR");
  code->setDataLayout((*machine)->createDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setPICLevel(PICLevel::BigPIC);
  ConstantBlock block(constants, *code, options.prefix, options.dataFile);
  if (kind != OutputKind::Library)
    hideOtherNames(*code, options.prefix);
  shrinkClosures(*code);
  shareBodies(*code);
  splitLongFunctions(*code);
  // Scalars have no use for more.
  if (options.target == "cpu" && options.sanitize.empty())
    declareVersions(*code, options.prefix, processors->levels);

  SmallVector<SmallString<0>> parts;
  if (kind != OutputKind::Object)
    parts = splitCode(*code, options.prefix);
  block.reserve(*code, /*isShared=*/!parts.empty());
  SmallVector<std::string> paths{path.str()};
  std::vector<Error> errors;
  errors.push_back(Error::success());
  for (size_t part = 0; part < parts.size(); ++part) {
    paths.push_back((path + "." + Twine(part + 1)).str());
    errors.push_back(Error::success());
  }
  {
    DefaultThreadPool threads;
    for (size_t part = 0; part < parts.size(); ++part)
      threads.async([&, part] {
        Error error = writePart(parts[part], options, paths[part + 1]);
        consumeError(std::exchange(errors[part + 1], std::move(error)));
      });
    Error error = writeObjectFile(*code, **machine, options, path);
    consumeError(std::exchange(errors.front(), std::move(error)));
  }
  Error all = Error::success();
  for (Error &error : errors)
    all = joinErrors(std::move(all), std::move(error));
  if (!all)
    all = block.fill(path);
  if (!all && !options.dataFile.empty() && !constants.get().empty())
    all = block.writeFile(options.dataFile);
  if (all)
    return std::move(all);
  return paths;
}
