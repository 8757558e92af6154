//===- KeepInits.cpp - What loops leave as it is --------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "tally/Codegen/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally {
#define GEN_PASS_DEF_KEEPINITS
#include "tally/Codegen/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Has the body read the inits of which elements may stay.
static void readInits(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (!isa<RankedTensorType>(init.get().getType()) ||
        op.payloadUsesValueFromOperand(&init) ||
        !tally::codegen::needsInit(op, init))
      continue;
    BlockArgument element = op.getMatchingBlockArgument(&init);
    OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
    UnrealizedConversionCastOp::create(builder, op.getLoc(), element.getType(),
                                       element);
  }
}

namespace {
struct KeepInitsPass : public tally::impl::KeepInitsBase<KeepInitsPass> {
  void runOnOperation() override { getOperation().walk(readInits); }
};
} // namespace
