//===- Json.cpp - JSON in little memory -----------------------------------===//

#include "Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace llvm;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const JsonValue *JsonObject::get(StringRef name) const {
  for (const JsonMember &member : llvm::reverse(members))
    if (member.name == name)
      return &member.value;
  return nullptr;
}

std::optional<bool> JsonObject::getBoolean(StringRef name) const {
  const JsonValue *value = get(name);
  return value ? value->getBoolean() : std::nullopt;
}

std::optional<StringRef> JsonObject::getString(StringRef name) const {
  const JsonValue *value = get(name);
  return value ? value->getString() : std::nullopt;
}

std::optional<int64_t> JsonObject::getInteger(StringRef name) const {
  const JsonValue *value = get(name);
  return value ? value->getInteger() : std::nullopt;
}

std::optional<JsonObject> JsonObject::getObject(StringRef name) const {
  const JsonValue *value = get(name);
  return value ? value->getObject() : std::nullopt;
}

std::optional<bool> JsonValue::getBoolean() const {
  if (kind != Kind::Boolean)
    return std::nullopt;
  return size != 0;
}

std::optional<StringRef> JsonValue::getString() const {
  if (kind != Kind::String)
    return std::nullopt;
  return StringRef(static_cast<const char *>(data), size);
}

std::optional<StringRef> JsonValue::getNumberText() const {
  if (kind != Kind::Number)
    return std::nullopt;
  return StringRef(static_cast<const char *>(data), size);
}

std::optional<int64_t> JsonValue::getInteger() const {
  std::optional<StringRef> text = getNumberText();
  int64_t value;
  if (text && !text->getAsInteger(10, value))
    return value;
  std::optional<double> number = getDouble();
  // The next number that a double holds is beyond 64 bits.
  if (!number || std::trunc(*number) != *number || *number < -0x1p63 ||
      *number >= 0x1p63)
    return std::nullopt;
  return static_cast<int64_t>(*number);
}

std::optional<double> JsonValue::getDouble() const {
  std::optional<StringRef> text = getNumberText();
  double value;
  // Numbers too large are infinite, those too small are 0.
  if (!text || text->getAsDouble(value, /*AllowInexact=*/true))
    return std::nullopt;
  return value;
}

std::optional<ArrayRef<JsonValue>> JsonValue::getArray() const {
  if (kind != Kind::Array)
    return std::nullopt;
  return ArrayRef(static_cast<const JsonValue *>(data), size);
}

