//===- CPUPipeline.cpp - From checked IR to LLVM for the CPU --------------===//
//
// The order of the passes, and why it is this one. Asserts stay operations
// until buffers have been deallocated and loops have become branches;
// everything that builds or folds tensors comes before bufferization.
//
//===----------------------------------------------------------------------===//

#include "tally/Pipelines/CPUPipeline.h"

#include "HostLowering.h"
#include "tally/Codegen/Passes.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

using tally::addCleanup;

/// Tensors: what the entry points are, then one form of loops and fusion.
static void addTensorPasses(OpPassManager &pm,
                            const tally::CPUPipelineOptions &options) {
  pm.nestAny().addPass(tally::createMarkAccesses());
  pm.addPass(tally::createLowerHigherOrderOps());
  pm.nestAny().addPass(tally::createLowerDataDependent());
  tally::LowerSortOptions sorts;
  sorts.unknownTypesOnly = true;
  pm.nestAny().addPass(tally::createLowerSort(sorts));
  tally::addEntryDescriptions(pm, options.verify);
  tally::addEraseAnnotations(pm, options.dataDirectory);
  pm.nestAny().addPass(tally::createLowerCustomCalls());
  pm.addNestedPass<func::FuncOp>(tally::createNoteOperators());
  pm.addNestedPass<func::FuncOp>(tally::createDecomposeTensorOps());
  pm.addNestedPass<func::FuncOp>(tally::createPrepareAttention());
  pm.addNestedPass<func::FuncOp>(tally::createRecognizeMatmul());
  pm.addNestedPass<func::FuncOp>(tally::createRecognizeContractions());
  // Preconditions are asserts by now: fusion may read one input through the
  // sizes of another.
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(tally::createLegalizeMath());
  pm.addNestedPass<func::FuncOp>(tally::createFuseElementwise());
  // A dimension of one element keeps others from being recognized as the same.
  pm.addNestedPass<func::FuncOp>(tally::createFoldUnitDims());
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(tally::createOrderLoops());
  pm.addPass(tally::createReassociateReductions());
  tally::FormKernelsOptions kernels;
  kernels.rowsOnly = true;
  pm.addNestedPass<func::FuncOp>(tally::createFormKernels(kernels));
  addCleanup(pm);
}

/// Tensors become buffers with an owner each.
static void addBufferization(OpPassManager &pm) {
  pm.addPass(tally::createMergeEqualResults());
  pm.addPass(tally::createSeparateEmptyTensors());
  pm.addPass(tally::createEliminateEmptyTensors());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanup(pm);
  pm.addPass(tally::createSeparateEmptyTensors());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addNestedPass<func::FuncOp>(tally::createKeepInits());
  pm.addPass(tally::createBufferize());
  addCleanup(pm);
  pm.addPass(tally::createCopyStridedCasts());
  // The entry wrapper would release everything, but a loop would hold all of
  // its buffers until then.
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(tally::createCanonicalizer());
  pm.addPass(tally::createLowerDeallocations());
  pm.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(pm);
}

/// Structured operations become loops, the outer ones parallel; f16 and bf16
/// compute in f32 and round after every operation.
static void addLoops(OpPassManager &pm,
                     const tally::CPUPipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(tally::createMergeLoops());
  pm.addPass(tally::createExpandMemRefOps());
  pm.addPass(tally::createAddContext());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tally::createScheduleCPU());
  functions.addPass(tally::createSplitReductions());
  functions.addPass(tally::createTileTransposes());
  functions.addPass(tally::createCarryReductions());
  functions.addPass(tally::createCopyRows());
  functions.addPass(createForallToParallelLoopPass());
  functions.addPass(createConvertLinalgToParallelLoopsPass());
  math::MathExtendToSupportedTypesOptions mathOptions;
  functions.addPass(math::createMathExtendToSupportedTypes(mathOptions));
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"bf16", "f16"};
  functions.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  functions.addPass(tally::createParallelizeLoops());
  functions.addPass(tally::createVectorizeLoops());
  functions.addPass(tally::createHardenArith());
  addCleanup(pm, tally::Strides::Keep);
  if (options.parallel) {
    tally::OutlineParallelOptions outline;
    outline.work = options.work;
    pm.addPass(tally::createOutlineParallel(outline));
  }
  // A stack slot belongs to the function that uses it.
  pm.addPass(tally::createConvertCustomCalls());
  pm.addPass(tally::createLowerHostAttention());
  pm.addPass(tally::createLowerHostMatmul());
  pm.addPass(tally::createLowerHostSort());
}

void tally::buildCPUPipeline(OpPassManager &pm,
                             const CPUPipelineOptions &options) {
  addTensorPasses(pm, options);
  addBufferization(pm);
  addLoops(pm, options);
  addHostLowering(pm, options.prefix);
  if (!options.keepAttributes)
    pm.addPass(tally::createStripAttributes());
}

void tally::registerCPUPipeline() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "tally-cpu-pipeline",
      "Compile a checked module for the CPU, down to the LLVM dialect",
      [](OpPassManager &pm, const CPUPipelineOptions &options) {
        buildCPUPipeline(pm, options);
      });
}
