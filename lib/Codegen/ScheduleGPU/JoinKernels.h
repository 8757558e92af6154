//===- JoinKernels.h - Small kernels in one launch --------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_JOINKERNELS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_JOINKERNELS_H

#include "tally/IR/Tally.h"

namespace tally::codegen {

class BufferOrigins;

/// Finds kernels without reductions, in lists of at least two, that may run in
/// any order and have nothing between them that may not run before all of them.
llvm::SmallVector<llvm::SmallVector<KernelOp>>
findJoinableKernels(llvm::ArrayRef<KernelOp> kernels, BufferOrigins &origins);

/// Launches the kernels of such a list as one function. Returns false where
/// that is only done for few points: they are left to be scheduled for more, in
/// another branch.
bool joinKernels(llvm::ArrayRef<KernelOp> kernels, llvm::StringRef name);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_JOINKERNELS_H
