//===- DiagnosticPrinter.h - Diagnostics of a tool --------------*- C++ -*-===//

#ifndef TALLY_DRIVER_DIAGNOSTICPRINTER_H
#define TALLY_DRIVER_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

namespace tally {

/// Prints the diagnostics of a context on standard error. One with a place in a
/// file is printed as MLIR's tools do, with the line of source. One at a node
/// of an exported graph begins with the program and the node
/// (`model.pt2:add_1: error: ...`), any other with the tool
/// (`tally-run: error: ...`). None prints its operation in MLIR's generic
/// form. A remark that comes again at the same place is printed once.
class DiagnosticPrinter {
public:
  /// The name of the tool, and the file of its program as the user gave it.
  DiagnosticPrinter(mlir::MLIRContext *context, llvm::StringRef tool,
                    llvm::StringRef program);

private:
  mlir::LogicalResult printRemark(const mlir::Diagnostic &remark);
  /// Prints what has no place in a file, and fails for anything else.
  mlir::LogicalResult printUnplaced(mlir::Diagnostic &diagnostic);
  void print(const mlir::Diagnostic &diagnostic);
  void printAtNode(const mlir::Diagnostic &diagnostic);

  std::string tool, program;
  llvm::SourceMgr sources;
  /// The one that is registered last is asked first.
  mlir::SourceMgrDiagnosticHandler placed;
  mlir::ScopedDiagnosticHandler first;
  llvm::StringSet<> printedRemarks;
};

} // namespace tally

#endif // TALLY_DRIVER_DIAGNOSTICPRINTER_H
