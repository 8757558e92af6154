//===- ParserTest.cpp - The grammar and its errors ------------------------===//
//
// Precedence, what is refused and where, expressions inside a larger syntax,
// and evaluation of what was read.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/Parser.h"
#include "tally/Symbolic/Expr/SymbolNames.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace tally::symbolic;

namespace {

class ParserTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"a", "b", "c"})
      context.symbol(name);
    context.symbol("p", SymbolType::Bool);
    context.symbol("f", SymbolType::Float);
  }

  /// The value of a text at a = 7, b = -3, c = 0, p = true, f = 2.5.
  std::string eval(const char *text) {
    ParseResult parsed = parseExpr(text, context);
    if (!parsed)
      return parsed.errorMessage;
    EvalResult result = evaluate(*parsed, [](Expr symbol) {
      llvm::StringRef name = symbol.getName();
      return std::optional<Value>(name == "p"   ? Value::ofBool(true)
                                  : name == "f" ? Value::ofFloat(2.5)
                                  : name == "a" ? Value::ofInt(7)
                                  : name == "b" ? Value::ofInt(-3)
                                                : Value::ofInt(0));
    });
    if (!result.isDefined())
      return toString(result.error).str();
    switch (result.value.getType()) {
    case SymbolType::Int:
      return context.constant(result.value.getInt()).str();
    case SymbolType::Bool:
      return result.value.getBool() ? "true" : "false";
    case SymbolType::Float:
      return context.floatConstant(result.value.getFloat()).str();
    }
    return "";
  }

  void refuses(const char *text, size_t offset, const char *message) {
    ParseResult parsed = parseExpr(text, context);
    ASSERT_FALSE(static_cast<bool>(parsed)) << text;
    EXPECT_EQ(parsed.errorMessage, message) << text;
    EXPECT_EQ(parsed.errorOffset, offset) << text;
  }

  /// Parses a prefix; what was read, a bar, and the rest.
  std::string split(const char *text, bool allowComparison = true) {
    size_t consumed = 0;
    ParseResult parsed = parseExprPrefix(
        text, context,
        [&](llvm::StringRef name) { return context.lookup(name); }, consumed,
        allowComparison);
    if (!parsed)
      return parsed.errorMessage;
    return parsed.expr.str() + " |" + (text + consumed);
  }

  ExprContext context;
};

TEST_F(ParserTest, PythonPrecedence) {
  EXPECT_EQ(eval("-a ** 2"), "-49");
  EXPECT_EQ(eval("2 ** 3 ** 2"), "512");
  EXPECT_EQ(eval("2 + 3 * 4"), "14");
  EXPECT_EQ(eval("a * 3 floordiv 2"), "10");
  EXPECT_EQ(eval("-a floordiv 2"), "-4");
  EXPECT_EQ(eval("a mod b"), "-2");
  EXPECT_EQ(eval("b mod a"), "4");
  EXPECT_EQ(eval("a ceildiv b"), "-2");
  EXPECT_EQ(eval("1 << 3 + 1"), "16");
  EXPECT_EQ(eval("b >> 1"), "-2");
  EXPECT_EQ(eval("not a < b and p"), "true");
  EXPECT_EQ(eval("p or a == b and a == 0"), "true");
  EXPECT_EQ(eval("b < c < a"), "true");
  EXPECT_EQ(eval("a - 2 - 1"), "4");
  EXPECT_EQ(eval("exact_div(14, a)"), "2");
  EXPECT_EQ(eval("exact_div(a, 2)"), "inexact division");
  EXPECT_EQ(eval("max(a, b, 9) + min(a, b) + abs(b)"), "9");
}

