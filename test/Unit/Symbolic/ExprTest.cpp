//===- ExprTest.cpp - Canonical forms -------------------------------------===//
//
// Which expressions are the same pointer, and how they print.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Expr/Expr.h"
#include "tally/Symbolic/Text/Parser.h"

#include "gtest/gtest.h"

using namespace tally::symbolic;

namespace {

class ExprTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"s0", "s1", "s2", "a", "b", "n", "m", "d"})
      context.symbol(name);
    context.symbol("p", SymbolType::Bool);
    context.symbol("q", SymbolType::Bool);
    context.symbol("f", SymbolType::Float);
  }

  Expr parse(const char *text) {
    ParseResult result = parseExpr(text, context);
    EXPECT_TRUE(static_cast<bool>(result))
        << text << ": " << result.errorMessage;
    return result ? *result : context.zero();
  }

  std::string print(const char *text) { return parse(text).str(); }

  void expectSame(const char *a, const char *b) {
    Expr left = parse(a), right = parse(b);
    EXPECT_TRUE(left == right) << a << " is " << left.str() << "\n"
                               << b << " is " << right.str();
  }

  void expectDifferent(const char *a, const char *b) {
    EXPECT_TRUE(parse(a) != parse(b)) << a << " is " << parse(a).str();
  }

  ExprContext context;
};

TEST_F(ExprTest, PolynomialsAreEqualPointers) {
  expectSame("(a + b) ** 2", "a*a + 2*a*b + b*b");
  expectSame("a * b", "b * a");
  expectSame("(a - b) * (a + b) - a**2 + b**2", "0");
  expectSame("2 * (a + 1) - a - a", "2");
  expectSame("18446744073709551616 * a", "4294967296 * 4294967296 * a");
  expectDifferent("a", "b");
}

TEST_F(ExprTest, PrintsReadably) {
  EXPECT_EQ(print("1 + s1*s0"), "s0 * s1 + 1");
  EXPECT_EQ(print("s0 floordiv 2"), "s0 floordiv 2");
  EXPECT_EQ(print("s0 // 2"), "s0 floordiv 2");
  EXPECT_EQ(print("s0 ceildiv 2"), "s0 ceildiv 2");
  EXPECT_EQ(print("(s0 + s1) ceildiv 8"), "(s0 + s1) ceildiv 8");
  EXPECT_EQ(print("s0 ceildiv s1"), "s0 ceildiv s1");
  EXPECT_EQ(print("1 - 2 * ((s0 - s2) ceildiv s1)"),
            "2 * ((s2 - s0) floordiv s1) + 1");
  EXPECT_EQ(print("3 * (s0 ceildiv s1) - s2"), "3 * (s0 ceildiv s1) - s2");
  EXPECT_EQ(print("-(s0 floordiv s1)"), "-(s0 floordiv s1)");
  EXPECT_EQ(print("s0 mod 8"), "s0 mod 8");
  EXPECT_EQ(print("(s0 * s1) mod s2"), "(s0 * s1) mod s2");
  EXPECT_EQ(print("max(s0, s1)"), "max(s0, s1)");
  EXPECT_EQ(print("3 - s0"), "3 - s0");
  EXPECT_EQ(print("-s0"), "-s0");
  EXPECT_EQ(print("-2 * s0 * s1"), "-2 * s0 * s1");
  EXPECT_EQ(print("s0 > 3"), "4 <= s0");
  EXPECT_EQ(print("s0 * s1 == s2"), "s0 * s1 == s2");
  EXPECT_EQ(print("s0 == s1 and s0 <= 64"), "s0 == s1 and s0 <= 64");
  EXPECT_EQ(print("2 <= s0 < s1"), "2 <= s0 and s0 < s1");
  EXPECT_EQ(print("not p or q"), "q or not p");
  EXPECT_EQ(print("select(p, s0, s1)"), "select(p, s0, s1)");
  EXPECT_EQ(print("f * 2.5 + 1.0"), "f * 2.5 + 1.0");
}

