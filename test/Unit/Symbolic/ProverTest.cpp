//===- ProverTest.cpp - Facts and proofs ----------------------------------===//
//
// What facts simplify, and what the ladder decides.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"

#include "gtest/gtest.h"

using namespace tally::symbolic;

namespace {

class ProverTest : public ::testing::Test {
protected:
  Expr symbol(const char *name, Interval range) {
    Expr result = context.symbol(name);
    facts.setRange(result, range, Provenance::Checked, name);
    return result;
  }
  void naturals(std::initializer_list<const char *> names) {
    for (const char *name : names)
      symbol(name, Interval::atLeast(0));
  }
  Expr parse(const char *text) {
    ParseResult result = parseExpr(text, context);
    EXPECT_TRUE(static_cast<bool>(result))
        << text << ": " << result.errorMessage;
    return result ? *result : context.trueExpr();
  }
  FactId add(const char *text) { return facts.add(parse(text)); }
  Verdict prove(const char *text) {
    return Prover(facts).prove(parse(text)).verdict;
  }
  void yes(const char *text) {
    EXPECT_EQ(toString(prove(text)).str(), "yes") << text;
  }
  void no(const char *text) {
    EXPECT_EQ(toString(prove(text)).str(), "no") << text;
  }
  void unknown(const char *text) {
    EXPECT_EQ(toString(prove(text)).str(), "unknown") << text;
  }
  std::string simplify(const char *text) {
    return facts.simplify(parse(text)).str();
  }

