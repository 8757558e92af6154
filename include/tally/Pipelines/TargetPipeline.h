//===- TargetPipeline.h - What pipelines to code share ----------*- C++ -*-===//

#ifndef TALLY_PIPELINES_TARGETPIPELINE_H
#define TALLY_PIPELINES_TARGETPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tally {

/// Options of `tally-cpu-pipeline` and `tally-gpu-pipeline`.
template <typename OptionsT>
struct TargetPipelineOptions : mlir::PassPipelineOptions<OptionsT> {
  template <typename T>
  using Option = mlir::detail::PassOptions::Option<T>;

  Option<bool> verify{
      *this, "verify",
      llvm::cl::desc("run tally-complete-asserts and "
                     "tally-verify-form{form=checked} on what the higher-"
                     "order and data-dependent operations have become"),
      llvm::cl::init(false)};
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

/// Adds passes of a compiler that embeds Tally to a pipeline.
using AddPasses = llvm::function_ref<void(mlir::OpPassManager &)>;

} // namespace tally

#endif // TALLY_PIPELINES_TARGETPIPELINE_H
