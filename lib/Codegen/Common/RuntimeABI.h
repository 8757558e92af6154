//===- RuntimeABI.h - The C interface of the runtime in IR ------*- C++ -*-===//
//
// Functions of the runtime as code generation declares and calls them. Their
// types come from tally_runtime.h by way of RuntimeFunctions.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_RUNTIMEABI_H
#define TALLY_LIB_CODEGEN_COMMON_RUNTIMEABI_H

#include "tally/IR/Tally.h"
#include "tally/Runtime/RuntimeFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tally::codegen {

/// The type of IR for a C type; null for void.
mlir::Type getIRType(mlir::MLIRContext *context, AbiType type);

/// The types of IR for those of arguments.
llvm::SmallVector<mlir::Type> getIRTypes(mlir::MLIRContext *context,
                                         llvm::ArrayRef<AbiType> types);

/// The type of a C function, or of what a pointer to one points to.
template <typename Function>
mlir::LLVM::LLVMFunctionType getLLVMFunctionType(mlir::MLIRContext *context) {
  using Signature = AbiSignature<std::remove_pointer_t<Function>>;
  static_assert(Signature::result != AbiType::Void);
  return mlir::LLVM::LLVMFunctionType::get(
      getIRType(context, Signature::result),
      getIRTypes(context, Signature::arguments));
}

/// The same for a function that is not in the LLVM dialect yet.
template <typename Function>
mlir::FunctionType getFunctionType(mlir::MLIRContext *context) {
  using Signature = AbiSignature<std::remove_pointer_t<Function>>;
  static_assert(Signature::result != AbiType::Void);
  return mlir::FunctionType::get(context,
                                 getIRTypes(context, Signature::arguments),
                                 getIRType(context, Signature::result));
}

/// Declares a function that the runtime has, or returns its declaration.
mlir::func::FuncOp declareRuntimeFunction(mlir::ModuleOp module,
                                          llvm::StringRef name, AbiType result,
                                          llvm::ArrayRef<AbiType> arguments,
                                          bool cold);

/// Declares a function of the runtime, or returns its declaration. A cold one
/// is only called where something failed.
template <typename Function>
mlir::func::FuncOp declareRuntimeFunction(mlir::ModuleOp module,
                                          RuntimeFunction<Function> function,
                                          bool cold = false) {
  using Signature = AbiSignature<Function>;
  return declareRuntimeFunction(module, function.name, Signature::result,
                                Signature::arguments, cold);
}

/// Calls a function of the runtime that is declared, or will be. A call with
/// another number of arguments does not compile; the verifier reports one of
/// another type.
template <typename Function, typename... Values,
          typename = std::enable_if_t<sizeof...(Values) ==
                                      AbiSignature<Function>::numArguments>>
mlir::func::CallOp
createRuntimeCall(mlir::OpBuilder &builder, mlir::Location loc,
                  RuntimeFunction<Function> function, Values... arguments) {
  llvm::SmallVector<mlir::Type, 1> results;
  if (mlir::Type result =
          getIRType(builder.getContext(), AbiSignature<Function>::result))
    results.push_back(result);
  llvm::SmallVector<mlir::Value> operands{mlir::Value(arguments)...};
  return mlir::func::CallOp::create(builder, loc, function.name, results,
                                    operands);
}

/// Calls a function of the runtime whose result says whether it failed: the
/// function that calls it ends there (see `tally-lower-asserts`).
template <typename Function, typename... Values>
mlir::func::CallOp
createStatusCall(mlir::OpBuilder &builder, mlir::Location loc,
                 RuntimeFunction<Function> function, Values... arguments) {
  auto call = createRuntimeCall(builder, loc, function, arguments...);
  call->setAttr(attr_names::kStatus, builder.getUnitAttr());
  return call;
}

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_RUNTIMEABI_H
