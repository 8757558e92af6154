//===- SymPy.cpp - Expressions of PyTorch and SymPy -----------------------===//
//
// Gives the functions of SymPy and PyTorch their meaning.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/SymPy.h"

#include "SymPyCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Turns calls into expressions.
class Converter {
public:
  Converter(ExprContext &context, SymPyResolver resolve)
      : context(context), resolve(resolve) {}

  Expr convert(const SymPyCall &term);
  std::string takeMessage() { return std::move(message); }

private:
  Expr fail(const Twine &text) {
    if (message.empty())
      message = text.str();
    return Expr();
  }

  Expr convertLeaf(const SymPyCall &term, bool &isLeaf);
  Expr convertSymbol(const SymPyCall &term);
  Expr convertProduct(const SymPyCall &term);
  Expr convertSum(const SymPyCall &term);
  Expr convertPower(const SymPyCall &term);
  Expr convertPiecewise(const SymPyCall &term);
  Expr convertTerm(const SymPyCall &term);
  Expr convertRounded(const SymPyCall &term, RoundingMode mode);
  Expr roundQuotient(RoundingMode mode, Expr a, Expr b);
  Expr makeDenseIndicator(ArrayRef<Expr> args);
  Expr choose(Expr condition, Expr a, Expr b);
  Expr applyOne(StringRef head, Expr a);
  Expr applyIntegers(StringRef head, Expr a, Expr b);
  Expr apply(StringRef head, ArrayRef<Expr> args);
  Expr applyPair(StringRef head, Expr a, Expr b);

  ExprContext &context;
  SymPyResolver resolve;
  std::string message;
  unsigned depth = 0;
};

} // namespace

static bool areNumbers(ArrayRef<Expr> exprs) {
  return llvm::none_of(exprs, [](Expr expr) { return expr.isBool(); });
}

static std::optional<DynamicAPInt> parseInteger(StringRef digits) {
  bool isNegative = digits.consume_front("-");
  constexpr size_t maxDigits = 10000;
  if (digits.empty() || digits.size() > maxDigits ||
      !llvm::all_of(digits, llvm::isDigit))
    return std::nullopt;
  unsigned bits = llvm::APInt::getSufficientBitsNeeded(digits, 10) + 1;
  DynamicAPInt value(llvm::APInt(bits, digits, 10));
  return isNegative ? -value : value;
}

/// Returns true for Pow(x, Integer(-1)).
static bool isMinusOne(const SymPyCall &term) {
  return term.is("Pow", 2) && term.args[1].is("Integer", 1) &&
         term.args[1].args[0].head == "-1";
}

Expr Converter::convertSymbol(const SymPyCall &term) {
  if (term.args.size() != 1 || !term.args[0].isString)
    return fail("a symbol without a name");
  bool isInteger =
      llvm::any_of(term.keywords, [](std::pair<StringRef, StringRef> keyword) {
        return keyword.first == "integer" && keyword.second == "True";
      });
  StringRef name = term.args[0].head;
  // Indices of unbacked floats aside, PyTorch marks every integer.
  SymbolType type = isInteger ? SymbolType::Int : SymbolType::Float;
  if (Expr expr = resolve(name, type))
    return expr;
  return fail("the symbol '" + name + "' is used before it is known");
}

Expr Converter::convertLeaf(const SymPyCall &term, bool &isLeaf) {
  isLeaf = true;
  if (term.head == "Symbol")
    return convertSymbol(term);
  if (term.is("Integer", 1)) {
    std::optional<DynamicAPInt> value = parseInteger(term.args[0].head);
    return value ? context.constant(*value) : fail("a malformed integer");
  }
  if (term.head == "Float" && !term.args.empty()) {
    double value;
    if (term.args[0].head.getAsDouble(value))
      return fail("a malformed float");
    return context.floatConstant(value);
  }
  if (term.head == "true" || term.head == "false")
    return context.boolean(term.head == "true");
  isLeaf = false;
  return Expr();
}

/// Products and powers carry fractions: `Mul(Rational(1, 2), x)` is x / 2 and
/// `Mul(x, Pow(y, Integer(-1)))` is x / y, both without a rest.
Expr Converter::convertProduct(const SymPyCall &term) {
  SmallVector<Expr> above, below;
  for (const SymPyCall &factor : term.args) {
    bool isFraction = factor.head == "Rational" && factor.args.size() == 2;
    bool isReciprocal = isMinusOne(factor);
    if (isFraction) {
      std::optional<DynamicAPInt> top = parseInteger(factor.args[0].head),
                                  bottom = parseInteger(factor.args[1].head);
      if (!top || !bottom)
        return fail("a malformed fraction");
      above.push_back(context.constant(*top));
      below.push_back(context.constant(*bottom));
      continue;
    }
    Expr value = convert(isReciprocal ? factor.args[0] : factor);
    if (!value)
      return Expr();
    (isReciprocal ? below : above).push_back(value);
  }
  if (!areNumbers(above) || !areNumbers(below))
    return fail("a product of booleans");
  Expr product = above.empty() ? context.one() : above[0];
  for (Expr factor : llvm::drop_begin(above))
    product = context.mul(product, factor);
  if (below.empty())
    return product;
  if (product.isFloat())
    return context.trueDiv(product, context.product(below));
  return context.exactDiv(product, context.product(below));
}

