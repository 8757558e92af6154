//===- Floats.cpp - Float expressions -------------------------------------===//
//
// The few float functions that sizes meet. They are kept as written: IEEE
// arithmetic is neither associative nor exact. Only literals are folded.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include <cmath>

using namespace tally::symbolic;

/// Integers up to this magnitude are exact as doubles.
static constexpr int64_t maxExactDouble = int64_t(1) << 53;

static bool isExactDouble(const DynamicAPInt &value) {
  return value >= -maxExactDouble && value <= maxExactDouble;
}

Expr ExprContext::toFloat(Expr a) {
  if (a.isFloat())
    return a;
  assert(a.isInt() && "conversion of what is no number");
  if (a.isConstant() && isExactDouble(a.getConstant()))
    return floatConstant(
        static_cast<double>(static_cast<int64_t>(a.getConstant())));
  return makeNode(*this, ExprKind::ToFloat, SymbolType::Float, {a});
}

Expr ExprContext::toInt(Expr a) {
  if (a.isInt())
    return a;
  assert(a.isFloat() && "conversion of what is no number");
  if (a.getKind() == ExprKind::FloatConstant &&
      std::abs(a.getFloat()) <= static_cast<double>(maxExactDouble))
    return constant(static_cast<int64_t>(a.getFloat()));
  return makeNode(*this, ExprKind::ToInt, SymbolType::Int, {a});
}

Expr ExprContext::trueDiv(Expr a, Expr b) {
  assert(!a.isBool() && !b.isBool() && "arithmetic on a boolean");
  auto asDouble = [](Expr e) -> std::optional<double> {
    if (e.getKind() == ExprKind::FloatConstant)
      return e.getFloat();
    if (e.isConstant() && isExactDouble(e.getConstant()))
      return static_cast<double>(static_cast<int64_t>(e.getConstant()));
    return std::nullopt;
  };
  std::optional<double> x = asDouble(a), y = asDouble(b);
  if (x && y && *y != 0)
    return floatConstant(*x / *y);
  return makeNode(*this, ExprKind::TrueDiv, SymbolType::Float, {a, b});
}

Expr ExprContext::sqrt(Expr a) {
  Expr operand = toFloat(a);
  if (operand.getKind() == ExprKind::FloatConstant && operand.getFloat() >= 0)
    return floatConstant(std::sqrt(operand.getFloat()));
  return makeNode(*this, ExprKind::FloatSqrt, SymbolType::Float, {operand});
}
