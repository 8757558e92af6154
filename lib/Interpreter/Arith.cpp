//===- Arith.cpp - Integers of arith --------------------------------------===//
//
// Integers of each width wrap around, as arith says. What arith leaves without
// a value is poison; a division by zero, which it leaves without a meaning, is
// a precondition.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Computes a tensor element by element.
static LogicalResult runOnTensors(Operation *op, ScalarFunction function,
                                  Execution &execution) {
  const Tensor *shaped = nullptr;
  for (mlir::Value operand : op->getOperands())
    if (const RuntimeValue &value = execution.get(operand); value.isTensor()) {
      if (shaped && failed(execution.requireSameShape(
                        op, shaped->getShape(), value.getTensor().getShape())))
        return failure();
      shaped = &value.getTensor();
    }
  FailureOr<Tensor> result =
      execution.makeResult(op, op->getResult(0), shaped->getShape());
  if (failed(result) || failed(execution.spend(op, result->getNumElements())))
    return failure();
  SmallVector<Scalar, 3> operands(op->getNumOperands());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    bool isPoison = false;
    for (auto [operand, scalar] : zip_equal(op->getOperands(), operands)) {
      const RuntimeValue &value = execution.get(operand);
      scalar = value.isTensor() ? value.getTensor().get(i) : value.getScalar();
      isPoison |= scalar.isPoison();
    }
    if (isPoison)
      continue;
    FailureOr<Scalar> element = function(op, operands, execution);
    if (failed(element))
      return failure();
    result->set(i, *element);
  }
  execution.set(op->getResult(0), std::move(*result));
  return success();
}

static LogicalResult runElementwise(Operation *op, ScalarFunction function,
                                    Execution &execution) {
  if (isa<TensorType, mlir::VectorType>(op->getResult(0).getType()))
    return runOnTensors(op, function, execution);
  SmallVector<Scalar, 3> operands;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(execution.getScalar(operand));
    if (operands.back().isPoison()) {
      execution.set(op->getResult(0), Scalar::ofPoison());
      return success();
    }
  }
  FailureOr<Scalar> result = function(op, operands, execution);
  if (failed(result))
    return failure();
  execution.set(op->getResult(0), std::move(*result));
  return success();
}

void tally::interpreter::addElementwise(HandlerTable &table, StringRef name,
                                        ScalarFunction function) {
  table.add(name, [function](Operation *op, Execution &execution) {
    return runElementwise(op, function, execution);
  });
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

using Scalars = ArrayRef<Scalar>;
using Computed = FailureOr<Scalar>;

static const APInt &lhs(Scalars operands) { return operands[0].getBits(); }
static const APInt &rhs(Scalars operands) { return operands[1].getBits(); }

/// The result unless a flag of the operation rules out that it wraps around.
template <typename OpT>
static Computed unlessOverflow(Operation *op, APInt result, bool isSigned,
                               bool isUnsigned, Execution &execution) {
  arith::IntegerOverflowFlags flags = cast<OpT>(op).getOverflowFlags();
  if (isSigned && bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw))
    return execution.makePoison(op, "a signed overflow (nsw)");
  if (isUnsigned && bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw))
    return execution.makePoison(op, "an unsigned overflow (nuw)");
  return Scalar(std::move(result));
}

static Computed addI(Operation *op, Scalars s, Execution &execution) {
  bool isSigned = false, isUnsigned = false;
  APInt sum = lhs(s).sadd_ov(rhs(s), isSigned);
  (void)lhs(s).uadd_ov(rhs(s), isUnsigned);
  return unlessOverflow<arith::AddIOp>(op, sum, isSigned, isUnsigned,
                                       execution);
}

static Computed subI(Operation *op, Scalars s, Execution &execution) {
  bool isSigned = false, isUnsigned = false;
  APInt difference = lhs(s).ssub_ov(rhs(s), isSigned);
  (void)lhs(s).usub_ov(rhs(s), isUnsigned);
  return unlessOverflow<arith::SubIOp>(op, difference, isSigned, isUnsigned,
                                       execution);
}

