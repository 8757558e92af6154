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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

using tally::addCleanup;

/// Tensors: what the entry points are, then one form of loops and fusion.
static void addTensorPasses(OpPassManager &pm,
                            const tally::CPUPipelineOptions &options) {
  pm.nestAny().addPass(tally::createLowerScans());
  tally::addControlFlowOfData(
      pm, options.verify, [](OpPassManager &dataDependent) {
        dataDependent.addPass(tally::createLowerDataDependent());
        tally::LowerSortOptions sorts;
        sorts.unknownTypesOnly = true;
        dataDependent.addPass(tally::createLowerSort(sorts));
      });
  tally::addEraseAnnotations(pm, options.dataDirectory);
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tally::createLowerCustomCalls());
  tally::addGeneralForm(functions, [](OpPassManager &named) {
    named.addPass(tally::createRecognizeAttention());
    named.addPass(tally::createPrepareAttention());
    named.addPass(tally::createSplitTransposedConvolutions());
    tally::RecognizeMatmulOptions matmuls;
    matmuls.integers = true;
    named.addPass(tally::createRecognizeMatmul(matmuls));
    named.addPass(tally::createRecognizeContractions());
  });
  functions.addPass(tally::createTransposeLookups());
  // Preconditions are asserts by now: fusion may read one input through the
  // sizes of another.
  functions.addPass(tally::createFuseElementwise());
  // A dimension of one element keeps others from being recognized as the same.
  tally::FoldUnitDimsOptions unitDims;
  unitDims.keepPieces = true;
  functions.addPass(tally::createFoldUnitDims(unitDims));
  addCleanup(functions);
  functions.addPass(tally::createLookUpOneHots());
  functions.addPass(tally::createFusePrologues());
  functions.addPass(tally::createCountHits());
  functions.addPass(tally::createOrderLoops());
  functions.addPass(tally::createReassociateReductions());
  tally::FormKernelsOptions kernels;
  kernels.rowsOnly = true;
  functions.addPass(tally::createFormKernels(kernels));
  addCleanup(functions);
}

/// Tensors become buffers with an owner each.
static void addBufferization(OpPassManager &pm) {
  pm.addPass(tally::createMergeEqualResults());
  pm.addNestedPass<func::FuncOp>(tally::createSeparateEmptyTensors());
  pm.addPass(tally::createEliminateEmptyTensors());
  OpPassManager &tensors = pm.nest<func::FuncOp>();
  tensors.addPass(tally::createOverwriteOperands());
  tensors.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanup(tensors);
  tally::addAllocations(tensors);
  pm.addPass(tally::createBufferize());
  tally::addBufferOwners(pm);
}

/// Structured operations become loops, the outer ones parallel.
static void addLoops(OpPassManager &pm,
                     const tally::CPUPipelineOptions &options) {
  OpPassManager &buffers = pm.nest<func::FuncOp>();
  buffers.addPass(tally::createStraightenLoads());
  buffers.addPass(tally::createMergeLoops());
  tally::ExpandMemRefOpsOptions memRefs;
  memRefs.booleans = true;
  buffers.addPass(tally::createExpandMemRefOps(memRefs));
  pm.addPass(tally::createAddContext());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tally::createScheduleCPU());
  functions.addPass(tally::createInterleaveChecks());
  functions.addPass(tally::createTabulateColumns());
  functions.addPass(tally::createTileReductions());
  functions.addPass(tally::createSplitReductions());
  functions.addPass(tally::createSplitColumns());
  functions.addPass(tally::createTileTransposes());
  functions.addPass(tally::createCarryReductions());
  functions.addPass(tally::createCopyRows());
  functions.addPass(createForallToParallelLoopPass());
  functions.addPass(createConvertLinalgToParallelLoopsPass());
  tally::addRounding(functions);
  functions.addPass(tally::createParallelizeLoops());
  functions.addPass(tally::createVectorizeLoops());
  functions.addPass(tally::createJoinPieces());
  functions.addPass(tally::createHardenArith());
  addCleanup(functions, tally::Strides::Keep);
  functions.addPass(tally::createFoldSlices());
  if (options.parallel) {
    tally::OutlineParallelOptions outline;
    outline.work = options.work;
    pm.addPass(tally::createOutlineParallel(outline));
  }
  // A stack slot belongs to the function that uses it.
  pm.addNestedPass<func::FuncOp>(tally::createHoistStackBuffers());
  pm.addPass(tally::createConvertCustomCalls());
  pm.addPass(tally::createLowerHostAttention());
  pm.addPass(tally::createLowerHostMatmul());
  pm.addPass(tally::createLowerHostSort());
  pm.addPass(tally::createLowerLinearAlgebra());
  pm.addPass(tally::createLowerFFT());
}

void tally::buildCPUPipeline(OpPassManager &pm,
                             const CPUPipelineOptions &options,
                             AddPasses addBufferPasses) {
  addTensorPasses(pm, options);
  addBufferization(pm);
  if (addBufferPasses)
    addBufferPasses(pm);
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
