//===- EqualResults.cpp - Results of a call that are one tensor -----------===//

#include "EqualResults.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

/// The values that a function of one block returns.
static OperandRange getReturned(func::FuncOp function) {
  return function.getBody().front().getTerminator()->getOperands();
}

static void mergeResults(func::CallOp call, SymbolTableCollection &symbols) {
  auto callee =
      dyn_cast_or_null<func::FuncOp>(call.resolveCallableInTable(&symbols));
  if (!callee || !callee.getBody().hasOneBlock())
    return;
  DenseMap<Value, Value> first;
  for (auto [returned, result] :
       llvm::zip_equal(getReturned(callee), call.getResults())) {
    auto [it, isNew] = first.try_emplace(returned, result);
    if (!isNew)
      result.replaceAllUsesWith(it->second);
  }
}

namespace {
struct MergeEqualResults
    : PassWrapper<MergeEqualResults, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeEqualResults)

  StringRef getArgument() const final { return "tally-merge-equal-results"; }
  StringRef getDescription() const final {
    return "Uses one result of a call where a function returns a value twice";
  }

  void runOnOperation() override {
    SymbolTableCollection symbols;
    getOperation().walk(
        [&](func::CallOp call) { mergeResults(call, symbols); });
  }
};
} // namespace

std::unique_ptr<Pass> tally::createMergeEqualResults() {
  return std::make_unique<MergeEqualResults>();
}
