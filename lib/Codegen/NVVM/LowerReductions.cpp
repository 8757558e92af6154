//===- LowerReductions.cpp - Reductions over threads as shuffles ----------===//
//
// See the description of the pass in Passes.td. The patterns are upstream's; no
// pass of theirs has those for a warp.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/NVVM/Passes.h"
#include "tally/Codegen/NVVM/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tally {
#define GEN_PASS_DEF_LOWERREDUCTIONS
#include "tally/Codegen/NVVM/Passes.h.inc"
} // namespace tally

using namespace mlir;

namespace {

/// The threads of a warp.
constexpr unsigned kWarpSize = 32;
} // namespace

void tally::populateLowerReductionsPatterns(RewritePatternSet &patterns) {
  populateGpuAllReducePatterns(patterns);
  populateGpuBreakDownSubgroupReducePatterns(patterns);
  // Values of up to 32 bits travel as 32 bits; wider ones as 64 bits, which
  // become two shuffles.
  populateGpuLowerSubgroupReduceToShufflePatterns(
      patterns, kWarpSize, /*shuffleBitwidth=*/32, /*benefit=*/2);
  populateGpuLowerClusteredSubgroupReduceToShufflePatterns(
      patterns, kWarpSize, /*shuffleBitwidth=*/32, /*benefit=*/2);
  populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kWarpSize,
                                                  /*shuffleBitwidth=*/64);
  populateGpuLowerClusteredSubgroupReduceToShufflePatterns(
      patterns, kWarpSize, /*shuffleBitwidth=*/64);
  populateGpuShufflePatterns(patterns);
}

void tally::lowerReductions(gpu::GPUModuleOp kernels) {
  RewritePatternSet patterns(kernels->getContext());
  populateLowerReductionsPatterns(patterns);
  // Operations that are left at the limit of iterations are reported later.
  (void)applyPatternsGreedily(kernels, std::move(patterns));
}

namespace {
struct LowerReductionsPass
    : tally::impl::LowerReductionsBase<LowerReductionsPass> {
  void runOnOperation() override { tally::lowerReductions(getOperation()); }
};

} // namespace
