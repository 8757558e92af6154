//===- FactTables.cpp - What is known, and how it is forgotten ------------===//
//
// Writing to the tables of facts. Everything that is written down is logged, so
// that the end of a scope takes it back.
//
//===----------------------------------------------------------------------===//

#include "FactTables.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Parts of expressions
//===----------------------------------------------------------------------===//

/// The primitive part of a sum.
static Expr makePrimitivePart(Expr sum, ExprContext &context) {
  DynamicAPInt offset = getConstantTerm(sum);
  Expr rest = offset == 0 ? sum : context.sub(sum, context.constant(offset));
  const DynamicAPInt &lead =
      *viewTerm(getTermOperands(rest).front()).coefficient;
  if (rest.getNode()->plain && (lead == 1 || lead == -1))
    return lead == 1 ? rest : context.neg(rest);
  TermList terms = getTerms(rest, context);
  DynamicAPInt factor = getContent(terms, /*withConstant=*/true);
  bool hasResidue = llvm::any_of(terms, [](const Term &term) {
    return term.monomial.getNode()->zeroValued;
  });
  if (terms.front().coefficient < 0)
    factor = -factor;
  if (factor == 1 || hasResidue)
    return rest;
  for (Term &term : terms)
    term.coefficient = term.coefficient / factor;
  return makeSum(context, std::move(terms));
}

PrimitiveSplit tally::symbolic::splitPrimitivePart(Expr expr,
                                                   ExprContext &context) {
  if (expr.isConstant())
    return {context.zero(), DynamicAPInt(0), expr.getConstant()};
  if (expr.getKind() != ExprKind::Add) {
    TermView term = viewTerm(expr);
    if (term.monomial.getNode()->zeroValued)
      return {expr, DynamicAPInt(1), DynamicAPInt(0)};
    return {term.monomial, *term.coefficient, DynamicAPInt(0)};
  }
  const detail::ExprNode *&cached = expr.getNode()->primitivePart;
  if (!cached)
    cached = makePrimitivePart(expr, context).getNode();
  Expr part(cached);
  const DynamicAPInt &lead = *viewTerm(expr.getOperand(0)).coefficient;
  const DynamicAPInt &unit =
      *viewTerm(getTermOperands(part).front()).coefficient;
  return {part, unit == 1 ? lead : lead / unit, getConstantTerm(expr)};
}

SmallVector<Expr, 4> tally::symbolic::getProductParts(Expr expr,
                                                      ExprContext &context) {
  ArrayRef<Expr> operands = expr.getOperands();
  if (expr.getKind() == ExprKind::Mul || expr.getKind() == ExprKind::Pow)
    return SmallVector<Expr, 4>(operands);
  // Terms are in descending degree.
  if (expr.getKind() != ExprKind::Add || operands.back().isConstant() ||
      getTerm(operands.back(), context).monomial.getNode()->degree < 2)
    return {};
  TermList terms = getTerms(expr, context);
  Expr common = terms.front().monomial;
  for (const Term &term : terms) {
    common = gcdMonomial(context, common, term.monomial);
    if (common.isConstant())
      return {};
  }
  for (Term &term : terms)
    term.monomial = divideMonomial(context, term.monomial, common);
  SmallVector<Expr, 4> parts{makeSum(context, std::move(terms))};
  if (common.getKind() == ExprKind::Mul)
    llvm::append_range(parts, common.getOperands());
  else
    parts.push_back(common);
  return parts;
}

//===----------------------------------------------------------------------===//
// Writing down
//===----------------------------------------------------------------------===//

void FactTables::contradict(const FactSet &ids) {
  if (contradictory)
    return;
  contradictory = true;
  contradiction = ids;
  record([this] {
    contradictory = false;
    contradiction.clear();
  });
}

