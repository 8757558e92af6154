//===- HostCall.cpp - Calls of the runtime on the CPU ---------------------===//

#include "HostCall.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tally::codegen;

HostCall::HostCall(Operation *op)
    : loc(op->getLoc()), builder(op), pointer(getPointerType(op->getContext())),
      i64(builder.getI64Type()), op(op) {}

Value HostCall::toI64(Value index) {
  return arith::IndexCastOp::create(builder, loc, i64, index);
}

Value HostCall::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value HostCall::getSize(Value buffer, int64_t dim) {
  return toI64(builder.createOrFold<memref::DimOp>(loc, buffer, dim));
}

std::pair<Value, SmallVector<Value>> HostCall::describeBuffer(Value buffer) {
  Type element = getElementTypeOrSelf(buffer.getType());
  int64_t bytes = (tally::getDataType(element).bits + 7) / 8;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value address = toI64(memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, metadata.getBaseBuffer()));
  Value offset = arith::MulIOp::create(
      builder, loc, toI64(metadata.getOffset()), constant(bytes));
  address = arith::AddIOp::create(builder, loc, address, offset);
  SmallVector<Value> strides;
  for (Value stride : metadata.getStrides())
    strides.push_back(toI64(stride));
  return {LLVM::IntToPtrOp::create(builder, loc, pointer, address), strides};
}

Value HostCall::getTypeCode(Value buffer, bool isUnsigned) {
  DLDataType type =
      tally::getDataType(getElementTypeOrSelf(buffer.getType()), isUnsigned);
  return constant(TALLY_RT_DATA_TYPE(int64_t(type.code), type.bits));
}

Value HostCall::createArray(ArrayRef<Value> elements) {
  if (elements.empty())
    return createNull();
  return createStruct(
      LLVM::LLVMStructType::getLiteral(op->getContext(),
                                       SmallVector<Type>(elements.size(), i64)),
      elements);
}

Value HostCall::createStruct(LLVM::LLVMStructType type,
                             ArrayRef<Value> values) {
  return tally::codegen::createStruct(
      builder, loc, op->getParentOfType<FunctionOpInterface>(), type, values);
}

Value HostCall::createNull() {
  return LLVM::ZeroOp::create(builder, loc, pointer);
}
