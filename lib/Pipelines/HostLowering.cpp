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
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tally::addCleanup(OpPassManager &functions, Strides strides) {
  functions.addPass(createCanonicalizer(strides));
  functions.addPass(createCSE());
}

void tally::addControlFlowOfData(OpPassManager &pm, bool verify,
                                 AddPasses addDataDependent) {
  pm.nestAny().addPass(createMarkAccesses());
  pm.addPass(createLowerHigherOrderOps());
  addDataDependent(pm.nestAny());
  if (verify) {
    OpPassManager &functions = pm.nestAny();
    functions.addPass(createCompleteAsserts());
    functions.addPass(createVerifyForm({"checked"}));
  }
  pm.addPass(createDescribeEntries());
}

void tally::addGeneralForm(OpPassManager &functions, AddPasses addRecognition) {
  functions.addPass(createNoteOperators());
  functions.addPass(createDecomposeTensorOps());
  addRecognition(functions);
  functions.addPass(createLinalgGeneralizeNamedOpsPass());
  addCleanup(functions);
  functions.addPass(createLegalizeMath());
}

void tally::addAllocations(OpPassManager &functions) {
  functions.addPass(createSeparateEmptyTensors());
  functions.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  functions.addPass(createKeepInits());
}

void tally::addRounding(OpPassManager &pm) {
  pm.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"bf16", "f16"};
  pm.addPass(arith::createArithEmulateUnsupportedFloats(floats));
}

void tally::addEraseAnnotations(OpPassManager &pm, StringRef dataDirectory) {
  EraseAnnotationsOptions annotations;
  annotations.dataDirectory = dataDirectory.str();
  pm.addPass(createEraseAnnotations(annotations));
}

void tally::addBufferOwners(OpPassManager &pm) {
  OpPassManager &bufferized = pm.nest<func::FuncOp>();
  addCleanup(bufferized);
  bufferized.addPass(createCopyStridedCasts());
  bufferized.addPass(createForwardCarried());
  // The entry wrapper would release everything, but a loop would hold all of
  // its buffers until then. On the module: it looks up who is called, and would
  // collect the names of all functions once for each.
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  OpPassManager &owned = pm.nest<func::FuncOp>();
  owned.addPass(createCanonicalizer());
  owned.addPass(createLowerDeallocations());
  owned.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(owned);
}

/// Loops become branches, asserts branches to cold blocks.
static void addControlFlow(OpPassManager &pm) {
  OpPassManager &structured = pm.nest<func::FuncOp>();
  tally::addCleanup(structured, tally::Strides::Keep);
  structured.addPass(memref::createExpandStridedMetadataPass());
  structured.addPass(createLowerAffinePass());
  structured.addPass(tally::createSplitBlocks());
  structured.addPass(createSCFToControlFlowPass());
  pm.addPass(tally::createLowerAsserts());
  pm.addNestedPass<func::FuncOp>(
      tally::createCanonicalizer(tally::Strides::Keep));
}

/// Everything becomes the LLVM dialect. Passes that add declarations to the
/// module stand between those of functions.
static void addConversion(OpPassManager &pm) {
  pm.addPass(tally::createLowerMemory());
  OpPassManager &math = pm.nest<func::FuncOp>();
  math.addPass(tally::createExpandMath());
  math.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  OpPassManager &arith = pm.nest<func::FuncOp>();
  arith.addPass(tally::createExpandFloats());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  arith.addPass(arith::createArithExpandOpsPass(expand));
  arith.addPass(createArithToLLVMConversionPass());
  arith.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  OpPassManager &rest = pm.nest<func::FuncOp>();
  rest.addPass(createConvertVectorToLLVMPass());
  rest.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
}

void tally::addHostLowering(OpPassManager &pm, StringRef prefix,
                            StringRef device) {
  addControlFlow(pm);
  addConversion(pm);
  OpPassManager &functions = pm.nest<LLVM::LLVMFuncOp>();
  functions.addPass(createMarkParallelAccesses());
  addCleanup(functions);
  functions.addPass(createReconcileUnrealizedCastsPass());
  functions.addPass(createKeepMaskedExtrema());
  pm.addPass(createFlattenConstants());
  EmitEntriesOptions entries;
  entries.prefix = prefix.str();
  entries.target = device.str();
  pm.addPass(createEmitEntries(entries));
  // Of functions and constants.
  OpPassManager &memory = pm.nestAny();
  memory.addPass(createLowerBFloats());
  memory.addPass(createLowerBooleans());
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
