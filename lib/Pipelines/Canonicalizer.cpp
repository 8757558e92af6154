//===- Canonicalizer.cpp - Upstream's canonicalizer, with changes --------===//

#include "Canonicalizer.h"
#include "tally/Pipelines/Transforms.h"

#include "tally/Codegen/Common/RefusedOps.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tally {
#define GEN_PASS_DEF_CANONICALIZER
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// The classes of the patterns that are left out; docs/Rationale.md says why.
static constexpr StringLiteral kLeftOut[] = {
    "ForOpTensorCastFolder",
    "ExtractFromTensorGenerate",
    "EraseIdentityLinalgOp<mlir::linalg::GenericOp>",
    // A cast would state of a size, before its assert, what is asserted of it.
    "FoldTensorCastConsumerOp",
    // Takes the operand of the first for the result, whatever its type is.
    "FoldTransposeWithTranspose",
    "FoldTargetTensorCast",
    // These lose the mark of an access that is checked for all elements.
    "ExtractFromTensorCast",
    "ExtractElementFromIndexCast",
    // These forget that a narrow integer lies between the two.
    "IndexCastOfIndexCast",
    "IndexCastUIOfIndexCastUI",
    // Takes 0 elements times an unknown size for a size that is known.
    "CollapseShapeOpMemRefCastFolder",
};

/// A copy of one piece would become one of many, which nobody lowers by then.
static constexpr StringLiteral kRefinesStrides =
    "ReinterpretCastOpConstantFolder";

/// A pattern is known by its class, as the compiler that built MLIR spells it.
SmallVector<SmallVector<std::string>>
tally::getDisabledPatterns(Strides strides) {
  SmallVector<StringRef> classes(std::begin(kLeftOut), std::end(kLeftOut));
  if (strides == Strides::Keep)
    classes.push_back(kRefinesStrides);
  SmallVector<SmallVector<std::string>> patterns;
  for (StringRef name : classes) {
    SmallVector<std::string> &spellings = patterns.emplace_back();
    for (StringRef place : {"", "(anonymous namespace)::", "{anonymous}::"})
      spellings.push_back((place + name).str());
  }
  return patterns;
}

namespace {

/// Returns whether upstream's folder may make a constant of `op`, of a size
/// that is not known: %r = arith.xori %x, %x : tensor<?xi32>.
static bool foldsWithoutSize(Operation *op) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return isa<arith::CmpIOp, arith::XOrIOp>(op) &&
         isDynamic(op->getResult(0).getType());
}

// %j = arith.index_cast (arith.index_cast %i : index to i64) : i64 to index
//   -> %i, unless the type between the two cuts off something
template <typename CastOp>
struct CastBack : public OpRewritePattern<CastOp> {
  using OpRewritePattern<CastOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getIn().template getDefiningOp<CastOp>();
    if (!first || first.getIn().getType() != op.getType())
      return failure();
    auto getWidth = [](Type type) {
      type = getElementTypeOrSelf(type);
      return type.isIndex() ? unsigned(IndexType::kInternalStorageBitWidth)
                            : type.getIntOrFloatBitWidth();
    };
    if (getWidth(first.getType()) < getWidth(op.getType()))
      return failure();
    rewriter.replaceOp(op, first.getIn());
    return success();
  }
};

/// As upstream's pass, which takes no patterns: all canonicalizations that
/// dialects and operations bring, and ours. What a folder makes and a verifier
/// would refuse is gone when the pass ends.
/// A transposition of a transposition is one. Types know sizes of one of them
/// that they do not know of the other.
struct FoldTransposes : public OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getInput().getDefiningOp<linalg::TransposeOp>();
    if (!first || !op.hasPureTensorSemantics())
      return failure();
    SmallVector<int64_t> permutation =
        applyPermutation(first.getPermutation(), op.getPermutation());
    auto from = cast<RankedTensorType>(first.getInput().getType());
    auto to = cast<RankedTensorType>(op.getInit().getType());
    if (isIdentityPermutation(permutation)) {
      rewriter.replaceOpWithNewOp<tensor::CastOp>(op, to, first.getInput());
      return success();
    }
    if (applyPermutation(from.getShape(), permutation) != to.getShape())
      return failure();
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, first.getInput(),
                                                     op.getInit(), permutation);
    return success();
  }
};

struct CanonicalizerPass : tally::impl::CanonicalizerBase<CanonicalizerPass> {
  using CanonicalizerBase::CanonicalizerBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(owned);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(owned, context);
    tally::populateDegenerateSlicePatterns(owned);
    owned.add<CastBack<arith::IndexCastOp>, CastBack<arith::IndexCastUIOp>,
              FoldTransposes>(context);
    SmallVector<std::string> disabled;
    for (auto &spellings : tally::getDisabledPatterns(
             keepStrides ? tally::Strides::Keep : tally::Strides::Refine))
      llvm::append_range(disabled, spellings);
    patterns = FrozenRewritePatternSet(std::move(owned), disabled);
    RewritePatternSet structured(context);
    linalg::populateElementwiseToLinalgConversionPatterns(structured);
    toStructured = FrozenRewritePatternSet(std::move(structured));
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> folding;
    getOperation()->walk([&](Operation *op) {
      if (foldsWithoutSize(op))
        folding.push_back(op);
    });
    (void)applyOpPatternsGreedily(
        folding, toStructured,
        GreedyRewriteConfig().enableFolding(false).setStrictness(
            GreedyRewriteStrictness::ExistingOps));
    // Where it does not converge, what it has reached is right.
    (void)applyPatternsGreedily(getOperation(), patterns);
    tally::replaceRefused(getOperation());
  }

private:
  FrozenRewritePatternSet patterns;
  FrozenRewritePatternSet toStructured;
};

} // namespace

std::unique_ptr<Pass> tally::createCanonicalizer(Strides strides) {
  CanonicalizerOptions options;
  options.keepStrides = strides == Strides::Keep;
  return createCanonicalizer(options);
}
