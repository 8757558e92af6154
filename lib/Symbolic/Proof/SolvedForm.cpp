//===- SolvedForm.cpp - Facts with equations put in -----------------------===//
//
// Elimination of symbols by the equations that define them, and parametric
// solutions of congruences and of linear equations in two unknowns (extended
// Euclid).
//
//===----------------------------------------------------------------------===//

#include "SolvedForm.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Facts that are put into other unknowns, and terms of a definition.
static constexpr size_t kMaxFacts = 256, kMaxDefinitionTerms = 16;
/// The depth of a definition.
static constexpr unsigned kMaxDefinitionDepth = 12;

SolvedForm *SolvedForm::get(Facts &facts) {
  ProofCache &cache = ProofCache::get(facts);
  if (facts.isContradictory() || facts.getNumFacts() > kMaxFacts ||
      cache.isSolved)
    return nullptr;
  uint64_t version = getImpl(facts).version;
  if (!cache.solved || cache.solvedVersion != version) {
    cache.solvedVersion = version;
    cache.solved = std::make_shared<SolvedForm>(facts);
  }
  return cache.solved->values.empty() ? nullptr : cache.solved.get();
}

/// Calls `visit` for each conjunct.
static void forEachConjunct(Expr fact, llvm::function_ref<void(Expr)> visit) {
  if (fact.getKind() != ExprKind::And)
    return visit(fact);
  for (Expr operand : fact.getOperands())
    forEachConjunct(operand, visit);
}

SolvedForm::SolvedForm(Facts &original)
    : original(original), context(original.getContext()), facts(context) {
  ProofCache::get(facts).isSolved = true;
  solveCongruences();
  auto forEachLiteral = [&](void (SolvedForm::*solve)(Expr, FactId)) {
    for (FactId id = 0, e = original.getNumFacts(); id != e; ++id)
      forEachConjunct(original.getFact(id).expr,
                      [&](Expr literal) { (this->*solve)(literal, id); });
  };
  forEachLiteral(&SolvedForm::solveModulo);
  forEachLiteral(&SolvedForm::solveEquation);
  if (values.empty())
    return;
  for (FactId id = 0, e = original.getNumFacts(); id != e; ++id)
    facts.add(translate(original.getFact(id).expr),
              original.getFact(id).provenance);
}

Expr SolvedForm::makeParameter() {
  llvm::SmallVector<Expr, 0> &pool = ProofCache::get(original).parameters;
  if (numParameters == pool.size())
    pool.push_back(context.anonymous("q"));
  return pool[numParameters++];
}

Expr SolvedForm::translate(Expr expr) const {
  return context.substitute(expr, values);
}

void SolvedForm::addDefinitions(Expr expr, FactSet &ids) const {
  for (Expr symbol : context.freeSymbols(expr)) {
    auto it = reasons.find(symbol);
    if (it != reasons.end())
      mergeFacts(ids, it->second);
  }
}

FactSet SolvedForm::getReasons(Expr question, ArrayRef<FactId> used) const {
  FactSet result(used);
  addDefinitions(question, result);
  for (FactId id : used)
    addDefinitions(original.getFact(id).expr, result);
  return result;
}

void SolvedForm::define(Expr symbol, Expr value, FactSet ids) {
  addDefinitions(value, ids);
  Substitution step{{symbol, value}};
  for (auto &[other, known] : values)
    if (context.mentions(known, symbol)) {
      known = context.substitute(known, step);
      mergeFacts(reasons[other], ids);
    }
  values[symbol] = value;
  reasons[symbol] = std::move(ids);
}

/// A symbol that is r modulo m is m * t + r. The parameters are made in the
/// order of the symbols: what is proven from which facts depends on it.
void SolvedForm::solveCongruences() {
  const auto &known = getImpl(original).tables.known;
  SmallVector<Expr> symbols;
  for (const auto &entry : known)
    if (Expr part = entry.first;
        part.isSymbol() && part.isInt() &&
        entry.second.set.getCongruence().getModulus() > 1)
      symbols.push_back(part);
  llvm::sort(symbols, [](Expr a, Expr b) {
    return a.getLatestOrdinal() < b.getLatestOrdinal();
  });
  for (Expr symbol : symbols) {
    const KnownValues &values = known.find(symbol)->second;
    const Congruence &classes = values.set.getCongruence();
    Expr value =
        context.add(context.scale(classes.getModulus(), makeParameter()),
                    context.constant(classes.getRemainder()));
    define(symbol, value, values.ids);
  }
}

/// An integer may be compared with a float.
static bool isIntegerEquation(Expr fact) {
  return fact.getKind() == ExprKind::Eq && fact.getOperand(0).isInt() &&
         fact.getOperand(1).isInt();
}