std::optional<JsonObject> JsonValue::getObject() const {
  if (kind != Kind::Object)
    return std::nullopt;
  return JsonObject(ArrayRef(static_cast<const JsonMember *>(data), size));
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// The parser recurses, and so does who reads the tree.
static constexpr unsigned kMaxNesting = 1000;

namespace {

/// Reads one text; stops at the first error.
class JsonParser {
public:
  JsonParser(StringRef text, StringRef what, BumpPtrAllocator &allocator)
      : text(text), rest(text), what(what), allocator(allocator) {}

  Expected<JsonValue> run() {
    size_t invalid = 0;
    if (!json::isUTF8(text, &invalid)) {
      rest = text.drop_front(invalid);
      fail("a character is not UTF-8");
    }
    JsonValue root;
    if (message.empty() && parseValue(root, 0) && !skipSpace().empty())
      fail("there is text behind its end");
    if (!message.empty())
      return createStringError(inconvertibleErrorCode(), message);
    return root;
  }

private:
  /// Notes an error at the rest of the text; false.
  bool fail(const Twine &problem) {
    StringRef before = text.drop_back(rest.size());
    size_t line = before.count('\n') + 1;
    size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    message = (what + " is not valid JSON: line " + Twine(line) + ", column " +
               Twine(column) + ": " + problem)
                  .str();
    return false;
  }

  StringRef skipSpace() { return rest = rest.ltrim(" \t\r\n"); }

  bool advance() {
    rest = rest.drop_front();
    return true;
  }
  bool expect(char c) {
    skipSpace();
    if (!rest.empty() && rest.front() == c)
      return advance();
    return fail("'" + Twine(c) + "' is expected");
  }

  template <typename T>
  ArrayRef<T> copy(ArrayRef<T> items) {
    T *memory = allocator.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return ArrayRef(memory, items.size());
  }

  bool parseValue(JsonValue &value, unsigned depth);
  bool parseArray(JsonValue &value, unsigned depth);
  bool parseObject(JsonValue &value, unsigned depth);
  bool parseNumber(JsonValue &value);
  bool parseString(StringRef &string);
  bool unescape(SmallVectorImpl<char> &out);
  bool parseCodeUnit(unsigned &unit);
  /// Parses what is between brackets, with commas between.
  bool parseList(char close, function_ref<bool()> parseItem);

  StringRef text, rest, what;
  BumpPtrAllocator &allocator;
  std::string message;
};

} // namespace

bool JsonParser::parseValue(JsonValue &value, unsigned depth) {
  skipSpace();
  if (rest.empty())
    return fail("it ends too early");
  char first = rest.front();
  if (first == '{' || first == '[') {
    if (depth == kMaxNesting) {
      message = (what + " is nested too deep, in more than " +
                 Twine(kMaxNesting) + " brackets")
                    .str();
      return false;
    }
    advance();
    return first == '{' ? parseObject(value, depth + 1)
                        : parseArray(value, depth + 1);
  }
  if (first == '"') {
    StringRef string;
    if (!parseString(string))
      return false;
    value = JsonValue(JsonValue::Kind::String, string);
    return true;
  }
  if (first == '-' || isDigit(first))
    return parseNumber(value);
  StringRef word = rest.take_while(isAlpha);
  if (word == "null")
    value = JsonValue();
  else if (word == "true" || word == "false")
    value = JsonValue(word == "true");
  else
    return fail("a value is expected");
  rest = rest.drop_front(word.size());
  return true;
}

bool JsonParser::parseNumber(JsonValue &value) {
  StringRef behind = rest;
  auto takeDigits = [&] {
    size_t count = behind.take_while(isDigit).size();
    behind = behind.drop_front(count);
    return count != 0;
  };
  behind.consume_front("-");
  bool isNumber = takeDigits();
  if (behind.consume_front("."))
    isNumber &= takeDigits();
  if (behind.consume_front_insensitive("e")) {
    if (!behind.consume_front("-"))
      behind.consume_front("+");
    isNumber &= takeDigits();
  }
  if (!isNumber)
    return fail("a number is expected");
  value = JsonValue(JsonValue::Kind::Number, rest.drop_back(behind.size()));
  rest = behind;
  return true;
}

bool JsonParser::parseList(char close, function_ref<bool()> parseItem) {
  if (skipSpace().starts_with(StringRef(&close, 1)))
    return advance();
  while (true) {
    if (!parseItem())
      return false;
    skipSpace();
    if (!rest.empty() && rest.front() == close)
      return advance();
    if (rest.empty() || rest.front() != ',')
      return fail("',' or '" + Twine(close) + "' is expected");
    advance();
  }
}

bool JsonParser::parseArray(JsonValue &value, unsigned depth) {
  SmallVector<JsonValue, 8> elements;
  bool isParsed = parseList(']', [&] {
    elements.emplace_back();
    return parseValue(elements.back(), depth);
  });
  value = JsonValue(copy<JsonValue>(elements));
  return isParsed;
}

bool JsonParser::parseObject(JsonValue &value, unsigned depth) {
  SmallVector<JsonMember, 8> members;
  bool isParsed = parseList('}', [&] {
    JsonMember &member = members.emplace_back();
    return parseString(member.name) && expect(':') &&
           parseValue(member.value, depth);
  });
  value = JsonValue(copy<JsonMember>(members));
  return isParsed;
}

/// Reads a string with its quotes.
bool JsonParser::parseString(StringRef &string) {
  if (!expect('"'))
    return false;
  auto isPlain = [](char c) {
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
  };
  string = rest.take_while(isPlain);
  rest = rest.drop_front(string.size());
  if (!rest.empty() && rest.front() == '"')
    return advance();
  SmallString<128> decoded(string);
  while (!rest.empty() && rest.front() != '"') {
    StringRef plain = rest.take_while(isPlain);
    decoded += plain;
    rest = rest.drop_front(plain.size());
    if (!rest.empty() && rest.front() == '\\') {
      if (!unescape(decoded))
        return false;
    } else if (!rest.empty() && rest.front() != '"') {
      return fail("a string has a control character");
    }
  }
  if (rest.empty())
    return fail("a string has no end");
  string = decoded.str().copy(allocator);
  return advance();
}

/// Reads the four digits of `\u`.
bool JsonParser::parseCodeUnit(unsigned &unit) {
  if (rest.take_front(4).size() != 4 || !all_of(rest.take_front(4), isHexDigit))
    return fail("four hexadecimal digits are expected");
  rest.take_front(4).getAsInteger(16, unit);
  rest = rest.drop_front(4);
  return true;
}

/// Reads what a backslash begins. Half of a pair without the other half is the
/// replacement character.
bool JsonParser::unescape(SmallVectorImpl<char> &out) {
  advance();
  static constexpr StringLiteral kNames = "\"\\/bfnrt",
                                 kValues = "\"\\/\b\f\n\r\t";
  if (rest.empty())
    return fail("a string has no end");
  char name = rest.front();
  if (size_t index = kNames.find(name); index != StringRef::npos) {
    out.push_back(kValues[index]);
    return advance();
  }
  if (name != 'u')
    return fail("an escape is unknown");
  advance();
  unsigned code;
  if (!parseCodeUnit(code))
    return false;
  auto isHigh = [](unsigned unit) { return (unit & 0xFC00) == 0xD800; };
  auto isLow = [](unsigned unit) { return (unit & 0xFC00) == 0xDC00; };
  if (isHigh(code) && rest.starts_with("\\u")) {
    StringRef behind = rest;
    rest = rest.drop_front(2);
    unsigned low;
    if (!parseCodeUnit(low))
      return false;
    if (isLow(low))
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    else
      rest = behind;
  }
  if (isHigh(code) || isLow(code))
    code = 0xFFFD;
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = bytes;
  // There is no code point that two units cannot tell.
  ConvertCodePointToUTF8(code, end);
  out.append(bytes, end);
  return true;
}

Expected<JsonValue> parseJson(StringRef text, StringRef what,
                              BumpPtrAllocator &allocator) {
  return JsonParser(text, what, allocator).run();
}

} // namespace tally::import_pt2
