//===- Solve.cpp - Solving equations for symbols --------------------------===//
//
// An equation is a row: a polynomial that is zero. Three steps alternate until
// every unknown is solved or none helps: a row with one unknown that occurs
// linearly is solved for it; unimodular row operations (Elimination.h), with
// every monomial that mentions an unknown as a column, look for such a row; and
// quotients that the declarations show to be exact are multiplied out. An
// unknown that is solved counts as known from then on. Rows without unknowns
// that are left are conditions, as is what the facts say about unknowns.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Solve.h"

#include "Expr/ContextImpl.h"
#include "Expr/Elimination.h"
#include "Expr/LinearForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Rows and columns of a matrix that is worth eliminating.
static constexpr size_t kMaxRows = 32, kMaxColumns = 64;
/// Quotients that are multiplied out in one row.
static constexpr unsigned kMaxQuotients = 8;

//===----------------------------------------------------------------------===//
// One symbol
//===----------------------------------------------------------------------===//

std::optional<Solution> tally::symbolic::solveFor(Prover &prover, Expr symbol,
                                                  Expr lhs, Expr rhs) {
  assert(symbol.isSymbol() && "only symbols can be solved for");
  Facts &facts = prover.getFacts();
  ExprContext &context = facts.getContext();
  std::optional<LinearForm> form =
      getLinearForm(context, context.sub(lhs, rhs), symbol);
  if (!form || form->coefficient.isConstant(0) ||
      !prover.isProven(context.ne(form->coefficient, context.zero())))
    return std::nullopt;
  moveRest(context, *form);
  Expr remainder = context.mod(form->rest, form->coefficient);
  return Solution{
      facts.simplify(context.floorDiv(form->rest, form->coefficient)),
      context.eq(facts.simplify(remainder), context.zero())};
}

//===----------------------------------------------------------------------===//
// Systems
//===----------------------------------------------------------------------===//

namespace {

/// The divisors of an unknown that are allowed, from harmless to a last resort.
enum class Divisor : uint8_t {
  Unit,    ///< 1 or -1.
  Literal, ///< Any literal.
  NonZero, ///< What the facts show not to be zero.
  Any,     ///< Anything, which is then required not to be zero.
};

/// A condition on unknowns, and how many of them are not solved yet.
struct Pending {
  Expr condition;
  size_t numUnsolved;
};

class SystemSolver {
public:
  SystemSolver(const Facts &facts, ArrayRef<Expr> symbols,
               ArrayRef<Expr> equations, const ProverBudget &budget);

  SystemSolution run();

private:
  // Input.
  void takeFact(FactId id, const Fact &fact, Expr part);
  void takeEquation(Expr equation);
  void addCondition(Expr condition);
  void declare(Expr condition);
  Expr simplify(Facts &facts, Expr expr);
  void note(const FactSet &used, ArrayRef<FactId> origins);
  void requireDefined(Expr expr);
  void addRow(Expr difference);
  Expr multiplyOut(Expr row);

  // Solving.
  bool mentionsUnsolved(Expr expr) const;
  Expr getOnlyUnsolved(Expr row) const;
  bool sweepRows(Divisor divisor);
  bool sweepDefinitions();
  bool sweepDeclarations();
  bool eliminate(Divisor divisor);
  bool solveRow(size_t index, Expr symbol, Divisor divisor);
  bool isAllowed(Expr coefficient, Divisor divisor);
  void bind(Expr symbol, const LinearForm &form);

  // Conditions.
  void require(Expr condition);
  void fail();
  void finish();

