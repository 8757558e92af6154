//===- KernelCopies.h - Outputs that nothing computes -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_KERNELCOPIES_H
#define TALLY_LIB_CODEGEN_KERNELS_KERNELCOPIES_H

#include "tally/IR/Tally.h"

namespace tally::codegen {

/// Gives each output that is an input or a scalar as it is a kernel of its own:
/// canonicalization finds such. Returns the kernels of `root` that are left, in
/// the order of the program.
llvm::SmallVector<KernelOp> splitCopies(mlir::Operation *root);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_KERNELCOPIES_H
