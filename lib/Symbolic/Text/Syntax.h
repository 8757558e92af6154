//===- Syntax.h - Expressions as they are written ---------------*- C++ -*-===//
//
// The tree that the parser makes of a text. SyntaxBuilder makes a canonical
// expression of it; evaluateSyntax computes it step by step.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_TEXT_SYNTAX_H
#define TALLY_LIB_SYMBOLIC_TEXT_SYNTAX_H

#include "Lexer.h"
#include "tally/Symbolic/Expr/Expr.h"

#include "llvm/Support/Allocator.h"

namespace tally::symbolic {

enum class SyntaxKind : uint8_t {
  Leaf, ///< A literal, or the symbol that a name stands for.
  Or,
  And,
  Not,        ///< One operand behind one or more `not`.
  Comparison, ///< A chain: `a <= b < c`.
  Shift,      ///< A chain of `<<` and `>>`.
  Sum,        ///< A chain of `+` and `-`.
  Product,    ///< A chain of `*`, `/`, `floordiv`, `ceildiv` and `mod`.
  Sign,       ///< One operand behind `-` or `+`.
  Power,      ///< [base, exponent]
  Call,       ///< A function with its arguments.
};

/// A node of the tree. It lives as long as the parser that made it.
struct Syntax {
  /// Between the operands i and i + 1 of a chain, or before an operand.
  struct Operator {
    Token token;
    size_t offset;
  };

  SyntaxKind kind;
  /// Where the text of the node begins.
  size_t offset;
  llvm::ArrayRef<Syntax *> operands;
  llvm::ArrayRef<Operator> operators;
  /// Of a Leaf.
  Expr leaf;
  /// Of a Call: the name of the function.
  llvm::StringRef name;
};

/// The first error in a text.
struct SyntaxError {
  bool failed = false;
  size_t offset = 0;
  std::string message;

  /// Keeps the first of several; returns null to return.
  std::nullptr_t set(size_t at, const llvm::Twine &text);
};

/// Makes expressions of trees and checks the types of operands: canonical ones
/// with an ExprContext, others with WrittenExprs.
template <typename Context>
class SyntaxBuilder {
public:
  SyntaxBuilder(Context &context, SyntaxError &error)
      : context(context), error(error) {}

  /// Builds a whole tree; null after an error.
  Expr build(const Syntax &syntax);

  /// Applies one operator of a chain to what its operands became.
  Expr applyOperator(const Syntax &syntax, unsigned index, Expr a, Expr b);
  /// Applies a Not, Sign, Power or Call. The exponent of a power is built from
  /// the tree and is no operand here.
  Expr apply(const Syntax &syntax, llvm::ArrayRef<Expr> operands);

private:
  Expr buildLogical(const Syntax &syntax);
  Expr buildComparison(const Syntax &syntax);
  Expr buildSum(const Syntax &syntax);
  Expr applyComparison(Token op, Expr a, Expr b, size_t at);
  Expr applyShift(const Syntax &syntax, unsigned index, Expr a, Expr amount);
  Expr applyProduct(const Syntax &syntax, unsigned index, Expr a, Expr b);
  Expr applyPower(const Syntax &syntax, Expr base);
  Expr applyCall(const Syntax &syntax, llvm::ArrayRef<Expr> arguments);
  Expr applyFunction(const Syntax &syntax, llvm::ArrayRef<Expr> arguments);
  Expr applyRound(const Syntax &syntax, Expr number, Expr digits);

  bool expectNumber(Expr expr, size_t at);
  bool expectInt(Expr expr, size_t at);
  bool expectBool(Expr expr, size_t at);
  Expr checkDepth(Expr expr, size_t at);

  Context &context;
  SyntaxError &error;
};

class WrittenExprs;
extern template class SyntaxBuilder<ExprContext>;
extern template class SyntaxBuilder<WrittenExprs>;

/// Computes a tree that SyntaxBuilder has found right, in 64 bits.
EvalResult evaluateSyntax(const Syntax &syntax, ExprContext &context,
                          Assignment assignment);

/// The message of SyntaxBuilder for a number in place of a boolean.
extern const llvm::StringRef kExpectedBoolean;
/// The message of everything that refuses what is nested.
extern const llvm::StringRef kTooDeep;

/// The least and the largest number of arguments of a function; nothing for
/// what is no function.
std::optional<std::pair<unsigned, unsigned>> getArity(llvm::StringRef name);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_TEXT_SYNTAX_H
