//===- ReassociateReductions.cpp - Sums in an order that vectors have -----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_REASSOCIATEREDUCTIONS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-reassociate-reductions"

using namespace mlir;

/// Marks `combiner` if it is a sum or a product of floats.
static void allowReassociation(Operation *combiner) {
  if (!isa<arith::AddFOp, arith::MulFOp>(combiner))
    return;
  LDBG() << tally::codegen::describeLastPart(combiner)
         << ": may be summed up in any order";
  auto op = cast<arith::ArithFastMathInterface>(combiner);
  auto flags = op.getFastMathFlagsAttr().getValue();
  combiner->setAttr(
      op.getFastMathAttrName(),
      arith::FastMathFlagsAttr::get(combiner->getContext(),
                                    flags | arith::FastMathFlags::reassoc));
}

void tally::reassociateReductions(Operation *root) {
  root->walk([](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    Operation *yield = op.getBlock()->getTerminator();
    for (auto [accumulator, result] :
         llvm::zip_equal(op.getRegionOutputArgs(), yield->getOperands())) {
      Operation *combiner = result.getDefiningOp();
      if (combiner && combiner->getBlock() == op.getBlock() &&
          accumulator.hasOneUse() && *accumulator.user_begin() == combiner)
        allowReassociation(combiner);
    }
  });
}

namespace {
struct ReassociateReductionsPass
    : tally::impl::ReassociateReductionsBase<ReassociateReductionsPass> {
  void runOnOperation() override {
    tally::reassociateReductions(getOperation());
  }
};

} // namespace
