//===- Symbols.cpp - Symbolic numbers of exported programs ----------------===//
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace tally::symbolic;

namespace tally::import_pt2 {

namespace {

/// `name(arguments, key=value)`, a bare name, a quoted string or a number.
struct Call {
  StringRef head;
  bool isString = false;
  std::vector<Call> args;
  SmallVector<std::pair<StringRef, StringRef>, 2> keywords;
};

/// Splits the text into calls.
class CallParser {
public:
  explicit CallParser(StringRef text) : rest(text) {}

  bool parse(Call &term) { return parseCall(term, 0) && rest.ltrim().empty(); }

private:
  bool consume(char c) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&c, 1));
  }

  bool parseCall(Call &term, unsigned depth) {
    if (depth > 500)
      return false;
    rest = rest.ltrim();
    if (consume('\'')) {
      size_t end = rest.find('\'');
      if (end == StringRef::npos)
        return false;
      term.head = rest.take_front(end);
      term.isString = true;
      rest = rest.drop_front(end + 1);
      return true;
    }
    term.head = rest.take_while([](char c) {
      return isAlnum(c) || c == '_' || c == '.' || c == '-' || c == '+';
    });
    rest = rest.drop_front(term.head.size());
    if (term.head.empty())
      return false;
    return !consume('(') || parseArguments(term, depth);
  }

  bool parseArguments(Call &term, unsigned depth) {
    if (consume(')'))
      return true;
    do {
      Call argument;
      if (!parseCall(argument, depth + 1))
        return false;
      if (!consume('=')) {
        term.args.push_back(std::move(argument));
        continue;
      }
      Call value;
      if (!parseCall(value, depth + 1))
        return false;
      term.keywords.push_back({argument.head, value.head});
    } while (consume(','));
    return consume(')');
  }

  StringRef rest;
};

/// Turns calls into expressions.
class Converter {
public:
  Converter(ExprContext &context, SymbolResolver resolve)
      : context(context), resolve(resolve) {}

  Expr convert(const Call &term);
  std::string takeMessage() { return std::move(message); }

private:
  using Handler = Expr (Converter::*)(ArrayRef<Expr>);

  Expr fail(const Twine &text) {
    if (message.empty())
      message = text.str();
    return Expr();
  }

  Expr convertLeaf(const Call &term, bool &isLeaf);
  Expr convertSymbol(const Call &term);
  Expr convertProduct(const Call &term);
  Expr convertPower(const Call &term);
  Expr convertPiecewise(const Call &term);
  Expr convertRounded(const Call &term);
  Expr apply(StringRef head, ArrayRef<Expr> args);
  Expr applyPair(StringRef head, Expr a, Expr b);

  ExprContext &context;
  SymbolResolver resolve;
  std::string message;
};

} // namespace

