//===- UnmetDemands.cpp - Demands that nothing guarantees -----------------===//

#include "UnmetDemands.h"

#include "tally/Analysis/ElementRanges.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Symbolic/Prover.h"

using namespace mlir;
using namespace tally;

/// What does not follow, as far as this analysis sees it.
static SmallVector<Demand> collectUnmet(FunctionOpInterface function,
                                        SymbolicShapes &shapes) {
  symbolic::Facts &facts = shapes.getFacts();
  ElementRanges ranges(shapes);
  symbolic::Prover prover(facts);
  auto isMet = [&](const Demand &demand) {
    symbolic::Answer answer = prover.prove(demand.condition);
    return answer.isYes() || answer.verdict == symbolic::Verdict::Contradiction;
  };
  Demands demands(shapes);
  SmallVector<Demand> unmet;
  ScopedFacts(shapes).walk(function, [&](Operation *op) {
    demands.clear();
    shapes.collectDemands(op, demands);
    for (const Demand &demand : demands.getDemands()) {
      if (isMet(demand))
        continue;
      symbolic::Facts::Scope scope(facts);
      if (!ranges.addFacts(op, demand.condition, facts) || !isMet(demand))
        unmet.push_back(demand);
    }
    return true;
  });
  return unmet;
}

void tally::findUnmetDemands(
    FunctionOpInterface function,
    function_ref<void(SymbolicShapes &, ArrayRef<Demand>)> use) {
  if (function.isExternal())
    return;
  for (bool thorough : {false, true}) {
    SymbolicShapesOptions options;
    options.form = SymbolicShapesOptions::Form::Bound;
    options.thorough = thorough;
    SymbolicShapes shapes(function, options);
    SmallVector<Demand> unmet = collectUnmet(function, shapes);
    if (unmet.empty())
      return;
    if (thorough)
      use(shapes, unmet);
  }
}

MetDemands::MetDemands(Operation *op) {
  op->walk([&](FunctionOpInterface function) {
    findUnmetDemands(
        function, [&](SymbolicShapes &, ArrayRef<Demand>) { areMet = false; });
  });
}
