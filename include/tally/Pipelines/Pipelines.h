//===- Pipelines.h - The pipelines as functions -----------------*- C++ -*-===//
//
// The named pipelines of Tally, for compilers that build their pass managers in
// C++. Each function adds its passes to a pass manager that runs on a module.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PIPELINES_PIPELINES_H
#define TALLY_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace tally {

struct CheckSummary;

/// Options of `tally-check-pipeline`.
struct CheckPipelineOptions
    : public mlir::PassPipelineOptions<CheckPipelineOptions> {
  Option<std::string> checks{
      *this, "checks",
      llvm::cl::desc("Which checks run: all, entry (only what the sizes and "
                     "scalars of arguments decide alone) or none. One that is "
                     "dropped becomes a tally.assume: the caller is trusted."),
      llvm::cl::init("all")};
  Option<bool> elide{
      *this, "elide",
      llvm::cl::desc(
          "Leave out what is proven; off, every precondition is asserted, "
          "to compare with."),
      llvm::cl::init(true)};
  Option<bool> explain{
      *this, "explain",
      llvm::cl::desc(
          "Tell, at each check, whether it was proven and from what."),
      llvm::cl::init(false)};
  Option<bool> validate{
      *this, "validate",
      llvm::cl::desc("Have Z3 confirm every proof that saves a check."),
      llvm::cl::init(false)};
  Option<bool> verify{
      *this, "verify",
      llvm::cl::desc("Run tally-verify-form between the stages."),
      llvm::cl::init(false)};
};

/// From the named (or an unannotated) program to the checked form: propagate
/// shapes, bind symbols, lift free symbols, insert run-time asserts, unify
/// sizes. What becomes of checks is counted in `summary`, if there is one,
/// which has to outlive the pass manager.
void buildCheckPipeline(mlir::OpPassManager &pm,
                        const CheckPipelineOptions &options = {},
                        CheckSummary *summary = nullptr);

/// Registers `tally-check-pipeline` under its name.
void registerCheckPipeline();

} // namespace tally

#endif // TALLY_PIPELINES_PIPELINES_H
