//===- HostCall.h - Calls of the runtime on the CPU -------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_HOSTCALL_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_HOSTCALL_H

#include "Common/RuntimeStructs.h"
#include "Common/Utils.h"

#include "mlir/IR/Builders.h"

#include <utility>

namespace tally::codegen {

/// Makes a call of the runtime with a description of operands in memory.
class HostCall {
public:
  explicit HostCall(mlir::Operation *op);

protected:
  using Value = mlir::Value;

  /// Replaces the operation by a call, to which the context is passed first.
  template <typename Function, typename... Values>
  void call(RuntimeFunction<Function> function, Values... arguments) {
    declareRuntimeFunction(op->getParentOfType<mlir::ModuleOp>(), function);
    createStatusCall(builder, loc, function, getCallContext(op), arguments...);
    op->erase();
  }
  Value toI64(Value index);
  Value constant(int64_t value);
  /// The size of a dimension of a buffer.
  Value getSize(Value buffer, int64_t dim);
  /// Where the first element of a buffer is, and the strides of its dimensions
  /// in elements.
  std::pair<Value, llvm::SmallVector<Value>> describeBuffer(Value buffer);
  /// The data type as the structures of arguments have it.
  Value getTypeCode(Value buffer, bool isUnsigned = false);
  /// A struct of the runtime on the stack: the values are those of its fields.
  template <typename Struct>
  Value createStruct(llvm::ArrayRef<Value> values) {
    return createStruct(getStructType<Struct>(op->getContext()), values);
  }
  /// Words on the stack; null where there are none.
  Value createArray(llvm::ArrayRef<Value> elements);
  Value createNull();

  mlir::Location loc;
  mlir::OpBuilder builder;
  mlir::Type pointer, i64;

private:
  Value createStruct(mlir::LLVM::LLVMStructType type,
                     llvm::ArrayRef<Value> values);

  mlir::Operation *op;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_HOSTCALL_H
