//===- Facts.cpp - Stating facts ------------------------------------------===//
//
// The interface of facts: scopes, statements, and the questions that the
// analyses behind it answer.
//
//===----------------------------------------------------------------------===//

#include "FactsImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

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

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Facts::Facts(ExprContext &context)
    : context(context), impl(std::make_unique<Impl>(context)) {}
Facts::~Facts() = default;

void Facts::push() {
  impl->marks.push_back({impl->facts.size(), impl->version});
  impl->tables.push();
}

void Facts::pop() {
  assert(!impl->marks.empty() && "pop without push");
  Impl::Mark mark = impl->marks.pop_back_val();
  impl->tables.pop();
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
  impl->deduction.start();
  Expr value = impl->tables.replacements.empty() ? symbol : simplify(symbol);
  if (value != symbol)
    impl->deduction.learn(symbol, range, {id});
  impl->deduction.learn(value, range, {id});
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
  FactSet ids{id};
  impl->deduction.start();
  impl->deduction.assumeDefined(fact, ids);
  impl->deduction.assume(fact, ids);
  impl->deduction.restateFactsAbout(fact);
  return id;
}

const Fact &Facts::getFact(FactId id) const { return impl->facts[id]; }
size_t Facts::getNumFacts() const { return impl->facts.size(); }
bool Facts::isContradictory() const { return impl->tables.contradictory; }
FactSet Facts::getContradiction() const { return impl->tables.contradiction; }

Expr Facts::simplify(Expr expr, FactSet *used) {
  FactSet ids;
  Expr result = impl->simplifier.simplify(expr, ids);
  if (used)
    mergeFacts(*used, ids);
  return result;
}

ValueSet Facts::valueSet(Expr expr, FactSet *used) {
  FactSet ids;
  Expr simple = impl->simplifier.simplify(expr, ids);
  ValueSet set = impl->values.valueSet(simple, ids);
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
  if (!impl->simplifier.isNodeDefined(expr, ids))
    return false;
  if (used)
    mergeFacts(*used, ids);
  return true;
}

ArrayRef<Facts::LinearFact> Facts::getLinearFacts() const {
  return impl->tables.linear;
}
ArrayRef<Facts::OpenFact> Facts::getOpenFacts() const {
  return impl->tables.open;
}
