//===- HostLowering.cpp - From loops to the LLVM dialect ------------------===//
//
// Loops become branches, then asserts, memory and arithmetic become what LLVM
// knows.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "Canonicalizer.h"
#include "tally/Codegen/Passes.h"
#include "tally/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tally::addCleanup(OpPassManager &pm, Strides strides) {
  pm.addPass(createCanonicalizer(strides));
  pm.addPass(createCSEPass());
}

void tally::addEntryDescriptions(OpPassManager &pm, bool verify) {
  if (verify) {
    OpPassManager &functions = pm.nestAny();
    functions.addPass(createCompleteAsserts());
    functions.addPass(createVerifyForm({"checked"}));
  }
  pm.addPass(createDescribeEntries());
}

void tally::addEraseAnnotations(OpPassManager &pm, StringRef dataDirectory) {
  EraseAnnotationsOptions annotations;
  annotations.dataDirectory = dataDirectory.str();
  pm.addPass(createEraseAnnotations(annotations));
}

void tally::addHostLowering(OpPassManager &pm, StringRef prefix,
                            StringRef device) {
  addCleanup(pm, Strides::Keep);
  pm.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerAsserts());
  pm.addPass(createCanonicalizer(Strides::Keep));
  pm.addPass(createLowerMemory());
  pm.addPass(createExpandMath());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createExpandFloats());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createMarkParallelAccesses());
  addCleanup(pm);
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createKeepMaskedExtrema());
  pm.addPass(createFlattenConstants());
  EmitEntriesOptions entries;
  entries.prefix = prefix.str();
  entries.target = device.str();
  pm.addPass(createEmitEntries(entries));
  pm.addPass(createLowerBFloats());
  pm.addPass(createLowerBooleans());
}

namespace {
struct HostPipelineOptions : public PassPipelineOptions<HostPipelineOptions> {
  Option<std::string> prefix{
      *this, "prefix",
      llvm::cl::desc("what the names of the C functions start with"),
      llvm::cl::init("tally")};
};
} // namespace

void tally::registerHostPipeline() {
  PassPipelineRegistration<HostPipelineOptions>(
      "tally-host-pipeline",
      "Lower functions on buffers, with the call context, to the LLVM dialect",
      [](OpPassManager &pm, const HostPipelineOptions &options) {
        addHostLowering(pm, options.prefix);
      });
}
