//===- FuseElementwise.cpp - Upstream's fusion where it is right ----------===//
//
// See the description of the pass in Passes.td. Which of upstream's patterns
// run, which are replaced, and what makes each of those wrong.
//
//===----------------------------------------------------------------------===//

#include "EraseCopies.h"
#include "Fusion.h"
#include "Utils.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/RefusedOps.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-fuse-elementwise"

using namespace mlir;
using namespace tally;
using codegen::FusionObstacle;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Which operations are fused
//===----------------------------------------------------------------------===//

/// Returns whether the body of `op` reads one of its inits.
static bool accumulates(GenericOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init);
  });
}

/// Returns whether `consumer` is in a loop that `producer` is not in, so that
/// it would compute the producer's elements in every iteration.
static bool isInLoopOfItsOwn(GenericOp producer, GenericOp consumer) {
  for (Operation *op = consumer; op->getBlock() != producer->getBlock();
       op = op->getParentOp())
    if (!op->getParentOp() || isa<LoopLikeOpInterface>(op->getParentOp()))
      return true;
  return false;
}

/// Returns whether an operand or a result that stays tells the size of each
/// loop of the fused operation.
static bool keepsLoopSizes(OpOperand *fused) {
  auto producer = cast<GenericOp>(fused->get().getDefiningOp());
  auto consumer = cast<GenericOp>(fused->getOwner());
  llvm::SmallBitVector told(consumer.getNumLoops());
  auto tell = [&](AffineMap map) {
    for (AffineExpr result : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        told.set(dim.getPosition());
  };
  for (OpOperand &operand : consumer->getOpOperands())
    if (&operand != fused)
      tell(consumer.getMatchingIndexingMap(&operand));
  AffineMap toProducer =
      inversePermutation(
          producer.getIndexingMapMatchingResult(cast<OpResult>(fused->get())))
          .compose(consumer.getMatchingIndexingMap(fused));
  for (OpOperand *input : producer.getDpsInputOperands())
    tell(producer.getMatchingIndexingMap(input).compose(toProducer));
  return told.all();
}

/// Returns whether the fused operation is still one that a compiler copes with:
/// each step of fusion copies all of it, and machines have so many registers.
static bool isSmallEnough(GenericOp producer, GenericOp consumer) {
  constexpr size_t maxOps = 128, maxOperands = 64;
  auto countOps = [](GenericOp op) {
    return op.getBody()->getOperations().size();
  };
  return countOps(producer) + countOps(consumer) <= maxOps &&
         producer->getNumOperands() + consumer->getNumOperands() <= maxOperands;
}

/// Returns whether the consumer would compute elements again in the iterations
/// of a loop around those that run over them. In the innermost loops, where
/// elements are the same, they are computed before the loop.
static bool isRepeated(OpOperand *fused) {
  auto consumer = cast<GenericOp>(fused->getOwner());
  AffineMap map = consumer.getMatchingIndexingMap(fused);
  bool repeats = false;
  for (auto [dim, size] : llvm::enumerate(consumer.getStaticLoopRanges())) {
    if (size == 1)
      continue;
    bool runsOverElements = map.isFunctionOfDim(dim);
    if (runsOverElements && repeats)
      return true;
    repeats |= !runsOverElements;
  }
  return false;
}

/// Finds what is against computing elements where one user reads them, were it
/// the only one.
static std::optional<FusionObstacle> findObstacleOfUse(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<GenericOp>();
  auto consumer = dyn_cast<GenericOp>(fused->getOwner());
  if (producer && producer.getNumReductionLoops() != 0)
    return FusionObstacle::Reduced;
  if (!producer || !consumer || !linalg::areElementwiseOpsFusable(fused))
    return FusionObstacle::NotElementwise;
  if (!isMemoryEffectFree(producer))
    return FusionObstacle::Effect;
  if (!isSmallEnough(producer, consumer))
    return FusionObstacle::TooManyOps;
  if (isInLoopOfItsOwn(producer, consumer))
    return FusionObstacle::InLoop;
  if (!keepsLoopSizes(fused))
    return FusionObstacle::LosesSizes;
  if (codegen::isExpensive(producer) && isRepeated(fused))
    return FusionObstacle::Repeated;
  return std::nullopt;
}

std::optional<FusionObstacle>
codegen::findElementwiseObstacle(OpOperand *fused) {
  std::optional<FusionObstacle> obstacle = findObstacleOfUse(fused);
  if (obstacle == FusionObstacle::Reduced ||
      obstacle == FusionObstacle::NotElementwise ||
      fused->get().getDefiningOp()->hasOneUse())
    return obstacle;
  return FusionObstacle::OtherUsers;
}

/// Returns whether computing elements takes no more memory to be read than the
/// elements themselves: of the inputs one at most has as many, which are no
/// wider and are in memory for others too.
static bool readsNoMore(GenericOp op) {
  unsigned width =
      getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool hasWhole = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isWhole =
        llvm::all_of(llvm::seq<unsigned>(0, sizes.size()), [&](unsigned dim) {
          return sizes[dim] == 1 || map.isFunctionOfDim(dim);
        });
    if (!isWhole)
      continue;
    Type element = getElementTypeOrSelf(input->get());
    bool isInMemory =
        !input->get().getDefiningOp() || !input->get().hasOneUse();
    if (hasWhole || !isInMemory || !element.isIntOrFloat() ||
        element.getIntOrFloatBitWidth() > width)
      return false;
    hasWhole = true;
  }
  return true;
}