  ExprContext &context;
  ProverBudget budget;
  SmallVector<Expr, 4> symbols;
  SmallVector<Expr, 4> equations;
  llvm::SmallSetVector<Expr, 4> unsolved;
  /// The facts that mention no unknown; those, what was solved and what is
  /// required; those and what is declared of unknowns.
  Facts known, proof, declared;
  /// Which of the facts of the question those are; `proof` starts as `known`.
  static constexpr FactId noFact = ~FactId(0);
  SmallVector<FactId, 8> idOfKnown, idOfDeclared;
  SmallVector<Expr, 4> rows;
  /// Equations between booleans.
  SmallVector<Expr, 4> definitions;
  SmallVector<Pending, 4> pending;
  llvm::DenseMap<Expr, SmallVector<size_t, 4>> pendingOf;
  SmallVector<Fraction, 4> solved;
  bool isImpossible = false;
  SystemSolution result;
};

} // namespace

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// Returns true for an equality of integers that is not about a remainder
/// alone.
static bool isEquation(Expr expr) {
  if (expr.getKind() != ExprKind::Eq || !expr.getOperand(0).isInt() ||
      !expr.getOperand(1).isInt())
    return false;
  return expr.getOperand(0).getKind() != ExprKind::Mod ||
         !expr.getOperand(1).isConstant();
}

SystemSolver::SystemSolver(const Facts &facts, ArrayRef<Expr> symbols,
                           ArrayRef<Expr> equations, const ProverBudget &budget)
    : context(facts.getContext()), budget(budget),
      symbols(symbols.begin(), symbols.end()),
      equations(equations.begin(), equations.end()),
      unsolved(symbols.begin(), symbols.end()), known(context), proof(context),
      declared(context) {
  for (FactId id = 0; id != facts.getNumFacts(); ++id)
    takeFact(id, facts.getFact(id), facts.getFact(id).expr);
  for (Expr equation : equations)
    takeEquation(equation);
}

bool SystemSolver::mentionsUnsolved(Expr expr) const {
  return llvm::any_of(context.freeSymbols(expr),
                      [&](Expr symbol) { return unsolved.contains(symbol); });
}

void SystemSolver::takeFact(FactId id, const Fact &fact, Expr part) {
  if (!mentionsUnsolved(part)) {
    for (Facts *facts : {&known, &proof, &declared})
      facts->add(part, fact.provenance, fact.source);
    idOfKnown.push_back(id);
    idOfDeclared.push_back(id);
    return;
  }
  if (part.getKind() == ExprKind::And && part.isTotal()) {
    for (Expr operand : part.getOperands())
      takeFact(id, fact, operand);
    return;
  }
  mergeFacts(result.facts, {id});
  if (isEquation(part))
    return takeEquation(part);
  declare(part);
}

/// Simplifies with the facts of `facts`, and notes which.
Expr SystemSolver::simplify(Facts &facts, Expr expr) {
  FactSet used;
  Expr simple = facts.simplify(expr, &used);
  note(used, &facts == &declared ? idOfDeclared : idOfKnown);
  return simple;
}

/// Notes facts that were relied on, and that came with the question.
void SystemSolver::note(const FactSet &used, ArrayRef<FactId> origins) {
  for (FactId id : used)
    if (id < origins.size() && origins[id] != noFact)
      mergeFacts(result.facts, {origins[id]});
}

void SystemSolver::takeEquation(Expr equation) {
  assert(equation.isBool() && "an equation is a boolean expression");
  if (equation.getKind() == ExprKind::And && equation.isTotal()) {
    for (Expr operand : equation.getOperands())
      takeEquation(operand);
    return;
  }
  if (isEquation(equation)) {
    requireDefined(equation);
    return addRow(context.sub(equation.getOperand(0), equation.getOperand(1)));
  }
  bool definesSymbol =
      llvm::any_of(symbols, [](Expr symbol) { return symbol.isBool(); });
  if (definesSymbol && mentionsUnsolved(equation)) {
    requireDefined(equation);
    definitions.push_back(equation);
    return;
  }
  declare(equation);
}

void SystemSolver::addCondition(Expr condition) {
  size_t numUnsolved = 0;
  for (Expr symbol : context.freeSymbols(condition))
    if (unsolved.contains(symbol)) {
      pendingOf[symbol].push_back(pending.size());
      ++numUnsolved;
    }
  pending.push_back({condition, numUnsolved});
}

/// Adds a condition that rows may be simplified with.
void SystemSolver::declare(Expr condition) {
  declared.add(condition);
  idOfDeclared.push_back(noFact);
  addCondition(condition);
}

