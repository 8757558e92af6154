//===- BlockFunction.cpp - What the runtime calls for blocks --------------===//

#include "BlockFunction.h"

#include "Common/Utils.h"
#include "tally/IR/Tally.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

BlockFunction::BlockFunction(Operation *op, StringRef name, FunctionType type)
    : loc(op->getLoc()), context(op->getContext()), builder(op) {
  OpBuilder outside(op->getParentOfType<func::FuncOp>());
  function = func::FuncOp::create(outside, loc, name, type);
  function.setPrivate();
  function->setAttr(tally::attr_names::kStatus, builder.getUnitAttr());
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Value BlockFunction::toIndex(Value value) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

Value BlockFunction::createMatrix(Type element, Value data, Value rows,
                                  Value columns, Value stride) {
  auto memref = MemRefType::get(
      {ShapedType::kDynamic, ShapedType::kDynamic}, element,
      StridedLayoutAttr::get(context, 0, {ShapedType::kDynamic, 1}));
  auto number = [&](int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value)
        .getResult();
  };
  LLVMTypeConverter converter(context);
  Value zero = number(0), one = number(1);
  Value descriptor =
      MemRefDescriptor::pack(builder, loc, converter, memref,
                             {data, data, zero, rows, columns, stride, one});
  return UnrealizedConversionCastOp::create(builder, loc, memref, descriptor)
      .getResult(0);
}

void BlockFunction::createLoops(
    Value rows, Value columns, llvm::function_ref<void(Value)> inRow,
    llvm::function_ref<void(Value, Value)> inColumn) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
  auto outer = scf::ForOp::create(builder, loc, zero, rows, one);
  func::ReturnOp::create(builder, loc, ok);
  builder.setInsertionPointToStart(outer.getBody());
  inRow(outer.getInductionVar());
  auto inner = scf::ForOp::create(builder, loc, zero, columns, one);
  markIndependent(inner);
  builder.setInsertionPointToStart(inner.getBody());
  inColumn(outer.getInductionVar(), inner.getInductionVar());
}

Value BlockFunction::readElement(Value operand, AffineMap indices,
                                 ArrayRef<Value> positions) {
  Value buffer = map.lookupOrDefault(operand);
  if (!isa<MemRefType>(buffer.getType()))
    return buffer;
  SmallVector<Value> at;
  for (AffineExpr expr : indices.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    at.push_back(loop ? positions[loop.getPosition()]
                      : arith::ConstantIndexOp::create(builder, loc, 0));
  }
  return memref::LoadOp::create(builder, loc, buffer, at);
}

Value BlockFunction::createYielded(Region &region, ArrayRef<Value> arguments) {
  Block &block = region.front();
  map.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, map);
  return map.lookupOrDefault(block.getTerminator()->getOperand(0));
}
