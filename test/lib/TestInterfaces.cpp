//===- TestInterfaces.cpp - Says what helpers of interfaces say -----------===//

#include "TestPasses.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tally/Interfaces/HigherOrderOpInterface.h"
#include "tally/Interfaces/PlacementOpInterface.h"

using namespace mlir;
using namespace tally;

namespace {
/// Writes into attributes what the helpers of the interfaces say: of each
/// operation where it may run and whether it accesses memory, of each region
/// which operands are passed to its arguments.
struct TestInterfaces : PassWrapper<TestInterfaces, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestInterfaces)

  StringRef getArgument() const final { return "test-interfaces"; }
  StringRef getDescription() const final {
    return "Write what helpers of interfaces say into attributes";
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      Builder builder(op);
      SmallVector<Attribute> places;
      auto note = [&](bool holds, StringRef name) {
        if (holds)
          places.push_back(builder.getStringAttr(name));
      };
      note(runsInThread(op), "thread");
      note(runsOnHost(op), "host");
      note(accessesMemRef(op), "accesses");
      op->setAttr("test.runs", builder.getArrayAttr(places));
      SmallVector<int64_t> passed;
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          passed.push_back(getOperandNumber(op, getPassedValue(argument)));
      if (!passed.empty())
        op->setAttr("test.passed", builder.getI64ArrayAttr(passed));
    });
  }

  /// Returns -1 where not always the same operand is passed.
  static int64_t getOperandNumber(Operation *op, Value passed) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == passed)
        return operand.getOperandNumber();
    return -1;
  }
};
} // namespace

void tally::test::registerTestInterfaces() {
  PassRegistration<TestInterfaces>();
}
