//===- ShapeWalk.cpp - Visiting operations in program order ---------------===//

#include "ShapeWalk.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

/// A statement helps to translate the operations after it in its block
/// (and in regions there): a run in which it does not hold never gets there.
void ShapeWalk::visitRegion(Region &region) {
  for (Block &block : region) {
    ShapeFacts::StatementScope scope(facts);
    ValueNumberTable::ScopeTy valueNumberScope(valueNumbers);
    for (Operation &op : block) {
      visit(&op);
      if (!op.hasTrait<StatesCondition>())
        continue;
      Expr condition = conditions[&op] = readCondition(&op);
      if (condition)
        scope.add(condition);
    }
  }
}

void ShapeWalk::visit(Operation *op) {
  visited.insert(op);
  joins.forget(op);
  sums.forget(op);
  for (Value result : op->getResults())
    sizes.forget(result);
  if (op->getNumRegions() != 0)
    visitRegions(op);
  infer(op);
  if (declarations.isNamedForm())
    declarations.applyBindings(op);
}

void ShapeWalk::visitLate(Operation *op) {
  constexpr unsigned maxDepth = 128;
  if (lateDepth == maxDepth || visited.contains(op))
    return;
  ++lateDepth;
  visit(op);
  --lateDepth;
}

bool ShapeWalk::lacksSizes(Operation *op) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return false;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !sizes.lookupDim(result, dim))
        return true;
    return false;
  });
}

void ShapeWalk::infer(Operation *op) {
  if (auto model = dyn_cast<SymbolicShapeOpInterface>(op))
    model.inferSymbolicShapes(shapes);
  inferFromTwin(op);
  if (!lacksSizes(op))
    return;
  inferCallResults(op);
  inferByTraits(op);
  if (lacksSizes(op))
    inferByReification(op);
}

void ShapeWalk::copyShape(Value from, Value to) {
  ShapedType fromType = getRankedType(from), toType = getRankedType(to);
  if (!fromType || !toType || fromType.getRank() != toType.getRank())
    return;
  for (int64_t dim = 0; dim < toType.getRank(); ++dim)
    shapes.setDim(to, dim, shapes.getDim(from, dim));
}

/// Infers shapes by traits: a result that is tied to an operand has its shape.
void ShapeWalk::inferByTraits(Operation *op) {
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    if (!destination.hasPureTensorSemantics())
      return;
    for (OpResult result : op->getResults())
      copyShape(destination.getTiedOpOperand(result)->get(), result);
    return;
  }
  if (!op->hasTrait<OpTrait::SameOperandsAndResultShape>() &&
      !op->hasTrait<OpTrait::Elementwise>())
    return;
  auto isTensor = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  auto first = llvm::find_if(op->getOperands(), isTensor);
  if (first == op->operand_end())
    return;
  for (Value result : op->getResults())
    if (isTensor(result))
      copyShape(*first, result);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Expr ShapeWalk::getCondition(Operation *statement) {
  if (auto known = conditions.find(statement); known != conditions.end())
    return known->second;
  return readCondition(statement);
}

Expr ShapeWalk::readCondition(Operation *statement) {
  auto read = [&](auto op) -> Expr {
    auto names =
        llvm::map_to_vector(op.getNames().template getAsRange<StringAttr>(),
                            [](StringAttr name) { return name.getValue(); });
    Expr condition = shapes.parse(op.getCondition(), names, op.getValues());
    return condition ? sums.shorten(condition, op) : condition;
  };
  if (auto check = dyn_cast<CheckOp>(statement))
    return read(check);
  if (auto assume = dyn_cast<AssumeOp>(statement))
    return read(assume);
  if (auto assertion = dyn_cast<AssertOp>(statement))
    return shapes.getValue(assertion.getCondition());
  return {};
}

void ShapeWalk::forget(Operation *op) {
  visited.erase(op);
  conditions.erase(op);
  varying.erase(op);
}
