//===- Choices.cpp - The best element, and where it is --------------------===//
//
// Lanes choose on their own, each of the elements that it sees; the first of
// the best ones is chosen from what they have.
//
//===----------------------------------------------------------------------===//

#include "Common/Choices.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::codegen;

/// Whether `value` is a strict comparison of an element with the best one.
static bool isBetter(Operation *op, Value element, Value best) {
  if (auto floats = dyn_cast_or_null<arith::CmpFOp>(op))
    return floats.getLhs() == element && floats.getRhs() == best &&
           llvm::is_contained(
               {arith::CmpFPredicate::OGT, arith::CmpFPredicate::OLT},
               floats.getPredicate());
  auto integers = dyn_cast_or_null<arith::CmpIOp>(op);
  return integers && integers.getLhs() == element &&
         integers.getRhs() == best &&
         llvm::is_contained(
             {arith::CmpIPredicate::sgt, arith::CmpIPredicate::slt,
              arith::CmpIPredicate::ugt, arith::CmpIPredicate::ult},
             integers.getPredicate());
}

static bool compares(Value value, arith::CmpFPredicate predicate,
                     Value operand) {
  auto op = value.getDefiningOp<arith::CmpFOp>();
  return op && op.getPredicate() == predicate && op.getLhs() == operand &&
         op.getRhs() == operand;
}

/// Whether `value` says that an element is NaN and the best one is not.
static bool isFirstNaN(Value value, Value element, Value best) {
  auto both = value.getDefiningOp<arith::AndIOp>();
  if (!both)
    return false;
  auto fits = [&](Value a, Value b) {
    return compares(a, arith::CmpFPredicate::UNO, element) &&
           compares(b, arith::CmpFPredicate::OEQ, best);
  };
  return fits(both.getLhs(), both.getRhs()) ||
         fits(both.getRhs(), both.getLhs());
}

bool tally::codegen::hasLanes(linalg::GenericOp op, Halves halves) {
  unsigned last = op.getNumLoops() - 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!type || !map.isFunctionOfDim(last))
      continue;
    Type element = type.getElementType();
    bool isHalf = element.isF16() || element.isBF16();
    bool isInteger = element.isInteger(8) || element.isInteger(16) ||
                     element.isInteger(32) || element.isInteger(64);
    if (!(element.isF32() || element.isF64() || isInteger ||
          (isHalf && halves == Halves::Allowed)) ||
        !type.isLastDimUnitStride() ||
        map.getResults().back() != getAffineDimExpr(last, op.getContext()) ||
        llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(last);
        }))
      return false;
  }
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<linalg::IndexOp>(inner) ||
           inner.hasTrait<OpTrait::ConstantLike>() ||
           (OpTrait::hasElementwiseMappableTraits(&inner) &&
            inner.getNumResults() == 1 && isPure(&inner));
  });
}

/// Whether a value is the index in a loop.
static bool isIndexOf(Value value, unsigned loop) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == loop;
}

/// Whether a value of a body depends on what the body has made so far.
static bool dependsOnOutputs(linalg::GenericOp op, Value value) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (llvm::is_contained(op.getRegionOutputArgs(), next))
      return true;
    Operation *def = next.getDefiningOp();
    if (def && op->isProperAncestor(def) && seen.insert(def).second) {
      open.append(def->operand_begin(), def->operand_end());
      def->walk([&](Operation *inner) {
        open.append(inner->operand_begin(), inner->operand_end());
      });
    }
  }
  return false;
}

std::optional<Choice> tally::codegen::matchChoice(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 1 || !hasLanes(op, Halves::Allowed))
    return std::nullopt;
  return matchChoiceAlong(op, op.getNumLoops() - 1);
}

