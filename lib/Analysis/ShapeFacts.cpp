//===- ShapeFacts.cpp - The facts of a SymbolicShapes ---------------------===//

#include "ShapeFacts.h"

using namespace tally;
using symbolic::Expr;
using symbolic::Provenance;

void ShapeFacts::addRange(Expr symbol, const symbolic::Interval &range) {
  proven.setRange(symbol, range, Provenance::Proven);
  if (declared)
    translateWith({symbol, range, ""});
}

void ShapeFacts::add(Expr fact, llvm::StringRef source) {
  if (fact.isTrue())
    return;
  proven.add(fact, Provenance::Proven, source);
  if (declared)
    translateWith({fact, std::nullopt, source.str()});
}

void ShapeFacts::copyRange(Expr symbol, Expr value) {
  if (declared && statementScopes != 0)
    declared->setRange(symbol, declared->range(value), Provenance::Proven);
}

void ShapeFacts::translateWith(const LastingFact &fact) {
  if (fact.range)
    declared->setRange(fact.expr, *fact.range, Provenance::Proven);
  else
    declared->add(fact.expr, Provenance::Proven, fact.source);
  if (statementScopes != 0)
    lastingFacts.push_back(fact);
}

ShapeFacts::StatementScope::StatementScope(ShapeFacts &facts)
    : facts(facts), firstLasting(facts.lastingFacts.size()) {
  if (!facts.declared)
    return;
  scope.emplace(*facts.declared);
  ++facts.statementScopes;
}

ShapeFacts::StatementScope::~StatementScope() {
  if (!scope)
    return;
  scope.reset();
  --facts.statementScopes;
  llvm::SmallVector<LastingFact, 0> lasting(
      std::make_move_iterator(facts.lastingFacts.begin() + firstLasting),
      std::make_move_iterator(facts.lastingFacts.end()));
  facts.lastingFacts.truncate(firstLasting);
  for (const LastingFact &fact : lasting)
    facts.translateWith(fact);
}

void ShapeFacts::StatementScope::add(Expr condition) {
  if (scope)
    facts.declared->add(condition);
}
