//===- PlaceInDestination.cpp - Where an empty tensor may be inserted -----===//

#include "tally/Codegen/Kernels/PlaceInDestination.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-eliminate-empty-tensors"

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

/// Returns why an empty tensor that `user` asks for cannot be the place that
/// something is inserted into; empty if it may be.
static StringRef findObstacle(SubsetInsertionOpInterface op,
                              tensor::EmptyOp empty, Operation *user) {
  // The part may be inside of the destination by a branch that is taken, or by
  // an assert.
  if (!op->getBlock()->findAncestorOpInBlock(*user))
    return "a branch may not be taken";
  if (hasAssertBetween(user, op))
    return "an assert stands between";
  if (hasLoopBetween(op.getDestinationOperand().get(), op))
    return "a loop inserts into what another iteration has made";
  // The results of an operation do not exist in its regions.
  for (Value value : op.getValuesNeededToBuildSubsetExtraction())
    if (Operation *around = value.getDefiningOp())
      if (around->isAncestor(empty) || around->isAncestor(user))
        return "where it ends up is not known yet";
  return "";
}

Value tally::createPlaceInDestination(RewriterBase &rewriter,
                                      SubsetInsertionOpInterface op,
                                      tensor::EmptyOp empty, Operation *user) {
  StringRef obstacle = findObstacle(op, empty, user);
  Value part;
  if (obstacle.empty())
    part = bufferization::buildSubsetExtraction(rewriter, op, empty, user);
  // In a branch that is never taken sizes may differ.
  if (part &&
      !tensor::CastOp::areCastCompatible(part.getType(), empty.getType())) {
    rewriter.eraseOp(part.getDefiningOp());
    part = {};
  }
  if (!part && obstacle.empty())
    obstacle = "its part cannot be built";
  LDBG() << "an empty tensor" << describePlace(empty.getLoc())
         << (part ? ": is made where it is inserted"
                  : ": is inserted later, as ")
         << obstacle;
  return part;
}
