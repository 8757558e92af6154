//===- Preconditions.cpp - What operations require of their operands ------===//

#include "Calls.h"
#include "LinalgPreconditions.h"
#include "LoopPreconditions.h"
#include "ShapesImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/Symbolic/Proof/Prover.h"

using namespace mlir;
using namespace tally;
using symbolic::Comparison;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

/// Whether the condition holds in every program: by canonical form, or because
/// sizes are sizes.
symbolic::Answer Preconditions::prove(Expr condition) const {
  symbolic::Answer answer;
  if (condition.isTrue()) {
    answer.verdict = symbolic::Verdict::Yes;
    answer.rung = symbolic::Rung::Canonical;
    return answer;
  }
  if (!elide)
    return answer;
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  return symbolic::Prover(shapes.getFacts(), budget).prove(condition);
}

void Preconditions::add(Expr condition, const Twine &message) {
  if (!condition)
    return;
  symbolic::Answer answer = prove(condition);
  Precondition precondition{condition, op, message.str(), {}};
  if (!answer.isYes())
    preconditions.push_back(std::move(precondition));
  else if (tellProven && !condition.isTrue())
    tellProven(precondition, answer);
}

void Preconditions::add(ArrayRef<Comparison> comparisons,
                        const Twine &message) {
  symbolic::ExprContext &context = shapes.getContext();
  Precondition precondition{{}, op, message.str(), {}};
  symbolic::Answer strongest;
  for (const Comparison &comparison : comparisons) {
    symbolic::Answer answer = prove(comparison.getCondition(context));
    if (!answer.isYes())
      precondition.told.push_back(comparison);
    else if (answer.rung >= strongest.rung)
      strongest = answer;
  }
  precondition.condition = symbolic::getCondition(precondition.told, context);
  if (!precondition.condition.isTrue())
    return preconditions.push_back(std::move(precondition));
  if (!tellProven || !precondition.told.empty())
    return;
  for (const Comparison &comparison : comparisons)
    if (!comparison.getCondition(context).isTrue())
      precondition.told.push_back(comparison);
  precondition.condition = symbolic::getCondition(precondition.told, context);
  if (!precondition.condition.isTrue())
    tellProven(precondition, strongest);
}

void Preconditions::addEqual(Expr a, Expr b) {
  if (!a || !b || a == b || a.getType() != b.getType())
    return;
  if (a.isConstant() && !b.isConstant())
    std::swap(a, b);
  add(Comparison::eq(a, b));
}

void Preconditions::addEqualDims(Value a, unsigned dimA, Value b,
                                 unsigned dimB) {
  addEqual(shapes.getDim(a, dimA), shapes.getDim(b, dimB));
}

void Preconditions::addInBounds(Expr index, Expr size, const Twine &message) {
  if (!index.isInt() || !size.isInt())
    return;
  add({Comparison::le(shapes.getContext().zero(), index),
       Comparison::lt(index, size)},
      message);
}

void Preconditions::addSlice(Expr offset, Expr count, Expr stride, Expr size) {
  symbolic::ExprContext &context = shapes.getContext();
  Expr zero = context.zero(), one = context.one();
  Expr last = context.add(offset, context.mul(context.sub(count, one), stride));
  if (std::optional<int64_t> step = stride.getInt64(); step && *step < 0) {
    // It runs backwards from the offset.
    Expr inside =
        context.logicalAnd(context.lt(offset, size), context.le(zero, last));
    Expr isRight = context.logicalOr(context.eq(count, zero), inside);
    return add(context.logicalAnd(context.le(zero, count), isRight));
  }
  Comparison isInside = stride.isConstant(1)
                            ? Comparison::le(context.add(offset, count), size)
                            : Comparison::lt(last, size);
  add({Comparison::le(zero, count), Comparison::le(zero, offset),
       Comparison::le(one, stride), isInside});
}

//===----------------------------------------------------------------------===//
// Asking operations
//===----------------------------------------------------------------------===//

/// An elementwise operation requires operands of one shape.
static void collectElementwisePreconditions(Operation *op,
                                            Preconditions &preconditions) {
  if (!op->hasTrait<OpTrait::SameOperandsAndResultShape>() &&
      !op->hasTrait<OpTrait::Elementwise>())
    return;
  SmallVector<Value> tensors;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      tensors.push_back(operand);
  for (Value other : ArrayRef(tensors).drop_front(tensors.empty() ? 0 : 1)) {
    int64_t rank = getRankedType(tensors.front()).getRank();
    if (getRankedType(other).getRank() != rank)
      return;
    for (int64_t dim = 0; dim < rank; ++dim)
      preconditions.addEqualDims(tensors.front(), dim, other, dim);
  }
}

void SymbolicShapes::collectPreconditions(Operation *op,
                                          Preconditions &preconditions) {
  preconditions.setOperation(op);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    detail::collectLoopPreconditions(loop, *this, preconditions);
  if (auto model = dyn_cast<SymbolicShapeOpInterface>(op))
    model.collectPreconditions(*this, preconditions);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (structured.hasPureTensorSemantics())
      detail::collectLinalgPreconditions(structured, *this, preconditions);
  } else if (auto call = dyn_cast<CallOpInterface>(op)) {
    if (FunctionOpInterface callee =
            detail::resolveCallee(call, impl->walk.getSymbolTables()))
      detail::collectCallPreconditions(call, callee, *this, preconditions);
  } else if (!isa<arith::SelectOp>(op)) {
    collectElementwisePreconditions(op, preconditions);
  }
}
