//===- ElementRanges.cpp - Between which values elements lie --------------===//

#include "tally/Analysis/ElementRanges.h"
#include "Loops.h"

#include "ElementRangesImpl.h"
#include "ShapesImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "llvm/Support/SaveAndRestore.h"

#include "tally/Analysis/ElementRangeInterface.cpp.inc"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

bool tally::hasElementRange(Type type) {
  return (type.isIntOrIndex() || isa<RankedTensorType>(type)) &&
         getElementTypeOrSelf(type).isIntOrIndex();
}

ElementRanges::ElementRanges(SymbolicShapes &shapes)
    : impl(std::make_unique<Impl>(*this, shapes)) {}

ElementRanges::~ElementRanges() = default;

SymbolicShapes &ElementRanges::getShapes() { return impl->shapes; }

ElementRange ElementRanges::get(Value value) { return impl->evaluate(value); }

static std::optional<bool> getTruth(const ElementRange &range) {
  if (range.lower && range.lower.isConstant(1))
    return true;
  if (range.upper && range.upper.isConstant(0))
    return false;
  return std::nullopt;
}

std::optional<bool> ElementRanges::getTruth(Value condition) {
  return ::getTruth(get(condition));
}

bool ElementRanges::isKnown(Expr condition) {
  if (impl->shapes.isKnown(condition))
    return true;
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  return impl->scoped &&
         symbolic::Prover(*impl->scoped, budget).isProven(condition);
}

bool ElementRanges::isAtLeast(const ElementRange &range, int64_t least) {
  symbolic::ExprContext &context = impl->context;
  return range.lower &&
         isKnown(context.le(context.constant(least), range.lower));
}

Expr ElementRanges::getMin(Expr a, Expr b) {
  if (!a || !b)
    return {};
  symbolic::ExprContext &context = impl->context;
  if (isKnown(context.le(a, b)))
    return a;
  return isKnown(context.le(b, a)) ? b : context.min(a, b);
}

Expr ElementRanges::getMax(Expr a, Expr b) {
  if (!a || !b)
    return {};
  symbolic::ExprContext &context = impl->context;
  if (isKnown(context.le(a, b)))
    return b;
  return isKnown(context.le(b, a)) ? a : context.max(a, b);
}

ElementRange ElementRanges::getExact(Expr value) {
  if (!value || !value.isInt())
    return {};
  if (impl->isAvailable(value))
    return {value, value};
  // Facts that hold everywhere do not depend on where the value exists.
  Interval range = impl->shapes.getFacts().range(value);
  ElementRange result;
  if (range.getLower())
    result.lower = impl->context.constant(*range.getLower());
  if (range.getUpper())
    result.upper = impl->context.constant(*range.getUpper());
  return result;
}

ElementRange ElementRanges::getPositions(Expr size) {
  symbolic::ExprContext &context = impl->context;
  ElementRange range{context.zero(), {}};
  if (size)
    range.upper = getExact(context.sub(size, context.one())).upper;
  return range;
}

ElementRange ElementRanges::getPositions(Value tensor, unsigned dim) {
  return getPositions(impl->shapes.getDim(tensor, dim));
}

ElementRange ElementRanges::getConstant(int64_t lower, int64_t upper) {
  return {impl->context.constant(lower), impl->context.constant(upper)};
}

ElementRange ElementRanges::unite(const ElementRange &a,
                                  const ElementRange &b) {
  return {getMin(a.lower, b.lower), getMax(a.upper, b.upper)};
}

ElementRange ElementRanges::intersect(const ElementRange &a,
                                      const ElementRange &b) {
  return {a.lower && b.lower ? getMax(a.lower, b.lower)
                             : (a.lower ? a.lower : b.lower),
          a.upper && b.upper ? getMin(a.upper, b.upper)
                             : (a.upper ? a.upper : b.upper)};
}

/// The range of a type; nothing of one that is as wide as index, whose bounds
/// say nothing.
static ElementRange getRangeOfType(Type type, symbolic::ExprContext &context) {
  Type element = getElementTypeOrSelf(type);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() >= 64)
    return {};
  Interval range = getTypeRange(integer);
  return {context.constant(*range.getLower()),
          context.constant(*range.getUpper())};
}

