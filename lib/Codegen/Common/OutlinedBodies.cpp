//===- OutlinedBodies.cpp - Code that the runtime calls back --------------===//

#include "OutlinedBodies.h"
#include "Utils.h"
#include "tally/IR/Tally.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally::codegen;

func::FuncOp SharedBodies::share(func::FuncOp body) {
  // An assert tells where it is from.
  if (body.walk([](tally::AssertOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return body;
  SmallVector<func::FuncOp> &alike = bodies[computeHash(body)];
  for (func::FuncOp earlier : alike)
    if (OperationEquivalence::isRegionEquivalentTo(
            &earlier.getBody(), &body.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      body.erase();
      return earlier;
    }
  alike.push_back(body);
  return body;
}

llvm::hash_code SharedBodies::computeHash(func::FuncOp body) {
  llvm::hash_code hash(0);
  body.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

void Captures::add(ArrayRef<Value> used) {
  for (Value value : used) {
    if (value == parent.getArgument(0))
      continue;
    if (value.getDefiningOp() && matchPattern(value, m_Constant()))
      constants.push_back(value);
    else
      captures.push_back(value);
  }
}

LLVM::LLVMStructType Captures::getType() {
  SmallVector<Type> fields;
  for (Value value : captures)
    fields.push_back(converter.convertType(value.getType()));
  return LLVM::LLVMStructType::getLiteral(parent.getContext(), fields);
}

Value Captures::pack(OpBuilder &builder) {
  if (captures.empty())
    return LLVM::ZeroOp::create(builder, loc,
                                getPointerType(parent.getContext()));
  LLVM::LLVMStructType type = getType();
  Value slot = createStackSlot(parent, type);
  Value packed = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, value] : llvm::enumerate(captures)) {
    Value field = UnrealizedConversionCastOp::create(builder, loc,
                                                     type.getBody()[i], value)
                      .getResult(0);
    packed = LLVM::InsertValueOp::create(builder, loc, packed, field, i);
  }
  LLVM::StoreOp::create(builder, loc, packed, slot);
  return slot;
}

IRMapping Captures::unpack(OpBuilder &inner, func::FuncOp body) {
  IRMapping map;
  map.map(parent.getArgument(0), body.getArgument(0));
  for (Value value : constants)
    inner.clone(*value.getDefiningOp(), map);
  if (captures.empty())
    return map;
  Value packed =
      LLVM::LoadOp::create(inner, loc, getType(), body.getArguments().back());
  for (auto [i, value] : llvm::enumerate(captures)) {
    Value field = LLVM::ExtractValueOp::create(inner, loc, packed, i);
    map.map(value, UnrealizedConversionCastOp::create(inner, loc,
                                                      value.getType(), field)
                       .getResult(0));
  }
  return map;
}

Value tally::codegen::createFunctionPointer(OpBuilder &builder, Location loc,
                                            func::FuncOp function) {
  Value constant = func::ConstantOp::create(
      builder, loc, function.getFunctionType(), SymbolRefAttr::get(function));
  return UnrealizedConversionCastOp::create(
             builder, loc, getPointerType(builder.getContext()), constant)
      .getResult(0);
}
