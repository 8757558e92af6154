//===- Cases.cpp - Case distinctions --------------------------------------===//
//
// A question that no rung decides at once may be decided by cases: on either
// side of a condition, for either order of the operands of a maximum, for each
// value of a symbol that has few, for each remainder, for each alternative of a
// disjunction. Every alternative is stated in a scope of its own, where the
// facts fold more.
//
//===----------------------------------------------------------------------===//

#include "Decider.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::SmallVector;

/// Splits that are tried for one question, alternatives that are looked at in
/// all, and splits inside of each other.
static constexpr unsigned kMaxSplits = 10, kMaxCases = 40, kMaxCaseDepth = 2;
/// Values, or remainders, that are told apart.
static constexpr int64_t kMaxValues = 8;
/// Questions about more symbols are not told apart by facts about these.
static constexpr size_t kMaxSearchedSymbols = 16;
/// Facts about a symbol that are searched for something to tell apart.
static constexpr size_t kMaxSearchedFacts = 8;

namespace {

/// Boolean expressions of which one holds under every assignment that fits, and
/// the facts that say so.
struct Split {
  SmallVector<Expr, 2> alternatives;
  FactSet ids;
};

/// Collects splits that may help with an expression, the most likely first.
class SplitCollector {
public:
  explicit SplitCollector(Facts &facts)
      : facts(facts), impl(getImpl(facts)), context(facts.getContext()) {}

  /// Splits on what is in the question, then on what is in facts about it.
  SmallVector<Split, 8> collect(Expr question);

private:
  void visit(Expr expr);
  void visitFactsAbout(Expr symbol);
  void addCondition(Expr condition);
  void addSymbol(Expr symbol, bool isMultiplied);
  void addRemainders(Expr dividend, Expr divisor);
  void addOpenFact(Expr fact, const FactSet &ids);
  void addSplit(Split split);

  Facts &facts;
  Facts::Impl &impl;
  ExprContext &context;
  llvm::DenseSet<Expr> seen;
  SmallVector<Split, 8> splits, lateSplits;
};

} // namespace

void SplitCollector::addSplit(Split split) {
  bool isKnown = llvm::any_of(splits, [&](const Split &other) {
    return other.alternatives == split.alternatives;
  });
  if (splits.size() < kMaxSplits && !isKnown)
    splits.push_back(std::move(split));
}

/// A condition that has a value under every assignment, and its opposite.
void SplitCollector::addCondition(Expr condition) {
  FactSet ids;
  if (condition.getKind() == ExprKind::BoolConstant ||
      !facts.isDefined(condition, &ids))
    return;
  addSplit({{condition, context.logicalNot(condition)}, std::move(ids)});
}

void SplitCollector::addSymbol(Expr symbol, bool isMultiplied) {
  if (symbol.isBool())
    return addCondition(symbol);
  if (!symbol.isInt())
    return;
  FactSet used;
  ValueSet set = impl.values.valueSet(symbol, used);
  const Interval &range = set.getInterval();
  if (range.getLower() && range.getUpper() && !set.isEmpty()) {
    DynamicAPInt step = set.getCongruence().getModulus();
    if (step == 0)
      return;
    if ((*range.getUpper() - *range.getLower()) / step < kMaxValues) {
      Split values{{}, used};
      for (DynamicAPInt value = *range.getLower(); value <= *range.getUpper();
           value += step)
        values.alternatives.push_back(
            context.eq(symbol, context.constant(value)));
      lateSplits.push_back(std::move(values));
      return;
    }
  }
  if (isMultiplied && range.contains(0) && !range.isAtLeast(0) &&
      !range.isAtMost(0))
    lateSplits.push_back(
        {{context.ge(symbol, context.one()), context.eq(symbol, context.zero()),
          context.lt(symbol, context.zero())},
         {}});
}

/// The remainders of a symbol in a dividend by a small literal.
void SplitCollector::addRemainders(Expr dividend, Expr divisor) {
  std::optional<int64_t> modulus = divisor.getInt64();
  if (!modulus || *modulus < 2 || *modulus > kMaxValues)
    return;
  for (Expr symbol : context.freeSymbols(dividend)) {
    if (!symbol.isInt())
      continue;
    FactSet ids;
    DynamicAPInt known =
        impl.values.valueSet(symbol, ids).getCongruence().getModulus();
    if (pythonMod(known, divisor.getConstant()) ==
        0) // There is nothing to tell apart.
      continue;
    Split remainders;
    for (int64_t i = 0; i != *modulus; ++i)
      remainders.alternatives.push_back(
          context.eq(context.mod(symbol, divisor), context.constant(i)));
    lateSplits.push_back(std::move(remainders));
    return;
  }
}

