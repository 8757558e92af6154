//===- Printer.cpp - Expressions as text ----------------------------------===//
//
// Prints in Python's infix, with parentheses where precedence or a reader
// needs them. What is printed parses back to the same expression. Solutions of
// systems are printed here as well.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Solve.h"

#include "Expr/ContextImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::raw_ostream;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

/// Binding strength, from weak to strong.
enum Precedence {
  PrecOr,
  PrecAnd,
  PrecNot,
  PrecCompare,
  PrecSum,
  PrecProduct,
  PrecUnary,
  PrecPower,
  PrecAtom
};

class Printer {
public:
  explicit Printer(raw_ostream &os) : os(os) {}

  /// Prints, in parentheses if the expression binds weaker than `context`.
  void print(Expr expr, Precedence context);

private:
  void printBare(Expr expr);
  void printCall(StringRef name, Expr expr);
  void printInfix(Expr expr, StringRef op, Precedence left, Precedence right);
  void printList(Expr expr, StringRef separator, Precedence operand);
  void printTerms(llvm::ArrayRef<Expr> operands, bool negate = false);
  void printNegatedCeilDiv(const DynamicAPInt &magnitude, Expr division);
  void printTerm(const DynamicAPInt &magnitude, Expr monomial);
  void printMonomial(Expr monomial);
  void printDivision(Expr expr);
  void printFloat(double value);
  void printFloatOperation(Expr expr);
  void printComparison(Expr expr);

  raw_ostream &os;
};

} // namespace

static bool isScaled(Expr expr) {
  return expr.getKind() == ExprKind::Mul && expr.getOperand(0).isConstant();
}

/// For `x floordiv d` that reads better as `y ceildiv d`: the terms of y are
/// those of x less d - 1.
static bool isCeilDivByLiteral(Expr expr) {
  if (expr.getKind() != ExprKind::FloorDiv || !expr.getOperand(1).isConstant())
    return false;
  const DynamicAPInt &divisor = expr.getOperand(1).getConstant();
  return divisor > 1 && getConstantTerm(expr.getOperand(0)) == divisor - 1;
}

/// Returns true if the first term has a negative coefficient.
static bool isNegative(Expr expr) {
  if (expr.getKind() == ExprKind::Add)
    expr = expr.getOperand(0);
  if (isScaled(expr))
    expr = expr.getOperand(0);
  return expr.isConstant() && expr.getConstant() < 0;
}

static bool isDivision(Expr expr) {
  return expr.getKind() == ExprKind::FloorDiv ||
         expr.getKind() == ExprKind::Mod;
}

/// Returns true for -k * (-x floordiv d), which reads better as k * (x ceildiv
/// d).
static bool isNegatedCeilDiv(Expr term) {
  if (!isScaled(term) || !isNegative(term))
    return false;
  Expr division = term.getOperand(1);
  return division.getKind() == ExprKind::FloorDiv &&
         !division.getOperand(1).isConstant() &&
         isNegative(division.getOperand(0));
}

static Precedence getPrecedence(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::Or:
    return PrecOr;
  case ExprKind::And:
    return PrecAnd;
  case ExprKind::Not:
    return PrecNot;
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Le:
  case ExprKind::Lt:
    return PrecCompare;
  case ExprKind::Add:
  case ExprKind::FloatAdd:
  case ExprKind::FloatSub:
    return PrecSum;
  case ExprKind::Mul:
    return isNegative(expr) ? PrecSum : PrecProduct;
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::FloatMul:
  case ExprKind::TrueDiv:
    return PrecProduct;
  case ExprKind::FloatNeg:
    return PrecUnary;
  case ExprKind::Constant:
    return expr.getConstant() < 0 ? PrecUnary : PrecAtom;
  case ExprKind::FloatConstant:
    return std::signbit(expr.getFloat()) ? PrecUnary : PrecAtom;
  case ExprKind::Pow:
    return PrecPower;
  default:
    return PrecAtom;
  }
}

void Printer::print(Expr expr, Precedence context) {
  bool parens = getPrecedence(expr) < context;
  if (parens)
    os << '(';
  printBare(expr);
  if (parens)
    os << ')';
}

void Printer::printCall(StringRef name, Expr expr) {
  os << name << '(';
  printList(expr, ", ", PrecOr);
  os << ')';
}

void Printer::printList(Expr expr, StringRef separator, Precedence operand) {
  llvm::interleave(
      expr.getOperands(), os, [&](Expr e) { print(e, operand); }, separator);
}