ElementRange ElementRanges::fit(const ElementRange &range, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (range.lower && range.upper && impl->shapes.fits(range.lower, element) &&
      impl->shapes.fits(range.upper, element))
    return range;
  return getRangeOfType(type, impl->context);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Returns true if the value is made in a region of the anchor.
bool ElementRanges::Impl::isInside(Value value) const {
  if (!anchor)
    return false;
  Operation *around = value.getParentBlock()->getParentOp();
  return around && anchor->isAncestor(around);
}

/// Returns true if every symbol exists at the anchor, or is made by it.
bool ElementRanges::Impl::isAvailable(Expr value) {
  if (!anchor || shapes.isAvailable(value, anchor))
    return true;
  return llvm::all_of(context.freeSymbols(value), [&](Expr symbol) {
    std::optional<SymbolicShapes::Origin> origin = shapes.getOrigin(symbol);
    return shapes.getBindingOp(symbol) == anchor ||
           (origin && origin->value.getDefiningOp() == anchor) ||
           shapes.isAvailable(symbol, anchor);
  });
}

/// Returns true if an expression is the best that can be said of a value: it
/// speaks of sizes and of symbols with names. What it says of elements and of
/// arithmetic that may wrap around, their ranges may say better.
bool ElementRanges::Impl::isExact(Expr value) {
  if (!value.isInt())
    return false;
  for (Expr symbol : context.freeSymbols(value)) {
    std::optional<SymbolicShapes::Origin> origin = shapes.getOrigin(symbol);
    if (!origin || origin->dim || shapes.getSymbolValue(symbol))
      continue;
    if (origin->value.getDefiningOp<tensor::DimOp>())
      continue;
    auto argument = dyn_cast<BlockArgument>(origin->value);
    Operation *around = argument ? argument.getOwner()->getParentOp() : nullptr;
    if (!isa_and_nonnull<FunctionOpInterface>(around) &&
        !(argument && tally::detail::isInductionVariable(argument)))
      return false;
  }
  return isAvailable(value);
}

/// Evaluates what an operation is computed from, from far to near, so that long
/// programs do not recurse deeply.
void ElementRanges::Impl::evaluateOperandsOf(Operation *op) {
  constexpr unsigned maxDepth = 32;
  if (depth < maxDepth)
    return;
  SmallVector<Operation *> order, worklist{op};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty())
    for (Value value : worklist.pop_back_val()->getOperands()) {
      Operation *producer = value.getDefiningOp();
      if (!producer || producer->getBlock() != op->getBlock() ||
          !hasElementRange(value.getType()) || known.contains(value) ||
          !seen.insert(producer).second)
        continue;
      order.push_back(producer);
      worklist.push_back(producer);
    }
  llvm::sort(order,
             [&](Operation *a, Operation *b) { return shapes.isBefore(a, b); });
  for (Operation *producer : order)
    for (Value result : producer->getResults())
      evaluate(result);
}

/// The range of a value, in terms of what exists at the anchor.
ElementRange ElementRanges::Impl::evaluate(Value value) {
  if (!hasElementRange(value.getType()))
    return {};
  for (size_t i = frames.size(); i > firstFrame; --i) {
    auto found = frames[i - 1].given.find(value);
    if (found != frames[i - 1].given.end())
      return found->second;
  }
  Operation *op = value.getDefiningOp();
  // What a refinement speaks of may be in what a value outside is computed
  // from.
  bool isScalar = value.getType().isIntOrIndex();
  if (isInside(value) || (refinementDepth != 0 && isScalar && op))
    return evaluateInPlace(value);
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  constexpr unsigned maxDepth = 200;
  if (depth >= maxDepth)
    return getRangeOfType(value.getType(), context);
  if (!op)
    op = value.getParentBlock()->getParentOp();
  llvm::SaveAndRestore<Operation *> newAnchor(anchor, op);
  llvm::SaveAndRestore<size_t> newFrames(firstFrame, frames.size());
  llvm::SaveAndRestore<unsigned> newRefinements(refinementDepth, 0);
  FrameScope frame(*this);
  if (value.getDefiningOp())
    evaluateOperandsOf(op);
  ElementRange range = compute(value);
  known[value] = range;
  return range;
}

ElementRange ElementRanges::Impl::evaluateInPlace(Value value) {
  auto found = frames.back().computed.find(value);
  if (found != frames.back().computed.end())
    return found->second;
  ElementRange range = compute(value);
  frames.back().computed[value] = range;
  return range;
}

ElementRange ElementRanges::Impl::compute(Value value) {
  constexpr unsigned maxDepth = 400;
  ElementRange ofType = getRangeOfType(value.getType(), context);
  if (depth >= maxDepth)
    return ofType;
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  ElementRange range = computeScalar(value);
  if (range.isKnown())
    return ranges.intersect(range, ofType);
  auto argument = dyn_cast<BlockArgument>(value);
  range = argument ? evaluateArgument(argument)
                   : computeResult(cast<OpResult>(value));
  if (scoped && !isReadingCheck && isa<RankedTensorType>(value.getType())) {
    llvm::SaveAndRestore<bool> reading(isReadingCheck, true);
    range = ranges.intersect(range, getChecked(value, *scoped));
  }
  if (!range.isKnown() && value.getType().isIntOrIndex())
    range = ranges.getExact(shapes.getValue(value));
  return ranges.intersect(range, ofType);
}

