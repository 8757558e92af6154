//===- TestIrredundantAsserts.cpp - No assert follows from another --------===//

#include "TestPasses.h"

#include "mlir/Pass/Pass.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Symbolic/Proof/Prover.h"

using namespace mlir;
using namespace tally;

namespace {
/// Recomputes, at each assert, whether it follows from what is declared and
/// from the facts that dominate it; then it is an error.
struct TestIrredundantAsserts
    : PassWrapper<TestIrredundantAsserts, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestIrredundantAsserts)

  StringRef getArgument() const final { return "test-irredundant-asserts"; }
  StringRef getDescription() const final {
    return "Report asserts that follow from what is known before them";
  }

  void runOnOperation() override {
    getOperation()->walk(
        [&](FunctionOpInterface function) { check(function); });
  }

  void check(FunctionOpInterface function) {
    if (function.isExternal())
      return;
    SymbolicShapesOptions options;
    options.form = SymbolicShapesOptions::Form::Bound;
    SymbolicShapes shapes(function, options);
    symbolic::Prover prover(shapes.getFacts());
    ScopedFacts(shapes).walk(function, [&](Operation *op) {
      auto assertion = dyn_cast<AssertOp>(op);
      if (!assertion ||
          !prover.isProven(shapes.getValue(assertion.getCondition())))
        return true;
      op->emitOpError("follows from what is known before it");
      signalPassFailure();
      return true;
    });
  }
};
} // namespace

void tally::test::registerTestIrredundantAsserts() {
  PassRegistration<TestIrredundantAsserts>();
}
