//===- Choice.cpp - min, max, abs and select ------------------------------===//
//
// Minima and maxima are flat, hold no two operands that differ by a constant,
// and have common terms, constants and factors moved outside:
// max(2 * n + 2, 2) is 2 * max(n, 0) + 2, max(a + c, b + c) is max(a, b) + c.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// Terms of a sum with a minimum or maximum that is flattened, and operands of
/// the latter.
static constexpr size_t kMaxFlattenedTerms = 8;
/// How deep minima and maxima are compared with each other.
static constexpr unsigned kMaxAbsorptionDepth = 3;

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
  bool flattenSum(Expr operand);
  Expr takeCommonTerms();
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
    if (!flattenSum(operand))
      list.push_back(operand);
    return;
  }
  for (Expr inner : operand.getOperands())
    list.push_back(inner);
}

/// Flattens c * max(x, ...) + rest with c > 0, and c * min(x, ...) + rest with
/// c < 0, into a maximum; the other way round for a minimum.
bool ExtremumBuilder::flattenSum(Expr operand) {
  TermList terms = getTerms(operand, context);
  if (terms.size() > kMaxFlattenedTerms)
    return false;
  const Term *found = nullptr;
  for (const Term &term : terms) {
    ExprKind inner = term.monomial.getKind();
    if (inner != ExprKind::Min && inner != ExprKind::Max)
      continue;
    if (found || inner != (term.coefficient > 0 ? kind : getOpposite()))
      return false;
    found = &term;
  }
  if (!found || found->monomial.getOperands().size() > kMaxFlattenedTerms)
    return false;
  Expr rest =
      context.sub(operand, context.scale(found->coefficient, found->monomial));
  for (Expr inner : found->monomial.getOperands())
    flatten(context.add(rest, context.scale(found->coefficient, inner)));
  return true;
}

/// Takes the terms that all operands share out of them, and gives their sum.
Expr ExtremumBuilder::takeCommonTerms() {
  TermList common;
  for (Term &term : getTerms(list.front(), context))
    if (!term.monomial.isConstant() && !term.monomial.getNode()->zeroValued)
      common.push_back(std::move(term));
  for (Expr operand : ArrayRef<Expr>(list).drop_front()) {
    if (common.empty())
      break;
    llvm::DenseMap<Expr, DynamicAPInt> coefficients;
    for (const Term &term : getTerms(operand, context))
      coefficients[term.monomial] = term.coefficient;
    llvm::erase_if(common, [&](const Term &term) {
      auto it = coefficients.find(term.monomial);
      return it == coefficients.end() || it->second != term.coefficient;
    });
  }
  Expr sum = makeSum(context, std::move(common));
  if (!sum.isConstant(0))
    for (Expr &operand : list)
      operand = context.sub(operand, sum);
  return sum;
}

/// Of operands that differ by a constant only one can be the result.
void ExtremumBuilder::keepBestOfEachShift() {
  SmallVector<std::pair<Expr, DynamicAPInt>, 4> best;
  llvm::SmallDenseMap<Expr, size_t, 8> position;
  for (Expr operand : list) {
    DynamicAPInt offset = getConstantTerm(operand);
    Expr part = context.sub(operand, context.constant(offset));
    auto [it, isNew] = position.try_emplace(part, best.size());
    if (isNew)
      best.push_back({part, offset});
    else if (isBetter(offset, best[it->second].second))
      best[it->second].second = offset;
  }
  if (best.size() == list.size())
    return;
  list.clear();
  for (auto &[part, offset] : best)
    list.push_back(context.add(part, context.constant(offset)));
}

/// The operands of `max(...) + constant` with the constant added to each, and
/// whether it is a maximum, a minimum, or neither.
static ExprKind getOperandsOf(ExprContext &context, Expr expr,
                              SmallVectorImpl<Expr> &operands) {
  Expr extremum = expr, offset = context.zero();
  if (expr.getKind() == ExprKind::Add && expr.getOperands().size() == 2 &&
      expr.getOperand(1).isConstant())
    extremum = expr.getOperand(0), offset = expr.getOperand(1);
  ExprKind kind = extremum.getKind();
  if (kind != ExprKind::Min && kind != ExprKind::Max)
    return ExprKind::Constant;
  for (Expr operand : extremum.getOperands())
    operands.push_back(context.add(operand, offset));
  return kind;
}

/// Returns true if a <= b whatever the symbols are, as far as the forms show
/// it.
static bool isNeverAbove(ExprContext &context, Expr a, Expr b, unsigned depth) {
  Expr gap = context.sub(b, a);
  if (gap.isConstant())
    return gap.getConstant() >= 0;
  if (depth == kMaxAbsorptionDepth)
    return false;
  SmallVector<Expr, 4> partsOfA, partsOfB;
  ExprKind left = getOperandsOf(context, a, partsOfA);
  ExprKind right = getOperandsOf(context, b, partsOfB);
  auto isBelowB = [&](Expr part) {
    return isNeverAbove(context, part, b, depth + 1);
  };
  auto isAboveA = [&](Expr part) {
    return isNeverAbove(context, a, part, depth + 1);
  };
  return (left == ExprKind::Min && llvm::any_of(partsOfA, isBelowB)) ||
         (left == ExprKind::Max && llvm::all_of(partsOfA, isBelowB)) ||
         (right == ExprKind::Max && llvm::any_of(partsOfB, isAboveA)) ||
         (right == ExprKind::Min && llvm::all_of(partsOfB, isAboveA));
}

