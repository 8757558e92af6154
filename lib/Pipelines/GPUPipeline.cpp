//===- GPUPipeline.cpp - From checked IR to LLVM and a GPU ----------------===//
//
// The order of the passes, and why it is this one. Kernels are formed on
// tensors, where a value is what was computed and sizes still have facts;
// buffers are freed while a kernel is one operation; what is left on the host
// is placed before kernels are scheduled, as it makes kernels too.
//
//===----------------------------------------------------------------------===//

#include "tally/Pipelines/GPUPipeline.h"

#include "HostLowering.h"
#include "KernelLowering.h"
#include "tally/Codegen/Passes.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

using tally::addCleanup;

/// Tensor cores read rows of half precision 16 bytes at a time.
static constexpr int64_t kKeyMultiple = 8;

/// Tensors: what the entry points are, then kernels.
static void addKernels(OpPassManager &pm,
                       const tally::GPUPipelineOptions &options) {
  // What may fail a check does so in the order of the program.
  tally::LowerScansOptions scans;
  scans.failingOnly = true;
  pm.nestAny().addPass(tally::createLowerScans(scans));
  tally::addControlFlowOfData(
      pm, options.verify, [](OpPassManager &dataDependent) {
        tally::LowerAttentionOptions attention;
        attention.keyMultiple = kKeyMultiple;
        dataDependent.addPass(tally::createLowerAttention(attention));
        dataDependent.addPass(tally::createTensorifyScalars());
        dataDependent.addPass(tally::createDecomposeUnique());
        dataDependent.addPass(tally::createLowerNonzeroForGPU());
        dataDependent.addPass(tally::createLowerDataDependent({true}));
        dataDependent.addPass(tally::createLiftCounters());
        dataDependent.addPass(tally::createLiftLoopNumbers());
        tally::LowerSortOptions sorts;
        sorts.unknownTypesOnly = true;
        dataDependent.addPass(tally::createLowerSort(sorts));
      });
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tally::createPrepareFFT());
  functions.addPass(tally::createJoinLookups());
  functions.addPass(tally::createSplitConcats());
  tally::addGeneralForm(functions, [](OpPassManager &named) {
    named.addPass(tally::createRecognizeMatmul());
    tally::RecognizeContractionsOptions contractions;
    contractions.convolutionsOnly = true;
    named.addPass(tally::createRecognizeContractions(contractions));
  });
  functions.addPass(tally::createLookPastPads());
  // A dimension of one element keeps others from being recognized as the same.
  functions.addPass(tally::createFoldUnitDims());
  addCleanup(functions);
  functions.addPass(tally::createRaiseExpandShapes());
  functions.addPass(tally::createLookUpOneHots());
  functions.addPass(tally::createComputeLookups());
  functions.addPass(tally::createFuseEpilogues());
  functions.addPass(tally::createFormKernels());
  addCleanup(functions);
}

/// Tensors become buffers with an owner each.
static void addBuffers(OpPassManager &pm,
                       const tally::GPUPipelineOptions &options) {
  tally::addEraseAnnotations(pm, options.dataDirectory);
  OpPassManager &sizes = pm.nest<func::FuncOp>();
  sizes.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanup(sizes);
  pm.addPass(tally::createMergeEqualResults());
  pm.addNestedPass<func::FuncOp>(tally::createSeparateEmptyTensors());
  pm.addPass(tally::createEliminateEmptyTensors());
  tally::addAllocations(pm.nest<func::FuncOp>());
  pm.addPass(tally::createBufferizeKernels());
  pm.addNestedPass<func::FuncOp>(tally::createElideCopies());
  tally::addBufferOwners(pm);
}

/// Host code touches no memory of the device any more; kernels become functions
/// for the GPU.
static void addSchedules(OpPassManager &pm, tally::AddPasses addBufferPasses) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tally::createExpandMemRefOps());
  functions.addPass(tally::createDeferChecks());
  pm.addPass(tally::createScheduleWhileLoops());
  pm.addPass(tally::createScheduleLoops());
  pm.addPass(tally::createPlaceOnDevice());
  // The divisions of the program; those of schedules are by sizes that are not
  // 0 where they run.
  pm.addNestedPass<func::FuncOp>(tally::createHardenArith());
  pm.addPass(tally::createScheduleDepthwise());
  pm.addPass(tally::createAddMatmulFallbacks());
  pm.addPass(tally::createAddContext());
  pm.addPass(tally::createScheduleGPU());
  pm.addPass(tally::createScheduleCompaction());
  pm.addPass(tally::createScheduleSort());
  pm.addPass(tally::createScheduleScans());
  // All kernels of branches are there.
  pm.addPass(tally::createPredicateLaunches());
  if (addBufferPasses)
    addBufferPasses(pm);
  // Of functions of the host, and of modules of kernels.
  addCleanup(pm.nestAny());
  pm.addPass(tally::createMergeKernels());
}

/// Numbers of the host: f16 and bf16 compute in f32 and round after every
/// operation, as in kernels.
static void addHostArithmetic(OpPassManager &functions) {
  functions.addPass(createForallToParallelLoopPass());
  tally::addRounding(functions);
  tally::HardenArithOptions harden;
  harden.divisions = false;
  functions.addPass(tally::createHardenArith(harden));
}

void tally::buildGPUPipeline(OpPassManager &pm,
                             const GPUPipelineOptions &options,
                             AddPasses addBufferPasses) {
  addKernels(pm, options);
  if (options.stopAfter == GPUStage::Kernels)
    return;
  addBuffers(pm, options);
  if (options.stopAfter == GPUStage::Buffers)
    return;
  addSchedules(pm, addBufferPasses);
  if (options.stopAfter == GPUStage::Schedule)
    return;
  KernelTarget target;
  target.chip = options.chip;
  target.format = options.format;
  target.toolkit = options.toolkit;
  addKernelLowering(pm, target);
  if (options.stopAfter == GPUStage::Binary)
    return;
  OpPassManager &functions = pm.nest<func::FuncOp>();
  addHostArithmetic(functions);
  functions.addPass(tally::createPlanArena());
  pm.addPass(tally::createLowerMatmul());
  pm.addPass(tally::createLowerDeviceFFT());
  pm.addPass(tally::createLowerLaunches());
  addHostLowering(pm, options.prefix, "cuda");
  if (!options.keepAttributes)
    pm.addPass(tally::createStripAttributes());
}

void tally::registerGPUPipeline() {
  PassPipelineRegistration<GPUPipelineOptions>(
      "tally-gpu-pipeline",
      "Compile a checked module for an NVIDIA GPU: the host's part down to "
      "the LLVM dialect, with code for the GPU as constants",
      [](OpPassManager &pm, const GPUPipelineOptions &options) {
        buildGPUPipeline(pm, options);
      });
}
