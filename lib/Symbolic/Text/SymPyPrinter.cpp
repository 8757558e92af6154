//===- SymPyPrinter.cpp - Expressions as SymPy prints them ----------------===//
//
// Sums, products and comparisons in infix, everything else as calls of the
// functions that PyTorch adds to SymPy.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/SymPy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tally::symbolic;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {

class SymPyPrinter {
public:
  explicit SymPyPrinter(raw_ostream &os) : os(os) {}

  void print(Expr expr);
  bool isComplete() const { return complete; }

private:
  void printInfix(Expr expr, StringRef op);
  void printCall(StringRef name, Expr expr, StringRef rest = "");
  void printFloat(Expr expr);
  void printSelect(Expr expr);

  raw_ostream &os;
  bool complete = true;
};

} // namespace

/// Operators between the operands, in parentheses; empty for calls.
static StringRef getOperator(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
  case ExprKind::FloatAdd:
    return " + ";
  case ExprKind::FloatSub:
    return " - ";
  case ExprKind::Mul:
  case ExprKind::FloatMul:
    return "*";
  case ExprKind::Le:
    return " <= ";
  case ExprKind::Lt:
    return " < ";
  case ExprKind::And:
    return " & ";
  case ExprKind::Or:
    return " | ";
  default:
    return "";
  }
}

static StringRef getRoundingName(RoundingMode mode) {
  switch (mode) {
  case RoundingMode::TowardZero:
    return "TruncToInt";
  case RoundingMode::Down:
    return "FloorToInt";
  case RoundingMode::Up:
    return "CeilToInt";
  case RoundingMode::NearestEven:
    break;
  }
  return "RoundToInt";
}

/// The function of PyTorch or SymPy; empty where there is none.
static std::string getFunction(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::FloorDiv:
    return "FloorDiv";
  case ExprKind::Mod:
    return "PythonMod";
  case ExprKind::ExactDiv:
    return "CleanDiv";
  case ExprKind::Min:
  case ExprKind::FloatMin:
    return "Min";
  case ExprKind::Max:
  case ExprKind::FloatMax:
    return "Max";
  case ExprKind::Abs:
    return "Abs";
  case ExprKind::ToInt:
    return getRoundingName(expr.getRounding()).str();
  case ExprKind::SymbolicPow:
    return "PowByNatural";
  case ExprKind::Bitwise:
    return "BitwiseFn_" + toString(expr.getBitwiseOp()).str();
  case ExprKind::Eq:
    return "Eq";
  case ExprKind::Ne:
    return "Ne";
  case ExprKind::ToFloat:
    return "ToFloat";
  case ExprKind::TrueDiv:
    return expr.getOperand(0).isInt() ? "IntTrueDiv" : "FloatTrueDiv";
  case ExprKind::FloatPow:
    return "FloatPow";
  case ExprKind::FloatUnary:
    if (expr.getFloatFunction() == FloatFunction::Abs)
      return "Abs";
    return "OpaqueUnaryFn_" + toString(expr.getFloatFunction()).str();
  default:
    return "";
  }
}

void SymPyPrinter::printInfix(Expr expr, StringRef op) {
  os << '(';
  llvm::interleave(
      expr.getOperands(), os, [&](Expr operand) { print(operand); }, op);
  os << ')';
}

void SymPyPrinter::printCall(StringRef name, Expr expr, StringRef rest) {
  os << name << '(';
  llvm::interleaveComma(expr.getOperands(), os,
                        [&](Expr operand) { print(operand); });
  os << rest << ')';
}

void SymPyPrinter::printFloat(Expr expr) {
  double value = expr.getFloat();
  if (std::isinf(value))
    os << (value < 0 ? "-oo" : "oo");
  else
    os << expr;
}

void SymPyPrinter::printSelect(Expr expr) {
  os << "Piecewise((";
  print(expr.getOperand(1));
  os << ", ";
  print(expr.getOperand(0));
  os << "), (";
  print(expr.getOperand(2));
  os << ", True))";
}

void SymPyPrinter::print(Expr expr) {
  if (StringRef op = getOperator(expr.getKind()); !op.empty())
    return printInfix(expr, op);
  if (std::string name = getFunction(expr); !name.empty())
    return printCall(name, expr);
  switch (expr.getKind()) {
  case ExprKind::Constant:
    os << expr.getConstant();
    return;
  case ExprKind::Symbol:
    os << expr.getName();
    return;
  case ExprKind::BoolConstant:
    os << (expr.isTrue() ? "True" : "False");
    return;
  case ExprKind::FloatConstant:
    return printFloat(expr);
  case ExprKind::Pow:
    printInfix(expr, "");
    os << "**" << expr.getExponent();
    return;
  case ExprKind::Select:
    return printSelect(expr);
  case ExprKind::Not:
    return printCall("Not", expr);
  case ExprKind::FloatNeg:
    os << "(-";
    print(expr.getOperand(0));
    os << ')';
    return;
  case ExprKind::RoundDecimal:
    return printCall("RoundDecimal", expr,
                     ", " + std::to_string(expr.getDigits()));
  default: // A residue.
    complete = false;
  }
}

std::optional<std::string> tally::symbolic::printSymPy(Expr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  SymPyPrinter printer(os);
  printer.print(expr);
  if (!printer.isComplete())
    return std::nullopt;
  return text;
}
