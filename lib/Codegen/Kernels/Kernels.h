//===- Kernels.h - Kernels and their launches -------------------*- C++ -*-===//
//
// How host code passes values to a kernel: pointers first, each to the buffer
// as it was allocated, then indices, then other numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_KERNELS_H
#define TALLY_LIB_CODEGEN_KERNELS_KERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace tally::codegen {

/// The one module of kernels of a program; made where there is none.
mlir::gpu::GPUModuleOp getKernelModule(mlir::ModuleOp module);

/// A kernel, and the operands of its launch.
struct Kernel {
  mlir::gpu::GPUFuncOp function;
  llvm::SmallVector<mlir::Value> operands;
  /// The values inside that stand for values of host code.
  mlir::IRMapping map;

  /// A builder in front of the return.
  mlir::OpBuilder getBodyBuilder();
};

/// Makes a kernel with a name that starts with `name` and that sees `captures`:
/// memrefs, numbers and constants. `host` builds what the launch needs.
Kernel createKernel(mlir::OpBuilder &host, mlir::Location loc,
                    llvm::StringRef name, mlir::ValueRange captures);

/// Launches a kernel in blocks along one dimension.
void launchKernel(mlir::OpBuilder &host, mlir::Location loc,
                  const Kernel &kernel, mlir::Value blocks,
                  mlir::Value threads);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_KERNELS_H
