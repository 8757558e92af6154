//===- OutlinedBodies.h - Code that the runtime calls back ------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_OUTLINEDBODIES_H
#define TALLY_LIB_CODEGEN_COMMON_OUTLINEDBODIES_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace tally::codegen {

/// Finds bodies that do the same: layers of a model are alike.
class SharedBodies {
public:
  /// Returns an earlier body that is like this one, which is erased then, or
  /// else this one.
  mlir::func::FuncOp share(mlir::func::FuncOp body);

private:
  static llvm::hash_code computeHash(mlir::func::FuncOp body);

  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<mlir::func::FuncOp>> bodies;
};

/// The values of the function around that an outlined body uses. Constants are
/// made again; the rest travels in a struct, whose address is the body's last
/// argument. The first arguments of both functions are the call context.
class Captures {
public:
  Captures(mlir::func::FuncOp parent, mlir::Location loc)
      : parent(parent), loc(loc), converter(parent.getContext()) {}

  void add(llvm::ArrayRef<mlir::Value> used);
  /// Stores the captures; returns the address.
  mlir::Value pack(mlir::OpBuilder &builder);
  /// Makes what was added available in the body.
  mlir::IRMapping unpack(mlir::OpBuilder &inner, mlir::func::FuncOp body);

private:
  mlir::LLVM::LLVMStructType getType();

  mlir::func::FuncOp parent;
  mlir::Location loc;
  mlir::LLVMTypeConverter converter;
  llvm::SmallVector<mlir::Value> constants;
  llvm::SmallVector<mlir::Value> captures;
};

/// The address of a function.
mlir::Value createFunctionPointer(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::func::FuncOp function);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_OUTLINEDBODIES_H
