//===- tally-test-opt.cpp - tally-opt with the dialect of tests -----------===//
//
// What a compiler that embeds Tally beside a dialect of its own looks like.
//
//===----------------------------------------------------------------------===//

#include "../../tools/PassContract.h"
#include "TestHigherOrderOps.h"
#include "TestPasses.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "tally/InitAll.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  tally::registerAllPasses();
  test_hop::registerTestPasses();
  tally::test::registerTestAliasChains();
  tally::test::registerTestElementRanges();
  tally::test::registerTestInterfaces();
  tally::test::registerTestIrredundantAsserts();
  tally::test::registerTestPassContract();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  tally::registerAllDialects(registry);
  test_hop::registerTestHigherOrderDialect(registry);
  return mlir::asMainReturnCode(
      tally::runOpt(argc, argv, "Tally test driver\n", registry));
}
