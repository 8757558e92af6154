//===- Simplifier.cpp - Simplification under facts ------------------------===//
//
// Puts equalities in and folds what value sets decide. Each step keeps the
// value under every assignment that fits the facts, and whether there is one.
//
//===----------------------------------------------------------------------===//

#include "Simplifier.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Rounds of simplification until nothing changes.
static constexpr unsigned kMaxRounds = 6;
/// Operands of a minimum or maximum that are compared with each other.
static constexpr size_t kMaxComparedOperands = 16;

Expr Simplifier::simplify(Expr expr, FactSet &used) {
  if (tables.contradictory || expr.getLatestOrdinal() == 0)
    return expr;
  if (expr.isSymbol() && expr.isInt() && !tables.isSettled(expr))
    return expr;
  if (expr.isSymbol() && expr.isInt() && !tables.replacements.count(expr)) {
    const KnownValues &known = values.getKnownValues(expr);
    std::optional<DynamicAPInt> single = known.set.getSingle();
    if (!single)
      return expr;
    mergeFacts(used, known.ids);
    return context.constant(*single);
  }
  for (unsigned round = 0; round != kMaxRounds; ++round) {
    auto it = simplifyCache.find(expr);
    if (it == simplifyCache.end() ||
        it->second.time < tables.getLastChange(expr)) {
      Simplified fresh = simplifyOnce(expr);
      simplifyCache[expr] = {std::move(fresh), tables.getTime()};
      it = simplifyCache.find(expr);
    }
    Expr result = it->second.answer.expr;
    mergeFacts(used, it->second.answer.ids);
    if (result == expr)
      break;
    expr = result;
  }
  return expr;
}

Simplifier::Simplified Simplifier::simplifyOnce(Expr expr) {
  Simplified result{expr, {}};
  auto replacement = tables.replacements.find(expr);
  if (replacement != tables.replacements.end()) {
    result.ids = replacement->second.ids;
    result.expr = simplify(replacement->second.value, result.ids);
    return result;
  }
  if (expr.getKind() == ExprKind::Add && isLinear(expr) &&
      llvm::none_of(expr.getOperands(), [&](Expr operand) {
        Expr symbol = viewTerm(operand).monomial;
        return symbol && tables.isSettled(symbol);
      })) {
    result.expr = foldNode(result.expr, result.ids);
    return result;
  }
  if (!expr.getOperands().empty()) {
    SmallVector<Expr, 4> operands;
    bool changed = false;
    for (Expr operand : expr.getOperands()) {
      operands.push_back(operand.getLatestOrdinal() == 0
                             ? operand
                             : simplify(operand, result.ids));
      changed |= operands.back() != operand;
    }
    if (changed)
      result.expr = context.rebuild(expr, operands);
  }
  result.expr = replaceMonomials(result.expr, result.ids);
  result.expr = foldNode(result.expr, result.ids);
  return result;
}

/// Replaces a product that is a part of a monomial; null if none is.
Expr Simplifier::replaceProduct(Expr monomial, FactSet &used) {
  if (monomial.getNode()->degree < 3)
    return Expr();
  for (const Factor &factor : getFactors(monomial))
    for (Expr product : tables.productsOfFactor.lookup(factor.atom)) {
      auto it = tables.replacements.find(product);
      Expr rest = it == tables.replacements.end()
                      ? Expr()
                      : divideMonomial(context, monomial, product);
      if (!rest)
        continue;
      mergeFacts(used, it->second.ids);
      return context.mul(rest, it->second.value);
    }
  return Expr();
}

/// Applies replacements of products to the terms of a sum.
Expr Simplifier::replaceMonomials(Expr expr, FactSet &used) {
  if (tables.replacements.empty() || !expr.isInt() || expr.isSymbol())
    return expr;
  TermList terms = getTerms(expr, context);
  bool changed = false;
  for (Term &term : terms) {
    auto it = tables.replacements.find(term.monomial);
    if (it != tables.replacements.end()) {
      changed = true;
      mergeFacts(used, it->second.ids);
      term.monomial = it->second.value;
    } else if (Expr replaced = replaceProduct(term.monomial, used)) {
      changed = true;
      term.monomial = replaced;
    }
  }
  return changed ? context.sumOfTerms(terms) : expr;
}

Expr Simplifier::foldNode(Expr expr, FactSet &used) {
  if (expr.isBool())
    return foldComparison(expr, used);
  if (!expr.isInt() || expr.isConstant())
    return expr;
  FactSet ids;
  if (std::optional<DynamicAPInt> value =
          values.valueSet(expr, ids).getSingle()) {
    if (isDefined(expr, ids)) {
      mergeFacts(used, ids);
      return context.constant(*value);
    }
  }
  switch (expr.getKind()) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return foldDivision(expr, used);
  case ExprKind::ExactDiv:
    ids.clear();
    if (!isNodeDefined(expr, ids))
      return expr;
    mergeFacts(used, ids);
    return context.floorDiv(expr.getOperand(0), expr.getOperand(1));
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::Abs:
    return foldExtremum(expr, used);
  default:
    return expr;
  }
}

