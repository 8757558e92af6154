//===- RepeatedWork.h - What kernels compute more than once -----*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_REPEATEDWORK_H
#define TALLY_LIB_CODEGEN_KERNELS_REPEATEDWORK_H

#include "KernelGroups.h"

namespace tally::codegen {

/// The operations that compute an element; a function counts as several.
int64_t getCodeSize(mlir::linalg::GenericOp op);

/// How often expensive operations of a group are computed again, in all: once
/// for each reduction that comes later.
unsigned countComputedAgain(const KernelGroup &group);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_REPEATEDWORK_H
