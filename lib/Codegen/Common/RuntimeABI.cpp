//===- RuntimeABI.cpp - The C interface of the runtime in IR --------------===//

#include "RuntimeABI.h"

#include "RuntimeStructs.h"
#include "Utils.h"

using namespace mlir;
using namespace tally::codegen;

Type tally::codegen::getIRType(MLIRContext *context, AbiType type) {
  switch (type) {
  case AbiType::Void:
    return {};
  case AbiType::I8:
    return IntegerType::get(context, 8);
  case AbiType::I16:
    return IntegerType::get(context, 16);
  case AbiType::I32:
    return IntegerType::get(context, 32);
  case AbiType::I64:
    return IntegerType::get(context, 64);
  case AbiType::Pointer:
    return getPointerType(context);
  case AbiType::DataType:
    static_assert(sizeof(DLDataType) == 4 && offsetof(DLDataType, code) == 0 &&
                  offsetof(DLDataType, bits) == 1 &&
                  offsetof(DLDataType, lanes) == 2);
    return LLVM::LLVMStructType::getLiteral(
        context, getIRTypes(context, {AbiType::I8, AbiType::I8, AbiType::I16}));
  }
  llvm_unreachable("all types are handled");
}

SmallVector<Type> tally::codegen::getIRTypes(MLIRContext *context,
                                             ArrayRef<AbiType> types) {
  return llvm::map_to_vector(
      types, [&](AbiType type) { return getIRType(context, type); });
}

func::FuncOp tally::codegen::declareRuntimeFunction(ModuleOp module,
                                                    StringRef name,
                                                    AbiType result,
                                                    ArrayRef<AbiType> arguments,
                                                    bool cold) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  MLIRContext *context = module.getContext();
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Type, 1> results;
  if (Type type = getIRType(context, result))
    results.push_back(type);
  auto function = func::FuncOp::create(
      builder, module.getLoc(), name,
      builder.getFunctionType(getIRTypes(context, arguments), results));
  function.setPrivate();
  if (cold)
    function->setAttr("passthrough", builder.getStrArrayAttr(
                                         {"cold", "noinline", "nounwind"}));
  return function;
}

Value tally::codegen::createStruct(OpBuilder &builder, Location loc,
                                   FunctionOpInterface function,
                                   LLVM::LLVMStructType type,
                                   ArrayRef<Value> values) {
  assert(llvm::equal(type.getBody(), ValueRange(values).getTypes()) &&
         "the values are not those of the fields");
  Type pointer = getPointerType(builder.getContext());
  Value slot = createStackSlot(function, type);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value address = LLVM::GEPOp::create(
        builder, loc, pointer, type, slot,
        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, value, address);
  }
  return slot;
}
