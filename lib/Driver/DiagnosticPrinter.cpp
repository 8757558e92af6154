//===- DiagnosticPrinter.cpp - Diagnostics of a tool ----------------------===//

#include "tally/Driver/DiagnosticPrinter.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tally;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, StringRef tool,
                                     StringRef program)
    : tool(tool), program(program), placed(sources, context, llvm::errs()),
      first(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          return printRemark(diagnostic);
        return printUnplaced(diagnostic);
      }) {
  // It may be a function of thousands of lines.
  context->printOpOnDiagnostic(false);
}

/// Returns true for a place in a file.
static bool isInFile(Location loc) {
  return loc->findInstanceOf<FileLineColRange>() != nullptr;
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic) {
  if (isInFile(diagnostic.getLocation()))
    placed.emitDiagnostic(diagnostic.getLocation(), diagnostic.str(),
                          diagnostic.getSeverity());
  else
    printAtNode(diagnostic);
}

LogicalResult DiagnosticPrinter::printRemark(const Diagnostic &remark) {
  std::string line = remark.str();
  llvm::raw_string_ostream os(line);
  if (auto place = remark.getLocation()->findInstanceOf<FileLineColRange>())
    os << " at " << place;
  else if (auto node = remark.getLocation()->findInstanceOf<NameLoc>())
    os << " at " << node.getName();
  if (!printedRemarks.insert(line).second)
    return success();
  print(remark);
  for (const Diagnostic &note : remark.getNotes())
    print(note);
  return success();
}

LogicalResult DiagnosticPrinter::printUnplaced(Diagnostic &diagnostic) {
  if (isInFile(diagnostic.getLocation()))
    return failure();
  printAtNode(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    print(note);
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
