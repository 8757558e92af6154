//===- Booleans.cpp - Comparisons and logic -------------------------------===//
//
// A comparison of integers is brought to `difference <= 0` or
// `difference == 0` in lowest terms and then written with positive
// coefficients on both sides.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "tally/Symbolic/Expr/Interval.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Comparisons of integers
//===----------------------------------------------------------------------===//

namespace {

/// A difference taken apart.
struct Difference {
  /// Terms that are neither constant nor residue.
  TermList terms;
  DynamicAPInt constant;
  /// The residues that keep the comparison undefined where it is.
  Expr residues;
};

} // namespace

static Difference takeApart(Expr difference, ExprContext &context) {
  Difference result;
  TermList residues;
  for (const Term &term : getTerms(difference, context)) {
    if (term.monomial.isConstant())
      result.constant = term.coefficient;
    else if (term.monomial.getNode()->zeroValued)
      residues.push_back(term);
    else
      result.terms.push_back(term);
  }
  result.residues = makeSum(context, std::move(residues));
  return result;
}

/// Writes the difference with positive coefficients on both sides.
static Expr makeSides(ExprContext &context, ExprKind kind,
                      const Difference &difference) {
  TermList left, right;
  for (const Term &term : difference.terms) {
    if (term.coefficient > 0)
      left.push_back(term);
    else
      right.push_back({-term.coefficient, term.monomial});
  }
  DynamicAPInt constant = difference.constant;
  if (kind == ExprKind::Le && constant == 1 && !left.empty() &&
      !right.empty()) {
    kind = ExprKind::Lt;
    constant = 0;
  }
  bool toLeft = left.empty() || (!right.empty() && constant > 0);
  if (toLeft)
    left.push_back({constant, context.one()});
  else
    right.push_back({-constant, context.one()});
  Expr lhs =
      context.add(makeSum(context, std::move(left)), difference.residues);
  return makeNode(context, kind, SymbolType::Bool,
                  {lhs, makeSum(context, std::move(right))});
}

/// difference <= 0 for a plain difference with a term whose coefficient is 1
/// or -1, so that it is in lowest terms; null for any other.
static Expr makePlainLe(ExprContext &context, Expr difference) {
  auto isUnit = [](Expr operand) {
    TermView term = viewTerm(operand);
    return term.monomial && (*term.coefficient == 1 || *term.coefficient == -1);
  };
  ArrayRef<Expr> operands = getTermOperands(difference);
  if (!difference.getNode()->plain || llvm::none_of(operands, isUnit))
    return Expr();
  DynamicAPInt constant = getConstantTerm(difference);
  if (operands.back().isConstant())
    operands = operands.drop_back();
  SmallVector<Expr, 16> left, right;
  for (Expr operand : operands) {
    if (*viewTerm(operand).coefficient > 0)
      left.push_back(operand);
    else
      right.push_back(negateTerm(context, operand));
  }
  ExprKind kind = ExprKind::Le;
  if (constant == 1 && !left.empty() && !right.empty()) {
    kind = ExprKind::Lt;
    constant = 0;
  }
  bool isLeft = left.empty() || (!right.empty() && constant > 0);
  if (constant != 0)
    (isLeft ? left : right)
        .push_back(context.constant(isLeft ? constant : -constant));
  return makeNode(
      context, kind, SymbolType::Bool,
      {makeSortedSum(context, left), makeSortedSum(context, right)});
}

/// difference <= 0.
static Expr makeLe(ExprContext &context, Expr difference) {
  if (Expr result = makePlainLe(context, difference))
    return result;
  Difference parts = takeApart(difference, context);
  if (parts.terms.empty() && parts.residues.isConstant(0))
    return context.boolean(parts.constant <= 0);
  DynamicAPInt g = getContent(parts.terms, /*withConstant=*/false);
  if (g > 1) {
    for (Term &term : parts.terms)
      term.coefficient = term.coefficient / g;
    parts.constant = -pythonFloorDiv(-parts.constant, g);
  }
  return makeSides(context, ExprKind::Le, parts);
}

/// difference == 0.
static Expr makeEq(ExprContext &context, Expr difference) {
  Difference parts = takeApart(difference, context);
  if (parts.terms.empty() && parts.residues.isConstant(0))
    return context.boolean(parts.constant == 0);
  DynamicAPInt g = getContent(parts.terms, /*withConstant=*/false);
  if (g != 0 && pythonMod(parts.constant, g) != 0) {
    if (difference.isTotal())
      return context.falseExpr();
    g = 1;
  }
  if (g != 0 && parts.terms.front().coefficient < 0)
    g = -g;
  if (g != 0) {
    for (Term &term : parts.terms)
      term.coefficient = term.coefficient / g;
    parts.constant = parts.constant / g;
  }
  return makeSides(context, ExprKind::Eq, parts);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Expr compareFloats(ExprContext &context, ExprKind kind, Expr a, Expr b) {
  assert(!a.isBool() && !b.isBool() && "comparison with a boolean");
  if (kind == ExprKind::Eq && compare(b, a) < 0)
    std::swap(a, b);
  return makeFolded(context, kind, SymbolType::Bool, {a, b});
}

static Expr eqBooleans(ExprContext &context, Expr a, Expr b) {
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (x.isTrue())
      return y;
    if (x.isFalse())
      return context.logicalNot(y);
  }
  if (a.isTotal() && b.isTotal()) {
    if (a == b)
      return context.trueExpr();
    if (a == context.logicalNot(b))
      return context.falseExpr();
    if (compare(b, a) < 0)
      std::swap(a, b);
  }
  return makeNode(context, ExprKind::Eq, SymbolType::Bool, {a, b});
}

