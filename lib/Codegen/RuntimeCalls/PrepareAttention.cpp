//===- PrepareAttention.cpp - What becomes part of attention --------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "AttentionChain.h"
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
using namespace tally::codegen;

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
      op.getGroupedAttr(), op.getStrictAttr(), /*masksCount=*/0);
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

//===----------------------------------------------------------------------===//
// Repeated heads
//===----------------------------------------------------------------------===//

namespace {
/// Heads of keys, or of values, each of which is there several times.
struct RepeatedHeads {
  Value source;
  OpFoldResult count;
};
} // namespace

/// A tensor without a dimension of one element.
static Value dropUnitDim(OpBuilder &b, Value tensor, unsigned unit) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim != int64_t(unit))
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  // The view that added it, whatever dimension it was split from.
  auto view = tensor.getDefiningOp<tensor::ExpandShapeOp>();
  if (view && view.getSrcType().getRank() + 1 == type.getRank())
    for (const ReassociationIndices &group : view.getReassociationIndices())
      if (llvm::is_contained(group, int64_t(unit)) && group.size() == 2)
        return view.getSrc();
  return tensor::CollapseShapeOp::create(b, tensor.getLoc(), tensor, groups);
}

/// Returns what `tensor` repeats along its dimension `heads`: each head as
/// often as any other, one after the other.
static std::optional<RepeatedHeads>
matchRepeatedHeads(OpBuilder &b, Value tensor, unsigned heads) {
  auto view = tensor.getDefiningOp<tensor::CollapseShapeOp>();
  if (!view)
    return std::nullopt;
  unsigned repeats = heads + 1;
  for (auto [dim, group] : llvm::enumerate(view.getReassociationIndices()))
    if (group.size() != (dim == heads ? 2 : 1))
      return std::nullopt;
  auto copy = view.getSrc().getDefiningOp<linalg::LinalgOp>();
  if (!copy || !isCopy(copy))
    return std::nullopt;
  SmallVector<AffineMap> maps = copy.getIndexingMapsArray();
  std::optional<SmallVector<OpFoldResult>> sizes = findSizes(view.getSrc());
  unsigned loops = copy.getNumLoops();
  AffineMap all = b.getMultiDimIdentityMap(loops);
  Value source = copy.getDpsInputs().front();
  if (!sizes || !maps[1].isIdentity())
    return std::nullopt;
  if (maps[0] == all.dropResult(repeats))
    return RepeatedHeads{source, (*sizes)[repeats]};
  SmallVector<AffineExpr> once(all.getResults());
  once[repeats] = b.getAffineConstantExpr(0);
  if (maps[0] != AffineMap::get(loops, 0, once, b.getContext()))
    return std::nullopt;
  return RepeatedHeads{dropUnitDim(b, source, repeats), (*sizes)[repeats]};
}

/// Reads keys and values that are repeated for several heads of queries where
/// they are there once.
static void foldRepeats(AttentionOp op) {
  unsigned batch = op.getNumBatchLoops();
  if (op.getGrouped() || batch == 0)
    return;
  OpBuilder b(op);
  auto match = [&](unsigned operand) {
    return matchRepeatedHeads(b, op->getOperand(operand),
                              *op.findDim(operand, batch - 1));
  };
  std::optional<RepeatedHeads> keys = match(1);
  std::optional<RepeatedHeads> values = keys ? match(2) : std::nullopt;
  if (!values || !isEqualConstantIntOrValue(keys->count, values->count))
    return;
  LDBG() << op->getName() << describePlace(op.getLoc())
         << ": heads of keys and values are not repeated";
  op->setOperand(1, keys->source);
  op->setOperand(2, values->source);
  op.setGrouped(true);
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
    foldRepeats(op);
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
