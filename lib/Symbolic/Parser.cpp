//===- Parser.cpp - Text to expressions -----------------------------------===//
//
// A recursive-descent parser of the grammar in Parser.h. It builds canonical
// expressions directly and checks the types of operands on the way.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Parser.h"

#include "Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

ArrayRef<StringRef> tally::symbolic::getKeywords() {
  static const StringRef keywords[] = {
      "and",      "or",        "not",     "true",    "false",
      "floordiv", "mod",       "min",     "ceildiv", "max",
      "abs",      "select",    "sqrt",    "inf",     "to_float",
      "to_int",   "exact_div", "residue", "nan"};
  return keywords;
}

bool tally::symbolic::isValidSymbolName(StringRef name) {
  return !name.empty() && Lexer::isNameStart(name.front()) &&
         llvm::all_of(name, Lexer::isNamePart) &&
         !llvm::is_contained(getKeywords(), name);
}

namespace {

constexpr StringRef kExpectedBoolean = "expected a boolean, found a number";

/// How deep expressions may nest in the text.
constexpr unsigned maxNesting = 256;
/// Digits of a literal.
constexpr size_t maxDigits = 10000;

class ExprParser : private Lexer {
public:
  ExprParser(StringRef text, ExprContext &context, NameResolver resolve)
      : Lexer(text), context(context), resolve(resolve) {}

  ParseResult parseAll();
  ParseResult parsePrefix(size_t &consumed, bool allowComparison);

private:
  // Each returns null after an error.
  Expr parseOr();
  Expr parseAnd();
  Expr parseNot();
  Expr parseComparison();
  Expr parseShift();
  Expr parseSum();
  Expr parseProduct();
  Expr parseUnary();
  Expr parsePower();
  Expr parsePrimary();
  Expr parseNumber();
  Expr parseName();
  Expr parseCall(StringRef name, size_t at);
  bool parseArguments(llvm::SmallVectorImpl<Expr> &arguments,
                      llvm::SmallVectorImpl<size_t> &offsets);

  Expr compare(Token op, Expr a, Expr b, size_t at);
  Expr buildProduct(Token op, Expr a, Expr b, size_t at);
  Expr buildCall(StringRef name, ArrayRef<Expr> arguments,
                 ArrayRef<size_t> offsets, size_t at);

  Expr error(size_t at, const Twine &message);
  bool expectNumber(Expr expr, size_t at);
  bool expectInt(Expr expr, size_t at);
  bool expectBool(Expr expr, size_t at);
  ParseResult finish(Expr expr);

  ExprContext &context;
  NameResolver resolve;
  unsigned nesting = 0;
  bool failed = false;
  size_t errorOffset = 0;
  std::string errorMessage;
};

} // namespace

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Expr ExprParser::error(size_t at, const Twine &message) {
  if (!failed) {
    failed = true;
    errorOffset = at;
    errorMessage = message.str();
  }
  return Expr();
}

bool ExprParser::expectNumber(Expr expr, size_t at) {
  if (!expr.isBool())
    return true;
  error(at, "expected a number, found a boolean");
  return false;
}

bool ExprParser::expectInt(Expr expr, size_t at) {
  if (expr.isInt())
    return true;
  error(at, Twine("expected an integer, found a ") +
                (expr.isBool() ? "boolean" : "float"));
  return false;
}

bool ExprParser::expectBool(Expr expr, size_t at) {
  if (expr.isBool())
    return true;
  error(at, kExpectedBoolean);
  return false;
}

ParseResult ExprParser::finish(Expr expr) {
  ParseResult result;
  if (failed || !expr) {
    result.errorOffset = errorOffset;
    result.errorMessage = errorMessage;
    return result;
  }
  result.expr = expr;
  return result;
}

ParseResult ExprParser::parseAll() {
  Expr expr = parseOr();
  if (expr && token != Token::End)
    error(start, "expected an operator or the end of the expression, found '" +
                     spelling() + "'");
  return finish(expr);
}

ParseResult ExprParser::parsePrefix(size_t &consumed, bool allowComparison) {
  isPrefix = true;
  Expr expr = allowComparison ? parseOr() : parseShift();
  consumed = previousEnd;
  return finish(expr);
}

//===----------------------------------------------------------------------===//
// Logic and comparisons
//===----------------------------------------------------------------------===//