TEST_F(ParserTest, UndefinedAndLazy) {
  EXPECT_EQ(eval("a floordiv c"), "division by zero");
  EXPECT_EQ(eval("a mod c"), "division by zero");
  EXPECT_EQ(eval("a floordiv c - a floordiv c"), "division by zero");
  EXPECT_EQ(eval("c floordiv c == 1"), "division by zero");
  EXPECT_EQ(eval("c != 0 and a floordiv c > 1"), "false");
  EXPECT_EQ(eval("c == 0 or a floordiv c > 1"), "true");
  EXPECT_EQ(eval("select(c == 0, 5, a floordiv c)"), "5");
  EXPECT_EQ(eval("a / c"), "division by zero");
  EXPECT_EQ(eval("2 ** 100000"), "overflow");
}

TEST_F(ParserTest, Floats) {
  EXPECT_EQ(eval("a / 2"), "3.5");
  EXPECT_EQ(eval("f * 2 + a"), "12.0");
  EXPECT_EQ(eval("to_int(-f)"), "-2");
  EXPECT_EQ(eval("f < a"), "true");
  EXPECT_EQ(eval("nan == nan"), "false");
  EXPECT_EQ(eval("to_int(nan * f)"), "not a number");
  EXPECT_EQ(eval("sqrt(f - 0.25) == 1.5"), "true");
}

TEST_F(ParserTest, FloatFunctions) {
  EXPECT_EQ(eval("floor(-f)"), "-3");
  EXPECT_EQ(eval("ceil(-f)"), "-2");
  EXPECT_EQ(eval("trunc(-f)"), "-2");
  EXPECT_EQ(eval("round(f)"), "2");
  EXPECT_EQ(eval("round(f + 1.0)"), "4");
  EXPECT_EQ(eval("floor(a)"), "7");
  EXPECT_EQ(eval("round(2.675, 2)"), "2.67");
  EXPECT_EQ(eval("round(f * 10.0, -1)"), "20.0");
  EXPECT_EQ(eval("round(15.000001, -1)"), "20.0");
  EXPECT_EQ(eval("round(a, 2)"), "7");
  EXPECT_EQ(eval("round(a * 5, -1)"), "40");
  EXPECT_EQ(eval("round(b * 15, -1)"), "-40");
  EXPECT_EQ(eval("round(b * 5 - 10 ** 30, -1)"),
            "-1000000000000000000000000000020");
  EXPECT_EQ(eval("round(1.7e308, -308)"), "overflow");
  EXPECT_EQ(eval("abs(-f)"), "2.5");
  EXPECT_EQ(eval("min(f, 3)"), "2.5");
  EXPECT_EQ(eval("max(nan, f)"), "nan");
  EXPECT_EQ(eval("max(f, nan)"), "2.5");
  EXPECT_EQ(eval("pow(f, -1)"), "0.4");
  EXPECT_EQ(eval("pow(-f, 0.5)"), "not a number");
  EXPECT_EQ(eval("pow(0.0, -f)"), "division by zero");
  EXPECT_EQ(eval("pow(1e200, f)"), "overflow");
  EXPECT_EQ(eval("log(f - f)"), "not a number");
  EXPECT_EQ(eval("exp(1000.0 * f)"), "overflow");
  EXPECT_EQ(eval("sin(inf)"), "not a number");
  EXPECT_EQ(eval("exp(-inf)"), "0.0");
  EXPECT_EQ(eval("log2(8)"), "3.0");
}

// Python rounds the quotient of two integers once, and compares an integer
// with a float exactly.
TEST_F(ParserTest, LargeIntegersAndFloats) {
  EXPECT_EQ(eval("(2 ** 53 + 1) / 1"), "9007199254740992.0");
  EXPECT_EQ(eval("(2 ** 53 + 3) / 1"), "9007199254740996.0");
  EXPECT_EQ(eval("10 ** 400 / 10 ** 399"), "10.0");
  EXPECT_EQ(eval("10 ** 400 / a"), "overflow");
  EXPECT_EQ(eval("1 / 10 ** 400"), "0.0");
  EXPECT_EQ(eval("3 / 2 ** 1075 == 1e-323"), "true");
  EXPECT_EQ(eval("c / b"), "-0.0");
  EXPECT_EQ(eval("2 ** 53 + 1 == 9007199254740992.0"), "false");
  EXPECT_EQ(eval("a ** 25 == to_float(a ** 25)"), "false");
  EXPECT_EQ(eval("a ** 25 < 1.341068619663965e+21"), "false");
  EXPECT_EQ(eval("10 ** 400 < inf"), "true");
  EXPECT_EQ(eval("10 ** 400 < 1e308"), "false");
  EXPECT_EQ(eval("3 > 2.5"), "true");
}

