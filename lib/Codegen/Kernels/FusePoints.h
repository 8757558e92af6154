//===- FusePoints.h - Operations on points as one ---------------*- C++ -*-===//
//
// What a group that does not become a kernel gains all the same: its operations
// that have an element for each point run as one loop.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_FUSEPOINTS_H
#define TALLY_LIB_CODEGEN_KERNELS_FUSEPOINTS_H

#include "KernelGroups.h"

#include "mlir/IR/PatternMatch.h"

namespace tally::codegen {

/// Whether the payload is plain arithmetic: it can be repeated, and moved.
bool isArithmetic(mlir::linalg::GenericOp op);

/// Makes one operation, with a result for each that is needed outside, of those
/// operations of a group that compute an element for each point of it and that
/// read each other or the same elements. Brings the group and what kept its
/// operations apart up to date.
void fusePoints(KernelGroup &group, GroupObstacles &obstacles,
                mlir::RewriterBase &rewriter);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_FUSEPOINTS_H
