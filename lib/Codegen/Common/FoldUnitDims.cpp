//===- FoldUnitDims.cpp - Loops of one iteration --------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "Fusion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FOLDUNITDIMS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-fold-unit-dims"

using namespace mlir;

/// The most columns of a tensor whose columns are written in one pass.
static constexpr int64_t kNarrow = 8;

/// The loop over the only column of a result that is inserted as a column of a
/// narrow tensor, such as the real parts of complex numbers.
static std::optional<unsigned> findPieceLoop(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || !op->hasOneUse())
    return std::nullopt;
  auto insertion = dyn_cast<tensor::InsertSliceOp>(*op->user_begin());
  auto piece = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  if (!insertion || !piece || insertion.getSource() != op->getResult(0) ||
      piece.getRank() < 2 ||
      piece.getRank() != insertion.getDestType().getRank())
    return std::nullopt;
  int64_t width = insertion.getDestType().getShape().back();
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (piece.getShape().back() != 1 || ShapedType::isDynamic(width) ||
      width > kNarrow || !dim)
    return std::nullopt;
  return dim.getPosition();
}

/// The loops that no operand is accessed by together with another one.
static SmallVector<unsigned> findSeparateLoops(linalg::GenericOp op,
                                               bool keepsPieces) {
  SmallVector<unsigned> loops;
  std::optional<unsigned> ofPiece =
      keepsPieces ? findPieceLoop(op) : std::nullopt;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != ofPiece &&
        llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
          return llvm::all_of(map.getResults(), [&](AffineExpr index) {
            return isa<AffineDimExpr>(index) || !index.isFunctionOfDim(loop);
          });
        }))
      loops.push_back(loop);
  return loops;
}

namespace {

/// Undoes an expansion that a collapse takes back, but by way of another
/// dimension: one of a single element is added to the dimension before it, and
/// goes with the one behind it.
struct UndoExpansionPattern : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto expansion = op.getSrc().getDefiningOp<tensor::ExpandShapeOp>();
    if (!expansion || expansion.getSrcType() != op.getResultType())
      return rewriter.notifyMatchFailure(op, "not what was expanded");
    ArrayRef<int64_t> shape = expansion.getResultType().getShape();
    for (const auto &groups :
         {expansion.getReassociationIndices(), op.getReassociationIndices()})
      for (ArrayRef<int64_t> group : groups)
        if (llvm::count_if(group,
                           [&](int64_t dim) { return shape[dim] != 1; }) > 1)
          return rewriter.notifyMatchFailure(op, "dimensions are joined");
    rewriter.replaceOp(op, expansion.getSrc());
    return success();
  }
};

} // namespace

void tally::populateFoldUnitDimsPatterns(RewritePatternSet &patterns,
                                         bool keepsPieces) {
  linalg::ControlDropUnitDims options;
  options.controlFn = [keepsPieces](Operation *op) -> SmallVector<unsigned> {
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if (!generic)
      return {};
    SmallVector<unsigned> loops = findSeparateLoops(generic, keepsPieces);
    LDBG() << codegen::describeLastPart(generic) << ": " << loops.size()
           << " of " << generic.getNumLoops() << " loops may be folded";
    return loops;
  };
  linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
  linalg::populateMoveInitOperandsToInputPattern(patterns);
  patterns.add<UndoExpansionPattern>(patterns.getContext());
}

void tally::foldUnitDims(func::FuncOp function, bool keepsPieces) {
  RewritePatternSet patterns(function->getContext());
  populateFoldUnitDimsPatterns(patterns, keepsPieces);
  // An operation that is not folded after the last round stays as it is.
  (void)applyPatternsGreedily(function, std::move(patterns));
}

namespace {
struct FoldUnitDimsPass : tally::impl::FoldUnitDimsBase<FoldUnitDimsPass> {
  using FoldUnitDimsBase::FoldUnitDimsBase;

  void runOnOperation() override {
    tally::foldUnitDims(getOperation(), keepPieces);
  }
};

} // namespace