Expr Converter::convertSymbol(const Call &term) {
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

Expr Converter::convertLeaf(const Call &term, bool &isLeaf) {
  isLeaf = true;
  if (term.head == "Symbol")
    return convertSymbol(term);
  if (term.head == "Integer" && term.args.size() == 1) {
    int64_t value;
    if (term.args[0].head.getAsInteger(10, value))
      return fail("an integer of more than 64 bits");
    return context.constant(value);
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
Expr Converter::convertProduct(const Call &term) {
  SmallVector<Expr> above, below;
  for (const Call &factor : term.args) {
    bool isFraction = factor.head == "Rational" && factor.args.size() == 2;
    bool isReciprocal = factor.head == "Pow" && factor.args.size() == 2 &&
                        factor.args[1].head == "Integer" &&
                        factor.args[1].args.size() == 1 &&
                        factor.args[1].args[0].head == "-1";
    int64_t numerator = 1, denominator = 1;
    if (isFraction) {
      if (factor.args[0].head.getAsInteger(10, numerator) ||
          factor.args[1].head.getAsInteger(10, denominator))
        return fail("a malformed fraction");
      above.push_back(context.constant(numerator));
      below.push_back(context.constant(denominator));
      continue;
    }
    Expr value = convert(isReciprocal ? factor.args[0] : factor);
    if (!value)
      return Expr();
    (isReciprocal ? below : above).push_back(value);
  }
  Expr product = above.empty() ? context.one() : above[0];
  for (Expr factor : drop_begin(above))
    product = context.mul(product, factor);
  if (below.empty())
    return product;
  if (product.isFloat())
    return context.trueDiv(product, context.product(below));
  return context.exactDiv(product, context.product(below));
}

Expr Converter::convertPower(const Call &term) {
  if (term.args.size() != 2)
    return fail("a malformed power");
  Expr base = convert(term.args[0]);
  Expr exponent = convert(term.args[1]);
  if (!base || !exponent)
    return Expr();
  std::optional<int64_t> value =
      exponent.isConstant() ? exponent.getInt64() : std::nullopt;
  if (!value || *value < 0 || *value > 64 || !base.isInt())
    return fail("a power whose exponent is not a small natural number");
  return context.pow(base, unsigned(*value));
}

Expr Converter::convertPiecewise(const Call &term) {
  Expr result;
  for (const Call &piece : reverse(term.args)) {
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
    else if (result)
      result = context.select(condition, value, result);
    else
      return fail("a Piecewise without a last case");
  }
  return result ? result : fail("an empty Piecewise");
}

/// Roundings of an exact quotient are integer divisions; floats in between
/// would lose digits that Python keeps.
Expr Converter::convertRounded(const Call &term) {
  if (term.args.size() != 1)
    return fail("a malformed rounding");
  const Call &arg = term.args[0];
  if (arg.head == "IntTrueDiv" && arg.args.size() == 2) {
    Expr a = convert(arg.args[0]);
    Expr b = convert(arg.args[1]);
    if (!a || !b)
      return Expr();
    Expr floor = context.floorDiv(a, b);
    if (term.head == "FloorToInt" || term.head == "floor")
      return floor;
    Expr ceil = context.ceilDiv(a, b);
    if (term.head == "CeilToInt" || term.head == "ceiling")
      return ceil;
    // The sign of the quotient is that of the product.
    return context.select(context.ge(context.mul(a, b), context.zero()), floor,
                          ceil);
  }
  Expr value = convert(arg);
  if (!value || value.isInt())
    return value;
  if (term.head == "TruncToInt")
    return context.toInt(value);
  return fail("the rounding " + term.head + " of a float");
}

Expr Converter::applyPair(StringRef head, Expr a, Expr b) {
  if (head == "FloorDiv")
    return context.floorDiv(a, b);
  if (head == "CleanDiv")
    return context.exactDiv(a, b);
  if (head == "CeilDiv")
    return context.ceilDiv(a, b);
  if (head == "Mod" || head == "PythonMod")
    return context.mod(a, b);
  if (head == "IntTrueDiv" || head == "FloatTrueDiv")
    return context.trueDiv(a, b);
  if (head == "Equality" || head == "Eq")
    return context.eq(a, b);
  if (head == "Unequality" || head == "Ne")
    return context.ne(a, b);
  if (head == "StrictLessThan" || head == "Lt")
    return context.lt(a, b);
  if (head == "LessThan" || head == "Le")
    return context.le(a, b);
  if (head == "StrictGreaterThan" || head == "Gt")
    return context.gt(a, b);
  if (head == "GreaterThan" || head == "Ge")
    return context.ge(a, b);
  if (head == "LShift" || head == "RShift") {
    std::optional<int64_t> shift = b.isConstant() ? b.getInt64() : std::nullopt;
    if (!shift || *shift < 0 || *shift > 62)
      return fail("a shift by an unknown number");
    Expr power = context.constant(int64_t(1) << *shift);
    return head == "LShift" ? context.mul(a, power)
                            : context.floorDiv(a, power);
  }
  return fail("the function " + head);
}

Expr Converter::apply(StringRef head, ArrayRef<Expr> args) {
  if (head == "Add") {
    Expr sum = args.empty() ? context.zero() : args[0];
    for (Expr arg : args.drop_front(args.empty() ? 0 : 1))
      sum = context.add(sum, arg);
    return sum;
  }
  if (head == "Max" && !args.empty())
    return context.max(args);
  if (head == "Min" && !args.empty())
    return context.min(args);
  if (head == "And")
    return context.logicalAnd(args);
  if (head == "Or")
    return context.logicalOr(args);
  if (args.size() == 1) {
    if (head == "Not")
      return context.logicalNot(args[0]);
    if (head == "Abs")
      return context.abs(args[0]);
    if (head == "ToFloat")
      return context.toFloat(args[0]);
    if (head == "Identity")
      return args[0];
    if (head == "OpaqueUnaryFn_sqrt")
      return context.sqrt(args[0]);
  }
  if (args.size() == 2)
    return applyPair(head, args[0], args[1]);
  if (args.size() == 3 && head == "Where")
    return context.select(args[0], args[1], args[2]);
  if (args.size() == 3 && head == "ModularIndexing")
    return context.mod(context.floorDiv(args[0], args[1]), args[2]);
  return fail("the function " + head);
}

Expr Converter::convert(const Call &term) {
  bool isLeaf;
  Expr leaf = convertLeaf(term, isLeaf);
  if (isLeaf)
    return leaf;
  if (term.head == "Mul")
    return convertProduct(term);
  if (term.head == "Pow" || term.head == "PowByNatural")
    return convertPower(term);
  if (term.head == "Piecewise")
    return convertPiecewise(term);
  if (term.head == "TruncToInt" || term.head == "FloorToInt" ||
      term.head == "CeilToInt" || term.head == "floor" ||
      term.head == "ceiling")
    return convertRounded(term);
  SmallVector<Expr> args;
  for (const Call &argument : term.args) {
    Expr value = convert(argument);
    if (!value)
      return Expr();
    args.push_back(value);
  }
  return apply(term.head, args);
}

Expected<Expr> parseSrepr(StringRef text, ExprContext &context,
                          SymbolResolver resolve) {
  Call term;
  if (!CallParser(text).parse(term))
    return createStringError(inconvertibleErrorCode(),
                             "malformed expression: " + text);
  Converter converter(context, resolve);
  if (Expr expr = converter.convert(term))
    return expr;
  return createStringError(inconvertibleErrorCode(),
                           "expression " + text +
                               " is not supported: " + converter.takeMessage());
}

std::optional<StringRef> getLoneSymbol(StringRef text) {
  Call term;
  if (!CallParser(text).parse(term) || term.head != "Symbol" ||
      term.args.size() != 1)
    return std::nullopt;
  return term.args[0].head;
}

std::optional<StringRef> getBooleanSymbol(StringRef text) {
  Call term;
  if (!CallParser(text).parse(term) || term.head != "Equality" ||
      term.args.size() != 2 || term.args[0].head != "Symbol" ||
      term.args[0].args.size() != 1 || term.args[1].head != "Integer")
    return std::nullopt;
  return term.args[0].args[0].head;
}

} // namespace tally::import_pt2
