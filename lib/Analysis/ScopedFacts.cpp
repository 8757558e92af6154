//===- ScopedFacts.cpp - What is known at each operation ------------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "Loops.h"

#include "ShapesImpl.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::ExprContext;
using symbolic::Facts;
using symbolic::Provenance;

std::string tally::describePlace(Location loc) {
  auto position = loc->findInstanceOf<FileLineColLoc>();
  if (!position)
    return "";
  StringRef file = position.getFilename().getValue();
  file = file.drop_front(file.rfind('/') + 1);
  return (" at " + file + ":" + Twine(position.getLine())).str();
}

void ScopedFacts::walk(FunctionOpInterface function,
                       function_ref<bool(Operation *)> newVisit) {
  visit = newVisit;
  if (!function.isExternal())
    walkRegion(function.getFunctionBody());
}

/// A block sees the facts of the blocks that dominate it.
void ScopedFacts::walkRegion(Region &region) {
  if (region.empty())
    return;
  if (!region.hasOneBlock())
    return walkBlockTree(dominance.getRootNode(&region));
  Facts::Scope scope(shapes.getFacts());
  walkBlock(region.front());
}

void ScopedFacts::walkBlockTree(DominanceInfoNode *node) {
  Facts::Scope scope(shapes.getFacts());
  walkBlock(*node->getBlock());
  for (DominanceInfoNode *child : *node)
    walkBlockTree(child);
}

void ScopedFacts::walkBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!visit(&op))
      continue;
    walkSubregions(&op);
    establish(&op);
  }
}

//===----------------------------------------------------------------------===//
// Facts within regions
//===----------------------------------------------------------------------===//

/// In the body of a loop each induction variable is between its bounds.
void ScopedFacts::addLoopBounds(Operation *op) {
  if (tally::detail::comparesUnsigned(op))
    return;
  ExprContext &context = shapes.getContext();
  Facts &facts = shapes.getFacts();
  for (auto [variable, low, high, step] :
       tally::detail::getInductionVariables(op, shapes)) {
    if (!facts.range(shapes.getValue(step)).isAtLeast(1))
      continue;
    Expr index = shapes.getValue(variable);
    facts.add(context.ge(index, low.getExpr(shapes)), Provenance::Proven,
              "the bounds of a loop");
    facts.add(context.lt(index, high.getExpr(shapes)), Provenance::Proven,
              "the bounds of a loop");
  }
}

/// Returns true if there is nothing in a region that a fact about sizes is for.
static bool onlyHasFloats(Region &region) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return llvm::all_of(region.getOps(), [&](Operation &op) {
    return op.getNumRegions() == 0 && !op.hasAttr(attr_names::kUnchecked) &&
           llvm::all_of(op.getOperandTypes(), isFloat) &&
           llvm::all_of(op.getResultTypes(), isFloat);
  });
}

/// In the body of a structured operation each loop has an iteration, and its
/// index is that of one.
void ScopedFacts::addElementIndices(Operation *op) {
  if (llvm::all_of(op->getRegions(), onlyHasFloats))
    return;
  std::optional<SymbolicShapes::ElementSpace> space =
      shapes.getElementSpace(op);
  if (!space)
    return;
  ExprContext &context = shapes.getContext();
  Facts &facts = shapes.getFacts();
  auto add = [&](Expr fact) {
    if (!fact.isTrue())
      facts.add(fact, Provenance::Proven, "the loops of the operation");
  };
  for (Expr size : space->sizes)
    add(context.le(context.one(), size));
  for (auto [index, loop] : space->indices) {
    add(context.le(context.zero(), index));
    add(context.lt(index, space->sizes[loop]));
  }
}

void ScopedFacts::walkSubregions(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    return;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Facts::Scope scope(shapes.getFacts());
    if (Expr condition = shapes.getRegionCondition(region))
      shapes.getFacts().add(condition, Provenance::Checked,
                            "the branch that is taken");
    shapes.establishArguments(region);
    addLoopBounds(op);
    addElementIndices(op);
    walkRegion(region);
  }
}

//===----------------------------------------------------------------------===//
// Facts behind operations
//===----------------------------------------------------------------------===//

/// The declaration of a symbol has been checked before it, or is assumed.
void ScopedFacts::establishDeclaration(SymbolOp symbol) {
  Facts &facts = shapes.getFacts();
  ExprContext &context = shapes.getContext();
  Expr expr = shapes.getValue(symbol.getResult());
  if (!expr.isInt())
    return;
  auto add = [&](Expr fact) {
    facts.add(fact, Provenance::Checked,
              ("the declaration of " + symbol.getName()).str());
  };
  if (symbol.getLower())
    add(context.ge(expr, context.constant(*symbol.getLower())));
  if (symbol.getUpper())
    add(context.le(expr, context.constant(*symbol.getUpper())));
  if (symbol.getDivisor() != 1)
    add(context.eq(context.mod(expr, context.constant(symbol.getDivisor())),
                   context.zero()));
}

void ScopedFacts::establish(Operation *op) {
  shapes.establishResults(op);
  if (auto facts = behind.find(op); facts != behind.end())
    for (const auto &[fact, source] : facts->second)
      shapes.getFacts().add(fact, Provenance::Checked, source);
  if (auto symbol = dyn_cast<SymbolOp>(op))
    return establishDeclaration(symbol);
  if (!op->hasTrait<StatesCondition>())
    return;
  Expr condition = shapes.getCondition(op);
  if (!condition)
    return;
  bool isAssumed = isa<AssumeOp>(op);
  shapes.getFacts().add(
      condition, isAssumed ? Provenance::Assumed : Provenance::Checked,
      (isAssumed ? "assumed" : "asserted") + describePlace(op->getLoc()));
}
