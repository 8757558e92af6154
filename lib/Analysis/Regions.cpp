//===- Regions.cpp - Loops, branches and other operations with regions ----===//

#include "Loops.h"
#include "ShapesImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tally;
using symbolic::DynamicAPInt;
using symbolic::Expr;
using symbolic::Interval;

//===----------------------------------------------------------------------===//
// Values that leave a region
//===----------------------------------------------------------------------===//

void ShapeWalk::copyOutOf(Operation *op, Value from, Value to) {
  if (ShapedType type = getRankedType(to); type && getRankedType(from)) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (Expr size = shapes.getDim(from, dim);
          !symbols.isDefinedInside(size, op))
        shapes.setDim(to, dim, size);
  } else if (to.getType().isIntOrIndexOrFloat()) {
    if (Expr value = shapes.getValue(from); !symbols.isDefinedInside(value, op))
      shapes.setValue(to, value);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool ShapeWalk::isInvariant(Operation *loop, const LoopCarry &carry,
                            unsigned dim) {
  Expr yielded = shapes.getDim(carry.yielded, dim);
  Expr init = shapes.getDim(carry.init, dim);
  return yielded == init || facts.getTranslation().simplify(yielded) ==
                                facts.getTranslation().simplify(init);
}

/// Walks a loop under the assumption that carried sizes stay what they are at
/// first; where an iteration breaks it, the size is a symbol of its own and the
/// walk is repeated. Facts are taken in only when the assumption has been
/// confirmed, by a last walk.
void ShapeWalk::visitLoop(Operation *op, ArrayRef<LoopCarry> carries,
                          function_ref<void()> walk) {
  auto seed = [&] {
    auto &changing = varying[op];
    for (auto [index, carry] : llvm::enumerate(carries)) {
      sizes.forget(carry.argument);
      ShapedType type = getRankedType(carry.argument);
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
        if (!changing.contains({index, static_cast<unsigned>(dim)}))
          shapes.setDim(carry.argument, dim, shapes.getDim(carry.init, dim));
      if (!type &&
          (carry.yielded == carry.argument || carry.yielded == carry.init))
        shapes.setValue(carry.argument, shapes.getValue(carry.init));
    }
  };
  auto findChanges = [&] {
    SmallVector<std::pair<unsigned, unsigned>> found;
    for (auto [index, carry] : llvm::enumerate(carries)) {
      auto type = dyn_cast<RankedTensorType>(carry.argument.getType());
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
        std::pair<unsigned, unsigned> key(index, dim);
        if (type.isDynamicDim(dim) && !varying[op].contains(key) &&
            !isInvariant(op, carry, dim))
          found.push_back(key);
      }
    }
    return found;
  };
  bool speculates = llvm::any_of(carries, [](const LoopCarry &carry) {
    auto type = dyn_cast<RankedTensorType>(carry.argument.getType());
    return type && !type.hasStaticShape() && carry.yielded != carry.argument;
  });
  if (speculates && !isConfirmed) {
    for (bool changed = true; changed;) {
      ++speculating;
      seed();
      walk();
      --speculating;
      auto found = findChanges();
      varying[op].insert(found.begin(), found.end());
      changed = !found.empty();
    }
    if (speculating != 0)
      return;
    isConfirmed = true;
    seed();
    walk();
    isConfirmed = false;
    return;
  }
  seed();
  walk();
}

void ShapeWalk::setLoopResult(Operation *loop, Value result,
                              const LoopCarry &carry) {
  ShapedType type = getRankedType(result);
  if (!type || !getRankedType(carry.argument)) {
    if (carry.yielded == carry.argument || carry.yielded == carry.init)
      shapes.setValue(result, shapes.getValue(carry.init));
    return;
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (Expr size = shapes.getDim(carry.argument, dim);
        size == shapes.getDim(carry.init, dim))
      shapes.setDim(result, dim, size);
}

/// The variable runs from `lower` up to, not including, `upper`.
void ShapeWalk::setInductionRange(Value variable, Expr lower, Expr upper) {
  if (speculating != 0)
    return;
  Expr symbol = symbols.get({variable, -1});
  if (!symbol.isInt() || !lower.isInt() || !upper.isInt())
    return;
  auto apply = [&](symbolic::Facts &into) {
    symbolic::Bound high = into.range(upper).getUpper();
    if (high)
      *high -= DynamicAPInt(1);
    Interval range(into.range(lower).getLower(), high);
    if (!range.intersect(into.range(symbol)).isEmpty())
      into.setRange(symbol, range, symbolic::Provenance::Proven);
  };
  apply(facts.getProven());
  if (symbolic::Facts *declared = facts.getDeclared())
    apply(*declared);
}

/// The variables of a loop with their bounds, as far as they are known; calls
/// `use(variable, lower, upper)`.
static void
forEachInductionVariable(SymbolicShapes &shapes, Operation *op,
                         function_ref<void(Value, Expr, Expr)> use) {
  if (tally::detail::comparesUnsigned(op))
    return;
  for (auto [variable, lower, upper, step] :
       tally::detail::getInductionVariables(op, shapes)) {
    // With another step the variable may run away downwards.
    bool isUpwards =
        shapes.getFacts().range(shapes.getValue(step)).isAtLeast(1);
    if (isUpwards && variable.getType().isIntOrIndex() &&
        !variable.getType().isInteger(1))
      use(variable, lower.getExpr(shapes), upper.getExpr(shapes));
  }
}

void ShapeWalk::visitCarryingLoop(Operation *op) {
  SmallVector<LoopCarry> carries = getLoopCarries(op);
  visitLoop(op, carries, [&] {
    forEachInductionVariable(shapes, op,
                             [&](Value variable, Expr lower, Expr upper) {
                               setInductionRange(variable, lower, upper);
                             });
    visitAlternatives(op);
  });
  if (carries.size() == op->getNumResults())
    for (auto [result, carry] : llvm::zip(op->getResults(), carries))
      setLoopResult(op, result, carry);
  if (!isSpeculating())
    joins.joinLoop(op);
}

/// A loop of which RegionBranchOpInterface alone tells how values go round. An
/// argument that comes from one place is handed on.
void ShapeWalk::visitBranchLoop(Operation *op) {
  SmallVector<LoopCarry> carries = getLoopCarries(op);
  llvm::DenseMap<Value, Value> handedOn;
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (SmallVector<Value> sources = getPredecessorValues(op, argument);
          sources.size() == 1)
        handedOn[argument] = sources.front();
  visitLoop(op, carries, [&] {
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments())
        if (Value from = handedOn.lookup(argument)) {
          sizes.forget(argument);
          copyOutOf(op, from, argument);
        }
      visitWhereItRuns(region);
    }
  });
  for (OpResult result : op->getResults()) {
    SmallVector<Value> sources = getPredecessorValues(op, result);
    if (sources.size() == 1)
      copyOutOf(op, sources.front(), result);
    for (const LoopCarry &carry : carries)
      if (sources == SmallVector<Value>{carry.init, carry.yielded}) {
        setLoopResult(op, result, carry);
        break;
      }
  }
  if (!isSpeculating())
    joins.joinLoop(op);
}

