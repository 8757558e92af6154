//===- Compilation.h - A program that a tool compiles -----------*- C++ -*-===//

#ifndef TALLY_TOOLS_COMPILATION_H
#define TALLY_TOOLS_COMPILATION_H

#include "CompileOptions.h"
#include "tally/Driver/DiagnosticPrinter.h"
#include "tally/Driver/ProgressLine.h"
#include "tally/Transforms/CheckSummary.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"

namespace tally {

/// Reads a program for a tool, prints what is wrong on standard error, and
/// tells there what the options ask for of its compilation.
class Compilation {
public:
  /// The name of the tool, and the file that it compiles.
  Compilation(const SharedCompileOptions &shared, llvm::StringRef tool,
              llvm::StringRef file);
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Reads the file. Returns null, with the reason printed, where it cannot.
  mlir::OwningOpRef<mlir::ModuleOp> read();

  /// Begins a stage; its time ends with what is returned.
  mlir::TimingScope enterStage(llvm::StringRef stage);

  CompileReport getReport() {
    return {&checks, &root, shared.timing, &progress};
  }

  /// Prints what is told; before anything else is printed.
  void finish();

private:
  const SharedCompileOptions &shared;
  CheckSummary checks;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root;
  ProgressLine progress;
  mlir::MLIRContext context;
  std::string file;
  DiagnosticPrinter printer;
  bool isFinished = false;
};

} // namespace tally

#endif // TALLY_TOOLS_COMPILATION_H
