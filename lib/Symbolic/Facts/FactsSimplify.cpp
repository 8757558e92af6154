//===- FactsSimplify.cpp - Simplification under facts ---------------------===//
//
// Puts equalities in and folds what value sets decide. Each step keeps the
// value under every assignment that fits the facts, and whether there is one.
//
//===----------------------------------------------------------------------===//

#include "FactsImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Rounds of simplification until nothing changes.
static constexpr unsigned maxRounds = 6;
/// Operands of a minimum or maximum that are compared with each other.
static constexpr size_t maxComparedOperands = 16;

Expr Facts::Impl::simplify(Expr expr, FactSet &used) {
  if (contradictory || expr.getLatestOrdinal() == 0)
    return expr;
  if (expr.isSymbol() && expr.isInt() && !isSettled(expr))
    return expr;
  if (expr.isSymbol() && expr.isInt() && !replacements.count(expr)) {
    const Known &values = getKnownValues(expr);
    std::optional<DynamicAPInt> single = values.set.getSingle();
    if (!single)
      return expr;
    mergeFacts(used, values.ids);
    return context.constant(*single);
  }
  for (unsigned round = 0; round != maxRounds; ++round) {
    auto it = simplifyCache.find(expr);
    if (it == simplifyCache.end() || it->second.time < changes.getLast(expr)) {
      Simplified fresh = simplifyOnce(expr);
      simplifyCache[expr] = {std::move(fresh), clock};
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

Facts::Impl::Simplified Facts::Impl::simplifyOnce(Expr expr) {
  Simplified result{expr, {}};
  auto replacement = replacements.find(expr);
  if (replacement != replacements.end()) {
    result.ids = replacement->second.ids;
    result.expr = simplify(replacement->second.value, result.ids);
    return result;
  }
  if (expr.getKind() == ExprKind::Add && isLinear(expr) &&
      llvm::none_of(expr.getOperands(), [&](Expr operand) {
        Expr symbol = viewTerm(operand).monomial;
        return symbol && isSettled(symbol);
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
Expr Facts::Impl::replaceProduct(Expr monomial, FactSet &used) {
  if (monomial.getNode()->degree < 3)
    return Expr();
  for (const Factor &factor : getFactors(monomial))
    for (Expr product : productsOfFactor.lookup(factor.atom)) {
      auto it = replacements.find(product);
      Expr rest = it == replacements.end()
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
Expr Facts::Impl::replaceMonomials(Expr expr, FactSet &used) {
  if (replacements.empty() || !expr.isInt() || expr.isSymbol())
    return expr;
  TermList terms = getTerms(expr, context);
  bool changed = false;
  for (Term &term : terms) {
    auto it = replacements.find(term.monomial);
    if (it != replacements.end()) {
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

Expr Facts::Impl::foldNode(Expr expr, FactSet &used) {
  if (expr.isBool())
    return foldComparison(expr, used);
  if (!expr.isInt() || expr.isConstant())
    return expr;
  FactSet ids;
  if (std::optional<DynamicAPInt> value = valueSet(expr, ids).getSingle()) {
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
Expr Facts::Impl::mirrorExact(Expr expr, FactSet &used) {
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
Expr Facts::Impl::foldSymbolicDivision(Expr expr, FactSet &used) {
  bool isMod = expr.getKind() == ExprKind::Mod;
  Expr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  for (int64_t quotient : {0, -1, 1}) {
    FactSet ids;
    Expr rest =
        context.sub(dividend, context.scale(DynamicAPInt(quotient), divisor));
    if (!valueSet(rest, ids).getInterval().isAtLeast(0) ||
        !valueSet(context.sub(divisor, rest), ids).getInterval().isAtLeast(1) ||
        !isDefined(expr, ids))
      continue;
    mergeFacts(used, ids);
    return isMod ? rest : context.constant(quotient);
  }
  FactSet ids;
  Interval range = valueSet(divisor, ids).getInterval();
  if (!isMod && dividend.getKind() == ExprKind::FloorDiv && !range.isEmpty() &&
      range.isAtLeast(1)) {
    mergeFacts(used, ids);
    return context.floorDiv(dividend.getOperand(0),
                            context.mul(dividend.getOperand(1), divisor));
  }
  if (!dividend.isConstant() || dividend.isConstant(0))
    return expr;
  for (Expr product : productsOfFactor.lookup(divisor)) {
    Known value = known.lookup(product);
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
Expr Facts::Impl::foldDivision(Expr expr, FactSet &used) {
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
    Congruence classes = valueSet(term.monomial, own).getCongruence() *
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
Expr Facts::Impl::foldExtremum(Expr expr, FactSet &used) {
  ArrayRef<Expr> operands = expr.getOperands();
  if (expr.getKind() == ExprKind::Abs) {
    FactSet ids;
    Interval range = valueSet(operands[0], ids).getInterval();
    if (!range.isAtLeast(0) && !range.isAtMost(0))
      return expr;
    mergeFacts(used, ids);
    return range.isAtLeast(0) ? operands[0] : context.neg(operands[0]);
  }
  if (operands.size() > maxComparedOperands)
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
      return valueSet(gap, ids).getInterval().isAtLeast(0);
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

Expr Facts::Impl::foldComparison(Expr expr, FactSet &used) {
  FactSet ids;
  std::optional<bool> truth = truthOf(expr, ids);
  if (!truth || !isDefined(expr, ids))
    return expr;
  mergeFacts(used, ids);
  return context.boolean(*truth);
}
