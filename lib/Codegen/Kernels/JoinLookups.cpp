//===- JoinLookups.cpp - Parts that are looked up, as one operation -------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "tally/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_JOINLOOKUPS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-join-lookups"

using namespace mlir;
using namespace tally::codegen;

/// The lookup of an operation that computes indices from those of each point
/// and does nothing but to look an element up there; null if it does more.
static tensor::ExtractOp getLookup(Value part) {
  auto op = part.getDefiningOp<linalg::GenericOp>();
  if (!op || !part.hasOneUse() || op.getNumDpsInputs() != 0 ||
      op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getIndexingMapsArray().front().isIdentity())
    return {};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto lookup = yield.getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!lookup || lookup->getBlock() != op.getBody())
    return {};
  for (Operation &inner : op.getBody()->without_terminator())
    if (&inner != lookup && (!isPure(&inner) || inner.getNumRegions() != 0 ||
                             isa<tensor::ExtractOp>(inner)))
      return {};
  return lookup;
}

/// The lookups of the parts of a concatenation, if all of them look elements of
/// one tensor up.
static SmallVector<tensor::ExtractOp> getLookups(tensor::ConcatOp concat) {
  SmallVector<tensor::ExtractOp> lookups;
  for (Value part : concat.getInputs()) {
    tensor::ExtractOp lookup = getLookup(part);
    if (!lookup ||
        (!lookups.empty() && lookup.getTensor() != lookups.front().getTensor()))
      return {};
    lookups.push_back(lookup);
  }
  return lookups;
}

/// Emits what the indices of a lookup are at a point.
static SmallVector<Value> cloneIndices(OpBuilder &builder,
                                       tensor::ExtractOp lookup,
                                       ArrayRef<Value> point) {
  IRMapping map;
  for (Operation &inner : lookup->getBlock()->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), point[index.getDim()]);
    else if (&inner != lookup)
      builder.clone(inner, map);
  return llvm::map_to_vector(lookup.getIndices(), [&](Value index) {
    return map.lookupOrDefault(index);
  });
}

/// Replaces a concatenation by one operation, which looks each element up where
/// the part does that it is in.
static void joinLookups(tensor::ConcatOp concat,
                        ArrayRef<tensor::ExtractOp> lookups) {
  OpBuilder builder(concat);
  Location loc = concat.getLoc();
  unsigned dim = concat.getDim();
  SmallVector<Value> starts;
  SmallVector<OpFoldResult> sizes;
  AffineExpr a, b;
  bindSymbols(builder.getContext(), a, b);
  for (Value part : concat.getInputs()) {
    SmallVector<OpFoldResult> own = tensor::getMixedSizes(
        builder, loc,
        part.getDefiningOp<linalg::GenericOp>().getDpsInits().front());
    if (sizes.empty()) {
      starts.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
      sizes = own;
      continue;
    }
    starts.push_back(getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
    sizes[dim] = affine::makeComposedFoldedAffineApply(builder, loc, a + b,
                                                       {sizes[dim], own[dim]});
  }
  Value init = tensor::EmptyOp::create(builder, loc, sizes,
                                       concat.getType().getElementType());
  int64_t rank = concat.getType().getRank();
  auto body = [&](OpBuilder &inner, Location, ValueRange) {
    SmallVector<Value> point, at;
    for (int64_t i = 0; i < rank; ++i)
      point.push_back(linalg::IndexOp::create(inner, loc, i));
    Value position = point[dim];
    for (auto [start, lookup] : llvm::zip_equal(starts, lookups)) {
      point[dim] = arith::SubIOp::create(inner, loc, position, start);
      SmallVector<Value> indices = cloneIndices(inner, lookup, point);
      if (at.empty()) {
        at = indices;
        continue;
      }
      Value isBefore = arith::CmpIOp::create(
          inner, loc, arith::CmpIPredicate::slt, position, start);
      for (auto [before, index] : llvm::zip_equal(at, indices))
        before = arith::SelectOp::create(inner, loc, isBefore, before, index);
    }
    tensor::ExtractOp lookup = lookups.front();
    Value element =
        tensor::ExtractOp::create(inner, loc, lookup.getTensor(), at);
    linalg::YieldOp::create(inner, loc, element);
  };
  Value joined =
      linalg::GenericOp::create(
          builder, loc, init.getType(), ValueRange(), init,
          AffineMap::getMultiDimIdentityMap(rank, builder.getContext()),
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          body)
          .getResult(0);
  if (joined.getType() != concat.getType())
    joined = tensor::CastOp::create(builder, loc, concat.getType(), joined);
  SmallVector<Value> parts(concat.getInputs());
  concat.replaceAllUsesWith(joined);
  concat->erase();
  for (Value part : parts)
    part.getDefiningOp()->erase();
}

namespace {
struct JoinLookupsPass : public tally::impl::JoinLookupsBase<JoinLookupsPass> {
  void runOnOperation() override {
    SmallVector<tensor::ConcatOp> concats;
    getOperation().walk([&](tensor::ConcatOp op) { concats.push_back(op); });
    for (tensor::ConcatOp concat : concats) {
      SmallVector<tensor::ExtractOp> lookups = getLookups(concat);
      if (lookups.empty())
        continue;
      LDBG() << describeLastPart(concat) << ": its parts are one lookup";
      joinLookups(concat, lookups);
    }
  }
};
} // namespace
