//===- ExpandFloats.cpp - Conversions to f16 and bf16, extrema ------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "PatternPass.h"
#include "RoundToOdd.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tally {
#define GEN_PASS_DEF_EXPANDFLOATS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

static bool isHalf(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isF16() || type.isBF16();
}

/// Gets the type of f32 numbers that are a vector where `type` is.
static Type getSingle(Type type) {
  Type single = Float32Type::get(type.getContext());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(single)) : single;
}

/// Rounds a double to single precision, to odd.
static Value roundToSingle(PatternRewriter &rewriter, Location loc,
                           Value wide) {
  ImplicitLocOpBuilder b(loc, rewriter);
  Value nearest = arith::TruncFOp::create(b, getSingle(wide.getType()), wide);
  Value back = arith::ExtFOp::create(b, wide.getType(), nearest);
  // Both are false for a NaN.
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, wide);
  Value isBelow =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, back, wide);
  return tally::codegen::roundToOdd(b, nearest, isInexact, isBelow);
}

namespace {

/// An integer becomes a float on the way, as in LLVM's own expansion.
template <typename ConversionOp>
struct IntegerToHalf : public OpRewritePattern<ConversionOp> {
  using OpRewritePattern<ConversionOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConversionOp op,
                                PatternRewriter &rewriter) const override {
    if (!isHalf(op.getType()))
      return rewriter.notifyMatchFailure(op, "the result is no half");
    Value single = ConversionOp::create(rewriter, op.getLoc(),
                                        getSingle(op.getType()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
    return success();
  }
};

struct DoubleToHalf : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isHalf(op.getType()) ||
        !getElementTypeOrSelf(op.getIn().getType()).isF64() ||
        op.getRoundingmode())
      return rewriter.notifyMatchFailure(op, "not from double to half");
    Value single = roundToSingle(rewriter, op.getLoc(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
    return success();
  }
};

/// Upstream's expansion of bf16 knows f32 alone.
struct BFloatToDouble : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16() ||
        !getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not from bf16 to double");
    Value single = arith::ExtFOp::create(rewriter, op.getLoc(),
                                         getSingle(op.getType()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), single);
    return success();
  }
};

/// The greater or the smaller of two zeros is known, as is that of a NaN.
template <typename ExtremumOp, typename IntrinsicOp>
struct Extremum : public OpRewritePattern<ExtremumOp> {
  using OpRewritePattern<ExtremumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtremumOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!(element.isF32() || element.isF64()) ||
        !LLVM::isCompatibleType(op.getType()))
      return rewriter.notifyMatchFailure(op, "is no type of LLVM");
    rewriter.replaceOpWithNewOp<IntrinsicOp>(op, op.getLhs(), op.getRhs());
    return success();
  }
};
} // namespace

void tally::populateExpandFloatsPatterns(RewritePatternSet &patterns) {
  patterns.add<IntegerToHalf<arith::SIToFPOp>, IntegerToHalf<arith::UIToFPOp>,
               DoubleToHalf, BFloatToDouble,
               Extremum<arith::MaximumFOp, LLVM::MaximumOp>,
               Extremum<arith::MinimumFOp, LLVM::MinimumOp>>(
      patterns.getContext());
}

void tally::expandFloats(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateExpandFloatsPatterns(patterns);
  walkAndApplyPatterns(root, std::move(patterns));
}

namespace {
struct ExpandFloatsPass
    : tally::PatternPass<tally::impl::ExpandFloatsBase<ExpandFloatsPass>,
                         tally::populateExpandFloatsPatterns> {};
} // namespace
