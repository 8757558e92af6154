//===- LinearForm.cpp - What is linear in one symbol ----------------------===//
//
// Polynomials seen as linear functions of one symbol.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"

#include "ContextImpl.h"

using namespace tally::symbolic;
using llvm::SmallVector;

/// The linear form of a product with `select(condition, a, b)` as a factor,
/// where only `a` and `b` mention the symbol.
static std::optional<LinearForm> getFormOfChoice(ExprContext &context,
                                                 Expr monomial, Expr symbol) {
  for (const Factor &factor : getFactors(monomial)) {
    Expr choice = factor.atom;
    if (choice.getKind() != ExprKind::Select || factor.power != 1 ||
        !context.mentions(choice, symbol))
      continue;
    Expr condition = choice.getOperand(0);
    Expr cofactor = divideMonomial(context, monomial, choice);
    if (context.mentions(condition, symbol) ||
        context.mentions(cofactor, symbol))
      return std::nullopt;
    std::optional<LinearForm> a, b;
    if (!(a = getLinearForm(context, choice.getOperand(1), symbol)) ||
        !(b = getLinearForm(context, choice.getOperand(2), symbol)))
      return std::nullopt;
    auto choose = [&](Expr x, Expr y) {
      return context.mul(cofactor, context.select(condition, x, y));
    };
    return LinearForm{choose(a->coefficient, b->coefficient),
                      choose(a->rest, b->rest)};
  }
  return std::nullopt;
}

std::optional<LinearForm>
tally::symbolic::getLinearForm(ExprContext &context, Expr expr, Expr symbol) {
  TermList coefficient, rest;
  SmallVector<Expr, 2> coefficients, rests;
  for (Term &term : getTerms(expr, context)) {
    if (!context.mentions(term.monomial, symbol)) {
      rest.push_back(std::move(term));
      continue;
    }
    Expr cofactor = divideMonomial(context, term.monomial, symbol);
    if (cofactor && !context.mentions(cofactor, symbol)) {
      coefficient.push_back({term.coefficient, cofactor});
      continue;
    }
    std::optional<LinearForm> choice =
        getFormOfChoice(context, term.monomial, symbol);
    if (!choice)
      return std::nullopt;
    coefficients.push_back(
        context.scale(term.coefficient, choice->coefficient));
    rests.push_back(context.scale(term.coefficient, choice->rest));
  }
  coefficients.push_back(makeSum(context, std::move(coefficient)));
  rests.push_back(makeSum(context, std::move(rest)));
  return LinearForm{context.sum(coefficients), context.sum(rests)};
}

void tally::symbolic::moveRest(ExprContext &context, LinearForm &form) {
  if (getTerms(form.coefficient, context).front().coefficient < 0)
    form.coefficient = context.neg(form.coefficient);
  else
    form.rest = context.neg(form.rest);
}

/// coefficient * symbol + rest, times the denominator.
static Expr putInForm(ExprContext &context, const LinearForm &form,
                      const Fraction &fraction) {
  return context.add(context.mul(form.coefficient, fraction.numerator),
                     context.mul(form.rest, fraction.denominator));
}

/// A comparison of integers; null if the symbol does not occur linearly.
static Expr putInComparison(ExprContext &context, Expr condition,
                            const Fraction &fraction) {
  Expr lhs = condition.getOperand(0), rhs = condition.getOperand(1);
  bool isRemainder = lhs.getKind() == ExprKind::Mod &&
                     lhs.getOperand(1).isConstant() && rhs.isConstant();
  Expr linear = isRemainder ? lhs.getOperand(0) : context.sub(lhs, rhs);
  std::optional<LinearForm> form =
      getLinearForm(context, linear, fraction.symbol);
  if (!form)
    return Expr();
  Expr scaled = putInForm(context, *form, fraction);
  if (isRemainder) {
    // (x / c) mod m == r is x mod (c * m) == c * r.
    Expr modulus = context.mul(lhs.getOperand(1), fraction.denominator);
    return context.rebuild(condition, {context.mod(scaled, modulus),
                                       context.mul(rhs, fraction.denominator)});
  }
  return context.rebuild(condition, {scaled, context.zero()});
}

Expr tally::symbolic::putIn(ExprContext &context, Expr condition,
                            const Fraction &fraction) {
  if (!context.mentions(condition, fraction.symbol))
    return condition;
  ExprKind kind = condition.getKind();
  if (kind == ExprKind::And || kind == ExprKind::Or) {
    SmallVector<Expr, 4> operands;
    for (Expr operand : condition.getOperands())
      operands.push_back(putIn(context, operand, fraction));
    return context.rebuild(condition, operands);
  }
  Expr result;
  if (condition.isComparison() && condition.getOperand(0).isInt() &&
      condition.getOperand(1).isInt() && fraction.isPositive)
    result = putInComparison(context, condition, fraction);
  return result ? result
                : context.substitute(condition,
                                     {{fraction.symbol, fraction.value}});
}
