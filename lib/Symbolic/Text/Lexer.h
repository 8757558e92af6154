//===- Lexer.h - The words of the expression grammar ------------*- C++ -*-===//
//
// One token of look-ahead over the text of an expression.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_TEXT_LEXER_H
#define TALLY_LIB_SYMBOLIC_TEXT_LEXER_H

#include "llvm/ADT/StringRef.h"

namespace tally::symbolic {

/// The operators of one precedence stand together.
enum class Token {
  End,
  Integer,
  Float,
  Name,
  LParen,
  RParen,
  Comma,
  Plus,
  Minus,
  StarStar,
  Star,
  Slash,
  FloorDiv,
  CeilDiv,
  Mod,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Not,
  Other
};

/// The current token and where it is.
class Lexer {
public:
  static bool isNameStart(char c);
  static bool isNamePart(char c);

protected:
  explicit Lexer(llvm::StringRef text) : text(text) { advance(); }

  /// Goes to the next token.
  void advance();
  /// Goes to the next token if the current one is as expected.
  bool consume(Token expected);
  /// Gives back everything from a position on, which nothing reads any more.
  void endAt(size_t position);
  llvm::StringRef spelling() const { return text.slice(start, end); }

  Token token = Token::End;
  /// The current token is text[start, end); the one before ended at
  /// previousEnd.
  size_t start = 0, end = 0, previousEnd = 0;
  /// The expression is embedded in a larger syntax.
  bool isPrefix = false;

private:
  void lexNumber();
  Token lexOperator();

  llvm::StringRef text;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_TEXT_LEXER_H
