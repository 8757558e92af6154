//===- LinearSystem.cpp - Linear facts as a Simplex problem ---------------===//
//
// Every monomial is a variable. Collects the facts about them, and decides
// with MLIR's Simplex, case distinctions, and branch and bound.
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
static constexpr size_t kMaxNewTerms = 12;
/// The latest facts about each monomial that are looked at.
static constexpr size_t kMaxFactsOfMonomial = 64;
/// The latest facts with a symbol inside of an atom that are taken in.
static constexpr size_t kMaxFactsInside = 4;
/// Long facts that are taken in with most of their terms as bounds.
static constexpr unsigned kMaxLongFacts = 8;
/// Rows, those of tangents included.
static constexpr size_t kMaxTangentRows = 160;
/// Depth of branch and bound.
static constexpr unsigned kMaxBranchDepth = 16;

/// Rows that are added for one sample.
static constexpr unsigned kMaxRowsOfRound = 3;
/// How much slower arithmetic on numbers of more than a machine word is.
static constexpr uint64_t kCostOfLongNumbers = 8;

LinearSystem::LinearSystem(Facts &facts, const ProverBudget &budget,
                           uint64_t &work, SystemScope scope)
    : facts(facts), impl(getImpl(facts)), context(facts.getContext()),
      budget(budget), work(work), scope(scope) {}
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

bool tally::symbolic::fitsBits(const DynamicAPInt &value, unsigned bits) {
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
  if (!literal.isComparison() || !literal.getOperand(0).isInt() ||
      !literal.getOperand(1).isInt())
    return std::nullopt;
  Expr gap = context.sub(literal.getOperand(1), literal.getOperand(0));
  if (literal.getKind() == ExprKind::Ne) {
    // At an end of its range it says on which side.
    FactSet reasons;
    Interval range = impl.values.valueSet(gap, reasons).getInterval();
    if (!range.isAtLeast(0) && !range.isAtMost(0))
      return std::nullopt;
    mergeFacts(ids, reasons);
    gap = range.isAtLeast(0) ? gap : context.neg(gap);
    gap = context.sub(gap, context.one());
  }
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
// Facts
//===----------------------------------------------------------------------===//

void LinearSystem::addFact(unsigned position) {
  const Facts::LinearFact &fact = impl.tables.linear[position];
  if (addedFacts.contains(position) || !isShortOrKnown(fact.expr))
    return;
  addedFacts.insert(position);
  size_t numVariables = variables.size();
  if (addRow(getTerms(fact.expr, context), fact.isEquality))
    mergeFacts(ids, fact.ids);
  isBeyondCore |= variables.size() != numVariables;
}

void LinearSystem::addFactsAbout(Expr monomial) {
  ArrayRef<unsigned> latest =
      impl.tables.linearOfMonomial.lookup(monomial).take_back(
          kMaxFactsOfMonomial);
  for (unsigned position : latest)
    addFact(position);
}

/// Adds the latest facts that have the symbol inside of an atom.
void LinearSystem::addFactsInside(Expr symbol) {
  if (rows.size() > budget.maxConstraints / 2 || scope == SystemScope::Core)
    return;
  for (unsigned position :
       impl.tables.foldableOfSymbol.lookup(symbol).take_back(kMaxFactsInside))
    addFact(position);
}

/// Returns true for a fact of few terms, or of monomials that are variables
/// already.
bool LinearSystem::isShortOrKnown(Expr fact) const {
  ArrayRef<Expr> terms = getTermOperands(fact);
  if (scope != SystemScope::Core && terms.size() <= kMaxNewTerms)
    return true;
  return llvm::all_of(terms, [&](Expr term) {
    Expr monomial = getTerm(term, context).monomial;
    return monomial.isConstant() || variableOf.count(monomial);
  });
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
      const KnownValues &values = impl.values.getKnownValues(term.monomial);
      Interval range = values.set.getInterval() * Interval::point(coefficient);
      mergeFacts(reasons, values.ids);
      isBounded = range.getUpper().has_value();
      if (!isBounded)
        break;
      most += *range.getUpper();
    }
    kept.push_back({most, context.one()});
    if (isBounded && addRow(kept))
      mergeFacts(ids, reasons);
    if (!fact.isEquality)
      return;
  }
}

