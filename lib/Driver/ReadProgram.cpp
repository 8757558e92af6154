//===- ReadProgram.cpp - Reading and lowering a program -------------------===//

#include "tally/Driver/Driver.h"
#include "tally/Driver/ProgressLine.h"
#include "tally/IR/Operators.h"
#include "tally/IR/TallyLinearAlgebraOps.h"
#include "tally/Import/ImportPt2.h"
#include "tally/InitAll.h"
#include "tally/Pipelines/CPUPipeline.h"
#include "tally/Pipelines/GPUPipeline.h"
#include "tally/Pipelines/Pipelines.h"
#include "tally/Transforms/Passes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

void tally::registerDriverDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  tally::registerAllDialects(registry);
}

OwningOpRef<ModuleOp> tally::readProgram(StringRef path, MLIRContext *context,
                                         const OperatorTable *operators) {
  auto fail = [&](const Twine &message) {
    emitError(UnknownLoc::get(context)) << "'" << path << "' " << message;
    return OwningOpRef<ModuleOp>();
  };
  if (path != "-" && !llvm::sys::fs::exists(path))
    return fail("does not exist");
  if (path != "-" && llvm::sys::fs::is_directory(path))
    return fail("is a directory");
  llvm::file_magic magic = llvm::file_magic::unknown;
  if (path != "-" && !llvm::identify_magic(path, magic) &&
      (magic.is_object() || magic == llvm::file_magic::archive))
    return fail("is code already; a program is an .mlir file or one exported "
                "by PyTorch (.pt2)");
  // Constants stay in the module: there is no file beside it to refer to.
  if (path.ends_with(".pt2")) {
    ImportOptions options;
    options.operators = operators;
    options.asResources = true;
    return importPt2(path, context, options);
  }
  return parseSourceFile<ModuleOp>(path, context);
}

/// Reports what there is no code for, and a program without anything to call.
static LogicalResult verifyIsComplete(ModuleOp module) {
  bool hasEntry = false;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    hasEntry |= function.isPublic() && !function.isExternal();
    if (function.isExternal() &&
        !SymbolTable::symbolKnownUseEmpty(function.getNameAttr(), module))
      return emitError(function.getLoc())
             << "'" << function.getName()
             << "' is called and has no body: functions from elsewhere are "
                "not supported";
  }
  if (hasEntry)
    return success();
  return emitError(module.getLoc())
         << "there is no public function with a body, so nothing to call";
}

/// Custom functions and LAPACK take memory of the CPU.
static LogicalResult verifyRunsOn(ModuleOp module, StringRef target) {
  WalkResult result = module.walk([&](Operation *op) {
    if (target == "cpu" ||
        !isa<tally::CustomCallOp, tally::LinearAlgebraOp>(op))
      return WalkResult::advance();
    op->emitOpError("runs on the CPU only; this program is compiled for a GPU");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Adds the passes from a checked module to code for the target.
static void buildTargetPipeline(PassManager &pm,
                                const tally::CompileOptions &options) {
  if (options.target == "cuda") {
    tally::GPUPipelineOptions pipeline;
    pipeline.chip = options.chip;
    pipeline.prefix = options.prefix;
    pipeline.dataDirectory = options.dataDirectory;
    pipeline.keepAttributes = true;
    pipeline.verify = options.verifyEach;
    if (options.stopAtSchedule)
      pipeline.stopAfter = tally::GPUStage::Schedule;
    return tally::buildGPUPipeline(pm, pipeline);
  }
  tally::CPUPipelineOptions pipeline;
  pipeline.prefix = options.prefix;
  pipeline.dataDirectory = options.dataDirectory;
  pipeline.work = options.work;
  pipeline.keepAttributes = true;
  pipeline.verify = options.verifyEach;
  tally::buildCPUPipeline(pm, pipeline);
}

/// Forgets where in the sources operations stand, but not what users call them.
static void erasePositions(ModuleOp module) {
  Location unknown = UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) {
    StringRef name = tally::getOperatorName(op);
    op->setLoc(name == op->getName().getStringRef()
                   ? unknown
                   : tally::getOperatorLoc(unknown, name));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(unknown);
  });
}

namespace {
/// Tells which pass over the module runs.
class PassProgress : public PassInstrumentation {
public:
  explicit PassProgress(tally::ProgressLine &line) : line(line) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (isa<ModuleOp>(op) && !pass->getArgument().empty())
      line.setStage(pass->getArgument());
  }

private:
  tally::ProgressLine &line;
};
} // namespace

namespace {
/// Prints what passes tell of kernels as plain remarks, as those about checks
/// are.
class RemarkPrinter : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    InFlightDiagnostic diagnostic = emitRemark(remark.getLocation());
    for (const remark::detail::Remark::Arg &part : remark.getArgs())
      diagnostic << part.val;
  }
};
} // namespace

/// Has remarks about kernels printed, unless the context has an engine of its
/// own.
static LogicalResult explainKernels(MLIRContext *context) {
  if (context->getRemarkEngine())
    return success();
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "tally-form-kernels";
  return remark::enableOptimizationRemarks(
      *context, std::make_unique<RemarkPrinter>(),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

LogicalResult tally::lowerProgram(ModuleOp module,
                                  const CompileOptions &options,
                                  const CompileReport &report) {
  if (failed(verifyIsComplete(module)) ||
      failed(verifyRunsOn(module, options.target)))
    return failure();
  if (!options.sourcePaths)
    erasePositions(module);
  if (options.explain && failed(explainKernels(module.getContext())))
    return failure();
  PassManager pm(module.getContext());
  TimingScope timing =
      report.timing ? report.timing->nest("Lower") : TimingScope();
  if (report.timing && report.timesPasses)
    pm.enableTiming(timing);
  if (report.progress)
    pm.addInstrumentation(std::make_unique<PassProgress>(*report.progress));
  // A function in the checked form passes through unchanged.
  CheckPipelineOptions checks;
  checks.checks = options.checks;
  checks.elide = options.elide;
  checks.explain = options.explain;
  checks.verify = options.verifyEach;
  buildCheckPipeline(pm, checks, report.checks);
  // The last word before bufferization: no access without its check.
  OpPassManager &functions = pm.nestAny();
  functions.addPass(createCompleteAsserts());
  functions.addPass(createVerifyForm());
  buildTargetPipeline(pm, options);
#ifdef NDEBUG
  // Checking the module behind each pass took two fifths of the time of the
  // passes.
  pm.enableVerifier(options.verifyEach);
#endif
  return failure(failed(pm.run(module)) || failed(verify(module)));
}
