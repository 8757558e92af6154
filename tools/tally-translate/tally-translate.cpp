//===- tally-translate.cpp - Import of programs from other formats --------===//
//
//===----------------------------------------------------------------------===//

#include "../CustomCallOptions.h"
#include "../ToolVersion.h"
#include "../Usage.h"
#include "tally/Driver/DiagnosticPrinter.h"
#include "tally/Import/ImportPt2.h"
#include "tally/Import/Operators.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

static cl::OptionCategory category("tally-translate options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<input>"),
                                      cl::cat(category));
static cl::opt<std::string>
    outputFile("o", cl::desc("Where to write to (default: standard output)"),
               cl::value_desc("file"), cl::init("-"), cl::cat(category));
static cl::opt<bool>
    importPt2("import-pt2",
              cl::desc("Import a program exported by PyTorch (.pt2); without "
                       "it or --list-supported there is nothing to do"),
              cl::cat(category));
static cl::opt<bool>
    printLocations("mlir-print-debuginfo",
                   cl::desc("Print the source line of each operation (default: "
                            "off)"),
                   cl::cat(category));
static cl::opt<bool> listTargets(
    "list-supported",
    cl::desc("Instead, tell for each operator named in the input file, one a "
             "line, whether it is supported"),
    cl::cat(category));

static tally::CustomCallOptions customCalls(category);

/// Large constants go to a file beside the output, named like it.
static std::string getDataFile() {
  if (outputFile == "-")
    return "";
  SmallString<128> path(outputFile);
  sys::path::replace_extension(path, "data");
  return path.str().str();
}

static int list() {
  auto file = MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!file) {
    errs() << "error: cannot open '" << inputFile
           << "': " << file.getError().message() << "\n";
    return 1;
  }
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    outs() << (tally::isSupportedTarget(line.trim()) ||
                       tally::isSupportedOnComplex(line.trim())
                   ? "yes "
                   : "no  ")
           << line.trim() << "\n";
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tally::setVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Translates programs of other formats to MLIR\n");
  if (listTargets)
    return list();
  if (inputFile.getNumOccurrences() == 0)
    return tally::reportMissing("tally-translate", "file",
                                "--import-pt2 MODEL.pt2 -o model.mlir");
  if (!importPt2) {
    errs() << "error: say what to translate: --import-pt2\n";
    return 1;
  }
  // What --import-pt2 reads is a .pt2, whatever its name.
  if (std::string wrong = customCalls.check(".pt2"); !wrong.empty()) {
    errs() << "error: " << wrong << "\n";
    return 1;
  }
  mlir::MLIRContext context;
  tally::DiagnosticPrinter printer(&context, "tally-translate", inputFile);
  tally::OperatorTable operators = customCalls.getOperators();
  tally::ImportOptions options;
  options.operators = &operators;
  options.dataFile = getDataFile();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      tally::importPt2(inputFile, &context, options);
  if (!module)
    return 1;
  std::string message;
  auto output = mlir::openOutputFile(outputFile, &message);
  if (!output) {
    errs() << "error: " << message << "\n";
    return 1;
  }
  mlir::OpPrintingFlags flags;
  if (printLocations)
    flags.enableDebugInfo();
  module->print(output->os(), flags);
  output->os() << "\n";
  output->keep();
  return 0;
}