TEST_F(ExprTest, DivisionByLiterals) {
  expectSame("(16 * n) mod 16", "0");
  expectSame("(4 * n + 7) floordiv 4", "n + 1");
  expectSame("(n floordiv 2) floordiv 3", "n floordiv 6");
  expectSame("-((-n) floordiv 2)", "n ceildiv 2");
  expectSame("(-n) mod 2", "n mod 2");
  expectSame("2 * (n ceildiv 2)", "n + n mod 2");
  expectSame("n floordiv -2", "(-n) floordiv 2");
  expectSame("n mod -4", "-((-n) mod 4)");
  expectSame("4 * (n floordiv 4) + n mod 4", "n");
  expectSame("(4 * (n floordiv 4)) floordiv 4", "n floordiv 4");
  expectSame("(n mod 12) mod 4", "n mod 4");
  expectSame("(2 * n) floordiv 4", "n floordiv 2");
  expectSame("(2 * n + 1) floordiv 4", "n floordiv 2");
  expectSame("(n + 3) floordiv 4", "n ceildiv 4");
  expectSame("(7 floordiv 2) * 10 + (-7) floordiv 2", "26");
  expectSame("(-7) mod 3", "2");
  expectSame("7 mod -3", "-2");
  // An outer negative divisor does not merge with an inner one.
  expectDifferent("(n floordiv 8) floordiv -5", "n floordiv -40");
}

TEST_F(ExprTest, DivisionByExpressionsKeepsWhatIsUndefined) {
  expectDifferent("n floordiv n", "1");
  expectDifferent("n mod n", "0");
  expectDifferent("n floordiv d - n floordiv d", "0");
  EXPECT_EQ(print("n floordiv n"), "0 floordiv n + 1");
  expectSame("(a * n + b) floordiv n", "a + b floordiv n");
  expectSame("n floordiv d - n floordiv d", "0 floordiv d");
  expectSame("0 * (n mod d)", "0 floordiv d");
  expectSame("d * (n floordiv d) + n mod d", "n + 0 floordiv d");
  expectSame("(s0 * s1) mod (s0 - 1)", "s1 mod (s0 - 1)");
  EXPECT_FALSE(parse("n floordiv d").isTotal());
  EXPECT_TRUE(parse("n floordiv 2").isTotal());
}

TEST_F(ExprTest, Extrema) {
  expectSame("max(a, max(b, a))", "max(a, b)");
  expectSame("max(a, a + 3)", "a + 3");
  expectSame("max(2 * n + 2, 2)", "2 * max(n, 0) + 2");
  expectSame("min(-a, -b)", "-max(a, b)");
  expectSame("min(a, max(a, b))", "a");
  expectSame("max(a, -a)", "abs(a)");
  expectSame("abs(-3 * a)", "3 * abs(a)");
  expectSame("max(3, 5, 4)", "5");
}

TEST_F(ExprTest, Comparisons) {
  expectSame("a < b", "not b <= a");
  expectSame("a < b", "a + 1 <= b");
  expectSame("2 * a <= 2 * b + 1", "a <= b");
  expectSame("2 * a == 2 * b + 1", "false");
  expectSame("a == b", "b == a");
  expectSame("a <= b and b > a - 1", "a <= b");
  expectSame("p and not p", "false");
  expectSame("not (p and q)", "not p or not q");
  expectSame("n + 1 > n", "true");
}

TEST_F(ExprTest, TheLeastMachineWordByMinusOne) {
  Expr n = context.symbol("n"), m = context.symbol("m");
  llvm::DenseMap<Expr, Value> values = {{n, Value::ofInt(INT64_MIN)},
                                        {m, Value::ofInt(-1)}};
  Value negated = Value::ofInt(-DynamicAPInt(INT64_MIN));
  EXPECT_EQ(evaluate(context.floorDiv(n, m), values).value, negated);
  EXPECT_EQ(evaluate(context.mod(n, m), values).value, Value::ofInt(0));
  EXPECT_EQ(evaluate(context.exactDiv(n, m), values).value, negated);
}

TEST_F(ExprTest, PolynomialDivisionEnds) {
  // Products with the quotients in the divisor bring new multiples of it.
  Expr division = parse("(n * ((n - n**2) ceildiv 4) - (n - n**2) + "
                        "((n - n**2) + 3) mod 4 - 3) mod "
                        "((n - n**2) ceildiv 2 + -2 mod n)");
  EXPECT_LT(division.str().size(), 1000u);
}

TEST_F(ExprTest, LongSums) {
  llvm::SmallVector<Expr> terms;
  Expr incremental = context.zero();
  for (unsigned i = 0; i != 10000; ++i)
    terms.push_back(context.symbol("t" + std::to_string(i)));
  Expr sum = context.sum(terms);
  for (unsigned i = 0; i != 2000; ++i)
    incremental = context.add(terms[1999 - i], incremental);
  EXPECT_EQ(sum.getOperands().size(), 10000u);
  EXPECT_TRUE(incremental ==
              context.sum(llvm::ArrayRef<Expr>(terms).take_front(2000)));
  EXPECT_TRUE(context.sub(sum, sum) == context.zero());
}

} // namespace
