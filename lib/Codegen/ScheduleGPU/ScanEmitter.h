//===- ScanEmitter.h - Scans inside of kernels ------------------*- C++ -*-===//
//
// A row is cut into tiles, which a team of threads takes one after the other:
// each thread combines a few neighboring elements, the threads of a warp
// combine theirs by shuffles, in several rounds, and the warps of a block by
// shared memory. What was combined before a tile is carried from tile to tile.
// Values are always combined in the order of the row: the combination need not
// commute.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANEMITTER_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANEMITTER_H

#include "Schedules.h"

#include "tally/IR/TallyScanOps.h"

namespace tally::codegen {

/// What a kernel does with rows, or with parts of them.
enum class ScanStep {
  /// Scans them.
  Scan,
  /// Leaves what the elements of each part are combined to.
  Reduce,
  /// Replaces that by what all before the part is combined to.
  Sums,
  /// Scans each part, from what is before it.
  Apply
};

/// Parts of rows, of `length` elements but for the last one, of which each row
/// has `count`. Values of the host, or null where rows are not cut.
struct ScanParts {
  /// For each accumulator a value of each part of each row.
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value count, length;
};

/// How threads are distributed: a thread, a warp or a block has a row or a
/// part, and takes `lanes` neighboring elements at once, `rounds` times in a
/// tile. All of a tile is loaded before threads wait for each other.
struct ScanTeam {
  Team team;
  unsigned lanes = 1;
  unsigned rounds = 1;
  /// Where rows do not start at multiples of the lanes, but lie alike in all
  /// buffers: how many elements the first row is behind one; a value of the
  /// host.
  mlir::Value shift = {};

  unsigned getNumThreads() const { return team == Team::Thread ? 128 : 256; }
  /// How many rows or parts a block has at once.
  unsigned getNumTeams() const {
    return team == Team::Block
               ? 1
               : getNumThreads() / (team == Team::Warp ? 32 : 1);
  }
};

/// Fills a kernel, which sees the operands of the scan and of the parts.
void emitScan(PrefixScanOp op, const Kernel &kernel, mlir::OpBuilder &builder,
              ScanStep step, ScanTeam team, const ScanParts &parts);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANEMITTER_H
