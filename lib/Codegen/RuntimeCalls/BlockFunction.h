//===- BlockFunction.h - What the runtime calls for blocks ------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_BLOCKFUNCTION_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_BLOCKFUNCTION_H

#include "Common/RuntimeStructs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IRMapping.h"

namespace tally::codegen {

/// A function that the runtime calls for blocks of a matrix, as it takes them
/// from an operation's region. Its second argument points to a struct that
/// says which block.
class BlockFunction {
protected:
  BlockFunction(mlir::Operation *op, llvm::StringRef name,
                mlir::FunctionType type);

  /// Loads the struct.
  template <typename Struct>
  mlir::Value loadBlock() {
    return mlir::LLVM::LoadOp::create(
        builder, loc, getStructType<Struct>(context), function.getArgument(1));
  }

  template <typename Struct>
  mlir::Value getField(mlir::Value block, size_t offset) {
    return mlir::LLVM::ExtractValueOp::create(builder, loc, block,
                                              getFieldIndex<Struct>(offset));
  }

  mlir::Value toIndex(mlir::Value value);

  /// The memory of a block, whose sizes and stride between rows are of i64.
  mlir::Value createMatrix(mlir::Type element, mlir::Value data,
                           mlir::Value rows, mlir::Value columns,
                           mlir::Value stride);

  /// Makes the loops over rows and, inside of them, independent columns, and
  /// calls back in each.
  void createLoops(
      mlir::Value rows, mlir::Value columns,
      llvm::function_ref<void(mlir::Value row)> inRow,
      llvm::function_ref<void(mlir::Value row, mlir::Value column)> inColumn);

  /// An element of an operand, which a map takes from the positions of the
  /// loops; a scalar is the element.
  mlir::Value readElement(mlir::Value operand, mlir::AffineMap indices,
                          llvm::ArrayRef<mlir::Value> positions);

  /// What a region of one block yields for these arguments.
  mlir::Value createYielded(mlir::Region &region,
                            llvm::ArrayRef<mlir::Value> arguments);

  mlir::Location loc;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
  mlir::IRMapping map;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_BLOCKFUNCTION_H
