//===- Transforms.h - How kernels run on a GPU -----------------*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_SCHEDULEGPU_TRANSFORMS_H
#define TALLY_CODEGEN_SCHEDULEGPU_TRANSFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace tally {

/// Makes kernels that count and write rows.
mlir::LogicalResult scheduleCompaction(mlir::ModuleOp module);

/// Makes kernels of convolutions of one channel each.
void scheduleDepthwise(mlir::ModuleOp module);

/// Makes kernels that sort.
mlir::LogicalResult scheduleSorts(mlir::ModuleOp module);

/// Makes kernels that scan rows.
mlir::LogicalResult scheduleScans(mlir::ModuleOp module);

/// Gives matmuls a kernel of their own.
mlir::LogicalResult addMatmulFallbacks(mlir::ModuleOp module);

/// Decides how kernels run on a GPU.
mlir::LogicalResult scheduleKernelsOnGPU(mlir::ModuleOp module);

/// Has kernels of branches read which branch is taken, so that the host does
/// not wait for it.
void predicateLaunches(mlir::ModuleOp module);

/// Launches one of several kernels that are the same in the place of each.
void mergeKernels(mlir::ModuleOp module);

/// Makes kernels of loops over elements of a function whose iterations, or
/// whose elements, can be divided among threads.
void scheduleLoopsOnGPU(mlir::func::FuncOp function);

/// Makes kernels of loops that the host would wait for, where one block can run
/// them.
mlir::LogicalResult scheduleWhileLoopsOnGPU(mlir::func::FuncOp function);

/// Makes scans of numbers that loops over elements count with.
void liftCounters(mlir::Operation *root);

/// Has the host compute the numbers that tell it when a loop ends.
void liftLoopNumbers(mlir::Operation *root);

/// Finds elements that are not zero in parallel.
mlir::LogicalResult lowerNonzeroForGPU(mlir::Operation *root);

} // namespace tally

#endif // TALLY_CODEGEN_SCHEDULEGPU_TRANSFORMS_H
