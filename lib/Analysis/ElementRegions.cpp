//===- ElementRegions.cpp - Ranges through bodies and loops ---------------===//

#include "ElementRangesImpl.h"

#include "Joins.h"
#include "LinalgPreconditions.h"
#include "Loops.h"
#include "ShapesImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns true if the range that one iteration gives is within another.
bool ElementRanges::Impl::contains(const ElementRange &outer,
                                   const ElementRange &inner) {
  bool below =
      !outer.lower ||
      (inner.lower && ranges.isKnown(context.le(outer.lower, inner.lower)));
  bool above =
      !outer.upper ||
      (inner.upper && ranges.isKnown(context.le(inner.upper, outer.upper)));
  return below && above;
}

/// The amount that an iteration adds to a carried number, if it does nothing
/// else with it.
std::optional<ElementRange> ElementRanges::Impl::getIncrement(Value yielded,
                                                              Value argument,
                                                              unsigned level) {
  constexpr unsigned maxLevel = 4;
  if (yielded == argument)
    return ranges.getConstant(0, 0);
  Operation *op = yielded.getDefiningOp();
  if (!op || level == maxLevel)
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto a = getIncrement(select.getTrueValue(), argument, level + 1);
    auto b = getIncrement(select.getFalseValue(), argument, level + 1);
    if (!a || !b)
      return std::nullopt;
    return ranges.unite(*a, *b);
  }
  auto sum = dyn_cast<arith::AddIOp>(op);
  if (!sum || (sum.getLhs() != argument && sum.getRhs() != argument))
    return std::nullopt;
  return evaluate(sum.getLhs() == argument ? sum.getRhs() : sum.getLhs());
}

SmallVector<ElementRange>
ElementRanges::Impl::findStableRanges(ArrayRef<LoopCarry> carries,
                                      ArrayRef<ElementRange> inits) {
  SmallVector<ElementRange> now(inits);
  // The ends of a range are kept as long as iterations stay within them. What
  // the first one reaches is tried, then what is left of it.
  constexpr unsigned maxRounds = 4;
  bool isStable = false;
  for (unsigned round = 0; round < maxRounds && !isStable; ++round) {
    FrameScope frame(*this);
    for (auto [carry, range] : llvm::zip(carries, now))
      frame.give(carry.argument, range);
    isStable = true;
    for (auto [i, carry] : llvm::enumerate(carries)) {
      if (!hasElementRange(carry.argument.getType()))
        continue;
      ElementRange next = evaluateDecided(carry.yielded, carry.decision);
      if (contains(now[i], next))
        continue;
      isStable = false;
      if (round == 0) {
        now[i] = ranges.unite(now[i], next);
        continue;
      }
      if (now[i].lower && !contains({now[i].lower, {}}, next))
        now[i].lower = {};
      if (now[i].upper && !contains({{}, now[i].upper}, next))
        now[i].upper = {};
    }
  }
  if (!isStable)
    now.assign(carries.size(), {});
  return now;
}

ElementRange ElementRanges::Impl::evaluateCarry(ArrayRef<LoopCarry> carries,
                                                unsigned index, Expr count) {
  Type type = carries[index].argument.getType();
  SmallVector<ElementRange> inits;
  for (const LoopCarry &carry : carries)
    inits.push_back(evaluate(carry.init));
  ElementRange result = findStableRanges(carries, inits)[index];
  if ((result.lower && result.upper) || !count || !inits[index].lower ||
      !inits[index].upper)
    return result;
  // A sum of as many numbers as there are iterations.
  std::optional<ElementRange> increment;
  {
    FrameScope frame(*this);
    for (const LoopCarry &carry : carries)
      frame.give(carry.argument, {});
    increment = getIncrement(carries[index].yielded, carries[index].argument);
  }
  if (!increment || !ranges.isAtLeast(*increment, 0) || !increment->upper)
    return result;
  // Where there is no iteration, no increment is there to be positive.
  Expr most = ranges.getMax(increment->upper, context.zero());
  ElementRange sum{inits[index].lower,
                   context.add(inits[index].upper, context.mul(count, most))};
  return ranges.fit(sum, type);
}

