//===- ExponentialSums.cpp - The sum of a softmax in one pass -------------===//

#include "ExponentialSums.h"

#include "KernelGroups.h"
#include "KernelSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally::codegen;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Which sums
//===----------------------------------------------------------------------===//

namespace {

/// What a payload computes at a point: a value of the body of an operation, or
/// an element that is read.
struct PointValue {
  /// The operation whose body has the value; null where it is read.
  GenericOp op;
  /// In a body, or the tensor that is read.
  Value value;
  /// The dimensions of the kernel that the indices of an element are.
  SmallVector<int64_t> dims = {};
};

} // namespace

/// The dimension of the kernel that each index of an access is.
static std::optional<SmallVector<int64_t>> findDims(GenericOp op,
                                                    AffineMap map) {
  SmallVector<int64_t> dims;
  for (AffineExpr index : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    if (!loop)
      return std::nullopt;
    dims.push_back(getKernelDims(op)[loop.getPosition()]);
  }
  return dims;
}

/// Looks for what computes a value of the body of an operation, through
/// operations that have an element for each point.
static std::optional<PointValue> resolve(GenericOp op, Value value) {
  while (true) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBody())
      return PointValue{op, value};
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!op.isDpsInput(operand))
      return std::nullopt;
    std::optional<SmallVector<int64_t>> dims =
        findDims(op, op.getMatchingIndexingMap(operand));
    if (!dims)
      return std::nullopt;
    auto maker = operand->get().getDefiningOp<GenericOp>();
    if (!maker || maker.getNumReductionLoops() > 0 || getFillValue(maker))
      return PointValue{{}, operand->get(), *dims};
    auto result = cast<OpResult>(operand->get());
    if (findDims(maker, maker.getIndexingMapMatchingResult(result)) != dims)
      return std::nullopt;
    op = maker;
    value = op.getBody()->getTerminator()->getOperand(result.getResultNumber());
  }
}

/// The operation of a body that computes a value, if it is of a kind.
template <typename Op>
static Op getOp(const std::optional<PointValue> &value) {
  return value && value->op ? value->value.getDefiningOp<Op>() : Op();
}

/// Whether two values are the same at each point.
static bool areSame(const std::optional<PointValue> &a,
                    const std::optional<PointValue> &b) {
  if (!a || !b || a->value != b->value)
    return false;
  return a->op == b->op && a->dims == b->dims;
}

