//===- Joins.cpp - What comes out of branches and loops -------------------===//

#include "Joins.h"
#include "Loops.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/Analysis/RegionFlow.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;

//===----------------------------------------------------------------------===//
// Which region runs
//===----------------------------------------------------------------------===//

/// The condition for a loop that counts upwards to run: its bounds are apart.
/// (It holds whatever the step is.)
static Expr getIterationCondition(LoopLikeOpInterface loop,
                                  SymbolicShapes &shapes) {
  auto variables = tally::detail::getInductionVariables(loop, shapes);
  if (variables.empty() || tally::detail::comparesUnsigned(loop))
    return {};
  symbolic::ExprContext &context = shapes.getContext();
  SmallVector<Expr> parts;
  for (const tally::detail::InductionVariable &variable : variables)
    parts.push_back(context.lt(variable.lower.getExpr(shapes),
                               variable.upper.getExpr(shapes)));
  return context.logicalAnd(parts);
}

/// Returns true if another region, or another one's end, may lead to the
/// region.
static bool isReachedFromInside(RegionBranchOpInterface branch,
                                Region &region) {
  for (Region &other : branch->getRegions()) {
    SmallVector<RegionSuccessor> successors;
    if (&other == &region)
      continue;
    branch.getSuccessorRegions(other, successors);
    if (llvm::any_of(successors, [&](const RegionSuccessor &successor) {
          return successor.getSuccessor() == &region;
        }))
      return true;
  }
  return false;
}

/// The condition under which a region is entered, if it is a boolean operand.
static Expr getEntryCondition(RegionBranchOpInterface branch, Region &region,
                              SymbolicShapes &shapes) {
  SmallVector<Attribute> unknown(branch->getNumOperands());
  SmallVector<Region *> entries = getEntryRegions(branch, unknown);
  if (entries.size() == 1 && entries.front() == &region)
    return shapes.getContext().trueExpr();
  if (isReachedFromInside(branch, region))
    return {};
  auto [condition, holds] = getEntryDecision(branch, region);
  if (!condition)
    return {};
  Expr value = shapes.getValue(condition);
  return holds ? value : shapes.getContext().logicalNot(value);
}

Expr SymbolicShapes::getRegionCondition(Region &region) {
  Operation *op = region.getParentOp();
  if (auto model = dyn_cast<SymbolicShapeOpInterface>(op))
    if (Expr condition =
            model.getRegionCondition(region.getRegionNumber(), *this))
      return condition;
  // Upstream says of some loops with bounds that they always run.
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op);
      loop && loop.getLoopInductionVars())
    return getIterationCondition(loop, *this);
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return getEntryCondition(branch, region, *this);
  return {};
}

//===----------------------------------------------------------------------===//
// Where values come from
//===----------------------------------------------------------------------===//

/// The value, or the size, of which a key is for another value.
static Expr getExpr(SymbolicShapes &shapes, Value value, int dim) {
  return dim < 0 ? shapes.getValue(value) : shapes.getDim(value, dim);
}

/// Alternatives that are listed at most.
static constexpr size_t kMaxLeaves = 8;