Expr ExprParser::parseOr() {
  size_t at = start;
  SmallVector<Expr, 4> operands{parseAnd()};
  if (!operands[0] || token != Token::Or)
    return operands[0];
  if (!expectBool(operands[0], at))
    return Expr();
  while (consume(Token::Or)) {
    at = start;
    operands.push_back(parseAnd());
    if (!operands.back() || !expectBool(operands.back(), at))
      return Expr();
  }
  return context.logicalOr(operands);
}

Expr ExprParser::parseAnd() {
  size_t at = start;
  SmallVector<Expr, 4> operands{parseNot()};
  if (!operands[0] || token != Token::And)
    return operands[0];
  if (!expectBool(operands[0], at))
    return Expr();
  while (consume(Token::And)) {
    at = start;
    operands.push_back(parseNot());
    if (!operands.back() || !expectBool(operands.back(), at))
      return Expr();
  }
  return context.logicalAnd(operands);
}

Expr ExprParser::parseNot() {
  bool negate = false;
  size_t at = start;
  bool any = false;
  while (consume(Token::Not)) {
    negate = !negate;
    any = true;
    at = start;
  }
  Expr operand = parseComparison();
  if (!operand || (any && !expectBool(operand, at)))
    return Expr();
  return negate ? context.logicalNot(operand) : operand;
}

static bool isComparison(Token token) {
  return token >= Token::Eq && token <= Token::Ge;
}

Expr ExprParser::compare(Token op, Expr a, Expr b, size_t at) {
  bool isEquality = op == Token::Eq || op == Token::Ne;
  if (a.isBool() != b.isBool() || (a.isBool() && !isEquality))
    return error(at, "cannot compare these: one is a boolean");
  switch (op) {
  case Token::Eq:
    return context.eq(a, b);
  case Token::Ne:
    return context.ne(a, b);
  case Token::Lt:
    return context.lt(a, b);
  case Token::Le:
    return context.le(a, b);
  case Token::Gt:
    return context.gt(a, b);
  default:
    return context.ge(a, b);
  }
}

