//===- Lexer.cpp - The words of the expression grammar --------------------===//
//
// Splits the text of an expression into numbers, names and operators.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tally::symbolic;
using llvm::StringRef;

bool Lexer::isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool Lexer::isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

void Lexer::lexNumber() {
  auto skipDigits = [&] {
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
  };
  skipDigits();
  token = Token::Integer;
  if (end + 1 < text.size() && text[end] == '.' &&
      llvm::isDigit(text[end + 1])) {
    token = Token::Float;
    ++end;
    skipDigits();
  }
  size_t exponent = end;
  if (exponent < text.size() &&
      (text[exponent] == 'e' || text[exponent] == 'E')) {
    ++exponent;
    if (exponent < text.size() &&
        (text[exponent] == '+' || text[exponent] == '-'))
      ++exponent;
    if (exponent < text.size() && llvm::isDigit(text[exponent])) {
      token = Token::Float;
      end = exponent;
      skipDigits();
    }
  }
}

Token Lexer::lexOperator() {
  static const std::pair<StringRef, Token> operators[] = {
      {"**", Token::StarStar}, {"//", Token::FloorDiv}, {"<<", Token::Shl},
      {">>", Token::Shr},      {"==", Token::Eq},       {"!=", Token::Ne},
      {"<=", Token::Le},       {">=", Token::Ge},       {"<", Token::Lt},
      {">", Token::Gt},        {"+", Token::Plus},      {"-", Token::Minus},
      {"*", Token::Star},      {"/", Token::Slash},     {"%", Token::Mod},
      {"(", Token::LParen},    {")", Token::RParen},    {",", Token::Comma}};
  StringRef rest = text.substr(start);
  for (auto [name, result] : operators) {
    // A % in a larger syntax is the start of an SSA name.
    if (!rest.starts_with(name) || (isPrefix && result == Token::Mod))
      continue;
    end = start + name.size();
    return result;
  }
  // A character that begins no operator is taken as a whole, for messages:
  // `&&`, and a character of any number of bytes.
  end = start + 1;
  for (StringRef pair : {"&&", "||", "=>", "=<"})
    if (rest.starts_with(pair))
      end = start + pair.size();
  if (static_cast<unsigned char>(text[start]) >= 0xc0)
    while (end < text.size() &&
           (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
      ++end;
  return Token::Other;
}

void Lexer::advance() {
  previousEnd = end;
  start = end;
  while (start < text.size() && llvm::isSpace(text[start]))
    ++start;
  end = start;
  if (start == text.size()) {
    token = Token::End;
    return;
  }
  if (llvm::isDigit(text[start]))
    return lexNumber();
  if (!isNameStart(text[start])) {
    token = lexOperator();
    return;
  }
  while (end < text.size() && isNamePart(text[end]))
    ++end;
  token = llvm::StringSwitch<Token>(spelling())
              .Case("floordiv", Token::FloorDiv)
              .Case("ceildiv", Token::CeilDiv)
              .Case("mod", Token::Mod)
              .Case("and", Token::And)
              .Case("or", Token::Or)
              .Case("not", Token::Not)
              .Default(Token::Name);
}

bool Lexer::consume(Token expected) {
  if (token != expected)
    return false;
  advance();
  return true;
}

void Lexer::endAt(size_t position) {
  end = position;
  previousEnd = position;
  token = Token::Other;
}
