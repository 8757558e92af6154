//===- KernelLowering.h - From kernels to code for a GPU --------*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_KERNELLOWERING_H
#define TALLY_LIB_PIPELINES_KERNELLOWERING_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace tally {

/// The target of kernels; options of `tally-kernel-pipeline`.
struct KernelTarget : public mlir::PassPipelineOptions<KernelTarget> {
  Option<std::string> chip{
      *this, "chip", llvm::cl::desc("the GPU that kernels are compiled for"),
      llvm::cl::init("sm_90a")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("auto, bin (machine code) or isa (PTX, which the driver "
                     "compiles)"),
      llvm::cl::init("auto")};
  Option<std::string> toolkit{*this, "toolkit",
                              llvm::cl::desc("where the CUDA toolkit is"),
                              llvm::cl::init("")};
};

/// Adds the passes that make a `gpu.binary` of every `gpu.module`, and tell the
/// functions that launch its kernels of their errors. Divisions must have been
/// hardened.
void addKernelLowering(mlir::OpPassManager &pm, const KernelTarget &target);

/// Registers `tally-kernel-pipeline`.
void registerKernelPipeline();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_KERNELLOWERING_H