Expr ExprParser::parseComparison() {
  Expr left = parseShift();
  SmallVector<Expr, 2> links;
  while (left && isComparison(token)) {
    Token op = token;
    size_t at = start, operatorEnd = previousEnd;
    // In a larger syntax a > may close a bracket.
    bool mayEnd = isPrefix && (op == Token::Gt || op == Token::Ge);
    unsigned outerNesting = nesting;
    advance();
    Expr right = parseShift();
    if (!right && mayEnd) {
      nesting = outerNesting;
      failed = false;
      errorMessage.clear();
      endAt(operatorEnd);
      break;
    }
    if (!right)
      return Expr();
    links.push_back(compare(op, left, right, at));
    if (!links.back())
      return Expr();
    left = right;
  }
  if (!left || links.empty())
    return left;
  return context.logicalAnd(links);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Expr ExprParser::parseShift() {
  size_t at = start;
  Expr left = parseSum();
  while (left && (token == Token::Shl || token == Token::Shr)) {
    bool isLeft = token == Token::Shl;
    size_t operatorEnd = previousEnd;
    unsigned outerNesting = nesting;
    advance();
    size_t amountAt = start;
    Expr amount = parseSum();
    if (!amount && isPrefix && !isLeft) {
      nesting = outerNesting;
      failed = false;
      errorMessage.clear();
      endAt(operatorEnd);
      break;
    }
    if (!amount || !expectInt(left, at))
      return Expr();
    std::optional<int64_t> bits =
        amount.isInt() ? amount.getInt64() : std::nullopt;
    if (!bits || *bits < 0 || *bits > 4096)
      return error(amountAt,
                   "a shift needs a literal amount between 0 and 4096");
    Expr factor = context.pow(context.constant(2), *bits);
    left = isLeft ? context.mul(left, factor) : context.floorDiv(left, factor);
  }
  return left;
}

Expr ExprParser::parseSum() {
  size_t at = start;
  Expr first = parseProduct();
  if (!first || (token != Token::Plus && token != Token::Minus))
    return first;
  if (!expectNumber(first, at))
    return Expr();
  // Long sums of integers are added up at once.
  SmallVector<Expr, 8> terms{first};
  while (token == Token::Plus || token == Token::Minus) {
    bool isMinus = token == Token::Minus;
    advance();
    at = start;
    Expr term = parseProduct();
    if (!term || !expectNumber(term, at))
      return Expr();
    if (term.isInt() && terms.back().isInt()) {
      terms.push_back(isMinus ? context.neg(term) : term);
      continue;
    }
    Expr sum = context.sum(terms);
    terms.assign(1, isMinus ? context.sub(sum, term) : context.add(sum, term));
  }
  return context.sum(terms);
}

Expr ExprParser::buildProduct(Token op, Expr a, Expr b, size_t at) {
  if (!expectNumber(a, at) || !expectNumber(b, at))
    return Expr();
  if (op == Token::Star)
    return context.mul(a, b);
  if (op == Token::Slash)
    return context.trueDiv(a, b);
  if (!expectInt(a, at) || !expectInt(b, at))
    return Expr();
  if (op == Token::FloorDiv)
    return context.floorDiv(a, b);
  return op == Token::CeilDiv ? context.ceilDiv(a, b) : context.mod(a, b);
}

Expr ExprParser::parseProduct() {
  size_t at = start;
  Expr left = parseUnary();
  while (left && (token == Token::Star || token == Token::Slash ||
                  token == Token::FloorDiv || token == Token::CeilDiv ||
                  token == Token::Mod)) {
    Token op = token;
    advance();
    Expr right = parseUnary();
    if (!right)
      return Expr();
    left = buildProduct(op, left, right, at);
  }
  return left;
}

Expr ExprParser::parseUnary() {
  if (token != Token::Minus && token != Token::Plus)
    return parsePower();
  bool isMinus = token == Token::Minus;
  if (++nesting > maxNesting)
    return error(start, "the expression is nested too deeply");
  advance();
  size_t at = start;
  Expr operand = parseUnary();
  --nesting;
  if (!operand || !expectNumber(operand, at))
    return Expr();
  return isMinus ? context.neg(operand) : operand;
}

Expr ExprParser::parsePower() {
  size_t at = start;
  Expr base = parsePrimary();
  if (!base || token != Token::StarStar)
    return base;
  advance();
  size_t exponentAt = start;
  Expr exponent = parseUnary();
  if (!exponent || !expectInt(base, at))
    return Expr();
  std::optional<int64_t> value =
      exponent.isInt() ? exponent.getInt64() : std::nullopt;
  if (!value || *value < 0 || *value > std::numeric_limits<int32_t>::max())
    return error(exponentAt, "the exponent must be a literal natural number");
  return context.pow(base, static_cast<unsigned>(*value));
}

//===----------------------------------------------------------------------===//
// Primaries
//===----------------------------------------------------------------------===//

Expr ExprParser::parseNumber() {
  StringRef digits = spelling();
  size_t at = start;
  bool isFloat = token == Token::Float;
  advance();
  if (isFloat) {
    double value;
    if (digits.getAsDouble(value))
      return error(at, "'" + digits + "' is not a float");
    return context.floatConstant(value);
  }
  digits = digits.ltrim('0');
  if (digits.empty())
    return context.zero();
  if (digits.size() > maxDigits)
    return error(at, "the literal has too many digits");
  unsigned bits = llvm::APInt::getSufficientBitsNeeded(digits, 10) + 1;
  return context.constant(DynamicAPInt(llvm::APInt(bits, digits, 10)));
}

bool ExprParser::parseArguments(llvm::SmallVectorImpl<Expr> &arguments,
                                llvm::SmallVectorImpl<size_t> &offsets) {
  if (!consume(Token::LParen)) {
    error(start, "expected '('");
    return false;
  }
  do {
    offsets.push_back(start);
    arguments.push_back(parseOr());
    if (!arguments.back())
      return false;
  } while (consume(Token::Comma));
  if (consume(Token::RParen))
    return true;
  error(start, "expected ',' or ')'");
  return false;
}

Expr ExprParser::buildCall(StringRef name, ArrayRef<Expr> arguments,
                           ArrayRef<size_t> offsets, size_t at) {
  if (name == "select") {
    if (!expectBool(arguments[0], offsets[0]))
      return Expr();
    if (arguments[1].getType() != arguments[2].getType())
      return error(at, "select between different types");
    return context.select(arguments[0], arguments[1], arguments[2]);
  }
  if (name == "residue")
    return context.residue(arguments[0]);
  for (auto [argument, offset] : llvm::zip_equal(arguments, offsets))
    if (!expectNumber(argument, offset))
      return Expr();
  if (name == "to_float")
    return context.toFloat(arguments[0]);
  if (name == "to_int")
    return context.toInt(arguments[0]);
  if (name == "sqrt")
    return context.sqrt(arguments[0]);
  if (name == "abs")
    return context.abs(arguments[0]);
  for (auto [argument, offset] : llvm::zip_equal(arguments, offsets))
    if (!expectInt(argument, offset))
      return Expr();
  if (name == "exact_div")
    return context.exactDiv(arguments[0], arguments[1]);
  return name == "min" ? context.min(arguments) : context.max(arguments);
}

/// The number of arguments of a function, 0 for any number, -1 for no function.
static int getArity(StringRef name) {
  return llvm::StringSwitch<int>(name)
      .Cases({"min", "max"}, 0)
      .Cases({"abs", "sqrt", "to_float", "to_int", "residue"}, 1)
      .Case("exact_div", 2)
      .Case("select", 3)
      .Default(-1);
}

Expr ExprParser::parseCall(StringRef name, size_t at) {
  SmallVector<Expr, 4> arguments;
  SmallVector<size_t, 4> offsets;
  if (!parseArguments(arguments, offsets))
    return Expr();
  unsigned arity = getArity(name);
  if (arity != 0 && arguments.size() != arity)
    return error(at, "'" + name + "' takes " + Twine(arity) +
                         (arity == 1 ? " argument" : " arguments"));
  return buildCall(name, arguments, offsets, at);
}

Expr ExprParser::parseName() {
  StringRef name = spelling();
  size_t at = start;
  advance();
  if (name == "true" || name == "false")
    return context.boolean(name == "true");
  if (name == "inf" || name == "nan")
    return context.floatConstant(
        name == "inf" ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN());
  if (getArity(name) >= 0)
    return parseCall(name, at);
  if (Expr symbol = resolve(name))
    return symbol;
  return error(at, "unknown symbol '" + name + "'");
}

Expr ExprParser::parsePrimary() {
  switch (token) {
  case Token::Integer:
  case Token::Float:
    return parseNumber();
  case Token::Name:
  case Token::LParen:
    break;
  case Token::End:
    return error(start, "expected an expression");
  default:
    return error(start, "expected an expression, found '" + spelling() + "'");
  }
  if (++nesting > maxNesting)
    return error(start, "the expression is nested too deeply");
  Expr result;
  if (token == Token::Name) {
    result = parseName();
  } else {
    advance();
    result = parseOr();
    if (result && !consume(Token::RParen))
      result = error(start, "expected ')'");
  }
  --nesting;
  return result;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

ParseResult tally::symbolic::parseExpr(StringRef text, ExprContext &context,
                                       NameResolver resolve) {
  return ExprParser(text, context, resolve).parseAll();
}

/// The unknown names of the text that stand where only a boolean can.
static llvm::StringSet<> findBooleanNames(StringRef text,
                                          const ExprContext &context) {
  llvm::StringSet<> booleans;
  while (true) {
    ExprContext scratch;
    ParseResult result = parseExpr(text, scratch, [&](StringRef name) {
      Expr known = context.lookup(name);
      return scratch.symbol(name, known                     ? known.getType()
                                  : booleans.contains(name) ? SymbolType::Bool
                                                            : SymbolType::Int);
    });
    if (result)
      return booleans;
    StringRef operand = text.drop_front(result.errorOffset).ltrim("( ");
    if (operand.consume_front("select"))
      operand = operand.ltrim("( ");
    StringRef name = operand.take_while(Lexer::isNamePart);
    // An error of another kind is reported by the parse that follows.
    if (result.errorMessage != kExpectedBoolean || !isValidSymbolName(name) ||
        context.lookup(name) || !booleans.insert(name).second)
      return {};
  }
}

ParseResult tally::symbolic::parseExpr(StringRef text, ExprContext &context,
                                       SymbolPolicy policy) {
  llvm::StringSet<> booleans;
  if (policy == SymbolPolicy::DeclareInt)
    booleans = findBooleanNames(text, context);
  return parseExpr(text, context, [&](StringRef name) {
    Expr known = context.lookup(name);
    if (known || policy == SymbolPolicy::MustExist)
      return known;
    return context.symbol(name, booleans.contains(name) ? SymbolType::Bool
                                                        : SymbolType::Int);
  });
}

ParseResult tally::symbolic::parseExprPrefix(StringRef text,
                                             ExprContext &context,
                                             NameResolver resolve,
                                             size_t &consumed,
                                             bool allowComparison) {
  ExprParser parser(text, context, resolve);
  return parser.parsePrefix(consumed, allowComparison);
}
