//===- Choice.cpp - min, max, abs and select ------------------------------===//
//
// Minima and maxima are flat, hold no two operands that differ by a constant,
// and have common constants and factors moved outside:
// max(2 * n + 2, 2) is 2 * max(n, 0) + 2.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Builds one minimum or maximum.
class ExtremumBuilder {
public:
  ExtremumBuilder(ExprContext &context, ExprKind kind)
      : context(context), kind(kind) {}

  Expr build(ArrayRef<Expr> operands);

private:
  ExprKind getOpposite() const {
    return kind == ExprKind::Max ? ExprKind::Min : ExprKind::Max;
  }
  bool isBetter(const DynamicAPInt &a, const DynamicAPInt &b) const {
    return kind == ExprKind::Max ? a > b : a < b;
  }

  void flatten(Expr operand);
  void keepBestOfEachShift();
  void absorb();
  int getLeadingSign() const;
  Expr makeFlipped();
  Expr finish();

  ExprContext &context;
  ExprKind kind;
  SmallVector<Expr, 4> list;
};

} // namespace

void ExtremumBuilder::flatten(Expr operand) {
  if (operand.getKind() != kind) {
    list.push_back(operand);
    return;
  }
  for (Expr inner : operand.getOperands())
    list.push_back(inner);
}

/// Of operands that differ by a constant only one can be the result.
void ExtremumBuilder::keepBestOfEachShift() {
  SmallVector<std::pair<Expr, DynamicAPInt>, 4> best;
  llvm::SmallDenseMap<Expr, size_t, 8> position;
  for (Expr operand : list) {
    DynamicAPInt offset = getConstantTerm(operand);
    Expr shape = context.sub(operand, context.constant(offset));
    auto [it, isNew] = position.try_emplace(shape, best.size());
    if (isNew)
      best.push_back({shape, offset});
    else if (isBetter(offset, best[it->second].second))
      best[it->second].second = offset;
  }
  if (best.size() == list.size())
    return;
  list.clear();
  for (auto &[shape, offset] : best)
    list.push_back(context.add(shape, context.constant(offset)));
}

/// Drops max(b, ...) beside b from a minimum, and the other way round.
void ExtremumBuilder::absorb() {
  SmallVector<Expr, 4> all = list;
  llvm::erase_if(list, [&](Expr operand) {
    if (operand.getKind() != getOpposite() || !operand.isTotal())
      return false;
    return llvm::any_of(operand.getOperands(), [&](Expr inner) {
      return llvm::is_contained(all, inner);
    });
  });
}

/// The sign that the greatest leading monomial has in most operands.
int ExtremumBuilder::getLeadingSign() const {
  Expr lead;
  int sign = 0;
  for (Expr operand : list)
    for (const Term &term : getTerms(operand, context)) {
      if (term.monomial.isConstant())
        break;
      int order = lead ? compareMonomials(term.monomial, lead) : -1;
      if (order < 0)
        lead = term.monomial, sign = 0;
      if (order <= 0)
        sign += term.coefficient > 0 ? 1 : -1;
      break;
    }
  return sign;
}

Expr ExtremumBuilder::makeFlipped() {
  SmallVector<Expr, 4> negated;
  for (Expr operand : list)
    negated.push_back(context.neg(operand));
  ExtremumBuilder opposite(context, getOpposite());
  return context.neg(opposite.build(negated));
}

Expr ExtremumBuilder::finish() {
  llvm::sort(list, [](Expr a, Expr b) { return compare(a, b) < 0; });
  if (list.size() == 2 && list[0] == context.neg(list[1])) {
    Expr magnitude = context.abs(list[0]);
    return kind == ExprKind::Max ? magnitude : context.neg(magnitude);
  }
  return makeNode(context, kind, SymbolType::Int, list);
}

