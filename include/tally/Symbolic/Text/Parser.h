//===- Parser.h - Text of symbolic expressions ------------------*- C++ -*-===//
//
// The one grammar of expressions, used by attributes, tools and tests:
// Python's operators and precedence with `floordiv`, `ceildiv` and `mod` at
// the level of `*`.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_TEXT_PARSER_H
#define TALLY_SYMBOLIC_TEXT_PARSER_H

#include "tally/Symbolic/Expr/Expr.h"

namespace tally::symbolic {

/// The treatment of a name by the parser.
enum class SymbolPolicy : uint8_t {
  /// A name must have been declared (ExprContext::symbol), else it is an error.
  MustExist,
  /// An unknown name declares a symbol: a boolean where the text takes nothing
  /// else, an integer elsewhere.
  DeclareInt,
};

/// An expression, or an error at a byte offset of the text.
struct ParseResult {
  Expr expr;
  size_t errorOffset = 0;
  std::string errorMessage;

  explicit operator bool() const { return static_cast<bool>(expr); }
  Expr operator*() const { return expr; }
};

/// Resolves a name of the text; null makes it an "unknown symbol" error.
using NameResolver = llvm::function_ref<Expr(llvm::StringRef name)>;

/// Parses the whole text as one expression.
///
///   expr    := or-expr
///   or      := and ("or" and)*            and  := not ("and" not)*
///   not     := "not" not | compare        compare := shift (cmp shift)*
///   shift   := sum (("<<" | ">>") sum)*
///   sum     := product (("+" | "-") product)*
///   product := unary (("*" | "/" | "floordiv" | "ceildiv" | "mod") unary)*
///              ("//" and "%" read as "floordiv" and "mod")
///   unary   := "-" unary | "+" unary | power
///   power   := primary ("**" unary)?      (the exponent is a literal natural)
///   primary := integer | float | name | "true" | "false" | "(" expr ")"
///            | ("min" | "max") "(" expr ("," expr)* ")" | "abs" "(" expr ")"
///            | "select" "(" expr "," expr "," expr ")"
///            | "exact_div" "(" expr "," expr ")"
///            | "residue" "(" expr ")"          (0 where it is defined)
///            | "pow" "(" expr "," expr ")"     (also of floats)
///            | ("to_float" | "to_int" | "trunc" | "floor" | "ceil" | "round"
///               | "sqrt" | "exp" | "log" | "log2" | "sin" | "cos" | "tan"
///               | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh"
///               | "asinh") "(" expr ")"
///            | "round" "(" expr "," integer literal ")"
///            | ("bitwise_and" | "bitwise_or" | "bitwise_xor")
///                "(" expr "," expr ")"
///
/// `trunc` is `to_int`. Names of functions that are no keywords are free for
/// symbols; they are functions where a parenthesis follows.
///
/// A chain `a <= b < c` means `a <= b and b < c`.
ParseResult parseExpr(llvm::StringRef text, ExprContext &context,
                      SymbolPolicy policy = SymbolPolicy::MustExist);
ParseResult parseExpr(llvm::StringRef text, ExprContext &context,
                      NameResolver resolve);

/// Parses an expression at the start of `text` and sets `consumed` to where it
/// ends: the longest prefix that is one expression. For embedding expressions
/// in a larger syntax, up to a delimiter that no expression contains (a comma,
/// a closing parenthesis, `:`, `=`). With `allowComparison` false, `<`, `>`,
/// `==`, ..., `and`, `or`, `not` end the expression instead.
ParseResult parseExprPrefix(llvm::StringRef text, ExprContext &context,
                            NameResolver resolve, size_t &consumed,
                            bool allowComparison = true);

/// As parseExpr, but the result is what the text says and not canonical: only
/// for printing it in SMT-LIB (SMTLib.h) and for `evaluate`, to check what the
/// canonical form and the prover make of the text.
ParseResult parseAsWritten(llvm::StringRef text, ExprContext &context,
                           NameResolver resolve);

/// Parses the whole text and computes it as it is written, as a machine would:
/// an integer that does not fit in 64 bits, on the way or in the end, is an
/// overflow. (`evaluate` computes the canonical expression instead, in which
/// `n * m - n * m` is 0, with numbers of any size.)
ParseResult evaluateAsWritten(llvm::StringRef text, ExprContext &context,
                              NameResolver resolve, Assignment assignment,
                              EvalResult &result);

/// Returns true if the text may name a symbol: an identifier that is no
/// keyword.
bool isValidSymbolName(llvm::StringRef name);

/// The keywords of the grammar.
llvm::ArrayRef<llvm::StringRef> getKeywords();

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_TEXT_PARSER_H
