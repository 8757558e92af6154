//===- WindowKernel.h - Convolutions without a library ----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_WINDOWKERNEL_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_WINDOWKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tally::codegen {

/// The kernel that copies windows of a convolution for `tally_rt_convolution`;
/// it is made once for each type of elements.
mlir::gpu::GPUFuncOp getWindowKernel(mlir::gpu::GPUModuleOp kernels,
                                     mlir::Location loc, mlir::Type type);

/// The same for `tally_rt_weight_gradient`.
mlir::gpu::GPUFuncOp getWeightGradientKernel(mlir::gpu::GPUModuleOp kernels,
                                             mlir::Location loc,
                                             mlir::Type type);

/// The same for `tally_rt_image_gradient`.
mlir::gpu::GPUFuncOp getImageGradientKernel(mlir::gpu::GPUModuleOp kernels,
                                            mlir::Location loc,
                                            mlir::Type type);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_WINDOWKERNEL_H
