//===- NoteOperators.cpp - What operations were called --------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Operators.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally {
#define GEN_PASS_DEF_NOTEOPERATORS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

void tally::noteOperators(Operation *root) {
  root->walk([](Operation *op) {
    bool hasName = isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
                   op->getNumResults() != 0 && !isa<linalg::GenericOp>(op);
    if (hasName && !findOperatorName(op->getLoc()))
      op->setLoc(getOperatorLoc(op->getLoc(), op->getName().getStringRef()));
  });
}

namespace {
struct NoteOperatorsPass
    : public tally::impl::NoteOperatorsBase<NoteOperatorsPass> {
  void runOnOperation() override { tally::noteOperators(getOperation()); }
};
} // namespace
