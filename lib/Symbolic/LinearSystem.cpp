//===- LinearSystem.cpp - Linear facts as a Simplex problem ---------------===//
//
// Every monomial is a variable. What an atom means is added as constraints
// when the atom first appears: a quotient by its two inequalities, a remainder
// by its definition, a maximum by its operands (and a choice between them), a
// product by the cuts that the ranges of its factors allow.
//
//===----------------------------------------------------------------------===//

#include "LinearSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::presburger::Fraction;
using mlir::presburger::Simplex;

/// Facts with more terms than this are taken only where they bring no new
/// variables.
static constexpr size_t maxNewTerms = 12;
/// Long facts that are taken in with most of their terms as bounds.
static constexpr unsigned maxLongFacts = 8;
/// Products of facts with factors, and the terms of such a fact.
static constexpr size_t maxCuts = 24, maxCutTerms = 6;
/// Depth of branch and bound.
static constexpr unsigned maxBranchDepth = 16;

LinearSystem::LinearSystem(Facts &facts, const ProverBudget &budget)
    : impl(*facts.impl), context(facts.getContext()), budget(budget) {}
LinearSystem::~LinearSystem() = default;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::optional<unsigned> LinearSystem::getVariable(Expr monomial) {
  auto it = variableOf.find(monomial);
  if (it != variableOf.end())
    return it->second;
  if (variables.size() >= budget.maxVariables || simplex)
    return std::nullopt;
  unsigned variable = variables.size();
  variables.push_back(monomial);
  variableOf.insert({monomial, variable});
  return variable;
}

static bool fitsBits(const DynamicAPInt &value, unsigned bits) {
  if (value >= INT64_MIN && value <= INT64_MAX)
    return true;
  DynamicAPInt limit(llvm::APInt::getOneBitSet(bits + 2, bits));
  return value <= limit && -value <= limit;
}

std::optional<LinearSystem::Row> LinearSystem::makeRow(ArrayRef<Term> terms,
                                                       bool isEquality) {
  Row row;
  row.isEquality = isEquality;
  row.constant = 0;
  for (const Term &term : terms) {
    if (!fitsBits(term.coefficient, budget.maxCoefficientBits))
      return std::nullopt;
    if (term.monomial.isConstant()) {
      row.constant += term.coefficient;
      continue;
    }
    std::optional<unsigned> variable = getVariable(term.monomial);
    if (!variable)
      return std::nullopt;
    row.coefficients.push_back({*variable, term.coefficient});
  }
  return row;
}

bool LinearSystem::addRow(ArrayRef<Term> terms, bool isEquality) {
  if (rows.size() >= budget.maxConstraints)
    return false;
  std::optional<Row> row = makeRow(terms, isEquality);
  if (row)
    rows.push_back(std::move(*row));
  return row.has_value();
}

bool LinearSystem::addExprRow(Expr expr, bool isEquality) {
  return addRow(getTerms(expr, context), isEquality);
}

/// The rows of a comparison of integers that holds, or does not.
std::optional<SmallVector<LinearSystem::Row, 1>>
LinearSystem::makeCondition(Expr condition, bool holds) {
  Expr literal = holds ? condition : context.logicalNot(condition);
  SmallVector<Row, 1> result;
  if (literal.getKind() == ExprKind::And) {
    for (Expr operand : literal.getOperands()) {
      auto part = makeCondition(operand, true);
      if (!part)
        return std::nullopt;
      llvm::append_range(result, *part);
    }
    return result;
  }
  if (!literal.isComparison() || literal.getKind() == ExprKind::Ne ||
      !literal.getOperand(0).isInt() || !literal.getOperand(1).isInt())
    return std::nullopt;
  Expr gap = context.sub(literal.getOperand(1), literal.getOperand(0));
  if (literal.getKind() == ExprKind::Lt)
    gap = context.sub(gap, context.one());
  std::optional<Row> row =
      makeRow(getTerms(gap, context), literal.getKind() == ExprKind::Eq);
  if (!row)
    return std::nullopt;
  result.push_back(std::move(*row));
  return result;
}

