//===- Expression.cpp - Reading and evaluating expressions ----------------===//
//
// Lexer, precedence-climbing parser and evaluator over exact integers that give
// up (and never guess) on overflow, division by zero and unknown functions.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

using namespace tally::runtime;

namespace {

struct Token {
  std::string text;
  size_t begin = 0;
  size_t end = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string printFloat(double value) {
  char buffer[40];
  for (int digits : {6, 15, 17}) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  return buffer;
}

static std::string printWide(Wide value) {
  bool negative = value < 0;
  // Digit by digit with the sign, as the smallest number has no negation.
  std::string digits;
  do {
    int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  if (negative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string tally::runtime::printScalar(const Scalar &number) {
  switch (number.kind) {
  case TALLY_RT_BOOL:
    return number.integer ? "true" : "false";
  case TALLY_RT_FLOAT:
    return printFloat(number.real);
  case TALLY_RT_INT:
    break;
  }
  return printWide(number.integer);
}

static Scalar toScalar(const NamedValue &value) {
  switch (value.kind) {
  case TALLY_RT_BOOL:
    return Scalar::ofBool(value.value != 0);
  case TALLY_RT_FLOAT:
    return Scalar::ofFloat(value.floatValue);
  case TALLY_RT_INT:
    break;
  }
  return Scalar::ofInt(value.value);
}

std::string tally::runtime::printValue(const NamedValue &value) {
  return printScalar(toScalar(value));
}

//===----------------------------------------------------------------------===//
// Lexer
//===----------------------------------------------------------------------===//

static bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

static bool isNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Returns the length of the token at `text[at]`, 0 if there is none.
static size_t tokenLength(const std::string &text, size_t at) {
  size_t end = at;
  if (isNameStart(text[at])) {
    while (end < text.size() && isNameChar(text[end]))
      ++end;
    return end - at;
  }
  if (std::isdigit(static_cast<unsigned char>(text[at]))) {
    char *rest = nullptr;
    std::strtod(text.c_str() + at, &rest);
    return rest - (text.c_str() + at);
  }
  static const char *const two[] = {"==", "!=", "<=", ">=", "**", "//"};
  for (const char *symbol : two)
    if (text.compare(at, 2, symbol) == 0)
      return 2;
  return std::string("+-*/<>(),").find(text[at]) == std::string::npos ? 0 : 1;
}

static bool tokenize(const std::string &text, std::vector<Token> &tokens) {
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    size_t length = tokenLength(text, at);
    if (length == 0)
      return false;
    tokens.push_back({text.substr(at, length), at, at + length});
    at += length;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {

/// Parses with Python's precedence; every function returns null on an error.
class Parser {
public:
  Parser(std::vector<Token> tokens, const std::vector<NamedValue> &values)
      : tokens(std::move(tokens)), values(values) {}

  NodePtr parse() {
    NodePtr node = parseBinary(0);
    return node && at == tokens.size() ? std::move(node) : nullptr;
  }

private:
  enum Level { Or, And, Not, Compare, Sum, Product, Minus, Power };

  static bool isOperator(int level, const std::string &text) {
    switch (level) {
    case Or:
      return text == "or";
    case And:
      return text == "and";
    case Compare:
      return text == "==" || text == "!=" || text == "<" || text == "<=" ||
             text == ">" || text == ">=";
    case Sum:
      return text == "+" || text == "-";
    case Product:
      return text == "*" || text == "/" || text == "//" || text == "mod" ||
             text == "floordiv" || text == "ceildiv";
    default:
      return false;
    }
  }

  bool peek(const char *text) const {
    return at < tokens.size() && tokens[at].text == text;
  }

  NodePtr finish(NodePtr node) const {
    node->end = tokens[at - 1].end;
    return node;
  }

  NodePtr start(Node::Kind kind, size_t begin) const {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->begin = begin;
    return node;
  }

  NodePtr parseBinary(int level) {
    if (level == Not)
      return parseUnary("not", Not);
    if (level == Minus)
      return parseUnary("-", Minus);
    if (level == Power)
      return parsePower();
    NodePtr left = parseBinary(level + 1);
    // A chain of comparisons is one node; other operators nest to the left.
    while (left && at < tokens.size() && isOperator(level, tokens[at].text)) {
      bool chain = left->kind == Node::Kind::Comparison && level == Compare &&
                   !isParenthesized;
      NodePtr node = std::move(left);
      if (!chain) {
        NodePtr outer = start(level == Compare ? Node::Kind::Comparison
                                               : Node::Kind::Binary,
                              node->begin);
        outer->operands.push_back(std::move(node));
        node = std::move(outer);
      }
      node->operators.push_back(tokens[at++].text);
      NodePtr right = parseBinary(level + 1);
      if (!right)
        return nullptr;
      node->operands.push_back(std::move(right));
      isParenthesized = false;
      left = finish(std::move(node));
    }
    return left;
  }

  NodePtr parseUnary(const char *text, int level) {
    if (!peek(text))
      return parseBinary(level + 1);
    NodePtr node = start(Node::Kind::Unary, tokens[at].begin);
    node->operators.push_back(tokens[at++].text);
    NodePtr operand = parseBinary(level);
    if (!operand)
      return nullptr;
    node->operands.push_back(std::move(operand));
    isParenthesized = false;
    return finish(std::move(node));
  }

  NodePtr parsePower() {
    NodePtr base = parsePrimary();
    if (!base || !peek("**"))
      return base;
    NodePtr node = start(Node::Kind::Binary, base->begin);
    node->operators.push_back(tokens[at++].text);
    NodePtr exponent = parseBinary(Minus);
    if (!exponent)
      return nullptr;
    node->operands.push_back(std::move(base));
    node->operands.push_back(std::move(exponent));
    isParenthesized = false;
    return finish(std::move(node));
  }

  NodePtr parsePrimary() {
    if (at == tokens.size())
      return nullptr;
    const Token &token = tokens[at++];
    isParenthesized = false;
    if (token.text == "(") {
      NodePtr inner = parseBinary(0);
      if (!inner || !peek(")"))
        return nullptr;
      ++at;
      inner->begin = token.begin;
      isParenthesized = true;
      return finish(std::move(inner));
    }
    if (std::isdigit(static_cast<unsigned char>(token.text[0])))
      return parseNumber(token);
    if (!isNameStart(token.text[0]))
      return nullptr;
    return peek("(") ? parseCall(token) : parseName(token);
  }

  NodePtr parseNumber(const Token &token) {
    NodePtr node = start(Node::Kind::Literal, token.begin);
    if (token.text.find_first_not_of("0123456789") == std::string::npos) {
      if (token.text.size() > 18)
        return nullptr;
      node->literal =
          Scalar::ofInt(std::strtoll(token.text.c_str(), nullptr, 10));
    } else {
      node->literal = Scalar::ofFloat(std::strtod(token.text.c_str(), nullptr));
    }
    return finish(std::move(node));
  }

  NodePtr parseName(const Token &token) {
    bool isBool = token.text == "true" || token.text == "false";
    NodePtr node =
        start(isBool ? Node::Kind::Literal : Node::Kind::Name, token.begin);
    if (isBool) {
      node->literal = Scalar::ofBool(token.text == "true");
      return finish(std::move(node));
    }
    for (const NamedValue &value : values)
      if (value.name == token.text)
        node->name = &value;
    node->nameBegin = token.begin;
    return node->name ? finish(std::move(node)) : nullptr;
  }

  NodePtr parseCall(const Token &token) {
    NodePtr node = start(Node::Kind::Call, token.begin);
    node->operators.push_back(token.text);
    do {
      ++at; // '(' or ','
      NodePtr operand = parseBinary(0);
      if (!operand)
        return nullptr;
      node->operands.push_back(std::move(operand));
    } while (peek(","));
    if (!peek(")"))
      return nullptr;
    ++at;
    isParenthesized = false;
    return finish(std::move(node));
  }

  std::vector<Token> tokens;
  const std::vector<NamedValue> &values;
  size_t at = 0;
  /// Whether the node just read was in parentheses: `(a < b) == c` is no chain.
  bool isParenthesized = false;
};

} // namespace

NodePtr tally::runtime::parseExpression(const std::string &text,
                                        const std::vector<NamedValue> &values) {
  std::vector<Token> tokens;
  if (!tokenize(text, tokens))
    return nullptr;
  return Parser(std::move(tokens), values).parse();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Refuses what is so large that a next step could overflow.
static Result bounded(Wide value) {
  constexpr Wide limit = static_cast<Wide>(1) << 120;
  if (value > limit || value < -limit)
    return std::nullopt;
  return Scalar::ofInt(value);
}

static Result floorDiv(Wide a, Wide b) {
  if (b == 0)
    return std::nullopt;
  Wide quotient = a / b;
  return Scalar::ofInt(quotient - (a % b != 0 && (a < 0) != (b < 0)));
}

static Result power(const Scalar &base, const Scalar &exponent) {
  if (base.kind == TALLY_RT_FLOAT || exponent.kind == TALLY_RT_FLOAT)
    return Scalar::ofFloat(std::pow(base.real, exponent.real));
  if (exponent.integer < 0 || exponent.integer > 128)
    return std::nullopt;
  Wide result = 1;
  for (Wide i = 0; i < exponent.integer; ++i)
    if (__builtin_mul_overflow(result, base.integer, &result))
      return std::nullopt;
  return bounded(result);
}

static Result arithmetic(const std::string &op, const Scalar &a,
                         const Scalar &b) {
  if (op == "**")
    return power(a, b);
  if (op == "/")
    return b.real == 0 ? Result() : Scalar::ofFloat(a.real / b.real);
  if (a.kind == TALLY_RT_FLOAT || b.kind == TALLY_RT_FLOAT) {
    if (op == "+")
      return Scalar::ofFloat(a.real + b.real);
    if (op == "-")
      return Scalar::ofFloat(a.real - b.real);
    if (op == "*")
      return Scalar::ofFloat(a.real * b.real);
    return std::nullopt;
  }
  Wide result = 0;
  if (op == "+" || op == "-" || op == "*") {
    bool overflow =
        op == "+"   ? __builtin_add_overflow(a.integer, b.integer, &result)
        : op == "-" ? __builtin_sub_overflow(a.integer, b.integer, &result)
                    : __builtin_mul_overflow(a.integer, b.integer, &result);
    return overflow ? Result() : bounded(result);
  }
  if (op == "floordiv" || op == "//")
    return floorDiv(a.integer, b.integer);
  if (op == "ceildiv") {
    Result quotient = floorDiv(-a.integer, b.integer);
    return quotient ? Scalar::ofInt(-quotient->integer) : quotient;
  }
  Result quotient = floorDiv(a.integer, b.integer); // mod
  return quotient ? Scalar::ofInt(a.integer - quotient->integer * b.integer)
                  : quotient;
}

static bool compare(const std::string &op, const Scalar &a, const Scalar &b) {
  bool real = a.kind == TALLY_RT_FLOAT || b.kind == TALLY_RT_FLOAT;
  bool less = real ? a.real < b.real : a.integer < b.integer;
  bool equal = real ? a.real == b.real : a.integer == b.integer;
  bool greater = real ? a.real > b.real : a.integer > b.integer;
  if (op == "==")
    return equal;
  if (op == "!=")
    return !equal;
  if (op == "<")
    return less;
  if (op == "<=")
    return less || equal;
  return op == ">" ? greater : greater || equal;
}

static Result call(const std::string &name, const std::vector<Scalar> &args) {
  // NOLINTNEXTLINE(llvm-use-ranges): the runtime does without LLVM.
  bool real = std::any_of(args.begin(), args.end(), [](const Scalar &arg) {
    return arg.kind == TALLY_RT_FLOAT;
  });
  if ((name == "max" || name == "min") && !args.empty()) {
    Scalar best = args[0];
    for (const Scalar &arg : args)
      if (compare(name == "max" ? ">" : "<", arg, best))
        best = arg;
    return best;
  }
  if (name == "abs" && args.size() == 1)
    return real ? Scalar::ofFloat(std::fabs(args[0].real))
                : Scalar::ofInt(args[0].integer < 0 ? -args[0].integer
                                                    : args[0].integer);
  if (name == "select" && args.size() == 3)
    return args[0].integer ? args[1] : args[2];
  if (name == "exact_div" && args.size() == 2 && !real &&
      args[1].integer != 0 && args[0].integer % args[1].integer == 0)
    return Scalar::ofInt(args[0].integer / args[1].integer);
  return std::nullopt;
}

Result tally::runtime::evaluate(const Node &node) {
  if (node.kind == Node::Kind::Literal)
    return node.literal;
  if (node.kind == Node::Kind::Name)
    return toScalar(*node.name);
  std::vector<Scalar> args;
  for (const NodePtr &operand : node.operands) {
    Result value = evaluate(*operand);
    if (!value)
      return std::nullopt;
    args.push_back(*value);
  }
  const std::string &op = node.operators[0];
  switch (node.kind) {
  case Node::Kind::Comparison:
    for (size_t i = 0; i < node.operators.size(); ++i)
      if (!compare(node.operators[i], args[i], args[i + 1]))
        return Scalar::ofBool(false);
    return Scalar::ofBool(true);
  case Node::Kind::Unary:
    if (op == "not")
      return Scalar::ofBool(args[0].integer == 0);
    return args[0].kind == TALLY_RT_FLOAT ? Scalar::ofFloat(-args[0].real)
                                          : Scalar::ofInt(-args[0].integer);
  case Node::Kind::Call:
    return call(op, args);
  default:
    break;
  }
  if (op == "and")
    return Scalar::ofBool(args[0].integer && args[1].integer);
  if (op == "or")
    return Scalar::ofBool(args[0].integer || args[1].integer);
  return arithmetic(op, args[0], args[1]);
}
