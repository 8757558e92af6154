//===- Facts.cpp - Stating facts ------------------------------------------===//
//
// Takes a fact apart into what questions can use: value sets of shapes, linear
// facts, oriented replacements, open facts. Everything that is written down is
// logged, so that the end of a scope takes it back.
//
//===----------------------------------------------------------------------===//

#include "FactsImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// Bounds are derived from facts of at most this many terms.
static constexpr size_t maxPropagatedTerms = 8;
/// Facts of at most this many terms are looked at again, and how many, when
/// bounds of one of their terms change.
static constexpr size_t maxRevisitedTerms = 8, maxRevisitedFacts = 64;
/// Congruences are derived from equations of at most this many terms.
static constexpr size_t maxCongruenceTerms = 8;
/// Bounds that one new fact may change.
static constexpr unsigned maxPropagations = 48;
/// How deep one fact may lead to another.
static constexpr unsigned maxNesting = 24;

StringRef tally::symbolic::toString(Provenance provenance) {
  switch (provenance) {
  case Provenance::Proven:
    return "proven";
  case Provenance::Checked:
    return "checked";
  case Provenance::Assumed:
    return "assumed";
  }
  return "";
}

void tally::symbolic::mergeFacts(FactSet &into, ArrayRef<FactId> from) {
  if (from.empty())
    return;
  if (into.empty() || into.back() < from.front()) {
    into.append(from.begin(), from.end());
    return;
  }
  if (from.size() == 1) {
    FactId *place = llvm::lower_bound(into, from.front());
    if (*place != from.front())
      into.insert(place, from.front());
    return;
  }
  FactSet merged;
  std::set_union(into.begin(), into.end(), from.begin(), from.end(),
                 std::back_inserter(merged));
  into = std::move(merged);
}

static FactSet unionOf(ArrayRef<FactId> a, ArrayRef<FactId> b) {
  FactSet result(a.begin(), a.end());
  mergeFacts(result, b);
  return result;
}

