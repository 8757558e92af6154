//===- KeepInits.cpp - What loops leave as it is --------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "Fusion.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_KEEPINITS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-keep-inits"

using namespace mlir;

/// Has the body read the inits of which elements may stay.
static void readInits(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (!isa<RankedTensorType>(init.get().getType()) ||
        op.payloadUsesValueFromOperand(&init) ||
        !tally::codegen::needsInit(op, init))
      continue;
    LDBG() << tally::codegen::describeLastPart(op) << ": reads output "
           << init.getOperandNumber() - op.getNumDpsInputs()
           << ", of which elements may stay";
    BlockArgument element = op.getMatchingBlockArgument(&init);
    OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
    UnrealizedConversionCastOp::create(builder, op.getLoc(), element.getType(),
                                       element);
  }
}

/// Returns whether the buffer of a tensor may have strides: it is a slice, in
/// whatever shape.
static bool isSlice(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp>(op))
      return true;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Has a loop start with copies of slices.
static void copySlices(scf::WhileOp loop) {
  OpBuilder builder(loop);
  for (OpOperand &init : loop.getInitsMutable())
    if (auto type = dyn_cast<RankedTensorType>(init.get().getType());
        type && isSlice(init.get()))
      init.set(bufferization::AllocTensorOp::create(
          builder, loop.getLoc(), type, ValueRange(), init.get()));
}

void tally::keepInits(func::FuncOp function) {
  function.walk(readInits);
  function.walk(copySlices);
}

namespace {
struct KeepInitsPass : tally::impl::KeepInitsBase<KeepInitsPass> {
  void runOnOperation() override { tally::keepInits(getOperation()); }
};
} // namespace
