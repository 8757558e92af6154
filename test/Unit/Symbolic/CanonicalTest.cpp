//===- CanonicalTest.cpp - What has one form ------------------------------===//
//
// Pairs of texts that are one expression, the same pointer; and pairs that are
// equal, but not one form: the ladder decides those.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"

#include "gtest/gtest.h"

using namespace tally::symbolic;

namespace {

struct Pair {
  const char *left, *right;
};

class CanonicalTest : public ::testing::Test {
protected:
  CanonicalTest() {
    for (const char *name : {"a", "b", "c", "n", "m", "k"})
      context.symbol(name);
  }
  Expr parse(const char *text) {
    ParseResult result = parseExpr(text, context);
    EXPECT_TRUE(static_cast<bool>(result))
        << text << ": " << result.errorMessage;
    return result ? *result : context.zero();
  }
  void areOne(llvm::ArrayRef<Pair> pairs) {
    for (const Pair &pair : pairs) {
      Expr left = parse(pair.left), right = parse(pair.right);
      EXPECT_TRUE(left == right) << pair.left << " is " << left.str() << "\n"
                                 << pair.right << " is " << right.str();
    }
  }
  /// Not one form, but the prover sees that they are equal.
  void areProven(llvm::ArrayRef<Pair> pairs) {
    Prover prover(facts);
    for (const Pair &pair : pairs) {
      Expr left = parse(pair.left), right = parse(pair.right);
      EXPECT_FALSE(left == right) << pair.left << " has one form now";
      EXPECT_TRUE(prover.isProven(context.eq(left, right))) << pair.left;
    }
  }

