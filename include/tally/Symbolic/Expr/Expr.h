//===- Expr.h - Canonical, hash-consed symbolic expressions -----*- C++ -*-===//
//
// The expression language of symbolic sizes. An ExprContext owns expressions
// and brings each one into canonical form while it is built, so that equal
// polynomials are the same pointer. Numbers are mathematical integers without
// a width. Nothing in here knows MLIR's IR.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_EXPR_EXPR_H
#define TALLY_SYMBOLIC_EXPR_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/PointerLikeTypeTraits.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tally::symbolic {

using llvm::DynamicAPInt;

class ExprContext;

/// The type of the value of an expression or a symbol.
enum class SymbolType : uint8_t { Int, Bool, Float };

/// How a float becomes an integer.
enum class RoundingMode : uint8_t {
  TowardZero,
  Down,
  Up,
  NearestEven, ///< Halves go to the even neighbor, as Python's `round`.
};

/// The float functions of one float. They are those of C's library, and
/// undefined where Python's `math` raises an error.
enum class FloatFunction : uint8_t {
  Abs,
  Sqrt,
  Exp,
  Log,
  Log2,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
};

/// Operations on the bits of integers, negative ones as infinitely many ones.
enum class BitwiseOp : uint8_t { And, Or, Xor };

/// How the grammar calls a function: "floor", "log2", "bitwise_and".
llvm::StringRef toString(RoundingMode rounding);
llvm::StringRef toString(FloatFunction function);
llvm::StringRef toString(BitwiseOp op);
/// The function of that name, or nothing.
std::optional<RoundingMode> getRounding(llvm::StringRef name);
std::optional<FloatFunction> getFloatFunction(llvm::StringRef name);
std::optional<BitwiseOp> getBitwiseOp(llvm::StringRef name);

/// The kinds of canonical expression nodes. Subtraction, negation, `ceildiv`
/// of integers, `>` and `>=` have no node: they are written with the others.
enum class ExprKind : uint8_t {
  // Integers.
  Constant, ///< A literal of any size.
  Symbol,   ///< A named unknown (of any of the three types).
  Add,      ///< At least two terms, highest degree first, a constant last.
  Mul,      ///< Either [Constant, monomial] or two or more monomial factors.
  Pow,      ///< One operand, raised to getExponent() >= 2.
  FloorDiv, ///< [a, b]: rounds to minus infinity; undefined at b == 0.
  Mod,      ///< [a, b]: a - b * (a floordiv b), Python's sign rule.
  ExactDiv, ///< [a, b]: a / b, undefined where b does not divide a.
  Min,      ///< Two or more operands.
  Max,      ///< Two or more operands.
  Abs,      ///< One operand.
  Select,   ///< [condition, then, else], lazy in the last two; of any type.
  Residue,  ///< [a]: 0 where `a` is defined, undefined elsewhere.
  ToInt,    ///< [f]: a float, rounded as getRounding() says.
  /// [a, b]: a ** b where no literal; undefined at b < 0.
  SymbolicPow,
  Bitwise, ///< [a, b]: the operation getBitwiseOp().
  // Booleans.
  BoolConstant,
  Eq,  ///< [a, b]
  Ne,  ///< [a, b]
  Le,  ///< [a, b]
  Lt,  ///< [a, b]
  And, ///< Two or more operands, lazy from left to right.
  Or,  ///< Two or more operands, lazy from left to right.
  Not, ///< Only of what has no negated form: a Bool symbol, float comparisons.
  // Floats. IEEE double, evaluated as written, never reassociated.
  FloatConstant,
  ToFloat, ///< [i]
  FloatAdd,
  FloatSub,
  FloatMul,
  TrueDiv, ///< [a, b] of integers or floats; undefined at b == 0.
  FloatNeg,
  FloatMin,   ///< Two or more operands; Python's, so their order matters.
  FloatMax,   ///< Two or more operands; Python's, so their order matters.
  FloatUnary, ///< [f]: the function getFloatFunction().
  FloatPow,   ///< [a, b]
  /// [f]: rounded to getDigits() decimal digits after the point.
  RoundDecimal,
};

namespace detail {
struct ExprNode;
} // namespace detail

/// A reference to an immutable expression that an ExprContext owns. Trivially
/// copyable; may be null. Within one context two integer expressions that are
/// equal as polynomials over their atoms are equal as pointers.
class Expr {
public:
  Expr() = default;
  explicit Expr(const detail::ExprNode *node) : node(node) {}

