//===- Witness.cpp - An assignment that fits the facts --------------------===//
//
// Symbols are 0, or false, until a fact says otherwise. What does not hold is
// repaired by the least change of one symbol, what this breaks by changing
// others, each in one direction only; what needs more than that is given up.
//
//===----------------------------------------------------------------------===//

#include "Witness.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Symbols of one side of a comparison that are tried, the last-defined first,
/// and symbols of any other question.
static constexpr size_t kMaxTriedSymbols = 4;
/// Symbols of a question that are moved to their ends at once.
static constexpr size_t kMaxMovedSymbols = 16;
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
        if (symbol.isFloat())
          return std::nullopt;
        return symbol.isBool() ? Value::ofBool(getValue(symbol) != 0)
                               : Value::ofInt(getValue(symbol));
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

void Witness::takeBack(size_t numKept) {
  for (const Change &change :
       llvm::reverse(ArrayRef<Change>(changes).drop_front(numKept)))
    values[change.symbol.getOrdinal()] = change.before;
  changes.truncate(numKept);
  numFollowed = std::min(numFollowed, numKept);
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

/// The first value that is possible on the way from `before` to `value` and on.
static DynamicAPInt moveOn(const ValueSet &set, const DynamicAPInt &before,
                           DynamicAPInt value) {
  const Interval &range = set.getInterval();
  const DynamicAPInt &distance = set.getCongruence().getModulus();
  bool isUp = value > before;
  if (isUp && range.getLower() && value < *range.getLower())
    return *range.getLower();
  if (!isUp && range.getUpper() && value > *range.getUpper())
    return *range.getUpper();
  if (distance < 2)
    return value;
  DynamicAPInt step = value - before;
  return before + (isUp ? -pythonFloorDiv(-step, distance) * distance
                        : pythonFloorDiv(step, distance) * distance);
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
      DynamicAPInt value = getValue(term.monomial) + *step;
      if (!isExact && known != tables.known.end())
        value = moveOn(known->second.set, getValue(term.monomial), value);
      if (trySet(term.monomial, value))
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

/// Makes a fact hold by one step of one symbol: that a product is positive.
bool Witness::moveByOne(Expr fact) {
  SmallVector<Expr, 4> symbols;
  forEachSymbol(fact, [&](Expr symbol) { symbols.push_back(symbol); });
  size_t numKept = changes.size();
  for (Expr symbol : symbols)
    for (int64_t step : {1, -1}) {
      if (trySet(symbol, getValue(symbol) + getDistance(symbol) * step) &&
          holds(fact))
        return true;
      takeBack(numKept);
    }
  return false;
}

/// Makes a fact hold without regard to the others.
bool Witness::repair(Expr fact) {
  if (fact.getKind() == ExprKind::And)
    return llvm::all_of(fact.getOperands(), [&](Expr operand) {
      return holds(operand) || repair(operand);
    });
  if (isLinearComparison(fact))
    return change(fact, getGap(fact), true);
  if (fact.isSymbol())
    return trySet(fact, DynamicAPInt(1));
  return moveInside(fact) && (holds(fact) || moveByOne(fact));
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

/// How far values that a symbol can have are apart.
DynamicAPInt Witness::getDistance(Expr symbol) const {
  auto known = tables.known.find(symbol);
  return known == tables.known.end()
             ? DynamicAPInt(1)
             : known->second.set.getCongruence().getModulus();
}

/// The last value that a symbol can have on one side, or one that is far away.
DynamicAPInt Witness::getEnd(Expr symbol, bool isUpper) const {
  if (symbol.isBool())
    return DynamicAPInt(isUpper ? 1 : 0);
  static const DynamicAPInt far =
      DynamicAPInt(std::numeric_limits<int64_t>::max()) * 2;
  auto known = tables.known.find(symbol);
  if (known == tables.known.end())
    return isUpper ? far : -far;
  const Interval &range = known->second.set.getInterval();
  const Congruence &classes = known->second.set.getCongruence();
  const std::optional<DynamicAPInt> &limit =
      isUpper ? range.getUpper() : range.getLower();
  DynamicAPInt end = limit ? *limit : isUpper ? far : -far;
  if (classes.getModulus() < 2)
    return end;
  return isUpper ? end - pythonMod(end - classes.getRemainder(),
                                   classes.getModulus())
                 : end + pythonMod(classes.getRemainder() - end,
                                   classes.getModulus());
}

/// Moves symbols to their ends, one after the other; one whose facts do not
/// follow stays. A question whether a sum or a product overflows is answered
/// there, if anywhere.
bool Witness::isUndecidedAtEnds(ArrayRef<Expr> symbols, Expr question,
                                bool truth) {
  for (bool isUpper : {true, false}) {
    startChanges();
    numLooksLeft = kMaxLooks;
    for (Expr symbol : symbols) {
      size_t numKept = changes.size();
      if (trySet(symbol, getEnd(symbol, isUpper)) && !repairBroken())
        takeBack(numKept);
    }
    bool isUndecided = getTruth(question) == !truth;
    takeBack();
    if (isUndecided)
      return true;
  }
  return false;
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
  ArrayRef<Expr> tried = ArrayRef<Expr>(symbols).take_back(kMaxTriedSymbols);
  for (Expr symbol : tried) {
    if (symbol.isFloat())
      return false;
    DynamicAPInt distance = getDistance(symbol);
    for (int64_t steps : {1, -1, 2}) {
      startChanges();
      bool isUndecided = trySet(symbol, getValue(symbol) + distance * steps) &&
                         repairBroken() && getTruth(question) == !*truth;
      takeBack();
      if (isUndecided)
        return true;
    }
  }
  return symbols.size() <= kMaxMovedSymbols &&
         isUndecidedAtEnds(symbols, question, *truth);
}