Expr ExprContext::eq(Expr a, Expr b) {
  if (a.isBool() && b.isBool())
    return eqBooleans(*this, a, b);
  if (a.isFloat() || b.isFloat())
    return compareFloats(*this, ExprKind::Eq, a, b);
  return makeEq(*this, sub(a, b));
}

Expr ExprContext::ne(Expr a, Expr b) { return logicalNot(eq(a, b)); }

Expr ExprContext::le(Expr a, Expr b) {
  if (a.isFloat() || b.isFloat())
    return compareFloats(*this, ExprKind::Le, a, b);
  assert(a.isInt() && b.isInt() && "order of what is no number");
  return makeLe(*this, sub(a, b));
}

Expr ExprContext::lt(Expr a, Expr b) {
  if (a.isFloat() || b.isFloat())
    return compareFloats(*this, ExprKind::Lt, a, b);
  assert(a.isInt() && b.isInt() && "order of what is no number");
  return makeLe(*this, add(sub(a, b), one()));
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

/// Adds an operand of `kind` to the list, flat. True if what follows is never
/// evaluated.
static bool appendLogical(ExprKind kind, Expr operand,
                          llvm::SmallVectorImpl<Expr> &list) {
  assert(operand.isBool() && "logic on what is no boolean");
  if (operand.getKind() == kind) {
    for (Expr inner : operand.getOperands())
      if (appendLogical(kind, inner, list))
        return true;
    return false;
  }
  if (operand.getKind() != ExprKind::BoolConstant) {
    if (!llvm::is_contained(list, operand))
      list.push_back(operand);
    return false;
  }
  bool decides = operand.isTrue() == (kind == ExprKind::Or);
  if (decides)
    list.push_back(operand);
  return decides;
}

/// And and Or, which differ in the literal that decides them.
static Expr makeLogical(ExprContext &context, ExprKind kind,
                        ArrayRef<Expr> operands) {
  Expr neutral = context.boolean(kind == ExprKind::And);
  Expr decisive = context.boolean(kind == ExprKind::Or);
  SmallVector<Expr, 4> list;
  for (Expr operand : operands)
    if (appendLogical(kind, operand, list))
      break;
  bool total = llvm::all_of(list, [](Expr e) { return e.isTotal(); });
  if (list.empty())
    return neutral;
  // Without undefined operands the order does not matter.
  if (total) {
    if (list.back() == decisive)
      return decisive;
    if (list.size() > 1 && list.size() < 256)
      for (Expr operand : list)
        if (llvm::is_contained(list, context.logicalNot(operand)))
          return decisive;
    llvm::sort(list, [](Expr a, Expr b) { return compare(a, b) < 0; });
  }
  if (list.size() == 1)
    return list[0];
  return makeNode(context, kind, SymbolType::Bool, list);
}

Expr ExprContext::logicalAnd(ArrayRef<Expr> operands) {
  return makeLogical(*this, ExprKind::And, operands);
}

Expr ExprContext::logicalOr(ArrayRef<Expr> operands) {
  return makeLogical(*this, ExprKind::Or, operands);
}

/// not a for a comparison.
static Expr negateComparison(ExprContext &context, Expr a) {
  Expr lhs = a.getOperand(0), rhs = a.getOperand(1);
  switch (a.getKind()) {
  case ExprKind::Eq:
    // There are two remainders of a division by 2.
    if (lhs.getKind() == ExprKind::Mod && lhs.getOperand(1).isConstant(2) &&
        (rhs.isConstant(0) || rhs.isConstant(1)))
      return context.eq(lhs, context.constant(rhs.isConstant(0)));
    return makeNode(context, ExprKind::Ne, SymbolType::Bool, {lhs, rhs});
  case ExprKind::Ne:
    return makeNode(context, ExprKind::Eq, SymbolType::Bool, {lhs, rhs});
  default:
    break;
  }
  // With a NaN both a < b and b <= a are false.
  if (lhs.isFloat() || rhs.isFloat())
    return makeNode(context, ExprKind::Not, SymbolType::Bool, {a});
  return a.getKind() == ExprKind::Le ? context.lt(rhs, lhs)
                                     : context.le(rhs, lhs);
}

Expr ExprContext::logicalNot(Expr a) {
  assert(a.isBool() && "not of what is no boolean");
  switch (a.getKind()) {
  case ExprKind::BoolConstant:
    return boolean(a.isFalse());
  case ExprKind::Not:
    return a.getOperand(0);
  case ExprKind::And:
  case ExprKind::Or: {
    SmallVector<Expr, 4> negated;
    for (Expr operand : a.getOperands())
      negated.push_back(logicalNot(operand));
    return a.getKind() == ExprKind::And ? logicalOr(negated)
                                        : logicalAnd(negated);
  }
  case ExprKind::Select:
    return select(a.getOperand(0), logicalNot(a.getOperand(1)),
                  logicalNot(a.getOperand(2)));
  case ExprKind::Symbol:
    return makeNode(*this, ExprKind::Not, SymbolType::Bool, {a});
  default:
    return negateComparison(*this, a);
  }
}