/// Adds facts that have too many terms to make each a variable.
void LinearSystem::addLongFacts() {
  unsigned numLeft = kMaxLongFacts;
  for (size_t i = 0, e = variables.size(); i != e; ++i) {
    if (!variables[i])
      continue;
    for (unsigned position :
         impl.tables.linearOfMonomial.lookup(variables[i])) {
      if (addedFacts.contains(position))
        continue;
      if (numLeft-- == 0)
        return;
      addedFacts.insert(position);
      addRelaxed(impl.tables.linear[position]);
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
  if (impl.tables.open.empty() || scope == SystemScope::Core)
    return;
  llvm::DenseSet<unsigned> seen;
  for (size_t i = 0; i != variables.size(); ++i) {
    if (!variables[i])
      continue;
    for (Expr symbol : context.freeSymbols(variables[i]))
      for (unsigned position : impl.tables.openOfSymbol.lookup(symbol))
        if (choices.size() < budget.maxBranches && seen.insert(position).second)
          addOpenFact(impl.tables.open[position]);
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

bool LinearSystem::build(ArrayRef<Expr> exprs) {
  for (Expr expr : exprs) {
    if (getTermOperands(expr).size() > budget.maxVariables + 1)
      return false;
    for (const Term &term : getTerms(expr, context))
      if (!term.monomial.isConstant() && !getVariable(term.monomial))
        return false;
  }
  size_t defined = 0;
  while (true) {
    for (; defined != variables.size(); ++defined)
      define(defined);
    addOpenFacts();
    if (defined == variables.size())
      break;
  }
  if (scope != SystemScope::Core)
    addLongFacts();
  relateQuotients();
  simplex = std::make_unique<Simplex>(variables.size());
  isActive.assign(rows.size(), false);
  return true;
}

bool LinearSystem::isContradictory() { return isEmptyWithViolated(); }

static bool isShort(ArrayRef<Fraction> sample, unsigned bits) {
  return llvm::all_of(sample, [&](const Fraction &value) {
    return fitsBits(value.num, bits) && fitsBits(value.den, bits);
  });
}

/// A sample; none when its numbers grow too long or the work is used up.
std::optional<SmallVector<Fraction, 8>> LinearSystem::getSample() {
  std::optional<SmallVector<Fraction, 8>> sample = simplex->getRationalSample();
  if (!sample || !isShort(*sample, budget.maxCoefficientBits))
    return std::nullopt;
  // A pivot touches the whole tableau, a test for violation all rows.
  uint64_t size = variables.size() * (activeRows.size() + 8) + rows.size() * 4;
  work += isShort(*sample, 31) ? size : size * kCostOfLongNumbers;
  if (work > budget.maxWork)
    return std::nullopt;
  return sample;
}

/// For integers, (x - c) * (x - c - 1) >= 0 for every integer c. Adds this for
/// squares whose sample is below the parabola.
bool LinearSystem::addTangents(ArrayRef<Fraction> sample) {
  bool isAdded = false;
  for (size_t i = 0, e = variables.size(); i != e; ++i) {
    Expr square = variables[i];
    if (!square || square.getKind() != ExprKind::Pow ||
        square.getExponent() != 2 || rows.size() >= kMaxTangentRows)
      continue;
    auto base = variableOf.find(square.getOperand(0));
    if (base == variableOf.end() ||
        sample[i] >= sample[base->second] * sample[base->second])
      continue;
    DynamicAPInt c = floor(sample[base->second]);
    Row row{{{static_cast<unsigned>(i), DynamicAPInt(1)},
             {base->second, -(c * 2 + 1)}},
            c * (c + 1),
            false};
    if (satisfies(row, sample))
      continue;
    rows.push_back(std::move(row));
    isActive.push_back(false);
    isAdded = true;
  }
  return isAdded;
}

/// Adds rows only as samples violate them: few of them matter to a question.
/// False when a sample satisfies all rows, or when its numbers grow too long.
bool LinearSystem::isEmptyWithViolated() {
  while (!simplex->isEmpty()) {
    std::optional<SmallVector<Fraction, 8>> sample = getSample();
    if (!sample)
      return false;
    unsigned numAdded = 0;
    for (auto [index, row] : llvm::enumerate(rows)) {
      if (isActive[index] || satisfies(row, *sample))
        continue;
      isActive[index] = true;
      activeRows.push_back(index);
      addToSimplex(row);
      if (simplex->isEmpty() || ++numAdded == kMaxRowsOfRound)
        break;
    }
    if (numAdded == 0 && !simplex->isEmpty() && !addTangents(*sample))
      return false;
  }
  return simplex->isEmpty();
}

bool LinearSystem::isInfeasibleWith(ArrayRef<Row> extra,
                                    llvm::function_ref<bool()> isInfeasible) {
  unsigned snapshot = simplex->getSnapshot();
  size_t numActive = activeRows.size();
  for (const Row &row : extra)
    if (!simplex->isEmpty())
      addToSimplex(row);
  bool result = isInfeasible();
  simplex->rollback(snapshot);
  while (activeRows.size() > numActive)
    isActive[activeRows.pop_back_val()] = false;
  return result;
}

bool LinearSystem::isInfeasible(Expr expr, bool isEquality, bool integers) {
  std::optional<Row> row = makeRow(getTerms(expr, context), isEquality);
  if (!row)
    return false;
  return isInfeasibleWith(*row, [&] {
    if (isEmptyWithViolated())
      return true;
    unsigned steps = budget.maxBranches;
    return integers && isInfeasibleByBranching(steps, 0);
  });
}

bool LinearSystem::satisfies(const Row &row, ArrayRef<Fraction> sample) const {
  // Only the sign matters: the sum need not be in lowest terms.
  DynamicAPInt numerator = row.constant, denominator(1);
  for (const auto &[variable, coefficient] : row.coefficients) {
    const Fraction &value = sample[variable];
    if (value.num == 0)
      continue;
    DynamicAPInt product = coefficient * value.num;
    if (value.den == denominator) {
      numerator += product;
      continue;
    }
    numerator = numerator * value.den + product * denominator;
    denominator *= value.den;
  }
  return row.isEquality ? numerator == 0 : numerator >= 0;
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
  if (isEmptyWithViolated())
    return true;
  if (steps == 0 || depth == kMaxBranchDepth)
    return false;
  --steps;
  std::optional<SmallVector<Fraction, 8>> sample = getSample();
  if (!sample)
    return false;
  auto isPartInfeasible = [&](ArrayRef<Row> extra) {
    return isInfeasibleWith(
        extra, [&] { return isInfeasibleByBranching(steps, depth + 1); });
  };
  if (const Choice *choice = findViolated(*sample))
    return llvm::all_of(choice->alternatives, isPartInfeasible);
  for (auto [variable, value] : llvm::enumerate(*sample)) {
    if (pythonMod(value.num, value.den) == 0)
      continue;
    DynamicAPInt below = floor(value);
    unsigned index = variable;
    Row atMost{{{index, DynamicAPInt(-1)}}, below, false};
    Row atLeast{{{index, DynamicAPInt(1)}}, -below - 1, false};
    return isPartInfeasible(atMost) && isPartInfeasible(atLeast);
  }
  return false;
}
