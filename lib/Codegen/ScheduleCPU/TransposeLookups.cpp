//===- TransposeLookups.cpp - Rows that are looked up become columns ------===//
//
// See the description of the pass in ReductionPasses.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_TRANSPOSELOOKUPS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-transpose-lookups"

using namespace mlir;
using linalg::GenericOp;

/// The loops over rows and over what a row of the result has.
static constexpr unsigned kRow = 0, kElement = 1, kFirstReduction = 2;

/// So many rows fill a vector.
static constexpr int64_t kFewRows = 8;

static bool isRow(Value value) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == kRow;
}

/// Whether the row is of use for lookups of its elements alone, and there are
/// such whose place in the row is computed.
static bool looksUpInRows(GenericOp op) {
  llvm::SmallDenseSet<Value> computed;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(input).isFunctionOfDim(kElement))
      computed.insert(op.getMatchingBlockArgument(input));
  bool found = false;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (inner.getNumRegions() != 0)
      return false;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (index.getDim() == kElement)
        computed.insert(index);
      continue;
    }
    bool isComputed = llvm::any_of(
        inner.getOperands(), [&](Value v) { return computed.contains(v); });
    if (isComputed)
      computed.insert(inner.result_begin(), inner.result_end());
    if (llvm::none_of(inner.getOperands(), isRow))
      continue;
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (!extract || extract.getIndices().size() != 2 ||
        !isRow(extract.getIndices()[0]) || isRow(extract.getIndices()[1]) ||
        extract.getTensor().getParentRegion() == &op.getRegion())
      return false;
    Value place = extract.getIndices()[1];
    found |=
        computed.contains(place) && !place.getDefiningOp<linalg::IndexOp>();
  }
  return found;
}

/// Whether an operation reduces, for each row and each element of its result,
/// what it looks up in the row.
static bool isTaken(GenericOp op) {
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != kFirstReduction ||
      op.getNumReductionLoops() == 0 ||
      types[kRow] != utils::IteratorType::parallel ||
      types[kElement] != utils::IteratorType::parallel)
    return false;
  auto isOfRow = [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).isFunctionOfDim(kRow);
  };
  AffineMap output = op.getIndexingMapsArray().back();
  int64_t numRows = op.getStaticLoopRanges()[kRow];
  return output == AffineMap::getMultiDimIdentityMap(op.getNumLoops(),
                                                     op.getContext())
                       .getMajorSubMap(kFirstReduction) &&
         llvm::none_of(op.getDpsInputOperands(), isOfRow) &&
         (ShapedType::isDynamic(numRows) || numRows >= kFewRows) &&
         looksUpInRows(op);
}

/// A matrix with its rows as columns.
static Value transpose(OpBuilder &builder, Location loc, Value matrix) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, matrix);
  std::swap(sizes[0], sizes[1]);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes,
                                        getElementTypeOrSelf(matrix));
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  AffineMap swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                   builder.getContext());
  SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
  auto copy = [](OpBuilder &b, Location at, ValueRange args) {
    linalg::YieldOp::create(b, at, args.front());
  };
  return GenericOp::create(builder, loc, empty.getType(), matrix, empty,
                           ArrayRef<AffineMap>{swapped, identity}, parallel,
                           copy)
      .getResult(0);
}

/// The operation with the first two loops swapped, on transposed matrices.
static void rewrite(GenericOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  llvm::SmallDenseMap<Value, Value> columns;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    if (llvm::any_of(extract.getIndices(), isRow)) {
      Value &made = columns[extract.getTensor()];
      if (!made)
        made = transpose(builder, loc, extract.getTensor());
    }
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
  std::swap(order[kRow], order[kElement]);
  AffineMap swap = AffineMap::getPermutationMap(order, op.getContext());
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(map.compose(swap));
  // The result has its dimensions in the order of the loops.
  maps.back() = op.getIndexingMapsArray().back();
  Value init = transpose(builder, loc, op.getDpsInits().front());
  auto made = GenericOp::create(
      builder, loc, init.getType(), op.getDpsInputs(), init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map;
        map.map(op.getBody()->getArguments(), arguments);
        for (Operation &inner : *op.getBody()) {
          Operation *copy = b.clone(inner, map);
          if (auto index = dyn_cast<linalg::IndexOp>(copy))
            index.setDim(order[index.getDim()]);
          auto extract = dyn_cast<tensor::ExtractOp>(copy);
          if (!extract ||
              llvm::none_of(cast<tensor::ExtractOp>(inner).getIndices(), isRow))
            continue;
          SmallVector<Value> at(llvm::reverse(extract.getIndices()));
          extract.getTensorMutable().assign(columns[extract.getTensor()]);
          extract.getIndicesMutable().assign(at);
        }
      });
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getResult(0).replaceAllUsesWith(
      transpose(builder, loc, made.getResult(0)));
  op.erase();
}

void tally::transposeLookups(func::FuncOp function) {
  SmallVector<GenericOp> ops;
  function.walk([&](GenericOp op) {
    if (isTaken(op))
      ops.push_back(op);
  });
  for (GenericOp op : ops) {
    LDBG() << codegen::describeLastPart(op)
           << ": what is looked up in rows is transposed";
    rewrite(op);
  }
}

namespace {
struct TransposeLookupsPass
    : tally::impl::TransposeLookupsBase<TransposeLookupsPass> {
  void runOnOperation() override { tally::transposeLookups(getOperation()); }
};
} // namespace