void Printer::printInfix(Expr expr, StringRef op, Precedence left,
                         Precedence right) {
  print(expr.getOperand(0), left);
  os << ' ' << op << ' ';
  print(expr.getOperand(1), right);
}

/// A float literal with the fewest digits that read back to it, with an
/// exponent where Python prints one.
void Printer::printFloat(double value) {
  if (std::isnan(value) || std::isinf(value)) {
    os << (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  double magnitude = std::fabs(value);
  bool isPlain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char buffer[64];
  char *end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                            isPlain ? std::chars_format::fixed
                                    : std::chars_format::scientific)
                  .ptr;
  StringRef text(buffer, end - buffer);
  os << text;
  if (isPlain && !text.contains('.'))
    os << ".0";
}

void Printer::printDivision(Expr expr) {
  Expr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  if (!isCeilDivByLiteral(expr)) {
    printInfix(expr, expr.getKind() == ExprKind::Mod ? "mod" : "floordiv",
               PrecUnary, PrecUnary);
    return;
  }
  // The constant term is divisor - 1 and goes.
  ArrayRef<Expr> terms = dividend.getOperands().drop_back();
  if (terms.size() == 1) {
    print(terms[0], PrecUnary);
  } else {
    os << '(';
    printTerms(terms);
    os << ')';
  }
  os << " ceildiv ";
  print(divisor, PrecUnary);
}

/// Prints the factors; a division among several is put in parentheses.
void Printer::printMonomial(Expr monomial) {
  if (monomial.getKind() == ExprKind::Mul)
    printList(monomial, " * ", PrecUnary);
  else
    print(monomial, PrecProduct);
}

/// Prints a term without its sign.
void Printer::printTerm(const DynamicAPInt &magnitude, Expr monomial) {
  if (monomial.isConstant()) {
    os << magnitude;
    return;
  }
  if (magnitude == 1) {
    printMonomial(monomial);
    return;
  }
  os << magnitude << " * ";
  if (monomial.getKind() == ExprKind::Mul)
    printMonomial(monomial);
  else
    print(monomial, PrecUnary);
}

/// Prints the terms, or their negatives; a positive one goes first if there is
/// one.
void Printer::printTerms(ArrayRef<Expr> operands, bool negate) {
  SmallVector<Expr, 8> terms(operands);
  auto isPrintedNegative = [&](Expr term) {
    if (!negate && isNegatedCeilDiv(term))
      return false;
    return isNegative(term) != negate;
  };
  auto *positive =
      llvm::find_if(terms, [&](Expr term) { return !isPrintedNegative(term); });
  if (positive != terms.end())
    std::rotate(terms.begin(), positive, positive + 1);
  for (auto [i, term] : llvm::enumerate(terms)) {
    bool negative = isPrintedNegative(term);
    if (i == 0)
      os << (negative ? "-" : "");
    else
      os << (negative ? " - " : " + ");
    DynamicAPInt magnitude(1);
    Expr monomial = term;
    if (isScaled(term)) {
      magnitude = abs(term.getOperand(0).getConstant());
      monomial = term.getOperand(1);
    } else if (term.isConstant()) {
      magnitude = abs(term.getConstant());
    }
    if (!negate && isNegatedCeilDiv(term)) {
      printNegatedCeilDiv(magnitude, monomial);
    } else if (i == 0 && negative && magnitude == 1 && isDivision(monomial)) {
      // -a floordiv b would be (-a) floordiv b.
      os << '(';
      printMonomial(monomial);
      os << ')';
    } else {
      printTerm(magnitude, monomial);
    }
  }
}

/// Prints -magnitude * (-x floordiv d) as magnitude * (x ceildiv d).
void Printer::printNegatedCeilDiv(const DynamicAPInt &magnitude,
                                  Expr division) {
  Expr dividend = division.getOperand(0);
  if (magnitude != 1)
    os << magnitude << " * (";
  if (dividend.getKind() == ExprKind::Mul &&
      dividend.getOperand(0).isConstant(-1) &&
      getPrecedence(dividend.getOperand(1)) >= PrecUnary) {
    print(dividend.getOperand(1), PrecUnary);
  } else {
    bool isSum = dividend.getKind() == ExprKind::Add;
    os << '(';
    printTerms(isSum ? dividend.getOperands() : ArrayRef<Expr>(dividend),
               /*negate=*/true);
    os << ')';
  }
  os << " ceildiv ";
  print(division.getOperand(1), PrecUnary);
  if (magnitude != 1)
    os << ')';
}

/// The name of an expression that is printed as a call, empty for any other.
static StringRef getCallName(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::ExactDiv:
    return "exact_div";
  case ExprKind::Min:
  case ExprKind::FloatMin:
    return "min";
  case ExprKind::Max:
  case ExprKind::FloatMax:
    return "max";
  case ExprKind::Abs:
    return "abs";
  case ExprKind::Select:
    return "select";
  case ExprKind::Residue:
    return "residue";
  case ExprKind::ToInt:
    return toString(expr.getRounding());
  case ExprKind::SymbolicPow:
  case ExprKind::FloatPow:
    return "pow";
  case ExprKind::Bitwise:
    return toString(expr.getBitwiseOp());
  case ExprKind::ToFloat:
    return "to_float";
  case ExprKind::FloatUnary:
    return toString(expr.getFloatFunction());
  default:
    return "";
  }
}

