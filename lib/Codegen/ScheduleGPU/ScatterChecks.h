//===- ScatterChecks.h - Checks that a scatter makes itself -----*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERCHECKS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERCHECKS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

/// Returns the loops after `check` that write to memory of the call alone and
/// can check in each of their iterations what `check`, which does nothing else,
/// checks in an iteration of its own; null if there are none.
mlir::scf::ForOp findCheckedLoop(mlir::scf::ForOp check);

/// Makes a copy of `loop`, before it, that checks first in each iteration what
/// `check` does.
mlir::scf::ForOp createCheckedLoop(mlir::scf::ForOp check,
                                   mlir::scf::ForOp loop);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERCHECKS_H