/// Drops what is never the result: max(b, ...) beside b in a minimum, and so
/// on.
void ExtremumBuilder::absorb() {
  auto isOpposite = [&](Expr operand) {
    SmallVector<Expr, 4> parts;
    return getOperandsOf(context, operand, parts) == getOpposite();
  };
  if (list.size() > kMaxFlattenedTerms || llvm::none_of(list, isOpposite))
    return;
  for (size_t i = 0; i != list.size();) {
    bool isDropped = list[i].isTotal() && llvm::any_of(list, [&](Expr other) {
                       if (other == list[i])
                         return false;
                       return kind == ExprKind::Max
                                  ? isNeverAbove(context, list[i], other, 0)
                                  : isNeverAbove(context, other, list[i], 0);
                     });
    if (isDropped)
      list.erase(list.begin() + i);
    else
      ++i;
  }
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
  Expr common = takeCommonTerms();
  if (!common.isConstant(0))
    return context.add(common, ExtremumBuilder(context, kind).build(list));
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
  if (llvm::any_of(operands, [](Expr e) { return e.isFloat(); }))
    return makeFloatExtremum(*this, ExprKind::FloatMin, operands);
  return ExtremumBuilder(*this, ExprKind::Min).build(operands);
}

Expr ExprContext::max(ArrayRef<Expr> operands) {
  assert(!operands.empty() && "maximum of nothing");
  if (llvm::any_of(operands, [](Expr e) { return e.isFloat(); }))
    return makeFloatExtremum(*this, ExprKind::FloatMax, operands);
  return ExtremumBuilder(*this, ExprKind::Max).build(operands);
}

/// Returns true for expressions that are never negative whatever their symbols
/// are.
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

/// abs of a product is the product of the absolute values.
static Expr absOfTerm(ExprContext &context, const Term &term) {
  Expr result = context.constant(llvm::abs(term.coefficient));
  for (const Factor &factor : getFactors(term.monomial)) {
    Expr base = factor.atom;
    if (factor.power % 2 != 0 && !isNeverNegative(base))
      base = makeNode(context, ExprKind::Abs, SymbolType::Int, {base});
    if (base != factor.atom && factor.power > 1)
      result = context.mul(result, context.pow(factor.atom, factor.power - 1));
    result = context.mul(
        result, context.pow(base, base == factor.atom ? factor.power : 1));
  }
  return result;
}

Expr ExprContext::abs(Expr a) {
  if (a.isFloat())
    return floatFunction(FloatFunction::Abs, a);
  assert(a.isInt() && "abs of what is no number");
  if (isZeroValued(a) || isNeverNegative(a))
    return a;
  TermList terms = getTerms(a, *this);
  if (terms.front().coefficient < 0)
    return abs(neg(a));
  bool hasResidue = llvm::any_of(terms, [](const Term &term) {
    return term.monomial.getNode()->zeroValued;
  });
  if (terms.size() == 1 && !hasResidue)
    return absOfTerm(*this, terms.front());
  DynamicAPInt content = getContent(terms, /*withConstant=*/true);
  if (content <= 1 || hasResidue)
    return makeNode(*this, ExprKind::Abs, SymbolType::Int, {a});
  for (Term &term : terms)
    term.coefficient = term.coefficient / content;
  return scale(content, abs(makeSum(*this, std::move(terms))));
}

/// `select(a < b, a, b)` is the smaller of the two, `select(a == b, a, b)` is
/// b; null for what is no such choice.
static Expr makeExtremum(ExprContext &context, Expr condition, Expr a, Expr b) {
  ExprKind kind = condition.getKind();
  if (!a.isInt() || !condition.isTotal() || !a.isTotal() || !b.isTotal())
    return Expr();
  if (kind == ExprKind::Eq && condition.getOperand(0).isInt())
    return condition == context.eq(a, b) ? b : Expr();
  if (kind != ExprKind::Le && kind != ExprKind::Lt)
    return Expr();
  if (condition == context.le(a, b) || condition == context.lt(a, b))
    return context.min(a, b);
  if (condition == context.le(b, a) || condition == context.lt(b, a))
    return context.max(a, b);
  return Expr();
}

/// The branch of a select where a condition holds that is its own, or the
/// negation of that; null for others.
static Expr takeBranch(ExprContext &context, Expr choice, Expr condition) {
  if (choice.getKind() != ExprKind::Select)
    return Expr();
  if (choice.getOperand(0) == condition)
    return choice.getOperand(1);
  return choice.getOperand(0) == context.logicalNot(condition)
             ? choice.getOperand(2)
             : Expr();
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
  // The condition is known in the branches.
  if (Expr branch = takeBranch(*this, a, condition))
    return select(condition, branch, b);
  if (Expr branch = takeBranch(*this, b, logicalNot(condition)))
    return select(condition, a, branch);
  if (Expr choice = makeExtremum(*this, condition, a, b))
    return choice;
  return makeNode(*this, ExprKind::Select, a.getType(), {condition, a, b});
}