ElementRange ElementRanges::Impl::computeResult(OpResult value) {
  Operation *op = value.getOwner();
  unsigned result = value.getResultNumber();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return evaluateSelect(select);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return evaluateComparison(compare);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateStructured(structured, result);
  if (isBranchLoop(op))
    return evaluateBranchLoop(op, value);
  if (isLoop(op))
    return evaluateLoopResult(value);
  if (isa<RegionBranchOpInterface, HigherOrderOpInterface>(op))
    return evaluateBranches(value);
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return evaluateLoopIndex(index);
  if (auto model = dyn_cast<ElementRangeOpInterface>(op))
    return model.inferElementRange(result, ranges);
  return {};
}

/// The range of a scalar whose value is known as an expression.
ElementRange ElementRanges::Impl::computeScalar(Value value) {
  if (!value.getType().isIntOrIndex())
    return {};
  Expr expr = shapes.getValue(value);
  if (expr.isTrue() || expr.isFalse())
    return ranges.getConstant(expr.isTrue(), expr.isTrue());
  if (refinementDepth != 0 && !expr.isConstant() && value.getDefiningOp() &&
      !value.getDefiningOp<SymbolOp>() && !value.getDefiningOp<tensor::DimOp>())
    return {}; // something that it is computed from may be refined
  return isExact(expr) ? ElementRange{expr, expr} : ElementRange{};
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The tensor whose elements a scalar takes, or null.
static Value getSource(Value scalar) {
  if (auto extract = scalar.getDefiningOp<tensor::ExtractOp>())
    return extract.getTensor();
  auto argument = dyn_cast<BlockArgument>(scalar);
  auto around =
      argument ? dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp())
               : linalg::LinalgOp();
  if (!around || !around.hasPureTensorSemantics())
    return {};
  OpOperand *operand = around.getMatchingOpOperand(argument);
  return around.isDpsInput(operand) ? operand->get() : Value();
}

/// Adds that an expression is in a range; returns whether that says anything.
static bool addRange(Expr value, const ElementRange &range,
                     symbolic::Facts &facts, symbolic::ExprContext &context) {
  bool changed = false;
  auto add = [&](Expr fact) {
    if (fact.isTrue() || facts.simplify(fact).isTrue())
      return;
    facts.add(fact, symbolic::Provenance::Proven, "the range of elements");
    changed = true;
  };
  if (range.lower)
    add(context.le(range.lower, value));
  if (range.upper)
    add(context.le(value, range.upper));
  return changed;
}

/// The value of a sum, difference or product as an expression, where the ranges
/// of its operands show that it does not wrap around; or null.
Expr ElementRanges::Impl::getExactArithmetic(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ||
      value.getType().isInteger(1))
    return {};
  Expr a = shapes.getValue(op->getOperand(0)),
       b = shapes.getValue(op->getOperand(1));
  ElementRange x = evaluate(op->getOperand(0)), y = evaluate(op->getOperand(1));
  if (!x.lower || !x.upper || !y.lower || !y.upper)
    return {};
  auto fits = [&](Expr lower, Expr upper, Expr exact) {
    return shapes.fits(lower, value.getType()) &&
                   shapes.fits(upper, value.getType())
               ? exact
               : Expr();
  };
  if (isa<arith::AddIOp>(op))
    return fits(context.add(x.lower, y.lower), context.add(x.upper, y.upper),
                context.add(a, b));
  if (isa<arith::SubIOp>(op))
    return fits(context.sub(x.lower, y.upper), context.sub(x.upper, y.lower),
                context.sub(a, b));
  if (!ranges.isAtLeast(x, 0) || !ranges.isAtLeast(y, 0))
    return {};
  return fits(context.zero(), context.mul(x.upper, y.upper), context.mul(a, b));
}

/// The facts about the result of arithmetic beyond its range: its exact value,
/// where it does not wrap around, or its sign.
SmallVector<Expr, 2> ElementRanges::Impl::getArithmeticFacts(Expr symbol,
                                                             Value value) {
  if (Expr exact = getExactArithmetic(value); exact && exact != symbol)
    return {context.eq(symbol, exact)};
  auto bits = value.getDefiningOp<arith::XOrIOp>();
  if (!bits || value.getType().isInteger(1))
    return {};
  // Where one side is not negative, the sign is that of the other.
  for (unsigned side = 0; side < 2; ++side) {
    if (!ranges.isAtLeast(evaluate(bits->getOperand(1 - side)), 0))
      continue;
    Expr other = shapes.getValue(bits->getOperand(side));
    auto isNegative = [&](Expr x) { return context.lt(x, context.zero()); };
    return {context.logicalOr(isNegative(symbol),
                              context.logicalNot(isNegative(other))),
            context.logicalOr(context.logicalNot(isNegative(symbol)),
                              isNegative(other))};
  }
  return {};
}