void ShapeWalk::visitParallel(Operation *op) {
  auto loop = cast<LoopLikeOpInterface>(op);
  auto outputs = loop.getInits();
  auto arguments = loop.getRegionIterArgs();
  bool areTied = outputs.size() == arguments.size() &&
                 outputs.size() == op->getNumResults();
  if (areTied)
    for (auto [output, argument] : llvm::zip_equal(outputs, arguments))
      copyShape(output, argument);
  forEachInductionVariable(shapes, op,
                           [&](Value variable, Expr lower, Expr upper) {
                             setInductionRange(variable, lower, upper);
                           });
  visitAlternatives(op);
  if (areTied)
    for (auto [output, result] : llvm::zip_equal(outputs, op->getResults()))
      copyShape(output, result);
}

//===----------------------------------------------------------------------===//
// Branches and subgraphs
//===----------------------------------------------------------------------===//

/// Visits a region under the condition that is known to hold there.
void ShapeWalk::visitWhereItRuns(Region &region) {
  ShapeFacts::StatementScope scope(facts);
  if (Expr condition = shapes.getRegionCondition(region))
    scope.add(condition);
  visitRegion(region);
}

void ShapeWalk::visitAlternatives(Operation *op) {
  for (Region &region : op->getRegions())
    visitWhereItRuns(region);
}

/// Returns true if the only region of an operation may not run, as a model has
/// it that knows more than upstream's interface. Results may come from
/// elsewhere then.
static bool mayNotRun(Operation *op, SymbolicShapes &shapes) {
  auto model = dyn_cast<SymbolicShapeOpInterface>(op);
  if (!model || op->getNumRegions() != 1)
    return false;
  Expr condition = model.getRegionCondition(0, shapes);
  return condition && !condition.isTrue();
}

void ShapeWalk::visitBranches(Operation *op) {
  visitAlternatives(op);
  if (mayNotRun(op, shapes))
    return;
  for (OpResult result : op->getResults())
    joins.join(op, result, !isSpeculating());
}

void ShapeWalk::visitHigherOrder(Operation *op) {
  auto higherOrder = cast<HigherOrderOpInterface>(op);
  auto isOwn = [&](Region *region) { return region->getParentOp() == op; };
  SmallVector<Region *> subgraphs = higherOrder.getSubgraphs();
  for (Region *region : llvm::make_filter_range(subgraphs, isOwn))
    for (BlockArgument argument : region->getArguments())
      if (Value passed = getPassedValue(argument)) {
        sizes.forget(argument);
        if (getRankedType(argument))
          copyShape(passed, argument);
        else if (argument.getType().isIntOrIndexOrFloat())
          shapes.setValue(argument, shapes.getValue(passed));
      }
  if (higherOrder.getResultJoin() == ResultJoin::Loop)
    return visitCarryingLoop(op);
  visitAlternatives(op);
  if (!subgraphs.empty() && llvm::all_of(subgraphs, isOwn))
    for (OpResult result : op->getResults())
      joins.join(op, result, !isSpeculating());
}

void ShapeWalk::visitRegions(Operation *op) {
  if (isa<HigherOrderOpInterface>(op))
    return visitHigherOrder(op);
  if (isParallelLoop(op))
    return visitParallel(op);
  if (isBranchLoop(op))
    return visitBranchLoop(op);
  if (isa<LoopLikeOpInterface>(op))
    return visitCarryingLoop(op);
  if (isa<RegionBranchOpInterface>(op))
    return visitBranches(op);
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    // The extents are known before the body is walked.
    for (auto [dim, index] :
         llvm::enumerate(generate.getBody().getArguments())) {
      if (dim >= static_cast<size_t>(generate.getType().getRank()))
        break;
      Expr size =
          generate.getType().isDynamicDim(dim)
              ? shapes.getValue(
                    generate.getDynamicExtents()[generate.getType()
                                                     .getDynamicDimIndex(dim)])
              : context.constant(generate.getType().getDimSize(dim));
      setInductionRange(index, context.zero(), size);
    }
  }
  for (Region &region : op->getRegions())
    visitRegion(region);
}