/// An equation can only hold where it is defined.
void SystemSolver::requireDefined(Expr expr) {
  if (expr.isTotal())
    return;
  ExprKind kind = expr.getKind();
  ArrayRef<Expr> operands = expr.getOperands();
  switch (kind) {
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::Eq:
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::Abs:
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::ExactDiv:
    for (Expr operand : operands)
      requireDefined(operand);
    break;
  default:
    return declare(context.eq(context.residue(expr), context.zero()));
  }
  bool isExact = kind == ExprKind::ExactDiv;
  if (!isExact && kind != ExprKind::FloorDiv && kind != ExprKind::Mod)
    return;
  declare(context.ne(operands[1], context.zero()));
  if (isExact)
    declare(context.eq(context.mod(operands[0], operands[1]), context.zero()));
}

/// Replaces the quotients of a row that are exact, as far as they mention
/// unknowns, by multiplying the row with their divisors.
Expr SystemSolver::multiplyOut(Expr row) {
  for (unsigned count = 0; count != kMaxQuotients; ++count) {
    Term found;
    Expr quotient;
    for (const Term &term : getTerms(row, context))
      for (const Factor &factor : getFactors(term.monomial)) {
        ExprKind kind = factor.atom.getKind();
        if (quotient || factor.atom.getNode()->zeroValued ||
            (kind != ExprKind::FloorDiv && kind != ExprKind::ExactDiv) ||
            !mentionsUnsolved(factor.atom.getOperand(0)) ||
            mentionsUnsolved(factor.atom.getOperand(1)))
          continue;
        Expr remainder =
            context.mod(factor.atom.getOperand(0), factor.atom.getOperand(1));
        if (kind != ExprKind::ExactDiv &&
            !simplify(declared, remainder).isConstant(0))
          continue;
        quotient = factor.atom;
        found = term;
      }
    if (!quotient)
      return row;
    Expr others =
        context.sub(row, context.scale(found.coefficient, found.monomial));
    Expr cofactor = divideMonomial(context, found.monomial, quotient);
    row = context.add(
        context.mul(others, quotient.getOperand(1)),
        context.scale(found.coefficient,
                      context.mul(cofactor, quotient.getOperand(0))));
  }
  return row;
}

