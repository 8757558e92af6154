//===- PrepareAttention.cpp - What becomes part of attention --------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PREPAREATTENTION
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-prepare-attention"

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Replaces an operation by one without the region `mask`, which gives minus
/// infinity where that says no.
static AttentionOp foldMask(AttentionOp op) {
  OpBuilder b(op);
  auto made = AttentionOp::create(
      b, op.getLoc(), op->getResultTypes(), op.getQuery(), op.getKey(),
      op.getValue(), op.getElements(), op.getOutput(), op.getMaps(),
      op.getGroupedAttr(), /*masksCount=*/0);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made.getScore().takeBody(op.getScore());
  Block &block = made.getScore().front();
  Operation *yield = block.getTerminator();
  // All arguments but the product.
  SmallVector<Value> arguments(block.getArguments());
  arguments.erase(arguments.begin() + made.getNumBatchLoops() + 2);
  IRMapping map;
  map.map(op.getMask()->getArguments(), arguments);
  b.setInsertionPoint(yield);
  for (Operation &inner : op.getMask()->front().without_terminator())
    b.clone(inner, map);
  Value sees =
      map.lookupOrDefault(op.getMask()->front().getTerminator()->getOperand(0));
  FloatType type = made.getSumType();
  Value lowest = arith::ConstantOp::create(
      b, op.getLoc(),
      b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                           /*Negative=*/true)));
  yield->setOperand(0, arith::SelectOp::create(b, op.getLoc(), sees,
                                               yield->getOperand(0), lowest));
  op->replaceAllUsesWith(made);
  op->erase();
  return made;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// The map from an index of the result to one of the source, if all that an
/// operation does is to permute dimensions.
static std::optional<AffineMap> matchTranspose(linalg::LinalgOp op) {
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  Block &body = op->getRegion(0).front();
  if (body.getTerminator()->getOperand(0) != body.getArgument(0))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isPermutation() || !maps[1].isPermutation())
    return std::nullopt;
  return maps[0].compose(inversePermutation(maps[1]));
}

static void setMap(AttentionOp op, unsigned operand, AffineMap map) {
  SmallVector<Attribute> maps(op.getMaps().getValue());
  maps[operand] = AffineMapAttr::get(map);
  op.setMapsAttr(ArrayAttr::get(op.getContext(), maps));
}

/// Reads operands where they were before they were permuted.
static void foldOperands(AttentionOp op) {
  for (unsigned number = 0; number + 1 < op->getNumOperands(); ++number)
    while (auto source =
               op->getOperand(number).getDefiningOp<linalg::LinalgOp>()) {
      std::optional<AffineMap> map = matchTranspose(source);
      if (!map)
        break;
      LDBG() << op->getName() << describePlace(op.getLoc()) << ": operand "
             << number << " is read as it was before "
             << source->getName().getStringRef();
      op->setOperand(number, source.getDpsInputs().front());
      setMap(op, number, map->compose(op.getMap(number)));
    }
}

/// Writes the result in the order that its only user gives it.
static void foldResult(AttentionOp op) {
  if (!op->hasOneUse())
    return;
  auto user = dyn_cast<linalg::LinalgOp>(*op->user_begin());
  std::optional<AffineMap> map = matchTranspose(user);
  if (!map)
    return;
  LDBG() << op->getName() << describePlace(op.getLoc())
         << ": is written in the order of " << user->getName();
  AffineMap order = inversePermutation(*map);
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = applyPermutationMap(
      order, ArrayRef(tensor::getMixedSizes(b, loc, op.getOutput())));
  auto type = cast<RankedTensorType>(user->getResult(0).getType());
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(b, loc, type, empty);
  unsigned output = op->getNumOperands() - 1;
  op.getOutputMutable().assign(empty);
  setMap(op, output, order.compose(op.getMap(output)));
  op->getResult(0).setType(type);
  user->getResult(0).replaceAllUsesWith(op->getResult(0));
  user->erase();
}

void tally::prepareAttention(Operation *root) {
  SmallVector<AttentionOp> ops;
  root->walk([&](AttentionOp op) {
    if (op->getNumResults() != 0)
      ops.push_back(op);
  });
  for (AttentionOp op : ops) {
    if (op.getMask()) {
      LDBG() << op->getName() << describePlace(op.getLoc())
             << ": what its mask says is part of the score";
      op = foldMask(op);
    }
    foldOperands(op);
    foldResult(op);
  }
}

namespace {
struct PrepareAttentionPass
    : tally::impl::PrepareAttentionBase<PrepareAttentionPass> {
  void runOnOperation() override { tally::prepareAttention(getOperation()); }
};
} // namespace
