//===- Witness.cpp - An assignment that fits the facts --------------------===//
//
// Symbols are 0 until a fact says otherwise. What does not hold is repaired by
// the least change of one symbol; what needs more than that is given up.
//
//===----------------------------------------------------------------------===//

#include "Witness.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Symbols of one side of a comparison that are tried, the last-born first, and
/// facts that a change of one may meet.
static constexpr size_t maxTriedSymbols = 4, maxMetFacts = 64;

static bool isLinearComparison(Expr expr) {
  return expr.isComparison() && llvm::all_of(expr.getOperands(), [](Expr side) {
           return side.isInt() && isLinear(side);
         });
}

/// Calls `visit` for each symbol of a fact, perhaps more than once.
static void forEachSymbol(Expr expr, llvm::function_ref<void(Expr)> visit) {
  if (expr.isSymbol())
    return visit(expr);
  if (expr.getLatestBirth() != 0)
    for (Expr operand : expr.getOperands())
      forEachSymbol(operand, visit);
}

void Witness::forgetFrom(size_t numFacts) {
  for (; numIndexed > numFacts; --numIndexed)
    forEachSymbol(facts[numIndexed - 1].expr,
                  [&](Expr symbol) { factsOfSymbol.pop(symbol); });
  numFitted = std::min(numFitted, numFacts);
}

/// The right side less the left.
DynamicAPInt Witness::getGap(Expr comparison) const {
  DynamicAPInt gap(0);
  for (bool isRight : {false, true}) {
    Expr side = comparison.getOperand(isRight);
    for (Expr operand : getTermOperands(side)) {
      TermView term = viewTerm(operand);
      DynamicAPInt value = *term.coefficient;
      if (term.monomial) {
        auto it = values.find(term.monomial);
        if (it == values.end())
          continue;
        value *= it->second;
      }
      isRight ? gap += value : gap -= value;
    }
  }
  return gap;
}

static bool isGapRight(ExprKind kind, const DynamicAPInt &gap) {
  switch (kind) {
  case ExprKind::Eq:
    return gap == 0;
  case ExprKind::Ne:
    return gap != 0;
  case ExprKind::Le:
    return gap >= 0;
  default:
    return gap > 0;
  }
}

bool Witness::holds(Expr fact) const {
  if (fact.getKind() == ExprKind::And)
    return llvm::all_of(fact.getOperands(),
                        [&](Expr operand) { return holds(operand); });
  if (isLinearComparison(fact))
    return isGapRight(fact.getKind(), getGap(fact));
  EvalResult result = evaluate(fact, [&](Expr symbol) -> std::optional<Value> {
    if (!symbol.isInt())
      return std::nullopt;
    return Value::ofInt(values.lookup(symbol));
  });
  return result.isDefined() && result.value.getBool();
}

bool Witness::trySet(Expr symbol, const DynamicAPInt &value) {
  ArrayRef<unsigned> met = factsOfSymbol.lookup(symbol);
  if (met.size() > maxMetFacts)
    return false;
  DynamicAPInt before = values.lookup(symbol);
  values[symbol] = value;
  if (llvm::all_of(met, [&](unsigned id) { return holds(facts[id].expr); }))
    return true;
  values[symbol] = before;
  return false;
}

/// The least change of a symbol with a coefficient in the gap that makes the
/// comparison hold, or fail; nothing if there is none.
static std::optional<DynamicAPInt> getStep(ExprKind kind, bool toHold,
                                           const DynamicAPInt &gap,
                                           const DynamicAPInt &coefficient) {
  bool isEquation = kind == ExprKind::Eq || kind == ExprKind::Ne;
  if (isEquation && (kind == ExprKind::Eq) != toHold)
    return DynamicAPInt(1);
  if (isEquation) {
    if (gap % coefficient != 0)
      return std::nullopt;
    return -gap / coefficient;
  }
  // Up to the least gap that holds, or down to the greatest that does not.
  DynamicAPInt target(kind == ExprKind::Lt ? 1 : 0);
  if (!toHold)
    target -= 1;
  bool isUp = (coefficient > 0) == toHold;
  DynamicAPInt quotient = target - gap;
  return isUp ? -pythonFloorDiv(-quotient, coefficient)
              : pythonFloorDiv(quotient, coefficient);
}

/// Changes one symbol so that a linear comparison holds, or fails.
bool Witness::change(Expr question, const DynamicAPInt &gap, bool toHold) {
  for (bool isRight : {false, true}) {
    Expr side = question.getOperand(isRight);
    ArrayRef<Expr> last = getTermOperands(side).take_back(maxTriedSymbols);
    for (Expr operand : llvm::reverse(last)) {
      TermView term = viewTerm(operand);
      if (!term.monomial)
        continue;
      std::optional<DynamicAPInt> step =
          getStep(question.getKind(), toHold, gap,
                  isRight ? *term.coefficient : -*term.coefficient);
      if (step && trySet(term.monomial, values.lookup(term.monomial) + *step))
        return true;
    }
  }
  return false;
}

bool Witness::repair(Expr fact) {
  if (fact.getKind() == ExprKind::And)
    return llvm::all_of(fact.getOperands(), [&](Expr operand) {
      return holds(operand) || repair(operand);
    });
  return isLinearComparison(fact) && change(fact, getGap(fact), true);
}

/// Takes new facts in; false if the assignment does not fit them all.
bool Witness::update() {
  while (numFitted != facts.size()) {
    if (numIndexed > numFitted)
      return false;
    Expr fact = facts[numIndexed].expr;
    // Facts about it are looked at only once it can hold.
    bool isFitted = holds(fact) || repair(fact);
    forEachSymbol(fact,
                  [&](Expr symbol) { factsOfSymbol.push(symbol, numIndexed); });
    ++numIndexed;
    if (!isFitted || !holds(fact))
      return false;
    ++numFitted;
  }
  return true;
}

bool Witness::isUndecided(Expr question) {
  if (!isLinearComparison(question) || !update())
    return false;
  DynamicAPInt gap = getGap(question);
  bool isTrue = isGapRight(question.getKind(), gap);
  // The change is kept: it fits as well.
  return change(question, gap, !isTrue) &&
         isGapRight(question.getKind(), getGap(question)) != isTrue;
}