void Printer::printBare(Expr expr) {
  if (StringRef name = getCallName(expr); !name.empty())
    return printCall(name, expr);
  if (expr.isComparison())
    return printComparison(expr);
  switch (expr.getKind()) {
  case ExprKind::Symbol:
    os << expr.getName();
    return;
  case ExprKind::Constant:
    os << expr.getConstant();
    return;
  case ExprKind::BoolConstant:
    os << (expr.isTrue() ? "true" : "false");
    return;
  case ExprKind::FloatConstant:
    return printFloat(expr.getFloat());
  case ExprKind::Mul:
    if (!isScaled(expr))
      return printMonomial(expr);
    return printTerms(expr);
  case ExprKind::Add:
    return printTerms(expr.getOperands());
  case ExprKind::Pow:
    print(expr.getOperand(0), PrecAtom);
    os << " ** " << expr.getExponent();
    return;
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return printDivision(expr);
  case ExprKind::And:
    return printList(expr, " and ", PrecNot);
  case ExprKind::Or:
    return printList(expr, " or ", PrecAnd);
  case ExprKind::Not:
    os << "not ";
    return print(expr.getOperand(0), PrecAtom);
  default:
    return printFloatOperation(expr);
  }
}

void Printer::printComparison(Expr expr) {
  StringRef op = expr.getKind() == ExprKind::Eq   ? "=="
                 : expr.getKind() == ExprKind::Ne ? "!="
                 : expr.getKind() == ExprKind::Le ? "<="
                                                  : "<";
  printInfix(expr, op, PrecSum, PrecSum);
}

void Printer::printFloatOperation(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::FloatAdd:
    return printInfix(expr, "+", PrecSum, PrecProduct);
  case ExprKind::FloatSub:
    return printInfix(expr, "-", PrecSum, PrecProduct);
  case ExprKind::FloatMul:
    return printInfix(expr, "*", PrecProduct, PrecUnary);
  case ExprKind::TrueDiv:
    return printInfix(expr, "/", PrecProduct, PrecUnary);
  case ExprKind::RoundDecimal:
    os << "round(";
    print(expr.getOperand(0), PrecOr);
    os << ", " << expr.getDigits() << ')';
    return;
  default:
    os << '-';
    return print(expr.getOperand(0), PrecPower);
  }
}

void tally::symbolic::print(Expr expr, raw_ostream &os) {
  if (!expr) {
    os << "<null>";
    return;
  }
  Printer(os).print(expr, PrecOr);
}

raw_ostream &tally::symbolic::operator<<(raw_ostream &os, Expr expr) {
  print(expr, os);
  return os;
}

std::string Expr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(*this, os);
  return text;
}

std::string SystemSolution::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!isSolved()) {
    os << "cannot solve ";
    llvm::interleaveComma(unsolved, os);
    if (!left.empty())
      os << " from ";
    llvm::interleaveComma(left, os);
    if (!isImpossible())
      return text;
    os << ": no solution";
    if (required.size() > 1)
      os << " where ";
    llvm::interleaveComma(llvm::ArrayRef(required).drop_back(), os);
    return text;
  }
  llvm::interleaveComma(values, os, [&](const Binding &binding) {
    os << binding.symbol << " = " << binding.value;
  });
  if (!required.empty())
    os << " requires ";
  llvm::interleaveComma(required, os);
  return text;
}
