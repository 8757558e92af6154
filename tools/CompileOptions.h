//===- CompileOptions.h - What tools that compile report --------*- C++ -*-===//
//
// Options that tally-compile and tally-run share: what they tell while and
// after they compile.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_COMPILEOPTIONS_H
#define TALLY_TOOLS_COMPILEOPTIONS_H

#include "tally/Driver/Driver.h"
#include "tally/Driver/ProgressLine.h"
#include "tally/Transforms/CheckSummary.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace tally {

/// The options; a tool has one of these as a static object.
struct ReportOptions {
  explicit ReportOptions(llvm::cl::OptionCategory &category)
      : verbose("v",
                llvm::cl::desc("Tell what became of checks, and how long "
                               "the stages took (default: off)"),
                llvm::cl::cat(category)),
        explain("explain",
                llvm::cl::desc("Tell, at each check, whether it was proven and "
                               "from what; which operations run as one kernel, "
                               "and why others do not (default: off)"),
                llvm::cl::cat(category)),
        timing("timing",
               llvm::cl::desc("Tell how long every pass took (default: off)"),
               llvm::cl::cat(category)),
        sourcePaths("source-paths",
                    llvm::cl::desc("Whether errors of the compiled program "
                                   "tell where in the sources a check stands "
                                   "(default: true)"),
                    llvm::cl::init(true), llvm::cl::cat(category)) {}

  llvm::cl::opt<bool> verbose, explain, timing, sourcePaths;
};

/// Collects what a compilation tells of itself, and prints it on standard error
/// when it ends.
class CompileReporter {
public:
  explicit CompileReporter(const ReportOptions &options) : options(options) {
    timing.setEnabled(options.timing || options.verbose);
    timing.setDisplayMode(mlir::DefaultTimingManager::DisplayMode::Tree);
    root = timing.getRootScope();
  }

  ~CompileReporter() { finish(); }

  CompileReport get() { return {&checks, &root, options.timing, &progress}; }

  /// Has the progress line make room for diagnostics of a context.
  void watch(mlir::MLIRContext &context) {
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &) {
      progress.finish();
      return mlir::failure(); // for who prints it
    });
  }

  mlir::TimingScope enterStage(llvm::StringRef stage) {
    progress.setStage(stage);
    return root.nest(stage);
  }

  /// Before anything else is printed.
  void finish() {
    progress.finish();
    if (isFinished)
      return;
    isFinished = true;
    root.stop();
    if (options.verbose)
      llvm::errs() << checks.str() << '\n';
    // It would print once more when it goes.
    timing.print();
    timing.setEnabled(false);
  }

private:
  const ReportOptions &options;
  CheckSummary checks;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root;
  ProgressLine progress;
  bool isFinished = false;
};

} // namespace tally

#endif // TALLY_TOOLS_COMPILEOPTIONS_H