//===----------------------------------------------------------------------===//
// What atoms mean
//===----------------------------------------------------------------------===//

/// Adds factor * expr to a list of terms without simplifying the sum.
static void appendTerms(TermList &terms, Expr expr, const DynamicAPInt &factor,
                        ExprContext &context) {
  for (Term &term : getTerms(expr, context))
    terms.push_back({term.coefficient * factor, term.monomial});
}

void LinearSystem::defineRange(Expr monomial) {
  ValueSet set = impl.valueSet(monomial, ids);
  const Interval &range = set.getInterval();
  if (range.isEmpty())
    return;
  if (range.getLower())
    addRow({{DynamicAPInt(1), monomial}, {-*range.getLower(), context.one()}});
  if (range.getUpper())
    addRow({{DynamicAPInt(-1), monomial}, {*range.getUpper(), context.one()}});
  const Congruence &classes = set.getCongruence();
  if (classes.getModulus() <= 1 || rows.size() >= budget.maxConstraints)
    return;
  // monomial == modulus * k + remainder for a fresh integer k.
  if (variables.size() >= budget.maxVariables)
    return;
  std::optional<Row> row = makeRow(
      {{DynamicAPInt(1), monomial}, {-classes.getRemainder(), context.one()}},
      /*isEquality=*/true);
  if (!row)
    return;
  row->coefficients.push_back(
      {static_cast<unsigned>(variables.size()), -classes.getModulus()});
  variables.push_back(Expr());
  rows.push_back(std::move(*row));
}

/// By a literal c > 0: 0 <= x - c * q <= c - 1, and r == x - c * q.
void LinearSystem::defineDivision(Expr atom) {
  Expr dividend = atom.getOperand(0), divisor = atom.getOperand(1);
  if (!divisor.isConstant())
    return defineDivisionByExpr(atom);
  const DynamicAPInt &literal = divisor.getConstant();
  if (literal <= 0)
    return;
  Expr quotient = context.floorDiv(dividend, divisor);
  TermList remainder;
  appendTerms(remainder, dividend, DynamicAPInt(1), context);
  appendTerms(remainder, quotient, -literal, context);
  if (atom.getKind() == ExprKind::Mod) {
    remainder.push_back({DynamicAPInt(-1), atom});
    addRow(remainder, /*isEquality=*/true);
    return;
  }
  TermList gap;
  for (const Term &term : remainder)
    gap.push_back({-term.coefficient, term.monomial});
  gap.push_back({literal - 1, context.one()});
  addRow(remainder);
  addRow(gap);
}

/// By a divisor that is positive: what follows without products.
void LinearSystem::defineDivisionByExpr(Expr atom) {
  Expr dividend = atom.getOperand(0), divisor = atom.getOperand(1);
  FactSet reasons;
  Interval range = impl.valueSet(divisor, reasons).getInterval();
  if (range.isEmpty() || !range.isAtLeast(1))
    return;
  Interval top = impl.valueSet(dividend, reasons).getInterval();
  mergeFacts(ids, reasons);
  bool isNatural = top.isAtLeast(0) && !top.isEmpty();
  if (atom.getKind() == ExprKind::Mod) {
    addExprRow(atom);
    addExprRow(context.sub(context.sub(divisor, context.one()), atom));
    if (isNatural)
      addExprRow(context.sub(dividend, atom));
    return;
  }
  if (!isNatural)
    return;
  // divisor * q == dividend - remainder, q >= 0.
  addExprRow(atom);
  Expr rounded = context.sub(dividend, context.mod(dividend, divisor));
  addExprRow(context.sub(rounded, context.scale(*range.getLower(), atom)));
  if (range.getUpper())
    addExprRow(context.sub(context.scale(*range.getUpper(), atom), rounded));
}

