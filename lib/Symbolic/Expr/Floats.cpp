//===- Floats.cpp - Float expressions -------------------------------------===//
//
// The float functions that sizes meet. They are kept as written: IEEE
// arithmetic is neither associative nor exact. Only literals are folded, to
// what evaluation gives.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

Expr tally::symbolic::makeFolded(ExprContext &context, ExprKind kind,
                                 SymbolType type, ArrayRef<Expr> operands,
                                 unsigned payload) {
  Expr node = makeNode(context, kind, type, operands, payload);
  if (node.getLatestOrdinal() != 0)
    return node;
  EvalResult result = evaluate(node, llvm::DenseMap<Expr, Value>());
  if (!result.isDefined())
    return node;
  switch (type) {
  case SymbolType::Int:
    return context.constant(result.value.getInt());
  case SymbolType::Bool:
    return context.boolean(result.value.getBool());
  case SymbolType::Float:
    return context.floatConstant(result.value.getFloat());
  }
  return node;
}

Expr ExprContext::toFloat(Expr a) {
  if (a.isFloat())
    return a;
  assert(a.isInt() && "conversion of what is no number");
  return makeFolded(*this, ExprKind::ToFloat, SymbolType::Float, {a});
}

Expr ExprContext::toInt(Expr a, RoundingMode rounding) {
  if (a.isInt())
    return a;
  assert(a.isFloat() && "conversion of what is no number");
  return makeFolded(*this, ExprKind::ToInt, SymbolType::Int, {a},
                    static_cast<unsigned>(rounding));
}

Expr ExprContext::trueDiv(Expr a, Expr b) {
  assert(!a.isBool() && !b.isBool() && "arithmetic on a boolean");
  // Two integers are divided exactly; one beside a float is converted.
  if (a.isFloat() || b.isFloat()) {
    a = toFloat(a);
    b = toFloat(b);
  }
  return makeFolded(*this, ExprKind::TrueDiv, SymbolType::Float, {a, b});
}

Expr ExprContext::floatFunction(FloatFunction function, Expr a) {
  return makeFolded(*this, ExprKind::FloatUnary, SymbolType::Float,
                    {toFloat(a)}, static_cast<unsigned>(function));
}

/// The multiple of 10 ** zeros that is nearest to an integer, of two the one
/// with an even number of units.
static Expr roundToZeros(ExprContext &context, Expr a, unsigned zeros) {
  Expr unit = context.pow(context.constant(10), zeros);
  Expr below = context.floorDiv(a, unit);
  Expr twice = context.scale(DynamicAPInt(2), context.mod(a, unit));
  Expr isOdd =
      context.eq(context.mod(below, context.constant(2)), context.one());
  Expr isUp =
      context.logicalOr(context.lt(unit, twice),
                        context.logicalAnd(context.eq(twice, unit), isOdd));
  return context.mul(
      context.add(below, context.select(isUp, context.one(), context.zero())),
      unit);
}

Expr ExprContext::roundDecimal(Expr a, int digits) {
  if (a.isInt())
    return digits >= 0 ? a : roundToZeros(*this, a, -digits);
  return makeFolded(*this, ExprKind::RoundDecimal, SymbolType::Float,
                    {toFloat(a)}, static_cast<unsigned>(digits));
}

Expr tally::symbolic::makeFloatExtremum(ExprContext &context, ExprKind kind,
                                        ArrayRef<Expr> operands) {
  SmallVector<Expr, 4> floats;
  for (Expr operand : operands)
    floats.push_back(context.toFloat(operand));
  if (floats.size() == 1)
    return floats.front();
  return makeFolded(context, kind, SymbolType::Float, floats);
}

//===----------------------------------------------------------------------===//
// Powers, shifts and bits
//===----------------------------------------------------------------------===//

Expr ExprContext::pow(Expr a, Expr b) {
  assert(!a.isBool() && !b.isBool() && "power of a boolean");
  if (a.isFloat() || b.isFloat())
    return makeFolded(*this, ExprKind::FloatPow, SymbolType::Float,
                      {toFloat(a), toFloat(b)});
  std::optional<int64_t> exponent = b.getInt64();
  if (exponent && *exponent >= 0 && *exponent <= UINT32_MAX)
    return pow(a, static_cast<unsigned>(*exponent));
  return makeFolded(*this, ExprKind::SymbolicPow, SymbolType::Int, {a, b});
}

Expr ExprContext::shiftLeft(Expr a, Expr b) {
  if (a.isConstant(0) && b.isConstant() && b.getConstant() >= 0)
    return a;
  return mul(a, pow(constant(2), b));
}

Expr ExprContext::shiftRight(Expr a, Expr b) {
  // Literals never have that many bits: what is left is the sign.
  constexpr int64_t manyBits = 1 << 17;
  if (a.isConstant() && b.isConstant() && b.getConstant() > manyBits)
    return constant(a.getConstant() < 0 ? -1 : 0);
  return floorDiv(a, pow(constant(2), b));
}

static bool isPowerOfTwo(DynamicAPInt value) {
  if (value < 1)
    return false;
  while (value % 2 == 0)
    value /= DynamicAPInt(2);
  return value == 1;
}

Expr ExprContext::bitwise(BitwiseOp op, Expr a, Expr b) {
  if (a.isBool() && b.isBool()) {
    if (op == BitwiseOp::Xor)
      return ne(a, b);
    return op == BitwiseOp::And ? logicalAnd(a, b) : logicalOr(a, b);
  }
  auto toNumber = [&](Expr e) {
    return e.isBool() ? select(e, one(), zero()) : e;
  };
  a = toNumber(a);
  b = toNumber(b);
  assert(a.isInt() && b.isInt() && "bits of a float");
  if (compare(b, a) < 0)
    std::swap(a, b);
  // The low bits, and all but the low bits; literals come last or first.
  for (auto [value, mask] : {std::pair(a, b), std::pair(b, a)}) {
    if (op != BitwiseOp::And || !mask.isConstant())
      continue;
    if (mask.isConstant(0))
      return residue(value);
    if (isPowerOfTwo(mask.getConstant() + 1))
      return mod(value, constant(mask.getConstant() + 1));
    if (isPowerOfTwo(-mask.getConstant()))
      return sub(value, mod(value, constant(-mask.getConstant())));
  }
  return makeFolded(*this, ExprKind::Bitwise, SymbolType::Int, {a, b},
                    static_cast<unsigned>(op));
}
