//===- ExprText.cpp - The text of attributes ------------------------------===//

#include "ExprText.h"

#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tally;
using namespace tally::detail;
using llvm::StringRef;

static bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_'; }

//===----------------------------------------------------------------------===//
// Scanner
//===----------------------------------------------------------------------===//

StringRef Scanner::remaining() {
  rest = rest.ltrim();
  return rest;
}

bool Scanner::consume(StringRef token) {
  if (!remaining().starts_with(token))
    return false;
  rest = rest.drop_front(token.size());
  return true;
}

bool Scanner::consumeKeyword(StringRef keyword) {
  if (remaining().take_while(isNameChar) != keyword)
    return false;
  rest = rest.drop_front(keyword.size());
  return true;
}

bool Scanner::fail(const llvm::Twine &message) {
  error(remaining().data(), message);
  return false;
}

bool Scanner::parse(StringRef token) {
  return consume(token) || fail("expected '" + token + "'");
}

std::optional<StringRef> Scanner::parseName(StringRef what) {
  StringRef name = remaining().take_while(isNameChar);
  if (name.empty() || llvm::isDigit(name.front())) {
    fail("expected " + what);
    return std::nullopt;
  }
  rest = rest.drop_front(name.size());
  return name;
}

std::optional<int64_t> Scanner::parseInteger() {
  StringRef digits = remaining();
  size_t sign = digits.starts_with("-") ? 1 : 0;
  size_t length =
      sign + digits.drop_front(sign).take_while(llvm::isDigit).size();
  int64_t value = 0;
  if (digits.take_front(length).getAsInteger(10, value)) {
    fail("expected an integer of at most 64 bits");
    return std::nullopt;
  }
  rest = rest.drop_front(length);
  return value;
}

std::optional<std::string> Scanner::parseString() {
  if (!parse("\""))
    return std::nullopt;
  std::string value;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\' && rest.size() > 1)
      rest = rest.drop_front();
    value += rest.front();
    rest = rest.drop_front();
  }
  if (!parse("\""))
    return std::nullopt;
  return value;
}

std::optional<std::string> Scanner::parseExprText() {
  const char *start = remaining().data();
  std::string text;
  if (remaining().starts_with("\"")) {
    std::optional<std::string> quoted = parseString();
    if (!quoted)
      return std::nullopt;
    text = *quoted;
  } else {
    int depth = 0;
    size_t length = 0;
    for (; length < rest.size(); ++length) {
      char c = rest[length];
      if (c == ',' && depth == 0)
        break;
      depth += (c == '(') - (c == ')');
    }
    text = rest.take_front(length).rtrim().str();
    rest = rest.drop_front(length);
  }
  if (std::optional<std::string> problem = findExprError(text)) {
    error(start, *problem);
    return std::nullopt;
  }
  return normalizeExprText(text);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The token at the start of the text.
static StringRef takeToken(StringRef text) {
  auto isWordChar = [](char c) { return isNameChar(c) || c == '.'; };
  StringRef word = text.take_while(isWordChar);
  if (!word.empty()) {
    // The exponent of a number may have a sign.
    StringRef rest = text.drop_front(word.size());
    bool hasExponent = llvm::isDigit(word.front()) &&
                       word.ends_with_insensitive("e") &&
                       (rest.starts_with("-") || rest.starts_with("+"));
    if (!hasExponent)
      return word;
    size_t digits = rest.drop_front().take_while(llvm::isDigit).size();
    return text.take_front(word.size() + 1 + digits);
  }
  for (StringRef two : {"**", "==", "!=", "<=", ">=", "<<", ">>", "//"})
    if (text.starts_with(two))
      return two;
  return text.take_front(1);
}

/// Returns true if an operand ends with this token, so that a sign after it is
/// binary.
static bool endsOperand(StringRef token) {
  if (token.empty())
    return false;
  if (token == ")")
    return true;
  return isNameChar(token.front()) &&
         !llvm::StringSwitch<bool>(token)
              .Cases({"and", "or", "not"}, true)
              .Cases({"floordiv", "ceildiv", "mod"}, true)
              .Default(false);
}

std::string detail::normalizeExprText(StringRef text) {
  std::string result;
  StringRef previous;
  bool glue = true; // the next token follows without a space
  for (text = text.ltrim(); !text.empty(); text = text.ltrim()) {
    StringRef token = takeToken(text);
    text = text.drop_front(token.size());
    bool isCall = token == "(" && endsOperand(previous);
    bool isSign = (token == "-" || token == "+") && !endsOperand(previous);
    if (!glue && token != "," && token != ")" && !isCall)
      result += ' ';
    result += token;
    glue = token == "(" || isSign;
    previous = token;
  }
  return result;
}

/// The name that has to be a boolean, if that is what an error is about: where
/// the error is, as the condition of `select`, or beside a comparison.
static StringRef findBooleanName(StringRef before, StringRef after) {
  if (after.consume_front("select")) {
    after = after.ltrim();
    after.consume_front("(");
    after = after.ltrim();
  }
  StringRef name = after.take_while(isNameChar);
  if (!name.empty())
    return name;
  before = before.rtrim();
  size_t length = 0;
  while (length < before.size() &&
         isNameChar(before[before.size() - length - 1]))
    ++length;
  if (length > 0)
    return before.take_back(length);
  after = after.ltrim("=! ");
  return after.take_while(isNameChar);
}

std::optional<std::string> detail::findExprError(StringRef text) {
  if (text.trim().empty())
    return "expected an expression";
  // Nothing is known of the names here. Each is taken for an integer, until it
  // stands where only a boolean can.
  llvm::StringSet<> booleans;
  while (true) {
    symbolic::ExprContext context;
    auto resolve = [&](StringRef name) {
      return context.symbol(name, booleans.contains(name)
                                      ? symbolic::SymbolType::Bool
                                      : symbolic::SymbolType::Int);
    };
    symbolic::ParseResult result = symbolic::parseExpr(text, context, resolve);
    if (result)
      return std::nullopt;
    size_t at = std::min(result.errorOffset, text.size());
    StringRef name = findBooleanName(text.take_front(at), text.drop_front(at));
    bool isMismatch = StringRef(result.errorMessage).contains("boolean");
    if (!isMismatch || !context.lookup(name) || !booleans.insert(name).second)
      return "in expression '" + text.trim().str() +
             "': " + result.errorMessage;
  }
}

bool detail::isPlainExprText(StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth += (c == '(') - (c == ')');
    bool isLoneGreater =
        c == '>' && depth == 0 && !text.drop_front(i + 1).starts_with("=");
    if (c == '!' || c == '%' || c == '/' || c == '.' || isLoneGreater)
      return false;
  }
  return true;
}