void ChangeTimes::note(Expr expr, uint64_t time) {
  size_t position = expr.getLatestOrdinal();
  if (times.size() <= position) {
    // A larger tree; for what is in it, everything changed now.
    times.assign(llvm::PowerOf2Ceil(std::max<size_t>(64, 2 * position + 2)),
                 time);
    return;
  }
  for (size_t i = std::max<size_t>(position, 1); i < times.size(); i += i & -i)
    times[i] = time;
}

uint64_t ChangeTimes::getLast(Expr expr) const {
  uint64_t result = 0;
  size_t position = expr.getLatestOrdinal();
  if (position >= times.size())
    position = times.empty() ? 0 : times.size() - 1;
  for (size_t i = position; i != 0; i -= i & -i)
    result = std::max(result, times[i]);
  return result;
}

void FactTables::addTruth(Expr expr, const FactSet &ids) {
  if (truths.count(expr))
    return;
  setLogged(truths, expr, ids);
}

void FactTables::addToIndex(FactIndex &index, ArrayRef<Expr> keys,
                            unsigned position) {
  for (Expr key : keys) {
    index.push(key, position);
    record([&index, key] { index.pop(key); });
  }
}

void FactTables::addLinear(Expr expr, bool isEquality, const FactSet &ids) {
  unsigned position = linear.size();
  linear.push_back({expr, isEquality, ids});
  record([this] { linear.pop_back(); });
  SmallVector<Expr, 8> monomials;
  for (Expr operand : getTermOperands(expr))
    if (Expr monomial = viewTerm(operand).monomial)
      monomials.push_back(monomial);
  addToIndex(linearOfMonomial, monomials, position);
  if (isLinear(expr)) // The monomials are the symbols.
    return;
  SmallVector<Expr, 4> symbols = context.freeSymbols(expr);
  SmallVector<Expr, 4> inner(symbols);
  llvm::erase_if(inner, [&](Expr symbol) {
    return llvm::is_contained(monomials, symbol);
  });
  addToIndex(linearAround, inner, position);
  if (expr.getNode()->foldable) {
    addToIndex(foldableOfSymbol, symbols, position);
    ++numFoldable;
    record([this] { --numFoldable; });
  }
}

void FactTables::addOpen(Expr expr, const FactSet &ids) {
  addTruth(expr, ids);
  unsigned position = open.size();
  open.push_back({expr, ids});
  record([this] { open.pop_back(); });
  addToIndex(openOfSymbol, context.freeSymbols(expr), position);
}

void FactTables::addProduct(Expr product) {
  for (Expr factor : getProductParts(product, context)) {
    productsOfFactor[factor].push_back(product);
    record([this, factor] { productsOfFactor[factor].pop_back(); });
  }
}

void FactTables::settle(Expr expr) {
  if (!expr.isSymbol())
    return;
  if (settled.size() <= expr.getOrdinal())
    settled.resize(2 * expr.getOrdinal() + 64);
  settled.set(expr.getOrdinal());
}

void FactTables::touch(Expr expr) {
  ++clock;
  changes.note(expr, clock);
  if (expr.isSymbol())
    symbolChanges.note(expr, clock);
}

//===----------------------------------------------------------------------===//
// Scopes and reading
//===----------------------------------------------------------------------===//

void FactTables::pop() {
  size_t numKept = marks.pop_back_val();
  while (undo.size() > numKept) {
    undo.back()();
    undo.pop_back();
  }
}

SmallVector<unsigned, 8>
FactTables::getLinearFactsAbout(Expr key, size_t maxFacts) const {
  ArrayRef<unsigned> terms = linearOfMonomial.lookup(key).take_back(maxFacts);
  ArrayRef<unsigned> around = linearAround.lookup(key).take_back(maxFacts);
  SmallVector<unsigned, 8> result(terms.size() + around.size());
  std::merge(terms.begin(), terms.end(), around.begin(), around.end(),
             result.begin());
  if (result.size() > maxFacts)
    result.erase(result.begin(), result.end() - maxFacts);
  return result;
}