void LinearSystem::defineExtremum(Expr atom) {
  bool isMax = atom.getKind() == ExprKind::Max;
  Choice choice;
  for (Expr operand : atom.getOperands()) {
    Expr gap = isMax ? context.sub(atom, operand) : context.sub(operand, atom);
    if (!addExprRow(gap))
      return;
    std::optional<Row> row = makeRow(getTerms(gap, context), true);
    if (!row)
      return;
    choice.alternatives.push_back({std::move(*row)});
  }
  choices.push_back(std::move(choice));
}

void LinearSystem::defineAbs(Expr atom) {
  Expr operand = atom.getOperand(0);
  Choice choice;
  for (Expr gap : {context.sub(atom, operand), context.add(atom, operand)}) {
    if (!addExprRow(gap))
      return;
    std::optional<Row> row = makeRow(getTerms(gap, context), true);
    if (!row)
      return;
    choice.alternatives.push_back({std::move(*row)});
  }
  choices.push_back(std::move(choice));
}

void LinearSystem::defineSelect(Expr atom) {
  Choice choice;
  for (bool holds : {true, false}) {
    Expr value = atom.getOperand(holds ? 1 : 2);
    std::optional<Row> row =
        makeRow(getTerms(context.sub(atom, value), context), true);
    if (!row)
      return;
    SmallVector<Row, 1> alternative{std::move(*row)};
    if (auto condition = makeCondition(atom.getOperand(0), holds))
      llvm::append_range(alternative, *condition);
    choice.alternatives.push_back(std::move(alternative));
  }
  choices.push_back(std::move(choice));
}

/// |x| <= x ** k for an even k, and x <= x ** k for a natural x.
void LinearSystem::definePower(Expr power) {
  Expr base = power.getOperand(0);
  bool isEven = power.getExponent() % 2 == 0;
  FactSet reasons;
  if (!isEven && !impl.valueSet(base, reasons).getInterval().isAtLeast(0))
    return;
  mergeFacts(ids, reasons);
  addExprRow(context.sub(power, base));
  if (isEven)
    addExprRow(context.add(power, base));
  if (power.getExponent() == 2) {
    addProductCuts(power, base, base);
    addFactCuts(power, base);
  }
}

/// For x in [a, b] and y in [c, d]: (x - a) * (y - c) >= 0 and so on.
void LinearSystem::addProductCuts(Expr product, Expr left, Expr right) {
  FactSet reasons;
  Interval x = impl.valueSet(left, reasons).getInterval();
  Interval y = impl.valueSet(right, reasons).getInterval();
  if (x.isEmpty() || y.isEmpty())
    return;
  auto addCut = [&](const Bound &a, const Bound &b, int64_t sign) {
    if (!a || !b || !fitsBits(*a, 128) || !fitsBits(*b, 128))
      return;
    // sign * (x - a) * (y - b) >= 0.
    DynamicAPInt s(sign);
    Expr cut = context.sum(
        {context.scale(s, product), context.scale(-s * *b, left),
         context.scale(-s * *a, right), context.constant(s * *a * *b)});
    if (addExprRow(cut))
      mergeFacts(ids, reasons);
  };
  addCut(x.getLower(), y.getLower(), 1);
  addCut(x.getUpper(), y.getUpper(), 1);
  addCut(x.getLower(), y.getUpper(), -1);
  addCut(x.getUpper(), y.getLower(), -1);
}

/// A fact about what is left of a product holds times the factor, if that is
/// never negative: n <= m gives n * k <= m * k.
void LinearSystem::addFactCuts(Expr product, Expr factor) {
  Expr rest = divideMonomial(context, product, factor);
  auto it =
      rest ? impl.linearOfMonomial.find(rest) : impl.linearOfMonomial.end();
  if (it == impl.linearOfMonomial.end())
    return;
  FactSet reasons;
  bool isNatural = impl.valueSet(factor, reasons).getInterval().isAtLeast(0);
  for (unsigned position : it->second) {
    const Facts::LinearFact &fact = impl.linear[position];
    if ((!isNatural && !fact.isEquality) || addedCuts.size() >= maxCuts ||
        !addedCuts.insert({position, factor}).second)
      continue;
    if (getTerms(fact.expr, context).size() > maxCutTerms)
      continue;
    if (addExprRow(context.mul(fact.expr, factor), fact.isEquality)) {
      mergeFacts(ids, fact.ids);
      mergeFacts(ids, reasons);
    }
  }
}