void SplitCollector::visit(Expr expr) {
  if (!seen.insert(expr).second)
    return;
  llvm::ArrayRef<Expr> operands = expr.getOperands();
  switch (expr.getKind()) {
  case ExprKind::Symbol:
    addSymbol(expr, /*isMultiplied=*/false);
    break;
  case ExprKind::Select:
    addCondition(operands[0]);
    break;
  case ExprKind::Abs:
    addCondition(context.le(context.zero(), operands[0]));
    break;
  case ExprKind::Min:
  case ExprKind::Max:
    addCondition(context.le(operands[0], operands[1]));
    break;
  case ExprKind::Mod:
  case ExprKind::FloorDiv:
    addRemainders(operands[0], operands[1]);
    break;
  case ExprKind::Mul:
  case ExprKind::Pow:
    for (Expr operand : operands)
      if (operand.isSymbol())
        addSymbol(operand, /*isMultiplied=*/true);
    break;
  case ExprKind::Or:
    addCondition(operands[0]);
    break;
  default:
    break;
  }
  for (Expr operand : operands)
    visit(operand);
}

/// The alternatives that a fact leaves.
void SplitCollector::addOpenFact(Expr fact, const FactSet &ids) {
  llvm::ArrayRef<Expr> operands = fact.getOperands();
  if (fact.getKind() == ExprKind::Ne && operands[0].isInt())
    return addSplit({{context.lt(operands[0], operands[1]),
                      context.lt(operands[1], operands[0])},
                     ids});
  if (fact.getKind() == ExprKind::Or)
    return addCondition(operands[0]);
  if (fact.getKind() == ExprKind::Eq && operands[0].isBool())
    return addCondition(operands[0]);
}

void SplitCollector::visitFactsAbout(Expr symbol) {
  SmallVector<unsigned, 4> open(
      impl.tables.openOfSymbol.lookup(symbol).take_back(kMaxSearchedFacts));
  for (unsigned position : open) {
    Facts::OpenFact fact = impl.tables.open[position];
    addOpenFact(fact.expr, fact.ids);
    visit(fact.expr);
  }
  for (unsigned position :
       impl.tables.getLinearFactsAbout(symbol, kMaxSearchedFacts))
    visit(impl.tables.linear[position].expr);
}

SmallVector<Split, 8> SplitCollector::collect(Expr question) {
  visit(question);
  SmallVector<Expr, 4> symbols = context.freeSymbols(question);
  if (symbols.size() <= kMaxSearchedSymbols)
    for (Expr symbol : symbols)
      visitFactsAbout(symbol);
  for (Split &split : lateSplits)
    addSplit(std::move(split));
  return std::move(splits);
}

/// The common answer of all alternatives of a split that are possible.
static Verdict merge(Verdict known, Verdict next) {
  if (next == Verdict::Contradiction)
    return known;
  return known == Verdict::Contradiction || known == next ? next
                                                          : Verdict::Unknown;
}

Verdict Decider::decideByCases(Expr stated, unsigned depth) {
  if (depth == kMaxCaseDepth || numCases >= kMaxCases)
    return Verdict::Unknown;
  FactSet ids;
  Expr query = facts.simplify(stated, &ids);
  use(ids);
  for (const Split &split : SplitCollector(facts).collect(query)) {
    Verdict common = Verdict::Contradiction;
    for (Expr alternative : split.alternatives) {
      if (numCases++ >= kMaxCases)
        return Verdict::Unknown;
      Facts::Scope scope(facts);
      facts.add(alternative, Provenance::Proven);
      Verdict verdict = Verdict::Contradiction;
      if (facts.isContradictory())
        use(facts.getContradiction());
      else
        verdict = decide(query, /*depth=*/1);
      if (verdict == Verdict::Unknown)
        verdict = decideByCases(query, depth + 1);
      common = merge(common, verdict);
      if (verdict == Verdict::Unknown || common == Verdict::Unknown) {
        common = Verdict::Unknown;
        break;
      }
    }
    if (common != Verdict::Unknown) {
      use(split.ids);
      reach(Rung::Integer);
      return common;
    }
  }
  return Verdict::Unknown;
}
