//===- CPUPipeline.h - From checked IR to LLVM for the CPU ------*- C++ -*-===//
//
// `tally-cpu-pipeline` as a function, for programs that embed the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PIPELINES_CPUPIPELINE_H
#define TALLY_PIPELINES_CPUPIPELINE_H

#include "tally/Pipelines/TargetPipeline.h"

#include "mlir/Pass/PassManager.h"

#include <string>

namespace tally {

/// Options of `tally-cpu-pipeline`.
// NOLINTNEXTLINE(misc-multiple-inheritance): of options, which is virtual.
struct CPUPipelineOptions : TargetPipelineOptions<CPUPipelineOptions> {
  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc("run outer loops through the runtime's parallel-for"),
      llvm::cl::init(true)};
  Option<int64_t> work{
      *this, "work",
      llvm::cl::desc("operations that make a chunk worth another thread"),
      llvm::cl::init(32768)};
};

/// Adds the passes from a checked module to the LLVM dialect. Those of
/// `addBufferPasses` come when tensors have become buffers, and before loops
/// become parallel: they lower operations that have stayed until then.
void buildCPUPipeline(mlir::OpPassManager &pm,
                      const CPUPipelineOptions &options,
                      AddPasses addBufferPasses = nullptr);

/// Registers `tally-cpu-pipeline`.
void registerCPUPipeline();

} // namespace tally

#endif // TALLY_PIPELINES_CPUPIPELINE_H