/// (x - y) ** 2 >= 0 and (x + y) ** 2 >= 0 beside x * y.
void LinearSystem::addSquareCuts(Expr product) {
  Expr x = product.getOperand(0), y = product.getOperand(1);
  Expr squares = context.add(context.pow(x, 2), context.pow(y, 2));
  for (const Term &term : getTerms(squares, context))
    if (!variableOf.count(term.monomial))
      return;
  addExprRow(context.add(squares, context.scale(DynamicAPInt(2), product)));
  addExprRow(context.add(squares, context.scale(DynamicAPInt(-2), product)));
}

/// 0 <= (x - c * (x floordiv c)) * rest <= (c - 1) * rest for a natural rest.
void LinearSystem::addDivisionCuts(Expr division, Expr rest) {
  Expr dividend = division.getOperand(0), divisor = division.getOperand(1);
  if (!divisor.isConstant() || divisor.getConstant() <= 0)
    return;
  FactSet reasons;
  bool isNatural = impl.valueSet(rest, reasons).getInterval().isAtLeast(0);
  Expr remainder = impl.simplify(context.mod(dividend, divisor), reasons);
  if (!isNatural && !remainder.isConstant())
    return;
  mergeFacts(ids, reasons);
  // (x - c * q) * rest, not put together again as a remainder.
  TermList gap;
  appendTerms(gap, context.mul(dividend, rest), DynamicAPInt(1), context);
  gap.push_back({-divisor.getConstant(), context.mul(division, rest)});
  if (remainder.isConstant()) {
    appendTerms(gap, rest, -remainder.getConstant(), context);
    addRow(gap, /*isEquality=*/true);
    return;
  }
  addRow(gap);
  for (Term &term : gap)
    term.coefficient = -term.coefficient;
  appendTerms(gap, rest, divisor.getConstant() - 1, context);
  addRow(gap);
}

void LinearSystem::defineProduct(Expr product) {
  ArrayRef<Expr> factors = product.getOperands();
  if (factors.size() > 4)
    return;
  for (Expr factor : factors) {
    Expr rest = divideMonomial(context, product, factor);
    if (factors.size() > 2 || factor == factors[0])
      addProductCuts(product, factor, rest);
    addFactCuts(product, factor);
    if (factor.getKind() == ExprKind::FloorDiv)
      addDivisionCuts(factor, rest);
  }
  if (factors.size() == 2)
    addSquareCuts(product);
}

void LinearSystem::define(unsigned variable) {
  Expr monomial = variables[variable];
  if (!monomial)
    return;
  defineRange(monomial);
  switch (monomial.getKind()) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    defineDivision(monomial);
    break;
  case ExprKind::Min:
  case ExprKind::Max:
    defineExtremum(monomial);
    break;
  case ExprKind::Abs:
    defineAbs(monomial);
    break;
  case ExprKind::Select:
    defineSelect(monomial);
    break;
  case ExprKind::Pow:
    definePower(monomial);
    break;
  case ExprKind::Mul:
    defineProduct(monomial);
    break;
  default:
    break;
  }
  addFactsAbout(monomial);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void LinearSystem::addFactsAbout(Expr monomial) {
  auto it = impl.linearOfMonomial.find(monomial);
  if (it == impl.linearOfMonomial.end())
    return;
  for (unsigned position : it->second) {
    if (!addedFacts.insert(position).second)
      continue;
    const Facts::LinearFact &fact = impl.linear[position];
    TermList terms = getTerms(fact.expr, context);
    bool isKnown = llvm::all_of(terms, [&](const Term &term) {
      return term.monomial.isConstant() || variableOf.count(term.monomial);
    });
    if (!isKnown && terms.size() > maxNewTerms) {
      addedFacts.erase(position);
      continue;
    }
    if (addRow(terms, fact.isEquality))
      mergeFacts(ids, fact.ids);
  }
}

