//===- tally-opt.cpp - The optimizer driver -------------------------------===//
//
// mlir-opt with Tally's dialect, passes and pipelines beside all of upstream's.
//
//===----------------------------------------------------------------------===//

#include "../DebugOptions.h"
#include "../PassContract.h"
#include "../ToolVersion.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "tally/InitAll.h"

int main(int argc, char **argv) {
  tally::setVersionPrinter();
  tally::registerDebugOptions();
  mlir::registerAllPasses();
  tally::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  tally::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      tally::runOpt(argc, argv, "Tally optimizer driver\n", registry));
}
