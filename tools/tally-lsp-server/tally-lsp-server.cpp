//===- tally-lsp-server.cpp - Language server -----------------------------===//
//
// Diagnostics, completion and navigation for .mlir files with Tally's dialect,
// in editors that speak the language server protocol.
//
//===----------------------------------------------------------------------===//

#include "../ToolVersion.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tally/InitAll.h"

int main(int argc, char **argv) {
  tally::setVersionPrinter();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  tally::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
