//===- Parser.cpp - Text to trees -----------------------------------------===//
//
// A recursive-descent parser of the grammar in Parser.h. It makes a tree,
// which SyntaxBuilder makes an expression of.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/Parser.h"
#include "tally/Symbolic/Expr/SymbolNames.h"

#include "Syntax.h"
#include "WrittenExprs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
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

/// How deep expressions may nest in the text.
constexpr unsigned kMaxNesting = 256;
/// Digits of a literal.
constexpr size_t kMaxDigits = 10000;

class ExprParser : private Lexer {
public:
  ExprParser(StringRef text, ExprContext &context, NameResolver resolve)
      : Lexer(text), context(context), resolve(resolve) {}

  /// Parses the whole text.
  Syntax *parseAll();
  Syntax *parsePrefix(size_t &consumed, bool allowComparison);

  SyntaxError error;

private:
  using Operator = Syntax::Operator;

  // Each returns null after an error.
  Syntax *parseOr();
  Syntax *parseAnd();
  Syntax *parseNot();
  Syntax *parseComparison();
  Syntax *parseShift();
  Syntax *parseSum();
  Syntax *parseProduct();
  Syntax *parseUnary();
  Syntax *parsePower();
  Syntax *parsePrimary();
  Syntax *parseNumber();
  Syntax *parseName();
  Syntax *parseCall(StringRef name, size_t at);

  using Rule = Syntax *(ExprParser::*)();
  /// Parses operands with operators of a range of tokens between them. In a
  /// larger syntax what looks like one of `closers` may end the expression.
  Syntax *parseChain(SyntaxKind kind, Rule operand, Token first, Token last,
                     ArrayRef<Token> closers = {});

  Syntax *make(SyntaxKind kind, size_t offset, ArrayRef<Syntax *> operands,
               ArrayRef<Operator> operators = {});
  Syntax *makeLeaf(size_t offset, Expr leaf);

  ExprContext &context;
  NameResolver resolve;
  llvm::BumpPtrAllocator allocator;
  unsigned nesting = 0;
};

} // namespace

Syntax *ExprParser::make(SyntaxKind kind, size_t offset,
                         ArrayRef<Syntax *> operands,
                         ArrayRef<Operator> operators) {
  return new (allocator) Syntax{
      kind,   offset,     operands.copy(allocator), operators.copy(allocator),
      Expr(), StringRef()};
}

Syntax *ExprParser::makeLeaf(size_t offset, Expr leaf) {
  Syntax *result = make(SyntaxKind::Leaf, offset, {});
  result->leaf = leaf;
  return result;
}

/// A hint for operators of other languages: how each is written here.
static StringRef getHint(StringRef spelling) {
  return llvm::StringSwitch<StringRef>(spelling)
      .Case("=", "; did you mean '=='?")
      .Case("=>", "; '=>' is written '>='")
      .Case("=<", "; '=<' is written '<='")
      .Case("&&", "; '&&' is written 'and'")
      .Case("||", "; '||' is written 'or'")
      .Case("!", "; '!' is written 'not'")
      .Case("&", "; '&' is written 'and', or bitwise_and(a, b)")
      .Case("|", "; '|' is written 'or', or bitwise_or(a, b)")
      .Case("^", "; '^' is written '**', or bitwise_xor(a, b)")
      .Cases({"if", "?"}, "; a choice is written select(condition, a, b)")
      .Case("#", "; a comment starts with //")
      .Default("");
}

/// Says so if a name is a keyword or function that is spelled in lower case.
static std::string suggestKeyword(StringRef name) {
  std::string lower = name.lower();
  if (lower == name || (!llvm::is_contained(getKeywords(), StringRef(lower)) &&
                        !getArity(lower)))
    return "";
  return "; did you mean '" + lower + "'?";
}

Syntax *ExprParser::parseAll() {
  Syntax *syntax = parseOr();
  if (syntax && token != Token::End)
    return error.set(start,
                     "expected an operator or the end of the expression, "
                     "found '" +
                         spelling() + "'" + getHint(spelling()));
  return syntax;
}

