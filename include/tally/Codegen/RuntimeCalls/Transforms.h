//===- Transforms.h - What becomes calls of the runtime --------*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_RUNTIMECALLS_TRANSFORMS_H
#define TALLY_CODEGEN_RUNTIMECALLS_TRANSFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace tally {

/// Calls custom functions through the C interface.
mlir::LogicalResult convertCustomCalls(mlir::ModuleOp module);

/// Turns launches of kernels into calls of the runtime.
mlir::LogicalResult lowerLaunches(mlir::ModuleOp module);

/// Makes room for the results of custom functions.
mlir::LogicalResult lowerCustomCalls(mlir::Operation *root);

/// Makes attention on the CPU calls of the runtime, and functions of what makes
/// scores. Attention of tensors is an error.
mlir::LogicalResult lowerHostAttention(mlir::ModuleOp module);

/// Makes matmuls on the CPU calls of the runtime.
mlir::LogicalResult lowerHostMatmuls(mlir::ModuleOp module);

/// Makes sorts on the CPU calls of the runtime. Sorts of tensors, and of
/// elements that the runtime does not know, are errors.
mlir::LogicalResult lowerHostSorts(mlir::ModuleOp module);
mlir::LogicalResult lowerLinearAlgebra(mlir::ModuleOp module);

/// Makes Fourier transforms on the CPU calls of the runtime. Fails, with an
/// error, where one is on tensors.
mlir::LogicalResult lowerFFT(mlir::ModuleOp module);

/// Makes Fourier transforms on a GPU calls of the runtime. Fails, with an
/// error, where one was not prepared.
mlir::LogicalResult lowerDeviceFFT(mlir::ModuleOp module);

/// Makes the last dimension the transformed one, and divisions operations of
/// their own.
void prepareFFT(mlir::Operation *root);

/// Makes a bias, and a ReLU, that follow a matmul parts of it, where that saves
/// memory traffic.
void fuseEpilogues(mlir::func::FuncOp function);

/// Makes what computes an operand of a matmul, elements of fewer bits among
/// its own, a part of it.
void fusePrologues(mlir::func::FuncOp function);

/// Makes masks of attention part of its scores, and permutations of dimensions
/// part of its maps.
void prepareAttention(mlir::Operation *root);

/// Finds attention that was written out as products and a softmax.
void recognizeAttention(mlir::func::FuncOp function);

/// Finds contractions and convolutions that a library computes.
void recognizeContractions(mlir::func::FuncOp function,
                           bool convolutionsOnly = false);

/// Computes transposed convolutions without the zeros between elements.
void splitTransposedConvolutions(mlir::func::FuncOp function);

/// Finds matmuls that a library computes; those of integers if asked for.
void recognizeMatmuls(mlir::func::FuncOp function, bool integers = false);

/// Makes matmuls on a GPU calls of the runtime.
mlir::LogicalResult lowerMatmuls(mlir::ModuleOp module);

} // namespace tally

#endif // TALLY_CODEGEN_RUNTIMECALLS_TRANSFORMS_H
