//===- ContextImpl.h - Nodes and the tables that own them -------*- C++ -*-===//
//
// The nodes of expressions, and the private half of ExprContext. The
// builders of each family of expressions live in files of their own and meet
// here.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_EXPR_CONTEXTIMPL_H
#define TALLY_LIB_SYMBOLIC_EXPR_CONTEXTIMPL_H

#include "tally/Symbolic/Expr/Expr.h"
#include "tally/Symbolic/Expr/Interval.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace tally::symbolic {

namespace detail {

/// The parts in which equal nodes agree.
struct NodeKey {
  NodeKey(ExprKind kind, SymbolType type, unsigned payload,
          llvm::ArrayRef<Expr> operands);
  explicit NodeKey(const DynamicAPInt &value);
  explicit NodeKey(double real);

  bool matches(const ExprNode &node) const;

  ExprKind kind;
  SymbolType type;
  unsigned payload = 0;
  unsigned hash;
  llvm::ArrayRef<Expr> operands;
  const DynamicAPInt *value = nullptr;
  uint64_t realBits = 0;
};

struct NodeInfo {
  static ExprNode *getEmptyKey() {
    return llvm::DenseMapInfo<ExprNode *>::getEmptyKey();
  }
  static ExprNode *getTombstoneKey() {
    return llvm::DenseMapInfo<ExprNode *>::getTombstoneKey();
  }
  static unsigned getHashValue(const ExprNode *node) { return node->hash; }
  static unsigned getHashValue(const NodeKey &key) { return key.hash; }
  static bool isEqual(const ExprNode *a, const ExprNode *b) { return a == b; }
  static bool isEqual(const NodeKey &key, const ExprNode *node) {
    if (node == getEmptyKey() || node == getTombstoneKey())
      return false;
    return key.matches(*node);
  }
};

} // namespace detail

/// The tables of a context.
struct ExprContext::Impl {
  ~Impl();

  /// Literals of this magnitude and less are found without hashing.
  static constexpr int64_t maxSmall = 32;

  llvm::BumpPtrAllocator allocator;
  /// Literals that do not fit a machine word need their destructor.
  llvm::SmallVector<DynamicAPInt *, 0> largeValues;
  Expr smallValues[2 * maxSmall + 1];
  llvm::DenseSet<detail::ExprNode *, detail::NodeInfo> nodes;
  llvm::StringMap<Expr> names;
  llvm::SmallVector<Expr, 16> symbols;
  Expr trueExpr, falseExpr;

  /// Finds or makes the node.
  Expr get(const detail::NodeKey &key);
  detail::ExprNode *allocateNode(ExprKind kind, SymbolType type,
                                 unsigned payload,
                                 llvm::ArrayRef<Expr> operands);
  Expr makeSymbol(llvm::StringRef name, SymbolType type, bool anonymous);
  /// Fills in what follows from kind and operands.
  void derive(detail::ExprNode &node);
};

/// The tables of a context.
inline ExprContext::Impl &getImpl(const ExprContext &context) {
  struct Access : ExprContext {
    static Impl &get(const ExprContext &context) {
      return *(context.*&Access::impl);
    }
  };
  return Access::get(context);
}

/// Finds or makes a node as it stands, with no canonicalization.
Expr makeNode(ExprContext &context, ExprKind kind, SymbolType type,
              llvm::ArrayRef<Expr> operands, unsigned payload = 0);

/// Finds a node that was made before, or gives null.
Expr findNode(ExprContext &context, ExprKind kind, SymbolType type,
              llvm::ArrayRef<Expr> operands);

/// Finds or makes a node; one without symbols that has a value is a literal.
Expr makeFolded(ExprContext &context, ExprKind kind, SymbolType type,
                llvm::ArrayRef<Expr> operands, unsigned payload = 0);
/// Python's min or max of numbers of which one is a float.
Expr makeFloatExtremum(ExprContext &context, ExprKind kind,
                       llvm::ArrayRef<Expr> operands);

/// Terms of a polynomial while it is being built.
using TermList = llvm::SmallVector<Term, 4>;

