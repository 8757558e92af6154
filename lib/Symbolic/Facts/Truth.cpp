//===- Truth.cpp - Truth values under facts -------------------------------===//
//
// Comparisons and logic, as value sets and stated facts decide them.
//
//===----------------------------------------------------------------------===//

#include "ValueAnalysis.h"

using namespace tally::symbolic;
using llvm::ArrayRef;

/// Whether `difference kind 0` holds for all of a set, or for none.
static std::optional<bool> compareWithZero(ExprKind kind,
                                           const ValueSet &difference) {
  if (difference.isEmpty())
    return std::nullopt;
  const Interval &interval = difference.getInterval();
  switch (kind) {
  case ExprKind::Le:
  case ExprKind::Lt: {
    int64_t limit = kind == ExprKind::Le ? 0 : -1;
    if (interval.isAtMost(limit))
      return true;
    if (interval.isAtLeast(limit + 1))
      return false;
    return std::nullopt;
  }
  default: {
    bool isEq = kind == ExprKind::Eq;
    if (!difference.contains(DynamicAPInt(0)))
      return !isEq;
    if (interval.getSingle())
      return isEq;
    return std::nullopt;
  }
  }
}

/// The same for `set kind limit`.
static std::optional<bool> compareWith(ExprKind kind, const ValueSet &set,
                                       const DynamicAPInt &limit) {
  if (kind != ExprKind::Le && kind != ExprKind::Lt)
    return compareWithZero(kind, set - ValueSet::point(limit));
  if (set.isEmpty())
    return std::nullopt;
  const Bound &lower = set.getInterval().getLower();
  const Bound &upper = set.getInterval().getUpper();
  bool isStrict = kind == ExprKind::Lt;
  if (upper && (isStrict ? *upper < limit : *upper <= limit))
    return true;
  if (lower && (isStrict ? *lower >= limit : *lower > limit))
    return false;
  return std::nullopt;
}

/// And for `limit kind set`.
static std::optional<bool>
compareLimit(ExprKind kind, const DynamicAPInt &limit, const ValueSet &set) {
  if (kind != ExprKind::Le && kind != ExprKind::Lt)
    return compareWithZero(kind, ValueSet::point(limit) - set);
  // limit <= x is not x < limit.
  std::optional<bool> opposite = compareWith(
      kind == ExprKind::Le ? ExprKind::Lt : ExprKind::Le, set, limit);
  return opposite ? std::optional<bool>(!*opposite) : std::nullopt;
}

/// Decides a comparison of integers by the values of both sides.
static std::optional<bool> compareSides(ValueAnalysis &values,
                                        ExprContext &context, Expr comparison,
                                        FactSet &ids) {
  ExprKind kind = comparison.getKind();
  Expr lhs = comparison.getOperand(0), rhs = comparison.getOperand(1);
  if (!lhs.isInt() || !rhs.isInt())
    return std::nullopt;
  if (rhs.isConstant())
    return compareWith(kind, values.valueSet(lhs, ids), rhs.getConstant());
  if (lhs.isConstant())
    return compareLimit(kind, lhs.getConstant(), values.valueSet(rhs, ids));
  return compareWithZero(kind, values.valueSet(context.sub(lhs, rhs), ids));
}

std::optional<bool> ValueAnalysis::truthOf(Expr expr, FactSet &used) {
  ArrayRef<Expr> operands = expr.getOperands();
  if (expr.getKind() == ExprKind::BoolConstant)
    return expr.isTrue();
  if (!tables.truths.empty()) {
    auto it = tables.truths.find(expr);
    bool isNegated = it == tables.truths.end();
    if (isNegated)
      it = tables.truths.find(context.logicalNot(expr));
    if (it != tables.truths.end()) {
      mergeFacts(used, it->second);
      return !isNegated;
    }
  }
  FactSet ids;
  std::optional<bool> result;
  switch (expr.getKind()) {
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Le:
  case ExprKind::Lt:
    result = compareSides(*this, context, expr, ids);
    break;
  case ExprKind::And:
  case ExprKind::Or: {
    bool decisive = expr.getKind() == ExprKind::Or;
    result = !decisive;
    for (Expr operand : operands) {
      FactSet own;
      std::optional<bool> truth = truthOf(operand, own);
      if (truth == decisive) {
        mergeFacts(used, own);
        return decisive;
      }
      if (!truth)
        result = std::nullopt;
      mergeFacts(ids, own);
    }
    break;
  }
  case ExprKind::Not:
    result = truthOf(operands[0], ids);
    if (result)
      result = !*result;
    break;
  case ExprKind::Select:
    if (std::optional<bool> condition = truthOf(operands[0], ids))
      result = truthOf(operands[*condition ? 1 : 2], ids);
    break;
  default:
    break;
  }
  if (result)
    mergeFacts(used, ids);
  return result;
}