  explicit operator bool() const { return node != nullptr; }
  bool operator==(Expr other) const { return node == other.node; }
  bool operator!=(Expr other) const { return node != other.node; }

  inline ExprKind getKind() const;
  inline SymbolType getType() const;
  inline llvm::ArrayRef<Expr> getOperands() const;
  inline Expr getOperand(unsigned index) const;

  bool isInt() const { return getType() == SymbolType::Int; }
  bool isBool() const { return getType() == SymbolType::Bool; }
  bool isFloat() const { return getType() == SymbolType::Float; }

  /// Returns true for an integer literal.
  bool isConstant() const { return getKind() == ExprKind::Constant; }
  /// Returns true for this integer literal.
  inline bool isConstant(int64_t value) const;
  /// The value of an integer literal.
  inline const DynamicAPInt &getConstant() const;
  /// The value of an integer literal that fits, else nothing.
  std::optional<int64_t> getInt64() const;

  inline bool isTrue() const;
  inline bool isFalse() const;
  /// The value of a float literal.
  double getFloat() const;

  bool isSymbol() const { return getKind() == ExprKind::Symbol; }
  /// The name of a symbol; of an anonymous one a name that is only for people.
  llvm::StringRef getName() const;
  /// The position of a symbol in the order of definition.
  inline unsigned getOrdinal() const;
  /// Returns true for a symbol made by ExprContext::anonymous.
  bool isAnonymous() const;

  /// The exponent of a Pow.
  inline unsigned getExponent() const;
  /// The way in which a ToInt rounds.
  RoundingMode getRounding() const;
  /// The function of a FloatUnary.
  FloatFunction getFloatFunction() const;
  /// The operation of a Bitwise.
  BitwiseOp getBitwiseOp() const;
  /// The digits that a RoundDecimal keeps; below zero for tens, hundreds, ...
  int getDigits() const;

  /// How many nodes the expression has, each counted wherever it occurs, up to
  /// some large number.
  inline unsigned getSize() const;

  /// Returns true if the expression has a value for every assignment of its
  /// symbols: nothing in it divides by something that might be zero. (A
  /// constant divisor is harmless, `s0 floordiv s1` is not total.)
  inline bool isTotal() const;
  /// Longest path to a leaf; a leaf has depth 1.
  inline unsigned getDepth() const;
  /// The last-defined symbol in the expression, as ordinal + 1; 0 without
  /// symbols.
  inline unsigned getLatestOrdinal() const;

  bool isComparison() const {
    return getKind() >= ExprKind::Eq && getKind() <= ExprKind::Lt;
  }

  const detail::ExprNode *getNode() const { return node; }

  /// The text that `parseExpr` reads back to the same expression.
  std::string str() const;

private:
  const detail::ExprNode *node = nullptr;
};

namespace detail {

/// An immutable expression. Equal nodes of a context are the same node.
struct ExprNode {
  ExprKind kind;
  SymbolType type;
  /// Has a value for every assignment.
  bool total;
  /// Is 0 wherever it is defined, and there only to keep it undefined.
  bool zeroValued;
  /// A monomial that has a factor which others may cancel (Reduction.cpp).
  bool isReducible;
  /// Total, and no term of it (as a sum) has a FloorDiv among its factors:
  /// sums and multiples of such need no rules beyond adding up.
  bool plain;
  /// Holds a kind other than symbols, literals, sums, products and powers:
  /// something that facts may fold.
  bool foldable;
  /// Depends on a choice between numbers: a select, a minimum or a maximum.
  bool choice;
  /// A sum of multiples of integer symbols and a literal.
  bool linear;
  bool anonymous;
  /// Exponent of a Pow, ordinal of a symbol, value of a BoolConstant, digits of
  /// a RoundDecimal; which one of a RoundingMode, FloatFunction or BitwiseOp.
  unsigned payload;
  unsigned numOperands;
  unsigned depth;
  /// How many nodes the expression has as a tree, up to a limit.
  unsigned size;
  /// Total degree as a monomial over atoms; 0 for literals.
  unsigned degree;
  /// Definition + 1 of the last-defined symbol.
  unsigned latestOrdinal;
  unsigned hash;
  unsigned nameLength;
  const Expr *operands;
  union {
    const DynamicAPInt *value;
    const char *name;
    double real;
  };
  /// A sum without its constant term in lowest terms, once somebody asked
  /// (see FactTables.h).
  mutable const ExprNode *primitivePart;
  /// The expression times -1, once somebody asked.
  mutable const ExprNode *negated;
};

} // namespace detail

