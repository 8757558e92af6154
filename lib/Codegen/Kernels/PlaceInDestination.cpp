//===- PlaceInDestination.cpp - Where an empty tensor may be inserted -----===//

#include "tally/Codegen/Kernels/PlaceInDestination.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

/// Returns whether an assert stands between `first` and `last`, which comes
/// behind it or in a region behind it.
static bool hasAssertBetween(Operation *first, Operation *last) {
  for (Operation *at = last; at && !isa<FunctionOpInterface>(at);
       at = at->getParentOp()) {
    Operation *begin = at->getBlock()->findAncestorOpInBlock(*first);
    for (Operation *op = at->getPrevNode(); op && op != begin;
         op = op->getPrevNode())
      if (isa<tally::AssertOp>(op))
        return true;
    if (begin)
      return false;
  }
  return true;
}

/// Returns whether a loop stands between `value` and `op`: what is written into
/// the value in one iteration must not be there in the next.
static bool hasLoopBetween(Value value, Operation *op) {
  Operation *around = op->getParentOp();
  for (; around && !around->isAncestor(value.getParentBlock()->getParentOp());
       around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      return true;
  return false;
}

Value tally::createPlaceInDestination(RewriterBase &rewriter,
                                      SubsetInsertionOpInterface op,
                                      tensor::EmptyOp empty, Operation *user) {
  // The part may be inside of the destination by a branch that is taken, or by
  // an assert.
  if (!op->getBlock()->findAncestorOpInBlock(*user) ||
      hasAssertBetween(user, op))
    return {};
  if (hasLoopBetween(op.getDestinationOperand().get(), op))
    return {};
  // The results of an operation do not exist in its regions.
  for (Value value : op.getValuesNeededToBuildSubsetExtraction())
    if (Operation *around = value.getDefiningOp())
      if (around->isAncestor(empty) || around->isAncestor(user))
        return {};
  Value part = bufferization::buildSubsetExtraction(rewriter, op, empty, user);
  // In a branch that is never taken sizes may differ.
  if (!part ||
      tensor::CastOp::areCastCompatible(part.getType(), empty.getType()))
    return part;
  rewriter.eraseOp(part.getDefiningOp());
  return {};
}