/// A sum of fractions is an integer where no term needs to be.
Expr Converter::convertSum(const SymPyCall &term) {
  SmallVector<Expr> terms;
  DynamicAPInt denominator(1);
  auto isFraction = [](const SymPyCall &call, Expr value) {
    return call.head == "Mul" && value.getKind() == ExprKind::ExactDiv &&
           value.getOperand(1).isConstant();
  };
  for (const SymPyCall &call : term.args) {
    terms.push_back(convert(call));
    if (!terms.back())
      return Expr();
    if (isFraction(call, terms.back()))
      denominator =
          lcm(denominator, abs(terms.back().getOperand(1).getConstant()));
  }
  if (denominator == 1 ||
      !llvm::all_of(terms, [](Expr e) { return e.isInt(); }))
    return apply("Add", terms);
  for (auto [call, value] : llvm::zip_equal(term.args, terms)) {
    if (!isFraction(call, value)) {
      value = context.scale(denominator, value);
      continue;
    }
    const DynamicAPInt &divisor = value.getOperand(1).getConstant();
    value = context.scale(denominator / divisor, value.getOperand(0));
  }
  return context.exactDiv(context.sum(terms), context.constant(denominator));
}

Expr Converter::convertPower(const SymPyCall &term) {
  if (term.args.size() != 2)
    return fail("a malformed power");
  if (isMinusOne(term))
    return convertProduct(SymPyCall::of("Mul", term));
  Expr base = convert(term.args[0]);
  bool isRoot = term.args[1].is("Rational", 2) &&
                term.args[1].args[0].head == "1" &&
                term.args[1].args[1].head == "2";
  if (isRoot && base && !base.isBool())
    return context.sqrt(base);
  Expr exponent = base ? convert(term.args[1]) : Expr();
  if (!exponent)
    return Expr();
  if (!areNumbers({base, exponent}))
    return fail("a power of a boolean");
  // A negative power of SymPy is a fraction.
  if (base.isInt() && exponent.isConstant() && exponent.getConstant() < 0)
    return context.exactDiv(context.one(),
                            context.pow(base, context.neg(exponent)));
  if (term.head == "FloatPow")
    return context.pow(context.toFloat(base), exponent);
  return context.pow(base, exponent);
}

Expr Converter::convertPiecewise(const SymPyCall &term) {
  Expr result;
  for (const SymPyCall &piece : llvm::reverse(term.args)) {
    if (piece.head != "ExprCondPair" && piece.head != "Tuple")
      return fail("a malformed Piecewise");
    if (piece.args.size() != 2)
      return fail("a malformed Piecewise");
    Expr value = convert(piece.args[0]);
    Expr condition = convert(piece.args[1]);
    if (!value || !condition)
      return Expr();
    if (condition.isTrue())
      result = value;
    else if (result && condition.isBool())
      result = choose(condition, value, result);
    else
      return fail("a Piecewise without a last case");
  }
  return result ? result : fail("an empty Piecewise");
}

/// Roundings of a quotient of integers are integer divisions.
Expr Converter::roundQuotient(RoundingMode mode, Expr a, Expr b) {
  Expr floor = context.floorDiv(a, b), ceil = context.ceilDiv(a, b);
  if (mode == RoundingMode::Down)
    return floor;
  if (mode == RoundingMode::Up)
    return ceil;
  // The sign of the quotient is that of the product.
  return context.select(context.ge(context.mul(a, b), context.zero()), floor,
                        ceil);
}

/// How a function of SymPy or PyTorch rounds; nothing for others.
static std::optional<RoundingMode> getMode(StringRef head) {
  return llvm::StringSwitch<std::optional<RoundingMode>>(head)
      .Cases({"TruncToInt", "TruncToFloat", "trunc"}, RoundingMode::TowardZero)
      .Cases({"FloorToInt", "floor"}, RoundingMode::Down)
      .Cases({"CeilToInt", "ceiling", "ceil"}, RoundingMode::Up)
      .Cases({"RoundToInt", "round"}, RoundingMode::NearestEven)
      .Default(std::nullopt);
}

