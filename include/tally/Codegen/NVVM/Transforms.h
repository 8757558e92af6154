//===- Transforms.h - How kernels become code for a GPU --------*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_NVVM_TRANSFORMS_H
#define TALLY_CODEGEN_NVVM_TRANSFORMS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace tally {

/// Adds the patterns for everything that kernels are made of, for a converter
/// that knows the address spaces of a GPU (`configureGpuToNVVMTypeConverter`).
void populateConvertKernelsPatterns(mlir::LLVMTypeConverter &converter,
                                    mlir::RewritePatternSet &patterns);

/// Converts kernels to the NVVM dialect.
mlir::LogicalResult convertKernels(mlir::gpu::GPUModuleOp kernels);

/// Turns asserts of kernels into branches to an error word.
mlir::LogicalResult lowerDeviceAsserts(mlir::ModuleOp module);

/// Adds the patterns of `lowerReductions`.
void populateLowerReductionsPatterns(mlir::RewritePatternSet &patterns);

/// Turns reductions over threads into shuffles.
void lowerReductions(mlir::gpu::GPUModuleOp kernels);

/// Says which GPU the kernels are for.
mlir::LogicalResult attachTarget(mlir::ModuleOp module,
                                 llvm::StringRef chip = "sm_90a");

/// Compiles kernels to machine code (`format` is bin), to PTX (isa), or to what
/// is possible (auto), with the CUDA toolkit in a directory or one that is
/// found.
mlir::LogicalResult serializeKernels(mlir::ModuleOp module,
                                     llvm::StringRef format = "auto",
                                     llvm::StringRef toolkit = "");

} // namespace tally

#endif // TALLY_CODEGEN_NVVM_TRANSFORMS_H
