//===- Reduction.cpp - Factors that cancel --------------------------------===//
//
// What a term becomes when one of its factors is a quotient of another one, or
// an absolute value that is squared.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;

/// Takes `divisor` and `quotient` out of a term; null if it is no multiple of
/// their product.
static Expr cancel(ExprContext &context, const Term &term, Expr quotient,
                   Expr divisor) {
  if (divisor.getKind() == ExprKind::Add || divisor.isConstant(0))
    return Expr();
  Term unit = getTerm(divisor, context);
  if (pythonMod(term.coefficient, unit.coefficient) != 0)
    return Expr();
  Expr rest = divideMonomial(context, term.monomial, quotient);
  rest = rest ? divideMonomial(context, rest, unit.monomial) : rest;
  return rest ? makeTerm(context, term.coefficient / unit.coefficient, rest)
              : rest;
}

/// The term of which `factor` is one.
static Expr reduceFactor(ExprContext &context, const Term &term,
                         const Factor &factor) {
  Expr atom = factor.atom;
  llvm::ArrayRef<Expr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case ExprKind::FloorDiv: {
    if (atom.getNode()->zeroValued)
      return Expr();
    // d * (x floordiv d) is x - x mod d.
    Expr rest = cancel(context, term, atom, operands[1]);
    return rest ? context.mul(
                      rest, context.sub(operands[0],
                                        context.mod(operands[0], operands[1])))
                : rest;
  }
  case ExprKind::ExactDiv: {
    // d * exact_div(x, d) is x where that is defined.
    Expr rest = cancel(context, term, atom, operands[1]);
    return rest ? context.mul(rest,
                              context.add(operands[0], context.residue(atom)))
                : rest;
  }
  case ExprKind::Abs: {
    if (factor.power < 2)
      return Expr();
    Expr square = context.pow(atom.getOperand(0), 2);
    Expr rest = divideMonomial(context, term.monomial,
                               makeMonomial(context, {Factor{atom, 2}}));
    return context.mul(makeTerm(context, term.coefficient, rest), square);
  }
  default:
    return Expr();
  }
}

Expr tally::symbolic::reduceTerm(ExprContext &context, const Term &term) {
  for (const Factor &factor : getFactors(term.monomial))
    if (Expr reduced = reduceFactor(context, term, factor))
      return reduced;
  return Expr();
}
