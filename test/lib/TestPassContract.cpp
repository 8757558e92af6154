//===- TestPassContract.cpp - Passes that break the contract --------------===//

#include "TestPasses.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct FailSilently : PassWrapper<FailSilently, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailSilently)

  StringRef getArgument() const final { return "tally-test-fail-silently"; }
  StringRef getDescription() const final { return "Fail without an error"; }
  void runOnOperation() override { signalPassFailure(); }
};

struct ReportAndGoOn : PassWrapper<ReportAndGoOn, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportAndGoOn)

  StringRef getArgument() const final { return "tally-test-report-and-go-on"; }
  StringRef getDescription() const final { return "Report an error"; }
  void runOnOperation() override { getOperation()->emitError("is wrong"); }
};
} // namespace

void tally::test::registerTestPassContract() {
  PassRegistration<FailSilently>();
  PassRegistration<ReportAndGoOn>();
}
