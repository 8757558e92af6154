//===- DiagnosticPrinter.cpp - Diagnostics of a tool ----------------------===//

#include "tally/Driver/DiagnosticPrinter.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tally;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, StringRef tool,
                                     StringRef program)
    : tool(tool), program(program), placed(sources, context, llvm::errs()),
      unplaced(context, [this](Diagnostic &diagnostic) {
        return printUnplaced(diagnostic);
      }) {}

/// Returns true for a place in a file.
static bool isInFile(Location loc) {
  return loc->findInstanceOf<FileLineColRange>() != nullptr;
}

LogicalResult DiagnosticPrinter::printUnplaced(Diagnostic &diagnostic) {
  if (isInFile(diagnostic.getLocation()))
    return failure();
  printAtNode(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    if (isInFile(note.getLocation()))
      placed.emitDiagnostic(note.getLocation(), note.str(), note.getSeverity());
    else
      printAtNode(note);
  return success();
}

static raw_ostream &printSeverity(raw_ostream &os, StringRef place,
                                  DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return llvm::WithColor::note(os, place);
  case DiagnosticSeverity::Warning:
    return llvm::WithColor::warning(os, place);
  case DiagnosticSeverity::Error:
    return llvm::WithColor::error(os, place);
  case DiagnosticSeverity::Remark:
    return llvm::WithColor::remark(os, place);
  }
  llvm_unreachable("all severities are handled");
}

void DiagnosticPrinter::printAtNode(const Diagnostic &diagnostic) {
  auto node = diagnostic.getLocation()->findInstanceOf<NameLoc>();
  std::string place = node ? program + ":" + node.getName().str() : tool;
  printSeverity(llvm::errs(), place, diagnostic.getSeverity())
      << diagnostic.str() << '\n';
}