Syntax *ExprParser::parsePrefix(size_t &consumed, bool allowComparison) {
  isPrefix = true;
  Syntax *syntax = allowComparison ? parseOr() : parseShift();
  consumed = previousEnd;
  return syntax;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

Syntax *ExprParser::parseChain(SyntaxKind kind, Rule operand, Token first,
                               Token last, ArrayRef<Token> closers) {
  Syntax *left = (this->*operand)();
  if (!left || token < first || token > last)
    return left;
  SmallVector<Syntax *, 8> operands{left};
  SmallVector<Operator, 8> operators;
  while (token >= first && token <= last) {
    Operator op{token, start};
    size_t operatorEnd = previousEnd;
    bool mayEnd = isPrefix && llvm::is_contained(closers, token);
    unsigned outerNesting = nesting;
    advance();
    Syntax *right = (this->*operand)();
    if (!right && mayEnd) {
      nesting = outerNesting;
      error = SyntaxError();
      endAt(operatorEnd);
      break;
    }
    if (!right)
      return nullptr;
    operators.push_back(op);
    operands.push_back(right);
  }
  if (operators.empty())
    return left;
  return make(kind, left->offset, operands, operators);
}

Syntax *ExprParser::parseOr() {
  return parseChain(SyntaxKind::Or, &ExprParser::parseAnd, Token::Or,
                    Token::Or);
}

Syntax *ExprParser::parseAnd() {
  return parseChain(SyntaxKind::And, &ExprParser::parseNot, Token::And,
                    Token::And);
}

Syntax *ExprParser::parseNot() {
  size_t at = start;
  SmallVector<Operator, 2> operators;
  for (size_t before = start; consume(Token::Not); before = start)
    operators.push_back({Token::Not, before});
  Syntax *operand = parseComparison();
  if (!operand || operators.empty())
    return operand;
  return make(SyntaxKind::Not, at, operand, operators);
}

Syntax *ExprParser::parseComparison() {
  // In a larger syntax a > may close a bracket.
  return parseChain(SyntaxKind::Comparison, &ExprParser::parseShift, Token::Eq,
                    Token::Ge, {Token::Gt, Token::Ge});
}

Syntax *ExprParser::parseShift() {
  return parseChain(SyntaxKind::Shift, &ExprParser::parseSum, Token::Shl,
                    Token::Shr, {Token::Shr});
}

Syntax *ExprParser::parseSum() {
  return parseChain(SyntaxKind::Sum, &ExprParser::parseProduct, Token::Plus,
                    Token::Minus);
}

Syntax *ExprParser::parseProduct() {
  return parseChain(SyntaxKind::Product, &ExprParser::parseUnary, Token::Star,
                    Token::Mod);
}

//===----------------------------------------------------------------------===//
// Signs and powers
//===----------------------------------------------------------------------===//

Syntax *ExprParser::parseUnary() {
  if (token != Token::Minus && token != Token::Plus)
    return parsePower();
  Operator op{token, start};
  if (++nesting > kMaxNesting)
    return error.set(start, kTooDeep);
  advance();
  Syntax *operand = parseUnary();
  --nesting;
  return operand ? make(SyntaxKind::Sign, op.offset, operand, op) : nullptr;
}

Syntax *ExprParser::parsePower() {
  Syntax *base = parsePrimary();
  if (!base || token != Token::StarStar)
    return base;
  if (++nesting > kMaxNesting)
    return error.set(start, kTooDeep);
  advance();
  Syntax *exponent = parseUnary();
  --nesting;
  if (!exponent)
    return nullptr;
  return make(SyntaxKind::Power, base->offset, {base, exponent});
}

//===----------------------------------------------------------------------===//
// Primaries
//===----------------------------------------------------------------------===//

Syntax *ExprParser::parseNumber() {
  StringRef digits = spelling();
  size_t at = start;
  bool isFloat = token == Token::Float;
  advance();
  if (isFloat) {
    double value;
    [[maybe_unused]] bool isMalformed = digits.getAsDouble(value);
    assert(!isMalformed && "the lexer knows floats");
    return makeLeaf(at, context.floatConstant(value));
  }
  digits = digits.ltrim('0');
  if (digits.empty())
    return makeLeaf(at, context.zero());
  if (int64_t value; !digits.getAsInteger(10, value))
    return makeLeaf(at, context.constant(value));
  if (digits.size() > kMaxDigits)
    return error.set(at, "the literal has too many digits");
  unsigned bits = llvm::APInt::getSufficientBitsNeeded(digits, 10) + 1;
  return makeLeaf(
      at, context.constant(DynamicAPInt(llvm::APInt(bits, digits, 10))));
}

Syntax *ExprParser::parseCall(StringRef name, size_t at) {
  if (!consume(Token::LParen))
    return error.set(start, "expected '('");
  SmallVector<Syntax *, 4> arguments;
  do {
    arguments.push_back(parseOr());
    if (!arguments.back())
      return nullptr;
  } while (consume(Token::Comma));
  if (!consume(Token::RParen))
    return error.set(start, "expected ',' or ')'" + getHint(spelling()));
  auto [least, most] = *getArity(name);
  if (arguments.size() < least)
    return error.set(at, "'" + name + "' takes " + Twine(least) +
                             (most == 1 ? " argument" : " arguments"));
  if (arguments.size() > most)
    return error.set(at, "'" + name + "' takes " + Twine(most) +
                             (most == 1 ? " argument" : " arguments"));
  Syntax *call = make(SyntaxKind::Call, at, arguments);
  call->name = name;
  return call;
}

/// Returns true for the names of constants, which name no symbols.
static bool isConstantName(StringRef name) {
  return name == "true" || name == "false" || name == "inf" || name == "nan";
}

/// Returns true if a name stands for a function and not for a symbol: those
/// that are no keywords name symbols as well.
static bool isCallOf(StringRef name, Token next) {
  return getArity(name) &&
         (next == Token::LParen || llvm::is_contained(getKeywords(), name));
}

Syntax *ExprParser::parseName() {
  StringRef name = spelling();
  size_t at = start;
  advance();
  if (name == "true" || name == "false")
    return makeLeaf(at, context.boolean(name == "true"));
  if (name == "inf" || name == "nan")
    return makeLeaf(at, context.floatConstant(
                            name == "inf"
                                ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN()));
  if (isCallOf(name, token))
    return parseCall(name, at);
  if (Expr symbol = resolve(name))
    return makeLeaf(at, symbol);
  return error.set(at, "unknown symbol '" + name + "'" + suggestKeyword(name));
}

Syntax *ExprParser::parsePrimary() {
  size_t at = start;
  switch (token) {
  case Token::Integer:
  case Token::Float:
    return parseNumber();
  case Token::Name:
  case Token::LParen:
    break;
  case Token::End:
    return error.set(at, "expected an expression");
  default:
    return error.set(at, "expected an expression, found '" + spelling() + "'" +
                             (spelling() == "!" ? getHint("!") : ""));
  }
  if (++nesting > kMaxNesting)
    return error.set(at, kTooDeep);
  Syntax *result;
  if (token == Token::Name) {
    result = parseName();
  } else {
    advance();
    result = parseOr();
    if (result && !consume(Token::RParen))
      result = error.set(start, "expected ')'" + getHint(spelling()));
    // Errors about the whole point to its parenthesis.
    if (result)
      result->offset = at;
  }
  --nesting;
  return result;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Makes an expression of what the parser found.
template <typename Context>
static ParseResult finish(ExprParser &parser, Syntax *syntax,
                          Context &context) {
  ParseResult result;
  if (syntax)
    result.expr = SyntaxBuilder<Context>(context, parser.error).build(*syntax);
  if (!result.expr) {
    result.errorOffset = parser.error.offset;
    result.errorMessage = parser.error.message;
  }
  return result;
}

ParseResult tally::symbolic::parseExpr(StringRef text, ExprContext &context,
                                       NameResolver resolve) {
  ExprParser parser(text, context, resolve);
  return finish(parser, parser.parseAll(), context);
}

ParseResult tally::symbolic::parseAsWritten(StringRef text,
                                            ExprContext &context,
                                            NameResolver resolve) {
  ExprParser parser(text, context, resolve);
  WrittenExprs written(context);
  return finish(parser, parser.parseAll(), written);
}

ParseResult tally::symbolic::evaluateAsWritten(StringRef text,
                                               ExprContext &context,
                                               NameResolver resolve,
                                               Assignment assignment,
                                               EvalResult &result) {
  ExprParser parser(text, context, resolve);
  Syntax *syntax = parser.parseAll();
  ParseResult parsed = finish(parser, syntax, context);
  if (parsed)
    result = evaluateSyntax(*syntax, context, assignment);
  return parsed;
}

namespace {
/// Collects names without parsing what is around them.
class NameFinder : Lexer {
public:
  explicit NameFinder(StringRef text) : Lexer(text) {}

  SmallVector<StringRef> find() {
    llvm::SmallSetVector<StringRef, 8> names;
    while (token != Token::End) {
      StringRef name = token == Token::Name ? spelling() : StringRef();
      advance();
      if (!name.empty() && !isConstantName(name) && !isCallOf(name, token))
        names.insert(name);
    }
    return names.takeVector();
  }
};
} // namespace

SmallVector<StringRef> tally::symbolic::findSymbolNames(StringRef text) {
  return NameFinder(text).find();
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
  Syntax *syntax = parser.parsePrefix(consumed, allowComparison);
  return finish(parser, syntax, context);
}