ShapeSplit tally::symbolic::splitShape(Expr expr, ExprContext &context) {
  DynamicAPInt offset = getConstantTerm(expr);
  Expr rest = offset == 0 ? expr : context.add(expr, context.constant(-offset));
  TermList terms = getTerms(rest, context);
  if (terms.empty())
    return {rest, DynamicAPInt(0), offset};
  DynamicAPInt factor = getContent(terms, /*withConstant=*/true);
  bool hasResidue = llvm::any_of(terms, [](const Term &term) {
    return term.monomial.getNode()->zeroValued;
  });
  if (hasResidue)
    factor = 1;
  else if (terms.front().coefficient < 0)
    factor = -factor;
  if (factor == 1)
    return {rest, factor, offset};
  for (Term &term : terms)
    term.coefficient = term.coefficient / factor;
  return {makeSum(context, std::move(terms)), factor, offset};
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Facts::Facts(ExprContext &context)
    : context(context), impl(std::make_unique<Impl>(context)) {}
Facts::~Facts() = default;

void Facts::push() {
  impl->marks.push_back({impl->facts.size(), impl->undo.size()});
}

void Facts::pop() {
  assert(!impl->marks.empty() && "pop without push");
  Impl::Mark mark = impl->marks.pop_back_val();
  while (impl->undo.size() > mark.numUndo) {
    impl->undo.back()();
    impl->undo.pop_back();
  }
  impl->facts.truncate(mark.numFacts);
}

unsigned Facts::getDepth() const { return impl->marks.size(); }

FactId Facts::setRange(Expr symbol, const Interval &range,
                       Provenance provenance, StringRef source) {
  FactId id = impl->facts.size();
  SmallVector<Expr, 2> parts;
  if (range.getLower())
    parts.push_back(context.ge(symbol, context.constant(*range.getLower())));
  if (range.getUpper())
    parts.push_back(context.le(symbol, context.constant(*range.getUpper())));
  Expr stated =
      range.isEmpty() ? context.falseExpr() : context.logicalAnd(parts);
  impl->facts.push_back({stated, provenance, source.str()});
  impl->propagationBudget = maxPropagations;
  Expr value = impl->replacements.empty() ? symbol : simplify(symbol);
  if (value != symbol)
    impl->learn(symbol, range, {id});
  impl->learn(value, range, {id});
  return id;
}

FactId Facts::setDivisor(Expr symbol, const DynamicAPInt &divisor,
                         Provenance provenance, StringRef source) {
  assert(divisor > 0 && "a divisor is positive");
  Expr stated = context.eq(context.mod(symbol, context.constant(divisor)),
                           context.zero());
  return add(stated, provenance, source);
}

FactId Facts::add(Expr fact, Provenance provenance, StringRef source) {
  assert(fact.isBool() && "a fact is a boolean");
  FactId id = impl->facts.size();
  impl->facts.push_back({fact, provenance, source.str()});
  impl->propagationBudget = maxPropagations;
  FactSet ids{id};
  impl->assumeDefined(fact, ids);
  impl->assume(fact, ids);
  return id;
}

const Fact &Facts::getFact(FactId id) const { return impl->facts[id]; }
size_t Facts::getNumFacts() const { return impl->facts.size(); }
bool Facts::isContradictory() const { return impl->contradictory; }
FactSet Facts::getContradiction() const { return impl->contradiction; }

Expr Facts::simplify(Expr expr, FactSet *used) {
  FactSet ids;
  Expr result = impl->simplify(expr, ids);
  if (used)
    mergeFacts(*used, ids);
  return result;
}

ValueSet Facts::valueSet(Expr expr, FactSet *used) {
  FactSet ids;
  Expr simple = impl->simplify(expr, ids);
  ValueSet set = impl->valueSet(simple, ids);
  if (used)
    mergeFacts(*used, ids);
  return set;
}

bool Facts::isDefined(Expr expr, FactSet *used) {
  if (expr.isTotal())
    return true;
  ExprKind kind = expr.getKind();
  if (kind == ExprKind::And || kind == ExprKind::Or ||
      kind == ExprKind::Select) {
    // Each operand counts where those before it let it be evaluated.
    if (!isDefined(expr.getOperand(0), used))
      return false;
    Expr rest = kind == ExprKind::And
                    ? context.logicalAnd(expr.getOperands().drop_front())
                : kind == ExprKind::Or
                    ? context.logicalOr(expr.getOperands().drop_front())
                    : expr.getOperand(1);
    auto isDefinedUnder = [&](Expr condition, Expr what) {
      Scope scope(*this);
      FactId temporary = add(condition, Provenance::Proven);
      FactSet ids;
      bool result = isContradictory() || isDefined(what, &ids);
      llvm::erase(ids, temporary);
      if (used)
        mergeFacts(*used, ids);
      return result;
    };
    Expr condition = kind == ExprKind::Or
                         ? context.logicalNot(expr.getOperand(0))
                         : expr.getOperand(0);
    if (!isDefinedUnder(condition, rest))
      return false;
    return kind != ExprKind::Select ||
           isDefinedUnder(context.logicalNot(condition), expr.getOperand(2));
  }
  for (Expr operand : expr.getOperands())
    if (!isDefined(operand, used))
      return false;
  return isNodeDefined(expr, used);
}

bool Facts::isNodeDefined(Expr expr, FactSet *used) {
  FactSet ids;
  if (!impl->isNodeDefined(expr, ids))
    return false;
  if (used)
    mergeFacts(*used, ids);
  return true;
}

ArrayRef<Facts::LinearFact> Facts::getLinearFacts() const {
  return impl->linear;
}
ArrayRef<Facts::OpenFact> Facts::getOpenFacts() const { return impl->open; }

//===----------------------------------------------------------------------===//
// Writing down
//===----------------------------------------------------------------------===//

void Facts::Impl::contradict(const FactSet &ids) {
  if (contradictory)
    return;
  contradictory = true;
  contradiction = ids;
  record([this] {
    contradictory = false;
    contradiction.clear();
  });
}

void Facts::Impl::touch(Expr expr) {
  ++clock;
  size_t position = expr.getLatestBirth();
  if (lastChange.size() <= position) {
    // A larger tree; for what is in it, everything changed now.
    lastChange.assign(
        llvm::PowerOf2Ceil(std::max<size_t>(64, 2 * position + 2)), clock);
    return;
  }
  for (size_t i = std::max<size_t>(position, 1); i < lastChange.size();
       i += i & -i)
    lastChange[i] = clock;
}

uint64_t Facts::Impl::getLastChange(Expr expr) const {
  uint64_t result = 0;
  size_t position = expr.getLatestBirth();
  if (position >= lastChange.size())
    position = lastChange.empty() ? 0 : lastChange.size() - 1;
  for (size_t i = position; i != 0; i -= i & -i)
    result = std::max(result, lastChange[i]);
  return result;
}

/// Sets map[key] and logs what was there.
template <typename Map, typename T>
static void setLogged(Facts::Impl &impl, Map &map, Expr key, T value) {
  auto it = map.find(key);
  if (it == map.end()) {
    map.insert({key, std::move(value)});
    impl.record([&impl, &map, key] {
      map.erase(key);
      impl.touch(key);
    });
  } else {
    impl.record([&impl, &map, key, old = it->second] {
      map[key] = old;
      impl.touch(key);
    });
    it->second = std::move(value);
  }
  impl.touch(key);
}

void Facts::Impl::addTruth(Expr expr, const FactSet &ids) {
  if (truths.count(expr))
    return;
  setLogged(*this, truths, expr, ids);
}

/// Remembers under each key that the list of facts holds `index`.
template <typename Keys>
static void addToIndex(Facts::Impl &impl,
                       llvm::DenseMap<Expr, SmallVector<unsigned, 4>> &index,
                       const Keys &keys, unsigned position) {
  for (Expr key : keys) {
    index[key].push_back(position);
    impl.record([&index, key] { index[key].pop_back(); });
  }
}

void Facts::Impl::addLinear(Expr expr, bool isEquality, const FactSet &ids) {
  unsigned position = linear.size();
  linear.push_back({expr, isEquality, ids});
  record([this] { linear.pop_back(); });
  addToIndex(*this, linearOfSymbol, context.freeSymbols(expr), position);
  SmallVector<Expr, 4> monomials;
  for (const Term &term : getTerms(expr, context))
    if (!term.monomial.isConstant())
      monomials.push_back(term.monomial);
  addToIndex(*this, linearOfMonomial, monomials, position);
}

void Facts::Impl::addOpen(Expr expr, const FactSet &ids) {
  addTruth(expr, ids);
  unsigned position = open.size();
  open.push_back({expr, ids});
  record([this] { open.pop_back(); });
  addToIndex(*this, openOfSymbol, context.freeSymbols(expr), position);
}

void Facts::Impl::learn(Expr expr, const ValueSet &set, const FactSet &ids) {
  ShapeSplit split = splitShape(expr, context);
  if (split.factor == 0) {
    if (!set.contains(split.offset))
      contradict(ids);
    return;
  }
  ValueSet inner = set.preimage(split.factor, split.offset);
  auto it = known.find(split.shape);
  ValueSet before = it == known.end() ? ValueSet() : it->second.set;
  ValueSet after = before.intersect(inner);
  if (after == before)
    return;
  FactSet reasons = ids;
  if (after != inner && it != known.end())
    mergeFacts(reasons, it->second.ids);
  setLogged(*this, known, split.shape, Known{after, reasons});
  if (after.isEmpty())
    return contradict(reasons);
  if (nesting >= maxNesting)
    return;
  ++nesting;
  llvm::scope_exit leave([this] { --nesting; });
  learnInside(split.shape, after, reasons);
  propagateFrom(split.shape);
}

/// What the value set of an atom says about its operands.
void Facts::Impl::learnInside(Expr atom, const ValueSet &set,
                              const FactSet &ids) {
  const Bound &lower = set.getInterval().getLower();
  const Bound &upper = set.getInterval().getUpper();
  ArrayRef<Expr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case ExprKind::Mod:
    if (std::optional<DynamicAPInt> value = set.getSingle())
      if (operands[1].isConstant())
        learn(operands[0],
              {Interval(), Congruence(operands[1].getConstant(), *value)}, ids);
    return;
  case ExprKind::FloorDiv: {
    if (!operands[1].isConstant() || operands[1].getConstant() <= 0)
      return;
    const DynamicAPInt &divisor = operands[1].getConstant();
    Bound low, high;
    if (lower)
      low = *lower * divisor;
    if (upper)
      high = *upper * divisor + divisor - 1;
    return learn(operands[0], Interval(low, high), ids);
  }
  case ExprKind::Max:
  case ExprKind::Min:
    for (Expr operand : operands)
      learn(operand,
            atom.getKind() == ExprKind::Max ? Interval({}, upper)
                                            : Interval(lower, {}),
            ids);
    return;
  case ExprKind::Abs:
    if (upper)
      learn(operands[0], Interval(-*upper, *upper), ids);
    return;
  case ExprKind::Mul:
    return learnFactors(atom, set, ids);
  default:
    return;
  }
}