Expr Converter::convertRounded(const SymPyCall &term, RoundingMode mode) {
  const SymPyCall &arg = term.args[0];
  if (arg.is("IntTrueDiv", 2) && term.head != "TruncToFloat" &&
      mode != RoundingMode::NearestEven) {
    Expr a = convert(arg.args[0]);
    Expr b = convert(arg.args[1]);
    if (!a || !b)
      return Expr();
    if (a.isInt() && b.isInt())
      return roundQuotient(mode, a, b);
    return fail("a quotient of what are no integers");
  }
  Expr value = convert(arg);
  if (!value)
    return value;
  if (value.isBool())
    return fail("the rounding of a boolean");
  Expr rounded = context.toInt(value, mode);
  return term.head == "TruncToFloat" ? context.toFloat(rounded) : rounded;
}

/// Functions of two integers.
Expr Converter::applyIntegers(StringRef head, Expr a, Expr b) {
  if (head == "FloorDiv")
    return context.floorDiv(a, b);
  if (head == "CleanDiv")
    return context.exactDiv(a, b);
  if (head == "CeilDiv")
    return context.ceilDiv(a, b);
  if (head == "Mod" || head == "PythonMod")
    return context.mod(a, b);
  if (head == "LShift")
    return context.shiftLeft(a, b);
  if (head == "RShift")
    return context.shiftRight(a, b);
  return fail("the function " + head);
}

Expr Converter::applyPair(StringRef head, Expr a, Expr b) {
  StringRef bits = head;
  if (bits.consume_front("BitwiseFn_"))
    if (std::optional<BitwiseOp> op = getBitwiseOp(bits))
      return a.isFloat() || b.isFloat() ? fail("bits of a float")
                                        : context.bitwise(*op, a, b);
  bool isEq = head == "Equality" || head == "Eq";
  if (isEq || head == "Unequality" || head == "Ne") {
    if (a.isBool() != b.isBool())
      return fail("a comparison of a boolean with a number");
    return isEq ? context.eq(a, b) : context.ne(a, b);
  }
  if (a.isBool() || b.isBool())
    return fail("the function " + head + " of booleans");
  if (head == "StrictLessThan" || head == "Lt")
    return context.lt(a, b);
  if (head == "LessThan" || head == "Le")
    return context.le(a, b);
  if (head == "StrictGreaterThan" || head == "Gt")
    return context.gt(a, b);
  if (head == "GreaterThan" || head == "Ge")
    return context.ge(a, b);
  if (head == "IntTrueDiv")
    return context.trueDiv(a, b);
  if (head == "FloatTrueDiv")
    return context.trueDiv(context.toFloat(a), context.toFloat(b));
  if (head == "RoundDecimal" || head == "round") {
    std::optional<int64_t> digits = b.isInt() ? b.getInt64() : std::nullopt;
    if (!digits || *digits < -1000 || *digits > 1000)
      return fail("a rounding to unknown digits");
    return context.roundDecimal(head == "round" ? a : context.toFloat(a),
                                static_cast<int>(*digits));
  }
  if (!a.isInt() || !b.isInt())
    return fail("the function " + head + " of floats");
  return applyIntegers(head, a, b);
}

Expr Converter::applyOne(StringRef head, Expr a) {
  if (head == "Identity")
    return a;
  if (head == "Not")
    return a.isBool() ? context.logicalNot(a)
                      : fail("the negation of a number");
  if (a.isBool())
    return fail("the function " + head + " of a boolean");
  if (head == "Abs")
    return context.abs(a);
  if (head == "ToFloat" || head == "float")
    return context.toFloat(a);
  StringRef name = head;
  name.consume_front("OpaqueUnaryFn_");
  if (std::optional<FloatFunction> function = getFloatFunction(name))
    return context.floatFunction(*function, a);
  return fail("the function " + head);
}

/// 1 where the dimensions, ordered by their strides, lie without gaps. A
/// dimension of size 1 counts for nothing, and each other one has the product
/// of the sizes before it as its stride. As PyTorch, equal strides keep their
/// order, and a lone dimension may also be empty.
Expr Converter::makeDenseIndicator(ArrayRef<Expr> args) {
  size_t rank = args.size() / 2;
  ArrayRef<Expr> sizes = args.take_front(rank), strides = args.drop_front(rank);
  Expr one = context.one();
  SmallVector<Expr> conditions;
  for (size_t i = 0; i != rank; ++i) {
    SmallVector<Expr> before;
    for (size_t j = 0; j != rank; ++j) {
      if (i == j)
        continue;
      Expr comes = j < i ? context.le(strides[j], strides[i])
                         : context.lt(strides[j], strides[i]);
      before.push_back(context.select(comes, sizes[j], one));
    }
    Expr isUnit =
        rank == 1 ? context.le(sizes[i], one) : context.eq(sizes[i], one);
    conditions.push_back(context.logicalOr(
        isUnit, context.eq(strides[i], context.product(before))));
  }
  return context.select(context.logicalAnd(conditions), one, context.zero());
}

