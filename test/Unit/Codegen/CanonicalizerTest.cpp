//===- CanonicalizerTest.cpp - What the canonicalizer leaves out ----------===//
//
// A pattern that upstream renames would be back, unnoticed.
//
//===----------------------------------------------------------------------===//

#include "Pipelines/Canonicalizer.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/InitAllDialects.h"
#include "tally/InitAll.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;

TEST(CanonicalizerTest, UpstreamHasWhatIsLeftOut) {
  DialectRegistry registry;
  registerAllDialects(registry);
  tally::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  RewritePatternSet patterns(&context);
  for (Dialect *dialect : context.getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context.getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, &context);
  llvm::StringSet<> known;
  for (auto &pattern : patterns.getNativePatterns())
    known.insert(pattern->getDebugName());
  for (auto &spellings : tally::getDisabledPatterns(tally::Strides::Keep))
    EXPECT_TRUE(llvm::any_of(
        spellings,
        [&](const std::string &name) { return known.contains(name); }))
        << spellings.front() << " is no pattern of upstream's any more";
}
