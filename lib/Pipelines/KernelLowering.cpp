//===- KernelLowering.cpp - From kernels to code for a GPU ----------------===//
//
// f16 and bf16 compute in f32 and round after every operation, as on the CPU,
// so that both give the same results. Reductions become arithmetic before that.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "HostLowering.h"
#include "tally/Codegen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

/// Arithmetic that is total and strict; loops as branches. Each kernel of a
/// module is on its own, so that they are lowered in parallel.
static void addArithmetic(OpPassManager &module) {
  module.addPass(tally::createLowerReductions());
  OpPassManager &kernels = module.nestAny();
  kernels.addPass(createConvertVectorToSCFPass());
  tally::addRounding(kernels);
  tally::HardenArithOptions harden;
  harden.divisions = false;
  kernels.addPass(tally::createHardenArith(harden));
  tally::addCleanup(kernels);
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
}

/// Everything in the NVVM dialect.
static void addConversion(OpPassManager &module) {
  OpPassManager &kernels = module.nestAny();
  kernels.addPass(memref::createExpandOpsPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  tally::addCleanup(kernels);
  // The canonicalizer folds what this one makes.
  kernels.addPass(tally::createExpandFloats());
  kernels.addPass(arith::createArithExpandOpsPass());
  kernels.addPass(createConvertVectorToLLVMPass());
  module.addPass(tally::createConvertKernels());
  module.nestAny().addPass(tally::createLowerBooleans());
}

void tally::addKernelLowering(OpPassManager &pm, const KernelTarget &target) {
  AttachTargetOptions attach;
  attach.chip = target.chip;
  pm.addPass(createAttachTarget(attach));
  addArithmetic(pm.nest<gpu::GPUModuleOp>());
  pm.addPass(createLowerDeviceAsserts());
  addConversion(pm.nest<gpu::GPUModuleOp>());
  SerializeKernelsOptions serialize;
  serialize.format = target.format;
  serialize.toolkit = target.toolkit;
  pm.addPass(createSerializeKernels(serialize));
}

void tally::registerKernelPipeline() {
  PassPipelineRegistration<KernelTarget>(
      "tally-kernel-pipeline", "Compile the kernels of a module for a GPU",
      [](OpPassManager &pm, const KernelTarget &target) {
        pm.nestAny().addPass(createHardenArith());
        addKernelLowering(pm, target);
      });
}