/// Adds what an expression may be in terms of what exists outside of `op`:
/// follows what comes out of branches and around loops inside. False if it may
/// be something else. Nothing outside changes from one iteration to the next,
/// so it does not matter in which of them the value was made.
bool Joins::addLeaves(Expr expr, Operation *op, llvm::DenseSet<Expr> &seen,
                      SmallVectorImpl<Expr> &leaves) {
  if (!symbols.isDefinedInside(expr, op)) {
    if (!llvm::is_contained(leaves, expr))
      leaves.push_back(expr);
    return leaves.size() <= kMaxLeaves;
  }
  if (expr.getKind() == symbolic::ExprKind::Select)
    return addLeaves(expr.getOperand(1), op, seen, leaves) &&
           addLeaves(expr.getOperand(2), op, seen, leaves);
  std::optional<ShapeKey> origin = symbols.getOrigin(expr);
  if (!origin)
    return false;
  if (!seen.insert(expr).second)
    return true;
  auto [value, dim] = *origin;
  Operation *maker = value.getDefiningOp();
  if (!maker)
    maker = value.getParentBlock()->getParentOp();
  if (!op->isAncestor(maker) || maker->getNumRegions() == 0)
    return false;
  SmallVector<Value> sources = getPredecessorValues(maker, value);
  return !sources.empty() && llvm::all_of(sources, [&, dim = dim](Value from) {
    Expr source = getExpr(shapes, from, dim);
    return source.getType() == expr.getType() &&
           addLeaves(source, op, seen, leaves);
  });
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// That a symbol is one of several values. Where one of them has no value
/// nothing is said.
Expr Joins::isOneOf(Expr symbol, ArrayRef<Expr> leaves) {
  SmallVector<Expr> cases;
  for (Expr leaf : leaves) {
    if (!leaf.isTotal())
      return {};
    cases.push_back(context.eq(symbol, leaf));
  }
  return context.logicalOr(cases);
}

/// A result that each region of `op` makes, in terms of values outside; null if
/// some region does not say.
Expr Joins::selectRegion(Operation *op, ArrayRef<Expr> exprs) {
  if (exprs.size() != op->getNumRegions())
    return {};
  auto isOutside = [&](Expr expr) {
    return expr && !symbols.isDefinedInside(expr, op);
  };
  // Results of branches inside are what they were seen to be.
  symbolic::Substitution map;
  for (Expr expr : exprs)
    for (Expr symbol : context.freeSymbols(expr))
      if (Expr definition = definitions.lookup(symbol);
          definition && !isOutside(symbol))
        map[symbol] = definition;
  Expr result;
  for (auto [region, expr] :
       llvm::reverse(llvm::zip_equal(op->getRegions(), exprs))) {
    Expr value = map.empty() ? expr : context.substitute(expr, map);
    Expr condition = shapes.getRegionCondition(region);
    if (!isOutside(value) || !isOutside(condition))
      return {};
    result = result ? context.select(condition, value, result) : value;
  }
  return result;
}

/// A symbol is what one of the alternatives is. It is so behind the operation
/// only: that a size is not negative says nothing within the branch that makes
/// it.
void Joins::addAlternatives(Operation *op, Expr symbol, ArrayRef<Expr> exprs) {
  if (Expr value = selectRegion(op, exprs)) {
    definitions[symbol] = value;
    alternativesOf[op].push_back(context.eq(symbol, value));
    return;
  }
  llvm::DenseSet<Expr> seen;
  SmallVector<Expr> leaves;
  for (Expr expr : exprs)
    if (expr.getType() != symbol.getType() ||
        !addLeaves(expr, op, seen, leaves))
      return;
  if (Expr fact = isOneOf(symbol, leaves))
    alternativesOf[op].push_back(fact);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The common value of the expressions, in terms of values outside of `op`;
/// null if they are not known to be the same.
Expr Joins::findCommon(Operation *op, ArrayRef<Expr> exprs) {
  if (llvm::all_equal(exprs))
    return symbols.isDefinedInside(exprs.front(), op) ? Expr() : exprs.front();
  const Expr *outside = llvm::find_if(
      exprs, [&](Expr expr) { return !symbols.isDefinedInside(expr, op); });
  if (outside == exprs.end())
    return {};
  Expr first = facts.getTranslation().simplify(*outside);
  return llvm::all_of(exprs,
                      [&](Expr expr) {
                        return expr == *outside ||
                               facts.getTranslation().simplify(expr) == first;
                      })
             ? *outside
             : Expr();
}

/// A result of which the alternatives agree is what they are; of the others the
/// range is known, and that it is one of them.
Expr Joins::joinExprs(Operation *op, ArrayRef<Expr> exprs, Expr symbol,
                      bool isCertain) {
  if (Expr common = findCommon(op, exprs))
    return common;
  if (!symbol.isInt() || !isCertain)
    return symbol;
  Interval range = facts.getProven().range(exprs.front());
  for (Expr expr : exprs.drop_front())
    range = range.unite(facts.getProven().range(expr));
  if (!range.isEmpty())
    facts.addRange(symbol, range);
  addAlternatives(op, symbol, exprs);
  return symbol;
}

void Joins::join(Operation *op, OpResult result, bool isCertain) {
  SmallVector<Value> alternatives = getPredecessorValues(op, result);
  if (alternatives.empty())
    return;
  if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
    for (int dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Expr name = shapes.getBoundSize(result, dim);
      auto exprs = llvm::map_to_vector(
          alternatives, [&](Value value) { return shapes.getDim(value, dim); });
      shapes.setDim(result, dim,
                    joinExprs(op, exprs,
                              name ? name : symbols.get({result, dim}),
                              isCertain));
    }
  } else if (result.getType().isIntOrIndexOrFloat()) {
    auto exprs = llvm::map_to_vector(
        alternatives, [&](Value value) { return shapes.getValue(value); });
    Expr symbol = symbols.get({result, -1});
    if (Expr joined = joinExprs(op, exprs, symbol, isCertain); joined != symbol)
      shapes.setValue(result, joined);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A carried value is the one before the loop or that of some iteration: a fact
/// where there are but a few such values, all from outside.
void Joins::joinCarried(Operation *loop, Value value,
                        SmallVectorImpl<Expr> &into) {
  auto add = [&](int dim) {
    Expr symbol = getExpr(shapes, value, dim);
    if (!symbol.isInt() || symbols.getOrigin(symbol) != ShapeKey(value, dim))
      return;
    llvm::DenseSet<Expr> seen{symbol};
    SmallVector<Expr> leaves;
    SmallVector<Value> sources = getPredecessorValues(loop, value);
    for (Value source : sources)
      if (!addLeaves(getExpr(shapes, source, dim), loop, seen, leaves))
        return;
    if (leaves.empty())
      return;
    if (Expr fact = isOneOf(symbol, leaves))
      into.push_back(fact);
  };
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int dim = 0; type && dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      add(dim);
  if (value.getType().isIntOrIndex())
    add(-1);
}

/// The condition under which a loop goes on to a region, in terms of what the
/// region gets: a `while` hands it the values that its condition is about.
void Joins::addEntryCondition(Operation *loop, Region &region) {
  symbolic::Substitution handed;
  BranchDecision decision;
  for (Value argument : region.getArguments()) {
    SmallVector<RegionPredecessor> sources = getPredecessors(loop, argument);
    if (sources.size() != 1 || !sources.front().decision.condition)
      return;
    decision = sources.front().decision;
    if (!argument.getType().isIntOrIndex())
      continue;
    Expr from = shapes.getValue(sources.front().value),
         to = shapes.getValue(argument);
    if (from.getKind() == symbolic::ExprKind::Symbol && from.isInt() &&
        from.getType() == to.getType())
      handed.try_emplace(from, to);
  }
  if (!decision.condition)
    return;
  Expr condition = shapes.getValue(decision.condition);
  for (Expr symbol : context.freeSymbols(condition))
    if (!handed.contains(symbol) && symbols.isDefinedInside(symbol, loop))
      return;
  condition = context.substitute(condition, handed);
  alternativesInside[&region].push_back(
      decision.holds ? condition : context.logicalNot(condition));
}

void Joins::joinLoop(Operation *loop) {
  for (Value result : loop->getResults())
    joinCarried(loop, result, alternativesOf[loop]);
  for (Region &region : loop->getRegions()) {
    for (Value argument : region.getArguments())
      joinCarried(loop, argument, alternativesInside[&region]);
    addEntryCondition(loop, region);
  }
}

void Joins::forget(Operation *op) {
  alternativesOf.erase(op);
  agreements.erase(op);
  for (Region &region : op->getRegions())
    alternativesInside.erase(&region);
}

void Joins::establish(Operation *op, symbolic::Facts &into) const {
  for (Expr fact : alternativesOf.lookup(op))
    into.add(fact, symbolic::Provenance::Proven, "the branch that was taken");
  for (Expr fact : agreements.lookup(op))
    into.add(fact, symbolic::Provenance::Proven,
             "arithmetic that does not wrap around");
}

void Joins::establish(Region &region, symbolic::Facts &into) const {
  for (Expr fact : alternativesInside.lookup(&region))
    into.add(fact, symbolic::Provenance::Proven, "what the loop carries");
}
