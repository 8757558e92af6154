//===- TestRebindSymbols.cpp - Replaces operations that make symbols ------===//
//
// An operation with `test.types` is replaced by one with results of these types
// and the bindings in `test.bind`, as a pass would that has changed an operand.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Transforms.h"

using namespace mlir;

namespace {
struct TestRebindSymbolsPass
    : PassWrapper<TestRebindSymbolsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRebindSymbolsPass)

  StringRef getArgument() const final { return "test-rebind-symbols"; }
  StringRef getDescription() const final {
    return "Replace operations that make symbols";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tensor::TensorDialect>();
  }
  void runOnOperation() override {
    getOperation()->walk([&](FunctionOpInterface function) {
      if (failed(replaceDefinitions(function)))
        signalPassFailure();
    });
  }

  using Definition = tally::UnbackedBindingOpInterface;
  static Definition createReplacement(Definition op, ArrayAttr types);
  static LogicalResult replaceDefinitions(FunctionOpInterface function);
};
} // namespace

TestRebindSymbolsPass::Definition
TestRebindSymbolsPass::createReplacement(Definition op, ArrayAttr types) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(llvm::to_vector(types.getAsValueRange<TypeAttr>()));
  auto replacement = cast<Definition>(builder.create(state));
  replacement.setSymbolBindings(
      op->getAttrOfType<tally::BindingsAttr>("test.bind"));
  return replacement;
}

LogicalResult
TestRebindSymbolsPass::replaceDefinitions(FunctionOpInterface function) {
  SmallVector<std::pair<Definition, Definition>> replaced;
  function.walk([&](Definition op) {
    if (auto types = op->getAttrOfType<ArrayAttr>("test.types"))
      replaced.emplace_back(op, createReplacement(op, types));
  });
  if (failed(tally::rebindSymbols(function, replaced)))
    return failure();
  for (auto [op, replacement] : replaced) {
    OpBuilder builder(op);
    for (auto [from, to] :
         llvm::zip(op->getResults(), replacement->getResults())) {
      Value value = to;
      if (from.getType() != to.getType())
        value =
            tensor::CastOp::create(builder, op->getLoc(), from.getType(), to);
      from.replaceAllUsesWith(value);
    }
    op->erase();
  }
  return success();
}

void test_hop::registerTestPasses() {
  PassRegistration<TestRebindSymbolsPass>();
}
