//===- FloatModels.cpp - Values of float arithmetic -----------------------===//
//
// Floats of expressions are f64 under IEEE 754, rounded to the nearest, so only
// operations on f64 without fast-math flags have an expression, and of these
// only those that give the same bits everywhere, wherever they are defined:
//
//   operation                        expression
//   addf, subf, mulf, negf           as written
//   divf                             a / b, where b is a literal and not 0
//   cmpf (ordered and unordered)     comparisons, false for NaN; their
//                                    opposites
//   extf                             a, which is exact
//   sitofp                           to_float(a)
//   uitofp                           to_float(a), where a is not negative
//   math.absf                        abs(a)
//   math.sqrt                        sqrt(a) of an integer that is not negative
//   math.absi                        abs(a), where it fits
//
// Not read are: other divisions and roots, and fptosi, whose expressions are
// undefined for some operands where the operation gives a value or nobody can
// prove that it does; remf (C's fmod); maximumf, minimumf, maxnumf, minnumf
// (neither is Python's max at NaN and at -0.0); exp, log and their like, which
// libraries round differently.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::ExprContext;
using symbolic::ExprKind;

namespace {

/// Returns true for f64 arithmetic that no flag lets deviate from IEEE 754.
bool isStrictF64(Operation *op) {
  auto isOther = [](Type type) { return !type.isF64(); };
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return llvm::none_of(op->getOperandTypes(), isOther) && flags &&
         flags.getFastMathFlagsAttr().getValue() == arith::FastMathFlags::none;
}

/// The division, where it is one by a literal: others may divide by zero, which
/// f64 allows and expressions do not.
Expr divide(ExprContext &context, Expr a, Expr b) {
  bool isDefined = b.getKind() == ExprKind::FloatConstant && b.getFloat() != 0;
  return isDefined ? context.trueDiv(a, b) : Expr();
}

/// A member function of ExprContext that makes one expression of two.
using Builder = Expr (ExprContext::*)(Expr, Expr);

template <typename OpT, Builder build>
struct BinaryModel
    : public SymbolicShapeOpInterface::ExternalModel<BinaryModel<OpT, build>,
                                                     OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    if (isStrictF64(op))
      shapes.setValue(
          op->getResult(0),
          (shapes.getContext().*build)(shapes.getValue(op->getOperand(0)),
                                       shapes.getValue(op->getOperand(1))));
  }
};

struct DivModel
    : public SymbolicShapeOpInterface::ExternalModel<DivModel, arith::DivFOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    if (isStrictF64(op))
      shapes.setValue(op->getResult(0),
                      divide(shapes.getContext(),
                             shapes.getValue(op->getOperand(0)),
                             shapes.getValue(op->getOperand(1))));
  }
};

struct NegModel
    : public SymbolicShapeOpInterface::ExternalModel<NegModel, arith::NegFOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    if (isStrictF64(op))
      shapes.setValue(op->getResult(0), shapes.getContext().neg(shapes.getValue(
                                            op->getOperand(0))));
  }
};

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Unordered predicates are the opposites of ordered ones, so that NaN makes
/// them true.
Expr compare(ExprContext &context, arith::CmpFPredicate predicate, Expr a,
             Expr b) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return context.falseExpr();
  case P::AlwaysTrue:
    return context.trueExpr();
  case P::OEQ:
    return context.eq(a, b);
  case P::UNE:
    return context.ne(a, b);
  case P::OLT:
    return context.lt(a, b);
  case P::OLE:
    return context.le(a, b);
  case P::OGT:
    return context.lt(b, a);
  case P::OGE:
    return context.le(b, a);
  case P::ONE:
    return context.logicalOr(context.lt(a, b), context.lt(b, a));
  case P::ORD:
    return context.logicalAnd(context.eq(a, a), context.eq(b, b));
  case P::UEQ:
    return context.logicalNot(compare(context, P::ONE, a, b));
  case P::ULT:
    return context.logicalNot(context.le(b, a));
  case P::ULE:
    return context.logicalNot(context.lt(b, a));
  case P::UGT:
    return context.logicalNot(context.le(a, b));
  case P::UGE:
    return context.logicalNot(context.lt(a, b));
  case P::UNO:
    return context.logicalNot(compare(context, P::ORD, a, b));
  }
  llvm_unreachable("unknown predicate");
}