static Computed mulI(Operation *op, Scalars s, Execution &execution) {
  bool isSigned = false, isUnsigned = false;
  APInt product = lhs(s).smul_ov(rhs(s), isSigned);
  (void)lhs(s).umul_ov(rhs(s), isUnsigned);
  return unlessOverflow<arith::MulIOp>(op, product, isSigned, isUnsigned,
                                       execution);
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

namespace {
enum class Division : uint8_t { Floor, Ceil, TowardZero, Remainder };
} // namespace

static Computed divide(Operation *op, Scalars s, Execution &execution,
                       Division kind, bool isSigned, bool isExact = false) {
  const APInt &a = lhs(s), &b = rhs(s);
  if (b.isZero())
    return execution.refuse(op, "0 != 0", "integer division by zero");
  if (isSigned && a.isMinSignedValue() && b.isAllOnes()) {
    if (kind == Division::Remainder)
      return Scalar(APInt::getZero(a.getBitWidth()));
    return execution.makePoison(op, "the quotient overflows");
  }
  if (isExact && !(isSigned ? a.srem(b) : a.urem(b)).isZero())
    return execution.makePoison(op, "the division is not exact");
  switch (kind) {
  case Division::Remainder:
    return Scalar(isSigned ? a.srem(b) : a.urem(b));
  case Division::TowardZero:
    return Scalar(isSigned ? a.sdiv(b) : a.udiv(b));
  case Division::Floor:
    return Scalar(APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN));
  case Division::Ceil:
    return Scalar(isSigned ? APIntOps::RoundingSDiv(a, b, APInt::Rounding::UP)
                           : APIntOps::RoundingUDiv(a, b, APInt::Rounding::UP));
  }
  return failure();
}

template <Division kind, bool isSigned>
static Computed divI(Operation *op, Scalars s, Execution &execution) {
  return divide(op, s, execution, kind, isSigned);
}

