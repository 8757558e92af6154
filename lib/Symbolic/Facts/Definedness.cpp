//===- Definedness.cpp - What has a value under facts ---------------------===//
//
// Whether nothing in an expression divides by zero or is out of range.
//
//===----------------------------------------------------------------------===//

#include "Simplifier.h"

using namespace tally::symbolic;
using llvm::ArrayRef;

/// Returns true if all values have a magnitude of at most 2 ** bits.
static bool fitsBits(const Interval &interval, unsigned bits) {
  DynamicAPInt limit(llvm::APInt::getOneBitSet(bits + 2, bits));
  return Interval(-limit, limit).contains(interval);
}

bool Simplifier::isNodeDefined(Expr expr, FactSet &used) {
  if (auto it = tables.definedNodes.find(expr);
      it != tables.definedNodes.end()) {
    mergeFacts(used, it->second);
    return true;
  }
  ArrayRef<Expr> operands = expr.getOperands();
  auto isNonZero = [&](Expr divisor) {
    if (divisor.isFloat())
      return divisor.getKind() == ExprKind::FloatConstant &&
             divisor.getFloat() != 0;
    FactSet ids;
    Expr simple = simplify(divisor, ids);
    if (values.truthOf(context.ne(simple, context.zero()), ids) != true)
      return false;
    mergeFacts(used, ids);
    return true;
  };
  switch (expr.getKind()) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return isNonZero(operands[1]);
  case ExprKind::ExactDiv: {
    if (!isNonZero(operands[1]))
      return false;
    Expr remainder = simplify(context.mod(operands[0], operands[1]), used);
    return values.valueSet(remainder, used).getSingle() == DynamicAPInt(0);
  }
  case ExprKind::ToFloat:
    return fitsBits(values.valueSet(operands[0], used).getInterval(), 1000);
  case ExprKind::TrueDiv: // No quotient of integers is above the dividend.
    return isNonZero(operands[1]) &&
           (operands[0].isFloat() ||
            fitsBits(values.valueSet(operands[0], used).getInterval(), 1000));
  case ExprKind::FloatUnary:
    if (expr.getFloatFunction() == FloatFunction::Abs)
      return true;
    return expr.getFloatFunction() == FloatFunction::Sqrt &&
           operands[0].getKind() == ExprKind::ToFloat &&
           values.valueSet(operands[0].getOperand(0), used)
               .getInterval()
               .isAtLeast(0);
  case ExprKind::SymbolicPow:
    return values.valueSet(operands[1], used).getInterval().isAtLeast(0);
  case ExprKind::ToInt:
  case ExprKind::FloatPow:
  case ExprKind::RoundDecimal:
    return false;
  case ExprKind::Pow:
    return !operands[0].isConstant();
  default:
    return true;
  }
}

bool Simplifier::isDefined(Expr expr, FactSet &used) {
  if (expr.isTotal())
    return true;
  for (Expr operand : expr.getOperands())
    if (!isDefined(operand, used))
      return false;
  return isNodeDefined(expr, used);
}