/// The element that a reduction by `Combiner` takes in, if it has one result
/// of a type that the exponentials of sums have.
template <typename Combiner>
static Value getReduced(GenericOp op) {
  if (!op || op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return {};
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  if (!accumulator.getType().isF32() && !accumulator.getType().isF64())
    return {};
  auto combiner =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp<Combiner>();
  if (!combiner || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combiner)
    return {};
  return combiner.getLhs() == accumulator ? combiner.getRhs()
                                          : combiner.getLhs();
}

/// Whether a reduction starts from the number that changes nothing: -infinity
/// or 0.
static bool startsFromNothing(GenericOp reduction, bool isMaximum) {
  Operation *start = reduction.getDpsInits().front().getDefiningOp();
  Value filled = start ? getFillValue(start) : Value();
  APFloat number(0.0);
  if (!filled || !matchPattern(filled, m_ConstantFloat(&number)))
    return false;
  return isMaximum ? number.isInfinity() && number.isNegative()
                   : number.isZero();
}

/// Whether two reductions run over the same dimensions and leave the same.
static bool haveSameRows(GenericOp a, GenericOp b) {
  auto getRow = [](GenericOp op) {
    return findDims(op, op.getIndexingMapsArray().back());
  };
  SmallVector<int64_t> all(getKernelDims(a)), others(getKernelDims(b));
  llvm::sort(all);
  llvm::sort(others);
  return all == others && getRow(a) && getRow(a) == getRow(b);
}

GenericOp tally::codegen::findMaximumOfSum(GenericOp sum) {
  Value power = getReduced<arith::AddFOp>(sum);
  if (!power)
    return {};
  auto exponential = getOp<math::ExpOp>(resolve(sum, power));
  if (!exponential)
    return {};
  auto owner = exponential->getParentOfType<GenericOp>();
  std::optional<PointValue> exponent = resolve(owner, exponential.getOperand());
  auto difference = getOp<arith::SubFOp>(exponent);
  if (!difference)
    return {};
  std::optional<PointValue> most = resolve(exponent->op, difference.getRhs());
  if (!most || most->op)
    return {};
  auto maximum = most->value.getDefiningOp<GenericOp>();
  Value element = getReduced<arith::MaximumFOp>(maximum);
  if (!element || !startsFromNothing(maximum, /*isMaximum=*/true) ||
      !startsFromNothing(sum, /*isMaximum=*/false) ||
      !haveSameRows(maximum, sum) ||
      most->dims != findDims(maximum, maximum.getIndexingMapsArray().back()) ||
      !areSame(resolve(exponent->op, difference.getLhs()),
               resolve(maximum, element)))
    return {};
  return maximum;
}

//===----------------------------------------------------------------------===//
// How they are computed
//===----------------------------------------------------------------------===//

static Value createNumber(OpBuilder &builder, Location loc, Type type,
                          const APFloat &number) {
  return arith::ConstantFloatOp::create(builder, loc, cast<FloatType>(type),
                                        number);
}

void tally::codegen::addElements(OpBuilder &builder, Location loc,
                                 MutableArrayRef<ExponentialSum> sums,
                                 ArrayRef<SmallVector<Value>> elements) {
  Value before = sums.front().maximum;
  auto type = cast<FloatType>(before.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Value lowest = createNumber(builder, loc, type,
                              APFloat::getInf(semantics, /*Negative=*/true));
  Value zero = createNumber(builder, loc, type, APFloat::getZero(semantics));
  Value maximum = before;
  for (ArrayRef<Value> list : elements)
    for (Value element : list)
      maximum = arith::MaximumFOp::create(builder, loc, maximum, element);
  // -infinity has no difference from itself: exp(-infinity - 0) is 0.
  Value isLowest = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, maximum, lowest);
  Value origin = arith::SelectOp::create(builder, loc, isLowest, zero, maximum);
  auto createPower = [&](Value element) {
    Value difference = arith::SubFOp::create(builder, loc, element, origin);
    return math::ExpOp::create(builder, loc, difference).getResult();
  };
  Value scale = createPower(before);
  for (auto [sum, list] : llvm::zip_equal(sums, elements)) {
    sum.maximum = maximum;
    sum.sum = arith::MulFOp::create(builder, loc, sum.sum, scale);
    for (Value element : list)
      sum.sum =
          arith::AddFOp::create(builder, loc, sum.sum, createPower(element));
  }
}

/// A sum that is that of a larger element.
static Value scale(OpBuilder &builder, Location loc, const ExponentialSum &sum,
                   Value maximum) {
  Value power = math::ExpOp::create(
      builder, loc, arith::SubFOp::create(builder, loc, sum.maximum, maximum));
  Value scaled = arith::MulFOp::create(builder, loc, sum.sum, power);
  // Two infinities have no difference.
  Value isSame = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                       sum.maximum, maximum);
  return arith::SelectOp::create(builder, loc, isSame, sum.sum, scaled);
}

ExponentialSum tally::codegen::joinSums(OpBuilder &builder, Location loc,
                                        const ExponentialSum &a,
                                        const ExponentialSum &b) {
  Value maximum = arith::MaximumFOp::create(builder, loc, a.maximum, b.maximum);
  return {maximum,
          arith::AddFOp::create(builder, loc, scale(builder, loc, a, maximum),
                                scale(builder, loc, b, maximum))};
}

Value tally::codegen::getSumOfTwoPasses(OpBuilder &builder, Location loc,
                                        const ExponentialSum &sum,
                                        Value isEmpty) {
  Value nothing = arith::SubFOp::create(builder, loc, sum.maximum, sum.maximum);
  Value full = arith::AddFOp::create(builder, loc, sum.sum, nothing);
  return arith::SelectOp::create(builder, loc, isEmpty, sum.sum, full);
}
