//===- Facts.cpp - Stating facts ------------------------------------------===//
//
// Takes a fact apart into what questions can use: value sets of shapes, linear
// facts, oriented replacements, open facts. Everything that is written down is
// logged, so that the end of a scope takes it back.
//
//===----------------------------------------------------------------------===//

#include "FactsImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// Bounds that one new fact may change.
static constexpr unsigned maxPropagations = 48;
/// Facts about a symbol that are stated again when something is learnt of it.
static constexpr size_t maxRestated = 8;

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

/// The shape of a sum.
static Expr makeShape(Expr sum, ExprContext &context) {
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

ShapeSplit tally::symbolic::splitShape(Expr expr, ExprContext &context) {
  if (expr.isConstant())
    return {context.zero(), DynamicAPInt(0), expr.getConstant()};
  if (expr.getKind() != ExprKind::Add) {
    TermView term = viewTerm(expr);
    if (term.monomial.getNode()->zeroValued)
      return {expr, DynamicAPInt(1), DynamicAPInt(0)};
    return {term.monomial, *term.coefficient, DynamicAPInt(0)};
  }
  const detail::ExprNode *&cached = expr.getNode()->shape;
  if (!cached)
    cached = makeShape(expr, context).getNode();
  Expr shape(cached);
  const DynamicAPInt &lead = *viewTerm(expr.getOperand(0)).coefficient;
  const DynamicAPInt &unit =
      *viewTerm(getTermOperands(shape).front()).coefficient;
  return {shape, unit == 1 ? lead : lead / unit, getConstantTerm(expr)};
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Facts::Facts(ExprContext &context)
    : context(context), impl(std::make_unique<Impl>(context)) {}
Facts::~Facts() = default;

void Facts::push() {
  impl->marks.push_back({impl->facts.size(), impl->undo.size(), impl->version});
}

void Facts::pop() {
  assert(!impl->marks.empty() && "pop without push");
  Impl::Mark mark = impl->marks.pop_back_val();
  while (impl->undo.size() > mark.numUndo) {
    impl->undo.back()();
    impl->undo.pop_back();
  }
  impl->witness.forgetFrom(mark.numFacts);
  impl->facts.truncate(mark.numFacts);
  impl->version = mark.version;
}

unsigned Facts::getDepth() const { return impl->marks.size(); }

/// The range of a symbol as a condition.
static Expr stateRange(Expr symbol, const Interval &range,
                       ExprContext &context) {
  if (range.isEmpty())
    return context.falseExpr();
  SmallVector<Expr, 2> parts;
  if (range.getLower())
    parts.push_back(context.ge(symbol, context.constant(*range.getLower())));
  if (range.getUpper())
    parts.push_back(context.le(symbol, context.constant(*range.getUpper())));
  if (parts.size() < 2 || parts[0].getKind() != ExprKind::Le ||
      parts[1].getKind() != ExprKind::Le)
    return context.logicalAnd(parts);
  // They do not exclude each other, which `logicalAnd` would look for.
  if (compare(parts[0], parts[1]) > 0)
    std::swap(parts[0], parts[1]);
  return makeNode(context, ExprKind::And, SymbolType::Bool, parts);
}

FactId Facts::setRange(Expr symbol, const Interval &range,
                       Provenance provenance, StringRef source) {
  FactId id = impl->facts.size();
  Expr stated = stateRange(symbol, range, context);
  impl->facts.push_back({stated, provenance, source.str()});
  impl->startVersion();
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
  impl->startVersion();
  impl->propagationBudget = maxPropagations;
  FactSet ids{id};
  impl->assumeDefined(fact, ids);
  impl->assume(fact, ids);
  impl->restateFactsAbout(fact);
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
      if (used)
        mergeFacts(*used, ids.getBelow(temporary));
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

void Facts::Impl::addTruth(Expr expr, const FactSet &ids) {
  if (truths.count(expr))
    return;
  setLogged(*this, truths, expr, ids);
}

/// Remembers under each key that the list of facts holds `index`.
template <typename Keys>
static void addToIndex(Facts::Impl &impl, FactIndex &index, const Keys &keys,
                       unsigned position) {
  for (Expr key : keys) {
    index.push(key, position);
    impl.record([&index, key] { index.pop(key); });
  }
}

void Facts::Impl::addLinear(Expr expr, bool isEquality, const FactSet &ids) {
  unsigned position = linear.size();
  linear.push_back({expr, isEquality, ids});
  record([this] { linear.pop_back(); });
  SmallVector<Expr, 8> monomials;
  for (Expr operand : getTermOperands(expr))
    if (Expr monomial = viewTerm(operand).monomial)
      monomials.push_back(monomial);
  addToIndex(*this, linearOfMonomial, monomials, position);
  if (isLinear(expr)) // The monomials are the symbols.
    return;
  SmallVector<Expr, 4> symbols = context.freeSymbols(expr);
  SmallVector<Expr, 4> inner(symbols);
  llvm::erase_if(inner, [&](Expr symbol) {
    return llvm::is_contained(monomials, symbol);
  });
  addToIndex(*this, linearAround, inner, position);
  if (expr.getNode()->foldable) {
    addToIndex(*this, foldableOfSymbol, symbols, position);
    ++numFoldable;
    record([this] { --numFoldable; });
  }
}

void Facts::Impl::addOpen(Expr expr, const FactSet &ids) {
  addTruth(expr, ids);
  unsigned position = open.size();
  open.push_back({expr, ids});
  record([this] { open.pop_back(); });
  addToIndex(*this, openOfSymbol, context.freeSymbols(expr), position);
}

/// An open fact is known to be true: what can get simpler is its operands.
Expr Facts::Impl::restateOpen(Expr fact, FactSet &ids) {
  SmallVector<Expr, 4> operands;
  for (Expr operand : fact.getOperands())
    operands.push_back(simplify(operand, ids));
  return context.rebuild(fact, operands);
}

/// States the latest facts about the symbols of a new fact again, where it
/// makes them simpler.
void Facts::Impl::restateFactsAbout(Expr fact) {
  if (numFoldable == 0 && open.empty())
    return;
  for (Expr symbol : context.freeSymbols(fact)) {
    SmallVector<unsigned, 4> positions(foldableOfSymbol.lookup(symbol));
    for (unsigned position :
         ArrayRef<unsigned>(positions).take_back(maxRestated)) {
      LinearFact known = linear[position];
      Expr restated = simplify(known.expr, known.ids);
      if (contradictory || restated == linear[position].expr)
        continue;
      if (known.isEquality)
        assumeZero(restated, known.ids);
      else
        assumeNonNegative(restated, known.ids);
    }
    positions = SmallVector<unsigned, 4>(openOfSymbol.lookup(symbol));
    for (unsigned position :
         ArrayRef<unsigned>(positions).take_back(maxRestated)) {
      OpenFact known = open[position];
      Expr restated = restateOpen(known.expr, known.ids);
      if (!contradictory && restated != known.expr)
        assume(restated, known.ids);
    }
  }
}