/// As long as it lives, ranges are those where these facts hold; they are not
/// kept.
class ElementRanges::Impl::FactsScope {
public:
  FactsScope(Impl &impl, symbolic::Facts &facts) : impl(impl) {
    swap();
    impl.scoped = &facts;
  }
  ~FactsScope() {
    impl.scoped = nullptr;
    swap();
  }
  FactsScope(const FactsScope &) = delete;
  FactsScope &operator=(const FactsScope &) = delete;

private:
  void swap() {
    std::swap(impl.known, kept);
    if (!impl.frames.empty())
      impl.frames.back().computed.clear();
  }

  Impl &impl;
  RangeMap kept;
};

ElementRange ElementRanges::Impl::evaluateWith(Value value,
                                               symbolic::Facts &facts) {
  FactsScope scope(*this, facts);
  return evaluate(value);
}

/// Whether a boolean is always true or always false, by what is known cheaply
/// or, where that is not enough, by these facts.
std::optional<bool> ElementRanges::Impl::findTruth(Value condition,
                                                   symbolic::Facts &facts) {
  if (std::optional<bool> truth = ::getTruth(evaluate(condition)))
    return truth;
  return ::getTruth(evaluateWith(condition, facts));
}

/// The range that checks have found of all elements of a tensor, or of those
/// that it is computed from.
ElementRange ElementRanges::Impl::findChecked(Value tensor,
                                              symbolic::Facts &facts) {
  ElementRange checked = getChecked(tensor, facts);
  ElementRange own = evaluate(tensor);
  if (checked.isKnown() || (own.lower && own.upper))
    return checked;
  ElementRange range = evaluateWith(tensor, facts);
  return range.lower != own.lower || range.upper != own.upper ? range : checked;
}

bool ElementRanges::addFacts(Expr condition, symbolic::Facts &facts,
                             bool *readsChecks) {
  bool changed = false;
  SmallVector<std::pair<Expr, Value>> symbols;
  // What is computed from an element that was checked is seen as if the element
  // had been refined.
  Impl::FrameScope frame(*impl);
  for (Expr symbol : impl->context.freeSymbols(condition)) {
    std::optional<SymbolicShapes::Origin> origin =
        impl->shapes.getOrigin(symbol);
    if (!origin || origin->dim || impl->shapes.getSymbolValue(symbol) ||
        !hasElementRange(origin->value.getType()))
      continue;
    Value value = origin->value;
    if (symbol.isBool()) {
      if (std::optional<bool> truth = impl->findTruth(value, facts)) {
        facts.add(*truth ? symbol : impl->context.logicalNot(symbol),
                  symbolic::Provenance::Proven, "the range of elements");
        changed = true;
      }
      continue;
    }
    Value tensor = getSource(value);
    ElementRange checked =
        tensor ? impl->findChecked(tensor, facts) : ElementRange();
    if (!checked.isKnown()) {
      symbols.emplace_back(symbol, value);
      continue;
    }
    if (readsChecks)
      *readsChecks = true;
    // Of itself an element that nothing is known of says that it is itself.
    if (ElementRange own = get(value); own.lower != symbol)
      checked = intersect(own, checked);
    changed |= addRange(symbol, checked, facts, impl->context);
    frame.give(value, checked);
  }
  llvm::SaveAndRestore<unsigned> depth(impl->refinementDepth);
  if (!impl->frames.back().given.empty())
    impl->refinementDepth = 1;
  for (auto [symbol, value] : symbols) {
    ElementRange range = get(value);
    std::optional<Impl::FactsScope> scope;
    if (!range.lower || !range.upper || range.lower == symbol) {
      scope.emplace(*impl, facts);
      range = get(value);
    }
    changed |= addRange(symbol, range, facts, impl->context);
    for (Expr fact : impl->getArithmeticFacts(symbol, value)) {
      facts.add(fact, symbolic::Provenance::Proven, "the range of elements");
      changed = true;
    }
  }
  return changed;
}

bool ElementRanges::addFacts(Operation *op, Expr condition,
                             symbolic::Facts &facts, bool *readsChecks) {
  bool changed = addFacts(condition, facts, readsChecks);
  for (Value index : op->getOperands()) {
    if (!index.getType().isIndex())
      continue;
    Expr expr = impl->shapes.getValue(index);
    if (expr.isInt() && !expr.isSymbol() && !expr.isConstant())
      changed |= addRange(expr, get(index), facts, impl->context);
  }
  return changed;
}
