//===- Transforms.h - How kernels are formed and placed --------*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_KERNELS_TRANSFORMS_H
#define TALLY_CODEGEN_KERNELS_TRANSFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tally {

/// Bufferizes a module and leaves the bodies of kernels alone.
mlir::LogicalResult bufferizeKernels(mlir::ModuleOp module);

/// Has kernels assert what is checked of data, so that the host does not wait.
void deferChecks(mlir::func::FuncOp function);

/// Frees host code of accesses to memory of the device.
mlir::LogicalResult placeOnDevice(mlir::ModuleOp module);

/// Makes one allocation of those of a function.
void planArena(mlir::func::FuncOp function);

/// Makes kernels of operations that share an iteration space; of those alone
/// that gain from rows if `rowsOnly` is set.
mlir::LogicalResult formKernels(mlir::func::FuncOp function,
                                bool rowsOnly = false);

} // namespace tally

#endif // TALLY_CODEGEN_KERNELS_TRANSFORMS_H
