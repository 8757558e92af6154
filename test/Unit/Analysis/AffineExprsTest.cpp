//===- AffineExprsTest.cpp - Affine expressions of MLIR -------------------===//

#include "tally/Analysis/AffineExprs.h"

#include "mlir/IR/MLIRContext.h"
#include "tally/Symbolic/Text/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {

class AffineExprsTest : public ::testing::Test {
protected:
  Expr parse(const char *text) {
    return symbolic::parseExpr(text, context).expr;
  }
  AffineExpr affine(const char *text) {
    return toAffine(
        parse(text),
        [&](Expr atom) {
          if (atom == n)
            return getAffineDimExpr(0, &mlirContext);
          return atom == m ? getAffineSymbolExpr(0, &mlirContext)
                           : AffineExpr();
        },
        &mlirContext);
  }

  MLIRContext mlirContext{MLIRContext::Threading::DISABLED};
  symbolic::ExprContext context;
  Expr n = context.symbol("n"), m = context.symbol("m"),
       other = context.symbol("other");
};

TEST_F(AffineExprsTest, ThereAndBack) {
  for (const char *text :
       {"0", "-7", "n", "2 * n - 3 * m + 5", "n floordiv 4",
        "(n + m) ceildiv 8 * 8", "(3 * n - 1) mod 5 + m",
        "(n floordiv 2 + m) mod 3 floordiv 2", "-9223372036854775808 * n"}) {
    AffineExpr expr = affine(text);
    ASSERT_TRUE(static_cast<bool>(expr)) << text;
    EXPECT_EQ(fromAffine(expr, n, m, context), parse(text)) << text;
  }
}

// Affine division and modulo round to minus infinity as those of expressions.
TEST_F(AffineExprsTest, SameValues) {
  AffineExpr dim = getAffineDimExpr(0, &mlirContext);
  for (AffineExpr expr :
       {dim.floorDiv(3), dim.ceilDiv(3), dim % 3, (dim * -2 + 1).ceilDiv(4)}) {
    Expr known = fromAffine(expr, n, {}, context);
    for (int64_t value = -13; value <= 13; ++value) {
      AffineExpr result =
          expr.replaceDims(getAffineConstantExpr(value, &mlirContext));
      Expr replaced = context.substitute(known, {{n, context.constant(value)}});
      EXPECT_EQ(replaced.getInt64(),
                cast<AffineConstantExpr>(result).getValue());
    }
  }
}

TEST_F(AffineExprsTest, NotAffine) {
  for (const char *text :
       {"n * m", "n ** 2", "n floordiv m", "n mod 0", "max(n, m)", "abs(n)",
        "other + 1", "n + 2 ** 63", "2 ** 64 * n", "n floordiv 2 ** 63",
        "exact_div(n, 2)", "select(n < m, n, m)"})
    EXPECT_FALSE(static_cast<bool>(affine(text))) << text;
  AffineExpr dim = getAffineDimExpr(0, &mlirContext),
             symbol = getAffineSymbolExpr(0, &mlirContext);
  for (AffineExpr expr : {dim.floorDiv(symbol), dim % symbol, dim.ceilDiv(-2)})
    EXPECT_FALSE(static_cast<bool>(fromAffine(expr, n, m, context)));
}

TEST_F(AffineExprsTest, Maps) {
  AffineMap map =
      toAffineMap({parse("n + m"), parse("m floordiv 2")}, n, m, &mlirContext);
  ASSERT_TRUE(static_cast<bool>(map));
  EXPECT_EQ(map.getNumDims(), 1u);
  EXPECT_EQ(map.getNumSymbols(), 1u);
  std::optional<llvm::SmallVector<Expr>> results =
      fromAffineMap(map, {n, m}, context);
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ((*results)[0], parse("n + m"));
  EXPECT_EQ((*results)[1], parse("m floordiv 2"));
  EXPECT_FALSE(
      static_cast<bool>(toAffineMap({n, parse("n * m")}, n, m, &mlirContext)));
}

} // namespace