/// Adds a fact with each monomial that is no variable replaced by the most it
/// can be.
void LinearSystem::addRelaxed(const Facts::LinearFact &fact) {
  FactSet reasons = fact.ids;
  for (int64_t sign : {1, -1}) {
    TermList kept;
    DynamicAPInt most(0);
    bool isBounded = true;
    for (const Term &term : getTerms(fact.expr, context)) {
      DynamicAPInt coefficient = term.coefficient * sign;
      if (term.monomial.isConstant() || variableOf.count(term.monomial)) {
        kept.push_back({coefficient, term.monomial});
        continue;
      }
      const Facts::Impl::Known &values = impl.getKnownValues(term.monomial);
      Interval range = values.set.getInterval() * Interval::point(coefficient);
      llvm::append_range(reasons, values.ids);
      isBounded = range.getUpper().has_value();
      if (!isBounded)
        break;
      most += *range.getUpper();
    }
    kept.push_back({most, context.one()});
    if (isBounded && addRow(kept)) {
      llvm::sort(reasons);
      reasons.erase(llvm::unique(reasons), reasons.end());
      mergeFacts(ids, reasons);
    }
    if (!fact.isEquality)
      return;
  }
}

/// Adds facts that have too many terms to make each a variable.
void LinearSystem::addLongFacts() {
  unsigned numLeft = maxLongFacts;
  for (size_t i = 0, e = variables.size(); i != e; ++i) {
    auto it = variables[i] ? impl.linearOfMonomial.find(variables[i])
                           : impl.linearOfMonomial.end();
    if (it == impl.linearOfMonomial.end())
      continue;
    for (unsigned position : it->second) {
      if (addedFacts.contains(position))
        continue;
      if (numLeft-- == 0)
        return;
      addedFacts.insert(position);
      addRelaxed(impl.linear[position]);
    }
  }
}

void LinearSystem::addOpenFact(const Facts::OpenFact &fact) {
  bool isNe = fact.expr.getKind() == ExprKind::Ne;
  if (!isNe && fact.expr.getKind() != ExprKind::Or)
    return;
  Choice choice;
  if (isNe) {
    Expr lhs = fact.expr.getOperand(0), rhs = fact.expr.getOperand(1);
    if (!lhs.isInt() || !rhs.isInt())
      return;
    for (Expr side : {context.lt(lhs, rhs), context.lt(rhs, lhs)})
      if (auto rowsOfSide = makeCondition(side, true))
        choice.alternatives.push_back(std::move(*rowsOfSide));
    if (choice.alternatives.size() != 2)
      return;
  } else {
    for (Expr operand : fact.expr.getOperands()) {
      auto rowsOfOperand = makeCondition(operand, true);
      if (!rowsOfOperand)
        return;
      choice.alternatives.push_back(std::move(*rowsOfOperand));
    }
  }
  mergeFacts(ids, fact.ids);
  choices.push_back(std::move(choice));
}

