//===- ExprText.h - The text of attributes ----------------------*- C++ -*-===//
//
// Attributes of the dialect contain expressions, whose operators are not tokens
// of MLIR's lexer (`%`, `!=`, a lone `>`). They are read from the raw text of
// the attribute by this scanner.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IR_EXPRTEXT_H
#define TALLY_LIB_IR_EXPRTEXT_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tally::detail {

/// Reports an error at a place of the text.
using ErrorAt =
    llvm::function_ref<void(const char *where, const llvm::Twine &message)>;

/// Walks over the text of an attribute. Every `parse` method reports an error
/// and returns false or nothing if what it wants is not there; every `consume`
/// method returns false and stays where it is.
class Scanner {
public:
  Scanner(llvm::StringRef text, ErrorAt error) : rest(text), error(error) {}

  /// The text that has not been read, without leading white space.
  llvm::StringRef remaining();
  bool atEnd() { return remaining().empty(); }
  bool consume(llvm::StringRef token);
  bool consumeKeyword(llvm::StringRef keyword);
  bool parse(llvm::StringRef token);
  std::optional<llvm::StringRef> parseName(llvm::StringRef what);
  std::optional<int64_t> parseInteger();
  std::optional<std::string> parseString();
  /// The text up to a comma outside of parentheses, or to the end; a quoted
  /// string is taken without its quotes.
  std::optional<std::string> parseExprText();
  bool fail(const llvm::Twine &message);

private:
  llvm::StringRef rest;
  ErrorAt error;
};

/// The same expression with one space around binary operators, none inside of
/// parentheses.
std::string normalizeExprText(llvm::StringRef text);

/// The error in the text of an expression, or nothing.
std::optional<std::string> findExprError(llvm::StringRef text);

/// Returns true if the text can stand between `<` and `>` as tokens of MLIR's
/// lexer.
bool isPlainExprText(llvm::StringRef text);

} // namespace tally::detail

#endif // TALLY_LIB_IR_EXPRTEXT_H
