//===- Canonicalizer.cpp - Upstream's canonicalizer, with changes --------===//

#include "Canonicalizer.h"

#include "DegenerateSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

/// The classes of the patterns that are left out; docs/Rationale.md says why.
static constexpr StringLiteral leftOut[] = {
    "ForOpTensorCastFolder",
    "ExtractFromTensorGenerate",
    "EraseIdentityLinalgOp<mlir::linalg::GenericOp>",
    // What is asserted of a size would hold before its assert.
    "FoldTensorCastConsumerOp",
    "FoldTargetTensorCast",
    // These lose the mark of an access that is checked for all elements.
    "ExtractFromTensorCast",
    "ExtractElementFromIndexCast",
};

/// The same as names: a pattern is known by its class, as the compiler that
/// built MLIR spells it.
static SmallVector<std::string> getDisabledPatterns() {
  SmallVector<std::string> names;
  for (StringRef name : leftOut)
    for (StringRef place : {"(anonymous namespace)::", "{anonymous}::"})
      names.push_back((place + name).str());
  return names;
}

namespace {

// %r = arith.cmpi eq, %x, %x : tensor<?xi32> -> tensor.splat. Upstream's folder
// makes a constant of it, of a size that is not known.
struct CompareWithItself : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || type.hasStaticShape() || op.getLhs() != op.getRhs())
      return failure();
    bool holds =
        arith::applyCmpPredicate(op.getPredicate(), APInt(1, 0), APInt(1, 0));
    Value value = arith::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getBoolAttr(holds));
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            tensor::DimOp::create(rewriter, op.getLoc(), op.getLhs(), dim));
    rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, value, type, sizes);
    return success();
  }
};

/// As upstream's pass, which takes no patterns: all canonicalizations that
/// dialects and operations bring, and ours. What a folder makes and a verifier
/// would refuse is gone when the pass ends.
struct Canonicalizer : public PassWrapper<Canonicalizer, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Canonicalizer)

  StringRef getName() const override { return "Canonicalizer"; }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(owned);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(owned, context);
    tally::populateDegenerateSlicePatterns(owned);
    patterns = FrozenRewritePatternSet(std::move(owned), getDisabledPatterns());
    RewritePatternSet before(context);
    before.add<CompareWithItself>(context);
    beforeFolding = FrozenRewritePatternSet(std::move(before));
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), beforeFolding);
    // Where it does not converge, what it has reached is right.
    (void)applyPatternsGreedily(getOperation(), patterns);
  }

private:
  FrozenRewritePatternSet patterns;
  FrozenRewritePatternSet beforeFolding;
};

} // namespace

std::unique_ptr<Pass> tally::createCanonicalizer() {
  return std::make_unique<Canonicalizer>();
}
