//===- Index.cpp - The index and affine dialects --------------------------===//
//
// An index has 64 bits. What affine maps compute are integers of any size; one
// that leaves 64 bits is an overflow, which the program must exclude.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "llvm/ADT/DynamicAPInt.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

using Scalars = ArrayRef<Scalar>;
using Computed = FailureOr<Scalar>;

//===----------------------------------------------------------------------===//
// index
//===----------------------------------------------------------------------===//

template <APInt (*compute)(const APInt &, const APInt &)>
static Computed binary(Operation *, Scalars s, Execution &) {
  return Scalar(compute(s[0].getBits(), s[1].getBits()));
}

static APInt add(const APInt &a, const APInt &b) { return a + b; }
static APInt sub(const APInt &a, const APInt &b) { return a - b; }
static APInt mul(const APInt &a, const APInt &b) { return a * b; }
static APInt bitAnd(const APInt &a, const APInt &b) { return a & b; }
static APInt bitOr(const APInt &a, const APInt &b) { return a | b; }
static APInt bitXor(const APInt &a, const APInt &b) { return a ^ b; }
static APInt maxS(const APInt &a, const APInt &b) {
  return APIntOps::smax(a, b);
}
static APInt maxU(const APInt &a, const APInt &b) {
  return APIntOps::umax(a, b);
}
static APInt minS(const APInt &a, const APInt &b) {
  return APIntOps::smin(a, b);
}
static APInt minU(const APInt &a, const APInt &b) {
  return APIntOps::umin(a, b);
}
static APInt divS(const APInt &a, const APInt &b) { return a.sdiv(b); }
static APInt divU(const APInt &a, const APInt &b) { return a.udiv(b); }
static APInt remS(const APInt &a, const APInt &b) { return a.srem(b); }
static APInt remU(const APInt &a, const APInt &b) { return a.urem(b); }
static APInt floorDivS(const APInt &a, const APInt &b) {
  return APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN);
}
static APInt ceilDivS(const APInt &a, const APInt &b) {
  return APIntOps::RoundingSDiv(a, b, APInt::Rounding::UP);
}
static APInt ceilDivU(const APInt &a, const APInt &b) {
  return APIntOps::RoundingUDiv(a, b, APInt::Rounding::UP);
}
static APInt shiftLeft(const APInt &a, const APInt &b) { return a.shl(b); }
static APInt shiftRightS(const APInt &a, const APInt &b) { return a.ashr(b); }
static APInt shiftRightU(const APInt &a, const APInt &b) { return a.lshr(b); }

template <APInt (*compute)(const APInt &, const APInt &), bool isSigned>
static Computed divide(Operation *op, Scalars s, Execution &execution) {
  const APInt &a = s[0].getBits(), &b = s[1].getBits();
  if (b.isZero())
    return execution.refuse(op, "0 != 0", "integer division by zero");
  if (isSigned && a.isMinSignedValue() && b.isAllOnes())
    return compute == remS ? Scalar::ofIndex(0)
                           : execution.makePoison(op, "the quotient overflows");
  return Scalar(compute(a, b));
}

template <APInt (*compute)(const APInt &, const APInt &)>
static Computed shift(Operation *op, Scalars s, Execution &execution) {
  if (s[1].getBits().uge(s[0].getBits().getBitWidth()))
    return execution.makePoison(op, "a shift by too much");
  return Scalar(compute(s[0].getBits(), s[1].getBits()));
}

static Computed compare(Operation *op, Scalars s, Execution &execution) {
  const APInt &a = s[0].getBits(), &b = s[1].getBits();
  switch (cast<index::CmpOp>(op).getPred()) {
  case index::IndexCmpPredicate::EQ:
    return Scalar::ofBool(a == b);
  case index::IndexCmpPredicate::NE:
    return Scalar::ofBool(a != b);
  case index::IndexCmpPredicate::SGE:
    return Scalar::ofBool(a.sge(b));
  case index::IndexCmpPredicate::SGT:
    return Scalar::ofBool(a.sgt(b));
  case index::IndexCmpPredicate::SLE:
    return Scalar::ofBool(a.sle(b));
  case index::IndexCmpPredicate::SLT:
    return Scalar::ofBool(a.slt(b));
  case index::IndexCmpPredicate::UGE:
    return Scalar::ofBool(a.uge(b));
  case index::IndexCmpPredicate::UGT:
    return Scalar::ofBool(a.ugt(b));
  case index::IndexCmpPredicate::ULE:
    return Scalar::ofBool(a.ule(b));
  case index::IndexCmpPredicate::ULT:
    return Scalar::ofBool(a.ult(b));
  }
  llvm_unreachable("the verifier knows the predicates");
}

template <bool isSigned>
static Computed castIndex(Operation *op, Scalars s, Execution &) {
  unsigned width = *tally::interpreter::getBitWidth(op->getResult(0).getType());
  const APInt &bits = s[0].getBits();
  return Scalar(isSigned ? bits.sextOrTrunc(width) : bits.zextOrTrunc(width));
}