/// `(x + rest) mod d == c` makes x == d * t + c - rest.
void SolvedForm::solveModulo(Expr stated, FactId id) {
  if (!isIntegerEquation(stated))
    return;
  Expr literal = translate(stated);
  if (literal.getKind() != ExprKind::Eq)
    return;
  Expr remainder = literal.getOperand(0), value = literal.getOperand(1);
  if (remainder.getKind() != ExprKind::Mod)
    std::swap(remainder, value);
  if (remainder.getKind() != ExprKind::Mod)
    return;
  Expr dividend = remainder.getOperand(0), divisor = remainder.getOperand(1);
  for (const Term &term : getTerms(dividend, context)) {
    Expr symbol = term.monomial;
    Expr rest = context.sub(dividend, context.scale(term.coefficient, symbol));
    if (!symbol.isSymbol() || abs(term.coefficient) != 1 ||
        context.mentions(rest, symbol) || context.mentions(divisor, symbol) ||
        context.mentions(value, symbol))
      continue;
    Expr solution = context.sub(
        context.add(context.mul(divisor, makeParameter()), value), rest);
    FactSet ids{id};
    addDefinitions(stated, ids);
    return define(symbol, context.scale(term.coefficient, solution), ids);
  }
}

void SolvedForm::solveEquation(Expr stated, FactId id) {
  if (!isIntegerEquation(stated))
    return;
  Expr literal = translate(stated);
  if (literal.getKind() != ExprKind::Eq)
    return;
  Expr sum = context.sub(literal.getOperand(0), literal.getOperand(1));
  if (getTerms(sum, context).size() > kMaxDefinitionTerms ||
      sum.getDepth() > kMaxDefinitionDepth)
    return;
  if (!solveForSymbol(sum, id))
    solveForPair(sum, id);
}

/// Solves sum == 0 for a symbol that occurs in one term alone, with the
/// coefficient 1 or -1: one that is a side of the equation, else the
/// last-defined.
bool SolvedForm::solveForSymbol(Expr sum, FactId id) {
  Expr best, value;
  TermList terms = getTerms(sum, context);
  auto isSide = [&](const Term &term) {
    return llvm::none_of(terms, [&](const Term &other) {
      return other.monomial != term.monomial &&
             (other.coefficient > 0) == (term.coefficient > 0);
    });
  };
  bool isBestSide = false;
  for (const Term &term : terms) {
    Expr symbol = term.monomial;
    if (!symbol.isSymbol() || abs(term.coefficient) != 1 ||
        (best && (isBestSide ||
                  (best.getOrdinal() > symbol.getOrdinal() && !isSide(term)))))
      continue;
    Expr rest = context.sub(sum, context.scale(term.coefficient, symbol));
    if (context.mentions(rest, symbol))
      continue;
    best = symbol;
    isBestSide = isSide(term);
    value = context.scale(-term.coefficient, rest);
  }
  if (!best)
    return false;
  FactSet ids{id};
  addDefinitions(original.getFact(id).expr, ids);
  define(best, value, ids);
  return true;
}

/// Solves a * x + b * y + c == 0: x == x0 + (b / g) * t, y == y0 - (a / g) * t.
bool SolvedForm::solveForPair(Expr sum, FactId id) {
  TermList terms = getTerms(sum, context);
  DynamicAPInt c = getConstantTerm(sum);
  if (terms.size() != (c == 0 ? 2 : 3) || !terms[0].monomial.isSymbol() ||
      !terms[1].monomial.isSymbol())
    return false;
  const DynamicAPInt &a = terms[0].coefficient, &b = terms[1].coefficient;
  // Extended Euclid: g == a * x + b * y.
  DynamicAPInt g = a, next = b, x(1), nextX(0), y(0), nextY(1);
  while (next != 0) {
    DynamicAPInt quotient = g / next;
    std::tie(g, next) = std::pair(next, g - quotient * next);
    std::tie(x, nextX) = std::pair(nextX, x - quotient * nextX);
    std::tie(y, nextY) = std::pair(nextY, y - quotient * nextY);
  }
  if (pythonMod(c, g) != 0)
    return false;
  FactSet ids{id};
  addDefinitions(original.getFact(id).expr, ids);
  Expr parameter = makeParameter();
  define(terms[0].monomial,
         context.add(context.scale(b / g, parameter),
                     context.constant(-c / g * x)),
         ids);
  define(terms[1].monomial,
         context.add(context.scale(-a / g, parameter),
                     context.constant(-c / g * y)),
         ids);
  return true;
}
