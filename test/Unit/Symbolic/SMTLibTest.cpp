//===- SMTLibTest.cpp - Claims in SMT-LIB ---------------------------------===//
//
// Z3 confirms what is right and refutes what is wrong; scripts of random
// expressions at a point agree with evaluation.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/SMTLib.h"
#include "tally/Symbolic/Text/Parser.h"
#include "tally/Z3/Z3.h"

#include "gtest/gtest.h"

#include <random>

using namespace tally;
using namespace tally::symbolic;

namespace {

class SMTLibTest : public testing::Test {
protected:
  void SetUp() override {
    std::string error;
    z3 = Z3Solver::open(error);
    if (!z3)
      GTEST_SKIP() << error;
    for (const char *name : {"n", "m"})
      context.symbol(name);
    context.symbol("b", SymbolType::Bool);
    context.symbol("f", SymbolType::Float);
    context.symbol("g", SymbolType::Float);
  }

  Expr parse(llvm::StringRef text) {
    ParseResult result =
        parseAsWritten(text, context, [&](llvm::StringRef name) {
          return context.lookup(name);
        });
    EXPECT_TRUE(result) << text.str() << ": " << result.errorMessage;
    return *result;
  }

  Satisfiability check(llvm::ArrayRef<const char *> assumptions,
                       llvm::StringRef query, SMTClaim claim) {
    llvm::SmallVector<Expr> stated;
    for (const char *text : assumptions)
      stated.push_back(parse(text));
    SMTScript script = makeSMTScript(stated, parse(query), claim);
    EXPECT_TRUE(script.hasQuery) << script.unsupported;
    std::string error;
    Satisfiability result = z3->check(script.text, 10000, error);
    EXPECT_EQ(error, "") << script.text;
    return result;
  }

  std::unique_ptr<Z3Solver> z3;
  ExprContext context;
};

} // namespace

TEST_F(SMTLibTest, Claims) {
  struct Case {
    std::vector<const char *> assumptions;
    const char *query;
    SMTClaim claim;
    bool isRight;
  };
  const Case cases[] = {
      {{}, "2 * (n floordiv 2) <= n", SMTClaim::True, true},
      {{}, "2 * (n floordiv 2) < n", SMTClaim::True, false},
      {{}, "2 * (n floordiv 2) < n", SMTClaim::False, false},
      {{"n mod 2 == 0"}, "2 * (n floordiv 2) < n", SMTClaim::False, true},
      // Where it is undefined it is neither.
      {{}, "m floordiv n == m floordiv n", SMTClaim::True, false},
      {{}, "m floordiv n == m floordiv n", SMTClaim::TrueWhereDefined, true},
      {{"n != 0"}, "m floordiv n == m floordiv n", SMTClaim::True, true},
      // An assumption is defined.
      {{"m floordiv n == 3"}, "n != 0", SMTClaim::True, true},
      {{"exact_div(n, 4) == m"}, "n == 4 * m", SMTClaim::True, true},
      // What is not evaluated may be undefined.
      {{}, "n == 0 or m floordiv n <= max(m, -m)", SMTClaim::True, true},
      {{}, "n != 0 and m floordiv n > abs(m)", SMTClaim::False, true},
      {{}, "select(n == 0, 0, m mod n) >= min(n, 0)", SMTClaim::True, true},
      {{}, "m floordiv n <= abs(m) or n == 0", SMTClaim::True, false},
      // Python's division by what is negative.
      {{"n == -3"},
       "7 mod n == -2 and 7 floordiv n == -3",
       SMTClaim::True,
       true},
      {{"n == -3"},
       "(-7) mod n == -1 and (-7) floordiv n == 2",
       SMTClaim::True,
       true},
      {{"n == -3"}, "7 ceildiv n == -2", SMTClaim::True, true},
      // Two expressions that are the same, and two that are undefined
      // elsewhere.
      {{}, "n - n == 0", SMTClaim::SameValue, true},
      {{}, "n floordiv n == 1", SMTClaim::SameValue, false},
      {{"n > 0"}, "n floordiv n == 1", SMTClaim::SameValue, true},
      {{"n > m", "m > n"}, "true", SMTClaim::Contradiction, true},
      {{"n > m"}, "true", SMTClaim::Contradiction, false},
      {{},
       "(n + m) ** 3 == n**3 + 3*n**2*m + 3*n*m**2 + m**3",
       SMTClaim::True,
       true},
      {{}, "b == (not not b)", SMTClaim::True, true},
      // NaN is not itself.
      {{}, "f == f", SMTClaim::True, false},
      {{"f <= 1.0"}, "f == f", SMTClaim::True, true},
      {{"f == 0.5"}, "f + 0.5 == 1.0", SMTClaim::True, true},
  };
  for (const Case &test : cases)
    EXPECT_EQ(check(test.assumptions, test.query, test.claim),
              test.isRight ? Satisfiability::Unsat : Satisfiability::Sat)
        << test.query << ", claim " << static_cast<int>(test.claim);
}

TEST_F(SMTLibTest, WhatHasNoCounterpart) {
  Expr query = parse("n / m <= 0.5");
  SMTScript script = makeSMTScript({}, query, SMTClaim::True);
  EXPECT_FALSE(script.hasQuery);
  EXPECT_FALSE(script.isComplete());
  script = makeSMTScript(query, parse("n <= m"), SMTClaim::True);
  EXPECT_TRUE(script.hasQuery);
  EXPECT_FALSE(script.isComplete());
}

/// Random text of an integer.
static std::string makeText(std::mt19937 &random, int depth) {
  auto choose = [&](int n) { return static_cast<int>(random() % n); };
  if (depth == 0 || choose(5) == 0)
    return choose(2) ? (choose(2) ? "n" : "m")
                     : "(" + std::to_string(choose(13) - 6) + ")";
  std::string a = makeText(random, depth - 1), b = makeText(random, depth - 1);
  const char *infix[] = {"+", "-", "*", "floordiv", "ceildiv", "mod"};
  const char *calls[] = {"min", "max", "exact_div"};
  switch (choose(4)) {
  case 0:
    return std::string(calls[choose(3)]) + "(" + a + ", " + b + ")";
  case 1:
    return "select(" + a + " <= " + b + " or " + b + " mod 3 == 1, " + a +
           ", " + b + ")";
  default:
    return "(" + a + " " + infix[choose(6)] + " " + b + ")";
  }
}

TEST_F(SMTLibTest, AgreesWithEvaluation) {
  std::mt19937 random(7);
  for (int round = 0; round != 60; ++round) {
    std::string text = makeText(random, 3);
    int64_t n = static_cast<int>(random() % 17) - 8;
    int64_t m = static_cast<int>(random() % 17) - 8;
    EvalResult value =
        evaluate(parse(text), [&](Expr symbol) -> std::optional<Value> {
          return Value::ofInt(symbol.getName() == "n" ? n : m);
        });
    std::string fixN = "n == " + std::to_string(n);
    std::string fixM = "m == " + std::to_string(m);
    const char *assumptions[] = {fixN.c_str(), fixM.c_str()};
    std::string digits = "0";
    if (value.isDefined())
      digits = context.constant(value.value.getInt()).str();
    Satisfiability result =
        check(assumptions, text + " == " + digits, SMTClaim::True);
    EXPECT_EQ(result,
              value.isDefined() ? Satisfiability::Unsat : Satisfiability::Sat)
        << text << " at n = " << n << ", m = " << m;
  }
}