inline ExprKind Expr::getKind() const { return node->kind; }
inline SymbolType Expr::getType() const { return node->type; }
inline llvm::ArrayRef<Expr> Expr::getOperands() const {
  return {node->operands, node->numOperands};
}
inline Expr Expr::getOperand(unsigned index) const {
  return getOperands()[index];
}
inline const DynamicAPInt &Expr::getConstant() const {
  assert(isConstant() && "not an integer literal");
  return *node->value;
}
inline bool Expr::isConstant(int64_t value) const {
  return isConstant() && *node->value == value;
}
inline bool Expr::isTrue() const {
  return getKind() == ExprKind::BoolConstant && node->payload;
}
inline bool Expr::isFalse() const {
  return getKind() == ExprKind::BoolConstant && !node->payload;
}
inline unsigned Expr::getOrdinal() const {
  assert(isSymbol() && "only symbols are defined");
  return node->payload;
}
inline unsigned Expr::getExponent() const {
  assert(getKind() == ExprKind::Pow && "not a power");
  return node->payload;
}
inline bool Expr::isTotal() const { return node->total; }
inline unsigned Expr::getDepth() const { return node->depth; }
inline unsigned Expr::getSize() const { return node->size; }
inline unsigned Expr::getLatestOrdinal() const { return node->latestOrdinal; }

/// Prints in infix with as few parentheses as Python's precedence allows.
void print(Expr expr, llvm::raw_ostream &os);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Expr expr);

/// One term of an integer polynomial. The monomial of the constant term is the
/// literal 1; other monomials have no coefficient of their own.
struct Term {
  DynamicAPInt coefficient;
  Expr monomial;
};

/// One factor of a monomial: an atom and its power, at least 1.
struct Factor {
  Expr atom;
  unsigned power;
};

/// Splits a term, an expression that is no Add, into coefficient and monomial.
/// Constant terms need the context for the literal 1.
Term getTerm(Expr term, ExprContext &context);
/// The terms of an integer expression in canonical order; none for zero.
llvm::SmallVector<Term, 4> getTerms(Expr expr, ExprContext &context);
/// The constant term.
DynamicAPInt getConstantTerm(Expr expr);
/// The factors of a monomial (no coefficient) in canonical order.
llvm::SmallVector<Factor, 4> getFactors(Expr monomial);

/// A total structural order that depends on order of definition alone, never on
/// spelling, addresses or what else the context holds: negative, zero or
/// positive as `a` comes before `b`.
int compare(Expr a, Expr b);

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The value of an expression: an integer, a boolean or a float.
class Value {
public:
  Value() = default;
  static Value ofInt(DynamicAPInt value);
  static Value ofInt(int64_t value) { return ofInt(DynamicAPInt(value)); }
  static Value ofBool(bool value);
  static Value ofFloat(double value);

  SymbolType getType() const { return type; }
  const DynamicAPInt &getInt() const { return integer; }
  bool getBool() const { return boolean; }
  double getFloat() const { return real; }

  bool operator==(const Value &other) const;
  bool operator!=(const Value &other) const { return !(*this == other); }

private:
  SymbolType type = SymbolType::Int;
  bool boolean = false;
  double real = 0;
  DynamicAPInt integer;
};

/// Why an expression has no value.
enum class EvalError : uint8_t {
  None,
  DivisionByZero,
  InexactDivision,  ///< exact_div of what does not divide.
  Overflow,         ///< A number too large to hold or to convert.
  UnboundSymbol,    ///< The assignment says nothing about a symbol.
  NotANumber,       ///< A float that has no integer value, or a real sqrt.
  NegativeExponent, ///< A natural power, or a shift, by a negative number.
};

/// A short English name: "division by zero".
llvm::StringRef toString(EvalError error);

/// A value, or the reason why there is none.
struct EvalResult {
  Value value;
  EvalError error = EvalError::None;

  bool isDefined() const { return error == EvalError::None; }
};

/// Gives symbols their values; nothing for an unbound one.
using Assignment = llvm::function_ref<std::optional<Value>(Expr symbol)>;

