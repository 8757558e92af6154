//===- Witness.cpp - An assignment that fits the facts --------------------===//
//
// Symbols are 0 until a fact says otherwise. What does not hold is repaired by
// the least change of one symbol, what this breaks by changing others, each in
// one direction only; what needs more than that is given up.
//
//===----------------------------------------------------------------------===//

#include "Witness.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Symbols of one side of a comparison that are tried, the last-defined first,
/// and symbols of any other question.
static constexpr size_t kMaxTriedSymbols = 4;
/// Facts that are looked at for one question or new fact.
static constexpr unsigned kMaxLooks = 384;
/// Depth of a question that is evaluated.
static constexpr unsigned kMaxEvaluatedDepth = 20;

/// Calls `visit` for each symbol of a fact, perhaps more than once.
static void forEachSymbol(Expr expr, llvm::function_ref<void(Expr)> visit) {
  if (expr.isSymbol())
    return visit(expr);
  if (expr.getLatestOrdinal() != 0)
    for (Expr operand : expr.getOperands())
      forEachSymbol(operand, visit);
}

void Witness::forgetFrom(size_t numFacts) {
  for (; numIndexed > numFacts; --numIndexed)
    forEachSymbol(facts[numIndexed - 1].expr,
                  [&](Expr symbol) { factsOfSymbol.pop(symbol); });
  numFitted = std::min(numFitted, numFacts);
}

const DynamicAPInt &Witness::getValue(Expr symbol) const {
  static const DynamicAPInt zero(0);
  return symbol.getOrdinal() < values.size() ? values[symbol.getOrdinal()]
                                             : zero;
}