/// Returns whether elements that several operations read are best computed by
/// each of them: a store and its loads take longer than what computes them.
static bool isBestComputedByUsers(GenericOp op) {
  auto isPart = [](OpOperand *input) {
    return !codegen::findElementwiseObstacle(input);
  };
  return op->getNumResults() == 1 &&
         getElementTypeOrSelf(op->getResult(0)).isIntOrFloat() &&
         !op->use_empty() && !op->hasOneUse() && !accumulates(op) &&
         codegen::isCheapToRepeat(op) && readsNoMore(op) &&
         llvm::none_of(op.getDpsInputOperands(), isPart) &&
         llvm::all_of(op->getUses(),
                      [](OpOperand &use) { return !findObstacleOfUse(&use); });
}

/// Decides for upstream whether the producer of `fused` becomes part of its
/// owner. One that reads its inits does not yet: they become inputs first.
static bool decideFusion(OpOperand *fused) {
  auto producer = cast<GenericOp>(fused->get().getDefiningOp());
  std::optional<FusionObstacle> obstacle =
      codegen::findElementwiseObstacle(fused);
  if (!obstacle && accumulates(producer))
    return false;
  LDBG() << codegen::describeLastPart(producer)
         << (obstacle ? " is not fused into " : " is fused into ")
         << codegen::describeLastPart(fused->getOwner())
         << (obstacle ? ": " : "")
         << (obstacle ? codegen::toString(*obstacle) : "");
  if (!obstacle)
    codegen::noteFused(producer, fused->getOwner());
  return !obstacle;
}

/// Whether a reduction tells the place of an element in what it reduces, say
/// of the greatest one. Schedules know such reductions along one dimension.
static bool tellsPlaces(Operation *op) {
  auto reduction = dyn_cast<GenericOp>(op);
  return reduction &&
         llvm::any_of(
             reduction.getBody()->getOps<linalg::IndexOp>(),
             [&](linalg::IndexOp index) {
               return reduction.getIteratorTypesArray()[index.getDim()] ==
                      utils::IteratorType::reduction;
             });
}

/// Returns whether the result of `fused` has one user that can take its
/// producer in, or be taken in by it.
static bool canFuseReshape(OpOperand *fused) {
  Operation *producer = fused->get().getDefiningOp();
  return producer && producer->hasOneUse() && !tellsPlaces(fused->getOwner()) &&
         !tellsPlaces(producer);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// An init that a producer reads becomes an input: each element of it is read
/// once, as all loops are parallel, but the consumer may run over more.
struct ReadInitsAsInputs : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp consumer,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *input : consumer.getDpsInputOperands())
      if (auto producer = input->get().getDefiningOp<GenericOp>();
          producer && accumulates(producer) &&
          !codegen::findElementwiseObstacle(input)) {
        rewrite(producer, rewriter);
        return success();
      }
    return failure();
  }

  static void rewrite(GenericOp op, PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs(op.getDpsInputs()), outputs;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray(), outputMaps;
    maps.truncate(inputs.size());
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      inputs.push_back(init.get());
      maps.push_back(map);
      outputMaps.push_back(map);
      outputs.push_back(createEmpty(rewriter, op.getLoc(), init.get()));
    }
    llvm::append_range(maps, outputMaps);
    auto made =
        GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(), inputs,
                          outputs, maps, op.getIteratorTypesArray());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(),
                                made.getRegion().begin());
    for (Value output : outputs)
      made.getBody()->addArgument(getElementTypeOrSelf(output), op.getLoc());
    rewriter.replaceOp(op, made);
  }

  static Value createEmpty(OpBuilder &builder, Location loc, Value like) {
    return tensor::EmptyOp::create(builder, loc,
                                   tensor::getMixedSizes(builder, loc, like),
                                   getElementTypeOrSelf(like));
  }
};