// The least number of 64 bits, divided by -1.
TEST_F(ParserTest, LeastNumber) {
  EXPECT_EQ(eval("-9223372036854775808 mod -1"), "0");
  EXPECT_EQ(eval("-9223372036854775808 mod (b + 2)"), "0");
  EXPECT_EQ(eval("-9223372036854775808 floordiv (b + 2)"),
            "9223372036854775808");
  EXPECT_EQ(eval("exact_div(-9223372036854775808, b + 2)"),
            "9223372036854775808");
  EXPECT_EQ(eval("(a - 9223372036854775808 * b) mod (1 - a) "), "-5");
  EXPECT_EQ(eval("-9223372036854775808 * a == -b"), "false");
}

TEST_F(ParserTest, PowersShiftsAndBits) {
  EXPECT_EQ(eval("1 << a"), "128");
  EXPECT_EQ(eval("b >> a"), "-1");
  EXPECT_EQ(eval("-3 >> (1 << 20)"), "-1");
  EXPECT_EQ(eval("a << b"), "negative exponent");
  EXPECT_EQ(eval("a >> b"), "negative exponent");
  EXPECT_EQ(eval("pow(b, a)"), "-2187");
  EXPECT_EQ(eval("pow(c, c)"), "1");
  EXPECT_EQ(eval("pow(a, b)"), "negative exponent");
  EXPECT_EQ(eval("pow(-1, 2 ** 70 + 1)"), "-1");
  EXPECT_EQ(eval("pow(a, 2 ** 70)"), "overflow");
  EXPECT_EQ(eval("bitwise_and(b, 6)"), "4");
  EXPECT_EQ(eval("bitwise_and(b, 3) + bitwise_and(a, -4)"), "5");
  EXPECT_EQ(eval("bitwise_or(b, 2 ** 70)"), "-3");
  EXPECT_EQ(eval("bitwise_xor(a, b)"), "-6");
}

TEST_F(ParserTest, Refusals) {
  refuses("", 0, "expected an expression");
  refuses("a +", 3, "expected an expression");
  refuses("a b", 2,
          "expected an operator or the end of the expression, found 'b'");
  refuses("a + nope", 4, "unknown symbol 'nope'");
  refuses("(a", 2, "expected ')'");
  refuses("max(a", 5, "expected ',' or ')'");
  refuses("a && a", 2,
          "expected an operator or the end of the expression, found '&&'; '&&' "
          "is written 'and'");
  refuses("Abs(a)", 0, "unknown symbol 'Abs'; did you mean 'abs'?");
  refuses("abs(a, b)", 0, "'abs' takes 1 argument");
  refuses("a ** b", 5, "the exponent must be a literal natural number");
  refuses("a ** -1", 5, "the exponent must be a literal natural number");
  refuses("p + 1", 0, "expected a number, found a boolean");
  refuses("a and p", 0, "expected a boolean, found a number");
  refuses("p < p", 2, "cannot compare these: one is a boolean");
  refuses("f mod 2", 0, "expected an integer, found a float");
  refuses("max(a, p)", 7, "expected a number, found a boolean");
  refuses("select(a, 1, 2)", 7, "expected a boolean, found a number");
  refuses("select(p, 1, p)", 0, "select between different types");
  refuses("a $ b", 2,
          "expected an operator or the end of the expression, found '$'");
  refuses("a << f", 5, "expected an integer, found a float");
  refuses("bitwise_and(a, f)", 15, "expected an integer, found a float");
  refuses("round(f, a)", 9,
          "the digits must be a literal between -1000 and 1000");
  refuses("round(f, 1, 2)", 0, "'round' takes 2 arguments");
  refuses("pow(a)", 0, "'pow' takes 2 arguments");
  refuses("log + 1", 0, "unknown symbol 'log'");
  std::string deep(1000, '(');
  refuses(deep.c_str(), 256, "the expression is nested too deeply");
  std::string minus = std::string(1000, '-') + "a";
  refuses(minus.c_str(), 256, "the expression is nested too deeply");
}