/// A choice; an integer beside a float is converted.
Expr Converter::choose(Expr condition, Expr a, Expr b) {
  if (a.getType() == b.getType())
    return context.select(condition, a, b);
  if (a.isBool() || b.isBool())
    return fail("a choice between a boolean and a number");
  return context.select(condition, context.toFloat(a), context.toFloat(b));
}

Expr Converter::apply(StringRef head, ArrayRef<Expr> args) {
  bool isLogical = head == "And" || head == "Or";
  if (isLogical) {
    if (!llvm::all_of(args, [](Expr arg) { return arg.isBool(); }))
      return fail("the function " + head + " of numbers");
    return head == "And" ? context.logicalAnd(args) : context.logicalOr(args);
  }
  bool isExtremum =
      head == "Max" || head == "Min" || head == "max" || head == "min";
  if (head == "Add" || (isExtremum && !args.empty())) {
    if (!areNumbers(args))
      return fail("the function " + head + " of booleans");
    if (isExtremum)
      return head.lower() == "max" ? context.max(args) : context.min(args);
    return context.sum(args);
  }
  if (args.size() == 1)
    return applyOne(head, args[0]);
  if (args.size() == 3 && head == "Where" && args[0].isBool())
    return choose(args[0], args[1], args[2]);
  bool areInts = llvm::all_of(args, [](Expr arg) { return arg.isInt(); });
  if (args.size() == 3 && head == "ModularIndexing" && areInts)
    return context.mod(context.floorDiv(args[0], args[1]), args[2]);
  if (head == "IsNonOverlappingAndDenseIndicator" && areInts &&
      args.size() >= 2 && args.size() % 2 == 0)
    return makeDenseIndicator(args);
  if (args.size() == 2)
    return applyPair(head, args[0], args[1]);
  return fail("the function " + head);
}

Expr Converter::convert(const SymPyCall &term) {
  if (++depth > kMaxSymPyNesting)
    return fail("it is nested too deep");
  Expr result = convertTerm(term);
  --depth;
  return result;
}

Expr Converter::convertTerm(const SymPyCall &term) {
  bool isLeaf;
  Expr leaf = convertLeaf(term, isLeaf);
  if (isLeaf)
    return leaf;
  if (term.head == "Mul")
    return convertProduct(term);
  if (term.head == "Add")
    return convertSum(term);
  if (term.head == "Pow" || term.head == "PowByNatural" ||
      term.head == "FloatPow")
    return convertPower(term);
  if (term.head == "Piecewise")
    return convertPiecewise(term);
  std::optional<RoundingMode> mode = getMode(term.head);
  if (mode && term.args.size() == 1)
    return convertRounded(term, *mode);
  SmallVector<Expr> args;
  for (const SymPyCall &argument : term.args) {
    Expr value = convert(argument);
    if (!value)
      return Expr();
    args.push_back(value);
  }
  return apply(term.head, args);
}

static ParseResult convertCall(const SymPyCall &call, StringRef text,
                               ExprContext &context, SymPyResolver resolve) {
  Converter converter(context, resolve);
  ParseResult result;
  result.expr = converter.convert(call);
  if (!result.expr)
    result.errorMessage =
        ("expression " + text + " is not supported: " + converter.takeMessage())
            .str();
  return result;
}

static ParseResult refuseText(StringRef text) {
  ParseResult result;
  result.errorMessage = ("malformed expression: " + text).str();
  return result;
}

ParseResult tally::symbolic::parseSrepr(StringRef text, ExprContext &context,
                                        SymPyResolver resolve) {
  SymPyCall call;
  return parseSreprCalls(text, call) ? convertCall(call, text, context, resolve)
                                     : refuseText(text);
}

ParseResult tally::symbolic::parseSymPy(StringRef text, ExprContext &context,
                                        SymPyResolver resolve) {
  SymPyCall call;
  return parseInfixCalls(text, call) ? convertCall(call, text, context, resolve)
                                     : refuseText(text);
}

std::optional<StringRef> tally::symbolic::getLoneSymbol(StringRef srepr) {
  SymPyCall call;
  if (!parseSreprCalls(srepr, call) || !call.is("Symbol", 1))
    return std::nullopt;
  return call.args[0].head;
}

std::optional<StringRef> tally::symbolic::getBooleanSymbol(StringRef srepr) {
  SymPyCall call;
  if (!parseSreprCalls(srepr, call) || !call.is("Equality", 2) ||
      !call.args[0].is("Symbol", 1) || call.args[1].head != "Integer")
    return std::nullopt;
  return call.args[0].args[0].head;
}