/// The terms of a sum as they stand; an expression that is no sum is one term,
/// zero has none.
inline llvm::ArrayRef<Expr> getTermOperands(const Expr &expr) {
  if (expr.getKind() == ExprKind::Add)
    return expr.getOperands();
  return expr.isConstant(0) ? llvm::ArrayRef<Expr>()
                            : llvm::ArrayRef<Expr>(expr);
}

/// The operands would not outlive a temporary.
llvm::ArrayRef<Expr> getTermOperands(Expr &&expr) = delete;

/// A term where it stands. The monomial of a literal is null.
struct TermView {
  Expr monomial;
  const DynamicAPInt *coefficient;
};
inline TermView viewTerm(Expr term) {
  static const DynamicAPInt unit(1);
  if (term.isConstant())
    return {Expr(), &term.getConstant()};
  if (term.getKind() == ExprKind::Mul && term.getOperand(0).isConstant())
    return {term.getOperand(1), &term.getOperand(0).getConstant()};
  return {term, &unit};
}
/// The term times -1.
Expr negateTerm(ExprContext &context, Expr term);
/// Returns true for a sum of multiples of integer symbols and a literal.
inline bool isLinear(Expr expr) { return expr.getNode()->linear; }
/// Returns true for a comparison of such.
bool isLinearComparison(Expr expr);

/// Sorts terms, adds up those of the same monomial and makes the expression.
Expr makeSum(ExprContext &context, TermList &&terms);
Expr makeSum(ExprContext &context, llvm::ArrayRef<Term> terms);
/// The sum of terms that are in canonical order, each monomial once, and need
/// no rules.
Expr makeSortedSum(ExprContext &context, llvm::ArrayRef<Expr> operands);
/// The product of a coefficient and a monomial; a null monomial stands for 1.
Expr makeTerm(ExprContext &context, const DynamicAPInt &coefficient,
              Expr monomial);
/// The monomial of factors in canonical order.
Expr makeMonomial(ExprContext &context, llvm::ArrayRef<Factor> factors);
/// a / b as monomials, null if b does not divide a.
Expr divideMonomial(ExprContext &context, Expr a, Expr b);
/// The greatest monomial that divides both.
Expr gcdMonomial(ExprContext &context, Expr a, Expr b);
/// A term with a factor that cancels against the rest of it, in other terms:
/// c * (x floordiv c), c * exact_div(x, c), abs(x) ** 2. Null if there is none.
Expr reduceTerm(ExprContext &context, const Term &term);
/// Adds terms to a sum that make it shorter: where a half rounded down stands
/// with the whole, or with the half rounded up, and where a quotient stands
/// with its remainder. `x - x floordiv 2` is `(x + 1) floordiv 2`. True if
/// anything was added.
bool mergeRounded(ExprContext &context, TermList &terms);
/// An atom that is `dividend mod modulus`.
struct Remainder {
  Expr dividend, modulus;
};
/// Views `x mod d` as a remainder, and `(x mod (c * d)) floordiv c`, which is
/// how `(x floordiv c) mod d` is written for literals.
std::optional<Remainder> viewRemainder(ExprContext &context, Expr atom);
/// The canonical order of monomials: highest degree first.
int compareMonomials(Expr a, Expr b);

/// `0 floordiv divisor`: 0, but undefined where the divisor is 0; the literal 0
/// for a divisor that is a literal other than 0.
Expr makeZeroDivision(ExprContext &context, Expr divisor);

/// Returns true for 0 and for sums of expressions that are 0 wherever defined.
bool isZeroValued(Expr expr);

/// Greatest common divisor of the coefficients, without the constant term if
/// asked; 0 if there is none.
DynamicAPInt getContent(llvm::ArrayRef<Term> terms, bool withConstant);

/// |value| < 2 ** 65536: larger literals are never folded.
bool isReasonable(const DynamicAPInt &value);
/// value ** exponent, or nothing if that is unreasonably large.
std::optional<DynamicAPInt> powReasonable(const DynamicAPInt &value,
                                          unsigned exponent);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_EXPR_CONTEXTIMPL_H