std::optional<Choice> tally::codegen::matchChoiceAlong(linalg::GenericOp op,
                                                       unsigned loop) {
  Operation *yield = op.getBody()->getTerminator();
  if (yield->getNumOperands() > 2)
    return std::nullopt;
  Value best = op.getRegionOutputArgs()[0];
  auto element = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!element || element.getFalseValue() != best ||
      dependsOnOutputs(op, element.getTrueValue()))
    return std::nullopt;
  bool hasIndex = yield->getNumOperands() == 2;
  if (hasIndex) {
    Value place = op.getRegionOutputArgs()[1];
    auto index = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
    if (!index || element.getCondition() != index.getCondition() ||
        index.getFalseValue() != place || !place.hasOneUse() ||
        !isIndexOf(index.getTrueValue(), loop))
      return std::nullopt;
  }
  Value value = element.getTrueValue();
  if (!value.getType().isIntOrFloat())
    return std::nullopt;
  int64_t bits = value.getType().getIntOrFloatBitWidth();
  Choice choice{nullptr,
                false,
                1024 / std::max<int64_t>(bits, 32),
                value,
                element.getCondition(),
                hasIndex};
  Operation *condition = element.getCondition().getDefiningOp();
  if (auto either = dyn_cast_or_null<arith::OrIOp>(condition)) {
    choice.takesNaN = true;
    for (auto [one, other] : {std::pair(either.getLhs(), either.getRhs()),
                              std::pair(either.getRhs(), either.getLhs())})
      if (isFirstNaN(other, value, best))
        condition = one.getDefiningOp();
  }
  if (!isBetter(condition, value, best))
    return std::nullopt;
  choice.compare = condition;
  return choice;
}

/// Whether elements are better than others.
static Value createBetter(OpBuilder &builder, Location loc,
                          const Choice &choice, Value element, Value best) {
  Value better;
  if (auto floats = dyn_cast<arith::CmpFOp>(choice.compare))
    better = arith::CmpFOp::create(builder, loc, floats.getPredicate(), element,
                                   best);
  else
    better = arith::CmpIOp::create(
        builder, loc, cast<arith::CmpIOp>(choice.compare).getPredicate(),
        element, best);
  if (!choice.takesNaN)
    return better;
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      element, element);
  Value isNumber = arith::CmpFOp::create(builder, loc,
                                         arith::CmpFPredicate::OEQ, best, best);
  Value first = arith::AndIOp::create(builder, loc, isNaN, isNumber);
  return arith::OrIOp::create(builder, loc, better, first);
}

bool tally::codegen::isOfLargest(const Choice &choice) {
  if (auto floats = dyn_cast<arith::CmpFOp>(choice.compare))
    return floats.getPredicate() == arith::CmpFPredicate::OGT;
  arith::CmpIPredicate predicate =
      cast<arith::CmpIOp>(choice.compare).getPredicate();
  return predicate == arith::CmpIPredicate::sgt ||
         predicate == arith::CmpIPredicate::ugt;
}

Value tally::codegen::createMayBeBetter(OpBuilder &builder, Location loc,
                                        const Choice &choice, Value extremum,
                                        Value best) {
  if (choice.takesNaN)
    return createBetter(builder, loc, choice, extremum, best);
  // An extremum that is NaN tells nothing about the numbers.
  return arith::CmpFOp::create(builder, loc,
                               isOfLargest(choice) ? arith::CmpFPredicate::UGT
                                                   : arith::CmpFPredicate::ULT,
                               extremum, best);
}

SmallVector<Value> tally::codegen::joinChoices(OpBuilder &builder, Location loc,
                                               const Choice &choice,
                                               ValueRange one,
                                               ValueRange other) {
  Value better = createBetter(builder, loc, choice, other[0], one[0]);
  Value worse = createBetter(builder, loc, choice, one[0], other[0]);
  Value before = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       other[1], one[1]);
  // Where none is better, the first one is.
  Value takes = arith::SelectOp::create(
      builder, loc, worse, better,
      arith::OrIOp::create(builder, loc, better, before));
  return {arith::SelectOp::create(builder, loc, takes, other[0], one[0]),
          arith::SelectOp::create(builder, loc, takes, other[1], one[1])};
}

SmallVector<Value> tally::codegen::joinLanes(OpBuilder &builder, Location loc,
                                             const Choice &choice,
                                             ValueRange lanes) {
  Value elements = lanes[0], indices = lanes[1];
  auto half = [&](Value value, int64_t begin, int64_t count) -> Value {
    return vector::ShuffleOp::create(
        builder, loc, value, value,
        llvm::to_vector(llvm::seq<int64_t>(begin, begin + count)));
  };
  for (int64_t count = choice.lanes / 2; count > 0; count /= 2) {
    Value low = half(elements, 0, count), high = half(elements, count, count);
    Value lowIndex = half(indices, 0, count),
          highIndex = half(indices, count, count);
    SmallVector<Value> joined =
        joinChoices(builder, loc, choice, {low, lowIndex}, {high, highIndex});
    elements = joined[0];
    indices = joined[1];
  }
  return {vector::ExtractOp::create(builder, loc, elements, 0),
          vector::ExtractOp::create(builder, loc, indices, 0)};
}
