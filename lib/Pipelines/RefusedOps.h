//===- RefusedOps.h - Operations that cannot run ----------------*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_REFUSEDOPS_H
#define TALLY_LIB_PIPELINES_REFUSEDOPS_H

#include "mlir/IR/Operation.h"

namespace tally {

/// Replaces the operations on tensors in `root` that their verifiers refuse,
/// as constants in their types disagree.
void replaceRefused(mlir::Operation *root);

} // namespace tally

#endif // TALLY_LIB_PIPELINES_REFUSEDOPS_H