/// The right side less the left.
DynamicAPInt Witness::getGap(Expr comparison) const {
  DynamicAPInt gap(0);
  for (bool isRight : {false, true}) {
    Expr side = comparison.getOperand(isRight);
    for (Expr operand : getTermOperands(side)) {
      TermView term = viewTerm(operand);
      if (!term.monomial) {
        isRight ? gap += *term.coefficient : gap -= *term.coefficient;
        continue;
      }
      const DynamicAPInt &value = getValue(term.monomial);
      if (value != 0)
        isRight ? gap += value **term.coefficient
                : gap -= value * *term.coefficient;
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

/// The truth of a question under the assignment, if it is defined there.
std::optional<bool> Witness::getTruth(Expr question) const {
  EvalResult result =
      evaluate(question, [&](Expr symbol) -> std::optional<Value> {
        if (!symbol.isInt())
          return std::nullopt;
        return Value::ofInt(getValue(symbol));
      });
  if (!result.isDefined())
    return std::nullopt;
  return result.value.getBool();
}

bool Witness::holds(Expr fact) const {
  if (fact.getKind() == ExprKind::And)
    return llvm::all_of(fact.getOperands(),
                        [&](Expr operand) { return holds(operand); });
  if (isLinearComparison(fact))
    return isGapRight(fact.getKind(), getGap(fact));
  return getTruth(fact) == true;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

void Witness::startChanges() {
  changes.clear();
  numFollowed = 0;
}

void Witness::takeBack() {
  for (const Change &change : llvm::reverse(changes))
    values[change.symbol.getOrdinal()] = change.before;
  startChanges();
}

bool Witness::trySet(Expr symbol, const DynamicAPInt &value) {
  const DynamicAPInt &before = getValue(symbol);
  bool isUp = value > before;
  if (value == before || llvm::any_of(changes, [&](const Change &change) {
        return change.symbol == symbol && change.isUp != isUp;
      }))
    return false;
  auto known = tables.known.find(symbol);
  if (known != tables.known.end() && !known->second.set.contains(value))
    return false;
  if (symbol.getOrdinal() >= values.size())
    values.resize(2 * symbol.getOrdinal() + 16, DynamicAPInt(0));
  DynamicAPInt &slot = values[symbol.getOrdinal()];
  changes.push_back({symbol, slot, isUp});
  slot = value;
  return true;
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
    if (pythonMod(gap, coefficient) != 0)
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

/// The next multiple of the distance between values that are possible, away
/// from zero.
static DynamicAPInt roundUp(const DynamicAPInt &step,
                            const DynamicAPInt &distance) {
  if (distance < 2)
    return step;
  return step > 0 ? -pythonFloorDiv(-step, distance) * distance
                  : pythonFloorDiv(step, distance) * distance;
}

/// Changes one symbol so that a linear comparison holds, or fails.
bool Witness::change(Expr comparison, const DynamicAPInt &gap, bool toHold) {
  ExprKind kind = comparison.getKind();
  bool isExact = (kind == ExprKind::Eq) == toHold &&
                 (kind == ExprKind::Eq || kind == ExprKind::Ne);
  for (bool isRight : {false, true}) {
    Expr side = comparison.getOperand(isRight);
    ArrayRef<Expr> last = getTermOperands(side).take_back(kMaxTriedSymbols);
    for (Expr operand : llvm::reverse(last)) {
      TermView term = viewTerm(operand);
      if (!term.monomial)
        continue;
      std::optional<DynamicAPInt> step = getStep(
          kind, toHold, gap, isRight ? *term.coefficient : -*term.coefficient);
      if (!step)
        continue;
      auto known = tables.known.find(term.monomial);
      if (!isExact && known != tables.known.end())
        step = roundUp(*step, known->second.set.getCongruence().getModulus());
      if (trySet(term.monomial, getValue(term.monomial) + *step))
        return true;
    }
  }
  return false;
}

/// Moves symbols to the values that are known to be possible.
bool Witness::moveInside(Expr fact) {
  SmallVector<Expr, 4> symbols;
  forEachSymbol(fact, [&](Expr symbol) { symbols.push_back(symbol); });
  for (Expr symbol : symbols) {
    auto known = tables.known.find(symbol);
    if (known == tables.known.end() ||
        known->second.set.contains(getValue(symbol)))
      continue;
    const Interval &range = known->second.set.getInterval();
    const Congruence &classes = known->second.set.getCongruence();
    DynamicAPInt value = getValue(symbol);
    if (range.getLower() && value < *range.getLower())
      value = *range.getLower();
    else if (range.getUpper() && value > *range.getUpper())
      value = *range.getUpper();
    else
      value += pythonMod(classes.getRemainder() - value, classes.getModulus());
    if (!trySet(symbol, value))
      return false;
  }
  return true;
}

/// Makes a fact hold without regard to the others.
bool Witness::repair(Expr fact) {
  if (fact.getKind() == ExprKind::And)
    return llvm::all_of(fact.getOperands(), [&](Expr operand) {
      return holds(operand) || repair(operand);
    });
  if (isLinearComparison(fact))
    return change(fact, getGap(fact), true);
  return moveInside(fact) && holds(fact);
}

bool Witness::repairBroken() {
  for (; numFollowed != changes.size(); ++numFollowed) {
    // Later changes of the same symbol need not fit these facts.
    for (unsigned id : factsOfSymbol.lookup(changes[numFollowed].symbol)) {
      Expr fact = facts[id].expr;
      if (numLooksLeft-- == 0) {
        numLooksLeft = 0;
        return false;
      }
      if (!holds(fact) && (!repair(fact) || !holds(fact)))
        return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

void Witness::indexNext() {
  forEachSymbol(facts[numIndexed].expr,
                [&](Expr symbol) { factsOfSymbol.push(symbol, numIndexed); });
  ++numIndexed;
}

bool Witness::settle(Expr fact) {
  startChanges();
  numLooksLeft = kMaxLooks;
  if (holds(fact) || (repair(fact) && repairBroken() && holds(fact)))
    return true;
  takeBack();
  return false;
}

/// Takes new facts in; false if the assignment does not fit them all.
bool Witness::update() {
  if (numIndexed > numFitted)
    return false;
  while (numFitted != facts.size()) {
    indexNext();
    if (!settle(facts[numFitted].expr))
      return false;
    ++numFitted;
  }
  return true;
}

bool Witness::isUndecidedLinear(Expr question) {
  DynamicAPInt gap = getGap(question);
  bool isTrue = isGapRight(question.getKind(), gap);
  startChanges();
  bool isUndecided = change(question, gap, !isTrue) && repairBroken() &&
                     isGapRight(question.getKind(), getGap(question)) != isTrue;
  takeBack();
  return isUndecided;
}

bool Witness::isUndecided(Expr question) {
  if (!update())
    return false;
  numLooksLeft = kMaxLooks;
  if (isLinearComparison(question))
    return isUndecidedLinear(question);
  if (question.getDepth() > kMaxEvaluatedDepth)
    return false;
  std::optional<bool> truth = getTruth(question);
  if (!truth)
    return false;
  SmallVector<Expr, kMaxTriedSymbols> symbols =
      tables.context.freeSymbols(question);
  for (Expr symbol : ArrayRef<Expr>(symbols).take_back(kMaxTriedSymbols)) {
    if (!symbol.isInt())
      return false;
    auto known = tables.known.find(symbol);
    DynamicAPInt distance =
        known == tables.known.end()
            ? DynamicAPInt(1)
            : known->second.set.getCongruence().getModulus();
    for (int64_t steps : {1, -1, 2}) {
      startChanges();
      bool isUndecided = trySet(symbol, getValue(symbol) + distance * steps) &&
                         repairBroken() && getTruth(question) == !*truth;
      takeBack();
      if (isUndecided)
        return true;
    }
  }
  return false;
}
