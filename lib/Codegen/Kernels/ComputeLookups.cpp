//===- ComputeLookups.cpp - Elements that are computed, not looked up -----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "FusePoints.h"
#include "KernelGroups.h"
#include "Lookups.h"
#include "RepeatedWork.h"
#include "tally/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_COMPUTELOOKUPS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-compute-lookups"

using namespace mlir;
using namespace tally::codegen;
using linalg::GenericOp;

/// The most operations that compute an element where it is read, and the most
/// in the body that reads it.
static constexpr int64_t kMostRepeated = 48;
static constexpr int64_t kMostInBody = 128;

//===----------------------------------------------------------------------===//
// Which operations
//===----------------------------------------------------------------------===//

/// The elements of tensors that an operation reads for each of its own.
static int64_t countReads(GenericOp op) {
  int64_t count =
      llvm::count_if(op.getDpsInputOperands(), [](OpOperand *input) {
        return isa<RankedTensorType>(input->get().getType());
      });
  op.getBody()->walk([&](tensor::ExtractOp) { ++count; });
  return count;
}

/// Whether a body computes numbers alone. It may divide: what it is computed
/// for are elements that there are.
static bool computesNumbers(GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
  });
}

/// The operations that compute an element, none of which is a function.
static int64_t countOps(GenericOp op) {
  return int64_t(op.getBody()->getOperations().size());
}

/// Whether an operation computes its results element by element from indices
/// and at most one element of another tensor, so that any of them can be
/// computed anywhere.
static bool isComputable(GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumLoops() > 0 &&
         op.getNumReductionLoops() == 0 && computesNumbers(op) &&
         !isExpensive(op) && countOps(op) <= kMostRepeated &&
         countReads(op) <= 1 &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) {
                        return !needsInit(op, init) &&
                               op.getMatchingIndexingMap(&init).isPermutation();
                      }) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return llvm::all_of(
               op.getMatchingIndexingMap(input).getResults(),
               llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
         });
}

/// The operation in whose body an element is extracted, or that reads all
/// elements; null for any other use.
static GenericOp getReader(OpOperand &use) {
  if (isa<tensor::ExtractOp>(use.getOwner()) && use.getOperandNumber() == 0)
    return use.getOwner()->getParentOfType<GenericOp>();
  return dyn_cast<GenericOp>(use.getOwner());
}

/// How often an operation reads elements of another one for each of its own.
static int64_t countReadsOf(GenericOp maker, GenericOp reader) {
  int64_t count = 0;
  for (Value result : maker->getResults())
    for (OpOperand &use : result.getUses())
      count += getReader(use) == reader;
  return count;
}

/// Whether an element is computed where it is read. What depends on indices
/// alone is; what reads an element of another tensor is if that element is read
/// instead.
static bool mayCompute(GenericOp maker, OpOperand &use) {
  GenericOp reader = getReader(use);
  if (!reader ||
      getCodeSize(reader) + countReadsOf(maker, reader) * countOps(maker) >
          kMostInBody)
    return false;
  if (reader != use.getOwner())
    return countReads(maker) == 0 || reader.getNumReductionLoops() == 0;
  // What has all of the reader's loops is one kernel with it as it is.
  return countReads(maker) == 0 && knowsLoopsWithout(reader, use) &&
         !reader.getMatchingIndexingMap(&use).isPermutation();
}

static bool mayComputeAll(GenericOp maker) {
  bool isRead = false;
  for (Value result : maker->getResults())
    for (OpOperand &use : result.getUses()) {
      if (isa<tensor::DimOp>(use.getOwner()))
        continue;
      if (!mayCompute(maker, use))
        return false;
      isRead = true;
    }
  return isRead;
}

//===----------------------------------------------------------------------===//
// Computing them
//===----------------------------------------------------------------------===//

/// Computes an element of a result at some indices.
static Value computeElement(OpBuilder &builder, Location loc, OpResult result,
                            ValueRange indices) {
  auto maker = cast<GenericOp>(result.getOwner());
  AffineMap places = maker.getIndexingMapMatchingResult(result);
  SmallVector<Value> loops(maker.getNumLoops());
  for (auto [index, loop] : llvm::zip_equal(indices, places.getResults()))
    loops[cast<AffineDimExpr>(loop).getPosition()] = index;
  IRMapping map;
  for (OpOperand *input : maker.getDpsInputOperands()) {
    Value value = input->get();
    if (isa<RankedTensorType>(value.getType())) {
      SmallVector<Value> at;
      for (AffineExpr expr : maker.getMatchingIndexingMap(input).getResults())
        if (auto constant = dyn_cast<AffineConstantExpr>(expr))
          at.push_back(arith::ConstantIndexOp::create(builder, loc,
                                                      constant.getValue()));
        else
          at.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
      value = tensor::ExtractOp::create(builder, loc, value, at);
    }
    map.map(maker.getMatchingBlockArgument(input), value);
  }
  for (Operation &op : maker.getBody()->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      map.map(index.getResult(), loops[index.getDim()]);
    else
      builder.clone(op, map);
  return map.lookupOrDefault(
      maker.getBody()->getTerminator()->getOperand(result.getResultNumber()));
}

static void computeAt(OpResult result, OpOperand &use) {
  auto create = [&](OpBuilder &builder, Location loc, ValueRange indices) {
    return computeElement(builder, loc, result, indices);
  };
  if (GenericOp reader = getReader(use))
    noteFused(result.getOwner(), reader);
  if (auto reader = dyn_cast<GenericOp>(use.getOwner()))
    return replaceInput(reader, use, create);
  OpBuilder builder(use.getOwner());
  if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner())) {
    auto maker = cast<GenericOp>(result.getOwner());
    dim.getSourceMutable().assign(maker.getTiedOpOperand(result)->get());
    return;
  }
  auto extract = cast<tensor::ExtractOp>(use.getOwner());
  extract.replaceAllUsesWith(
      create(builder, extract.getLoc(), extract.getIndices()));
  extract.erase();
}

/// Computes the elements of an operation where they are read, if that is right;
/// returns what comes behind it.
static Operation *computeWhereRead(GenericOp maker) {
  if (!isComputable(maker) || !mayComputeAll(maker))
    return maker->getNextNode();
  LDBG() << describeLastPart(maker) << " is computed where it is read";
  for (OpResult result : maker->getResults())
    while (!result.use_empty())
      computeAt(result, *result.use_begin());
  Operation *next = maker->getNextNode();
  maker.erase();
  return next;
}

namespace {
struct ComputeLookupsPass
    : public tally::impl::ComputeLookupsBase<ComputeLookupsPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    // What an operation reads is computed in it before it is computed itself.
    for (Block *block : blocks)
      for (Operation *op = &block->front(); op;) {
        auto maker = dyn_cast<GenericOp>(op);
        op = maker ? computeWhereRead(maker) : op->getNextNode();
      }
  }
};
} // namespace
