//===- GPUPipeline.h - From checked IR to LLVM and a GPU --------*- C++ -*-===//
//
// `tally-gpu-pipeline` as a function, for programs that embed the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PIPELINES_GPUPIPELINE_H
#define TALLY_PIPELINES_GPUPIPELINE_H

#include "tally/Pipelines/TargetPipeline.h"

#include "mlir/Pass/PassManager.h"

#include <string>

namespace tally {

/// How far `tally-gpu-pipeline` has come.
enum class GPUStage { Kernels, Buffers, Schedule, Binary, LLVM };

/// Options of `tally-gpu-pipeline`.
// NOLINTNEXTLINE(misc-multiple-inheritance): of options, which is virtual.
struct GPUPipelineOptions : TargetPipelineOptions<GPUPipelineOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("the GPU that kernels are compiled for, such as sm_90a"),
      llvm::cl::init("sm_90a")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("what is embedded: bin (machine code, made with ptxas), "
                     "isa (PTX, which the driver compiles) or auto (bin where "
                     "there is a ptxas)"),
      llvm::cl::init("auto")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("where the CUDA toolkit is, if it cannot be found"),
      llvm::cl::init("")};
  Option<GPUStage> stopAfter{
      *this, "stop-after", llvm::cl::desc("stop there, to look at the program"),
      llvm::cl::init(GPUStage::LLVM),
      llvm::cl::values(
          clEnumValN(GPUStage::Kernels, "kernels", "kernels on tensors"),
          clEnumValN(GPUStage::Buffers, "buffers", "kernels on buffers"),
          clEnumValN(GPUStage::Schedule, "schedule",
                     "functions for the GPU, and what launches them"),
          clEnumValN(GPUStage::Binary, "binary", "code for the GPU"),
          clEnumValN(GPUStage::LLVM, "llvm", "the whole way"))};
};

/// Adds the passes from a checked module to the LLVM dialect, with the code for
/// the GPU as constants. Those of `addBufferPasses` come when kernels have
/// become functions: they lower operations that have stayed until then, in
/// threads and on the host.
void buildGPUPipeline(mlir::OpPassManager &pm,
                      const GPUPipelineOptions &options,
                      AddPasses addBufferPasses = nullptr);

/// Registers `tally-gpu-pipeline`.
void registerGPUPipeline();

} // namespace tally

#endif // TALLY_PIPELINES_GPUPIPELINE_H