ElementRange
ElementRanges::Impl::evaluateBound(const tally::detail::LoopBound &bound) {
  if (auto value = dyn_cast_if_present<Value>(bound.value))
    return evaluate(value);
  return ranges.getExact(bound.getExpr(shapes));
}

/// The variable of a loop that runs upwards.
ElementRange ElementRanges::Impl::evaluateInduction(BlockArgument argument) {
  Operation *loop = argument.getOwner()->getParentOp();
  if (tally::detail::comparesUnsigned(loop))
    return {};
  for (auto [variable, lower, upper, step] :
       tally::detail::getInductionVariables(loop, shapes)) {
    if (variable != argument)
      continue;
    if (!shapes.getFacts().range(shapes.getValue(step)).isAtLeast(1))
      return {};
    ElementRange first = evaluateBound(lower), end = evaluateBound(upper);
    if (end.upper)
      end.upper = context.sub(end.upper, context.one());
    return {first.lower, end.upper};
  }
  return {};
}

/// How often a loop runs at most; null if that is not known.
Expr ElementRanges::Impl::countIterations(Operation *loop) {
  SmallVector<tally::detail::InductionVariable> variables =
      tally::detail::getInductionVariables(loop, shapes);
  if (variables.size() != 1 || tally::detail::comparesUnsigned(loop))
    return {};
  ElementRange from = evaluateBound(variables.front().lower),
               to = evaluateBound(variables.front().upper),
               step = evaluateBound({variables.front().step, {}});
  if (!from.lower || !to.upper || !ranges.isAtLeast(step, 1))
    return {};
  return ranges.getMax(context.sub(to.upper, from.lower), context.zero());
}

ElementRange ElementRanges::Impl::evaluateLoopArgument(BlockArgument argument) {
  Operation *loop = argument.getOwner()->getParentOp();
  SmallVector<LoopCarry> carries = getLoopCarries(loop);
  for (auto [index, carry] : llvm::enumerate(carries))
    if (carry.argument == argument)
      return evaluateCarry(carries, index, countIterations(loop));
  return {};
}

ElementRange ElementRanges::Impl::evaluateLoopResult(OpResult result) {
  Operation *loop = result.getOwner();
  SmallVector<LoopCarry> carries = getLoopCarries(loop);
  if (carries.size() != loop->getNumResults())
    return {};
  return evaluateCarry(carries, result.getResultNumber(),
                       countIterations(loop));
}

ElementRange
ElementRanges::Impl::evaluateDecided(Value value,
                                     const BranchDecision &decision) {
  if (!decision.condition)
    return evaluate(value);
  return evaluateWhere(value, refine(decision.condition, decision.holds));
}

