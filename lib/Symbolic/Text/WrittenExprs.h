//===- WrittenExprs.h - Expressions with no canonical form ------*- C++ -*-===//
//
// The builders of ExprContext that SyntaxBuilder uses, less every rule: the
// nodes are what the text says. Whatever checks the rules starts from these.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_TEXT_WRITTENEXPRS_H
#define TALLY_LIB_SYMBOLIC_TEXT_WRITTENEXPRS_H

#include "Expr/ContextImpl.h"

namespace tally::symbolic {

/// Makes nodes as they stand. They may be printed in SMT-LIB and evaluated;
/// nothing else takes them. Operations on floats, which have no canonical form
/// but for literals, are left to the context.
class WrittenExprs {
public:
  using Operands = llvm::ArrayRef<Expr>;

  explicit WrittenExprs(ExprContext &context) : context(context) {}

  Expr constant(int64_t value) { return context.constant(value); }
  Expr add(Expr a, Expr b) {
    return isFloat(a, b) ? context.add(a, b) : makeInt(ExprKind::Add, {a, b});
  }
  Expr sub(Expr a, Expr b) {
    return isFloat(a, b) ? context.sub(a, b) : add(a, neg(b));
  }
  Expr neg(Expr a) {
    return a.isFloat() ? context.neg(a)
                       : makeInt(ExprKind::Mul, {constant(-1), a});
  }
  Expr mul(Expr a, Expr b) {
    return isFloat(a, b) ? context.mul(a, b) : makeInt(ExprKind::Mul, {a, b});
  }
  Expr sum(Operands operands) {
    return operands.size() == 1 ? operands[0]
                                : makeInt(ExprKind::Add, operands);
  }
  Expr pow(Expr a, unsigned exponent) {
    return makeNode(context, ExprKind::Pow, SymbolType::Int, a, exponent);
  }
  Expr pow(Expr a, Expr b) {
    if (isFloat(a, b))
      return context.pow(a, b);
    std::optional<int64_t> exponent = b.getInt64();
    if (exponent && *exponent >= 0 && *exponent <= UINT32_MAX)
      return pow(a, static_cast<unsigned>(*exponent));
    return makeInt(ExprKind::SymbolicPow, {a, b});
  }
  Expr shiftLeft(Expr a, Expr b) { return mul(a, pow(constant(2), b)); }
  Expr shiftRight(Expr a, Expr b) { return floorDiv(a, pow(constant(2), b)); }
  Expr bitwise(BitwiseOp op, Expr a, Expr b) {
    return makeNode(context, ExprKind::Bitwise, SymbolType::Int, {a, b},
                    static_cast<unsigned>(op));
  }
  Expr floorDiv(Expr a, Expr b) { return makeInt(ExprKind::FloorDiv, {a, b}); }
  Expr ceilDiv(Expr a, Expr b) { return neg(floorDiv(neg(a), b)); }
  Expr mod(Expr a, Expr b) { return makeInt(ExprKind::Mod, {a, b}); }
  Expr exactDiv(Expr a, Expr b) { return makeInt(ExprKind::ExactDiv, {a, b}); }
  Expr min(Operands operands) {
    return hasFloat(operands) ? context.min(operands)
                              : makeInt(ExprKind::Min, operands);
  }
  Expr max(Operands operands) {
    return hasFloat(operands) ? context.max(operands)
                              : makeInt(ExprKind::Max, operands);
  }
  Expr abs(Expr a) {
    return a.isFloat() ? context.abs(a) : makeInt(ExprKind::Abs, a);
  }
  Expr select(Expr condition, Expr a, Expr b) {
    return makeNode(context, ExprKind::Select, a.getType(), {condition, a, b});
  }
  Expr residue(Expr a) { return makeInt(ExprKind::Residue, a); }

  Expr eq(Expr a, Expr b) { return makeBool(ExprKind::Eq, {a, b}); }
  Expr ne(Expr a, Expr b) { return makeBool(ExprKind::Ne, {a, b}); }
  Expr lt(Expr a, Expr b) { return makeBool(ExprKind::Lt, {a, b}); }
  Expr le(Expr a, Expr b) { return makeBool(ExprKind::Le, {a, b}); }
  Expr gt(Expr a, Expr b) { return lt(b, a); }
  Expr ge(Expr a, Expr b) { return le(b, a); }
  Expr logicalAnd(Operands operands) {
    return operands.size() == 1 ? operands[0]
                                : makeBool(ExprKind::And, operands);
  }
  Expr logicalOr(Operands operands) { return makeBool(ExprKind::Or, operands); }
  Expr logicalNot(Expr a) { return makeBool(ExprKind::Not, a); }

  Expr toFloat(Expr a) { return context.toFloat(a); }
  Expr toInt(Expr a, RoundingMode rounding = RoundingMode::TowardZero) {
    return context.toInt(a, rounding);
  }
  Expr trueDiv(Expr a, Expr b) { return context.trueDiv(a, b); }
  Expr floatFunction(FloatFunction function, Expr a) {
    return context.floatFunction(function, a);
  }
  Expr roundDecimal(Expr a, int digits) {
    return context.roundDecimal(a, digits);
  }

private:
  static bool isFloat(Expr a, Expr b) { return a.isFloat() || b.isFloat(); }
  static bool hasFloat(Operands operands) {
    for (Expr operand : operands)
      if (operand.isFloat())
        return true;
    return false;
  }
  Expr makeInt(ExprKind kind, Operands operands) {
    return makeNode(context, kind, SymbolType::Int, operands);
  }
  Expr makeBool(ExprKind kind, Operands operands) {
    return makeNode(context, kind, SymbolType::Bool, operands);
  }

  ExprContext &context;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_TEXT_WRITTENEXPRS_H
