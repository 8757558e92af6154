//===- SeparateEmptyTensors.cpp - An empty tensor for each use ------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SEPARATEEMPTYTENSORS
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-separate-empty-tensors"

using namespace mlir;

/// Gives the insertion of a part that was computed in its place a tensor of its
/// own, together with that place:
///
///   %s = tensor.extract_slice %empty[%i] [%n] [1]
///   %p = linalg.exp ins(%x) outs(%s)
///   %r = tensor.insert_slice %p into %empty[%i] [%n] [1]
static void separatePart(tensor::EmptyOp empty,
                         tensor::InsertSliceOp insertion) {
  OpOperand *init = &insertion.getSourceMutable();
  while (auto op = init->get().getDefiningOp<DestinationStyleOpInterface>())
    init = op.getTiedOpOperand(cast<OpResult>(init->get()));
  auto place = init->get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!place || place.getSource() != empty.getResult() ||
      place->getBlock() != empty->getBlock() ||
      insertion->getBlock() != empty->getBlock() ||
      place.getMixedOffsets() != insertion.getMixedOffsets() ||
      place.getMixedSizes() != insertion.getMixedSizes() ||
      place.getMixedStrides() != insertion.getMixedStrides())
    return;
  OpBuilder builder(place);
  IRMapping mapping;
  Operation *own = builder.clone(*empty);
  mapping.map(empty.getResult(), own->getResult(0));
  init->set(builder.clone(*place, mapping)->getResult(0));
  insertion.getDestMutable().set(own->getResult(0));
  if (place->use_empty())
    place->erase();
}

/// Whether an operation reshapes an empty tensor, or a reshape of one.
static bool reshapesEmpty(Operation *op) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
    if (isa_and_nonnull<tensor::EmptyOp>(op))
      return true;
  }
  return false;
}

/// Gives each use of a reshape of an empty tensor one of its own, so that the
/// empty tensor has a use for each of them.
static void separateReshapes(Operation *root) {
  SmallVector<Operation *> reshapes;
  root->walk([&](Operation *op) {
    if (reshapesEmpty(op))
      reshapes.push_back(op);
  });
  // A reshape of a reshape comes first: it becomes several uses of the other.
  for (Operation *reshape : llvm::reverse(reshapes)) {
    if (reshape->hasOneUse())
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(reshape->getUses())) {
      Operation *user = use.getOwner();
      if (isa<tensor::DimOp>(user) || user->getBlock() != reshape->getBlock())
        continue;
      OpBuilder builder(user);
      use.set(builder.clone(*reshape)->getResult(0));
    }
    if (reshape->use_empty())
      reshape->erase();
  }
}

void tally::separateEmptyTensors(Operation *root) {
  separateReshapes(root);
  SmallVector<tensor::EmptyOp> shared;
  root->walk([&](tensor::EmptyOp empty) {
    if (!empty->hasOneUse())
      shared.push_back(empty);
  });
  for (tensor::EmptyOp empty : shared) {
    for (Operation *user : llvm::to_vector(empty->getUsers()))
      if (auto insertion = dyn_cast<tensor::InsertSliceOp>(user))
        separatePart(empty, insertion);
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      Operation *user = use.getOwner();
      // A tensor that a loop fills piece by piece is made before it.
      if (isa<tensor::DimOp>(user) ||
          (user->getNumRegions() == 0 && user->getBlock() != empty->getBlock()))
        continue;
      LDBG() << user->getName() << tally::describePlace(user->getLoc())
             << ": gets an empty tensor of its own";
      OpBuilder builder(user);
      use.set(builder.clone(*empty)->getResult(0));
    }
  }
}

namespace {
struct SeparateEmptyTensorsPass
    : tally::impl::SeparateEmptyTensorsBase<SeparateEmptyTensorsPass> {
  void runOnOperation() override {
    tally::separateEmptyTensors(getOperation());
  }
};
} // namespace