/// Each user of elements that are cheap to compute gets a producer of its own,
/// which then becomes part of it.
struct ComputeForEachUser : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isBestComputedByUsers(op))
      return failure();
    LDBG() << codegen::describeLastPart(op) << " is computed by each user";
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
      rewriter.setInsertionPoint(op);
      Operation *own = rewriter.clone(*op);
      rewriter.modifyOpInPlace(use.getOwner(),
                               [&] { use.set(own->getResult(0)); });
    }
    return success();
  }
};

/// An init whose elements nobody needs becomes a `tensor.empty`.
struct ForgetInits : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    bool hasChanged = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || type.getEncoding() ||
          init.get().getDefiningOp<tensor::EmptyOp>() ||
          codegen::needsInit(op, init))
        continue;
      Value empty =
          ReadInitsAsInputs::createEmpty(rewriter, op.getLoc(), init.get());
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
      hasChanged = true;
    }
    return success(hasChanged);
  }
};

/// A copy of all elements is what it copies.
struct EraseCopy : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (!op.hasPureTensorSemantics() || !llvm::all_equal(maps) ||
        !maps.front().isPermutation() || !llvm::hasSingleElement(*op.getBody()))
      return failure();
    SmallVector<Value> copied;
    for (auto [value, type] :
         llvm::zip_equal(op.getBody()->getTerminator()->getOperands(),
                         op->getResultTypes())) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != op.getBody())
        return failure();
      copied.push_back(op->getOperand(argument.getArgNumber()));
      if (!tensor::CastOp::areCastCompatible(copied.back().getType(), type))
        return failure();
    }
    for (auto [value, type] : llvm::zip_equal(copied, op->getResultTypes()))
      if (value.getType() != type)
        value = tensor::CastOp::create(rewriter, op.getLoc(), type, value);
    rewriter.replaceOp(op, copied);
    return success();
  }
};
} // namespace

void codegen::populateEraseCopyPatterns(RewritePatternSet &patterns) {
  patterns.add<EraseCopy>(patterns.getContext());
}

FrozenRewritePatternSet
tally::createElementwiseFusionPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, decideFusion);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, canFuseReshape);
  tensor::populateBubbleUpExpandShapePatterns(patterns);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  // A size of a result that is expanded would be one more use of the result.
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  linalg::populateConstantFoldLinalgOperations(patterns, canFuseReshape);
  patterns.add<ReadInitsAsInputs, ComputeForEachUser, ForgetInits, EraseCopy>(
      context);
  // Known by the names of their classes, as the compiler that built MLIR
  // spells them: the first forgets inits that loops without an iteration, or
  // ones that write a part, leave as they are; the second uses sizes before
  // they exist; so does the third, of which docs/Rationale.md tells.
  return FrozenRewritePatternSet(
      std::move(patterns),
      {"(anonymous namespace)::RemoveOutsDependency",
       "{anonymous}::RemoveOutsDependency",
       "(anonymous namespace)::FoldReshapeWithProducerPadOpByExpansion",
       "{anonymous}::FoldReshapeWithProducerPadOpByExpansion",
       "(anonymous namespace)::FoldTensorCastConsumerOp",
       "{anonymous}::FoldTensorCastConsumerOp"});
}

namespace {
/// What a pattern makes in the place of an operation has its location, which
/// names its parts: where a constant becomes part of an operation, upstream
/// adds the locations of inputs.
struct KeepParts : RewriterBase::Listener {
  using RewriterBase::Listener::notifyOperationReplaced;

  void notifyPatternBegin(const Pattern &, Operation *) override {
    made = GenericOp();
  }
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (auto generic = dyn_cast<GenericOp>(op); generic && !previous.isSet())
      made = generic;
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    if (made && isa<GenericOp>(op) && !values.empty() &&
        values.front().getDefiningOp() == made)
      made->setLoc(op->getLoc());
  }

  GenericOp made;
};
} // namespace

void tally::fuseElementwise(func::FuncOp function,
                            const FrozenRewritePatternSet &patterns) {
  KeepParts listener;
  // An operation that is not fused after the last round stays as it is.
  (void)applyPatternsGreedily(
      function, patterns,
      GreedyRewriteConfig().setUseTopDownTraversal().setListener(&listener));
  replaceRefused(function);
}

namespace {
struct FuseElementwisePass
    : public tally::impl::FuseElementwiseBase<FuseElementwisePass> {
  LogicalResult initialize(MLIRContext *context) override {
    patterns = createElementwiseFusionPatterns(context);
    return success();
  }

  void runOnOperation() override { fuseElementwise(getOperation(), patterns); }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
