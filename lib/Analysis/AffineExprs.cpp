//===- AffineExprs.cpp - Affine expressions of MLIR -----------------------===//

#include "tally/Analysis/AffineExprs.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::ExprContext;
using symbolic::ExprKind;

Expr tally::fromAffine(AffineExpr expr, ArrayRef<Expr> dims,
                       ArrayRef<Expr> symbols, ExprContext &context,
                       IsExact isExact) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return context.constant(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = fromAffine(binary.getLHS(), dims, symbols, context, isExact);
  Expr rhs = fromAffine(binary.getRHS(), dims, symbols, context, isExact);
  if (!lhs || !rhs || !lhs.isInt() || !rhs.isInt())
    return {};
  if (expr.getKind() == AffineExprKind::Add)
    return context.add(lhs, rhs);
  if (expr.getKind() == AffineExprKind::Mul)
    return context.mul(lhs, rhs);
  // MLIR gives other divisors no meaning.
  if (!rhs.isConstant() || rhs.getConstant() <= 0 || !isExact(lhs))
    return {};
  if (expr.getKind() == AffineExprKind::Mod)
    return context.mod(lhs, rhs);
  return expr.getKind() == AffineExprKind::FloorDiv ? context.floorDiv(lhs, rhs)
                                                    : context.ceilDiv(lhs, rhs);
}

std::optional<SmallVector<Expr>> tally::fromAffineMap(AffineMap map,
                                                      ArrayRef<Expr> operands,
                                                      ExprContext &context) {
  assert(operands.size() == map.getNumInputs() && "wrong number of operands");
  SmallVector<Expr> results;
  for (AffineExpr result : map.getResults()) {
    results.push_back(fromAffine(result, operands.take_front(map.getNumDims()),
                                 operands.drop_front(map.getNumDims()),
                                 context));
    if (!results.back())
      return std::nullopt;
  }
  return results;
}

/// A coefficient and what it is multiplied with; null without coefficient.
static std::pair<Expr, Expr> splitTerm(Expr term) {
  if (term.getKind() == ExprKind::Mul && term.getOperand(0).isConstant())
    return {term.getOperand(0), term.getOperand(1)};
  return {Expr(), term};
}

AffineExpr tally::toAffine(Expr expr, AffineAtom atom,
                           MLIRContext *mlirContext) {
  if (expr.isConstant()) {
    std::optional<int64_t> value = expr.getInt64();
    return value ? getAffineConstantExpr(*value, mlirContext) : AffineExpr();
  }
  if (AffineExpr known = atom(expr))
    return known;
  switch (expr.getKind()) {
  case ExprKind::Add: {
    AffineExpr sum = getAffineConstantExpr(0, mlirContext);
    for (Expr operand : expr.getOperands()) {
      AffineExpr term = toAffine(operand, atom, mlirContext);
      if (!term)
        return {};
      sum = sum + term;
    }
    return sum;
  }
  case ExprKind::Mul: {
    auto [coefficient, rest] = splitTerm(expr);
    AffineExpr factor =
        coefficient ? toAffine(coefficient, atom, mlirContext) : AffineExpr();
    AffineExpr term = factor ? toAffine(rest, atom, mlirContext) : AffineExpr();
    return term ? term * factor : AffineExpr();
  }
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    std::optional<int64_t> divisor = expr.getOperand(1).getInt64();
    if (!divisor || *divisor <= 0)
      return {};
    AffineExpr dividend = toAffine(expr.getOperand(0), atom, mlirContext);
    if (!dividend)
      return {};
    return expr.getKind() == ExprKind::Mod ? dividend % *divisor
                                           : dividend.floorDiv(*divisor);
  }
  default:
    return {};
  }
}

AffineMap tally::toAffineMap(ArrayRef<Expr> results, ArrayRef<Expr> dims,
                             ArrayRef<Expr> symbols, MLIRContext *mlirContext) {
  llvm::DenseMap<Expr, AffineExpr> atoms;
  for (auto [i, dim] : llvm::enumerate(dims))
    atoms.try_emplace(dim, getAffineDimExpr(i, mlirContext));
  for (auto [i, symbol] : llvm::enumerate(symbols))
    atoms.try_emplace(symbol, getAffineSymbolExpr(i, mlirContext));
  SmallVector<AffineExpr> exprs;
  for (Expr result : results) {
    exprs.push_back(toAffine(
        result, [&](Expr atom) { return atoms.lookup(atom); }, mlirContext));
    if (!exprs.back())
      return {};
  }
  return AffineMap::get(dims.size(), symbols.size(), exprs, mlirContext);
}
