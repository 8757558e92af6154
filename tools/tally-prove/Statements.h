//===- Statements.h - The lines that tally-prove reads ----------*- C++ -*-===//
//
// One statement a line; `//` starts a comment, so division that rounds down is
// written `floordiv` here.
//
//   declaration := ("symbol" | "int") name ("," name)* restriction*
//                | ("float" | "bool") name ("," name)*
//   restriction := "in" ("[" | "(") bound "," bound ("]" | ")")
//                | "divisible" "by" natural
//   bound       := "inf" | "-inf" | expression without symbols
//   fact        := "fact" expression
//   scope       := "push" | "pop" | "reset"
//   query       := "prove" expression
//                | "equal" expression "," expression
//                | "simplify" expression | "range" expression
//                | "divisors" expression
//                | "solve" name ("," name)* "from" equation ("," equation)*
//                | "eval" expression ("with" value ("," value)*)?
//   value       := name "=" expression without symbols
//
// Expressions are those of tally/Symbolic/Text/Parser.h. Their keywords, and
// the words in quotes above other than "by", cannot be names.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYPROVE_STATEMENTS_H
#define TALLY_TOOLS_TALLYPROVE_STATEMENTS_H

#include "tally/Symbolic/Expr/Interval.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace tally::prove {

/// What a line is, by its first word.
enum class Keyword {
  Nothing, ///< An empty line, or a comment.
  Symbol,
  Int,
  Float,
  Bool,
  Fact,
  Push,
  Pop,
  Reset,
  Prove,
  Equal,
  Simplify,
  Range,
  Divisors,
  Solve,
  Eval,
  Unknown ///< No statement; counts as a query.
};

/// Returns true for what prints a line on standard output.
bool isQuery(Keyword keyword);

/// A line cut into its first word and the rest. All parts point into `text`.
struct Statement {
  Keyword keyword = Keyword::Nothing;
  /// With the comment, without the end of line.
  llvm::StringRef text;
  /// Without the comment.
  llvm::StringRef line;
  llvm::StringRef word;
  llvm::StringRef rest;

  explicit Statement(llvm::StringRef text);
  /// Returns true if the `//` may have been meant as a division, as in `n //
  /// 2`: two blanks before it, or anything that is no fact or query, say that
  /// it starts a comment.
  bool hasDoubtfulComment() const;
  /// Where a part of the line begins.
  size_t offsetOf(llvm::StringRef part) const {
    return part.data() - line.data();
  }
};

/// Why a statement is wrong, and the part of the line that is.
struct Failure {
  size_t offset = 0;
  std::string message;
};

/// What `symbol n in [0, 4096] divisible by 8` says.
struct Declaration {
  llvm::SmallVector<llvm::StringRef, 2> names;
  std::optional<symbolic::Interval> range;
  std::optional<symbolic::DynamicAPInt> divisor;
};

/// Reads what follows the first word of a declaration; false after a failure.
bool parseDeclaration(const Statement &statement, Declaration &declaration,
                      Failure &failure);

/// The operands of a fact or a query, as they would be if its `//` were a
/// division: the one that has it, with what follows it up to the end of the
/// line, and up to the next `//`.
llvm::SmallVector<llvm::StringRef, 2>
readCommentAsDivision(const Statement &statement);

/// Returns true if the text is an identifier and no keyword.
bool isValidName(llvm::StringRef name);

/// Cuts at the commas that are outside of parentheses, and trims the parts.
llvm::SmallVector<llvm::StringRef, 2> splitAtCommas(llvm::StringRef text);

/// Cuts at the first occurrence of a word; the second part is null if there is
/// none.
std::pair<llvm::StringRef, llvm::StringRef> splitAtWord(llvm::StringRef text,
                                                        llvm::StringRef word);

} // namespace tally::prove

#endif // TALLY_TOOLS_TALLYPROVE_STATEMENTS_H