  ExprContext context;
  Facts facts{context};
};

TEST_F(ProverTest, RangesAndRemainders) {
  naturals({"n", "k"});
  yes("2 * (n floordiv 2) <= n");
  yes("(n ceildiv 4) * 4 >= n");
  yes("n mod 8 < 8");
  yes("max(n, 1) * k >= k");
  yes("n + 1 > n");
  yes("n * k >= 0");
  no("n + k < 0");
  unknown("n > 3");
  yes("(n floordiv 2) * 2 + n mod 2 == n");
  yes("n floordiv 8 <= n");
  yes("(n + 7) floordiv 8 * 8 >= n");
  yes("n ceildiv 2 + n floordiv 2 == n");
}

TEST_F(ProverTest, Defined) {
  naturals({"n", "m"});
  auto isDefined = [&](const char *text) {
    return facts.isDefined(parse(text));
  };
  // An operand counts only where the others let it be evaluated.
  EXPECT_TRUE(isDefined("n != 0 and 8 floordiv n > 1"));
  EXPECT_TRUE(isDefined("n == 0 or 8 floordiv n > 1"));
  EXPECT_TRUE(isDefined("select(n > 0, 8 floordiv n, 0)"));
  EXPECT_TRUE(isDefined("select(n == 0, 0, 8 floordiv n)"));
  EXPECT_FALSE(isDefined("m != 0 and 8 floordiv n > 1"));
  EXPECT_FALSE(isDefined("m == 0 or 8 floordiv n > 1"));
  EXPECT_FALSE(isDefined("select(m > 0, 8 floordiv n, 0)"));
  EXPECT_FALSE(isDefined("select(n == 0, 8 floordiv n, 0)"));
  EXPECT_FALSE(isDefined("8 floordiv n > 1"));
  EXPECT_TRUE(isDefined("8 floordiv (n + 1) > 1"));
}

TEST_F(ProverTest, DivisibilityAndBounds) {
  Expr n = symbol("n", Interval::of(0, 64));
  facts.setDivisor(n, 8);
  yes("n floordiv 8 <= 8");
  yes("n mod 4 == 0");
  yes("(n floordiv 8) * 8 == n");
  no("n == 3");
  unknown("n == 8");
  EXPECT_EQ(simplify("max(n, -1) + n mod 8"), "n");
  EXPECT_EQ(facts.range(parse("max(n, 3) - 1")).str(), "[2, 63]");
}

TEST_F(ProverTest, Equalities) {
  naturals({"s0", "s1", "s2", "u"});
  add("s2 == s0 * s1");
  add("u == s2 + 1");
  yes("u - 1 == s1 * s0");
  EXPECT_EQ(simplify("s2 + u"), "2 * s0 * s1 + 1");
  facts.push();
  add("s0 == s1");
  yes("s2 == s0 ** 2");
  facts.pop();
  unknown("s2 == s0 ** 2");
}

TEST_F(ProverTest, ScaledEqualities) {
  naturals({"n", "m"});
  add("n == 2 * m");
  yes("n mod 2 == 0");
  yes("m == n floordiv 2");
  yes("m <= n");
  EXPECT_EQ(simplify("2 * m"), "n");
}

TEST_F(ProverTest, Inequalities) {
  naturals({"a", "b", "c"});
  add("a <= b");
  add("b < c");
  yes("a < c");
  yes("a <= b + 1");
  no("c < a");
  unknown("a == b");
  add("b <= a");
  yes("a == b");
}

TEST_F(ProverTest, UndefinedIsNeverDecided) {
  naturals({"n", "d"});
  EXPECT_EQ(Prover(facts).prove(parse("n mod d < d")).doubt, Doubt::Undefined);
  unknown("n floordiv d == n floordiv d");
  unknown("0 * (n mod d) == 0");
  unknown("n floordiv n == 1");
  yes("d == 0 or n floordiv d == n floordiv d");
  facts.push();
  add("d >= 1");
  yes("n floordiv d == n floordiv d");
  yes("n floordiv d <= n");
  yes("n mod d < d");
  EXPECT_EQ(simplify("(d * n) floordiv d"), "n");
  facts.pop();
  unknown("n floordiv d <= n");
  unknown("(d * n) floordiv d == n");
}

/// Whether numbers overflow is open at the ends of their ranges only, and needs
/// no long search where there are many facts.
TEST_F(ProverTest, OpenOverflows) {
  symbol("row", Interval::of(INT64_MIN, INT64_MAX));
  symbol("column", Interval::of(INT64_MIN, INT64_MAX));
  symbol("width", Interval::of(57, int64_t(1) << 40));
  context.symbol("inside", SymbolType::Bool);
  naturals({"n"});
  add("width >= 9");
  add("n * ((width + 7) floordiv 8) >= 1");
  // More facts than are sampled.
  for (int64_t i = 0; i < 30; ++i)
    add(("n >= " + std::to_string(i)).c_str());
  auto isOpen = [&](const char *text) {
    EXPECT_EQ(Prover(facts).prove(parse(text)).doubt, Doubt::Disagreement)
        << text;
  };
  isOpen("row * ((width + 7) floordiv 8) + column <= 9223372036854775807");
  isOpen("row * ((width + 7) floordiv 8) + column >= -9223372036854775808");
  isOpen("select(inside, row * ((width + 7) floordiv 8) + column, -1)"
         " <= 9223372036854775807");
  yes("select(row >= 0, min(row, width), 0) <= 9223372036854775807");
}

/// What an assignment showed to be open must not outlive the facts it fitted.
TEST_F(ProverTest, OpenQuestionsAfterOtherFacts) {
  naturals({"n", "m"});
  unknown("n >= 5");
  {
    Facts::Scope scope(facts);
    add("n + m >= 9");
    add("m <= 4");
    yes("n >= 5");
    unknown("n >= 6");
  }
  unknown("n >= 5");
  add("n == m");
  add("n + m >= 9");
  yes("n >= 5");
  unknown("n == 5");
}

TEST_F(ProverTest, Contradictions) {
  naturals({"a", "b"});
  facts.push();
  add("a + b <= 3");
  add("a >= 5");
  EXPECT_TRUE(facts.isContradictory());
  EXPECT_EQ(prove("a == 1"), Verdict::Contradiction);
  facts.pop();
  EXPECT_FALSE(facts.isContradictory());
  unknown("a == 1");
}

TEST_F(ProverTest, Logic) {
  naturals({"a", "b"});
  Expr p = context.symbol("p", SymbolType::Bool);
  context.symbol("q", SymbolType::Bool);
  yes("a >= 0 and b >= 0");
  yes("a <= 5 or a >= 3");
  yes("p or not p");
  no("a < 0 or b < 0");
  add("p");
  yes("p");
  yes("p or q");
  unknown("q");
  add("a == 3 or a == 7");
  yes("a >= 3");
  yes("a <= 7");
  no("a == 5");
  (void)p;
}

TEST_F(ProverTest, FactsAreNamed) {
  naturals({"a", "b", "c"});
  FactId first = add("a <= b");
  add("c <= 100");
  FactId third = add("b <= 7");
  Answer answer = Prover(facts).prove(parse("a <= 7"));
  EXPECT_EQ(answer.verdict, Verdict::Yes);
  EXPECT_TRUE(llvm::is_contained(answer.facts, first));
  EXPECT_TRUE(llvm::is_contained(answer.facts, third));
}

// The remainder of the least machine word by -1 traps on a processor.
TEST_F(ProverTest, TheLeastWord) {
  for (const char *name : {"a", "b", "c", "d"})
    context.symbol(name);
  unknown("a == -9223372036854775808");
  unknown("-a == -9223372036854775808");
  unknown("a != -9223372036854775808");
  unknown("-a < -9223372036854775808");
  unknown("-9223372036854775808 * a <= b");
  unknown("a mod -9223372036854775808 == 0");
  unknown("a floordiv -1 == -9223372036854775808");
  yes("-9223372036854775808 mod -1 == 0");
  yes("-9223372036854775808 floordiv -1 == 9223372036854775808");
  yes("abs(-9223372036854775808) == 9223372036854775808");
  // Multiples of a term whose factor is -1.
  simplify("-9223372036854775808 * b * (a floordiv -b)");
  simplify("(a - (b mod 4)) floordiv -9223372036854775808");
  add("2 * a - 3 * b == -9223372036854775808");
  add("c mod 3 == 1");
  unknown("a == -4611686018427387904");
  unknown("b == 0");
  no("3 * a - c == -9223372036854775808"); // its remainder by 3 is 2
  add("d == -9223372036854775808");
  yes("d * -1 == 9223372036854775808");
  yes("d mod 4 == 0");
  no("d floordiv -1 == -9223372036854775808");
}

TEST_F(ProverTest, LargeNumbers) {
  symbol("w", Interval::atMost((int64_t(1) << 60) + 1));
  unknown("w - 1 <= 1152921504606846975");
  yes("w - 1 <= 1152921504606846976");
  yes("w * 1152921504606846976 <= 2658455991569831746960571155001769984");
}

} // namespace
