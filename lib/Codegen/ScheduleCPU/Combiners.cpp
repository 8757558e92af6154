//===- Combiners.cpp - What joins parts of a reduction --------------------===//

#include "Combiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tally::codegen;

std::optional<Combiner> tally::codegen::findCombiner(linalg::GenericOp op) {
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  Operation *yield = op.getBody()->getTerminator();
  Operation *combiner = yield->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBody() ||
      combiner->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combiner)
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral || neutral->getType() != accumulator.getType())
    return std::nullopt;
  return Combiner{combiner, *neutral};
}

bool tally::codegen::isReassociated(const Combiner &combiner) {
  auto sum = dyn_cast<arith::AddFOp>(combiner.op);
  return sum &&
         bitEnumContainsAll(sum.getFastmath(), arith::FastMathFlags::reassoc);
}

void tally::codegen::fuseProducts(linalg::GenericOp op) {
  std::optional<Combiner> combiner = findCombiner(op);
  if (!combiner || !isReassociated(*combiner))
    return;
  auto allow = [](auto arithmetic) {
    arithmetic.setFastmath(arithmetic.getFastmath() |
                           arith::FastMathFlags::contract);
  };
  for (Value operand : combiner->op->getOperands())
    if (auto product = operand.getDefiningOp<arith::MulFOp>();
        product && product->hasOneUse()) {
      allow(product);
      allow(cast<arith::AddFOp>(combiner->op));
    }
}
