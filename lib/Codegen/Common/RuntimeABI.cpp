//===- RuntimeABI.cpp - The C interface of the runtime in IR --------------===//

#include "RuntimeABI.h"

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
  }
  llvm_unreachable("all types are handled");
}

SmallVector<Type> tally::codegen::getIRTypes(MLIRContext *context,
                                             ArrayRef<AbiType> types) {
  return llvm::map_to_vector(
      types, [&](AbiType type) { return getIRType(context, type); });
}

func::FuncOp
tally::codegen::declareRuntimeFunction(ModuleOp module, StringRef name,
                                       AbiType result,
                                       ArrayRef<AbiType> arguments, bool cold) {
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