struct CmpModel
    : public SymbolicShapeOpInterface::ExternalModel<CmpModel, arith::CmpFOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto cmp = cast<arith::CmpFOp>(op);
    if (isStrictF64(op))
      shapes.setValue(cmp, compare(shapes.getContext(), cmp.getPredicate(),
                                   shapes.getValue(cmp.getLhs()),
                                   shapes.getValue(cmp.getRhs())));
  }
};

//===----------------------------------------------------------------------===//
// Conversions and functions
//===----------------------------------------------------------------------===//

/// Returns true for an integer that is known to be at least 0.
bool isNonNegative(Expr value, SymbolicShapes &shapes) {
  ExprContext &context = shapes.getContext();
  return value.isInt() && shapes.isKnown(context.le(context.zero(), value));
}

template <typename OpT, bool isSigned>
struct ToFloatModel : public SymbolicShapeOpInterface::ExternalModel<
                          ToFloatModel<OpT, isSigned>, OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Value from = op->getOperand(0), to = op->getResult(0);
    if (!to.getType().isF64() || !from.getType().isIntOrIndex())
      return;
    Expr value = shapes.getValue(from);
    if (isSigned ? value.isInt() : isNonNegative(value, shapes))
      shapes.setValue(to, shapes.getContext().toFloat(value));
  }
};

struct ExtFModel
    : public SymbolicShapeOpInterface::ExternalModel<ExtFModel, arith::ExtFOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Type to = op->getResult(0).getType();
    if (isa<FloatType>(to) && to.getIntOrFloatBitWidth() <= 64)
      shapes.setValue(op->getResult(0), shapes.getValue(op->getOperand(0)));
  }
};

struct AbsFModel
    : public SymbolicShapeOpInterface::ExternalModel<AbsFModel, math::AbsFOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    if (isStrictF64(op))
      shapes.setValue(op->getResult(0),
                      shapes.getContext().floatFunction(
                          symbolic::FloatFunction::Abs,
                          shapes.getValue(op->getOperand(0))));
  }
};

/// The root of a negative number is NaN, and as an expression undefined.
struct SqrtModel
    : public SymbolicShapeOpInterface::ExternalModel<SqrtModel, math::SqrtOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    if (!isStrictF64(op))
      return;
    Expr value = shapes.getValue(op->getOperand(0));
    if (value.getKind() == ExprKind::ToFloat &&
        isNonNegative(value.getOperand(0), shapes))
      shapes.setValue(op->getResult(0), shapes.getContext().sqrt(value));
  }
};

struct AbsIModel
    : public SymbolicShapeOpInterface::ExternalModel<AbsIModel, math::AbsIOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Value result = op->getResult(0);
    if (!result.getType().isIntOrIndex())
      return;
    Expr value = shapes.getValue(op->getOperand(0));
    if (value.isInt())
      shapes.setValueIfFits(result, shapes.getContext().abs(value));
  }
};

} // namespace

void tally::detail::registerFloatModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::AddFOp::attachInterface<
        BinaryModel<arith::AddFOp, &ExprContext::add>>(*context);
    arith::SubFOp::attachInterface<
        BinaryModel<arith::SubFOp, &ExprContext::sub>>(*context);
    arith::MulFOp::attachInterface<
        BinaryModel<arith::MulFOp, &ExprContext::mul>>(*context);
    arith::DivFOp::attachInterface<DivModel>(*context);
    arith::NegFOp::attachInterface<NegModel>(*context);
    arith::CmpFOp::attachInterface<CmpModel>(*context);
    arith::ExtFOp::attachInterface<ExtFModel>(*context);
    arith::SIToFPOp::attachInterface<ToFloatModel<arith::SIToFPOp, true>>(
        *context);
    arith::UIToFPOp::attachInterface<ToFloatModel<arith::UIToFPOp, false>>(
        *context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    math::AbsFOp::attachInterface<AbsFModel>(*context);
    math::SqrtOp::attachInterface<SqrtModel>(*context);
    math::AbsIOp::attachInterface<AbsIModel>(*context);
  });
}
