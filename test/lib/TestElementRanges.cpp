//===- TestElementRanges.cpp - Prints between what elements lie -----------===//

#include "../../lib/Analysis/ElementRangesImpl.h"
#include "TestPasses.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tally;

namespace {
/// Prints the range of each result and block argument of integers; what is not
/// known is a question mark.
struct TestElementRanges
    : PassWrapper<TestElementRanges, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestElementRanges)

  StringRef getArgument() const final { return "test-element-ranges"; }
  StringRef getDescription() const final {
    return "Print the ranges of elements";
  }

  void runOnOperation() override {
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        print(function);
    });
  }

  void print(FunctionOpInterface function) {
    SymbolicShapes shapes(function);
    ElementRanges ranges(shapes);
    AsmState state(function);
    auto printValue = [&](Value value) {
      if (!hasElementRange(value.getType()))
        return;
      ElementRange range = ranges.get(value);
      auto getText = [](symbolic::Expr bound) {
        return bound ? bound.str() : std::string("?");
      };
      value.printAsOperand(llvm::outs(), state);
      llvm::outs() << " in [" << getText(range.lower) << ", "
                   << getText(range.upper) << "]\n";
    };
    llvm::outs() << "@" << SymbolTable::getSymbolName(function).getValue()
                 << "\n";
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        printValue(result);
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          printValue(argument);
    });
  }
};
} // namespace

void tally::test::registerTestElementRanges() {
  PassRegistration<TestElementRanges>();
}
