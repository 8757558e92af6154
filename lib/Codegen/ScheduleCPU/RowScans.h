//===- RowScans.h - Scans along rows ----------------------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_ROWSCANS_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_ROWSCANS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

/// The rows that are scanned side by side.
constexpr int64_t kScannedRows = 4;

/// Returns the inner loop of a parallel loop that writes what it carries at
/// each step, and is all of it but for operations without an effect.
mlir::scf::ForOp findScan(mlir::scf::ParallelOp loop);

/// Scans some rows side by side: each step of a scan waits for the one before,
/// but not for those of other rows. Elements of 16 bits are converted in loops
/// of their own, block by block, which LLVM vectorizes.
void scanRows(mlir::scf::ParallelOp loop, mlir::scf::ForOp scan);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_ROWSCANS_H
