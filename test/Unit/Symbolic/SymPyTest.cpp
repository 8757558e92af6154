//===- SymPyTest.cpp - Expressions of PyTorch and SymPy -------------------===//
//
// Texts as SymPy 1.14 and PyTorch 2.13 print them, in both notations.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/SymPy.h"

#include "gtest/gtest.h"

using namespace tally::symbolic;

namespace {

class SymPyTest : public ::testing::Test {
protected:
  Expr resolve(llvm::StringRef name, SymbolType) {
    if (name == "unknown")
      return Expr();
    return context.symbol(name, name.starts_with("zf") ? SymbolType::Float
                                                       : SymbolType::Int);
  }
  std::string read(llvm::StringRef text, bool isSrepr) {
    auto resolver = [&](llvm::StringRef name, SymbolType type) {
      return resolve(name, type);
    };
    ParseResult result = isSrepr ? parseSrepr(text, context, resolver)
                                 : parseSymPy(text, context, resolver);
    return result ? result.expr.str() : result.errorMessage;
  }
  std::string infix(llvm::StringRef text) { return read(text, false); }

  ExprContext context;
};

struct Case {
  const char *srepr, *infix, *expected;
};

// Each function that an archive may hold (torch/_export/serde/serialize.py).
// The infix of a CleanDiv is that of a FloorDiv.
TEST_F(SymPyTest, BothNotations) {
  for (const char *name : {"s0", "s1", "u0"})
    context.symbol(name);
  context.symbol("zf0", SymbolType::Float);
  const Case cases[] = {
      {R"(Mul(Integer(2), FloorDiv(Symbol('s0', positive=True, integer=True), Integer(2))))",
       R"(2*((s0//2)))", "2 * (s0 floordiv 2)"},
      {R"(Mod(Mul(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True)), Integer(8)))",
       R"(Mod(s0*s1, 8))", "(s0 * s1) mod 8"},
      {R"(Symbol('s0', positive=True, integer=True))", R"(s0)", "s0"},
      {R"(Equality(Mod(Mul(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True)), Add(Symbol('s0', positive=True, integer=True), Integer(-1))), Integer(0)))",
       R"(Eq(Mod(s0*s1, s0 - 1), 0))", "s0 * s1 mod (s0 - 1) == 0"},
      {R"(ModularIndexing(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True), Integer(7)))",
       R"(ModularIndexing(s0, s1, 7))", "s0 floordiv s1 mod 7"},
      {R"(Pow(Symbol('s0', positive=True, integer=True), Integer(2)))",
       R"(s0**2)", "s0 ** 2"},
      {R"(And(StrictLessThan(Symbol('s0', positive=True, integer=True), Integer(4)), Unequality(Symbol('s1', positive=True, integer=True), Integer(3))))",
       R"((s0 < 4) & Ne(s1, 3))", "s0 < 4 and s1 != 3"},
      {R"(Not(And(StrictGreaterThan(Symbol('s1', positive=True, integer=True), Integer(2)), StrictLessThan(Symbol('s0', positive=True, integer=True), Integer(4)))))",
       R"(~((s1 > 2) & (s0 < 4)))", "not (s1 > 2 and s0 < 4)"},
      {R"(PythonMod(Symbol('u0', integer=True), Integer(-3)))",
       R"(PythonMod(u0, -3))", "u0 mod -3"},
      {R"(CleanDiv(Symbol('s0', positive=True, integer=True), Integer(4)))",
       R"((s0//4))", "exact_div(s0, 4)"},
      {R"(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(3)), Integer(4)))",
       R"(((s0 + 3)//4))", "s0 ceildiv 4"},
      {R"(Mul(Integer(8), Symbol('s0', positive=True, integer=True)))",
       R"(8*s0)", "s0 << 3"},
      {R"(FloorDiv(Symbol('u0', integer=True), Integer(4)))", R"((u0//4))",
       "u0 >> 2"},
      {R"(Mul(Symbol('s0', positive=True, integer=True), PowByNatural(Integer(2), Symbol('s1', positive=True, integer=True))))",
       R"(s0*(PowByNatural(2, s1)))", "s0 << s1"},
      {R"(PowByNatural(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True)))",
       R"(PowByNatural(s0, s1))", "pow(s0, s1)"},
      {R"(FloatPow(Symbol('zf0', real=True), Float('0.5', precision=53)))",
       R"(FloatPow(zf0, 0.5))", "pow(zf0, 0.5)"},
      {R"(FloatTrueDiv(Symbol('zf0', real=True), Float('2.0', precision=53)))",
       R"(FloatTrueDiv(zf0, 2.0))", "zf0 / 2.0"},
      {R"(IntTrueDiv(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True)))",
       R"(IntTrueDiv(s0, s1))", "s0 / s1"},
      {R"(TruncToFloat(Symbol('zf0', real=True)))", R"(TruncToFloat(zf0))",
       "to_float(trunc(zf0))"},
      {R"(TruncToInt(Symbol('zf0', real=True)))", R"(TruncToInt(zf0))",
       "trunc(zf0)"},
      {R"(RoundToInt(Symbol('zf0', real=True)))", R"(RoundToInt(zf0))",
       "round(zf0)"},
      {R"(RoundDecimal(Symbol('zf0', real=True), Integer(2)))",
       R"(RoundDecimal(zf0, 2))", "round(zf0, 2)"},
      {R"(ToFloat(Symbol('s0', positive=True, integer=True)))",
       R"(ToFloat(s0))", "to_float(s0)"},
      {R"(Identity(Add(Symbol('s0', positive=True, integer=True), Integer(1))))",
       R"((s0 + 1))", "s0 + 1"},
      {R"(Piecewise(ExprCondPair(Symbol('s0', positive=True, integer=True), StrictLessThan(Symbol('s0', positive=True, integer=True), Integer(4))), ExprCondPair(Symbol('s1', positive=True, integer=True), true)))",
       R"(Piecewise((s0, s0 < 4), (s1, True)))", "select(s0 < 4, s0, s1)"},
      {R"(Where(StrictLessThan(Symbol('s0', positive=True, integer=True), Integer(4)), Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True)))",
       R"(Where(s0 < 4, s0, s1))", "select(s0 < 4, s0, s1)"},
      {R"(Abs(Symbol('u0', integer=True)))", R"(Abs(u0))", "abs(u0)"},
      {R"(FloorToInt(Symbol('zf0', real=True)))", R"(FloorToInt(zf0))",
       "floor(zf0)"},
      {R"(CeilToInt(Symbol('zf0', real=True)))", R"(CeilToInt(zf0))",
       "ceil(zf0)"},
      {R"(OpaqueUnaryFn_sqrt(ToFloat(Symbol('s0', positive=True, integer=True))))",
       R"(OpaqueUnaryFn_sqrt(ToFloat(s0)))", "sqrt(s0)"},
      {R"(OpaqueUnaryFn_log2(Symbol('zf0', real=True)))",
       R"(OpaqueUnaryFn_log2(zf0))", "log2(zf0)"},
      {R"(OpaqueUnaryFn_asinh(Symbol('zf0', real=True)))",
       R"(OpaqueUnaryFn_asinh(zf0))", "asinh(zf0)"},
      {R"(BitwiseFn_bitwise_and(Symbol('u0', integer=True), Symbol('s0', positive=True, integer=True)))",
       R"(BitwiseFn_bitwise_and(u0, s0))", "bitwise_and(u0, s0)"},
      {R"(BitwiseFn_bitwise_xor(Symbol('u0', integer=True), Integer(6)))",
       R"(BitwiseFn_bitwise_xor(u0, 6))", "bitwise_xor(u0, 6)"},
      {R"(Add(Mul(Rational(1, 2), Symbol('s0', positive=True, integer=True)), Mul(Rational(1, 2), Symbol('s1', positive=True, integer=True))))",
       R"(s0/2 + s1/2)", "exact_div(s0 + s1, 2)"},
      {R"(Add(Mul(Integer(-1), Symbol('s0', positive=True, integer=True)), Mul(Integer(-1), Integer(3), Symbol('s1', positive=True, integer=True), Symbol('u0', integer=True)), Integer(5)))",
       R"(-s0 - 3*s1*u0 + 5)", "5 - s0 - 3 * s1 * u0"},
      {R"(Mul(Symbol('s0', positive=True, integer=True), Add(Symbol('s1', positive=True, integer=True), Integer(-1))))",
       R"(s0*(s1 - 1))", "s0 * (s1 - 1)"},
      {R"(floor(Symbol('zf0', real=True)))", R"(floor(zf0))", "floor(zf0)"},
      {R"(ceiling(Symbol('zf0', real=True)))", R"(ceiling(zf0))", "ceil(zf0)"},
  };
  for (const Case &each : cases) {
    std::string expected = parseExpr(each.expected, context).expr.str();
    EXPECT_EQ(read(each.srepr, true), expected) << each.srepr;
    if (!llvm::StringRef(each.srepr).starts_with("CleanDiv"))
      EXPECT_EQ(read(each.infix, false), expected) << each.infix;
  }
}

// What is written reads back to the same.
TEST_F(SymPyTest, WrittenAndReadBack) {
  for (const char *text :
       {"2*(s0//2)", "Max(1, s0) - Min(s0, u0)", "Eq(Mod(s0*s1, s0 - 1), 0)",
        "Ne(s0, 3) | (s1 <= 4)", "Abs(u0)**3", "FloatPow(zf0, 0.5) < 1e+22",
        "Piecewise((s0, s0 < 4), (s1, True))", "RoundDecimal(zf0, -2)",
        "IntTrueDiv(s0, s1) + OpaqueUnaryFn_exp(zf0)", "Max(zf0, 2.5)",
        "CeilToInt(zf0) + RoundToInt(zf0) - FloorToInt(zf0)",
        "BitwiseFn_bitwise_or(s0, 6)", "PowByNatural(s0, s1)",
        "CleanDiv(s0*s1, s0 + 1)", "zf0 < oo", "Not(zf0 <= 1.5)"}) {
    std::string first = infix(text);
    Expr expr =
        parseSymPy(text, context, [&](llvm::StringRef name, SymbolType type) {
          return resolve(name, type);
        }).expr;
    ASSERT_TRUE(static_cast<bool>(expr)) << first;
    std::optional<std::string> written = printSymPy(expr);
    ASSERT_TRUE(written.has_value()) << text;
    EXPECT_EQ(infix(*written), first) << *written;
  }
  Expr s0 = context.symbol("s0");
  EXPECT_FALSE(
      printSymPy(context.floorDiv(
                     context.residue(context.toInt(context.sqrt(s0))), s0))
          .has_value());
}

TEST_F(SymPyTest, GuardsInPython) {
  EXPECT_EQ(infix("L['x'].size()[0] == 2*L['xs'][0]['b'].size()[1]"),
            "L['x'].size()[0] == 2 * L['xs'][0]['b'].size()[1]");
  context.symbol("s0");
  context.symbol("s1");
  for (const char *text :
       {"2 <= s0 and not s0 % 8 == 0 or s0 // 2 >= 5", "-s0**2 + 2**3",
        "s0 < s1 <= 5", "2*s0 // 3 * s1 % 5", "-s0 // 2", "10**30"})
    EXPECT_EQ(infix(text), parseExpr(text, context).expr.str());
}

TEST_F(SymPyTest, Refusals) {
  for (const char *text : {"", "s0 +", "(s0", "s0)", "s0 s1", "Max(s0,", "*"})
    EXPECT_EQ(infix(text), std::string("malformed expression: ") + text);
  EXPECT_EQ(infix("unknown + 1"),
            "expression unknown + 1 is not supported: the symbol 'unknown' is "
            "used before it is known");
  EXPECT_EQ(infix("Foo(s0)"),
            "expression Foo(s0) is not supported: the function Foo");
  EXPECT_EQ(infix("(s0 < 4) + 1"), "expression (s0 < 4) + 1 is not supported: "
                                   "the function Add of booleans");
  EXPECT_EQ(infix("Mod(zf0, 2)"), "expression Mod(zf0, 2) is not supported: "
                                  "the function Mod of floats");
  EXPECT_EQ(infix(std::string(5000, '(')),
            "malformed expression: " + std::string(5000, '('));
}

// What no version of PyTorch has written so far.
TEST_F(SymPyTest, RefusalsOfSrepr) {
  auto refusal = [&](std::string text) {
    std::string prefix = "expression " + text + " is not supported: ";
    std::string message = read(text, /*isSrepr=*/true);
    return message.find(prefix) == 0 ? message.substr(prefix.size()) : message;
  };
  const std::string s0 = "Symbol('s0', integer=True)";
  EXPECT_EQ(refusal("Symbol(s0)"), "a symbol without a name");
  EXPECT_EQ(refusal("Integer(x)"), "a malformed integer");
  EXPECT_EQ(refusal("Float('x')"), "a malformed float");
  EXPECT_EQ(refusal("Mul(Rational(1, x), " + s0 + ")"), "a malformed fraction");
  EXPECT_EQ(refusal("Mul(true, " + s0 + ")"), "a product of booleans");
  EXPECT_EQ(refusal("Pow(" + s0 + ")"), "a malformed power");
  EXPECT_EQ(refusal("Pow(true, Integer(2))"), "a power of a boolean");
  EXPECT_EQ(refusal("Piecewise(Integer(1))"), "a malformed Piecewise");
  EXPECT_EQ(refusal("Piecewise(Tuple(Integer(1)))"), "a malformed Piecewise");
  EXPECT_EQ(refusal("Piecewise(Tuple(Integer(1), Lt(" + s0 + ", Integer(2))))"),
            "a Piecewise without a last case");
  EXPECT_EQ(refusal("Piecewise()"), "an empty Piecewise");
  EXPECT_EQ(refusal("Piecewise(Tuple(true, Lt(" + s0 +
                    ", Integer(2))), Tuple(Integer(1), true))"),
            "a choice between a boolean and a number");
  EXPECT_EQ(refusal("FloorToInt(IntTrueDiv(true, Integer(2)))"),
            "a quotient of what are no integers");
  EXPECT_EQ(refusal("FloorToInt(true)"), "the rounding of a boolean");
  EXPECT_EQ(refusal("BitwiseFn_bitwise_and(Float('1.5'), Integer(2))"),
            "bits of a float");
  EXPECT_EQ(refusal("Equality(true, Integer(2))"),
            "a comparison of a boolean with a number");
  EXPECT_EQ(refusal("RoundDecimal(Float('1.5'), " + s0 + ")"),
            "a rounding to unknown digits");
  EXPECT_EQ(refusal("Not(Integer(2))"), "the negation of a number");
}

// Nested without brackets, and nested more deeply than the brackets are.
TEST_F(SymPyTest, TooDeep) {
  std::string chain = "s0", deep = "s0";
  for (int i = 0; i != 100000; ++i)
    chain += "//2";
  EXPECT_EQ(infix(chain), "malformed expression: " + chain);
  for (int i = 0; i != 200; ++i)
    deep = "s0 < 1 or s0 < 2 and s0 < 3 + s1*(" + deep + ")";
  EXPECT_EQ(infix(deep),
            "expression " + deep + " is not supported: it is nested too deep");
}

// PyTorch's own rule, for literals.
TEST_F(SymPyTest, DenseIndicator) {
  auto indicator = [&](const char *arguments) {
    return infix(std::string("IsNonOverlappingAndDenseIndicator(") + arguments +
                 ")");
  };
  EXPECT_EQ(indicator("2, 3, 3, 1"), "1");
  EXPECT_EQ(indicator("2, 3, 1, 2"), "1");
  EXPECT_EQ(indicator("2, 3, 4, 1"), "0");
  EXPECT_EQ(indicator("2, 3, 1, 1"), "0");
  EXPECT_EQ(indicator("1, 3, 77, 1"), "1");
  EXPECT_EQ(indicator("4, 1, 5, 5, 9, 1"), "1");
  EXPECT_EQ(indicator("0, 5"), "1");
  EXPECT_EQ(indicator("2, 5"), "0");
}

} // namespace
