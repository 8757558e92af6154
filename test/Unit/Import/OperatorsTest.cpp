//===- OperatorsTest.cpp - Operators that are registered from outside -----===//

#include "tally/Import/Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tally/Import/ImportPt2.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {
class OperatorsTest : public testing::Test {
protected:
  /// Imports x.flatten() + y with a lowering of the sum.
  OwningOpRef<ModuleOp> import(tally::OperatorTable::LowerFn lower) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
    tally::OperatorTable operators;
    operators.add("aten.add.Tensor", std::move(lower));
    tally::ImportOptions options;
    options.operators = &operators;
    return tally::importPt2(TALLY_MODEL, &context, options);
  }

  MLIRContext context;
  std::string messages;
};

TEST_F(OperatorsTest, BuildsACall) {
  auto module = import([](tally::ImportedCall &call) {
    EXPECT_EQ(call.getTarget(), "aten.add.Tensor");
    EXPECT_TRUE(call.has("self"));
    EXPECT_FALSE(call.has("alpha"));
    EXPECT_EQ(call.getInteger("alpha", 7), 7);
    EXPECT_EQ(call.getNumResults(), 1u);
    EXPECT_EQ(call.getResultType().getRank(), 1);
    EXPECT_EQ(call.getResultSizes().size(), 1u);
    call.setResult(arith::SubFOp::create(call.getBuilder(), call.getLoc(),
                                         call.getTensor("self"),
                                         call.getTensor("other")));
    return success();
  });
  ASSERT_TRUE(module) << messages;
  int64_t numSubtractions = 0;
  module->walk([&](arith::SubFOp) { ++numSubtractions; });
  EXPECT_EQ(numSubtractions, 1);
}

TEST_F(OperatorsTest, ReportsWhatIsWrong) {
  EXPECT_FALSE(import([](tally::ImportedCall &) { return failure(); }));
  EXPECT_NE(messages.find("was not imported by what is registered for it"),
            std::string::npos)
      << messages;
  messages.clear();
  EXPECT_FALSE(import([](tally::ImportedCall &call) {
    call.setResult(
        arith::ConstantIndexOp::create(call.getBuilder(), call.getLoc(), 3));
    return success();
  }));
  EXPECT_NE(messages.find("result 0 is of another type than PyTorch has "
                          "recorded"),
            std::string::npos)
      << messages;
  messages.clear();
  // Nothing is dropped silently: neither an argument nor a result.
  EXPECT_FALSE(import([](tally::ImportedCall &call) {
    call.setResult(call.getTensor("self"));
    return success();
  }));
  EXPECT_NE(messages.find("the argument 'other' is not supported"),
            std::string::npos)
      << messages;
}
} // namespace
