//===- UnmetPreconditions.cpp - Preconditions that nothing guarantees -----===//

#include "UnmetPreconditions.h"

#include "ElementChecks.h"
#include "tally/Analysis/ElementRanges.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Symbolic/Proof/Prover.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

/// The preconditions that do not follow, as far as this analysis sees it; the
/// first of them, unless it is to be `thorough`. That may take a proof more
/// work than it was to state less: there are more facts by now.
static SmallVector<Precondition> collectUnmet(FunctionOpInterface function,
                                              SymbolicShapes &shapes,
                                              bool thorough) {
  bool onlyFirst = !thorough;
  symbolic::ProverBudget budget;
  if (thorough)
    budget.maxWork *= 16;
  symbolic::Facts &facts = shapes.getFacts();
  ElementRanges ranges(shapes);
  symbolic::Prover prover(facts, budget);
  auto holds = [&](Expr condition) {
    symbolic::Answer answer = prover.prove(condition);
    return answer.isYes() || answer.verdict == symbolic::Verdict::Contradiction;
  };
  // Of the elements of a loop nest it may be easier to tell of all at once, and
  // that is what was stated before the nest.
  auto isMet = [&](const Precondition &precondition) {
    if (holds(precondition.condition))
      return true;
    Expr forAll = quantifyOverElements(precondition.op->getParentOp(),
                                       precondition.condition, shapes);
    return forAll && holds(forAll);
  };
  Preconditions preconditions(shapes);
  SmallVector<Precondition> unmet;
  auto isDone = [&] { return onlyFirst && !unmet.empty(); };
  ScopedFacts(shapes).walk(function, [&](Operation *op) {
    if (isDone())
      return false;
    preconditions.clear();
    shapes.collectPreconditions(op, preconditions);
    for (const Precondition &precondition : preconditions.getPreconditions()) {
      if (isDone() || isMet(precondition))
        continue;
      symbolic::Facts::Scope scope(facts);
      if (!ranges.addFacts(op, precondition.condition, facts) ||
          !isMet(precondition))
        unmet.push_back(precondition);
    }
    return true;
  });
  return unmet;
}

void tally::findUnmetPreconditions(
    FunctionOpInterface function,
    function_ref<void(SymbolicShapes &, ArrayRef<Precondition>)> use) {
  if (function.isExternal())
    return;
  for (bool thorough : {false, true}) {
    SymbolicShapes shapes(function, SymbolicShapesOptions::bound(thorough));
    SmallVector<Precondition> unmet = collectUnmet(function, shapes, thorough);
    if (unmet.empty())
      return;
    if (thorough)
      use(shapes, unmet);
  }
}

MetPreconditions::MetPreconditions(Operation *op) {
  op->walk([&](FunctionOpInterface function) {
    findUnmetPreconditions(
        function,
        [&](SymbolicShapes &, ArrayRef<Precondition>) { areMet = false; });
  });
}