/// The range of an argument or a result of a loop that hands values on from
/// region to region: of what it carries, and of what one of the regions gives
/// where it is left for the next one.
ElementRange ElementRanges::Impl::evaluateBranchLoop(Operation *loop,
                                                     Value input) {
  SmallVector<LoopCarry> carries = getLoopCarries(loop);
  auto isGiven = [&](Value value) {
    return llvm::any_of(
        ArrayRef(frames).drop_front(firstFrame),
        [&](const Frame &frame) { return frame.given.contains(value); });
  };
  FrameScope frame(*this);
  // Where ranges are tried that iterations may stay within, they are given.
  if (!carries.empty() && !isGiven(carries.front().argument)) {
    auto inits = llvm::map_to_vector(
        carries, [&](const LoopCarry &carry) { return evaluate(carry.init); });
    SmallVector<ElementRange> stable = findStableRanges(carries, inits);
    for (auto [carry, range] : llvm::zip_equal(carries, stable)) {
      if (carry.argument == input)
        return range;
      frame.give(carry.argument, range);
    }
  }
  SmallVector<RegionPredecessor> sources = getPredecessors(loop, input);
  if (isa<BlockArgument>(input)) {
    if (sources.size() != 1)
      return {};
    // Nothing is known of what would come from itself alone.
    frame.give(input, {});
  }
  std::optional<ElementRange> range;
  for (const auto &[value, decision] : sources) {
    if (value.getType() != input.getType())
      return {};
    ElementRange handedOn = evaluateDecided(value, decision);
    range = range ? ranges.unite(*range, handedOn) : handedOn;
  }
  return range.value_or(ElementRange());
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

ElementRange ElementRanges::Impl::evaluateStructured(linalg::LinalgOp op,
                                                     unsigned result) {
  if (!op.hasPureTensorSemantics() || op->getNumRegions() != 1)
    return {};
  Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  if (result >= yield->getNumOperands())
    return {};
  if (op.getNumReductionLoops() == 0) {
    // The frame holds what is computed in the body.
    FrameScope frame(*this);
    return evaluate(yield->getOperand(result));
  }
  SmallVector<LoopCarry> carries;
  for (auto [init, argument, yielded] : llvm::zip(
           op.getDpsInits(), op.getRegionOutputArgs(), yield->getOperands()))
    carries.push_back({init, argument, yielded, {}});
  SmallVector<Expr> sizes;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type == utils::IteratorType::parallel)
      continue;
    Expr size = tally::detail::getLoopSize(op, loop, shapes);
    size = size ? ranges.getExact(size).upper : size;
    if (!size) {
      sizes.clear();
      break;
    }
    sizes.push_back(size);
  }
  return evaluateCarry(carries, result,
                       sizes.empty() ? Expr() : context.product(sizes));
}

/// The index of a loop of a structured operation: a position in its size.
ElementRange ElementRanges::Impl::evaluateLoopIndex(linalg::IndexOp index) {
  auto around = dyn_cast_or_null<linalg::LinalgOp>(index->getParentOp());
  if (!around || index.getDim() >= around.getNumLoops())
    return {};
  return ranges.getPositions(
      tally::detail::getLoopSize(around, index.getDim(), shapes));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

ElementRange ElementRanges::Impl::evaluateArgument(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  if (!op || isa<FunctionOpInterface>(op) ||
      !argument.getOwner()->isEntryBlock())
    return {};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.hasPureTensorSemantics())
      return {};
    OpOperand *operand = structured.getMatchingOpOperand(argument);
    if (structured.isDpsInput(operand) ||
        structured.getNumReductionLoops() == 0)
      return evaluate(operand->get());
    unsigned result =
        operand->getOperandNumber() - structured.getNumDpsInputs();
    return evaluateStructured(structured, result);
  }
  if (isBranchLoop(op))
    return evaluateBranchLoop(op, argument);
  if (tally::detail::isInductionVariable(argument))
    return evaluateInduction(argument);
  if (Value passed = getPassedValue(argument);
      passed && passed.getType() == argument.getType())
    return evaluate(passed);
  if (isLoop(op))
    return evaluateLoopArgument(argument);
  if (isa<tensor::GenerateOp, tensor::PadOp>(op))
    return ranges.getPositions(op->getResult(0), argument.getArgNumber());
  return {};
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The range of what an operation gives that runs some of its regions once.
ElementRange ElementRanges::Impl::evaluateBranches(OpResult result) {
  Operation *op = result.getOwner();
  // A region that runs for some, and gives to others, says nothing to those.
  if (op->getNumRegions() == 1)
    if (Expr condition = shapes.getRegionCondition(op->getRegion(0));
        condition && !condition.isTrue())
      return {};
  std::optional<ElementRange> range;
  for (Value value : getPredecessorValues(op, result)) {
    if (value.getType() != result.getType())
      return {};
    ElementRange yielded = evaluate(value);
    range = range ? ranges.unite(*range, yielded) : yielded;
  }
  return range.value_or(ElementRange());
}
