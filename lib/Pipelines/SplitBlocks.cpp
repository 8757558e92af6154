//===- SplitBlocks.cpp - Blocks that end with structured operations -------===//

#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally {
#define GEN_PASS_DEF_SPLITBLOCKS
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

using namespace mlir;

void tally::splitBlocks(FunctionOpInterface function) {
  if (function.isExternal())
    return;
  SmallVector<Operation *> structured;
  for (Operation &op : function.getFunctionBody().getOps())
    if (isa_and_present<scf::SCFDialect>(op.getDialect()) &&
        op.getNumRegions() != 0)
      structured.push_back(&op);
  // From the last one on, what is behind an operation is short.
  for (Operation *op : llvm::reverse(structured)) {
    Block *block = op->getBlock();
    Block *rest = block->splitBlock(op->getNextNode());
    OpBuilder builder = OpBuilder::atBlockEnd(block);
    cf::BranchOp::create(builder, op->getLoc(), rest);
  }
}

namespace {
struct SplitBlocksPass : tally::impl::SplitBlocksBase<SplitBlocksPass> {
  void runOnOperation() override {
    if (auto function = dyn_cast<FunctionOpInterface>(getOperation()))
      tally::splitBlocks(function);
  }
};
} // namespace