/// Bounds of a product of non-negative factors bound the factors.
void Facts::Impl::learnFactors(Expr product, const ValueSet &set,
                               const FactSet &ids) {
  SmallVector<Known, 4> factors;
  for (Expr factor : product.getOperands()) {
    Known value;
    value.set = valueSet(factor, value.ids);
    if (!value.set.getInterval().isAtLeast(0))
      return;
    factors.push_back(std::move(value));
  }
  bool isPositive = set.getInterval().isAtLeast(1);
  const Bound &upper = set.getInterval().getUpper();
  for (auto [i, factor] : llvm::enumerate(product.getOperands())) {
    FactSet reasons = ids;
    DynamicAPInt others(1);
    for (auto [j, other] : llvm::enumerate(factors)) {
      mergeFacts(reasons, other.ids);
      if (i != j)
        others *= *other.set.getInterval().getLower();
    }
    if (isPositive)
      learn(factor, Interval::atLeast(1), reasons);
    if (upper && others > 0)
      learn(factor, Interval::atMost(pythonFloorDiv(*upper, others)), reasons);
  }
}

//===----------------------------------------------------------------------===//
// Taking facts apart
//===----------------------------------------------------------------------===//

/// `expr` is evaluated, so nothing in it divides by zero.
void Facts::Impl::assumeDefined(Expr expr, const FactSet &ids) {
  if (expr.isTotal())
    return;
  ArrayRef<Expr> operands = expr.getOperands();
  switch (expr.getKind()) {
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Select:
    return assumeDefined(operands[0], ids);
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::ExactDiv:
    assumeNonZero(operands[1], ids);
    if (expr.getKind() == ExprKind::ExactDiv)
      assumeZero(context.mod(operands[0], operands[1]), ids);
    break;
  default:
    break;
  }
  for (Expr operand : operands)
    assumeDefined(operand, ids);
}

