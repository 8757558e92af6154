//===- HoistSizes.h - Sizes that bodies ask for -----------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_HOISTSIZES_H
#define TALLY_LIB_CODEGEN_KERNELS_HOISTSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::codegen {

/// Moves the sizes of tensors that bodies of structured operations ask for
/// before these operations: a kernel gets them as numbers, and knows no tensors
/// where it runs on a GPU.
void hoistSizes(mlir::func::FuncOp function);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_HOISTSIZES_H
