//===- InitAll.cpp - Registers everything of Tally ------------------------===//

#include "tally/InitAll.h"

#include "tally/IR/Tally.h"

void tally::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<TallyDialect>();
}

void tally::registerAllPasses() {}
