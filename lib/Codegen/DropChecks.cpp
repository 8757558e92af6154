//===- DropChecks.cpp - Asserts taken on trust ----------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Passes.h"
#include "tally/IR/Tally.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tally {
#define GEN_PASS_DEF_DROPCHECKS
#include "tally/Codegen/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Returns whether `op` is decided by the sizes of tensor arguments and by
/// scalar arguments alone.
static bool isDecidedAtEntry(tally::AssertOp op) {
  if (!isa<func::FuncOp>(op->getParentOp()))
    return false;
  SmallVector<Value> worklist{op.getCondition()};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *definition = value.getDefiningOp();
    if (!definition) {
      if (!value.getType().isIntOrIndexOrFloat() ||
          !isa<func::FuncOp>(value.getParentBlock()->getParentOp()))
        return false;
    } else if (auto dim = dyn_cast<tensor::DimOp>(definition)) {
      if (!isa<BlockArgument>(dim.getSource()))
        return false;
    } else if (isMemoryEffectFree(definition) &&
               definition->getNumRegions() == 0 &&
               llvm::all_of(definition->getOperandTypes(), [](Type type) {
                 return type.isIntOrIndexOrFloat();
               })) {
      llvm::append_range(worklist, definition->getOperands());
    } else {
      return false;
    }
  }
  return true;
}

/// Replaces an assert by what it would have made sure of.
static void dropAssert(tally::AssertOp op) {
  OpBuilder builder(op);
  if (tally::ExprAttr expr = op.getExprAttr()) {
    SmallVector<StringRef> names;
    for (StringAttr name : op.getNames().getAsRange<StringAttr>())
      names.push_back(name.getValue());
    tally::AssumeOp::create(builder, op.getLoc(), expr, op.getValues(), names);
  }
  op->replaceAllUsesWith(op.getGuarded());
  op.erase();
}

namespace {

struct DropChecksPass : public tally::impl::DropChecksBase<DropChecksPass> {
  using DropChecksBase::DropChecksBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (keep == "all" || keep == "entry" || keep == "none")
      return success();
    return emitError(UnknownLoc::get(context))
           << "tally-drop-checks: keep must be all, entry or none, not '"
           << keep << "'";
  }

  void runOnOperation() override {
    if (keep == "all")
      return;
    SmallVector<tally::AssertOp> dropped;
    getOperation().walk([&](tally::AssertOp op) {
      if (keep == "none" || !isDecidedAtEntry(op))
        dropped.push_back(op);
    });
    for (tally::AssertOp op : dropped)
      dropAssert(op);
  }
};

} // namespace