  ExprContext context;
  Facts facts{context};
};

TEST_F(CanonicalTest, Quotients) {
  areOne({{"(8*a + b) floordiv 8", "a + b floordiv 8"},
          {"(8*a + 4*b + 3) floordiv 8", "a + b floordiv 2"},
          {"(a*n + b) floordiv n", "a + b floordiv n"},
          {"(a*n + b*n*m) floordiv (n*m)", "b + a floordiv m + 0 floordiv n"},
          {"(6*a) floordiv (4*b)", "(3*a) floordiv (2*b)"},
          {"(n**2 - 1) floordiv (n - 1)", "n + 1 + 0 floordiv (n - 1)"},
          {"n ceildiv 8", "(n + 7) floordiv 8"},
          {"n ceildiv 8", "(n - 1) floordiv 8 + 1"},
          {"a floordiv -3", "-(a ceildiv 3)"},
          {"a floordiv -n", "-a floordiv n"},
          {"n - n mod 8", "8 * (n floordiv 8)"},
          {"n - n mod k", "k * (n floordiv k)"},
          {"(n ceildiv 8) * 8 - n", "-n mod 8"}});
}

TEST_F(CanonicalTest, NestedQuotients) {
  areOne({{"(a floordiv 3) floordiv 2", "a floordiv 6"},
          {"(a ceildiv 2) ceildiv 3", "a ceildiv 6"},
          {"(a floordiv 2 + 1) floordiv 3", "(a + 2) floordiv 6"},
          {"(a floordiv 2 + b) floordiv 3", "(a + 2*b) floordiv 6"},
          {"(n - n mod 8) floordiv 8", "n floordiv 8"},
          {"(n - n mod 8) floordiv 4", "2 * (n floordiv 8)"},
          {"(n - n mod 4) floordiv 8", "n floordiv 8"},
          {"(n - n mod 4 + 4*m) floordiv 8", "(n + 4*m) floordiv 8"},
          {"(3*n - 3*(n mod 4)) floordiv 24", "n floordiv 8"},
          {"(n - n mod k) floordiv k", "n floordiv k"}});
}

TEST_F(CanonicalTest, Remainders) {
  areOne({{"(8*a + 4) mod 8", "4"},
          {"(a*n + b) mod n", "b mod n"},
          {"(a mod 12) mod 4", "a mod 4"},
          {"(a mod 4) mod 12", "a mod 4"},
          {"(a mod 12) floordiv 12", "0"},
          {"(a floordiv 4) mod 3", "(a mod 12) floordiv 4"},
          {"(a floordiv 4) mod 3 * 4 + a mod 4", "a mod 12"},
          {"(a mod 8 + b mod 8) mod 8", "(a + b) mod 8"},
          {"(a mod 8) * (b mod 8) mod 8", "(a * b) mod 8"},
          {"(a mod n + b mod n) mod n", "(a + b) mod n"},
          {"((a mod n) * (b mod n)) mod n", "(a * b) mod n"},
          {"(7*a) mod 8", "-a mod 8"},
          {"(5*a) mod 3", "-a mod 3"},
          {"(5*a - 5*b) mod 10", "(5*a + 5*b) mod 10"},
          {"a mod -3", "-(-a mod 3)"},
          {"a mod -n", "-(-a mod n)"},
          {"n * (a floordiv n) + a mod n", "a + 0 floordiv n"}});
  areProven({{"(a mod 12) floordiv 4", "a floordiv 4 - 3 * (a floordiv 12)"}});
}

TEST_F(CanonicalTest, ExactQuotients) {
  areOne({{"exact_div(8*a + 16, 8)", "a + 2"},
          {"exact_div(12*a, 8)", "exact_div(3*a, 2)"},
          {"exact_div(3*a, 2)", "a + exact_div(a, 2)"},
          {"exact_div(7*a, 8)", "a - exact_div(a, 8)"},
          {"exact_div(2*a + b, 2)", "a + exact_div(b, 2)"},
          {"exact_div(a, -2)", "-exact_div(a, 2)"},
          {"(5*b*exact_div(a, 2)) floordiv 3",
           "b*exact_div(a, 2) + (a*b) floordiv 3"},
          {"exact_div(exact_div(a, 2), 3)", "exact_div(a, 6)"},
          {"2 * exact_div(a, 2) - a", "exact_div(a, 2) - exact_div(a, 2)"},
          {"n * exact_div(a, n)", "a + exact_div(a, n) - exact_div(a, n)"}});
  areProven({{"exact_div(a - a mod 8, 8)", "a floordiv 8"}});
}

TEST_F(CanonicalTest, Extrema) {
  areOne({{"max(a + 1, b + 1)", "max(a, b) + 1"},
          {"max(a + c, b + c)", "max(a, b) + c"},
          {"min(n*m - a, n*m - b)", "n*m - max(a, b)"},
          {"max(2*a, 2*b)", "2*max(a, b)"},
          {"max(-a, -b)", "-min(a, b)"},
          {"max(a, max(b, c))", "max(max(c, a), b)"},
          {"max(max(a + n, b + n), c)", "max(b + n, max(c, a + n))"},
          {"max(2*max(a, b) + 1, c)", "max(2*a + 1, 2*b + 1, c)"},
          {"max(a, min(a, b))", "a"},
          {"min(a, max(a, b))", "a"},
          {"min(max(a, 1), max(a, 2))", "max(a, 1)"},
          {"max(min(a, b) - 1, min(a, b, c), a + 1)", "a + 1"},
          {"min(max(a, b), max(c, b, a + 2))", "max(a, b)"},
          {"max(a, a - 1, b)", "max(a, b)"},
          {"max(a, -a)", "abs(a)"},
          {"max(2*a, 1) floordiv 2", "max(a, 0)"},
          {"max(2*a - 1, 1) floordiv 2", "max(a, 1) - 1"},
          {"min(6*a + 4, 3*b) floordiv 3", "min(2*a + 1, b)"},
          {"(2*max(3*a, 4) + 1) floordiv 6", "max(a, 1)"},
          {"-max(2*a, 1) floordiv 2", "-max(a, 1)"}});
  areProven({{"min(a, b) + max(a, b)", "a + b"},
             {"max(min(a, b), min(a, c))", "min(a, max(b, c))"},
             {"max(abs(a), 0)", "abs(a)"},
             {"max(a mod 8, 0)", "a mod 8"},
             {"min(a mod 8, 7)", "a mod 8"}});
}

TEST_F(CanonicalTest, AbsAndSelect) {
  areOne({{"abs(-2*a)", "2*abs(a)"},
          {"abs(a*b)", "abs(a)*abs(b)"},
          {"abs(a)**2", "a**2"},
          {"abs(a + b) * abs(a + b)", "a**2 + 2*a*b + b**2"},
          {"abs(a**3)", "a**2 * abs(a)"},
          {"select(a < b, a, b)", "min(a, b)"},
          {"select(a >= b, 2*a, 2*b)", "2 * max(a, b)"},
          {"select(a < 0, -a, a)", "abs(a)"},
          {"select(a == b, a, b)", "b"},
          {"select(a != b, a, b)", "a"},
          {"select(a < b, select(a < b, n, m), k)", "select(a < b, n, k)"},
          {"select(a < b, n, select(b <= a, m, k))", "select(a < b, n, m)"}});
  areProven({{"select(a < b, c + 1, c + 2)", "c + select(a < b, 1, 2)"}});
}

TEST_F(CanonicalTest, Comparisons) {
  areOne({{"a < b", "a + 1 <= b"},
          {"not (a < b)", "b <= a"},
          {"2*a <= 7", "a <= 3"},
          {"2*a == 2*b", "b == a"},
          {"2*a == 7", "false"},
          {"a <= b and a <= b", "a <= b"},
          {"a <= b or not (a <= b)", "true"},
          {"(a floordiv 4) * 4 == a", "a mod 4 == 0"},
          {"a mod 2 != 0", "a mod 2 == 1"},
          {"not (a mod 2 == 1)", "a mod 2 == 0"}});
  areProven({{"a <= 3 and a <= 5", "a <= 3"},
             {"a < b or a == b", "a <= b"},
             {"max(a, b) >= c", "a >= c or b >= c"},
             {"a floordiv 4 <= 3", "a <= 15"}});
}

} // namespace