/// `index.constant` and `index.bool.constant`.
static LogicalResult runConstant(Operation *op, Execution &execution) {
  std::optional<Scalar> value = getConstant(op->getAttr("value"));
  assert(value && "the verifier wants a scalar");
  execution.set(op->getResult(0), std::move(*value));
  return success();
}

void tally::interpreter::registerIndex(HandlerTable &table) {
  addElementwise<index::AddOp>(table, binary<add>);
  addElementwise<index::SubOp>(table, binary<sub>);
  addElementwise<index::MulOp>(table, binary<mul>);
  addElementwise<index::AndOp>(table, binary<bitAnd>);
  addElementwise<index::OrOp>(table, binary<bitOr>);
  addElementwise<index::XOrOp>(table, binary<bitXor>);
  addElementwise<index::MaxSOp>(table, binary<maxS>);
  addElementwise<index::MaxUOp>(table, binary<maxU>);
  addElementwise<index::MinSOp>(table, binary<minS>);
  addElementwise<index::MinUOp>(table, binary<minU>);
  addElementwise<index::DivSOp>(table, divide<divS, true>);
  addElementwise<index::DivUOp>(table, divide<divU, false>);
  addElementwise<index::RemSOp>(table, divide<remS, true>);
  addElementwise<index::RemUOp>(table, divide<remU, false>);
  addElementwise<index::FloorDivSOp>(table, divide<floorDivS, true>);
  addElementwise<index::CeilDivSOp>(table, divide<ceilDivS, true>);
  addElementwise<index::CeilDivUOp>(table, divide<ceilDivU, false>);
  addElementwise<index::ShlOp>(table, shift<shiftLeft>);
  addElementwise<index::ShrSOp>(table, shift<shiftRightS>);
  addElementwise<index::ShrUOp>(table, shift<shiftRightU>);
  addElementwise<index::CmpOp>(table, compare);
  addElementwise<index::CastSOp>(table, castIndex<true>);
  addElementwise<index::CastUOp>(table, castIndex<false>);
  table.add(index::ConstantOp::getOperationName(), runConstant);
  table.add(index::BoolConstantOp::getOperationName(), runConstant);
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

/// The exact value of an affine expression; nothing where it divides by what is
/// not positive.
static std::optional<DynamicAPInt>
evaluateAffine(AffineExpr expr, ArrayRef<DynamicAPInt> dims,
               ArrayRef<DynamicAPInt> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return DynamicAPInt(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(expr);
  auto a = evaluateAffine(both.getLHS(), dims, symbols),
       b = evaluateAffine(both.getRHS(), dims, symbols);
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *a + *b;
  if (expr.getKind() == AffineExprKind::Mul)
    return *a * *b;
  if (*b <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return mod(*a, *b);
  return expr.getKind() == AffineExprKind::FloorDiv ? floorDiv(*a, *b)
                                                    : ceilDiv(*a, *b);
}

/// The values of the results of the map of `op`.
static FailureOr<SmallVector<DynamicAPInt>>
evaluateMap(Operation *op, AffineMap map, Execution &execution) {
  FailureOr<SmallVector<int64_t>> operands =
      execution.observeInts(op, op->getOperands());
  if (failed(operands))
    return failure();
  SmallVector<DynamicAPInt> dims, symbols, results;
  for (auto [index, value] : enumerate(*operands))
    (index < map.getNumDims() ? dims : symbols).emplace_back(value);
  for (AffineExpr expr : map.getResults()) {
    std::optional<DynamicAPInt> value = evaluateAffine(expr, dims, symbols);
    if (!value)
      return execution.refuse(op, "", "a division by what is not positive");
    results.push_back(*value);
  }
  return results;
}

static LogicalResult setIndex(Operation *op, const DynamicAPInt &value,
                              Execution &execution) {
  if (value < std::numeric_limits<int64_t>::min() ||
      value > std::numeric_limits<int64_t>::max()) {
    execution.set(op->getResult(0),
                  execution.makePoison(op, "the index does not fit 64 bits"));
    return success();
  }
  execution.set(op->getResult(0), Scalar::ofIndex(static_cast<int64_t>(value)));
  return success();
}

static LogicalResult runApply(affine::AffineApplyOp op, Execution &execution) {
  auto results = evaluateMap(op, op.getAffineMap(), execution);
  return failed(results) ? failure()
                         : setIndex(op, results->front(), execution);
}

static LogicalResult runMin(affine::AffineMinOp op, Execution &execution) {
  auto results = evaluateMap(op, op.getAffineMap(), execution);
  return failed(results)
             ? failure()
             : setIndex(op, *llvm::min_element(*results), execution);
}

static LogicalResult runMax(affine::AffineMaxOp op, Execution &execution) {
  auto results = evaluateMap(op, op.getAffineMap(), execution);
  return failed(results)
             ? failure()
             : setIndex(op, *llvm::max_element(*results), execution);
}

void tally::interpreter::registerAffine(HandlerTable &table) {
  addHandler<affine::AffineApplyOp>(table, runApply);
  addHandler<affine::AffineMinOp>(table, runMin);
  addHandler<affine::AffineMaxOp>(table, runMax);
}