template <typename OpT, bool isSigned>
static Computed divExactly(Operation *op, Scalars s, Execution &execution) {
  return divide(op, s, execution, Division::TowardZero, isSigned,
                cast<OpT>(op).getIsExact());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static Computed andI(Operation *, Scalars s, Execution &) {
  return Scalar(lhs(s) & rhs(s));
}
static Computed orI(Operation *, Scalars s, Execution &) {
  return Scalar(lhs(s) | rhs(s));
}
static Computed xorI(Operation *, Scalars s, Execution &) {
  return Scalar(lhs(s) ^ rhs(s));
}

static bool isTooFar(Scalars s) { return rhs(s).uge(lhs(s).getBitWidth()); }

static Computed shiftLeft(Operation *op, Scalars s, Execution &execution) {
  if (isTooFar(s))
    return execution.makePoison(op, "a shift by too much");
  bool isSigned = false, isUnsigned = false;
  APInt shifted = lhs(s).sshl_ov(rhs(s), isSigned);
  (void)lhs(s).ushl_ov(rhs(s), isUnsigned);
  return unlessOverflow<arith::ShLIOp>(op, lhs(s).shl(rhs(s)), isSigned,
                                       isUnsigned, execution);
}

template <typename OpT, bool isSigned>
static Computed shiftRight(Operation *op, Scalars s, Execution &execution) {
  if (isTooFar(s))
    return execution.makePoison(op, "a shift by too much");
  if (cast<OpT>(op).getIsExact() && rhs(s).ugt(lhs(s).countr_zero()))
    return execution.makePoison(op, "the shift is not exact");
  return Scalar(isSigned ? lhs(s).ashr(rhs(s)) : lhs(s).lshr(rhs(s)));
}

//===----------------------------------------------------------------------===//
// Comparisons and choices
//===----------------------------------------------------------------------===//

template <const APInt &(*choose)(const APInt &, const APInt &)>
static Computed chooseI(Operation *, Scalars s, Execution &) {
  return Scalar(choose(lhs(s), rhs(s)));
}

static Computed compareI(Operation *op, Scalars s, Execution &) {
  return Scalar::ofBool(arith::applyCmpPredicate(
      cast<arith::CmpIOp>(op).getPredicate(), lhs(s), rhs(s)));
}

static Scalar choose(const Scalar &decides, const Scalar &a, const Scalar &b) {
  if (decides.isPoison())
    return Scalar::ofPoison();
  return decides.getBool() ? a : b;
}

/// One condition chooses a whole value, whatever the shape of the other.
static LogicalResult selectWhole(arith::SelectOp op, const Scalar &condition,
                                 Execution &execution) {
  bool isTensor = isa<TensorType>(op.getType());
  if (!isTensor && condition.isPoison()) {
    execution.set(op, Scalar::ofPoison());
    return success();
  }
  FailureOr<bool> decides = execution.observeBool(op, op.getCondition());
  if (failed(decides))
    return failure();
  RuntimeValue chosen =
      execution.get(*decides ? op.getTrueValue() : op.getFalseValue());
  execution.set(op, std::move(chosen));
  return success();
}

/// Poison that is not chosen does no harm.
static LogicalResult runSelect(arith::SelectOp op, Execution &execution) {
  const RuntimeValue &condition = execution.get(op.getCondition());
  if (!condition.isTensor())
    return selectWhole(op, condition.getScalar(), execution);
  const Tensor &conditions = condition.getTensor(),
               &a = execution.getTensor(op.getTrueValue()),
               &b = execution.getTensor(op.getFalseValue());
  if (failed(execution.requireSameShape(op, conditions.getShape(),
                                        a.getShape())) ||
      failed(execution.requireSameShape(op, a.getShape(), b.getShape())))
    return failure();
  FailureOr<Tensor> result = execution.makeResult(op, op, a.getShape());
  if (failed(result) || failed(execution.spend(op, result->getNumElements())))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->set(i, choose(conditions.get(i), a.get(i), b.get(i)));
  execution.set(op, std::move(*result));
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// The bits of the elements of the result.
static unsigned getResultWidth(Operation *op) {
  return *tally::interpreter::getBitWidth(
      getElementTypeOrSelf(op->getResult(0).getType()));
}

static Computed extendSigned(Operation *op, Scalars s, Execution &) {
  return Scalar(s[0].getBits().sext(getResultWidth(op)));
}

static Computed extendUnsigned(Operation *op, Scalars s, Execution &) {
  return Scalar(s[0].getBits().zext(getResultWidth(op)));
}

static Computed truncate(Operation *op, Scalars s, Execution &execution) {
  const APInt &bits = s[0].getBits();
  unsigned width = getResultWidth(op);
  return unlessOverflow<arith::TruncIOp>(op, bits.trunc(width),
                                         !bits.isSignedIntN(width),
                                         !bits.isIntN(width), execution);
}

static Computed castIndex(Operation *op, Scalars s, Execution &) {
  return Scalar(s[0].getBits().sextOrTrunc(getResultWidth(op)));
}

static Computed castIndexUnsigned(Operation *op, Scalars s, Execution &) {
  return Scalar(s[0].getBits().zextOrTrunc(getResultWidth(op)));
}

static Computed bitcast(Operation *, Scalars s, Execution &) { return s[0]; }

//===----------------------------------------------------------------------===//
// Two results
//===----------------------------------------------------------------------===//

/// Runs an operation of scalars with two results.
static LogicalResult setBoth(
    Operation *op, Execution &execution,
    llvm::function_ref<std::pair<APInt, APInt>(const APInt &, const APInt &)>
        compute) {
  for (mlir::Value operand : op->getOperands())
    if (isa<TensorType>(operand.getType()))
      return execution.unsupported(op, "the interpreter knows '" +
                                           op->getName().getStringRef() +
                                           "' of scalars only");
  const Scalar &a = execution.getScalar(op->getOperand(0)),
               &b = execution.getScalar(op->getOperand(1));
  Scalar first, second;
  if (!a.isPoison() && !b.isPoison()) {
    auto [low, high] = compute(a.getBits(), b.getBits());
    first = Scalar(low);
    second = Scalar(high);
  }
  execution.set(op->getResult(0), first);
  execution.set(op->getResult(1), second);
  return success();
}

static LogicalResult runAddExtended(arith::AddUIExtendedOp op,
                                    Execution &execution) {
  return setBoth(op, execution, [](const APInt &a, const APInt &b) {
    bool overflows = false;
    APInt sum = a.uadd_ov(b, overflows);
    return std::make_pair(sum, APInt(1, overflows));
  });
}

template <bool isSigned, typename OpT>
static LogicalResult runMulExtended(OpT op, Execution &execution) {
  return setBoth(op, execution, [](const APInt &a, const APInt &b) {
    unsigned width = a.getBitWidth();
    APInt product = isSigned ? a.sext(2 * width) * b.sext(2 * width)
                             : a.zext(2 * width) * b.zext(2 * width);
    return std::make_pair(product.trunc(width),
                          product.lshr(width).trunc(width));
  });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<Scalar> tally::interpreter::getConstant(mlir::Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return Scalar(integer.getType().isIndex()
                      ? integer.getValue().sextOrTrunc(64)
                      : integer.getValue());
  if (auto real = dyn_cast<FloatAttr>(attr))
    return Scalar(real.getValue());
  return std::nullopt;
}

FailureOr<Tensor> tally::interpreter::readElements(Operation *op,
                                                   ElementsAttr elements,
                                                   Execution &execution) {
  ShapedType type = elements.getShapedType();
  FailureOr<Tensor> result =
      execution.makeTensor(op, type.getElementType(), type.getShape());
  if (failed(result))
    return failure();
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (dense.isSplat()) {
      std::optional<Scalar> value =
          getConstant(dense.getSplatValue<mlir::Attribute>());
      return Tensor::splat(type.getElementType(), type.getShape(),
                           value.value_or(Scalar::ofPoison()));
    }
    int64_t position = 0;
    for (mlir::Attribute attr : dense.getValues<mlir::Attribute>())
      result->set(position++, getConstant(attr).value_or(Scalar::ofPoison()));
    return result;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob && static_cast<int64_t>(blob->getData().size()) ==
                    Tensor::getNumBytes(type.getElementType(), type.getShape()))
      return Tensor::fromBytes(type.getElementType(), type.getShape(),
                               blob->getData().data());
  }
  return execution.unsupported(
      op, "the interpreter cannot read a constant of this kind");
}

static LogicalResult runConstant(arith::ConstantOp op, Execution &execution) {
  if (std::optional<Scalar> scalar = getConstant(op.getValue())) {
    execution.set(op, std::move(*scalar));
    return success();
  }
  FailureOr<Tensor> tensor =
      readElements(op, cast<ElementsAttr>(op.getValue()), execution);
  if (failed(tensor))
    return failure();
  execution.set(op, std::move(*tensor));
  return success();
}

static LogicalResult runPoison(ub::PoisonOp op, Execution &execution) {
  auto type = dyn_cast<ShapedType>(op.getType());
  if (!type) {
    execution.set(op, execution.makePoison(op, "it is poison"));
    return success();
  }
  if (isa<BaseMemRefType>(type))
    return execution.unsupported(op, "the interpreter has no buffer that is "
                                     "poison");
  if (!type.hasStaticShape())
    return execution.unsupported(op, "a tensor of no known shape");
  FailureOr<Tensor> tensor = execution.makeResult(op, op, type.getShape());
  if (failed(tensor))
    return failure();
  execution.set(op, std::move(*tensor));
  return success();
}

void tally::interpreter::registerArith(HandlerTable &table) {
  addHandler<arith::ConstantOp>(table, runConstant);
  addHandler<ub::PoisonOp>(table, runPoison);
  addHandler<arith::SelectOp>(table, runSelect);
  addElementwise<arith::AddIOp>(table, addI);
  addElementwise<arith::SubIOp>(table, subI);
  addElementwise<arith::MulIOp>(table, mulI);
  addHandler<arith::AddUIExtendedOp>(table, runAddExtended);
  addHandler<arith::MulSIExtendedOp>(table, runMulExtended<true>);
  addHandler<arith::MulUIExtendedOp>(table, runMulExtended<false>);
  addElementwise<arith::DivSIOp>(table, divExactly<arith::DivSIOp, true>);
  addElementwise<arith::DivUIOp>(table, divExactly<arith::DivUIOp, false>);
  addElementwise<arith::CeilDivSIOp>(table, divI<Division::Ceil, true>);
  addElementwise<arith::CeilDivUIOp>(table, divI<Division::Ceil, false>);
  addElementwise<arith::FloorDivSIOp>(table, divI<Division::Floor, true>);
  addElementwise<arith::RemSIOp>(table, divI<Division::Remainder, true>);
  addElementwise<arith::RemUIOp>(table, divI<Division::Remainder, false>);
  addElementwise<arith::AndIOp>(table, andI);
  addElementwise<arith::OrIOp>(table, orI);
  addElementwise<arith::XOrIOp>(table, xorI);
  addElementwise<arith::ShLIOp>(table, shiftLeft);
  addElementwise<arith::ShRSIOp>(table, shiftRight<arith::ShRSIOp, true>);
  addElementwise<arith::ShRUIOp>(table, shiftRight<arith::ShRUIOp, false>);
  addElementwise<arith::MaxSIOp>(table, chooseI<APIntOps::smax>);
  addElementwise<arith::MaxUIOp>(table, chooseI<APIntOps::umax>);
  addElementwise<arith::MinSIOp>(table, chooseI<APIntOps::smin>);
  addElementwise<arith::MinUIOp>(table, chooseI<APIntOps::umin>);
  addElementwise<arith::CmpIOp>(table, compareI);
  addElementwise<arith::ExtSIOp>(table, extendSigned);
  addElementwise<arith::ExtUIOp>(table, extendUnsigned);
  addElementwise<arith::TruncIOp>(table, truncate);
  addElementwise<arith::IndexCastOp>(table, castIndex);
  addElementwise<arith::IndexCastUIOp>(table, castIndexUnsigned);
  addElementwise<arith::BitcastOp>(table, bitcast);
}