Expr ExtremumBuilder::build(ArrayRef<Expr> operands) {
  for (Expr operand : operands)
    flatten(operand);
  keepBestOfEachShift();
  absorb();
  if (list.size() == 1)
    return list[0];
  if (getLeadingSign() < 0)
    return makeFlipped();
  llvm::sort(list, [](Expr a, Expr b) { return compare(a, b) < 0; });
  DynamicAPInt offset = getConstantTerm(list.front());
  DynamicAPInt content(0);
  for (Expr &operand : list) {
    operand = context.add(operand, context.constant(-offset));
    TermList terms = getTerms(operand, context);
    // A residue has no multiples.
    bool hasResidue = llvm::any_of(terms, [](const Term &term) {
      return term.monomial.getNode()->zeroValued;
    });
    content =
        hasResidue ? DynamicAPInt(1) : gcd(content, getContent(terms, true));
  }
  for (Expr &operand : list) {
    if (content <= 1)
      break;
    TermList terms = getTerms(operand, context);
    for (Term &term : terms)
      term.coefficient = term.coefficient / content;
    operand = makeSum(context, std::move(terms));
  }
  // What was inside a sum may be flattened or absorbed now.
  bool isChanged = offset != 0 || content > 1;
  Expr inner =
      isChanged ? ExtremumBuilder(context, kind).build(list) : finish();
  if (content > 1)
    inner = context.scale(content, inner);
  return context.add(inner, context.constant(offset));
}

Expr ExprContext::min(ArrayRef<Expr> operands) {
  assert(!operands.empty() && "minimum of nothing");
  return ExtremumBuilder(*this, ExprKind::Min).build(operands);
}

Expr ExprContext::max(ArrayRef<Expr> operands) {
  assert(!operands.empty() && "maximum of nothing");
  return ExtremumBuilder(*this, ExprKind::Max).build(operands);
}

/// True for expressions that are never negative whatever their symbols are.
static bool isNeverNegative(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::Abs:
    return true;
  case ExprKind::Constant:
    return expr.getConstant() >= 0;
  case ExprKind::Pow:
    return expr.getExponent() % 2 == 0 || isNeverNegative(expr.getOperand(0));
  case ExprKind::Mod:
    return expr.getOperand(1).isConstant() &&
           expr.getOperand(1).getConstant() > 0;
  case ExprKind::Add:
  case ExprKind::Mul:
    return llvm::all_of(expr.getOperands(), isNeverNegative);
  default:
    return false;
  }
}

Expr ExprContext::abs(Expr a) {
  if (a.isFloat()) {
    if (a.getKind() == ExprKind::FloatConstant)
      return floatConstant(std::abs(a.getFloat()));
    return select(lt(a, floatConstant(0.0)), neg(a),
                  add(a, floatConstant(0.0)));
  }
  assert(a.isInt() && "abs of what is no number");
  if (isZeroValued(a) || isNeverNegative(a))
    return a;
  TermList terms = getTerms(a, *this);
  if (terms.front().coefficient < 0)
    return abs(neg(a));
  bool hasResidue = llvm::any_of(terms, [](const Term &term) {
    return term.monomial.getNode()->zeroValued;
  });
  DynamicAPInt content = getContent(terms, /*withConstant=*/true);
  if (content <= 1 || hasResidue)
    return makeNode(*this, ExprKind::Abs, SymbolType::Int, {a});
  for (Term &term : terms)
    term.coefficient = term.coefficient / content;
  return scale(content, abs(makeSum(*this, std::move(terms))));
}

Expr ExprContext::select(Expr condition, Expr a, Expr b) {
  assert(condition.isBool() && "select needs a boolean");
  assert(a.getType() == b.getType() && "select of different types");
  if (condition.isTrue())
    return a;
  if (condition.isFalse())
    return b;
  if (a == b) {
    if (a.isInt())
      return add(a, residue(condition));
    if (condition.isTotal())
      return a;
  }
  if (condition.getKind() == ExprKind::Ne ||
      condition.getKind() == ExprKind::Not)
    return select(logicalNot(condition), b, a);
  if (a.isTrue() && b.isFalse())
    return condition;
  if (a.isFalse() && b.isTrue())
    return logicalNot(condition);
  return makeNode(*this, ExprKind::Select, a.getType(), {condition, a, b});
}