TEST_F(ParserTest, Prefixes) {
  EXPECT_EQ(split("a * b, c"), "a * b |, c");
  EXPECT_EQ(split("a <= 64>, \"message\""), "a <= 64 |>, \"message\"");
  EXPECT_EQ(split("a > b> (c = %0)"), "b < a |> (c = %0)");
  EXPECT_EQ(split("a %0"), "a | %0");
  EXPECT_EQ(split("a * 2 : [0, 3]"), "2 * a | : [0, 3]");
  EXPECT_EQ(split("a <= 3", /*allowComparison=*/false), "a | <= 3");
  EXPECT_EQ(split("a == nope>"), "unknown symbol 'nope'");
}

TEST_F(ParserTest, Names) {
  EXPECT_TRUE(isValidSymbolName("s0"));
  EXPECT_TRUE(isValidSymbolName("_x"));
  EXPECT_FALSE(isValidSymbolName(""));
  EXPECT_FALSE(isValidSymbolName("0s"));
  EXPECT_FALSE(isValidSymbolName("mod"));
  EXPECT_FALSE(isValidSymbolName("a.b"));
  ParseResult declared =
      parseExpr("fresh + 1", context, SymbolPolicy::DeclareInt);
  ASSERT_TRUE(static_cast<bool>(declared));
  EXPECT_TRUE(static_cast<bool>(context.lookup("fresh")));
  Expr anonymous = context.anonymous("t");
  EXPECT_TRUE(anonymous != context.anonymous("t"));
  EXPECT_FALSE(static_cast<bool>(context.lookup(anonymous.getName())));
}

// Functions that came after the keywords leave their names to symbols.
TEST_F(ParserTest, NamesOfFunctions) {
  EXPECT_TRUE(isValidSymbolName("log"));
  Expr log = context.symbol("log", SymbolType::Float);
  Expr both = parseExpr("log(log) + log", context).expr;
  ASSERT_TRUE(static_cast<bool>(both));
  EXPECT_EQ(both,
            context.add(context.floatFunction(FloatFunction::Log, log), log));
  EXPECT_EQ(both.str(), "log(log) + log");
}

// Without parsing, the same names as the parser asks for.
TEST_F(ParserTest, FindNames) {
  auto find = [](llvm::StringRef text) {
    return llvm::join(findSymbolNames(text), " ");
  };
  EXPECT_EQ(find("b + a * b <= 2e3 and not p"), "b a p");
  EXPECT_EQ(find("log(log) + log < inf"), "log");
  EXPECT_EQ(find("select(true, a, min(a, b) mod c) == nan"), "a b c");
  EXPECT_EQ(find("round (a) + round"), "a round");
  EXPECT_EQ(find("7"), "");
}

TEST_F(ParserTest, LongTexts) {
  std::string text = "0";
  for (unsigned i = 0; i != 5000; ++i)
    text += " + " + std::to_string(i % 7) + " * a";
  EXPECT_EQ(parseExpr(text, context).expr.str(), "14995 * a");
  std::string digits(3000, '9');
  EXPECT_EQ(parseExpr(digits, context).expr.str(), digits);
}

} // namespace
