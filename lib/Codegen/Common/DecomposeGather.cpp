//===- DecomposeGather.cpp - Gathers and scatters as loops ----------------===//
//
// Part of tally-decompose-tensor-ops; see its description in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "DecomposeGather.h"
#include "Fusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-decompose-tensor-ops"

using namespace mlir;

/// Coordinate `number` of the slice that stands at `batch` in `coordinates`.
static Value readCoordinate(OpBuilder &builder, Location loc, Value coordinates,
                            ValueRange batch, int64_t number) {
  SmallVector<Value> at(batch);
  at.push_back(arith::ConstantIndexOp::create(builder, loc, number));
  Value read = tensor::ExtractOp::create(builder, loc, coordinates, at);
  if (read.getType().isIndex())
    return read;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), read);
}

/// Where a slice begins: its coordinates in `dims`, `others` in the others.
static SmallVector<Value> placeSlice(OpBuilder &builder, Location loc,
                                     Value coordinates, ValueRange batch,
                                     ArrayRef<int64_t> dims,
                                     ValueRange others) {
  SmallVector<Value> at(others);
  for (auto [number, dim] : llvm::enumerate(dims))
    at[dim] = readCoordinate(builder, loc, coordinates, batch, number);
  return at;
}

/// The dimension of a slice that each dimension of the whole is; where slices
/// lack the dimensions `dims`, these have none.
static SmallVector<std::optional<int64_t>>
matchDims(int64_t wholeRank, int64_t sliceRank, ArrayRef<int64_t> dims) {
  SmallVector<std::optional<int64_t>> result(wholeRank);
  int64_t next = 0;
  for (int64_t dim = 0; dim < wholeRank; ++dim)
    if (sliceRank == wholeRank || !llvm::is_contained(dims, dim))
      result[dim] = next++;
  return result;
}

namespace {

// %r = tensor.gather %x[%at] -> a linalg.generic that reads %at and %x.
struct LoopOverGather : public OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    LDBG() << tally::codegen::describeLastPart(op)
           << ": becomes a loop that reads coordinates and elements";
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    auto dims = matchDims(op.getSourceType().getRank(),
                          type.getRank() - batchRank, op.getGatherDims());
    SmallVector<int64_t> sourceDims;
    for (auto [dim, slice] : llvm::enumerate(dims))
      if (slice)
        sourceDims.push_back(dim);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            dim < batchRank
                ? tensor::DimOp::create(rewriter, loc, op.getIndices(), dim)
                : tensor::DimOp::create(rewriter, loc, op.getSource(),
                                        sourceDims[dim - batchRank]));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    SmallVector<AffineMap> maps{
        rewriter.getMultiDimIdentityMap(type.getRank())};
    SmallVector<utils::IteratorType> parallel(type.getRank(),
                                              utils::IteratorType::parallel);
    auto body = [&](OpBuilder &builder, Location loc, ValueRange) {
      SmallVector<Value> at;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        at.push_back(linalg::IndexOp::create(builder, loc, dim));
      SmallVector<Value> others(dims.size());
      for (auto [dim, slice] : llvm::enumerate(dims))
        if (slice)
          others[dim] = at[batchRank + *slice];
      Value read = tensor::ExtractOp::create(
          builder, loc, op.getSource(),
          placeSlice(builder, loc, op.getIndices(),
                     ArrayRef(at).take_front(batchRank), op.getGatherDims(),
                     others));
      linalg::YieldOp::create(builder, loc, read);
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(op, type, ValueRange(),
                                                   empty, maps, parallel, body);
    return success();
  }
};

// %r = tensor.scatter %new into %x[%at] -> loops that insert a slice each.
struct LoopOverScatter : public OpRewritePattern<tensor::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getSourceType();
    LDBG() << tally::codegen::describeLastPart(op)
           << ": becomes loops that insert one slice after the other";
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      sizes.push_back(
          tensor::DimOp::create(rewriter, loc, op.getIndices(), dim));
    auto body = [&](OpBuilder &builder, Location loc, ValueRange batch,
                    ValueRange results) -> scf::ValueVector {
      return {insertSlice(builder, op, type, batch, results.front())};
    };
    scf::LoopNest nest = scf::buildLoopNest(
        rewriter, loc, SmallVector<Value>(batchRank, zero), sizes,
        SmallVector<Value>(batchRank, one), op.getDest(), body);
    rewriter.replaceOp(op, nest.results);
    return success();
  }

private:
  /// Puts the slice at `batch` into `into`.
  static Value insertSlice(OpBuilder &builder, tensor::ScatterOp op,
                           RankedTensorType type, ValueRange batch,
                           Value into) {
    Location loc = op.getLoc();
    OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
    int64_t batchRank = batch.size();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, op.getSource());
    for (OpFoldResult &size : MutableArrayRef(sizes).take_front(batchRank))
      size = one;
    SmallVector<OpFoldResult> at = getAsOpFoldResult(batch);
    at.resize(type.getRank(), zero);
    Value slice = tensor::ExtractSliceOp::create(
        builder, loc,
        RankedTensorType::get(type.getShape().drop_front(batchRank),
                              type.getElementType()),
        op.getSource(), at, sizes,
        SmallVector<OpFoldResult>(type.getRank(), one));

    int64_t rank = op.getDestType().getRank();
    auto dims =
        matchDims(rank, type.getRank() - batchRank, op.getScatterDims());
    SmallVector<OpFoldResult> inserted(rank, one);
    for (auto [dim, position] : llvm::enumerate(dims))
      if (position)
        inserted[dim] = sizes[batchRank + *position];
    SmallVector<Value> others(
        rank, arith::ConstantIndexOp::create(builder, loc, 0).getResult());
    SmallVector<Value> place = placeSlice(builder, loc, op.getIndices(), batch,
                                          op.getScatterDims(), others);
    return tensor::InsertSliceOp::create(builder, loc, slice, into,
                                         getAsOpFoldResult(place), inserted,
                                         SmallVector<OpFoldResult>(rank, one));
  }
};

} // namespace

void tally::populateDecomposeGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<LoopOverGather, LoopOverScatter>(patterns.getContext());
}
