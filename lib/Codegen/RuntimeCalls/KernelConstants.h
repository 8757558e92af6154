//===- KernelConstants.h - Kernels as constants of a program ----*- C++ -*-===//
//
// Emits what tally_runtime_calls.h calls tally_rt_gpu_module and
// tally_rt_kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_KERNELCONSTANTS_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_KERNELCONSTANTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tally::codegen {

/// The constants for the kernels that a module launches.
class KernelConstants {
public:
  explicit KernelConstants(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// The constant that stands for a kernel that `user` launches or passes on.
  llvm::FailureOr<mlir::LLVM::GlobalOp> getKernel(mlir::SymbolRefAttr symbol,
                                                  mlir::Operation *user);

private:
  mlir::LLVM::GlobalOp emitImage(mlir::gpu::BinaryOp binary,
                                 mlir::gpu::ObjectAttr object);
  mlir::LLVM::GlobalOp emitBytes(const llvm::Twine &name,
                                 llvm::StringRef bytes);
  /// Emits a struct of `fields`: addresses of globals, or numbers.
  mlir::LLVM::GlobalOp emitStruct(
      const llvm::Twine &name, mlir::LLVM::LLVMStructType type,
      llvm::ArrayRef<llvm::PointerUnion<mlir::Operation *, mlir::Attribute>>
          fields);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Operation *, mlir::LLVM::GlobalOp> images;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> kernels;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_KERNELCONSTANTS_H