/// Evaluates with Python's meaning. `and`, `or` and `select` do not evaluate
/// what they do not need.
EvalResult evaluate(Expr expr, Assignment assignment);
EvalResult evaluate(Expr expr, const llvm::DenseMap<Expr, Value> &assignment);

} // namespace tally::symbolic

namespace llvm {
template <>
struct DenseMapInfo<tally::symbolic::Expr> {
  using Expr = tally::symbolic::Expr;
  using Node = const tally::symbolic::detail::ExprNode;
  static Expr getEmptyKey() {
    return Expr(reinterpret_cast<Node *>(static_cast<uintptr_t>(-1) << 12));
  }
  static Expr getTombstoneKey() {
    return Expr(reinterpret_cast<Node *>(static_cast<uintptr_t>(-2) << 12));
  }
  static unsigned getHashValue(Expr expr) {
    return DenseMapInfo<const void *>::getHashValue(expr.getNode());
  }
  static bool isEqual(Expr a, Expr b) { return a == b; }
};
} // namespace llvm

namespace tally::symbolic {

/// Maps symbols (or any atoms) to what takes their place.
using Substitution = llvm::DenseMap<Expr, Expr>;

/// Owns symbols and expressions, and builds expressions in canonical form.
/// Not thread-safe; make one for each analysis. An Expr must not outlive its
/// context nor meet one of another context.
///
/// Every rule used here holds for all integers. Rules that need a range or a
/// fact are in Facts::simplify. Whatever is undefined for some assignment
/// stays undefined for it: `x floordiv x` becomes `0 floordiv x + 1`, which
/// has no value at x == 0 either.
class ExprContext {
public:
  ExprContext();
  ~ExprContext();
  ExprContext(const ExprContext &) = delete;
  ExprContext &operator=(const ExprContext &) = delete;

  //===--------------------------------------------------------------------===//
  // Symbols. The order of their definition is the canonical order.
  //===--------------------------------------------------------------------===//

  /// Gets the symbol of this name; the first call declares it. It is an error
  /// (asserted) to ask for a declared name with another type.
  Expr symbol(llvm::StringRef name, SymbolType type = SymbolType::Int);
  /// Gets a declared symbol, or null.
  Expr lookup(llvm::StringRef name) const;
  /// Lets the name of a declared symbol declare another one, defined later.
  /// Expressions of the old symbol stay what they are.
  void forgetName(Expr symbol);
  /// Makes a fresh symbol that no name finds. The hint is printed, followed by
  /// a number, after a `%` (so it never reads like a name).
  Expr anonymous(llvm::StringRef hint = "t", SymbolType type = SymbolType::Int);
  /// All symbols in order of definition.
  llvm::ArrayRef<Expr> getSymbols() const;

  //===--------------------------------------------------------------------===//
  // Integers
  //===--------------------------------------------------------------------===//

  Expr constant(int64_t value);
  Expr constant(const DynamicAPInt &value);
  Expr zero() { return constant(0); }
  Expr one() { return constant(1); }

  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr neg(Expr a);
  Expr mul(Expr a, Expr b);
  /// The n-ary forms cost near-linear time in the number of terms: prefer them
  /// to folding a long list with `add`. Empty: 0 and 1.
  Expr sum(llvm::ArrayRef<Expr> operands);
  Expr product(llvm::ArrayRef<Expr> operands);
  /// Sum of coefficient * monomial; the terms may come in any order.
  Expr sumOfTerms(llvm::ArrayRef<Term> terms);
  Expr scale(const DynamicAPInt &factor, Expr a);
  /// `a ** exponent`; a ** 0 is 1 (also at a == 0).
  Expr pow(Expr a, unsigned exponent);
  /// `a ** b`. Of integers: undefined for a negative exponent (Python leaves
  /// the integers there). With a float: Python's power of floats.
  Expr pow(Expr a, Expr b);
  /// a * 2 ** b and a floordiv 2 ** b; undefined for a negative count.
  Expr shiftLeft(Expr a, Expr b);
  Expr shiftRight(Expr a, Expr b);
  /// Python's `&`, `|` and `^`: of two booleans a boolean, else of integers,
  /// where a boolean counts as 0 or 1.
  Expr bitwise(BitwiseOp op, Expr a, Expr b);
  /// Rounds to minus infinity.
  Expr floorDiv(Expr a, Expr b);
  /// Rounds to plus infinity.
  Expr ceilDiv(Expr a, Expr b);
  /// Has the sign of the divisor.
  Expr mod(Expr a, Expr b);
  /// a / b where b divides a, undefined elsewhere.
  Expr exactDiv(Expr a, Expr b);
  /// As Python's: with floats, the first of those that none goes beyond.
  Expr min(llvm::ArrayRef<Expr> operands);
  Expr max(llvm::ArrayRef<Expr> operands);
  Expr min(Expr a, Expr b) { return min(llvm::ArrayRef<Expr>{a, b}); }
  Expr max(Expr a, Expr b) { return max(llvm::ArrayRef<Expr>{a, b}); }
  Expr abs(Expr a);
  /// `a` where the condition holds, else `b`; both of the same type.
  Expr select(Expr condition, Expr a, Expr b);
  /// An integer that is 0 wherever `a` (of any type) is defined, and undefined
  /// elsewhere; the literal 0 if `a` is total.
  Expr residue(Expr a);