/// -x floordiv d is -(x floordiv d) where d divides x; null elsewhere.
Expr Simplifier::mirrorExact(Expr expr, FactSet &used) {
  Expr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  TermList terms = getTerms(dividend, context);
  if (terms.empty() || terms.front().coefficient > 0)
    return Expr();
  FactSet ids;
  Expr positive = context.neg(dividend);
  Expr remainder = simplify(context.mod(positive, divisor), ids);
  if (!remainder.isConstant(0))
    return Expr();
  mergeFacts(used, ids);
  if (expr.getKind() == ExprKind::Mod)
    return remainder;
  return context.neg(context.floorDiv(positive, divisor));
}

/// By a divisor that is no literal: a dividend in [k * d, k * d + d) for a k
/// next to 0, nested divisions, and literals that a product is equal to.
Expr Simplifier::foldSymbolicDivision(Expr expr, FactSet &used) {
  bool isMod = expr.getKind() == ExprKind::Mod;
  Expr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  for (int64_t quotient : {0, -1, 1}) {
    FactSet ids;
    Expr rest =
        context.sub(dividend, context.scale(DynamicAPInt(quotient), divisor));
    if (!values.valueSet(rest, ids).getInterval().isAtLeast(0) ||
        !values.valueSet(context.sub(divisor, rest), ids)
             .getInterval()
             .isAtLeast(1) ||
        !isDefined(expr, ids))
      continue;
    mergeFacts(used, ids);
    return isMod ? rest : context.constant(quotient);
  }
  FactSet ids;
  Interval range = values.valueSet(divisor, ids).getInterval();
  if (!isMod && dividend.getKind() == ExprKind::FloorDiv && !range.isEmpty() &&
      range.isAtLeast(1)) {
    mergeFacts(used, ids);
    return context.floorDiv(dividend.getOperand(0),
                            context.mul(dividend.getOperand(1), divisor));
  }
  if (!dividend.isConstant() || dividend.isConstant(0))
    return expr;
  for (Expr product : tables.productsOfFactor.lookup(divisor)) {
    KnownValues value = tables.known.lookup(product);
    std::optional<DynamicAPInt> single = value.set.getSingle();
    if (!single || *single == 0 ||
        pythonMod(dividend.getConstant(), *single) != 0 ||
        !divideMonomial(context, product, divisor))
      continue;
    mergeFacts(used, value.ids);
    return context.rebuild(
        expr,
        {context.scale(dividend.getConstant() / *single, product), divisor});
  }
  return expr;
}

/// Splits what is a multiple of a literal divisor off the dividend; a dividend
/// that is in [0, divisor) is its own remainder.
Expr Simplifier::foldDivision(Expr expr, FactSet &used) {
  bool isMod = expr.getKind() == ExprKind::Mod;
  Expr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  FactSet ids;
  if (!divisor.isConstant()) {
    if (Expr mirrored = mirrorExact(expr, used))
      return mirrored;
    return foldSymbolicDivision(expr, used);
  }
  if (divisor.isConstant(0))
    return expr;
  TermList multiples, rest;
  for (Term &term : getTerms(dividend, context)) {
    FactSet own;
    Congruence classes = values.valueSet(term.monomial, own).getCongruence() *
                         Congruence::point(term.coefficient);
    if (pythonMod(classes.getDivisor(), divisor.getConstant()) == 0) {
      mergeFacts(ids, own);
      multiples.push_back(std::move(term));
    } else {
      rest.push_back(std::move(term));
    }
  }
  if (multiples.empty() || rest.empty())
    return expr;
  mergeFacts(used, ids);
  Expr multiple = makeSum(context, std::move(multiples));
  Expr others = makeSum(context, std::move(rest));
  if (isMod)
    return context.add(context.mod(others, divisor), context.residue(multiple));
  return context.add(context.floorDiv(multiple, divisor),
                     context.floorDiv(others, divisor));
}

/// Drops operands that are never the result.
Expr Simplifier::foldExtremum(Expr expr, FactSet &used) {
  ArrayRef<Expr> operands = expr.getOperands();
  if (expr.getKind() == ExprKind::Abs) {
    FactSet ids;
    Interval range = values.valueSet(operands[0], ids).getInterval();
    if (!range.isAtLeast(0) && !range.isAtMost(0))
      return expr;
    mergeFacts(used, ids);
    return range.isAtLeast(0) ? operands[0] : context.neg(operands[0]);
  }
  if (operands.size() > kMaxComparedOperands)
    return expr;
  bool isMax = expr.getKind() == ExprKind::Max;
  SmallVector<Expr, 4> kept(operands.begin(), operands.end());
  for (size_t i = 0; i != kept.size();) {
    FactSet ids;
    bool isDropped = llvm::any_of(kept, [&](Expr other) {
      if (other == kept[i] || !kept[i].isTotal())
        return false;
      ids.clear();
      Expr gap =
          isMax ? context.sub(other, kept[i]) : context.sub(kept[i], other);
      return values.valueSet(gap, ids).getInterval().isAtLeast(0);
    });
    if (!isDropped) {
      ++i;
      continue;
    }
    mergeFacts(used, ids);
    kept.erase(kept.begin() + i);
  }
  if (kept.size() == operands.size())
    return expr;
  return isMax ? context.max(kept) : context.min(kept);
}

Expr Simplifier::foldComparison(Expr expr, FactSet &used) {
  FactSet ids;
  std::optional<bool> truth = values.truthOf(expr, ids);
  if (!truth || !isDefined(expr, ids))
    return expr;
  mergeFacts(used, ids);
  return context.boolean(*truth);
}