/// Adds difference == 0.
void SystemSolver::addRow(Expr difference) {
  Expr row = simplify(declared, difference);
  row = simplify(declared, multiplyOut(row));
  // Where it is defined is a condition of its own.
  TermList terms = getTerms(row, context);
  llvm::erase_if(terms, [](const Term &term) {
    return term.monomial.getNode()->zeroValued;
  });
  Expr equation =
      context.eq(makeSum(context, std::move(terms)), context.zero());
  if (equation.isFalse())
    return fail();
  if (!equation.isTrue())
    rows.push_back(context.sub(equation.getOperand(0), equation.getOperand(1)));
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

/// The only unknown of a row; null if there is none or more than one.
Expr SystemSolver::getOnlyUnsolved(Expr row) const {
  Expr only;
  for (Expr symbol : context.freeSymbols(row)) {
    if (!unsolved.contains(symbol))
      continue;
    if (only)
      return Expr();
    only = symbol;
  }
  return only;
}

bool SystemSolver::isAllowed(Expr coefficient, Divisor divisor) {
  if (coefficient.isConstant())
    return !coefficient.isConstant(0) &&
           (divisor >= Divisor::Literal || abs(coefficient.getConstant()) == 1);
  if (divisor < Divisor::NonZero)
    return false;
  Expr isNonZero = context.ne(coefficient, context.zero());
  Answer answer = Prover(proof, budget).prove(isNonZero);
  note(answer.facts, idOfKnown);
  if (answer.isYes())
    return true;
  if (answer.isNo() || divisor != Divisor::Any)
    return false;
  require(isNonZero);
  return true;
}

bool SystemSolver::solveRow(size_t index, Expr symbol, Divisor divisor) {
  std::optional<LinearForm> form = getLinearForm(context, rows[index], symbol);
  if (!form || !symbol.isInt() || !isAllowed(form->coefficient, divisor))
    return false;
  rows.erase(rows.begin() + index);
  moveRest(context, *form);
  bind(symbol, *form);
  return true;
}

/// coefficient * symbol == rest, and the coefficient is not zero.
void SystemSolver::bind(Expr symbol, const LinearForm &form) {
  unsolved.remove(symbol);
  Expr value = form.rest;
  if (symbol.isInt()) {
    Expr remainder = context.mod(form.rest, form.coefficient);
    require(context.eq(remainder, context.zero()));
    value = context.floorDiv(form.rest, form.coefficient);
    proof.add(context.eq(context.mul(form.coefficient, symbol), form.rest));
  } else {
    proof.add(context.eq(symbol, value));
  }
  bool isPositive = symbol.isInt() &&
                    Prover(proof, budget)
                        .isProven(context.gt(form.coefficient, context.zero()));
  solved.push_back({symbol, form.rest, form.coefficient, simplify(known, value),
                    isPositive});
  for (size_t index : pendingOf.lookup(symbol))
    if (--pending[index].numUnsolved == 0)
      require(putIn(context, pending[index].condition, solved.back()));
}

/// Solves rows that have one unknown. True if there was any.
bool SystemSolver::sweepRows(Divisor divisor) {
  bool changed = false;
  for (size_t i = 0; i < rows.size();) {
    Expr symbol = getOnlyUnsolved(rows[i]);
    if (!symbol || !solveRow(i, symbol, divisor)) {
      ++i;
      continue;
    }
    // What divides is better chosen anew.
    if (divisor != Divisor::Unit)
      return true;
    changed = true;
  }
  return changed;
}

/// Solves `b == (n > 3)`, `b` and `not b` for a boolean b.
bool SystemSolver::sweepDefinitions() {
  for (size_t i = 0; i != definitions.size(); ++i) {
    Expr equation = definitions[i];
    Expr symbol = getOnlyUnsolved(equation), value;
    if (!symbol || !symbol.isBool())
      continue;
    Expr negated = context.logicalNot(symbol);
    if (equation == symbol || equation == negated)
      value = context.boolean(equation == symbol);
    else if (equation.getKind() == ExprKind::Eq)
      for (unsigned side : {0, 1}) {
        Expr left = equation.getOperand(side);
        Expr right = equation.getOperand(1 - side);
        if ((left == symbol || left == negated) &&
            !context.mentions(right, symbol))
          value = left == symbol ? right : context.logicalNot(right);
      }
    if (!value)
      continue;
    definitions.erase(definitions.begin() + i);
    bind(symbol, {Expr(), value});
    return true;
  }
  return false;
}

/// Solves unknowns that their declarations leave one value.
bool SystemSolver::sweepDeclarations() {
  for (Expr symbol : SmallVector<Expr, 4>(unsolved.begin(), unsolved.end())) {
    Expr value = simplify(declared, symbol);
    if (mentionsUnsolved(value) || (!symbol.isInt() && !symbol.isBool()))
      continue;
    bind(symbol, {symbol.isInt() ? context.one() : Expr(), value});
    return true;
  }
  return false;
}

/// Looks for an integer combination of the rows that can be solved for an
/// unknown, and solves it. True if there is one.
bool SystemSolver::eliminate(Divisor divisor) {
  if (rows.size() < 2 || rows.size() > kMaxRows)
    return false;
  PolynomialMatrix matrix(rows, context);
  if (matrix.monomials.size() > kMaxColumns)
    return false;
  for (Expr symbol : SmallVector<Expr, 4>(unsolved.begin(), unsolved.end())) {
    // The columns of other unknowns, then n * symbol, then the symbol.
    SmallVector<size_t, 16> others, multiples, alone;
    for (auto [index, monomial] : llvm::enumerate(matrix.monomials)) {
      if (!mentionsUnsolved(monomial))
        continue;
      Expr cofactor = divideMonomial(context, monomial, symbol);
      bool isMultiple = cofactor && !mentionsUnsolved(cofactor);
      (monomial == symbol ? alone
       : isMultiple       ? multiples
                          : others)
          .push_back(index);
    }
    std::optional<size_t> first = clearColumns(matrix.rows, others, 0);
    if (first)
      multiples.append(alone.begin(), alone.end());
    std::optional<size_t> end =
        first ? clearColumns(matrix.rows, multiples, *first) : std::nullopt;
    if (!end)
      return false;
    if (*end == *first)
      continue;
    SmallVector<Expr, 4> before = rows;
    for (size_t i = 0; i != rows.size(); ++i)
      rows[i] = matrix.getRow(i, context);
    if (solveRow(*end - 1, symbol, divisor)) {
      llvm::erase_if(rows, [](Expr row) { return row.isConstant(0); });
      return true;
    }
    rows = std::move(before);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

void SystemSolver::fail() {
  if (!isImpossible)
    result.required.push_back(context.falseExpr());
  isImpossible = true;
}

/// Adds a condition unless it follows from those before it.
void SystemSolver::require(Expr condition) {
  if (isImpossible)
    return;
  condition = simplify(known, condition);
  Answer answer = Prover(proof, budget).prove(condition);
  if (answer.verdict != Verdict::Unknown)
    note(answer.facts, idOfKnown);
  if (answer.isYes())
    return;
  if (answer.verdict != Verdict::Unknown)
    return fail();
  result.required.push_back(condition);
  proof.add(condition);
  if (proof.isContradictory())
    fail();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Rows and definitions without unknowns are conditions; values mention no
/// unknown that was asked for later.
void SystemSolver::finish() {
  SmallVector<Expr, 4> conditions = definitions;
  for (Expr row : rows)
    conditions.push_back(context.eq(row, context.zero()));
  for (Expr condition : conditions) {
    if (mentionsUnsolved(condition))
      continue;
    for (const Fraction &entry : llvm::reverse(solved))
      condition = putIn(context, condition, entry);
    require(condition);
  }
  llvm::DenseMap<Expr, Expr> valueOf;
  for (const Fraction &entry : solved)
    valueOf[entry.symbol] = entry.value;
  Substitution later;
  for (Expr symbol : llvm::reverse(symbols)) {
    Expr value = valueOf.lookup(symbol);
    if (!value)
      continue;
    later[symbol] = value;
    auto mentionsLater = [&](Expr expr) {
      return llvm::any_of(context.freeSymbols(expr),
                          [&](Expr s) { return later.count(s) != 0; });
    };
    while (mentionsLater(value))
      value = context.substitute(value, later);
    result.values.push_back({symbol, simplify(known, value)});
  }
  std::reverse(result.values.begin(), result.values.end());
  if (unsolved.empty())
    return;
  result.unsolved.assign(unsolved.begin(), unsolved.end());
  for (Expr equation : equations)
    if (mentionsUnsolved(equation))
      result.left.push_back(equation);
  // Literals, such as 2 * s0 == 7 is one, say nothing to a reader.
  if (result.left.empty())
    llvm::copy_if(equations, std::back_inserter(result.left),
                  [](Expr equation) {
                    return equation.getKind() != ExprKind::BoolConstant;
                  });
}

SystemSolution SystemSolver::run() {
  if (declared.isContradictory()) {
    note(declared.getContradiction(), idOfDeclared);
    fail();
  }
  for (size_t i = 0; i != pending.size(); ++i)
    if (pending[i].numUnsolved == 0)
      require(pending[i].condition);
  bool progress = true;
  while (progress && !unsolved.empty()) {
    progress =
        sweepRows(Divisor::Unit) || sweepDefinitions() || sweepDeclarations();
    for (Divisor divisor : {Divisor::Literal, Divisor::NonZero, Divisor::Any})
      progress = progress || eliminate(divisor) || sweepRows(divisor);
  }
  finish();
  return std::move(result);
}

SystemSolution tally::symbolic::solveSystem(const Facts &facts,
                                            ArrayRef<Expr> symbols,
                                            ArrayRef<Expr> equations,
                                            const ProverBudget &budget) {
  return SystemSolver(facts, symbols, equations, budget).run();
}