  //===--------------------------------------------------------------------===//
  // Booleans
  //===--------------------------------------------------------------------===//

  Expr boolean(bool value);
  Expr trueExpr() { return boolean(true); }
  Expr falseExpr() { return boolean(false); }
  /// Comparisons of two integers, of two booleans (eq, ne only), or of numbers
  /// where at least one is a float. Integer comparisons become eq, ne, le or
  /// lt of sums with positive coefficients.
  Expr eq(Expr a, Expr b);
  Expr ne(Expr a, Expr b);
  Expr lt(Expr a, Expr b);
  Expr le(Expr a, Expr b);
  Expr gt(Expr a, Expr b) { return lt(b, a); }
  Expr ge(Expr a, Expr b) { return le(b, a); }
  Expr logicalAnd(llvm::ArrayRef<Expr> operands);
  Expr logicalOr(llvm::ArrayRef<Expr> operands);
  Expr logicalAnd(Expr a, Expr b) {
    return logicalAnd(llvm::ArrayRef<Expr>{a, b});
  }
  Expr logicalOr(Expr a, Expr b) {
    return logicalOr(llvm::ArrayRef<Expr>{a, b});
  }
  Expr logicalNot(Expr a);

  //===--------------------------------------------------------------------===//
  // Floats. The arithmetic functions above take floats as well (an integer
  // beside a float is converted); floordiv, ceildiv and mod do not.
  //===--------------------------------------------------------------------===//

  Expr floatConstant(double value);
  Expr toFloat(Expr a);
  /// Rounds to an integer, toward zero unless told.
  Expr toInt(Expr a, RoundingMode rounding = RoundingMode::TowardZero);
  /// Python's `/`.
  Expr trueDiv(Expr a, Expr b);
  /// A function of a float; an integer is converted.
  Expr floatFunction(FloatFunction function, Expr a);
  Expr sqrt(Expr a) { return floatFunction(FloatFunction::Sqrt, a); }
  /// Python's `round(a, digits)` of a float: the float nearest to the decimal
  /// number that is nearest to `a`. Of an integer: an integer.
  Expr roundDecimal(Expr a, int digits);

  //===--------------------------------------------------------------------===//
  // Whole expressions
  //===--------------------------------------------------------------------===//

  /// Rebuilds any kind of node from new operands (same number and types).
  Expr rebuild(Expr expr, llvm::ArrayRef<Expr> operands);
  /// Replaces symbols (and any other atom that is a key), all at once; what is
  /// put in is not looked at again.
  Expr substitute(Expr expr, const Substitution &map);
  /// Rebuilds an expression of another context here; symbols are found by
  /// `symbolFor`, which gives an expression of this context for each.
  Expr import(Expr expr, llvm::function_ref<Expr(Expr symbol)> symbolFor);
  /// The symbols of an expression in order of definition.
  llvm::SmallVector<Expr, 4> freeSymbols(Expr expr) const;
  /// Returns true if `symbol` occurs in `expr`.
  bool mentions(Expr expr, Expr symbol) const;

  /// Number of distinct nodes made so far, and the memory they take.
  size_t getNumNodes() const;
  size_t getMemoryUsed() const;

  struct Impl;

protected:
  std::unique_ptr<Impl> impl;
};

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_EXPR_EXPR_H
