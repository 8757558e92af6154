//===- tally-plugin.cpp - Tally for a stock mlir-opt ----------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "tally/InitAll.h"
#include "tally/Version.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tally", TALLY_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            tally::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tally-passes", TALLY_VERSION_STRING,
          [] { tally::registerAllPasses(); }};
}
