//===- LegalizeMath.cpp - Operations of math that LLVM does not have ------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "PatternPass.h"
#include "RoundToOdd.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tally {
#define GEN_PASS_DEF_LEGALIZEMATH
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

using arith::CmpFPredicate;
using arith::CmpIPredicate;

static Value createFloat(ImplicitLocOpBuilder &b, Type type, APFloat value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

static Value createInteger(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

static Value select(ImplicitLocOpBuilder &b, Value condition, Value yes,
                    Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}

/// A NaN stays one, and a bound that is a NaN is none.
static Value expandClamp(ImplicitLocOpBuilder &b, math::ClampFOp op) {
  Value value = op.getValue();
  Value isBelow =
      arith::CmpFOp::create(b, CmpFPredicate::OLT, value, op.getMin());
  Value isAbove =
      arith::CmpFOp::create(b, CmpFPredicate::OGT, value, op.getMax());
  return select(b, isBelow, op.getMin(),
                select(b, isAbove, op.getMax(), value));
}

static Value createInfinity(ImplicitLocOpBuilder &b, FloatType type) {
  return createFloat(b, type, APFloat::getInf(type.getFloatSemantics()));
}

static Value expandIsInf(ImplicitLocOpBuilder &b, math::IsInfOp op) {
  auto type = cast<FloatType>(op.getOperand().getType());
  Value magnitude = math::AbsFOp::create(b, op.getOperand());
  return arith::CmpFOp::create(b, CmpFPredicate::OEQ, magnitude,
                               createInfinity(b, type));
}

static Value expandIsNormal(ImplicitLocOpBuilder &b, math::IsNormalOp op) {
  auto type = cast<FloatType>(op.getOperand().getType());
  Value magnitude = math::AbsFOp::create(b, op.getOperand());
  Value smallest = createFloat(
      b, type, APFloat::getSmallestNormalized(type.getFloatSemantics()));
  Value isLarge =
      arith::CmpFOp::create(b, CmpFPredicate::OGE, magnitude, smallest);
  Value isFinite = arith::CmpFOp::create(b, CmpFPredicate::OLT, magnitude,
                                         createInfinity(b, type));
  return arith::AndIOp::create(b, isLarge, isFinite);
}

/// Squares and multiplies, without a branch for any bit of the exponent. With a
/// negative one the power is 1 / x ** n, rounded towards zero; that of 0, which
/// is undefined, is 0.
static Value expandIPow(ImplicitLocOpBuilder &b, math::IPowIOp op) {
  Type type = op.getType();
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  Value zero = createInteger(b, type, 0), one = createInteger(b, type, 1);
  Value minusOne = createInteger(b, type, -1);
  auto equals = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, CmpIPredicate::eq, x, y);
  };
  Value base = op.getLhs(), exponent = op.getRhs();
  auto isBitClear = [&](unsigned bit) {
    Value mask = arith::ConstantOp::create(
        b, b.getIntegerAttr(type, APInt::getOneBitSet(width, bit)));
    return equals(arith::AndIOp::create(b, exponent, mask), zero);
  };
  Value power = select(b, isBitClear(0), one, base);
  Value square = base;
  for (unsigned bit = 1; bit + 1 < width; ++bit) {
    square = arith::MulIOp::create(b, square, square);
    power = select(b, isBitClear(bit), power,
                   arith::MulIOp::create(b, power, square));
  }
  Value isNegative =
      arith::CmpIOp::create(b, CmpIPredicate::slt, exponent, zero);
  Value sign = select(b, isBitClear(0), one, minusOne);
  Value inverse = select(b, equals(base, minusOne), sign, zero);
  inverse = select(b, equals(base, one), one, inverse);
  return select(b, isNegative, inverse, power);
}

/// The product of two bf16 is exact in double precision. Their sum with a
/// third is rounded to odd there. The error of the sum is that of Knuth's
/// TwoSum.
static Value expandBFloatFma(ImplicitLocOpBuilder &b, math::FmaOp op) {
  Type f64 = b.getF64Type();
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(b, f64, value);
  };
  auto subtract = [&](Value x, Value y) -> Value {
    return arith::SubFOp::create(b, x, y);
  };
  Value product = arith::MulFOp::create(b, widen(op.getA()), widen(op.getB()));
  Value addend = widen(op.getC());
  Value sum = arith::AddFOp::create(b, product, addend);
  Value part = subtract(sum, product);
  Value error = arith::AddFOp::create(b, subtract(product, subtract(sum, part)),
                                      subtract(addend, part));

  Value noError = arith::ConstantOp::create(b, b.getF64FloatAttr(0.0));
  Value isInexact =
      arith::CmpFOp::create(b, CmpFPredicate::ONE, error, noError);
  Value isBelow = arith::CmpFOp::create(b, CmpFPredicate::OGT, error, noError);
  return arith::TruncFOp::create(
      b, op.getType(), tally::codegen::roundToOdd(b, sum, isInexact, isBelow));
}

namespace {

template <typename MathOp>
struct Expand : OpRewritePattern<MathOp> {
  using Expansion = Value (*)(ImplicitLocOpBuilder &, MathOp);
  Expand(MLIRContext *context, Expansion expansion)
      : OpRewritePattern<MathOp>(context), expansion(expansion) {}

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<ShapedType>(op->getOperand(0).getType()))
      return rewriter.notifyMatchFailure(op, "is no operation on scalars");
    if (isa<math::FmaOp>(op) && !op.getType().isBF16())
      return rewriter.notifyMatchFailure(op, "is an operation of LLVM");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expansion(builder, op));
    return success();
  }

  Expansion expansion;
};
} // namespace

void tally::populateLegalizeMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expand<math::ClampFOp>>(context, expandClamp);
  patterns.add<Expand<math::IsInfOp>>(context, expandIsInf);
  patterns.add<Expand<math::IsNormalOp>>(context, expandIsNormal);
  patterns.add<Expand<math::IPowIOp>>(context, expandIPow);
  patterns.add<Expand<math::FmaOp>>(context, expandBFloatFma);
}

void tally::legalizeMath(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateLegalizeMathPatterns(patterns);
  walkAndApplyPatterns(root, std::move(patterns));
}

namespace {
struct LegalizeMathPass
    : tally::PatternPass<tally::impl::LegalizeMathBase<LegalizeMathPass>,
                         tally::populateLegalizeMathPatterns> {};
} // namespace
