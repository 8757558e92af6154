//===- RefusedOps.h - Operations that cannot run ----------------*- C++ -*-===//

#ifndef TALLY_CODEGEN_COMMON_REFUSEDOPS_H
#define TALLY_CODEGEN_COMMON_REFUSEDOPS_H

#include "mlir/IR/Operation.h"

namespace tally {

/// Replaces the operations on tensors in `root`, and the loops over buffers,
/// that their verifiers refuse, as constants in their types disagree. They
/// never run, or have no iteration.
void replaceRefused(mlir::Operation *root);

} // namespace tally

#endif // TALLY_CODEGEN_COMMON_REFUSEDOPS_H
