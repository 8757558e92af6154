//===- TestAliasChains.cpp - Cuts long chains of tensors ------------------===//
//
// The cuts that bufferization makes for the time of its analysis.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Pipelines/AliasChains.h"
#include "TestPasses.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct TestAliasChainsPass
    : PassWrapper<TestAliasChainsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAliasChainsPass)

  TestAliasChainsPass() = default;
  TestAliasChainsPass(const TestAliasChainsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-alias-chains"; }
  StringRef getDescription() const final {
    return "Cut long chains of tensors in one buffer";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect>();
  }
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    tally::AliasChains chains(options, mayInsert);
    chains.cut(getOperation());
    if (joins)
      chains.join();
  }

  Option<bool> mayInsert{*this, "may-insert",
                         llvm::cl::desc("Parts are still to be placed")};
  Option<bool> joins{*this, "join", llvm::cl::desc("Undo the cuts")};
};
} // namespace

void tally::test::registerTestAliasChains() {
  PassRegistration<TestAliasChainsPass>();
}