/// Adds the disjunctions and disequalities about symbols that occur.
void LinearSystem::addOpenFacts() {
  if (impl.open.empty())
    return;
  llvm::DenseSet<unsigned> seen;
  for (size_t i = 0; i != variables.size(); ++i) {
    if (!variables[i])
      continue;
    for (Expr symbol : context.freeSymbols(variables[i]))
      for (unsigned position : impl.openOfSymbol.lookup(symbol))
        if (choices.size() < budget.maxBranches && seen.insert(position).second)
          addOpenFact(impl.open[position]);
  }
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

SmallVector<DynamicAPInt, 8>
LinearSystem::makeCoefficients(const Row &row) const {
  SmallVector<DynamicAPInt, 8> result(variables.size() + 1, DynamicAPInt(0));
  for (const auto &[variable, coefficient] : row.coefficients)
    result[variable] += coefficient;
  result.back() = row.constant;
  return result;
}

void LinearSystem::addToSimplex(const Row &row) {
  SmallVector<DynamicAPInt, 8> coefficients = makeCoefficients(row);
  if (row.isEquality)
    simplex->addEquality(coefficients);
  else
    simplex->addInequality(coefficients);
}

bool LinearSystem::build(Expr expr) {
  for (const Term &term : getTerms(expr, context))
    if (!term.monomial.isConstant() && !getVariable(term.monomial))
      return false;
  size_t defined = 0;
  while (true) {
    for (; defined != variables.size(); ++defined)
      define(defined);
    addOpenFacts();
    if (defined == variables.size())
      break;
  }
  addLongFacts();
  simplex = std::make_unique<Simplex>(variables.size());
  for (const Row &row : rows) {
    addToSimplex(row);
    if (simplex->isEmpty())
      break;
  }
  return true;
}

bool LinearSystem::isContradictory() { return simplex->isEmpty(); }

bool LinearSystem::isInfeasible(Expr expr, bool isEquality, bool integers) {
  std::optional<Row> row = makeRow(getTerms(expr, context), isEquality);
  if (!row)
    return false;
  unsigned snapshot = simplex->getSnapshot();
  addToSimplex(*row);
  bool result = simplex->isEmpty();
  if (!result && integers) {
    unsigned steps = budget.maxBranches;
    result = isInfeasibleByBranching(steps, 0);
  }
  simplex->rollback(snapshot);
  return result;
}

bool LinearSystem::satisfies(const Row &row, ArrayRef<Fraction> sample) const {
  Fraction value(row.constant, 1);
  for (const auto &[variable, coefficient] : row.coefficients)
    value = value + Fraction(coefficient, 1) * sample[variable];
  return row.isEquality ? value == Fraction(0, 1) : value >= Fraction(0, 1);
}

const LinearSystem::Choice *
LinearSystem::findViolated(ArrayRef<Fraction> sample) const {
  for (const Choice &choice : choices) {
    bool isSatisfied =
        llvm::any_of(choice.alternatives, [&](ArrayRef<Row> alternative) {
          return llvm::all_of(alternative, [&](const Row &row) {
            return satisfies(row, sample);
          });
        });
    if (!isSatisfied)
      return &choice;
  }
  return nullptr;
}

/// Splits on a choice that the sample violates, or on a variable that is no
/// integer in it, until every part is empty or the steps are used up.
bool LinearSystem::isInfeasibleByBranching(unsigned &steps, unsigned depth) {
  if (simplex->isEmpty())
    return true;
  if (steps == 0 || depth == maxBranchDepth)
    return false;
  --steps;
  std::optional<SmallVector<Fraction, 8>> sample = simplex->getRationalSample();
  if (!sample)
    return true;
  auto isInfeasibleWith = [&](ArrayRef<Row> extra) {
    unsigned snapshot = simplex->getSnapshot();
    for (const Row &row : extra)
      if (!simplex->isEmpty())
        addToSimplex(row);
    bool result = isInfeasibleByBranching(steps, depth + 1);
    simplex->rollback(snapshot);
    return result;
  };
  if (const Choice *choice = findViolated(*sample))
    return llvm::all_of(choice->alternatives, isInfeasibleWith);
  for (auto [variable, value] : llvm::enumerate(*sample)) {
    if (value.num % value.den == 0)
      continue;
    DynamicAPInt below = floor(value);
    unsigned index = variable;
    Row atMost{{{index, DynamicAPInt(-1)}}, below, false};
    Row atLeast{{{index, DynamicAPInt(1)}}, -below - 1, false};
    return isInfeasibleWith(atMost) && isInfeasibleWith(atLeast);
  }
  return false;
}