void Facts::Impl::assume(Expr stated, const FactSet &statedIds) {
  FactSet ids = statedIds;
  Expr fact = simplify(stated, ids);
  ArrayRef<Expr> operands = fact.getOperands();
  switch (fact.getKind()) {
  case ExprKind::BoolConstant:
    if (fact.isFalse())
      contradict(ids);
    return;
  case ExprKind::And:
    for (Expr operand : operands)
      assume(operand, ids);
    return;
  case ExprKind::Symbol:
    return addReplacement(fact, context.trueExpr(), ids);
  case ExprKind::Not:
    if (operands[0].isSymbol())
      return addReplacement(operands[0], context.falseExpr(), ids);
    return addTruth(fact, ids);
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Le:
  case ExprKind::Lt:
    return assumeComparison(fact, ids);
  default:
    return addOpen(fact, ids);
  }
}

void Facts::Impl::assumeComparison(Expr fact, const FactSet &ids) {
  Expr lhs = fact.getOperand(0), rhs = fact.getOperand(1);
  ExprKind kind = fact.getKind();
  if (lhs.isFloat() || rhs.isFloat())
    return addTruth(fact, ids);
  if (lhs.isBool()) {
    if (kind == ExprKind::Eq)
      for (auto [from, to] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
        if (from.isSymbol() && to.getLatestBirth() < from.getLatestBirth())
          return addReplacement(from, to, ids);
    return addOpen(fact, ids);
  }
  switch (kind) {
  case ExprKind::Eq:
    return assumeZero(context.sub(lhs, rhs), ids);
  case ExprKind::Ne:
    return assumeNonZero(context.sub(lhs, rhs), ids);
  case ExprKind::Le:
    return assumeNonNegative(context.sub(rhs, lhs), ids);
  default:
    return assumeNonNegative(context.sub(context.sub(rhs, lhs), context.one()),
                             ids);
  }
}

void Facts::Impl::assumeNonZero(Expr stated, const FactSet &statedIds) {
  FactSet ids = statedIds;
  Expr expr = simplify(stated, ids);
  if (expr.isConstant()) {
    if (expr.isConstant(0))
      contradict(ids);
    return;
  }
  Expr fact = context.ne(expr, context.zero());
  if (truths.count(fact) || fact.isTrue())
    return;
  addOpen(fact, ids);
  // An end of the range moves.
  ShapeSplit split = splitShape(expr, context);
  if (split.offset % split.factor != 0)
    return;
  DynamicAPInt excluded = -split.offset / split.factor;
  FactSet reasons = ids;
  Interval range = valueSet(split.shape, reasons).getInterval();
  if (range.getLower() == excluded)
    learn(split.shape, Interval::atLeast(excluded + 1), reasons);
  if (range.getUpper() == excluded)
    learn(split.shape, Interval::atMost(excluded - 1), reasons);
}

/// In expr >= 0 a maximum with a negative coefficient stands for each of its
/// operands, and so do a minimum with a positive one and an absolute value.
void Facts::Impl::splitExtrema(Expr expr, const FactSet &ids) {
  for (const Term &term : getTerms(expr, context)) {
    bool isPositive = term.coefficient > 0;
    ExprKind kind = term.monomial.getKind();
    SmallVector<Expr, 4> operands;
    if (kind == (isPositive ? ExprKind::Min : ExprKind::Max))
      operands.assign(term.monomial.getOperands().begin(),
                      term.monomial.getOperands().end());
    else if (kind == ExprKind::Abs && !isPositive)
      operands = {term.monomial.getOperand(0),
                  context.neg(term.monomial.getOperand(0))};
    if (operands.empty())
      continue;
    Expr rest =
        context.sub(expr, context.scale(term.coefficient, term.monomial));
    for (Expr operand : operands)
      assumeNonNegative(
          context.add(rest, context.scale(term.coefficient, operand)), ids);
    return;
  }
}

void Facts::Impl::assumeNonNegative(Expr stated, const FactSet &statedIds) {
  FactSet ids = statedIds;
  Expr expr = simplify(stated, ids);
  if (expr.isConstant()) {
    if (expr.getConstant() < 0)
      contradict(ids);
    return;
  }
  if (nesting >= maxNesting)
    return;
  ++nesting;
  llvm::scope_exit leave([this] { --nesting; });
  FactSet reasons;
  if (valueSet(expr, reasons).getInterval().isAtLeast(0))
    return;
  learn(expr, Interval::atLeast(0), ids);
  if (!expr.isSymbol())
    addLinear(expr, /*isEquality=*/false, ids);
  splitExtrema(expr, ids);
  propagate(expr, /*isEquality=*/false, ids);
}

void Facts::Impl::assumeZero(Expr stated, const FactSet &statedIds) {
  FactSet ids = statedIds;
  Expr expr = simplify(stated, ids);
  if (expr.isConstant()) {
    if (!expr.isConstant(0))
      contradict(ids);
    return;
  }
  if (nesting >= maxNesting)
    return;
  ++nesting;
  llvm::scope_exit leave([this] { --nesting; });
  learn(expr, Interval::point(0), ids);
  addLinear(expr, /*isEquality=*/true, ids);
  learnCongruences(expr, ids);
  propagate(expr, /*isEquality=*/true, ids);
  orient(expr, ids);
}

//===----------------------------------------------------------------------===//
// Consequences
//===----------------------------------------------------------------------===//

/// Derives bounds of each term of `expr >= 0` from those of the others: what
/// all terms can reach together, less the term itself.
void Facts::Impl::propagate(Expr expr, bool isEquality, const FactSet &ids) {
  TermList terms = getTerms(expr, context);
  if (terms.size() < 2 || terms.size() > maxPropagatedTerms)
    return;
  SmallVector<Interval, 8> ranges;
  // Sums of the finite ends; at most one end may be infinite.
  DynamicAPInt low(0), high(0);
  unsigned numInfiniteLow = 0, numInfiniteHigh = 0;
  for (const Term &term : terms) {
    Interval range = getKnownValues(term.monomial).set.getInterval() *
                     Interval::point(term.coefficient);
    range.getLower() ? (void)(low += *range.getLower())
                     : (void)++numInfiniteLow;
    range.getUpper() ? (void)(high += *range.getUpper())
                     : (void)++numInfiniteHigh;
    ranges.push_back(std::move(range));
  }
  for (size_t i = 0; i != terms.size() && propagationBudget != 0; ++i) {
    if (terms[i].monomial.isConstant() || contradictory)
      continue;
    // coefficient * monomial >= -(the others), or == -(the others).
    const Bound &lower = ranges[i].getLower(), &upper = ranges[i].getUpper();
    Bound newLower, newUpper;
    if (numInfiniteHigh == (upper ? 0 : 1))
      newLower = (upper ? *upper : DynamicAPInt(0)) - high;
    if (isEquality && numInfiniteLow == (lower ? 0 : 1))
      newUpper = (lower ? *lower : DynamicAPInt(0)) - low;
    bool isNews = (newLower && (!lower || *newLower > *lower)) ||
                  (newUpper && (!upper || *newUpper < *upper));
    if (!isNews)
      continue;
    FactSet reasons = ids;
    for (size_t j = 0; j != terms.size(); ++j)
      if (j != i)
        llvm::append_range(reasons, getKnownValues(terms[j].monomial).ids);
    llvm::sort(reasons);
    reasons.erase(llvm::unique(reasons), reasons.end());
    --propagationBudget;
    learn(context.scale(terms[i].coefficient, terms[i].monomial),
          Interval(newLower, newUpper), reasons);
  }
}

/// Bounds of a monomial changed: the facts that it is a term of may say more.
void Facts::Impl::propagateFrom(Expr monomial) {
  auto it = linearOfMonomial.find(monomial);
  if (it == linearOfMonomial.end())
    return;
  // The latest ones; long sums are left to the question that needs them.
  ArrayRef<unsigned> latest =
      ArrayRef<unsigned>(it->second).take_back(maxRevisitedFacts);
  SmallVector<unsigned, 4> positions(latest);
  for (unsigned position : positions) {
    if (propagationBudget == 0 || contradictory)
      return;
    if (linear[position].expr.getOperands().size() > maxRevisitedTerms)
      continue;
    LinearFact fact = linear[position];
    propagate(fact.expr, fact.isEquality, fact.ids);
  }
}

void Facts::Impl::learnCongruences(Expr expr, const FactSet &ids) {
  TermList terms = getTerms(expr, context);
  if (terms.size() < 2 || terms.size() > maxCongruenceTerms)
    return;
  for (size_t i = 0; i != terms.size(); ++i) {
    if (terms[i].monomial.isConstant())
      continue;
    Congruence rest = Congruence::point(DynamicAPInt(0));
    FactSet reasons = ids;
    for (size_t j = 0; j != terms.size(); ++j)
      if (j != i)
        rest = rest + valueSet(terms[j].monomial, reasons).getCongruence() *
                          Congruence::point(terms[j].coefficient);
    learn(context.scale(terms[i].coefficient, terms[i].monomial),
          {Interval(), -rest}, reasons);
  }
}

/// Solves expr == 0 for the last-born symbol, if it occurs in one term alone.
bool Facts::Impl::solveForLatest(Expr expr, const FactSet &ids) {
  Term solved;
  TermList rest;
  for (const Term &term : getTerms(expr, context)) {
    if (term.monomial.getLatestBirth() != expr.getLatestBirth()) {
      rest.push_back(term);
      continue;
    }
    if (solved.monomial || !term.monomial.isSymbol())
      return false;
    solved = term;
  }
  Expr others = makeSum(context, std::move(rest));
  if (solved.coefficient > 0)
    others = context.neg(others);
  Expr divisor = context.constant(abs(solved.coefficient));
  if (!divisor.isConstant(1))
    assumeZero(context.mod(others, divisor), ids);
  addReplacement(solved.monomial, context.floorDiv(others, divisor), ids);
  return true;
}

/// Turns expr == 0 into a replacement of what was born last.
void Facts::Impl::orient(Expr expr, const FactSet &ids) {
  if (expr.getLatestBirth() == 0 || solveForLatest(expr, ids))
    return;
  TermList terms = getTerms(expr, context);
  for (const Term &term : terms) {
    if (abs(term.coefficient) != 1 || term.monomial.isConstant() ||
        term.monomial.getNode()->zeroValued ||
        term.monomial.getLatestBirth() != expr.getLatestBirth())
      continue;
    Expr rest =
        context.sub(expr, context.scale(term.coefficient, term.monomial));
    if (rest.getLatestBirth() >= expr.getLatestBirth())
      continue;
    addReplacement(term.monomial,
                   term.coefficient > 0 ? context.neg(rest) : rest, ids);
    return;
  }
}

void Facts::Impl::addReplacement(Expr from, Expr to, const FactSet &ids) {
  if (replacements.count(from))
    return;
  setLogged(*this, replacements, from, Replacement{to, ids});
  auto it = known.find(from);
  if (it != known.end()) {
    Known value = it->second;
    learn(to, value.set, unionOf(value.ids, ids));
  }
  // Facts that mention it are stated again in other terms.
  auto &index = from.isSymbol() ? linearOfSymbol : linearOfMonomial;
  SmallVector<unsigned, 4> positions = index.lookup(from);
  for (unsigned position : positions) {
    LinearFact fact = linear[position];
    FactSet reasons = fact.ids;
    Expr restated = simplify(fact.expr, reasons);
    if (restated == fact.expr)
      continue;
    if (fact.isEquality)
      assumeZero(restated, reasons);
    else
      assumeNonNegative(restated, reasons);
  }
  positions = openOfSymbol.lookup(from);
  for (unsigned position : positions) {
    OpenFact fact = open[position];
    assume(fact.expr, fact.ids);
  }
}
