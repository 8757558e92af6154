//===- InitAll.cpp - Registers everything of Tally ------------------------===//

#include "tally/InitAll.h"

#include "HostLowering.h"
#include "KernelLowering.h"
#include "tally/Analysis/Models/RegisterModels.h"
#include "tally/Codegen/Kernels/BufferizableOps.h"
#include "tally/Codegen/Kernels/PlacementModels.h"
#include "tally/Codegen/Passes.h"
#include "tally/Codegen/RuntimeCalls/BufferizeCustomCalls.h"
#include "tally/IR/Tally.h"
#include "tally/Pipelines/CPUPipeline.h"
#include "tally/Pipelines/GPUPipeline.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Pipelines.h"
#include "tally/Transforms/Passes.h"

void tally::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<TallyDialect>();
  registerSymbolicShapeModels(registry);
  registerElementRangeModels(registry);
  registerBufferizableOpInterfaceModels(registry);
  registerCustomCallBufferization(registry);
  registerPlacementModels(registry);
}

void tally::registerAllPasses() {
  registerTallyCodegenPasses();
  registerCheckPipeline();
  registerCPUPipeline();
  registerGPUPipeline();
  registerHostPipeline();
  registerKernelPipeline();
  registerTallyPipelinesPasses();
  registerTallyTransformsPasses();
}
