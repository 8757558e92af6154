//===- CPUPipeline.h - From checked IR to LLVM for the CPU ------*- C++ -*-===//
//
// `tally-cpu-pipeline` as a function, for programs that embed the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PIPELINES_CPUPIPELINE_H
#define TALLY_PIPELINES_CPUPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace tally {

/// Options of `tally-cpu-pipeline`.
struct CPUPipelineOptions
    : public mlir::PassPipelineOptions<CPUPipelineOptions> {
  Option<bool> verify{
      *this, "verify",
      llvm::cl::desc("run tally-complete-asserts and "
                     "tally-verify-form{form=checked} on what the higher-"
                     "order and data-dependent operations have become"),
      llvm::cl::init(false)};
  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc("run outer loops through the runtime's parallel-for"),
      llvm::cl::init(true)};
  Option<int64_t> work{
      *this, "work",
      llvm::cl::desc("operations that make a chunk worth another thread"),
      llvm::cl::init(32768)};
  Option<std::string> dataDirectory{
      *this, "data-directory",
      llvm::cl::desc("where relative paths of data files start"),
      llvm::cl::init("")};
  Option<std::string> prefix{
      *this, "prefix",
      llvm::cl::desc("what the names of the C functions start with"),
      llvm::cl::init("tally")};
  Option<bool> keepAttributes{
      *this, "keep-attributes",
      llvm::cl::desc("leave Tally's attributes in the module, for who writes a "
                     "header from it"),
      llvm::cl::init(false)};
};

/// Adds the passes from a checked module to the LLVM dialect.
void buildCPUPipeline(mlir::OpPassManager &pm,
                      const CPUPipelineOptions &options);

/// Registers `tally-cpu-pipeline`.
void registerCPUPipeline();

} // namespace tally

#endif // TALLY_PIPELINES_CPUPIPELINE_H
