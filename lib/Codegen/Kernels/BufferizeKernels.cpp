//===- BufferizeKernels.cpp - Tensors of a GPU program become buffers -----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Kernels/BufferizableOps.h"
#include "tally/Codegen/Kernels/Passes.h"
#include "tally/Codegen/Kernels/PlaceInDestination.h"
#include "tally/Codegen/Kernels/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"

namespace tally {
#define GEN_PASS_DEF_BUFFERIZEKERNELS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace mlir::bufferization;

static OneShotBufferizationOptions getOptions() {
  OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.opFilter.denyOperation([](Operation *op) {
    return op->getParentOfType<tally::KernelOp>() != nullptr;
  });
  return options;
}

/// Has results made where they are inserted.
static LogicalResult writeInPlace(ModuleOp module,
                                  const OneShotBufferizationOptions &options) {
  OneShotAnalysisState analysis(module, options);
  if (failed(analyzeOp(module, analysis)))
    return failure();
  IRRewriter rewriter(module->getContext());
  return eliminateEmptyTensors(rewriter, module, analysis,
                               tally::createPlaceInDestination);
}

LogicalResult tally::bufferizeKernels(ModuleOp module) {
  OneShotBufferizationOptions options = getOptions();
  if (failed(verifyIsBufferizable(module, options)) ||
      failed(writeInPlace(module, options)))
    return failure();
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(LayoutMapOption::IdentityLayoutMap);
  BufferizationState state;
  return runOneShotModuleBufferize(module, options, state);
}

namespace {
struct BufferizeKernelsPass
    : tally::impl::BufferizeKernelsBase<BufferizeKernelsPass> {
  void runOnOperation() override {
    if (failed(tally::bufferizeKernels(getOperation())))
      signalPassFailure();
  }
};
} // namespace
